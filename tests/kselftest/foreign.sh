#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# foreign.sh - a DDS domain with thousands of writers on other hosts
#
# Packets of other hosts never leave by our interface, so their writers must
# neither take places of local writers nor cost the daemon time. See peers.sh
# for the link; runs as root inside tools/machines/vm with the module in
# $SCH_KO. TAP on stdout.

set -u
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
. "$here/peers.sh"
writers=5000
interval=5	# to count thousands of writers takes a guest seconds

# The daemon's processor time so far, in 1/100 s
ticks()
{
	cut -d' ' -f14,15 "/proc/$(cat /run/optsample/v0.pid)/stat" |
		awk '{ print $1 + $2 }'
}

# settled: the daemon is nearly idle
settled()
{
	local before

	before=$(ticks)
	pause 2
	[ $(($(ticks) - before)) -lt 20 ]
}

fresh
before=$(ticks)
peer_op dds-writers $(seq -f 'rt/far/%g' $writers)
wait_for 60 eval '[ "$(ticks)" -gt $((before + 20)) ]'
wait_for 300 settled
ok "the daemon has heard of $writers writers of another host"
echo "# $(($(ticks) - before)) ticks of the daemon"
is "$(in_map)" 0 "none of them is in the map"
[ "$(wc -c </run/optsample/v0.topics)" -lt 10000 ]
ok "nor in the list of topics"
peer dds-writers rt/camera
wait_for 60 known rt/camera && [ "$(writer rt/camera)" = "0 0" ]
ok "a camera of this host is sampled"
before=$(ticks)
# 500 ticks
pause 5
used=$(($(ticks) - before))
[ $used -lt 100 ]
ok "the daemon takes little of the processor: $used of 500 ticks"
stop_peers 1
wait_for 60 eval '[ "$(in_map)" = 0 ]'
ok "the camera goes"
optsample down v0
done_testing
