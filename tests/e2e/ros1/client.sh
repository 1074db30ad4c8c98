#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# client.sh - userspace/ros/ros1 between roscpp nodes and a ROS master
#
# A robot and an operator, each a roscpp program or client-node, by TCPROS and
# UDPROS; then all kinds of faults: see the names of the tests.

. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

client=${CLIENT:-$bin/client-node}
rig client || skip_all "no namespaces or no token bucket here"
dir=$scratch/$rig
master "$rig"

# node SIDE OUTPUT PROGRAM...: in the background, $node is its pid
node()
{
	local side=$1 out=$2

	shift 2
	# remove the output of an earlier one
	: >"$dir/$out"
	: >"$dir/$out.err"
	at "$rig" "$side" timeout -k 5 60 "$@" >"$dir/$out" 2>"$dir/$out.err" &
	node=$!
}

# finish PID...: wait; all of them must exit with 0
finish()
{
	local status=0

	for pid; do
		wait "$pid" || status=1
	done
	return $status
}

# only NODE TEXT: its output is one line, with that text
only()
{
	[ "$(wc -l <"$dir/$1.err")" = 1 ] && [ "$(said "$1" "$2")" = 1 ] &&
		return
	echo "# wanted one line with: $2"
	sed 's/^/# came: /' "$dir/$1.err"
	return 1
}

# lines FILE NUMBER: it has NUMBER lines
lines()
{
	[ "$(wc -l <"$dir/$1")" -ge "$2" ]
}

# intact PUB SUB LAST: everything received was sent, up to LAST
intact()
{
	! awk -v last="$3" '$2 <= last' "$dir/$2" |
		grep -vxFf "$dir/$1" | grep -q .
}

# missing TOPIC FROM LAST SUB: number of lost messages of a topic
missing()
{
	awk -v topic="$1" -v from="$2" -v last="$3" '$1 == topic &&
		$2 >= from && $2 <= last { n++ }
		END { print last - from + 1 - n }' "$dir/$4"
}

# counter FILE TOPIC WORD: a counter of client-node
counter()
{
	awk -v topic="$2:" -v word="$3" '$1 == topic {
		for (i = 2; i < NF; i++) if ($i == word) print $(i + 1) }' \
		"$dir/$1.err"
}

# said FILE REGEX: number of matching lines of its log
said()
{
	grep -cE "$2" "$dir/$1.err"
}

# of a node's name: the pids of the programs in namespace $1 whose command
# line has $2
pids()
{
	for pid in $(ip netns pids "$rig-$1"); do
		tr '\0' ' ' <"/proc/$pid/cmdline" | grep -q -- "$2" &&
			echo "$pid"
	done 2>/dev/null
}

# ask CODE: python with m, the master
ask()
{
	at "$rig" robot timeout 20 python3 -c "import os, sys, socket
from xmlrpc.client import ServerProxy
m = ServerProxy(os.environ['ROS_MASTER_URI'])
$1"
}

# end SIDE REGEX: terminate programs, and wait for it
end()
{
	kill $(pids "$@")
	wait_for 60 eval "[ -z \"\$(pids $1 '$2')\" ]"
} 2>/dev/null

both="image:/a:20000 text:/b:200"

# from_to TRANSPORT PUBLISHER SUBSCRIBER: 50 messages on two topics
from_to()
{
	local option= sub pub

	[ "$1" = TCPROS ] || option=-u
	sub="$client sub" pub="$client pub"
	[ "$3" != roscpp ] || sub=$bin/ros1-sub
	[ "$2" != roscpp ] || pub=$bin/ros1-pub
	node op sub $sub $option -n 50 $both
	sub=$node
	node robot pub $pub -r 50 -n 50 $both
	finish $node $sub && intact pub sub 50
}

tcpros()
{
	from_to TCPROS "$@" && [ "$(missing /a 1 50 sub)" = 0 ] &&
		[ "$(missing /b 1 50 sub)" = 0 ]
	ok "TCPROS, $*: everything arrives"
}

# roscpp only reads after it has the answer: it may miss the first ones.
udpros()
{
	from_to UDPROS "$@" && [ "$(missing /a 8 50 sub)" = 0 ] &&
		[ "$(missing /b 8 50 sub)" = 0 ]
	ok "UDPROS, $*: everything arrives"
}

tcpros roscpp ours
tcpros ours roscpp
udpros roscpp ours
udpros ours roscpp

ours()
{
	tcpros ours ours
	udpros ours ours
}
thorough ours

large()
{
	local transport

	for transport in "" -u; do
		node op sub "$client" sub $transport -n 10 image:/big
		sub=$node
		node robot pub "$client" pub -r 4 -n 10 image:/big:1000000
		finish $node $sub && intact pub sub 10 &&
			[ "$(missing /big 1 10 sub)" = 0 ]
		ok "messages of 1 MB $transport"
	done
}
thorough large

