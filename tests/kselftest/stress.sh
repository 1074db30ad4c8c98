#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Random operations on everything at once, for a kernel with checkers
# (tools/machines/debug-kernel): errors are in the kernel log, which
# tools/machines/vm reads. This script only checks that the operations happen.
#
# usage: stress.sh [OPS [SEED]]
#
#   d0      dummy, driven packet by packet; its carrier and itself come and go
#   v0      veth to namespace op, with real senders; redirected to ifb0
#   u0.7    vlan over u0, a veth with netem: packets in flight for long
#   o0      an optsample device that u0 is redirected to, and sends by u0
#   x0, g0  VXLAN (over IPv4) and WireGuard (over IPv6) to op over u0.7: an
#           instance above an instance
#   w0..w2  dummies that are watched: made, renamed, moved, deleted
#
# All but the w have optsample as root or as leaf of htb, tbf, prio or
# netem; every option changes under traffic, class dumps run all the time,
# and the module is unloaded and loaded between rounds. The operations are
# determined by SEED (gawk), their timing relative to the traffic is not.
# STRESS_VERBOSE: print the progress.

. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
need_modules

ops=${1:-5000} seed=${2:-1} round_ops=2000
gso_tag=$top/build/bpf/gso_tag.bpf.o
devices=(d0 v0 ifb0 o0 u0.7 x0 g0)
modprobe -a veth ifb dummy 8021q vxlan wireguard sch_htb sch_tbf sch_prio sch_netem sch_fq \
	sch_fq_codel cls_bpf cls_matchall act_mirred sch_ingress 2>/dev/null

