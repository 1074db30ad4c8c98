#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The qdisc on real devices, with real sockets and the real classifier:
#
#   robot (this namespace)                operator (namespace op)
#     v0 10.9.0.1  ------- veth -------  v1 10.9.0.2
#     optsample + ros_tag                rtps-gen recv
#
# and on ifb, vlan, VXLAN and WireGuard, and below htb, tbf and prio.

. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
need_modules
modprobe -a veth ifb dummy 8021q vxlan wireguard sch_htb sch_tbf sch_prio \
	cls_bpf cls_matchall act_mirred sch_ingress 2>/dev/null
sysctl -qw net.core.netdev_max_backlog=100000

# link: a fresh pair of devices
link()
{
	fresh_link
	n_op sysctl -qw net.ipv4.ipfrag_high_thresh=134217728
	n_op sysctl -qw net.ipv6.conf.all.disable_ipv6=1
	echo 1 >/proc/sys/net/ipv6/conf/v0/disable_ipv6
	link_up
}

listen()	# PACKETS [SECONDS]
{
	n_op rtps-gen recv 10.9.0.2 7411 "${2:-3}" "$1" >"$scratch/got" &
	receiver=$!
	wait_for 5 receives
}
# receives: there is a socket for them
receives() { n_op ss -uln | grep -q 7411; }

heard()
{
	wait $receiver
}

send()	# WRITER MESSAGES PACKETS SIZE [gso] [every MS]
{
	rtps-gen send 10.9.0.2 7411 "$@"
}

kept()	# WRITER: numbers of whole messages
{
	awk -v w="$1" '$1 == w && NF == 2 { print $2 }' "$scratch/got" | words
}

sampled()	# MESSAGES LIMIT: what the sampler keeps of an outage
{
	optsample-sim --limit "$2" --messages "$1" | tail -n 1 | cut -d, -f5
}

# 1. the whole path: closed gate, all shapes of packets
shape()	# NAME PACKETS SIZE [gso]
{
	local name=$1

	shift
	link
	tc qdisc add dev v0 root handle 1: optsample limit 10 gate closed \
		memlimit 256mb
	classify v0
	listen "$1"
	send 1 40 "$@" &
	first=$!
	send 2 40 "$@"
	wait $first
	tc qdisc change dev v0 root handle 1: optsample gate open
	heard
	is "$(kept 1)" "$(sampled 40 10)" "$name: the sample of writer 1"
	is "$(kept 2)" "$(sampled 40 10)" "$name: the sample of writer 2"
	! grep -q part "$scratch/got"
	ok "$name: no message in part"
	is "$(stat torn v0) $(stat incomplete v0)" "0 0" "$name: none cut"
}
shape "1 packet" 1 200
shape "2 packets" 2 1300
shape "53 packets" 53 1300
shape "500 packets" 500 400
shape "IP fragments" 12 9000
shape "UDP GSO" 24 1300 gso
# what the counters say of the last one
is "$(stat msgs_in v0) $(stat msgs_out v0)" "80 20" "UDP GSO: counters"
[ "$(tc class show dev v0 | grep optsample | grep -vc :ffff)" = 2 ]
ok "one class per flow"

# what perf and drop_monitor see: a reason of the qdisc's own, where the kernel
# has such reasons
trace=/sys/kernel/tracing
mountpoint -q $trace || mount -t tracefs none $trace
event=qdisc/qdisc_drop full=FLOW_LIMIT memory=OVERLIMIT
[ -d $trace/events/$event ] ||
	event=skb/kfree_skb full=QDISC_DROP memory=QDISC_DROP
dropped()	# REASON MESSAGES OPTIONS...: packets of two-packet messages
{
	local reason=$1 messages=$2

	shift 2
	link
	tc qdisc add dev v0 root handle 1: optsample gate closed "$@" &&
		classify v0
	echo 1 >$trace/events/$event/enable
	echo >$trace/trace
	send 1 "$messages" 2 1300
	echo 0 >$trace/events/$event/enable
	grep -c "reason[=:] *$reason\>" $trace/trace
}
is "$(dropped $full 10 limit 4)" 12 "drops of a full flow: $full"
n=$(dropped $memory 60 limit 1000 memlimit 64kb)
[ "$n" -gt 20 ]
ok "drops for memory: $memory ($n)"

# 2. without a stall nothing is sampled
link
tc qdisc add dev v0 root handle 1: optsample && classify v0
listen 8
send 1 100 8 1300 every 1
heard
is "$(kept 1 | wc -w) $(stat msgs_sampled v0) $(stat msgs_evicted v0)" \
	"100 0 0" "a link that works: every message, nothing sampled"

