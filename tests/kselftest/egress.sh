#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The link type optsample: devices that send by another one, their link.
#
#   this namespace                             namespace op
#     v0 10.9.0.1 ---------- veth ----------     v1 10.9.0.2
#      | ^
#      v |
#     q0, or opt-v0: optsample

. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
need_modules
modprobe -a veth dummy cls_bpf cls_matchall cls_flower act_mirred act_gact \
	sch_ingress 2>/dev/null

# counter DEV NAME
counter() { echo "$(<"/sys/class/net/$1/statistics/$2")"; }

# link_of DEV: the name that its link has
link_of() { ip -j -d link show "$1" | jq -r '.[0].link'; }

# refused WORDS COMMAND...: fails, and says so
refused()
{
	local words=$1

	shift
	! "$@" 2>"$scratch/err" && grep -q -- "$words" "$scratch/err" ||
		{ sed 's/^/# /' "$scratch/err"; false; }
}

# as the kernels of JetPack lack it
modprobe -q cls_bpf && by=redirect || by=mirred
echo "# by $by"
# only frames of this test
sysctl -qw net.ipv6.conf.default.disable_ipv6=1

# 1. devices
ip link add d0 type dummy
ip link set d0 up
ip link add q0 link d0 type optsample
ok "add"
is "$(link_of q0)" d0 "its link"
is "$(ip -j -d link show q0 | jq -r '.[0].linkinfo.info_kind')" optsample \
	"its kind"
ip link add q1 type optsample
ok "add without a link"
is "$(link_of q1)" null "it has none"
refused "must not be an optsample device" ip link add q2 link q0 type optsample
ok "a link that is of this type is refused"
refused . ip link add q2 link d0 address 01:00:00:00:00:01 type optsample
ok "an address that is none is refused"
ip link set q0 mtu 65535 && ip link set q0 mtu 1500
ok "any MTU"
is "$(ethtool -k q0 | grep -c '^\(tx-checksumming\|scatter-gather\|generic-segmentation-offload\): on')" \
	3 "it takes what the stack has not segmented"
ip link set q0 up
ip link set q1 up

cat >"$scratch/packets.py" <<'END'
# for each line of stdin, and says "done" or why not:
# frames DEV N [SOURCE [DESTINATION]]: of 100 bytes
# link DEV LINK [SOURCE]: by the numbers of devices
import os, socket, struct, sys

def address(text):
    return bytes.fromhex(text.replace(":", ""))

def frames(dev, n, source="02:02:02:02:02:02", to="02:02:02:02:02:02"):
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as s:
        s.bind((dev, 0x88b5))
        for i in range(int(n)):
            s.send(address(to) + address(source) + b"\x88\xb5" + bytes(86))

def attr(kind, data):
    return struct.pack("HH", 4 + len(data), kind) + data + bytes(-len(data) % 4)

def link(dev, number, source=""):
    data = attr(1, struct.pack("I", int(number)))
    if source:
        data += attr(2, address(source))
    body = struct.pack("BxHiII", 0, 0, socket.if_nametoindex(dev), 0, 0) + \
        attr(18, attr(1, b"optsample\0") + attr(2, data))
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as s:
        s.send(struct.pack("IHHII", 16 + len(body), 16, 5, 1, 0) + body)
        error = -struct.unpack_from("i", s.recv(4096), 16)[0]
        if error:
            raise OSError(error, os.strerror(error))

for line in sys.stdin:
    command, *args = line.split()
    try:
        {"frames": frames, "link": link}[command](*args)
        print("done", flush=True)
    except OSError as e:
        print(e.strerror, flush=True)
END
mkfifo "$scratch/asked" "$scratch/answered"
# once: an emulated processor needs 0.2 s to start it
python3 "$scratch/packets.py" <"$scratch/asked" >"$scratch/answered" &
exec {asked}>"$scratch/asked" {answered}<"$scratch/answered"
# packets LINE: what it says
packets()
{
	local answer

	echo "$*" >&$asked
	read -r answer <&$answered
	echo "$answer"
}
frames() { packets frames "$@" >/dev/null; }
frames q0 5
is "$(counter q0 tx_packets) $(counter q0 tx_bytes) $(counter d0 tx_packets)" \
	"5 500 5" "packets leave by the link and are counted"
