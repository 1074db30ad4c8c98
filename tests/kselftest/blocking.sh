#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Back-pressure: one blocking socket sends faster than the link. If another qdisc loses nothing because the sender waits, neither may
# optsample. For tools/machines/vm --skip-idle.
#
#   robot (this namespace)                     operator (namespace op)
#     v0 10.9.0.1  ---------- veth ---------  v1 10.9.0.2
#       tbf 20 Mbit/s, leaf: pfifo, or optsample with it as class ffff; or
#       optsample alone

. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
need_modules
modprobe -a veth sch_tbf sch_fq_codel cls_bpf 2>/dev/null

# link LEAF [CHILD]: a fresh pair of devices
link()
{
	fresh_link
	link_up
	tc qdisc add dev v0 root handle 1: tbf rate 20mbit burst 10k limit 1mb
	tc qdisc add dev v0 parent 1:1 handle 2: "$1" || return
	[ $# = 1 ] || tc qdisc replace dev v0 parent 2:ffff "$2"
}

listening() { n_op ss -uln | grep -q ":$1 "; }

# 1. many datagrams of a program

cat >"$scratch/sink.py" <<'END'
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.SOL_SOCKET, 33, 64 << 20)
s.bind(("10.9.0.2", 5002))
n = 0
while True:
    d = s.recv(2000)
    if d == b"end":
        break
    n += 1
print(n)
END
cat >"$scratch/source.py" <<'END'
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.connect(("10.9.0.2", 5002))
for i in range(3000):
    s.send(bytes(1400))
END
drained()
{
	! tc -s qdisc show dev v0 | grep '^ backlog' | grep -qv ' 0b 0p '
}
# The last datagram must arrive whatever else is lost.
last_word()
{
	until ! kill -0 "$1" 2>/dev/null; do
		python3 -c 'import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.sendto(b"end", ("10.9.0.2", 5002))'
		pause 0.2
	done
}

# blocking LEAF [CHILD]: number of 3000 datagrams that arrive
blocking()
{
	local sink

	link "$@" || return
	n_op python3 "$scratch/sink.py" >"$scratch/arrived" &
	sink=$!
	wait_for 10 listening 5002
	python3 "$scratch/source.py"
	wait_for 20 drained
	last_word $sink
	wait $sink
	cat "$scratch/arrived"
}
is "$(blocking pfifo)" 3000 "a blocking sender: pfifo loses nothing"
is "$(blocking optsample pfifo)" 3000 \
	"a blocking sender: optsample with pfifo loses nothing"
is "$(blocking optsample)" 3000 \
	"a blocking sender: nor does the default child"

# 2. one message of 4 MB of a topic that is not sampled: its writer is unknown
# to the classifier

# message LEAF [CHILD]: share of it that arrives
message()
{
	local receiver

	link "$@" || return
	[ "$1" != optsample ] || classify v0 2:
	n_op rtps-gen recv 10.9.0.2 7411 2 2900 >"$scratch/got" &
	receiver=$!
	wait_for 10 listening 7411
	rtps-gen send 10.9.0.2 7411 5 1 2900 1400
	wait $receiver
	cat "$scratch/got"
}
is "$(message pfifo)" "5 1" "a message of 4 MB: whole with pfifo"
is "$(message optsample pfifo) $(stat msgs_in v0)" "5 1 0" \
	"a message of 4 MB: whole as ordinary traffic, too"
[ "$(stat ordinary_sent v0)" -ge 2900 ]
ok "and that is what it was"
is "$(message optsample)" "5 1" "a message of 4 MB: whole with the default child"

# 3. messages of a topic that is sampled, each larger than memlimit, over a link
# that moves: the writer waits
# sampled MESSAGES OPTIONS...: those that arrive
sampled()
{
	local receiver messages=$1

	shift
	fresh_link
	link_up
	tc qdisc add dev v0 root handle 1: optsample rate 20mbit "$@"
	classify v0
	n_op rtps-gen recv 10.9.0.2 7411 2 2900 >"$scratch/got" &
	receiver=$!
	wait_for 10 listening 7411
	rtps-gen send 10.9.0.2 7411 1 "$messages" 2900 1400
	wait $receiver
	words <"$scratch/got"
}
is "$(sampled 2 memlimit 1mb) $(stat torn v0) $(stat oversize v0)" \
	"1 1 1 2 0 0" "sampled messages of 4 MB through 1 MB: whole"
[ "$(stat memory_max v0)" -le 786432 ]
ok "within memlimit: $(stat memory_max v0) bytes"

# 4. a user without rights, in a namespace of its own: its sockets account for
# all that waits
cat >"$scratch/flood.py" <<'END'
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setblocking(False)
n = 0
try:
    while n < 5000:
        s.sendto(bytes(1400), ("10.9.0.2", 5002))
        n += 1
except BlockingIOError:
    pass
print(n)
END
chmod 755 "$scratch"
setpriv --reuid=65534 --clear-groups unshare -Urn bash -c '
	ip link add d0 type dummy
	ip addr add 10.9.0.1/24 dev d0
	ip link set d0 up
	"$0" qdisc add dev d0 root optsample gate closed &&
	python3 "$1/flood.py"
	"$0" qdisc change dev d0 root optsample inflight 5' \
	"$(command -v tc)" "$scratch" >"$scratch/user" 2>&1
n=$(sed -n 1p "$scratch/user")
[ "$n" -gt 50 ] && [ "$n" -lt 200 ]
ok "another user namespace: a socket's buffer is the limit ($n of 5000)"
grep -q "optsample: inflight and recall need the initial user namespace" \
	"$scratch/user"
ok "and nothing that would exceed it" || sed 's/^/# /' "$scratch/user"

ip netns del op
ip link del v0 2>/dev/null
wait_for 10 rmmod sch_optsample
ok "unload at the end"
done_testing
