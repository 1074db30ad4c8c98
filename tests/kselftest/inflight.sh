#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Owners of packets: transmit time stamps, the in-flight limit, also over
# tunnels. The sender's socket buffer is in blocking.sh.
#
#   robot (this namespace)                     operator (namespace op)
#     v0 10.9.0.1, fd09::1  --- veth ---  v1 10.9.0.2, fd09::2
#     t0: a tunnel, optsample inflight         t1

. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
need_modules
modprobe -a veth ifb dummy vxlan geneve wireguard xfrm_interface esp6 \
	sch_netem cls_bpf cls_matchall act_mirred sch_ingress 2>/dev/null

# link: a new pair of devices, with addresses of both families
link()
{
	fresh_link
	ip addr add fd09::1/64 dev v0 nodad
	n_op ip addr add fd09::2/64 dev v1 nodad
	link_up fd09::2
}

# 1. in flight above a tunnel whose packets leave over IPv6
#
# IPv6 output assumes that the owner of a packet is an inet socket.

xfrm_end()	# IN-NAMESPACE DEV LOCAL REMOTE SPI-OUT SPI-IN
{
	local run=$1 key=0x0123456789abcdef0123456789abcdef01234567

	$run ip link add "$2" type xfrm if_id 7 || return
	$run ip xfrm state add src "$3" dst "$4" proto esp spi "$5" \
		reqid 1 mode tunnel if_id 7 aead 'rfc4106(gcm(aes))' $key 128 \
		flag af-unspec
	$run ip xfrm state add src "$4" dst "$3" proto esp spi "$6" \
		reqid 1 mode tunnel if_id 7 aead 'rfc4106(gcm(aes))' $key 128 \
		flag af-unspec
	$run ip xfrm policy add dir out if_id 7 tmpl src "$3" dst "$4" \
		proto esp reqid 1 mode tunnel
	$run ip xfrm policy add dir in if_id 7 tmpl src "$4" dst "$3" \
		proto esp reqid 1 mode tunnel
}

make_tunnel()	# KIND
{
	case $1 in
	WireGuard)
		wireguard t0 t1 10.7.0.0/24 '[fd09::1]' '[fd09::2]' ;;
	VXLAN)
		ip link add t0 type vxlan id 7 local fd09::1 remote fd09::2 \
			dstport 4789 udp6zerocsumrx &&
		n_op ip link add t1 type vxlan id 7 local fd09::2 \
			remote fd09::1 dstport 4789 udp6zerocsumrx ;;
	Geneve)
		ip link add t0 type geneve id 7 remote fd09::2 udp6zerocsumrx &&
		n_op ip link add t1 type geneve id 7 remote fd09::1 \
			udp6zerocsumrx ;;
	xfrm)
		xfrm_end "" t0 fd09::1 fd09::2 1 2 &&
		xfrm_end "ip netns exec op" t1 fd09::2 fd09::1 2 1 ;;
	esac
}

# underlay KIND MTU: datagrams of a tunnel, some of them fragmented
underlay()
{
	local kind=$1 address got

	link
	make_tunnel "$kind"
	ok "in flight over IPv6, $kind: the tunnel can be made"
	[ -d /sys/class/net/t0 ] || return
	ip addr add 10.7.0.1/24 dev t0
	n_op ip addr add 10.7.0.2/24 dev t1
	# larger than the MTU below: IPv6 fragments it
	ip link set t0 mtu "$2" up
	n_op ip link set t1 mtu "$2" up
	address=$(n_op cat /sys/class/net/t1/address)
	[ -z "$address" ] || ip neigh replace 10.7.0.2 dev t0 \
		lladdr "$address" nud permanent
	# the first packets of a tunnel may wait for a handshake
	ping -q -c 1 -W 10 10.7.0.2 >/dev/null
	tc qdisc add dev t0 root handle 1: optsample inflight 20
	# CoDel would drop some on a busy machine
	tc qdisc replace dev t0 parent 1:ffff pfifo limit 1000
	n_op rtps-gen recv 10.7.0.2 7411 2 1 >"$scratch/got" &
	wait_for 10 listening 7411
	rtps-gen send 10.7.0.2 7411 1 300 1 1344
	wait $!
	got=$(wc -l <"$scratch/got")
	is "$got $(stat inflight_packets t0)" "300 0" \
		"in flight over IPv6, $kind: 300 datagrams arrive"
	ip link del t0
	ip xfrm state flush 2>/dev/null
	ip xfrm policy flush 2>/dev/null
}

