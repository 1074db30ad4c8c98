#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# `optsample up wlan0` checks which Wi-Fi network the robot returns to. In the
# same one nothing has to settle. In another one held messages wait.
#
#   robot (this namespace)              operator (namespace op)
#     wlan0 10.9.0.1  ---- hwsim ----   wlan1 10.9.0.2, network "home"
#                                       wlan2           network "elsewhere"
#
# To detect settling, the test sets the settling time to 60 s, longer than it
# waits.
# For tools/machines/vm --icount: its seconds are of guest time, and do not
# jump.

. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
need_modules
modprobe -a ifb cls_bpf cls_matchall act_mirred sch_ingress sch_fq_codel \
	2>/dev/null

robot=10.9.0.1 operator=10.9.0.2
export CYCLONEDDS_URI=file:///nonexistent.xml
trap 'kill "${hostapd[@]}" 2>/dev/null; optsample down >/dev/null 2>&1' EXIT

carrier() { grep -qx "${1-up}" /sys/class/net/wlan0/operstate; }
show() { optsample show -j wlan0 | jq -r ".[0].qdisc | $1"; }
now_is() { [ "$(show "$2")" = "$1" ]; }

connect()
{
	iw dev wlan0 scan freq 2412 flush ssid "$1" >/dev/null
	iw dev wlan0 connect "$1" 2412 && wait_for 20 carrier
}

# messages N: of one packet each, by another writer, as repeated numbers are
# repairs. It is not a DDS writer.
w=0
messages()
{
	w=$((w + 1))
	name_writer /sys/fs/bpf/optsample/wlan0/writers $w
	rtps-gen send $operator 7411 $w "$1" 1 500 every 20
}

# up [OPTIONS]: on a radio whose reports are trusted
up()
{
	optsample up wlan0 --peer $operator "$@" >/dev/null 2>"$scratch/err"
	ok "up $*" || sed 's/^/# /' "$scratch/err"
	wait_for 10 eval 'ip neigh show $operator dev wlan0 | grep PERMANENT'
	messages 40
	wait_for 10 now_is "40 active" '"\(.messages_out) \(.recall_state)"'
	ok "messages leave, and the radio is believed" || show . | sed 's/^/# /'
}

# away_to SSID: out of range, where 7 messages must be held, and back there
away_to()
{
	iw dev wlan0 disconnect
	wait_for 10 carrier down
	messages 7
	is "$(show '"\(.stalled) \(.backlog_messages)"')" "carrier 7" \
		"out of range: 7 messages wait"
	connect "$1"
	ok "wlan0 is back, in $1"
}

modprobe mac80211_hwsim radios=3
ip netns add op
access_point wlan1 home && access_point wlan2 elsewhere
ok "two access points"
n_op ip addr add $operator/24 dev wlan1
# address: as DHCP gives it
address() { ip addr replace $robot/24 dev wlan0 valid_lft 600 preferred_lft 600; }
address
ip link set wlan0 up
connect home
ok "wlan0 is connected"

up
tc qdisc change dev opt-wlan0 root handle bad: optsample settle 60s
away_to home
wait_for 3 now_is "null 47" '"\(.stalled) \(.messages_out)"'
ok "the same network: they leave at once" || show . | sed 's/^/# /'
optsample down wlan0

up --settle 60s
away_to home
pause 5
is "$(show '"\(.stalled) \(.backlog_messages)"')" "settle 7" \
	"--settle: they wait for as long as was said"
optsample down wlan0

up
tc qdisc change dev opt-wlan0 root handle bad: optsample settle 60s
away_to elsewhere
wait_for 20 grep -q "in another Wi-Fi network" /run/optsample/wlan0.log
ok "another network: the daemon says so"
pause 5
is "$(show '"\(.stalled) \(.backlog_messages)"')" "settle 7" \
	"another network: it settles"
optsample down wlan0

# the daemon knows the network before the 0.5 s of settling are over
iw dev wlan0 disconnect
wait_for 10 carrier down
connect home
up
away_to elsewhere
pause 5
is "$(show '"\(.stalled) \(.backlog_messages)"')" "gate 7" \
	"another network: they wait for its address"
address
wait_for 3 now_is 47 .messages_out
ok "another network: it gives the same address, and they leave"
optsample down wlan0

# The air has a rate now, of which large messages of a topic that is not sampled
# take less than a third: wlan0 alone loses none, neither may `up`.
connect home
hwsim-medium --rate 6 >"$scratch/medium" &
medium=$!
wait_for 10 grep -q start "$scratch/medium"
# large: which of 4 arrive
large()
{
	n_op rtps-gen recv $operator 7411 4 286 >"$scratch/got" &
	receiver=$!
	wait_for 10 eval 'n_op ss -uln | grep -q ":7411 "'
	rtps-gen send $operator 7411 5 4 286 1400 every 2000
	wait $receiver
	words <"$scratch/got"
}
is "$(large)" "5 1 5 2 5 3 5 4" "messages of 400 kB over wlan0 alone: whole"
optsample up wlan0 --peer $operator 2>/dev/null
is "$(large)" "5 1 5 2 5 3 5 4" "and with optsample up"
[ "$(show .ordinary_sent)" -ge $((4 * 286)) ]
ok "which sent them as ordinary traffic"
optsample down wlan0
kill $medium
wait $medium
done_testing
