#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# `optsample up` on a tunnel, which keeps its carrier when the link below is
# lost: the link that counts is that of the device which it sends by. Ports of a
# bridge or bond are refused: their master drops packets before the queue.
#
#   robot (this namespace)                     operator (namespace op)
#     t0 10.7.0.1                                t1 10.7.0.2
#     v0 10.9.0.1  ---------- veth ----------  v1 10.9.0.2
#     w0 10.8.0.1  ---------- veth ----------  w1 10.8.0.2

. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
need_modules
modprobe -a veth ifb cls_bpf act_mirred cls_matchall sch_ingress wireguard \
	vxlan bridge bonding 2>/dev/null

# carrier lost for 4 s, of 100 messages at 10 a second; "ARRIVED GAP HELD"
outage()
{
	local receiver pins=/sys/fs/bpf/optsample/t0/writers held

	name_writer $pins 1
	n_op rtps-gen recv 10.7.0.2 7411 8 1 >"$scratch/got" &
	receiver=$!
	wait_for 10 eval 'n_op ss -uln | grep -q ":7411 "'
	rtps-gen send 10.7.0.2 7411 1 100 1 1000 every 100 &
	pause 2
	n_op ip link set v1 down
	pause 3
	held=$(stat backlog_msgs opt-t0)
	pause 1
	n_op ip link set v1 up
	wait $! $receiver
	awk -v held="$held" '
		{ if ($2 - last > gap) gap = $2 - last; last = $2 }
		END { print NR, gap, held }' "$scratch/got"
}

# through NAME: the sample of an outage is kept by a tunnel
through()
{
	local arrived gap held

	n_op ip addr add 10.7.0.2/24 dev t1
	ip addr add 10.7.0.1/24 dev t0
	ip link set t0 up
	n_op ip link set t1 up
	ping -c 1 -W 10 10.7.0.2 >/dev/null
	ok "$1: the operator answers"
	optsample up t0 --limit 20 --settle 300ms 2>"$scratch/err"
	is "$?$(grep -v 'DDS domain\|writers are' "$scratch/err")" 0 "$1: up"
	is "$(json_of t0 .qdisc.stalled)" null "$1: not stalled"
	read -r arrived gap held < <(outage)
	echo "# $1: $arrived of 100 messages arrive, longest gap $gap, $held waited"
	[ "$held" = 20 ] && [ "$arrived" -ge 75 ] && [ "$gap" -le 5 ]
	ok "$1: the sample of an outage below arrives"
}

json_of() { optsample show -j "$1" | jq -r ".[0] | $2"; }

fresh_link
link_up
wireguard t0 t1 0.0.0.0/0 10.9.0.1 10.9.0.2
through WireGuard
is "$(cat /sys/class/net/v0/ifindex)" "$(stat watched opt-t0)" \
	"WireGuard: the device of the route to its peer is watched"

# the robot leaves the network: its peer is reached by another device
ip link add w0 type veth peer name w1 netns op
ip addr add 10.8.0.1/24 dev w0
n_op ip addr add 10.8.0.2/24 dev w1
ip link set w0 up
n_op ip link set w1 up
n_op ip addr add 10.9.0.2/32 dev lo
ip route add 10.9.0.2/32 via 10.8.0.2 dev w0
wait_for 10 eval '[ "$(cat /sys/class/net/w0/ifindex)" = "$(stat watched opt-t0)" ]'
ok "WireGuard: another route: its device is watched"
grep -q "t0 sends by w0 now, not by v0" /run/optsample/t0.log
ok "and it is logged"
ip route del 10.9.0.2/32
ip link del w0
optsample down t0
ip link del t0

fresh_link
link_up
ip link add t0 type vxlan id 7 remote 10.9.0.2 dstport 4789
n_op ip link add t1 type vxlan id 7 remote 10.9.0.1 dstport 4789
through VXLAN
optsample down t0
ip link del t0

fresh_link
ip link add t0 type vxlan id 7 remote 10.99.0.2 dstport 4789
link_up
ip link set t0 up
is "$(optsample up t0 2>&1)" "optsample: t0 is a tunnel without a route to its remote end: which link counts is not known" \
	"a tunnel to nowhere is refused"
ip link del t0

# a full tunnel whose peer calls first: its own packets bypass it by a mark
fresh_link
link_up
wireguard t0 t1 0.0.0.0/0 10.9.0.1 10.9.0.2
peer=$(wg show t0 peers)
wg set t0 peer "$peer" remove
wg set t0 peer "$peer" allowed-ips 0.0.0.0/0
ip addr add 10.7.0.1/24 dev t0
ip link set t0 up
optsample up t0 2>"$scratch/err"
is "$?:$(grep -c 't0 is a tunnel whose remote end is not known: its outages are not seen until it is' "$scratch/err")" \
	0:1 "WireGuard without an endpoint: up all the same, with a warning"
ip route add default dev t0 table 51820
ip rule add not fwmark 51820 table 51820
wg set t0 fwmark 51820 peer "$peer" endpoint 10.9.0.2:5000
wait_for 10 eval '[ "$(cat /sys/class/net/v0/ifindex)" = "$(stat watched opt-t0)" ]'
ok "its endpoint becomes known: the device of the marked route is watched"
is "$(json_of t0 .qdisc.stalled)" null "and nothing is held"
ip rule del not fwmark 51820 table 51820
optsample down t0
ip link del t0

# ports
refused()	# MASTER KIND
{
	local out

	ip link add "$1" type $2 && ip link set v0 down &&
		ip link set v0 master "$1" && ip link set v0 up
	out=$(optsample up v0 2>&1)
	is "$?:$out" "1:optsample: v0 is a port of $1, which drops packets while v0 has no carrier: run 'optsample up $1' instead" \
		"a port of a $2 is refused"
	ip link del "$1"
}
refused br0 bridge
refused bond9 bond

optsample down 2>/dev/null
ip netns del op
rmmod optsample_drive
rmmod sch_optsample
ok "unload at the end"
done_testing