listening() { n_op ss -uln | grep -q ":$1 "; }

underlay WireGuard 1420
underlay VXLAN 1500
underlay Geneve 1500
underlay xfrm 1400

# 2. transmit time stamps

cat >"$scratch/stamps.py" <<'END'
import socket, struct, sys, time
SO_TIMESTAMPING, TX_SOFTWARE, SOFTWARE, TSONLY = 37, 1 << 1, 1 << 4, 1 << 11
TX_SCHED = 1 << 8
flags = SOFTWARE | TSONLY | (TX_SCHED if sys.argv[2:] else TX_SOFTWARE)
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPING, flags)
s.connect(("10.9.0.2", int(sys.argv[1])))
head = b"RTPS\x02\x01\x01\x10" + b"\x11" * 12
n = 0
for i in range(20):
    data = struct.pack("<BBHHH4s4sII", 0x15, 5, 0, 0, 16, bytes(4),
                       b"\0\0\1\3", 0, i + 1) + bytes(100)
    s.send(head + data)
for i in range(100):
    try:
        while True:
            s.recvmsg(0, 512, socket.MSG_ERRQUEUE | socket.MSG_DONTWAIT)
            n += 1
    except BlockingIOError:
        pass
    if n >= 20:
        break
    time.sleep(0.05)
print(n)
END
stamps()	# WHAT ARGS...: optsample options
{
	local what=$1

	shift
	link
	n_op python3 -c 'import socket, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("10.9.0.2", 7411)); time.sleep(60)' &
	local sink=$!
	wait_for 10 listening 7411
	tc qdisc add dev v0 root handle 1: optsample "$@"
	is "$(python3 "$scratch/stamps.py" 7411)" 20 \
		"time stamps of 20 packets come back: $what"
	classify v0
	is "$(python3 "$scratch/stamps.py" 7411)" 20 \
		"time stamps of 20 packets come back: $what, sampled"
	kill $sink
}
stamps "no limit"
stamps "in flight" inflight 100

# 3. limits, over a device that sends nothing
vlan_below()
{
	ip link del d0 2>/dev/null
	ip link add d0 type dummy
	ip link set d0 up
	tc qdisc add dev d0 root handle 9: "${@:-pfifo}"
	ip link add link d0 name d0.5 type vlan id 5
	echo 1 >/proc/sys/net/ipv6/conf/d0.5/disable_ipv6
	ip addr add 10.8.0.1/24 dev d0.5
	ip link set d0.5 up
	for i in 2 3; do
		ip neigh replace 10.8.0.$i lladdr 02:00:00:00:00:0$i \
			dev d0.5 nud permanent
	done
}
recounted() { [ "$(stat inflight_recounts d0.5)" -ge "$1" ]; }

# The transmit time needs its sender: etf drops packets without one.
cat >"$scratch/txtime.py" <<-'END'
	import socket, struct, time
	s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
	s.setsockopt(socket.SOL_SOCKET, 61, struct.pack("iI", 11, 0))
	rtps = b"RTPS\x02\x01\x01\x10" + b"\x11" * 12
	for i in range(20):
	    data = struct.pack("<BBHHH4s4sII", 0x15, 5, 0, 0, 16, bytes(4),
	                       b"\0\0\1\3", 0, i + 1) + bytes(100)
	    at = time.clock_gettime_ns(11) + 60_000_000_000
	    s.sendmsg([rtps + data], [(socket.SOL_SOCKET, 61,
	                               struct.pack("Q", at))], 0,
	              ("10.8.0.2", 7411))
END
txtime()	# WHAT ARGS...: optsample options
{
	vlan_below etf clockid CLOCK_TAI delta 500000
	[ "$1" = alone ] ||
		tc qdisc add dev d0.5 root handle 1: optsample "${@:2}"
	[ "$1" != sampled ] || classify d0.5
	python3 "$scratch/txtime.py"
	is "$(tc -s -j qdisc show dev d0 | jq '.[0].qlen')" 20 \
		"etf below takes 20 packets: $1"
}
modprobe sch_etf
txtime alone
txtime "in flight" inflight 100
txtime sampled inflight 100