# 3. the built-in rate
tc qdisc change dev v0 root handle 1: optsample rate 8mbit limit 8
listen 8 4
send 1 200 8 1300 every 2
heard
n=$(kept 1 | wc -w)
[ "$n" -ge 8 ] && [ "$n" -lt 200 ]
ok "rate: overload is sampled ($n of 200)"
! grep -q part "$scratch/got"
ok "rate: no message in part"
[ "$(stat stall.rate_ns v0)" -gt 0 ]
ok "rate: time is accounted"
# 14 s at this rate; when set down, the device resets its queue
device rate 8kbit
out=$(drive <<<$'x 5 1 1 3 14000\nx 5 2 2 3 100\nq\nq' | grep -v queued | words)
is "$out" "5/1/3 -" "rate: after a large packet the next one waits"
ip link set d0 down
ip link set d0 up
echo "dev d0" | drive
is "$(drive <<<$'x 5 3 3 3 100\nq' | tail -n 1)" "5/3/3" \
	"rate: after a reset it owes nothing"
ip link del d0

# 4. its own carrier is lost: the queue stays
link
tc qdisc add dev v0 root handle 1: optsample gate closed settle 200ms
classify v0
send 1 10 3 1000
pause 0.2
n_op ip link set v1 down
pause 0.5
n_op ip link set v1 up
listen 3
tc qdisc change dev v0 root handle 1: optsample gate open
heard
is "$(kept 1)" "$(seq 10 | words)" "carrier of the own device: queue kept"
is "$(stat backlog v0) $(stat qlen v0)" "0 0" "carrier: backlog is right after"

# and the child gets another limit meanwhile, which counts when the link is back
link
tc qdisc add dev v0 root handle 1: optsample limit 10 gate closed
tc qdisc replace dev v0 parent 1:ffff handle 2: fq_codel
classify v0
send 1 5 1 500
for i in $(seq 8); do
	echo hello >/dev/udp/10.9.0.2/9
done
is "$(stat qlen v0)" 13 "8 ordinary packets and 5 messages wait"
n_op ip link set v1 down
wait_for 10 grep -q down /sys/class/net/v0/operstate
tc qdisc change dev v0 parent 1:ffff handle 2: fq_codel limit 3
is "$(stat qlen v0) $(stat ordinary_qlen v0)" "13 8" \
	"carrier: what waits does not depend on the child"
n_op ip link set v1 up
tc qdisc change dev v0 root handle 1: optsample gate open
wait_for 10 eval '[ "$(stat qlen v0)" = 0 ]'
is "$(stat qlen v0) $(stat backlog v0)" "0 0" "carrier: all of it leaves"

# a stall ends when the queue is empty
link
began=$(date +%s%N)
tc qdisc add dev v0 root handle 1: optsample gate closed
echo hello >/dev/udp/10.9.0.2/9
tc qdisc change dev v0 root handle 1: optsample flush
ended=$(date +%s%N)
pause 4		# reading statistics now would end the stall
n=$(stat stall.gate_ns v0)
[ "$n" -gt 0 ] && [ "$n" -le $((ended - began + 2000000000)) ]
ok "what waited was dropped: $((n / 1000000)) ms of stall, not 4 s more"

# 5. way A: ifb behind the link, which keeps its carrier
way_a()
{
	link
	ip link del osi 2>/dev/null
	ip link add osi type ifb
	ip link set osi up
	tc qdisc add dev osi root handle 1: optsample limit 10 watch v0 \
		settle 300ms "$@"
	classify osi
	tc qdisc add dev v0 clsact
	tc filter add dev v0 egress matchall action mirred egress redirect \
		dev osi
}
way_a
n_op ip link set v1 down
pause 1.2
send 1 40 6 1300
is "$(stat backlog_msgs osi) $(stat stalled osi)" '10 "carrier"' \
	"way A: messages are taken while the carrier is gone"
listen 6 6
n_op ip link set v1 up
heard
is "$(kept 1)" "$(sampled 40 10)" "way A: the sample arrives, whole"
[ "$(stat stall.carrier_ns osi)" -gt 0 ] && [ "$(stat stall.settle_ns osi)" -gt 0 ]
ok "way A: time of carrier and settling is accounted"

ifindex() { cat "/sys/class/net/$1/ifindex"; }

# 6. the watched device is removed, recreated under its name, renamed
link
ip link add w0 type dummy
ip link set w0 up
tc qdisc add dev v0 root handle 1: optsample watch w0 settle 0ms
classify v0
ip link set w0 carrier off
send 1 5 2 500
is "$(stat backlog_msgs v0)" 5 "watch: held while w0 has no carrier"
ip link del w0
is "$(stat backlog_msgs v0)" 5 "watch: held while w0 is gone"
listen 2
ip link add w0 type dummy
ip link set w0 up
heard
is "$(kept 1)" "1 2 3 4 5" "watch: w0 is back by name, all leaves"
ip link set w0 down
ip link set w0 name w9
is "$(stat options.watch v0) $(stat watched v0)" "\"w0\" $(ifindex w9)" \
	"watch: a renamed device is still watched, the name is remembered"
