#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# `optsample up v0 --address`: an ipvlan with an address of the robot's own
# keeps it, whatever a network manager does to the interface. Here the test acts
# as the manager.
#
#   robot (this namespace)                  operator (namespace op)
#   own-v0 10.77.0.2 fd77::2 on
#     v0 10.9.0.1               --- veth ---  v1 10.9.0.2  10.77.0.1 fd77::1
#   own-wlan0 10.77.0.2 on
#     wlan0                     --- hwsim ---  wlan1 10.77.0.1, hostapd
#
# A writer sends a message every 50 ms, of which 20 are kept in an outage. It is
# not a DDS writer, so the daemon must not look for it there.
# For tools/machines/vm --icount: its seconds are of guest time, and do not
# jump.

. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
need_modules
modprobe -a veth ifb ipvlan cls_bpf cls_matchall act_mirred sch_ingress \
	2>/dev/null

robot=10.77.0.2 operator=10.77.0.1
export CYCLONEDDS_URI=file:///nonexistent.xml
trap 'kill "${hostapd[@]}" 2>/dev/null; optsample down >/dev/null 2>&1' EXIT

# own FILTER: of `show -j`, with DEV as given by the user
dev=v0
own() { optsample show -j $dev | jq -r ".[0] | $1"; }

addresses()
{
	ip -o addr show dev own-$dev scope global | awk '{ print $4 }' | words
}

# state that must not change
kept()
{
	is "$(addresses)" "$wanted" "$1: the addresses stay"
	ip -o link show own-$dev | grep -q '[<,]UP[,>]'
	ok "$1: own-$dev stays up"
}

# writer: another one, as repeated numbers are repairs
w=0
writer()
{
	w=$((w + 1))
	name_writer /sys/fs/bpf/optsample/own-$dev/writers $w
}

# messages N CMD...: N messages while CMD runs; their fate
messages()
{
	local n=$1 receiver rc before after

	shift
	writer
	before=$(own '.qdisc | .messages_in - .kept')
	n_op rtps-gen recv $operator 7411 15 1 >"$scratch/got" &
	receiver=$!
	wait_for 5 eval 'n_op ss -uln | grep -q 7411'
	rtps-gen send $operator 7411 $w "$n" 1 500 every 50 &
	sender=$!
	pause 0.5
	"$@"
	wait $sender
	rc=$?
	wait $receiver
	after=$(own '.qdisc | .messages_in - .kept')
	left_out=$((after - before))
	arrived=$(grep -c "^$w [0-9]*\$" "$scratch/got")
	lost=$((n - arrived - left_out))
	echo "# $arrived of $n arrived, $left_out left out, $lost lost"
	[ $rc = 0 ]
	ok "sendto() never failed"
}

fresh_link
link_up
n_op ip addr add $operator/24 dev v1
n_op ip addr add fd77::1/64 dev v1 nodad
optsample up v0 --address $robot/24 --address fd77::2/64 --peer $operator \
	--settle 100ms >"$scratch/out" 2>"$scratch/err"
ok "up" || sed 's/^/# /' "$scratch/err"
wanted="$robot/24 fd77::2/64"
kept "up"
is "$(cat "$scratch/out")" "own-v0 has $robot/24,fd77::2/64; configure DDS to use \
it: CYCLONEDDS_URI='<General><Interfaces><NetworkInterface \
name=\"own-v0\"/></Interfaces></General>'" "how DDS uses it"
is "$(ip -d -o link show own-v0 | grep -o 'ipvlan  *mode [a-z0-9]*' | words)" \
	"ipvlan mode l2" "an ipvlan"
is "$(cat /proc/sys/net/ipv6/conf/own-v0/accept_ra)" 0 \
	"routers give it no addresses"
is "$(ip -o link show | grep -c keep-)" 0 "nothing else keeps addresses"
tc qdisc show dev opt-own-v0 | grep -q "watch v0 "
ok "the queue watches the link of v0"
ping -c 1 -W 5 $operator >/dev/null && ping -c 1 -W 5 fd77::1 >/dev/null
ok "the operator answers, by IPv4 and IPv6"
[ "$(own .qdisc.ordinary_sent)" -ge 2 ]
ok "by the queue"
wait_for 10 eval 'ip neigh show $operator dev own-v0 | grep PERMANENT'
ok "the peer's neighbour entry is permanent"