vlan_below
echo "dev d0" | drive		# stops its queue
tc qdisc add dev d0.5 root handle 1: optsample inflight 5 limit 100
classify d0.5
rtps-gen send 10.8.0.2 7411 1 20 1 500
is "$(stat inflight_packets d0.5) $(stat backlog_msgs d0.5)" "5 15" \
	"a driver that completes nothing: 5 in flight"
for i in $(seq 20); do
	echo command >/dev/udp/10.8.0.2/9
	stat qlen d0.5 >/dev/null
	pause 0.05
done
[ "$(stat ordinary_aged d0.5)" -ge 5 ]
ok "commands that wait there age, even if statistics are read meanwhile"
wait_for 60 recounted 1
is "$(stat inflight_packets d0.5) $(stat backlog_msgs d0.5)" "5 10" \
	"after 10 s the count starts again: 5 more leave"
ip link add d9 type dummy
echo "dev d9" | drive
ip link del d0

# one station that sleeps: its packets stay below, those of the other leave
modprobe -a cls_flower sch_prio sch_plug 2>/dev/null
two_stations()
{
	vlan_below prio bands 2 priomap 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1
	tc qdisc add dev d0 parent 9:1 handle 91: plug limit 1000000
	tc filter add dev d0 parent 9: protocol all flower \
		dst_mac 02:00:00:00:00:03 classid 9:1
	tc qdisc add dev d0.5 root handle 1: optsample limit 100 "$@"
	classify d0.5
}
both()
{
	rtps-gen send 10.8.0.3 7411 1 20 1 500
	rtps-gen send 10.8.0.2 7411 2 20 1 500
}
# alone.py: ms that an ordinary packet waits for the station that sleeps
cat >"$scratch/alone.py" <<-'END'
	import socket, subprocess, time
	tap = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
	tap.bind(("d0.5", 0))
	s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
	subprocess.run("rtps-gen send 10.8.0.3 7411 1 20 1 500".split())
	began = time.monotonic()
	s.sendto(b"hello", ("10.8.0.3", 9))
	while not tap.recv(65536).endswith(b"hello"):
	    pass
	print(int(1000 * (time.monotonic() - began)))
END
two_stations inflight 5 per device
both
is "$(stat backlog_msgs d0.5) $(stat stalled d0.5)" '35 "inflight"' \
	"one limit for all: the station that sleeps holds up the other"
two_stations inflight 5 per destination
both
is "$(stat backlog_msgs d0.5) $(stat stalled d0.5)" '15 "inflight"' \
	"a limit for each: what is for the other station leaves"
is "$(stat destinations d0.5)" 1 "one destination has packets in flight"
for i in $(seq 10); do
	echo hello >/dev/udp/10.8.0.3/9
	pause 0.05
done
wait_for 5 eval '[ "$(stat ordinary_qlen d0.5)" = 0 ]'
left=$(stat backlog_msgs d0.5)
# after 10 s the count would be reset and let some leave
[ "$(stat inflight_recounts d0.5)" = 0 ] || [ "$left" -gt 15 ] || left=15
is "$(stat ordinary_qlen d0.5) $left" "0 15" \
	"ordinary traffic to a station that sleeps goes on"

# one packet, with nothing else to wake the queue; the best of three
best=9999
for i in 1 2 3; do
	two_stations inflight 5 per destination
	out=$(python3 "$scratch/alone.py")
	[ "$out" -ge $best ] || best=$out
done
[ $best -lt 700 ]
ok "a single one waits $best ms for it, not a second"
two_stations inflight 5 per destination
both

# the same for flows that keep the same stamps: 1 and 2 to each station
two_stations inflight 5 per destination gate closed \
	profile 4 sync 0 limit 10
for w in 1 2; do
	bpftool map update pinned "$(find /sys/fs/bpf -name writers)" key hex \
		11 11 11 11 11 11 11 11 11 11 11 11 00 00 0$w 03 \
		value hex 0$w 00 00 00 00 04 00 00 00 00 00 00 00 00 00 00
