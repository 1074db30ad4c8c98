#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# figures-flows.sh - TCP and UDP by delay and loss, as lines of CSV:
#	tcp|udp,DELAY_MS,LOSS,MBIT
#
# Needs netem: runs in a guest of tools/machines/vm. Emulated processors are
# slow: only what is itself slow runs side by side, TCP with loss, and two of
# UDP.

set -u

. "$(dirname -- "${BASH_SOURCE[0]}")/figures-links.sh"
links_modules
: "${MEASURE=10}" "${DELAYS=0 10 20 50 100 200}" "${LOSS=0 1 2 5 10 20}"

for loss in $LOSS; do
	link_up "f$loss" || exit 1
done

# flow PROTOCOL DELAY LOSS
flow()
{
	echo "$1,$2,$3,$("$BIN/figures-flow" "$1" "f$3-a" "f$3-b" 10.63.0.2 \
		"$MEASURE" 20)"
}

for delay in $DELAYS; do
	for loss in $LOSS; do
		link_set "f$loss" 0 "$delay" || exit 1
		# no round is lost to ARP
		ip netns exec "f$loss-a" ping -q -c 1 10.63.0.2 >/dev/null
		link_set "f$loss" "$loss" "$delay" || exit 1
	done
	most=1
	for loss in $LOSS; do
		flow tcp "$delay" "$loss" &
		[ "$loss" -gt 2 ] || wait
	done
	wait
	for loss in $LOSS; do
		flow udp "$delay" "$loss" &
		most=$((most ^ 1))
		[ $most = 0 ] || wait
	done
	wait
done