nothing() { :; }
messages 40 nothing
is "$arrived $left_out" "40 0" "nothing happens: all messages arrive"

cable()
{
	n_op ip link set v1 down
	pause 3
	kept "carrier lost"
	is "$(own '"\(.qdisc.stalled) \(.qdisc.backlog_messages)"')" \
		"carrier 20" "carrier lost: 20 messages wait"
	n_op ip link set v1 up
}
messages 100 cable
[ $left_out -gt 20 ] && [ $lost = 0 ]
ok "carrier lost: what was kept arrives"

# as NetworkManager does after 15 s, and when the network is back
manager()
{
	ip addr flush dev v0
	ip link set v0 down
	ip link set v0 address 02:00:00:00:00:77
	pause 3
	kept "v0 down"
	is "$(own '"\(.qdisc.stalled) \(.qdisc.backlog_messages)"')" \
		"carrier 20" "v0 down: 20 messages wait"
	ip neigh show $operator dev own-v0 | grep -q PERMANENT
	ok "v0 down: the peer's neighbour entry is permanent"
	ip link set v0 up
}
messages 100 manager
[ $left_out -gt 20 ] && [ $lost = 0 ]
ok "v0 down, and another MAC: what was kept arrives"
is "$(cat /sys/class/net/own-v0/address)" 02:00:00:00:00:77 \
	"own-v0 has the new MAC"
ping -c 1 -W 5 $operator >/dev/null
ok "the operator answers"

# a radio is unplugged and plugged in again
ip link del v0
optsample show v0 | grep -q "own-v0 is gone"
ok "v0 pulled out: show says so"
fresh_link
link_up
n_op ip addr add $operator/24 dev v1
wait_for 20 redirected own-v0
ok "v0 is back: so is own-v0"
kept "v0 is back"
wait_for 20 eval 'ip neigh show $operator dev own-v0 | grep PERMANENT'
ok "v0 is back: the peer's neighbour entry is permanent"
messages 40 nothing
is "$arrived $left_out" "40 0" "v0 is back: messages arrive"
# two radios are plugged in at once, and udev gives them their names
ip link set v0 down
ip link set v0 name v9
ip link add v0 type dummy
ip link set v0 up
wait_for 20 eval '[ "$(cat /sys/class/net/own-v0/iflink)" = \
	"$(cat /sys/class/net/v0/ifindex)" ] && redirected own-v0'
ok "another device has the name: own-v0 is on that"
kept "another device has the name"
optsample down v0
ip -br link show | grep -q own-
[ $? = 1 ] && [ -z "$(ls /run/optsample)" ]
ok "down"
ip link del v0
ip link del v9

# A radio: packets below the queue are limited, and recalled if lost.
dev=wlan0 wanted=$robot/24
modprobe mac80211_hwsim radios=2
access_point wlan1 optsample
n_op ip addr add $operator/24 dev wlan1
ip link set wlan0 up
connect()
{
	iw dev wlan0 connect optsample 2412 &&
		wait_for 20 grep -qx up /sys/class/net/wlan0/operstate
}
connect
ok "wlan0 is connected"
optsample up wlan0 --address $robot/24 --peer $operator >/dev/null \
	2>"$scratch/err"
ok "up on Wi-Fi" || sed 's/^/# /' "$scratch/err"
is "$(own .qdisc.inflight_limit_packets)" 32 "inflight 32"
wait_for 10 eval 'ip neigh show $operator dev own-wlan0 | grep PERMANENT'
messages 40 nothing
is "$arrived $left_out $(own .qdisc.recall_state)" "40 0 active" \
	"messages arrive, and the radio says so"
# The access point is silent: the carrier stays for a while.
silent()
{
	n_op ip link set wlan1 down
	wait_for 30 eval '! grep -qx up /sys/class/net/wlan0/operstate'
	kept "silent access point"
	n_op ip link set wlan1 up
	n_op ip addr replace $operator/24 dev wlan1
	wait_for 10 connect
}
messages 200 silent
[ "$(own .qdisc.recalled)" -gt 0 ] && [ $lost = 0 ]
ok "silent access point: what it did not acknowledge comes back"
optsample down wlan0
done_testing