tc qdisc change dev v0 root handle 1: optsample limit 9
is "$(stat watched v0)" "$(ifindex w9)" "watch: also after a change of an option"
ip link add w0 type dummy
is "$(stat watched v0)" "$(ifindex w0)" \
	"watch: another one with that name takes its place"
ip link del w0
ip link add w8 type dummy
ip link property add dev w8 altname optsample-test-radio
tc qdisc change dev v0 root handle 1: optsample watch optsample-test-radio
is "$(stat watched v0)" "$(ifindex w8)" "watch: an altname"
ip link del w8
ip link add w8 type dummy
ip link property add dev w8 altname optsample-test-radio
ip link set w8 up
is "$(stat watched v0)" "$(ifindex w8)" "watch: the altname is found again"
ip link del w8
tc qdisc change dev v0 root handle 1: optsample nowatch
send 1 5 2 500
is "$(stat backlog_msgs v0)" 0 "nowatch: leaves at once"
ip link set w9 up
tc qdisc change dev v0 root handle 1: optsample watch w9 settle 1s
ip link set w9 carrier off
ip link set w9 carrier on
pause 1.5
send 1 5 2 500
is "$(stat backlog_msgs v0)" 0 "settling begins when the link is back"
ip link del w9

# alone DEV NET: up, with a neighbour NET.2 that is never resolved
alone()
{
	echo 1 >"/proc/sys/net/ipv6/conf/$1/disable_ipv6"
	ip addr add "$2.1/24" dev "$1"
	ip link set "$1" up
	ip neigh replace "$2.2" lladdr 02:00:00:00:00:02 dev "$1" nud permanent
}

# 7. in flight: a vlan above a device that sends nothing
device_down()
{
	ip link del d0 2>/dev/null
	ip link add d0 type dummy
	echo 1 >/proc/sys/net/ipv6/conf/d0/disable_ipv6
	ip link set d0 up
	tc qdisc add dev d0 root pfifo limit 1000
	ip link add link d0 name d0.5 type vlan id 5
	alone d0.5 10.8.0
	echo "dev d0" | drive	# stops its queue
}
device_down
tc qdisc add dev d0.5 root handle 1: optsample inflight 5 limit 100
classify d0.5
rtps-gen send 10.8.0.2 7411 1 20 1 500
is "$(stat inflight_packets d0.5) $(stat backlog_msgs d0.5) $(stat stalled d0.5)" \
	'5 15 "inflight"' "inflight: 5 below, 15 wait"
tc qdisc change dev d0.5 root handle 1: optsample inflight 8
wait_for 5 eval '[ "$(stat backlog_msgs d0.5)" = 12 ]'
is "$(stat inflight_packets d0.5) $(stat backlog_msgs d0.5)" "8 12" \
	"inflight: a larger limit lets more go"
ip link add d9 type dummy
echo "dev d9" | drive	# d0 sends
wait_for 5 eval '[ "$(stat qlen d0.5)$(stat inflight_packets d0.5)" = 00 ]'
is "$(stat inflight_packets d0.5) $(stat backlog_msgs d0.5)" "0 0" \
	"inflight: what is gone below makes room"
device_down
tc qdisc add dev d0.5 root handle 1: optsample inflight 10kb limit 100
classify d0.5
rtps-gen send 10.8.0.2 7411 1 20 1 500
[ "$(stat inflight_bytes d0.5)" -ge 10240 ] &&
	[ "$(stat inflight_bytes d0.5)" -le 13000 ] &&
	[ "$(stat backlog_msgs d0.5)" -gt 0 ]
ok "inflight in bytes"

# packets to which a lower layer holds other references (netem does)
link
modprobe -a macvlan sch_netem
tc qdisc add dev v0 root netem delay 1s
ip link add link v0 name m0 type macvlan mode private
alone m0 10.6.0
tc qdisc add dev m0 root handle 1: optsample inflight 100
rtps-gen send 10.6.0.2 7411 1 4 1 500
tc qdisc del dev m0 root
pause 1.5
ip link del m0
ok "packets below outlive the qdisc"

# fragments made below are freed without being sent
link
ip link add t0 type vxlan id 7 local 10.9.0.1 remote 10.9.0.2 dstport 4789
ip link set t0 mtu 1500
alone t0 10.7.0
tc qdisc add dev t0 root handle 1: optsample inflight 4
rtps-gen send 10.7.0.2 7411 1 50 1 1400
wait_for 5 eval '[ "$(stat qlen t0)$(stat inflight_packets t0)" = 00 ]'
is "$(stat qlen t0) $(stat inflight_packets t0)" "0 0" \
	"inflight: fragmentation below does not stall"