node op sub "$bin/ros1-sub" -u -n 10 image:/big
sub=$node
node robot pub "$client" pub -r 4 -n 10 image:/big:1000000
finish $node $sub && intact pub sub 10 && [ "$(missing /big 1 10 sub)" -le 5 ]
ok "messages of 1 MB by UDPROS, paced so that roscpp takes them"

fast()
{
	local transport

	for transport in "" -u; do
		node op sub "$client" sub $transport -n 3000 text:/fast
		sub=$node
		node robot pub "$client" pub -q 100 -r 1000 -n 3000 text:/fast:40
		finish $node $sub && intact pub sub 3000 &&
			[ "$(missing /fast 1 3000 sub)" = 0 ]
		ok "1000 messages a second $transport"
	done
}
thorough fast

node op sub "$client" sub -n 400 -d 20 image:/a
sub=$node
node robot near "$bin/ros1-sub" -n 400 image:/a
near=$node
node robot pub "$client" pub -q 40 -r 200 -n 400 -s 2 image:/a:30000
finish $node $sub $near && intact pub sub 400 && intact pub near 400 &&
	[ "$(missing /a 1 400 near)" = 0 ]
ok "two subscribers: the fast one has everything while one is slow"
lost=$(missing /a 1 400 sub)
[ "$lost" -gt 0 ] && [ "$(counter pub /a dropped)" -ge "$lost" ] &&
	awk '$2 <= last { exit 1 } { last = $2 }' "$dir/sub"
ok "the slow one misses whole messages, in order and counted"

# latched [-u]
latched()
{
	local transport=${1-} sub

	node robot pub "$client" pub -r 50 -n 5 -l -w -s 0 image:/map:50000
	wait_for 60 eval "lines pub 5"
	node op sub "$client" sub $transport -c 1 image:/map
	sub=$node
	node op other "$bin/ros1-sub" $transport -c 1 image:/map
	finish $node $sub && [ "$(cat "$dir/sub" "$dir/other" | sort -u)" = \
		"$(tail -n 1 "$dir/pub")" ]
	ok "who comes late gets the latched message $transport"
	end robot "client-node.* pub"
}

more_latched()
{
	latched -u
	node robot near "$bin/ros1-sub" image:/map
	node robot pub "$bin/ros1-pub" -l -r 50 -n 5 -w image:/map:500
	wait_for 60 eval "lines pub 5"
	node op sub "$client" sub -c 1 image:/map
	finish $node && [ "$(cat "$dir/sub")" = "$(tail -n 1 "$dir/pub")" ]
	ok "and from roscpp too"
	end robot ros1-
}

latched
thorough more_latched

# comes_back [-u]
comes_back()
{
	local transport=${1-} sub

	node op sub "$client" sub $transport -n 100 image:/a
	sub=$node
	node robot pub "$bin/ros1-pub" -r 50 -n 9999 image:/a:3000
	wait_for 60 eval "lines sub 20"
	kill -9 $(pids robot ros1-pub) 2>/dev/null
	wait $node 2>/dev/null
	[ -n "$transport" ] || wait_for 60 eval '[ "$(said sub "lost http")" = 1 ]'
	mv "$dir/pub" "$dir/pub1"
	node robot pub "$bin/ros1-pub" -r 50 -n 100 image:/a:3000
	finish $node $sub && [ "$(missing /a 8 100 sub)" -le 0 ]
	ok "a publisher is killed and comes back $transport"
}

comes_back

gone()
{
	comes_back -u
	node op sub "$client" sub -u image:/gone
	node robot pub "$bin/ros1-pub" -r 50 -n 9999 image:/gone:3000
	wait_for 60 eval "lines sub 20"
	kill -9 $(pids robot ros1-pub) 2>/dev/null
	wait_for 60 eval '[ "$(said sub "lost http")" = 1 ]'
	ok "a UDPROS publisher that is gone is noticed"
	end op client-node
}
thorough gone

node op sub "$client" sub -n 100 text:/a
node robot pub "$bin/ros1-pub" -s 0 -r 50 -n 9999 image:/a:3000
wait_for 60 eval '[ -s "$dir/sub.err" ]'
# the master names all publishers again when there is another one
CLIENT_NAME=/other node robot other "$client" pub -r 10 text:/a:200
wait_for 60 eval "lines sub 10"
only sub 'publisher .* rejected: .*CompressedImage'
ok "another type at the publisher: one line"
end robot ros1-pub
end robot client-node
end op client-node