frames q0 2 "$(cat /sys/class/net/q0/address)"
is "$(counter q0 tx_packets) $(counter q0 tx_dropped)" "5 2" \
	"but not with its own address"
frames q1 5
is "$(counter q1 tx_packets) $(counter q1 tx_dropped)" "0 5" \
	"without a link they are dropped, and counted"
ip link set d0 down
frames q0 3
is "$(counter q0 tx_packets) $(counter q0 tx_dropped)" "5 5" \
	"so they are if it is down"
ip link del d0
frames q0 2
is "$(counter q0 tx_dropped)" 7 "and if it is gone"
ip link add d0 type dummy
ip link set d0 up
frames q0 2
is "$(counter q0 tx_dropped)" 9 "another device of its name is not the link"
ip link del q0
ip link add q0 link d0 type optsample
ip link set q0 up
ip link add br0 type bridge
ip link add q2 link br0 type optsample
refused . ip link set q2 master br0
ok "a link cannot be above: no loops"
ip link del q2
# set_link DEV LINK [SOURCE]: prints the error
set_link()
{
	local number=9999

	[ ! -e "/sys/class/net/$2" ] || number=$(<"/sys/class/net/$2/ifindex")
	packets link "$1" $number "${3-}"
}
ip link set q0 master br0
is "$(set_link q0 br0)" "Device or resource busy" "nor can a link that is changed"
ip link set q0 nomaster
ip link del br0
is "$(set_link q0 nothing)" "No such device" "a link that does not exist is refused"
is "$(set_link q0 q1)" "Too many levels of symbolic links" \
	"so is one of this type"
is "$(set_link q0 d0 01:00:00:00:00:01)" "Cannot assign requested address" \
	"and a source address of many"
is "$(link_of q0)" d0 "the link stays then"
dropped=$(counter q0 tx_dropped)
is "$(set_link q0 nothing 02:00:00:00:00:01)" "No such device" \
	"a source with a link that does not exist is refused"
frames q0 2 "$(cat /sys/class/net/q0/address)"
is $(($(counter q0 tx_dropped) - dropped)) 2 "the source stays then, too"
is "$(set_link q0 d0 02:aa:aa:aa:aa:aa)" done "a source address"
frames q0 3
is "$(counter q0 tx_packets) $(counter q0 tx_dropped)" "3 2" "is given to what leaves"
frames q0 2 02:02:02:02:02:02 "$(cat /sys/class/net/q0/address)"
is "$(counter q0 tx_packets) $(counter q0 tx_dropped)" "3 4" \
	"what has no neighbour yet is dropped"
is "$(set_link q0 d0 00:00:00:00:00:00)" done "zeros"
frames q0 2 02:02:02:02:02:02 "$(cat /sys/class/net/q0/address)"
is "$(counter q0 tx_packets)" 5 "and packets keep their own"
ip netns add other
refused "same namespace" ip link add q2 link d0 netns other type optsample
ok "a link in another namespace is refused"
ip link set q0 netns other
ip netns exec other sysctl -qw net.ipv6.conf.all.disable_ipv6=1
ip -n other link add d1 type dummy
ip -n other link set q0 up
ip netns exec other python3 "$scratch/packets.py" <<<"frames q0 4" >/dev/null
is "$(ip -n other -j -s link show q0 | jq '.[0].stats64.tx.dropped')" 8 \
	"a device that was moved away has no link"
is "$(ip -n other -d -j link show q0 | jq -r '.[0].link')" null "and shows none"
ip netns del other
ip link del q1

# 2. DEV is deleted while it sends
ip link add q0 link d0 type optsample
ip link set q0 up
tc qdisc add dev q0 root optsample
yes "frames q0 2000" | python3 "$scratch/packets.py" >/dev/null &
sender=$!
for _ in $(seq 20); do
	ip link del d0
	ip link add d0 type dummy
	ip link set d0 up
	ip link del q0 2>/dev/null
	ip link add q0 link d0 type optsample
	ip link set q0 up
	tc qdisc add dev q0 root optsample
	frames q0 50
done
kill $sender
wait $sender 2>/dev/null
frames q0 1
ok "devices come and go under load"
ip link del q0
ip link del d0