done
for to in 3 2; do
	rtps-gen send 10.8.0.$to 7411 1 20 1 500
	rtps-gen send 10.8.0.$to 7411 2 20 1 500
done
is "$(stat backlog_msgs d0.5)" 40 "10 sets of 2 messages wait for each station"
tc qdisc change dev d0.5 root handle 1: optsample gate open
is "$(stat backlog_msgs d0.5)" 15 "those for the station that is awake leave"
two_stations inflight 5 per destination
both

# Ordinary traffic that is sent while flows are blocked is no debt: afterwards
# it has its normal share.
cat >"$scratch/order.py" <<-'END'
	import socket
	s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
	s.bind(("d0", 0))
	print("listening", flush=True)
	ports = []
	while len(ports) < 20:
	    p = s.recv(65536)
	    at = 18 if p[12:14] == b"\x81\0" else 14
	    if p[at + 9] == 17 and p[at + 16:at + 20] == bytes((10, 8, 0, 2)):
	        ports.append(int.from_bytes(p[at + 22:at + 24], "big"))
	print(*("flow" if p == 7411 else "ordinary" for p in ports))
END
hello()	# PACKETS: ordinary ones to the station that is awake
{
	python3 -c 'import socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for _ in range(int(sys.argv[1])): s.sendto(bytes(500), ("10.8.0.2", 9))' "$1"
}
hello 500
python3 "$scratch/order.py" >"$scratch/order" &
order=$!
wait_for 10 grep -q listening "$scratch/order"
tc qdisc change dev d0.5 root handle 1: optsample gate closed
rtps-gen send 10.8.0.2 7411 2 10 1 500
hello 10
tc qdisc change dev d0.5 root handle 1: optsample gate open
wait $order
out=$(tail -n 1 "$scratch/order" | cut -d' ' -f1-10 | tr ' ' '\n' |
	grep -c ordinary)
# More than half if the qdisc just now lets the other station send again.
[ "$out" -ge 4 ] && [ "$out" -le 9 ]
ok "no debt from when only ordinary traffic could leave: $out of the next 10"

tc qdisc change dev d0.5 root handle 1: optsample inflight 5 per device
tc qdisc change dev d0.5 root handle 1: optsample noinflight
is "$(stat backlog_msgs d0.5)" 0 "without a limit all leave"
ip link del d0

# Fragments made below are freed one by one. Some packets stay below, then 100
# pass as fragments, then nothing passes any more.
lower()	# BAND: v0 holds what it gets (0) or sends it (1)
{
	tc qdisc change dev v0 root handle 9: prio \
		priomap $1 $1 $1 $1 $1 $1 $1 $1 $1 $1 $1 $1 $1 $1 $1 $1
}
link
wireguard t0 t1 10.7.0.0/24 10.9.0.1 10.9.0.2
ip addr add 10.7.0.1/24 dev t0
n_op ip addr add 10.7.0.2/24 dev t1
ip link set t0 mtu 1500 up
n_op ip link set t1 mtu 1500 up
ping -q -c 1 -W 10 10.7.0.2 >/dev/null
tc qdisc add dev v0 root handle 9: prio
tc qdisc add dev v0 parent 9:1 handle 91: plug limit 1000000
tc qdisc add dev t0 root handle 1: optsample inflight 10 limit 1000 \
	per destination	# not supported without an Ethernet header
classify t0
lower 0
rtps-gen send 10.7.0.2 7411 1 3 1 1400
lower 1
rtps-gen send 10.7.0.2 7411 2 100 1 1400
left() { [ "$(stat msgs_out t0)" = "$1" ]; }
wait_for 5 left 103
lower 0
rtps-gen send 10.7.0.2 7411 3 200 1 1400
out=$(($(stat msgs_out t0) - 103))
[ "$out" -ge 1 ] && [ "$out" -le 7 ]
ok "fragments below do not switch the limit off: $out of 200 left"
ip link del t0

ip netns del op
ip link del v0 2>/dev/null
rmmod sch_optsample
ok "unload at the end"
done_testing
