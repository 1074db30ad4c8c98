#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# run.sh - managers.sh in a guest: what guest time alone can measure
#
# usage: run.sh CELL...
#        run.sh all STACK	every cell of cyclone or fastdds
#        run.sh all6		every cell of IPv6
#
# MANAGERS: other cells than these, see managers.sh. What the cells leave is in
# build/check/NAME.vm, with NAME from the first cell.

cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../../.." || exit 1

# manager_cells STACK: all that there is
manager_cells()
{
	local manager what

	for manager in static networkd nm dhcpcd dhclient; do
		for what in 1 5 20 60 300 roam silent stall; do
			echo "$manager:$what:$1"
		done
		echo "$manager:20:$1:gap"
		echo "$manager:60:$1:gap"
		echo "$manager:20:$1-reliable"
		echo "$manager:stall:$1-reliable"
	done
	for manager in static nm; do
		echo "$manager:down:$1"
		echo "$manager:address:$1"
	done
	echo {connman,netplan}:{20,roam}:$1 connman:60:$1
	echo networkd:{network,elsewhere}:$1
}

# manager_cells6: by IPv6, without and with temporary addresses
manager_cells6()
{
	local manager what

	for manager in static{,-privacy} networkd{,-privacy} nm{,-privacy} \
		dhcpcd{,-privacy}; do
		for what in 5 20 60 roam; do
			echo "$manager:$what:cyclone6"
		done
	done
	echo netplan:20:cyclone6 {static,nm}:address:cyclone6 \
		static:down:cyclone6 networkd:network:cyclone6
}

case $1 in
all)	cells=($(manager_cells "$2")) ;;
all6)	cells=($(manager_cells6)) ;;
*)	cells=("$@") ;;
esac
[ -z "${MANAGERS-}" ] || read -ra cells <<<"$MANAGERS"
tools/packages --into build/guest guest &&
	sch=$(tools/machines/kernel module 6.1) || exit
out=build/check/managers.${cells[0]}.vm
rm -rf "$out"
# with the processor that its bounds are for
exec tools/machines/vm -k 6.1 --skip-idle --cpu max --root base,managers -m 2560 \
	-t 7200 -M "$sch" -o "$out" -- tests/e2e/managers/managers.sh "${cells[@]}"