# alone_up: up, and nothing sends but the test: no ARP, no IGMP
alone_up()
{
	ip link set v0 down
	ip link set v0 multicast off
	link_up 10.9.0.3
	n_op ip neigh replace 10.9.0.1 dev v1 nud permanent \
		lladdr "$(cat /sys/class/net/v0/address)"
}

# 3. what optsample up makes of it
fresh_link
alone_up
n_op sysctl -qw net.ipv6.conf.all.disable_ipv6=1
optsample up v0 --settle 0ms 2>"$scratch/up"
ok "optsample up"
is "$(ip -j -d link show opt-v0 | jq -r '.[0].linkinfo.info_kind, .[0].link' |
	words)" "optsample v0" "opt-v0 sends by v0"
is "$(ip -j -d link show keep-v0 | jq -r '.[0].linkinfo.info_kind')" optsample \
	"keep-v0 is of this type, too"
is "$(tc filter show dev v0 egress | grep -o 'redirect \|mirred ' | sort -u)" \
	"$by " "a program redirects, if there is cls_bpf"
is "$(cat /sys/class/net/opt-v0/operstate /sys/class/net/keep-v0/operstate |
	words)" "dormant dormant" "both are dormant"
gate() { tc qdisc change dev opt-v0 root optsample gate "$1"; }

before=$(counter opt-v0 tx_packets)
ping -c 3 -i 0.2 -W 2 10.9.0.2 >/dev/null
ok "traffic passes"
is "$(($(counter opt-v0 tx_packets) - before)) $(counter opt-v0 tx_dropped)" \
	"3 0" "by way of the queue, once"

# catch TYPE COUNT [DEV]: a receiver for frames, in op
catch()
{
	: >"$scratch/ready"
	n_op timeout 10 python3 -c '
import socket, sys
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW,
	socket.htons(int(sys.argv[1], 16)))
s.bind((sys.argv[3], int(sys.argv[1], 16)))
print("ready", file=sys.stderr)
for i in range(int(sys.argv[2])):
	print(len(s.recv(70000)), flush=True)' "$1" "$2" "${3:-v1}" \
		>"$scratch/got" 2>"$scratch/ready" &
	catcher=$!
	wait_for 10 grep -q ready "$scratch/ready"
}

if nft -f - 2>"$scratch/nft" <<-END
	table netdev t {
		chain e {
			type filter hook egress device v0 priority 0
			counter
		}
	}
	END
then
	ping -c 3 -i 0.2 -W 2 10.9.0.2 >/dev/null
	is "$(nft -j list table netdev t |
		jq '.nftables[].rule.expr[0].counter.packets // empty')" 3 \
		"filters of nftables see each packet once"
	nft delete table netdev t
else
	skip "filters of nftables" "no egress hook: $(head -n 1 "$scratch/nft")"
fi

ip link add v0.5 link v0 type vlan id 5
ip link set v0.5 up
n_op ip link add v1.5 link v1 type vlan id 5
n_op ip link set v1.5 up
catch 88b5 3 v1.5
before=$(counter opt-v0 tx_packets)
frames v0.5 3
wait $catcher
is "$(words <"$scratch/got") $(($(counter opt-v0 tx_packets) - before))" \
	"100 100 100 3" "frames of a VLAN of v0 take this way, with their tag"
ip link del v0.5

gate closed
catch 888e 1
python3 -c '
import socket
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
s.bind(("v0", 0x888e))
s.send(b"\x02" * 12 + b"\x88\x8e" + bytes(50))'
wait $catcher
is "$(cat "$scratch/got")" 64 "EAPOL passes a closed gate"

# 4. the sender's socket
cat >"$scratch/held.py" <<'END'
# bytes of a send buffer that are in use: after COUNT datagrams, and after each
# line of stdin
import socket, struct, sys
def used():
    # SO_MEMINFO: sk_wmem_alloc is the third word, one more than what is held
    return struct.unpack("9I", s.getsockopt(socket.SOL_SOCKET, 55, 36))[2]
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.connect(("10.9.0.3", 5000))	# takes them, and says nothing
s.settimeout(2)
for i in range(int(sys.argv[1])):
    s.send(bytes(1000))
print(used(), flush=True)
for line in sys.stdin:
    print(used(), flush=True)
