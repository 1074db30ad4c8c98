#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# many_writers.sh - a DDS domain with thousands of writers on this host
#
# 4096 of them have a place in the map, the others are counted. See peers.sh for
# the link; runs as root inside tools/machines/vm with the module in $SCH_KO.
# TAP on stdout.

set -u
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
. "$here/peers.sh"
interval=5	# to count thousands of writers takes a guest seconds
places=4096
left_out() { [ "$(json .writers_left_out)" = "$1" ]; }
crowd="more than $places writers on this host: "

fresh
peer dds-writers $(seq -f 'rt/many/%g' 4000)
wait_for 300 eval '[ "$(in_map)" = 4000 ]'
ok "4000 writers of this host are sampled"
is "$(json '[.writers_left_out, .warning] | @csv')" 0, "and no warning"
kill -KILL "$(cat /run/optsample/v0.pid)"
stop_peers
peer dds-writers $(seq -f 'rt/many/%g' 4000)
wait_for 10 eval 'optsample up v0 >/dev/null 2>&1'
all_sampled()
{
	[ "$(in_map)" = 4000 ] &&
	[ "$(bpftool -j map dump pinned $pins/writers | jq -r '.[].key |
		map(ltrimstr("0x")) | join("")' | sort)" = "$(jq -r '.topics[] |
		select(.sampled) | .guid | gsub("\\."; "")' \
		/run/optsample/v0.topics | sort)" ]
}
wait_for 120 all_sampled
ok "4000 that came while there was no daemon have their places, too"
peer dds-writers $(seq -f 'rt/more/%g' 1000)
wait_for 300 left_out 904
ok "of 1000 more 904 have no place, which is counted"
is "$(in_map)" $places "they are ordinary, the others are sampled"
is "$(jq '[.topics[] | select(.sampled)] | length' /run/optsample/v0.topics)" \
	$places "the list of topics has those that are sampled"
optsample show v0 | grep -q "warning: ${crowd}904 others are not sampled"
ok "show warns"
lease=10 peer_op dds-writers rt/short
wait_for 60 eval '[[ "$(json .warning)" == \
	"${crowd}904 others are not sampled; 1 DDS participant is given up "* ]]'
ok "one warning does not hide another"
is "$(grep -c "$crowd" /run/optsample/v0.log)" 1 "the log has it once"
stop_peers 1
wait_for 120 left_out 0
is "$(in_map) $(json .warning)" "4000 null" "who goes is not counted"
peer dds-writers $(seq -f 'rt/more/%g' 1000)
wait_for 300 left_out 904
kill "${pids[0]}"
wait_for 300 left_out 0
wait_for 60 eval '[ "$(in_map)" = 1000 ]'
ok "places that become free are taken by those who had none"
is "$(json .warning)" null "and the warning is gone"

# more than the daemon remembers
peer dds-writers $(seq -f 'rt/much/%g' 8000)
wait_for 300 eval '[[ "$(json .warning)" == *"more than 8192 writers"* ]]'
is "$(json .writers_left_out)" $places \
	"of those without a place $places are remembered"
kill "${pids[1]}"
wait_for 300 left_out $((places - 1000))
is "$(in_map)" $places "who is remembered has a place when others go"
[[ "$(json .warning)" == *"more than 8192 writers"* ]]
ok "who was forgotten has not, which is said"
stop_peers
wait_for 300 eval '[ "$(json .warning)" = null ]'
ok "until they are gone"
is "$(in_map)" 0 "and no place is taken"
optsample down v0
done_testing
