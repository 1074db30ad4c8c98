#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A network manager changes the link address of an interface during an outage,
# and back: held packets leave with the address that the interface has then.
#
#   this namespace                          namespace op
#     v0 --(redirect)--> ifb: optsample       v1: frames are recorded
#
# Frames are identified by their length.

. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
need_modules
modprobe -a veth ifb dummy cls_matchall act_mirred sch_ingress 2>/dev/null

first=02:00:00:00:00:0a scan=06:11:22:33:44:55 third=06:66:66:66:66:66
bridged=02:bb:bb:bb:bb:bb

# frame SOURCE LENGTH: from v0
frame()
{
	python3 -c '
import socket, sys
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
s.bind(("v0", 0))
mac = lambda text: bytes.fromhex(text.replace(":", ""))
s.send((mac("02:00:00:00:00:0b") + mac(sys.argv[1]) +
	b"\x88\xb5").ljust(int(sys.argv[2]), b"x"))' "$@"
}

# record SECONDS: "LENGTH SOURCE" of each frame at v1, in $scratch/got
record()
{
	: >"$scratch/ready"
	ip netns exec op python3 -c '
import socket, sys, time
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x88b5))
s.bind(("v1", 0x88b5))
s.settimeout(0.2)
print("ready", file=sys.stderr)
end = time.time() + float(sys.argv[1])
while time.time() < end:
	try:
		f = s.recv(2000)
	except socket.timeout:
		continue
	print(len(f), f[6:12].hex(":"), flush=True)' "$1" \
		>"$scratch/got" 2>"$scratch/ready" &
	recorder=$!
	wait_for 10 grep -q ready "$scratch/ready"
}

# set_address ADDRESS: as NetworkManager does it
set_address()
{
	ip link set v0 down
	ip link set v0 address "$1"
	ip link set v0 up
}

quiet_link()
{
	fresh_link
	sysctl -qw net.ipv6.conf.v0.disable_ipv6=1
	ip link set v0 address $first
	n_op ip link set v1 up
	ip link set v0 up
}

gate()	# open|closed
{
	tc qdisc change dev "$queue" root handle 1: optsample gate "$1"
}

# through: packets that left when the gate opened, in order of length
through()
{
	record 30
	gate open
	wait_for 20 eval "[ \$(wc -l <$scratch/got) -ge $1 ]"
	kill $recorder
	wait $recorder 2>/dev/null
	sort -n "$scratch/got"
}

# 1. the queue on an ifb that watches the interface
quiet_link
queue=q0
ip link add $queue type ifb
ip link set $queue up
tc qdisc add dev $queue root handle 1: optsample age 0 watch v0 gate closed settle 0
tc qdisc add dev v0 clsact
tc filter add dev v0 egress matchall action mirred egress redirect dev $queue
frame $first 100
set_address $scan
frame $scan 200
frame $bridged 300
frame $first 400
set_address $first
frame $first 500
is "$(through 5)" "100 $first
200 $first
300 $bridged
400 $first
500 $first" "held with a scan address: leaves with the interface's own"

gate closed
set_address $scan
frame $scan 100
set_address $third
frame $third 200
frame $first 300
is "$(through 3)" "100 $third
200 $third
300 $third" "another address for good: what is held gets it"

# more addresses than are remembered
gate closed
frame $third 100
for i in 1 2 3 4 5; do
	set_address 06:00:00:00:00:0$i
done
frame 06:00:00:00:00:04 200
is "$(through 2)" "100 $third
200 06:00:00:00:00:05" "the newest four former addresses are remembered"

# a packet of which others hold a copy
gate closed
frame 06:00:00:00:00:05 100
set_address $first
record 5
python3 -c '
import socket, time
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
s.bind(("v0", 3))
s.settimeout(3)
print("ready", flush=True)
while True:
	f = s.recv(2000)
	if f[12:14] == b"\x88\xb5":
		print(f[6:12].hex(":"), flush=True)
		break' >"$scratch/tap" &
tap=$!
wait_for 10 grep -q ready "$scratch/tap"
gate open
wait_for 5 grep -q 100 "$scratch/got"
wait $tap
is "$(tail -n 1 "$scratch/tap") $(cat "$scratch/got")" "$first 100 $first" \
	"a listener on the interface sees what leaves"
kill $recorder
wait $recorder 2>/dev/null

# another watched interface: the addresses of the former one are its own
gate closed
ip link add d1 type dummy
ip link set d1 up
tc qdisc change dev $queue root handle 1: optsample watch d1
frame 06:00:00:00:00:05 100
ip link set d1 address $third
is "$(through 1)" "100 06:00:00:00:00:05" \
	"another interface is watched: its addresses do not count"
ip link del $queue
ip link del d1

# 2. the queue on the interface itself, whose address may change while it is up
quiet_link
queue=v0
tc qdisc add dev v0 root handle 1: optsample age 0 gate closed
frame $first 100
ip link set v0 address $scan
frame $scan 200
frame $bridged 300
ip link set v0 address $first
is "$(through 3)" "100 $first
200 $first
300 $bridged" "the queue on the interface itself: the same"

# 3. a device without Ethernet headers is left alone
ip link add gre0t type gre local 10.9.0.1 remote 10.9.0.2
if ip link show gre0t >/dev/null 2>&1; then
	ip link set gre0t up
	tc qdisc add dev gre0t root handle 1: optsample age 0 watch v0 gate closed
	ip addr add 10.8.0.1/24 dev gre0t
	ping -c 1 -W 1 10.8.0.2 >/dev/null
	ip link set v0 address $scan
	tc qdisc change dev gre0t root handle 1: optsample gate open
	wait_for 5 eval '[ "$(stat ordinary_sent gre0t)" -gt 0 ]'
	ok "a tunnel without Ethernet headers"
else
	skip "a tunnel without Ethernet headers" "no gre"
fi

done_testing