other_type()
{
	node op sub "$bin/ros1-sub" -c 1 text:/a
	node robot pub "$client" pub -s 0 -r 50 -n 9999 image:/a:3000
	wait_for 60 eval '[ -s "$dir/pub.err" ]'
	CLIENT_NAME=/other node op other "$client" sub image:/a
	wait_for 60 eval "lines other 10"
	only pub 'subscriber /operator rejected: type mismatch: wants std_msgs/String'
	ok "another type at the subscriber: one line"
	end op ros1-sub
	end op client-node
	end robot client-node
}
thorough other_type

node op sub "$client" sub -c 20 -m 10000 text:/a any:/b
sub=$node
node robot pub "$client" pub -r 50 -n 20 text:/a:100000 image:/b:2000
finish $node $sub
[ "$(missing /b 1 20 sub)" = 0 ]
ok "any type, with what the publisher says of it"
[ "$(missing /a 1 20 sub)" = 20 ]
ok "messages that are too large are left out"

# A small queue shared with TCP: tails of messages are lost.
at "$rig" robot tc qdisc replace dev v0 root handle 1: tbf rate 30mbit \
	burst 10kb limit 30kb
CLIENT_NAME=/load_sub node op load "$client" sub image:/load
CLIENT_NAME=/load_pub node robot load "$client" pub -r 15 image:/load:200000
node op sub "$client" sub -u -n 300 image:/a
sub=$node
node robot pub "$bin/ros1-pub" -r 100 -n 300 image:/a:12000
finish $node $sub && intact pub sub 300
lost=$(missing /a 1 300 sub)
echo "# lost $lost: $(cat "$dir/sub.err")"
[ "$lost" -gt 5 ] && [ "$lost" -lt 280 ] &&
	[ $(($(counter sub /a incomplete) + $(counter sub /a missing))) -ge \
		$((lost - 5)) ]
ok "UDPROS goes on after lost packets, which are counted"
end op client-node
end robot client-node
at "$rig" robot "$here/link.sh" up

topics=
for i in {1..100}; do topics+=" text:/t$i:50"; done
node op sub "$client" sub -n 20 $topics
sub=$node
node robot pub "$client" pub -r 20 -n 20 $topics
finish $node $sub && intact pub sub 20 &&
	[ "$(awk '$2 <= 20' "$dir/sub" | wc -l)" = 2000 ]
ok "100 topics"
left=$(ask 'print(m.getSystemState("/x"))')
[ -n "$left" ] && [ "${left/c_}" = "$left" ]
ok "who ends takes leave of the master"

slow_master()
{
	local slow

	# It answers after 50 ms: leaving takes 5 s.
	at "$rig" robot timeout 120 python3 - >"$dir/left" <<-'END' &
		import time
		from xmlrpc.server import SimpleXMLRPCServer as Server
		class Master:
		    def _dispatch(self, method, args):
		        if method.startswith('unregister'):
		            time.sleep(.05)
		            print(args[1], flush=True)
		        return [1, '', [] if method == 'registerPublisher' else 1]
		s = Server(('10.77.0.1', 11312), logRequests=False, allow_none=True)
		s.register_instance(Master())
		s.serve_forever()
	END
	slow=$!
	wait_for 60 at "$rig" robot bash -c ': </dev/tcp/10.77.0.1/11312' 2>/dev/null
	node robot pub env ROS_MASTER_URI=http://10.77.0.1:11312 "$client" pub -s 0 \
		-r 20 -n 20 $topics
	finish $node && [ "$(sort -u "$dir/left" | wc -l)" = 100 ]
	ok "of a slow master, too, for each of 100 topics" ||
		echo "# $(sort -u "$dir/left" | wc -l) left"
	kill $slow
	wait $slow 2>/dev/null
}
thorough slow_master

