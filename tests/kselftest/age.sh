#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Age: what waits while the link is stalled, and how long. A command that waited
# through an outage must not arrive; what a connection or the network needs to
# recover must.
#
#   robot (this namespace)                     operator (namespace op)
#     v0 10.9.0.1  fd00:9::1  --- veth ---  v1 10.9.0.2  fd00:9::2

. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
need_modules
modprobe -a veth ifb cls_bpf act_mirred cls_matchall sch_ingress 2>/dev/null

# commands: 20 a second until SECONDS are over; each says when it was sent
cat >"$scratch/commands.py" <<'END'
import socket, struct, sys, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
begin, n = time.monotonic(), 0
while time.monotonic() - begin < float(sys.argv[1]):
    s.sendto(struct.pack("!d", time.monotonic()), ("10.9.0.2", 5555))
    n += 1
    time.sleep(max(0, begin + n / 20 - time.monotonic()))
print(n)
END
# arrivals: until nothing comes for 8 s, or 60 s for the first: number, how many
# are older than 0.3 s, and how many of them came within the outage's last 0.3 s
cat >"$scratch/arrivals.py" <<'END'
import socket, struct, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("10.9.0.2", 5555))
s.settimeout(60)
ages = []
print("ready", flush=True)
try:
    while True:
        d = s.recv(100)
        ages.append(time.monotonic() - struct.unpack("!d", d)[0])
        s.settimeout(8)
except socket.timeout:
    pass
print(len(ages), sum(a > 0.3 for a in ages), sum(0.02 < a <= 0.3 for a in ages))
END

# shut SECONDS: the gate is closed
shut()
{
	tc qdisc change dev v0 root optsample gate closed
	pause "$1"
	tc qdisc change dev v0 root optsample gate open
}

# outage SECONDS: the operator's end has no carrier
outage()
{
	n_op ip link set v1 down
	pause "$1"
	n_op ip link set v1 up
	n_op ip neigh replace 10.9.0.1 dev v1 nud permanent \
		lladdr "$(cat /sys/class/net/v0/address)"
}

# commands OUTAGE: through one of 4 s, 9 s in all; "SENT ARRIVED OLD LATE"
commands()
{
	local receiver sender

	: >"$scratch/arrived"
	n_op python3 "$scratch/arrivals.py" >"$scratch/arrived" &
	receiver=$!
	wait_for 10 grep -q ready "$scratch/arrived"
	python3 "$scratch/commands.py" 9 >"$scratch/sent" &
	sender=$!
	pause 2
	"$1" 4
	wait $sender $receiver
	echo "$(cat "$scratch/sent") $(tail -n 1 "$scratch/arrived")"
}

# judge NAME SENT ARRIVED OLD LATE AGED: none is old, the newest arrive, and the
# rest is counted
judge()
{
	echo "# $1: of $2 commands $3 arrive, $4 older than 0.3 s, $5 of the outage"
	is "$4" 0 "$1: no old command arrives"
	[ "$5" -ge 1 ] && [ "$5" -le 8 ]
	ok "$1: those of the outage's end do"
	is "$6" $(($2 - $3)) "$1: each of the others is counted"
}

# 1. the qdisc alone
fresh_link
link_up
tc qdisc add dev v0 root handle 1: optsample
judge "gate" $(commands shut) "$(stat ordinary_aged v0)"
tc qdisc change dev v0 root optsample age 0
read -r sent arrived old _ < <(commands shut)
[ "$old" -ge 50 ] && [ "$arrived" = "$sent" ]
ok "age 0: all arrive, $old of them old"
tc qdisc del dev v0 root

# 2. optsample up
optsample up v0 --settle 100ms 2>"$scratch/up" || sed 's/^/# /' "$scratch/up"
judge "optsample up" $(commands outage) "$(stat ordinary_aged opt-v0)"
is "$(json .qdisc.ordinary_aged)" "$(stat ordinary_aged opt-v0)" \
	"show: dropped by age"
optsample show v0 | grep -q "dropped by age $(stat ordinary_aged opt-v0) "
ok "show: the same as text"
optsample down v0

# 3. what lasts: the gate is closed for 2 s
fresh_link
ip addr add fd00:9::1/64 dev v0 nodad
n_op ip addr add fd00:9::2/64 dev v1 nodad
link_up
ip neigh replace fd00:9::2 dev v0 nud permanent \
	lladdr "$(n_op cat /sys/class/net/v1/address)"
