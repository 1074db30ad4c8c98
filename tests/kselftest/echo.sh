#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Latency of a shell during an upload: ordinary traffic in optsample, compared
# to fq_codel alone. For tools/machines/vm --skip-idle: in guest time the
# results are the same on any host, and minutes of waiting cost nothing.
#
#   robot (this namespace)                      operator (namespace op)
#     v0 10.9.0.1, htb 2 Mbit/s  --- veth ---  v1 10.9.0.2, 10 ms back
#       leaf: fq_codel, or optsample with the child that `optsample up` sets
#       or the same htb on ifb0, which v0's packets are redirected to
#
# Key strokes of 64 bytes every 20 to 100 ms over TCP, which are echoed; a TCP
# upload that always has data to send, with ECN; in a third case also a sampled
# flow of 1 Mbit/s.

. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
need_modules
modprobe -a veth ifb dummy sch_htb sch_tbf sch_netem sch_fq_codel cls_bpf \
	cls_matchall act_mirred sch_ingress 2>/dev/null

keys=${ECHO_KEYS:-1000}
rate=${ECHO_RATE:-2mbit}

cat >"$scratch/server.py" <<'END'
import socket, threading

def echo(c):
    while d := c.recv(64):
        c.sendall(d)

def sink(c):
    while c.recv(65536):
        pass

def serve(port, what):
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.bind(("10.9.0.2", port))
    s.listen()
    while True:
        c, _ = s.accept()
        c.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=what, args=(c,), daemon=True).start()

threading.Thread(target=serve, args=(5003, echo), daemon=True).start()
serve(5004, sink)
END
# the upload for 5 s, then also key strokes: "P50 P99 MAX" in us
cat >"$scratch/client.py" <<'END'
import socket, sys, threading, time
keys = int(sys.argv[1])

def connect(port):
    c = socket.create_connection(("10.9.0.2", port))
    c.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return c

def upload(c):
    while True:
        c.sendall(bytes(65536))

def key(c):
    start = time.monotonic_ns()
    c.sendall(bytes(64))
    got = 0
    while got < 64:
        got += len(c.recv(64))
    return (time.monotonic_ns() - start) // 1000

c = connect(5003)
for i in range(20):	# all that is needed is in memory now
    key(c)
threading.Thread(target=upload, args=(connect(5004),), daemon=True).start()
time.sleep(5)
took = []
x = 1
for i in range(keys):
    took.append(key(c))
    x = x * 1103515245 + 12345 & 0x7fffffff
    time.sleep((20 + (x >> 16) % 81) / 1000)
took.sort()
print(took[len(took) // 2], took[len(took) * 99 // 100], took[-1])
END

listening() { n_op ss -tln | grep -q ":$1 "; }

link()
{
	fresh_link
	link_up
	# as a radio: no packets larger than it can send
	ethtool -K v0 tso off gso off >/dev/null
	n_op tc qdisc add dev v1 root netem delay 10ms limit 10000
	sysctl -qw net.ipv4.tcp_ecn=1
	n_op sysctl -qw net.ipv4.tcp_ecn=1
}

bottleneck()	# DEV
{
	tc qdisc add dev "$1" root handle 1: htb default 10
	tc class add dev "$1" parent 1: classid 1:10 htb rate $rate
}

# as `optsample up` does it
behind_ifb()	# DEV
{
	ip link del "$1" 2>/dev/null
	ip link add "$1" type ifb
	ip link set "$1" up
	tc qdisc add dev v0 clsact
	tc filter add dev v0 egress matchall \
		action mirred egress redirect dev "$1"
}

# keys DEV LEAF [ros]: sets $p50, $p99 and $max of the echoes; with ros: $whole messages of $sent arrived
keys()
{
	local dev=$1 server recv

	shift
	link
	[ $dev = v0 ] || behind_ifb $dev
	bottleneck $dev
	case $1 in
	fq_codel)
		tc qdisc add dev $dev parent 1:10 handle 20: fq_codel ;;
	optsample)
		tc qdisc add dev $dev parent 1:10 handle 10: optsample
		tc qdisc replace dev $dev parent 10:ffff handle 20: fq_codel \
			limit 10240 memory_limit 16mb target 1s interval 1s
		[ -z "${2-}" ] || classify $dev 10: ;;
	esac
	n_op python3 "$scratch/server.py" &
	server=$!
	wait_for 20 listening 5003
	wait_for 20 listening 5004
	whole=0 sent=$((keys * 6 / 10 + 40))
	if [ -n "${2-}" ]; then
		n_op rtps-gen recv 10.9.0.2 7411 5 12 >"$scratch/got" &
		recv=$!
		rtps-gen send 10.9.0.2 7411 1 $sent 12 1000 every 100 &
	fi
	read -r p50 p99 max < <(python3 "$scratch/client.py" $keys)
	kill $server
	if [ -n "${2-}" ]; then
		wait $recv
		whole=$(grep -vc part "$scratch/got")
	fi
	echo "# $dev: $1${2:+ and a flow of 1 Mbit/s}: half of the answers" \
		"within $((p50 / 1000)).$((p50 % 1000 / 100)) ms, 99 % within" \
		"$((p99 / 1000)).$((p99 % 1000 / 100)), all within" \
		"$((max / 1000)).$((max % 1000 / 100))${2:+; $whole of $sent messages arrived}"
}

# beside_upload DEV WHERE: optsample compared to fq_codel
beside_upload()
{
	local base

	keys "$1" fq_codel
	base=$p99
	keys "$1" optsample
	echo "# $1: 99 %: $((100 * p99 / base)) % of what it is with fq_codel"
	[ "${p99:-0}" -gt 0 ] && [ $((100 * p99)) -le $((120 * base)) ]
	ok "key strokes beside an upload$2: at most 1.2 times fq_codel's time"
}

beside_upload_ifb() { beside_upload ifb0 " behind an ifb"; }

beside_upload v0 ""
keys v0 fq_codel ros
base=$p99 base_whole=$whole
keys v0 optsample ros
[ "$base_whole" -gt 0 ] && [ $whole -ge $((sent * 95 / 100)) ]
ok "a sampled flow of half the link beside both: 95 % of it arrives whole"
[ "${p99:-0}" -gt 0 ] && [ $((10 * p99)) -le $((18 * base)) ]
ok "key strokes beside both: at most 1.8 times fq_codel's time, which loses it"
thorough beside_upload_ifb
done_testing