node robot pub "$client" pub -r 50 -n 9999 -s 0 -q 5 image:/a:3000
node op sub "$client" sub text:/other image:/a
wait_for 60 eval "lines sub 10"
[ "$(ask 'n = ServerProxy(m.lookupNode("/x", "/c_robot")[2])
def shape(v):
	return [shape(x) for x in v] if isinstance(v, list) else type(v).__name__
print(n.getPublications("/x")[2], n.getSubscriptions("/x")[2],
	n.getName("/x")[2], n.getPid("/x")[2] > 1, n.getBusInfo("/x")[2][0][1:6],
	shape(n.getBusStats("/x")), n.getMasterUri("/x")[2],
	n.paramUpdate("/x", "/p", 1)[0], n.getPid()[0],
	n.requestTopic("/x", "/none", [["TCPROS"]])[0],
	n.requestTopic("/x", "/a", [["WARPROS"]])[0])')" = \
"[['/a', 'sensor_msgs/CompressedImage']] [] /c_robot True \
['/c_operator', 'o', 'TCPROS', '/a', True] \
['int', 'str', [[['str', 'int', [['int', 'int', 'int', 'int', 'int']]]], [], \
[]]] http://10.77.0.1:11311/ 1 -1 0 0" ]
ok "the slave API answers"

nonsense()
{
	local before

	ask 'n = ServerProxy(m.lookupNode("/x", "/c_operator")[2])
for uris in [], ["http://"], ["x"], [1, []], 5, ["http://10.77.0.9:1/"] * 50, \
		["http://10.77.0.1:%d" % p for p in range(1, 2000)]:
	n.publisherUpdate("/x", "/other", uris)
try:
	n.noSuchMethod()
	sys.exit(1)
except Exception:
	pass' && [ -n "$(pids op client-node)" ]
	ok "an update with nonsense"
	ask 'from random import Random
from urllib.parse import urlparse
r = Random(1)
n = m.lookupNode("/x", "/c_robot")[2]
tcp = ServerProxy(n).requestTopic("/x", "/a", [["TCPROS"]])[2][2]
for port in urlparse(n).port, tcp:
	held = [socket.create_connection(("10.77.0.1", port)) for i in range(90)]
	for data in (b"", b"\xff" * 9, b"\4\0\0\0\xff\xff\xff\xff",
		b"POST / HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n",
		b"POST / HTTP/1.1\r\nContent-Length: 4\r\n\r\n<a/>",
		b"GET / HTTP/1.1\r\n\r\n", b"A" * 100000, r.randbytes(5000)):
		s = socket.create_connection(("10.77.0.1", port))
		try:
			s.sendall(data)
		except OSError:
			pass
		s.close()'
	before=$(wc -l <"$dir/sub")
	wait_for 60 eval "lines sub $((before + 50))"
	ok "strangers who talk nonsense, or too many who say nothing"
}
thorough nonsense

ask 'ServerProxy(m.lookupNode("/x", "/c_robot")[2]).shutdown("/x", "enough")'
wait_for 60 eval '[ -z "$(pids robot client-node)" ]'
ok "shutdown"
end op client-node

# Without roscpp: its nodes do not notice a restart of the master.
start_master()
{
	at "$rig" robot rosmaster --core -p 11311 >"$dir/master.log" 2>&1 &
	master "$rig"
}

end robot rosmaster
node op sub "$client" sub -n 1000 text:/a
sub=$node
node robot pub "$client" pub -r 50 -n 1000 text:/a:100
pub=$node
wait_for 60 eval '[ -s "$dir/pub.err" ]'
# a few more attempts
pause 1
only pub 'does not answer'
ok "a master that is not there: one line"
start_master
wait_for 60 eval "lines sub 10"
ok "a master that comes late"
end robot rosmaster
start_master
wait_for 60 eval '[ "$(said pub "registering again")" = 1 ]'
ok "a master that was started again"
node op other "$bin/ros1-sub" -c 20 text:/a
finish $node
ok "and knows the node again"
finish $pub $sub && [ "$(missing /a 1 1000 sub)" = 0 ]
ok "while all messages went on"

finds_publisher()
{
	local sub

	end robot rosmaster
	start_master
	node op sub "$client" sub -n 30 text:/a
	sub=$node
	wait_for 60 ask 'sys.exit(dict(m.getSystemState("/x")[2][1]).get("/a") is None)'
	end robot rosmaster
	start_master
	node robot pub "$bin/ros1-pub" -r 10 -n 30 text:/a:100
	finish $node $sub
	ok "a subscriber finds publishers that only the new master knows"
}

# received PUB: number of its messages that sub has
received() { grep -cFxf "$dir/$1" "$dir/sub"; }

# unknown [-u]
unknown()
{
	local transport=${1-} before

	node op sub "$client" sub $transport text:/a
	node robot pub "$bin/ros1-pub" -r 50 -n 9999 text:/a:100
	wait_for 60 eval "lines sub 10"
	end robot rosmaster
	start_master
	wait_for 60 eval '[ "$(said sub "registering again")" = 1 ]'
	CLIENT_NAME=/other node robot other "$client" pub -r 10 text:/a:200
	wait_for 60 eval "lines other 10"
	# now the subscriber has the new list of publishers
	wait_for 60 eval '[ "$(received other)" -gt 0 ]'
	before=$(received pub)
	wait_for 60 eval '[ "$(received pub)" -ge '$((before + 100))' ]'
	ok "one that the new master does not know is not given up $transport"
	end op client-node
	end robot ros1-pub
	end robot client-node
}

unknown_udp() { unknown -u; }

unknown
thorough finds_publisher unknown_udp
done_testing