tc qdisc add dev v0 root handle 1: optsample
n_op python3 -c '
import socket
s = socket.create_server(("10.9.0.2", 5001)); c, _ = s.accept()
print("connected", flush=True); print(c.recv(100).decode())' >"$scratch/tcp" &
server=$!
cat >"$scratch/lasts.py" <<'END'
import os, socket, struct, sys
t = socket.create_connection(("10.9.0.2", 5001))
print("ready", flush=True)
sys.stdin.readline()
t.sendall(b"of an outage")
for family, to in (socket.AF_INET, "10.9.0.2"), (socket.AF_INET6, "fd00:9::2"):
    s = socket.socket(family, socket.SOCK_DGRAM)
    for port in 9, 67, 68, 546, 547, 5555:
        s.sendto(b"x", (to, port))
r = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
r.bind(("v0", 0))
mac = bytes.fromhex(open("/sys/class/net/v0/address").read().strip().replace(":", ""))
# ARP, EAPOL; of IPv6 a neighbour solicitation and an echo request; of IPv4
# "destination unreachable", an echo request, and a fragment that begins like the
# first
six = struct.pack("!IHBB", 6 << 28, 24, 58, 255) + bytes(32)
def four(fragment, type):
    return struct.pack("!BBHHHBBHII", 0x45, 0, 48, 1, fragment, 64, 1, 0, 0, 0) + bytes([type]) + bytes(27)
for proto, body in (0x806, bytes(28)), (0x888e, bytes(46)), (0x86dd, six + b"\x87" + bytes(23)), (0x86dd, six + b"\x80" + bytes(23)), (0x800, four(0, 3)), (0x800, four(0, 8)), (0x800, four(9, 3)), (0x4305, bytes(46)):
    r.send(b"\xff" * 6 + mac + struct.pack("!H", proto) + body)
print("sent", flush=True)
sys.stdin.readline()
END
coproc lasts { python3 "$scratch/lasts.py"; }
read -r _ <&"${lasts[0]}"
wait_for 10 grep -q connected "$scratch/tcp"
tc qdisc change dev v0 root optsample gate closed
echo >&"${lasts[1]}"
read -r _ <&"${lasts[0]}"
pause 2
tc qdisc change dev v0 root optsample gate open
wait $server
is "$(tail -n 1 "$scratch/tcp")" "of an outage" "TCP: what was sent arrives"
# of each family ports 9 and 5555 and an echo request; a fragment; a frame of
# batman-adv
is "$(stat ordinary_aged v0) $(stat ordinary_dropped v0) $(stat qlen v0)" \
	"8 0 0" "DHCP, ARP, EAPOL, neighbour discovery and errors of IP last, others do not"
echo >&"${lasts[1]}"
wait

# 4. the newest of each writer: profile 63 as `optsample up` sets it
device limit 20 gate closed profile 63 limit 1 policy drop-oldest priority 7 age 250ms
lines()	# WRITER FROM TO: messages of one packet (3: first and last; 63: profile)
{
	local i

	for i in $(seq "$2" "$3"); do
		echo "x $1 $i $i $((3 + 63 * 256)) 100"
	done
}
{ lines 5 1 9; lines 6 1 9; echo "x 7 1 1 3 100"; } | drive >/dev/null
tc qdisc change dev d0 root optsample gate open
is "$(printf 'q\nq\nq\nq\n' | drive | words)" "5/9/$((3 + 63 * 256)) 6/9/$((3 + 63 * 256)) 7/1/3 -" \
	"the newest of each writer, first"
tc qdisc change dev d0 root optsample gate closed
{ lines 5 10 12; echo "x 7 2 2 3 100"; } | drive >/dev/null
pause 0.5
tc qdisc change dev d0 root optsample gate open
is "$(printf 'q\nq\n' | drive | words)" "7/2/3 -" "nor when it is too old"
is "$(stat msgs_aged) $(class_stat 5 aged) $(stat qlen)" "1 1 0" \
	"and that is counted, for its flow as well"

# 5. with or without a stall, the lists are bounded
device ordinary 10
tc qdisc change dev d0 root optsample gate closed
{ echo q; for i in $(seq 30); do echo "o 100"; echo q; done; } | drive >/dev/null
is "$(stat ordinary_qlen) $(stat ordinary_dropped)" "10 20" \
	"no more wait than ordinary allows"
tc qdisc change dev d0 root optsample memlimit 64k ordinary 1000
{ for i in $(seq 30); do echo "o 1400"; echo q; done; } | drive >/dev/null
[ "$(stat ordinary_qlen)" -le 16 ]
ok "nor more than a quarter of memlimit ($(stat ordinary_qlen) of 1400 bytes)"

optsample down 2>/dev/null
ip netns del op
ip link del d0
rmmod optsample_drive
rmmod sch_optsample
ok "unload at the end"
done_testing