END
# hold N COMMAND: N datagrams, then COMMAND, until the socket has no more
hold()
{
	local used=9999

	coproc python3 "$scratch/held.py" "$1"
	read -r before <&"${COPROC[0]}"
	eval "$2"
	left() { echo >&"${COPROC[1]}"; read -r used <&"${COPROC[0]}"; [ "$used" -lt 1000 ]; }
	wait_for 10 left
	kill "$COPROC_PID"
	wait "$COPROC_PID" 2>/dev/null
	[ "$used" -lt 1000 ]
}
tc qdisc change dev opt-v0 root optsample flush
hold 900 :
ok "datagrams leave it in an outage: a sender does not block"
tc qdisc change dev opt-v0 root optsample flush
gate open
if [ $by = redirect ]; then
	tc qdisc change dev opt-v0 root optsample rate 100kbit
	hold 50 "gate closed"
	ok "those that waited for a busy link leave it when an outage begins"
	[ "$before" -gt 20000 ]
	ok "until then they stay: a sender is as fast as the link ($before bytes)"
	tc qdisc change dev opt-v0 root optsample flush rate 0
	gate open
	# nothing leaves below
	tc qdisc add dev v0 root tbf rate 8bit burst 2k limit 1mb
	tc qdisc change dev opt-v0 root optsample inflight 2
	hold 50 :
	ok "and if nothing is sent for long"
	tc qdisc del dev v0 root
	tc qdisc change dev opt-v0 root optsample inflight 0 flush
fi

cat >"$scratch/tcp.py" <<'END'
# TCP from here to op: how much of what was written the stack still holds back
# while the gate is closed
import socket, struct, sys, subprocess, time
s = socket.create_connection(("10.9.0.2", 5001))
subprocess.run("tc qdisc change dev opt-v0 root optsample gate closed",
    shell=True, check=True)
s.setblocking(False)
try:
    while True:
        s.send(bytes(65536))
except BlockingIOError:
    pass
time.sleep(0.3)
print(struct.unpack("9I", s.getsockopt(socket.SOL_SOCKET, 55, 36))[2])
subprocess.run("tc qdisc change dev opt-v0 root optsample gate open",
    shell=True, check=True)
s.setblocking(True)
s.sendall(bytes(4 << 20))
s.close()
END
cat >"$scratch/sink.py" <<'END'
import socket
l = socket.create_server(("10.9.0.2", 5001))
print("ready", flush=True)
c = l.accept()[0]
n = 0
while True:
    d = c.recv(1 << 16)
    if not d:
        break
    n += len(d)
print(n)
END
n_op python3 "$scratch/sink.py" >"$scratch/sunk" &
sink=$!
wait_for 10 grep -q ready "$scratch/sunk"
held=$(python3 "$scratch/tcp.py")
wait $sink
if [ $by = redirect ]; then
	[ "${held:-0}" -gt 10000 ]
	ok "TCP: what waits stays with its socket ($held bytes)"
fi
[ "$(tail -n 1 "$scratch/sunk")" -ge $((4 << 20)) ]
ok "TCP: all of it arrives, segments of GSO as well"

# 5. v0 is replaced; the test's frames must outlive that
tc qdisc change dev opt-v0 root optsample age 0
ip link del v0
before=$(counter opt-v0 tx_packets)
frames opt-v0 5
is "$(stat qlen opt-v0) $(counter opt-v0 tx_dropped)" "5 0" \
	"without v0 frames are held"
ip link add v0 type veth peer name v1 netns op
ip addr add 10.9.0.1/24 dev v0
n_op ip addr add 10.9.0.2/24 dev v1
link_up
wait_for 10 redirected v0
is "$(link_of opt-v0)" v0 "v0 was replaced: opt-v0 sends by the new one"
wait_for 10 eval '[ "$(stat qlen opt-v0)" = 0 ]'
[ "$(counter opt-v0 tx_packets)" -ge $((before + 5)) ] &&
	[ "$(counter opt-v0 tx_dropped)" = 0 ]
ok "what was held leaves by it"
before=$(counter opt-v0 tx_packets)
ping -c 3 -i 0.2 -W 2 10.9.0.2 >/dev/null && [ "$(counter opt-v0 tx_packets)" -gt "$before" ]
ok "and its traffic takes this way"

# 6. the queue or the redirect to it goes
# theirs DIRECTION: a filter of the user's is there
theirs() { tc filter show dev v0 "$1" pref 7 | grep -q flower; }
for direction in egress ingress; do
	tc filter add dev v0 $direction pref 7 protocol 0x88b6 flower action pass