# plan ROUND: operations, in files 0001.KIND ... for one program each, KIND one
# of tc, ip, drive
plan()
{
	gawk -v seed="$seed$1" -v n="$round_ops" -v tag="$gso_tag" \
		-v devices="${devices[*]}" -v dir="$scratch/plan" \
		-v policies="$(policies)" '
	function r(n) { return int(rand() * n) }
	function pick(list,	a) { return a[r(split(list, a, " ")) + 1] }
	function say(kind, what) {
		if (kind != last) {
			close(file)
			file = sprintf("%s/%04d.%s", dir, ++files, kind)
			last = kind
			if (kind == "drive")
				print "dev d0" >file
		}
		print what >file
		done++
	}

	function option() {
		switch (r(14)) {
		case 0: return "limit " pick("1 2 5 20 100 1000 65535")
		case 1: return "memlimit " pick("64kb 100kb 1mb 64mb 128mb")
		case 2: return "policy " pick(policies)
		case 3: return "refill " pick("0 10 50 90 100")
		case 4: return "quantum " pick("256 1514 9000 1mb")
		case 5: return "ordinary " pick("1 2 10 1000 100000")
		case 6: return "share " pick("1 50 99")
		case 7: return pick("inflight_1 inflight_3 inflight_20" \
			" inflight_5kb inflight_64kb inflight_auto" \
			" inflight_20_per_destination per_destination" \
			" per_auto noinflight")
		case 8: return pick("watch_w0 watch_w1 watch_v0 watch_u0" \
			" nowatch nowatch nowatch")
		case 9: return "settle " pick("0ms 1ms 50ms")
		case 10: return "rate " pick("100kbit 10mbit 1gbit unlimited")
		case 11: return "gate " pick("open closed open open")
		case 12: return "idle " pick("1ms 100ms 60s")
		}
		return "limit " (1 + r(50))
	}
	function profile(	s, i) {
		s = " profile " 1 + r(3)
		if (!r(6))
			return s " none"
		for (i = r(3); i >= 0; i--)
			s = s " " pick("limit_1 limit_2 limit_5 limit_100 " \
				rules " refill_0 refill_90" \
				" priority_0 priority_1 priority_7" \
				" sync_0 sync_0 sync_1us sync_1s segments")
		return s
	}
	# profiles come last
	function options(	s, i) {
		for (i = r(5); i >= 0; i--)
			s = s " " option()
		for (i = r(3); i > 0; i--)
			s = s profile()
		gsub("_", " ", s)
		return s
	}
	function leaf(dev, parent, handle) {
		say("tc", "qdisc replace dev " dev " " parent " handle " \
			handle " optsample" \
			(r(4) ? "" : " flows " pick("1 2 50 65534")) \
			options())
		say("tc", "filter add dev " dev " parent " handle \
			" protocol all prio " 1 + r(3) " bpf da obj " tag \
			" sec tc")
		at[dev] = parent " handle " handle
		handles[dev] = handle
	}
	function stack(dev,	i) {
		say("tc", "qdisc del dev " dev " root")
		switch (r(8)) {
		case 0:
			say("tc", "qdisc add dev " dev \
				" root handle 1: htb default 1")
			say("tc", "class add dev " dev " parent 1: classid" \
				" 1:1 htb rate " pick("10mbit 1gbit"))
			return leaf(dev, "parent 1:1", "10:")
		case 1:
			say("tc", "qdisc add dev " dev " root handle 1: tbf" \
				" rate 50mbit burst 20k latency 100ms")
			return leaf(dev, "parent 1:1", "10:")
		case 2:
			say("tc", "qdisc add dev " dev " root handle 1: prio")
			leaf(dev, "parent 1:1", "11:")
			leaf(dev, "parent 1:3", "13:")
			return leaf(dev, "parent 1:2", "12:")
		case 3:
			say("tc", "qdisc add dev " dev " root handle 1: netem" \
				" delay 1ms")
			return leaf(dev, "parent 1:1", "10:")
		}
		return leaf(dev, "root", "1:")
	}
	function tc(	dev) {
		dev = pick("d0 " devices)
		switch (r(17)) {
		case 16:
			return child(dev)
		case 0: case 1:
			return stack(dev)
		case 2:
			return say("tc", "qdisc replace dev " dev " " \
				at[dev] " optsample" options())
		case 3:
			return say("tc", "filter del dev " dev " parent " \
				handles[dev])
		case 4:
			return say("tc", "filter add dev " dev " parent " \
				handles[dev] " protocol all prio 1 bpf da" \
				" obj " tag " sec tc")
		case 5:
			if (!r(4))
				return say("tc", "qdisc add dev " dev \
					" root fq_codel")
			return say("tc", "qdisc replace dev u0 root netem" \
				" delay " pick("1ms 20ms 100ms"))
		case 6:
			return say("tc", "class show dev " dev)
		case 7:
			return say("tc", "qdisc show dev " dev)
		}
		say("tc", "qdisc change dev " dev " " at[dev] " optsample" \
			options())
	}
	function spaced(s) {
		gsub("_", " ", s)
		gsub("-", "_", s)
		return s
	}
	# ordinary traffic gets another qdisc, or the default again
	function child(dev) {
		if (!r(4))
			return say("tc", "qdisc del dev " dev " parent " \
				handles[dev] "ffff")
		say("tc", "qdisc replace dev " dev " parent " handles[dev] \
			"ffff " spaced(pick("fq-codel fq pfifo_limit_3 sfq" \
			" prio fq-codel_limit_2 netem_delay_1ms" \
			" tbf_rate_1mbit_burst_5k_limit_9k")))
	}
	function ip(	w) {
		w = "w" r(3)
		switch (r(14)) {
		case 0: return say("ip", "link add " w " type dummy")
		case 1: return say("ip", "link del " w)
		case 2: return say("ip", "link set " w " down")
		case 3: return say("ip", "link set " w " name w" r(3))
		case 4: return say("ip", "link set " w " netns op")
		case 5: return say("ip", "link set " w " up")
		case 6: return say("ip", "link set " w " carrier " \
			pick("on off"))
		case 7:
			say("ip", "link set d0 down")
			return say("ip", "link set d0 up")
		case 8:
			if (r(10))
				return
			say("ip", "link del d0")
			say("ip", "link add d0 type dummy")
			say("ip", "link set d0 up")
			return stack("d0")
		case 9: return say("ip", "link set u0 " pick("down up up"))
		case 10: return say("ip", "netns exec op ip link set v1 " \
			pick("down up up"))
		}
		say("ip", "link set d0 carrier off")
		if (r(3))
			burst(r(20))
		if (r(3))
			tc()
		say("ip", "link set d0 carrier on")
	}
	# packets of one flow, numbered roughly as by a sender
	function packet(	f, flags) {
		f = 1 + r(spread)
		if (!(f in sn) || !r(2))
			sn[f]++
		if (!r(200))
			sn[f] += r(2) ? r(100000) : -r(1000)
		flags = pick("0 1 2 2 3 3 3 4 8 11 12 15 17 19 36 36")
		# flows of mostly one profile; a few have partners there
		flags += 256 * (r(100) ? f % 4 : r(5))
		if (!r(4))
			say("drive", "to " r(3))
		say("drive", sprintf("x %u %u %u %d %d", f,
			sn[f] % 4294967296, r(300) ? sn[f] % 4294967296 :
			rand() * 2 ^ 40, flags, pick("40 100 1300 1300 9000")))
	}
	function burst(n) {
		while (n-- > 0)
			switch (r(9)) {
			case 0: say("drive", "o " 40 + r(1400)); break
			case 1: case 2: case 3: say("drive", "q"); break
			case 4:
				if (!r(20))
					say("drive", "packets " \
						pick("1 2 53 200"))
				else if (!r(4))
					say("drive", "d")
				else
					say("drive", "a " ++pos)
				break
			default: packet()
			}
		# open the gate: now the device accepts packets
		if (!r(6)) {
			say("drive", "dev lo")
			say("drive", "dev d0")
		}
	}
	BEGIN {
		rules = "policy_" policies
		gsub(/ +/, " policy_", rules)
		srand(seed)
		spread = pick("1 3 20 2000")
		pos = seed
		for (i = split(devices, d, " "); i > 0; i--) {
			at[d[i]] = "root handle 1:"
			handles[d[i]] = "1:"
			stack(d[i])
		}
		while (done < n)
			switch (r(6)) {
			case 0:
				for (k = r(4); k >= 0; k--)
					ip()
				break
			case 1: case 2:
				for (k = r(12); k >= 0; k--)
					tc()
				break
			default: burst(r(500))
			}
	}'
}