ip link del t0

# 8. unload: refused while used, and while packets are below
! rmmod sch_optsample 2>/dev/null
ok "unload is refused while a qdisc exists"
for dev in v0 osi d0.5; do
	tc qdisc del dev $dev root 2>/dev/null
done
! rmmod sch_optsample 2>/dev/null
ok "unload is refused while packets are in flight"
echo "dev d9" | drive
wait_for 5 rmmod sch_optsample
ok "unload works then"
! grep -q optsample_msg /proc/slabinfo
ok "unload leaves no memory"
ip link del d0
ip link del d9
need_modules

# 9. below other qdiscs
backlogs()	# packets, as parent and leaf count them: one number if alike
{
	tc -s qdisc show dev v0 |
		awk '$1 == "backlog" && $3 ~ /p$/ { print $3 }' | sort -u
}

below()	# NAME, then tc commands on stdin with the leaf at 1:1
{
	link
	while read -r cmd; do
		tc $cmd || break
	done
	tc qdisc add dev v0 parent 1:1 handle 2: optsample limit 10 gate closed
	classify v0 2:
	send 1 40 6 1300
	listen 6
	is "$(backlogs)" 60p "$1: parent and leaf agree on the backlog"
	tc qdisc change dev v0 parent 1:1 handle 2: optsample gate open
	heard
	is "$(kept 1)" "$(sampled 40 10)" "$1: the sample arrives"
	is "$(backlogs)" 0p "$1: empty after"
}
below htb <<-END
	qdisc add dev v0 root handle 1: htb default 1
	class add dev v0 parent 1: classid 1:1 htb rate 100mbit quantum 1514
END
below prio <<-END
	qdisc add dev v0 root handle 1: prio bands 2 priomap 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
END
below tbf <<-END
	qdisc add dev v0 root handle 1: tbf rate 100mbit burst 64kb latency 1s
END

# 10. tunnels: the qdisc sees the inner packet
tunnel()	# NAME PACKETS SIZE
{
	tc qdisc replace dev t0 root handle 1: optsample limit 10 gate closed
	classify t0
	n_op rtps-gen recv 10.7.0.2 7411 3 "$2" >"$scratch/got" &
	receiver=$!
	wait_for 5 receives
	rtps-gen send 10.7.0.2 7411 1 40 "$2" "$3"
	untagged=$(stat ordinary_qlen t0)
	tc qdisc change dev t0 root handle 1: optsample gate open
	heard
	is "$(kept 1)" "$(sampled 40 10)" "$1: the sample arrives"
}
link
ip link add t0 type vxlan id 7 remote 10.9.0.2 dstport 4789 dev v0
n_op ip link add t1 type vxlan id 7 remote 10.9.0.1 dstport 4789 dev v1
ip addr add 10.7.0.1/24 dev t0
n_op ip addr add 10.7.0.2/24 dev t1
ip link set t0 up
n_op ip link set t1 up
ip neigh replace 10.7.0.2 lladdr "$(n_op cat /sys/class/net/t1/address)" \
	dev t0 nud permanent
tunnel VXLAN 6 1200
ip link del t0
link
wireguard t0 t1 10.7.0.0/24 10.9.0.1 10.9.0.2
ip addr add 10.7.0.1/24 dev t0
n_op ip addr add 10.7.0.2/24 dev t1
ip link set t0 up
n_op ip link set t1 up
tunnel WireGuard 6 1200
# the second fragment is shorter than a link header and its own would be
tc qdisc del dev t0 root
tunnel "WireGuard, fragments" 1 1344
is "$untagged" 0 "WireGuard, fragments: 8 bytes are their message's, too"
ip link del t0

# 11. ordinary traffic: TCP is held, never sampled; two instances at once
way_a
tc qdisc add dev v0 root handle 5: optsample
n_op python3 -c '
import socket
s = socket.create_server(("10.9.0.2", 5001)); c, _ = s.accept(); n = 0
while (d := c.recv(65536)): n += len(d)
print(n)' >"$scratch/tcp" &
server=$!
wait_for 20 eval 'n_op ss -tln | grep -q 5001'
python3 -c '
import socket
s = socket.create_connection(("10.9.0.2", 5001)); s.sendall(bytes(3000000))'
wait $server
is "$(cat "$scratch/tcp") $(stat ordinary_dropped osi)" "3000000 0" \
	"TCP through two instances, nothing dropped"

ip netns del op
ip link del osi
rmmod sch_optsample
ok "unload at the end"
done_testing