done
ip link set opt-v0 down
wait_for 10 eval '! redirected v0'
ping -c 1 -W 2 10.9.0.2 >/dev/null
ok "opt-v0 is set down: v0 sends without it"
ip link set opt-v0 up
wait_for 10 redirected v0
ping -c 1 -W 2 10.9.0.2 >/dev/null
ok "it is up again: v0 is redirected again"
theirs egress && theirs ingress
ok "filters of the user's stay"
tc qdisc del dev v0 clsact
wait_for 10 redirected v0
ok "a redirect that was removed is made again"
ip netns add other
ip link set v0 netns other
ip -n other link set v0 netns 1
ip netns del other
ip addr add 10.9.0.1/24 dev v0
link_up
wait_for 10 redirected v0
wait_for 10 eval '[ "$(link_of opt-v0)" = v0 ]'
ping -c 1 -W 2 10.9.0.2 >/dev/null
ok "v0 was in another namespace, and is redirected again"
refused "in use" rmmod sch_optsample
ok "the module stays while its qdisc is in use"
tc filter add dev v0 ingress pref 7 protocol 0x88b6 flower action pass
optsample down v0
ok "optsample down"
theirs ingress && ! redirected v0
ok "a filter of the user's stays"
tc qdisc del dev v0 clsact
[ ! -e /sys/class/net/opt-v0 ] && [ ! -e /sys/class/net/keep-v0 ]
ok "and both devices are gone"
optsample up v0 --settle 0ms 2>/dev/null
ip link del opt-v0
wait_for 10 eval '! redirected v0'
ping -c 1 -W 2 10.9.0.2 >/dev/null
ok "opt-v0 is deleted: v0 sends without it"
is "$(grep -c "opt-v0 is gone or down: v0 sends without a queue" \
	/run/optsample/v0.log)" 1 "the log has it once"
optsample down v0

# without the program
mkdir "$scratch/bin" "$scratch/bpf"
cp "$top/build/bin/"optsample{,-discover} "$scratch/bin/"
cp "$top/build/bpf/"{ros_tag,ros_tag_nobtf,keep}.bpf.o "$scratch/bpf/"
"$scratch/bin/optsample" up v0 2>"$scratch/up"
if [ $by = redirect ]; then
	grep -q "mirred redirects v0 instead" "$scratch/up" && redirected v0
	ok "no redirect.bpf.o: mirred takes its place" || sed 's/^/# /' "$scratch/up"
fi
passes() { tc filter show dev v0 egress pref 48999 | grep -q gact; }
passes && tc filter del dev v0 egress pref 48999
wait_for 10 passes
ok "the filter that lets EAPOL pass was removed, and is made again"
optsample down v0

# 7. without cls_bpf: mirred
alone_up
ip link add q0 link v0 type optsample
ip link set q0 up
tc qdisc add dev q0 root handle 1: optsample watch v0 settle 0
tc qdisc add dev v0 clsact
tc filter add dev v0 egress pref 2 flower action mirred egress redirect dev q0
before=$(counter q0 tx_packets)
ping -c 3 -i 0.2 -W 2 10.9.0.2 >/dev/null
ok "mirred: traffic passes"
is "$(($(counter q0 tx_packets) - before)) $(counter q0 tx_dropped)" "3 0" \
	"by way of the queue, once"
tc qdisc del dev v0 clsact
ip link del q0

# 8. an ifb, as an older module gets
if modprobe ifb numifbs=0 2>/dev/null; then
	OPTSAMPLE_LINK_TYPE=ifb optsample up v0 2>/dev/null
	is "$(ip -j -d link show opt-v0 |
		jq -r '.[0].linkinfo.info_kind')" ifb "OPTSAMPLE_LINK_TYPE=ifb"
	ping -c 3 -i 0.2 -W 2 10.9.0.2 >/dev/null
	ok "its traffic passes"
	optsample down v0
else
	skip OPTSAMPLE_LINK_TYPE=ifb "no ifb"
fi

# 9. the end
ip link add q0 link v0 type optsample
ip netns del op
rmmod sch_optsample && [ ! -e /sys/class/net/q0 ]
ok "unload removes devices without a qdisc"
done_testing