# play: the files of a plan, in their order
play()
{
	local f lines err=$scratch/errors

	for f in "$scratch/plan"/*; do
		case $f in
		*.tc)	tc -s -force -batch "$f" >/dev/null ;;
		*.ip)	ip -force -batch "$f" >/dev/null ;;
		*)	IFS= read -r -d '' lines <"$f"
			printf '%s' "$lines" >$X/cmd ;;
		esac 2>>"$err"
	done
	cat $X/out >/dev/null
}

tunnels()
{
	ip link add x0 type vxlan id 7 remote 10.8.0.2 dstport 4789 dev u0.7
	n_op ip link add x1 type vxlan id 7 remote 10.8.0.1 dstport 4789 \
		dev u1.7
	wireguard g0 g1 10.6.0.0/24 '[fd08::1]' '[fd08::2]'
	ip addr add 10.7.0.1/24 dev x0
	ip addr add 10.6.0.1/24 dev g0
	n_op ip addr add 10.7.0.2/24 dev x1
	n_op ip addr add 10.6.0.2/24 dev g1
	for dev in x g; do
		ip link set ${dev}0 up
		n_op ip link set ${dev}1 up
	done
	ip neigh replace 10.7.0.2 dev x0 nud permanent \
		lladdr "$(n_op cat /sys/class/net/x1/address)"
}

links()
{
	ip netns add op
	ip link add v0 type veth peer name v1 netns op
	ip link add u0 type veth peer name u1 netns op
	ip link add d0 type dummy
	[ -d /sys/class/net/ifb0 ] || ip link add ifb0 type ifb
	ip link add link u0 name u0.7 type vlan id 7
	n_op ip link add link u1 name u1.7 type vlan id 7
	ip addr add 10.9.0.1/24 dev v0
	ip addr add 10.8.0.1/24 dev u0.7
	n_op ip addr add 10.9.0.2/24 dev v1
	n_op ip addr add 10.8.0.2/24 dev u1.7
	ip addr add fd08::1/64 dev u0.7 nodad
	n_op ip addr add fd08::2/64 dev u1.7 nodad
	for dev in v1 u1 u1.7 lo; do
		n_op ip link set $dev up
	done
	echo 1 >/proc/sys/net/ipv6/conf/d0/disable_ipv6
	for dev in v0 u0 d0 ifb0 u0.7; do
		ip link set $dev up
	done
	ip neigh replace 10.9.0.2 dev v0 nud permanent \
		lladdr "$(n_op cat /sys/class/net/v1/address)"
	for peer in 10.8.0.2 fd08::2; do
		ip neigh replace $peer dev u0.7 nud permanent \
			lladdr "$(n_op cat /sys/class/net/u1.7/address)"
	done
	tunnels
	tc qdisc add dev u0 root netem delay 20ms
	tc qdisc add dev v0 clsact
	tc filter add dev v0 egress matchall action mirred egress redirect \
		dev ifb0
	ip link add o0 link u0 type optsample
	ip link set o0 up
	tc qdisc add dev u0 clsact
	tc filter add dev u0 egress matchall action mirred egress redirect \
		dev o0
}

# until $scratch/stop exists
senders()
{
	local i=0 shapes=("20 1 200" "10 8 1300" "3 53 1300" "5 4 9000"
			  "5 24 1300 gso")

	while [ ! -e "$scratch/stop" ]; do
		i=$((i + 1))
		rtps-gen send 10.9.0.2 7411 $((1 + i % 3)) ${shapes[i % 5]}
		rtps-gen send 10.8.0.2 7411 $((1 + i % 2)) \
			${shapes[(i / 3) % 5]}
		# a cipher without its CPU instructions is slow
		[ $((i % 4)) != 0 ] ||
			rtps-gen send 10.$((6 + i / 4 % 2)).0.2 7411 1 9 4 1000
		ping -q -f -c 20 -w 1 10.8.0.2
		pause 1
	done >/dev/null 2>&1
}

dump()
{
	local dev

	for dev in "${devices[@]}"; do
		tc -s class show dev $dev
		tc -s qdisc show dev $dev
	done >>"$scratch/dumps" 2>/dev/null
}

dumps()
{
	while [ ! -e "$scratch/stop" ]; do
		dump
		pause 3
	done
}

# A module in use stays; an idle one is unloaded when nothing is in flight.
reload()
{
	local dev

	! rmmod sch_optsample 2>/dev/null || return
	for dev in "${devices[@]}"; do
		tc qdisc del dev $dev root 2>/dev/null
	done
	wait_for 10 rmmod sch_optsample
	insmod "$SCH_KO"
}

# Packets that the core freed when the carrier was lost are no longer in flight:
# they must not use up the limit.
# flap MINI: 1: their owner is not a full socket
flap()
{
	ip link del d0
	# with several queues the core notices too late that one is stopped
	ip link add d0 numtxqueues 2 type dummy
	ip link set d0 up
	tc qdisc add dev d0 root optsample limit 100 settle 0ms inflight 1
	{ echo "dev d0"; echo "mini $1"
	  for i in $(seq 10); do echo "x 1 $i $i 3 100"; done; echo "mini 0"
	} | drive >/dev/null
	tc qdisc change dev d0 root optsample limit 99
	pause 0.2
	ip link set d0 carrier off
	ip link set d0 carrier on
	echo "dev lo" >$X/cmd		# the device accepts packets
	wait_for 5 leaves && return
	tc -s qdisc show dev d0 | sed 's/^/# /'
	return 1
}

# leaves: a change of options lets all of d0 go
leaves()
{
	tc qdisc change dev d0 root optsample limit 99
	[ "$(tc -j -s qdisc show dev d0 | jq '.[0].qlen')" = 0 ]
}

# The owner of packets in flight must live as long as they do, although the
# qdisc below changes it.
outlive()
{
	tc qdisc replace dev u0 root netem delay 500ms || return
	tc qdisc del dev u0.7 root 2>/dev/null
	tc qdisc add dev u0.7 root optsample inflight 50 || return
	rtps-gen send 10.8.0.2 7411 1 5 4 1000
	pause 0.1
	tc qdisc del dev u0.7 root
	pause 1
	tc qdisc replace dev u0 root netem delay 20ms
}

# waiting: a line for each instance that holds packets, with the reason and its
# number of sent packets
waiting()
{
	local dev

	for dev in "${devices[@]}"; do
		[ -d "/sys/class/net/$dev" ] || continue
		tc -j -s qdisc show dev $dev >"$scratch/qdiscs" &&
			jq -r --arg dev $dev '.[] |
				select(.kind == "optsample" and .qlen > 0) |
				([.. | objects | .stalled | strings] | first) as $why |
				"\($dev) \(.handle) stalled: \($why), sent \(.packets)"' \
				"$scratch/qdiscs" || echo "$dev cannot be asked"
	done
}

# not_held: the lines of stdin whose instance neither gate nor carrier stops
not_held() { grep -Ev ' stalled: (gate|carrier),'; }

# A queue that nothing holds must drain. One with a rate does so slowly; so does
# one above a queue that is held: packets in flight are counted again after
# 10 s. Options stay as they are: a change would wake it.
drain()
{
	local last now stuck=

	echo "dev lo" >$X/cmd		# the device accepts packets
	now=$(waiting)
	for _ in $(seq 20); do
		not_held <<<"$now" | grep -q . || return 0
		last=$now
		pause 13
		now=$(waiting)
		stuck=$(comm -12 <(sort <<<"$last") <(sort <<<"$now") | not_held)
		[ -z "$stuck" ] || break
	done
	[ "$stuck" ] || ! grep -Eq ' stalled: (gate|carrier|rate),' <<<"$now" ||
		return 0
	sed 's/^/# /' <<<"$now"
	return 1
}

links
flap 0
ok "carrier comes back with inflight 1: the queue drains"
flap 1
ok "so does one with packets of a small socket"
outlive
ok "packets in flight outlive the qdisc"

total=0 round=0 reloads=0
: >"$scratch/errors"
senders &
sending=$!
dumps &
dumping=$!
while [ $total -lt "$ops" ]; do
	round=$((round + 1))
	rm -rf "$scratch/plan" && mkdir "$scratch/plan"
	plan $round
	play
	dump
	total=$((total + round_ops))
	[ -z "${STRESS_VERBOSE-}" ] || echo "# round $round, $total operations"
	[ $((round % 4)) != 0 ] || { reload && reloads=$((reloads + 1)); }
done
touch "$scratch/stop"
wait $dumping
drain
ok "nothing is left that nothing holds"
# a full queue blocks its sender as long as something holds it
for dev in "${devices[@]}" u0; do
	tc qdisc del dev $dev root 2>/dev/null
done
wait $sending
failures=$(grep -c -e '^Command failed' -e 'write error' "$scratch/errors")
echo "# $total operations in $round rounds, seed $seed," \
	"$failures refused, $reloads reloads"
grep -v '^Command failed' "$scratch/errors" | sort | uniq -c | sort -rn |
	head -n 12 | sed 's/^/# /'

[ $failures -lt $((total / 3)) ]
ok "most operations were possible"
[ $reloads = $((round / 4)) ]
ok "the module went and came back $reloads times"
if [ "$ops" -ge 10000 ]; then
	grep -q 'sampled [1-9]' "$scratch/dumps" &&
		grep -q 'evicted [1-9]' "$scratch/dumps"
	ok "messages were sampled meanwhile"
else
	skip "messages were sampled meanwhile" "a dump may have missed it"
fi
wait_for 10 rmmod optsample_drive && wait_for 10 rmmod sch_optsample
ok "nothing holds the module at the end"
! grep -q optsample /proc/slabinfo
ok "no cache is left"
ip netns del op
done_testing
