#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# daemons.sh - optsample-send and -recv in use: over a link that loses,
# duplicates, reorders and corrupts, killed, restarted, reconfigured
#
# Prints TAP. Needs root, what make built, and jq.

. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

python3 "$top/tests/e2e/lab/make.py" "$scratch" || exit 1
picture=$scratch/gray.png
cloud=$scratch/packets.bin

# ---- invalid options: one line, status 2 ----

wrong()
{
	local program=$1 text=$2

	shift 2
	"$bin/optsample-$program" "$@" >"$scratch/said" 2>&1
	[ $? = 2 ] && one_line said "$text"
}

wrong send 'missing --to HOST' "$picture"; ok 'send: no receiver'
wrong send 'no input: give SOURCE' --to 127.0.0.1; ok 'send: no source'
wrong send 'rate must be' --to 127.0.0.1 --rate 3x "$picture"
ok 'send: a rate that is none'
wrong send "unknown setting 'bite'" --to a --topic '/image bite=3' x
ok 'send: a topic with an unknown key'
wrong send 'codec must be' --to a --topic '/image codec=h264' x
ok 'send: a codec that is none'
printf '[send]\nto = 127.0.0.1\n[topic /image]\npriority = 9\n' \
	>"$scratch/bad.conf"
wrong send 'bad.conf:4: priority must be 0..7' --config "$scratch/bad.conf" x
ok 'send: a wrong line of the file, by its number'
printf '[send]\nto = 127.0.0.1\n[topic /a/name/that/is/far/longer/than/what/a/section/may/have]\nrate = 1\n' \
	>"$scratch/long.conf"
wrong send 'section name longer than 48 bytes' --config "$scratch/long.conf" x
ok 'send: a section that would be cut'
{ printf '[send]\nto = 127.0.0.1\n'; printf '[topic /%d]\nrate = 1\n' {1..65}
} >"$scratch/many.conf"
wrong send 'many.conf:132: at most 64 topic settings' \
	--config "$scratch/many.conf" x
ok 'send: more topic settings than there may be'
wrong send 'does not begin with a topic' --to a --topic image x
ok 'send: a topic without its slash'
wrong send 'threads must be 1..64' --to a --threads 0 x
ok 'send: no threads'
wrong recv 'threads must be 1..64' --threads 65 ros2; ok 'recv: too many'
wrong recv 'no output: give SINK'; ok 'recv: no sink'
wrong recv 'more than 8 sinks' {1..9}/; ok 'recv: too many sinks'
wrong recv 'a sink must be a text' ''; ok 'recv: an empty one'
wrong send 'more than 8 sources' --to a {1..9}/; ok 'send: too many sources'
wrong send 'a source must be a text' --to a ''; ok 'send: an empty one'
wrong recv 'kept must be apart, together or drop' --kept here ros2
ok 'recv: a wrong word'

"$bin/optsample-send" --to 127.0.0.1 "$scratch/none.mcap" >"$scratch/said" 2>&1
[ $? = 1 ] && one_line said none.mcap; ok 'send: a recording that is not there'
"$bin/optsample-send" --to nowhere.invalid "$picture" >"$scratch/said" 2>&1
[ $? = 1 ] && one_line said nowhere.invalid; ok 'send: a host that is not there'
"$bin/optsample" recv --socket "$scratch/none" status >"$scratch/said" 2>&1
[ $? != 0 ] && one_line said 'no daemon listens on'; ok 'no daemon to ask'

# ---- half of the datagrams lost ----

recv recv --metrics 9751 "$scratch/out/" "$scratch/out.mcap"
link --loss 0.5 --delay 10
send robot --to 127.0.0.1:7459 --loop --hz 10 --metrics 9750 "$picture" "$cloud"
wait_for 90 is recv "$(topic /image '.frames > 80')"
ok 'half of it lost: images arrive'
wait_for 90 is recv "$(topic /points '.frames > 80')"; ok 'and clouds'
wait_for 90 is recv "$(topic /image '.frames_missing <= .frames / 20')"
ok 'hardly one is missing altogether'
wait_for 90 is recv "$(topic /image '.loss > .4 and .loss < .6')"
ok 'the receiver knows the loss'
wait_for 90 is robot '.link.state == "live" and .link.loss > .35 and .link.loss < .65'
ok 'the sender hears of it'
wait_for 90 is recv "$(topic /image '.delay < 1 and .delay > .005')"; ok 'and the delay'
wait_for 90 files "$scratch/out/image" 60; ok 'as pictures in a folder'
ip netns exec "$space" python3 - "$scratch" <<-'END'
	import re, sys, urllib.request, urllib.error
	for port, name in ((9750, 'optsample_send_frames_total'),
			   (9751, 'optsample_recv_frames_total')):
	    text = urllib.request.urlopen(
	        'http://127.0.0.1:%d/metrics' % port).read().decode()
	    line = re.compile(r'(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{[a-z]+="[^"]*"'
	                      r'(,[a-z]+="[^"]*")*\})? -?[0-9.e+-]+(nan|inf)?)$')
	    bad = [l for l in text.splitlines() if not line.match(l)]
	    values = re.findall('^' + name + r'\{.*\} (\d+)$', text, re.M)
	    if bad or not values or int(values[0]) < 10:
	        sys.exit('%s: %s' % (name, bad))
	try:
	    urllib.request.urlopen('http://127.0.0.1:9750/other')
	    sys.exit('there is more than /metrics')
	except urllib.error.HTTPError as e:
	    sys.exit(e.code != 404)
END
ok 'counters for Prometheus'

# ---- commands at run time ----

ask robot set /image priority=6 rate=2 && wait_for 90 is robot \
	'.topics[] | select(.topic == "/image") | .priority == 6 and .hz <= 2'
ok 'a topic is changed'
ask robot focus /points && is robot \
	'.topics[] | select(.topic == "/points") | .focus'; ok 'the focus'
ask robot focus && ! is robot '[.topics[].focus] | any'; ok 'and none'
# the link loses half of them
ask recv focus /points && wait_for 90 is robot \
	'.topics[] | select(.topic == "/points") | .focus'
ok 'the focus, by the operator'
ask recv priority /points 5 robot=robot && wait_for 90 is robot \
	'.topics[] | select(.topic == "/points") | .priority == 5'
ok 'a priority, by the operator'
ask recv focus && wait_for 90 is robot '[.topics[].focus] | any | not'
ok 'and no focus'
is robot '.link.commands == 3 and .link.commands_refused == 0' &&
	[ "$(grep -c 'operator at 127.0.0.1:.* priority of /points is 5$' \
		"$scratch/robot.log")" = 1 ]
ok 'counted, and one line each'
ask recv priority /points 9 2>"$scratch/said"
one_line said 'priority must be 0..7'; ok 'a priority that is none'
ask recv focus /none 2>"$scratch/said"
one_line said 'topic /none is not received'; ok 'a topic that is none'
ask recv focus robot=none 2>"$scratch/said"
one_line said 'none is not received'; ok 'a robot that is none'
wait_for 90 is recv "$(topic /optsample/link '.frames > 3')"
ok 'the status of the robot arrives'
ask robot rate 1mbit && is robot '.link.limit == 1000000'; ok 'the rate'
ask robot set /image rate=0
ask robot rate unlimited

cpu_limit()
{
	ask robot cpu 4 && is robot '.link.cpu_limit == 0.04' &&
		wait_for 90 is robot '.topics[] | select(.topic == "/image") |
			.on and .frame_bytes < 9000'
	ok "a limit of the processor makes images smaller" ||
		ask robot --json status | jq -c "[.link, .topics]" | sed "s/^/# /"
	wait_for 90 is robot '.link.cpu_limits and .link.cpu < 0.045' &&
		ask robot status | grep -q 'of 4%, which limits images'
	ok 'is kept, and shown'
	wait_for 90 grep -q 'coding has reached its limit of 4 % of a core' "$scratch/robot.log"
	ok 'and the log says so'
	ask robot cpu 100% &&
		wait_for 90 is robot '.topics[] | select(.topic == "/image") |
			.frame_bytes > 40000'
	ok 'and none, larger'
	wait_for 90 is robot '.link.cpu_limits | not'; ok 'nor is one shown'
}
thorough cpu_limit

asked_often()
{
	local frames i

	frames=$(ask robot --json status | jq '.topics[] |
	select(.topic == "/image") | .frames')
	for i in 1 2 3 4 5 6 7 8 9 10; do
		ask robot set /image priority=$((i % 7))
		pause 0.2
	done
	wait_for 90 is robot ".topics[] | select(.topic == \"/image\") |
	.frames > $frames + 8"; ok 'requests do not stop it'
	for i in $(seq 70); do
		ask robot add /points priority=2 && ask robot remove /points
	done >/dev/null 2>&1
	ask robot add /points; ok 'nor wear it out'
}
thorough asked_often

wait_for 90 is robot '[.topics[] | select(.topic == "/points") | .frames > 5] | any'
ask robot remove /points && wait_for 90 is robot '[.topics[].topic] == ["/image"]'
ok 'a topic is removed'
ask robot add /points priority=1 &&
	wait_for 90 is robot '[.topics[] | select(.topic == "/points") | .frames > 5] | any'
ok 'and added again'

refused_requests()
{
	local request text

	while IFS='|' read -r request text; do
		! ask robot $request >"$scratch/said" 2>&1 && one_line said "$text"
		ok "refused, as it cannot be: $request"
	done <<-'END'
		set /nothing rate=1|/nothing is not sent
		set /image rate=x|rate must be
		set /image wish=1|unknown setting 'wish'
		fly /image|unknown command 'fly'
		remove /nothing|/nothing is not sent
		focus /nothing|/nothing is not sent
		rate much|rate must be
	END
	ip netns exec "$space" python3 - "$scratch/robot.socket" <<-'END'
		import json, socket, sys
		s = socket.socket(socket.AF_UNIX)
		s.connect(sys.argv[1])
		f = s.makefile('rw')
		for text in ('', '{', '[]', '{"do":7}', '{"do":"set","topic":7}',
		             '{"do":"set","topic":"/image","rate":2}', 'x' * 60000):
		    f.write(text + '\n')
		    f.flush()
		    answer = json.loads(f.readline())
		    if answer['ok'] or not answer['error']:
		        sys.exit('%.40s: %s' % (text, answer))
		# it may hang up before everything is written
		try:
		    f.write('y' * 100000)
		    f.flush()
		    f.readline()
		except OSError:
		    pass
	END
	ok 'noise on its socket' && is robot '.ok'; ok 'does no harm'
}
thorough refused_requests

send other --to 127.0.0.1:7459 --socket "$scratch/robot.socket" "$picture"
! wait "${pid[other]}" && grep -q 'another process uses' "$scratch/other.log"
ok 'a socket is not taken from the one that runs'
ask recv set kept=together && ! ask recv set sink=ros2 >"$scratch/said" 2>&1
ok 'the receiver, too'
ask recv set prefix=always && wait_for 90 is recv "$(topic /robot/image true)" &&
	ask recv set prefix=never && wait_for 90 is recv "$(topic /image true)"
ok 'where its topics are'

end robot recv link; ok 'they end when they are asked to'
"$bin/io-copy" -x 50 "$scratch/out.mcap" "$scratch/again/" >/dev/null 2>&1
files_of() { (cd "$scratch/$1" && find . -type f -printf '%h\n' | sort | uniq -c); }
[ "$(files_of again)" = "$(files_of out)" ] || {
	files_of again | sed 's/^/# recording /'
	files_of out | sed 's/^/# folder /'
	false
}
ok 'the recording has as many messages as the folder'
! [ -e "$scratch/robot.socket" ] && ! [ -e "$scratch/recv.socket" ]
ok 'their sockets are gone'

# ---- killed ----

recv recv "$scratch/out1/"
link --loss 0.2
send robot --to 127.0.0.1:7459 --loop "$picture"
wait_for 90 is recv "$(topic /image '.frames > 20')"
slay recv
# as long as a restart takes
pause 1
recv recv "$scratch/out2/"
wait_for 90 is recv "$(topic /image '.frames > 20')"
ok 'a receiver that was killed goes on'
slay robot
send robot --to 127.0.0.1:7459 --loop "$picture"
wait_for 90 is recv '[.senders[] | .over] | sort == [false, true]' &&
	wait_for 90 is recv "$(topic /image '.frames > 20')"
ok 'a sender that was killed is a new stream, the old one is over'
slay link
wait_for 90 is robot '.link.state == "outage"'; ok 'no link: an outage'
link --loss 0.2
wait_for 90 is robot '.link.state == "live" and .link.outages >= 1' &&
	wait_for 90 is recv "$(topic /image '.silent < 1')"; ok 'which ends'
end robot
grep -q 'no receiver reports: link down' "$scratch/robot.log"; ok 'and is in the log'

# ---- no receiver ----

send lone --to 127.0.0.1:7461 --loop "$picture"
wait_for 90 is lone '.link.unreachable > 3 and .link.error == "Connection refused"' &&
	grep -q '127.0.0.1:7461 unreachable: no program listens' \
		"$scratch/lone.log" &&
	[ "$(grep -c ' unreachable: ' "$scratch/lone.log")" = 1 ]
ok "no program listens: counted, shown, logged once"
ask lone status | grep -q 'unreachable: Connection refused'
ok 'for people, too'
recv recv7 --listen 7461 "$scratch/out7/"
wait_for 90 is lone '.link.state == "live" and .link.error == ""' &&
	wait_for 90 is recv7 "$(topic /image '.frames > 5')" &&
	grep -q '127.0.0.1:7461 reachable again' "$scratch/lone.log"
ok 'one does: it goes on, and says so'
end lone recv7

no_way_there()
{
	send lone --to '[::1]:7461' --loop "$picture"
	wait_for 90 is lone '.link.unreachable > 3 and .link.error == "Connection refused"'
	ok 'by IPv6'
	end lone
	send lone --to 192.0.2.1 --loop "$picture"
	wait_for 90 is lone '.link.unreachable > 3 and .link.error == "Network is unreachable"' &&
		[ "$(grep -c ' unreachable: ' "$scratch/lone.log")" = 1 ]
	ok 'nor a way there'
	end lone
}
thorough no_way_there

# ---- losses in bursts ----

bursts()
{
	recv recv8 --listen 127.0.0.1:7463 "$scratch/out8/"
	begin bursts "$bin/udp-link" --listen 127.0.0.1:7462 --to 127.0.0.1:7463 \
		--loss .2 --burst 8 --seed 3
	send lone --to 127.0.0.1:7462 --loop --hz 20 "$picture"
	wait_for 90 is lone '.link.spread and .link.burst > 3'
	ok 'losses in bursts: the receiver reports them, and frames are spread'
	end lone bursts recv8
}
thorough bursts

# ---- driving by images ----

# 8 Mbit/s and 20 ms each way carry 18 kB within 60 ms, once that is known: not on
# a busy machine, which adds as much
driving()
{
	python3 - "$scratch/rough.png" <<-'END'
	import random, struct, sys, zlib
	def chunk(name, data):
	    return (struct.pack('>I', len(data)) + name + data +
	            struct.pack('>I', zlib.crc32(name + data)))
	random.seed(1)
	rows = b''.join(b'\0' + bytes(random.randrange(90, 160)
	                              for x in range(640)) for y in range(480))
	with open(sys.argv[1], 'wb') as f:
	    f.write(b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR',
	            struct.pack('>IIBBBBB', 640, 480, 8, 0, 0, 0, 0)) +
	            chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b''))
	END
	recv recv9 --listen 127.0.0.1:7465 "$scratch/out9/"
	begin drive "$bin/udp-link" --listen 127.0.0.1:7464 --to 127.0.0.1:7465 \
		--rate 8000000 --delay 20 --queue 200
	send driver --to 127.0.0.1:7464 --topic '/image latency=60' --loop --hz 10 \
		"$scratch/rough.png"
	wait_for 90 is driver '.topics[] | select(.topic == "/image") | .frame_bytes >= 18000'
	ok 'a limit of 60 ms: images use what the link carries in that time'
	end driver drive recv9
}
thorough driving

# ---- a cloud larger than a frame ----

large_cloud()
{
	python3 - "$scratch/large.pcd" <<-'END'
		import array, sys
		n = 500000
		with open(sys.argv[1], 'wb') as f:
		    f.write(('# .PCD v0.7\nVERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\n'
		             'TYPE F F F\nCOUNT 1 1 1\nWIDTH %d\nHEIGHT 1\n'
		             'VIEWPOINT 0 0 0 1 0 0 0\nPOINTS %d\nDATA binary\n' %
		             (n, n)).encode())
		    array.array('f', range(3 * n)).tofile(f)
	END
	send lone --to 127.0.0.1:7461 --topic '/points codec=cloud80' --loop --hz 2 \
		"$scratch/large.pcd"
	wait_for 90 grep -q '/points: cannot send: frame exceeds 4096 datagrams' \
		"$scratch/lone.log"
	ok 'a cloud that takes too many datagrams: the log names the limit'
	end lone
}
thorough large_cloud

# ---- IPv6, and an address of several ----

send six --to '[::1]:7450' --loop "$picture"
wait_for 90 is six '.link.state == "live"'; ok 'over IPv6'
end six

other_addresses()
{
	send second --to 127.0.0.2:7450 --loop "$picture"
	wait_for 90 is second '.link.state == "live"'; ok 'to any address of the receiver'
	end second
	"$bin/optsample-send" --to 127.0.0.1:99999 "$picture" >"$scratch/said" 2>&1
	[ $? = 1 ] && one_line said 'is not HOST:PORT'; ok 'a port that is none'
}
thorough other_addresses

# ---- two robots ----

send one --to 127.0.0.1:7459 --loop "$picture"
wait_for 90 is recv '[.senders[] | select(.over | not) | .name] | contains(["one"])'
wait_for 90 is recv "$(topic /one/image '.frames > 20')" ||
	wait_for 90 is recv "$(topic /image '.frames > 20')"
send two --to 127.0.0.1:7459 --loop "$picture"
wait_for 90 is recv "$(topic /two/image '.frames > 20')"
ok 'of two robots with a topic of one name, the second is below its own'
end one two

# ---- two robots of the same name ----

twins()
{
	send first --name twin --to 127.0.0.1:7459 --loop "$picture"
	wait_for 90 is recv '[.senders[] | select(.name == "twin") | .over] == [false]'
	send second --name twin --to 127.0.0.1:7459 --loop "$picture"
	wait_for 90 is recv "$(topic /twin_2/image '.frames > 20')" &&
		wait_for 90 is recv '[.senders[] | select(.name == "twin") | .over] == [false]'
	ok 'two robots of one name: the first keeps it, the second is NAME_2'
	grep -q 'two robots send as twin' "$scratch/recv.log"; ok 'and the log says so'
	end second
	is recv '[.senders[] | select(.name == "twin") | .over] == [false]'
	ok 'the first keeps its name when the second is gone'
	end first
}
thorough twins
end recv link

# ---- a key ----

(umask 077; head -c 32 /dev/urandom >"$scratch/key"
	head -c 32 /dev/urandom >"$scratch/other.key")
recv recv --key "$scratch/key" "$scratch/out6/"
cat >"$scratch/relay.py" <<'END'
# Relays datagrams in both directions; after SIGUSR1 sends all earlier ones once
# more, and each later one twice.
import select, signal, socket, sys
up, down = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in '12')
up.bind(('127.0.0.1', 7460))
sender, seen, again, copies = None, [], [], 1
signal.signal(signal.SIGUSR1, lambda *_: again.append(1))
while True:
    for s in select.select([up, down], [], [], .1)[0]:
        data, who = s.recvfrom(2000)
        if s is up:
            sender = who
            seen.append(data)
            for i in range(copies):
                down.sendto(data, ('127.0.0.1', 7450))
        elif sender:
            up.sendto(data, sender)
    if again:
        again.clear()
        copies = 2
        for data in seen:
            down.sendto(data, ('127.0.0.1', 7450))
        print(len(seen), flush=True)
END
begin relay python3 "$scratch/relay.py"
send robot --key "$scratch/key" --to 127.0.0.1:7460 --loop "$picture"
wait_for 90 is recv "$(topic /image '.frames > 20')"
ok 'both have the key: images arrive'
wait_for 90 is robot '.link.state == "live"'; ok 'and reports'
kill -USR1 "${pid[relay]}"
wait_for 90 is recv '.replayed > 100'; ok 'what was recorded is not taken again'
send thief --to 127.0.0.1:7450 --loop "$picture"
wait_for 90 is recv '.unsealed > 20' && is recv '[.senders[].name] == ["robot"]'
ok 'a sender without the key is not heard'
wait_for 90 grep -q 'sends without a key' "$scratch/recv.log" &&
	[ "$(grep -c 'sends without a key' "$scratch/recv.log")" = 1 ]
ok 'the log says so once'
end thief

other_key()
{
	local before

	send thief --key "$scratch/other.key" --to 127.0.0.1:7450 --loop "$picture"
	before=$(ask recv --json status | jq .unsealed)
	wait_for 90 is recv ".unsealed > $before + 20" &&
		is recv '[.senders[].name] == ["robot"]'
	ok 'nor one with another key'
	end thief
}
thorough other_key
end robot recv

earlier_run()
{
	recv recv --key "$scratch/key" "$scratch/out6/"
	wait_for 90 is recv '.ok'
	kill -USR1 "${pid[relay]}"
	wait_for 90 lines relay 2
	is recv '.senders == []'
	ok 'what was recorded of an earlier run begins no stream'
	end recv
	recv recv "$scratch/out6/"
	send robot --key "$scratch/key" --to 127.0.0.1:7450 --loop "$picture"
	wait_for 90 is recv "$(topic /image '.frames > 20')"
	ok 'a receiver without a key takes what has one'
	wait_for 90 grep -q 'answers without a key' "$scratch/robot.log" &&
		is robot '.link.state == "start"'
	ok 'but a sender with one does not believe its answers'
	end robot recv
	"$bin/optsample-recv" --key "$scratch/none" ros2 >"$scratch/said" 2>&1
	[ $? = 1 ] && one_line said 'cannot read the key'; ok 'a key that is not there'
}
thorough earlier_run
end relay

# ---- a network with every fault ----

every_fault()
{
	recv recv "$scratch/out3/"
	link --loss 0.1 --dup 0.1 --reorder 0.1 --corrupt 0.1 --delay 5
	send robot --to 127.0.0.1:7459 --loop --topic /image --topic /points \
		"$picture" "$cloud"
	wait_for 90 is recv "$(topic /image '.frames > 150')" &&
		is recv "$(topic /image '.frames_missing < .frames / 5')" &&
		is recv '[.senders[].copies] | max > 50'
	ok 'doubled, reordered, changed: images arrive'
	wait_for 90 is recv "$(topic /points '.frames > 50')"; ok 'and clouds'
	end robot recv; ok 'and both live'
	end link
}
thorough every_fault

# ---- clocks that differ ----

if unshare --time --fork true 2>/dev/null; then
	begin recv unshare --time --monotonic 5000 --fork --kill-child \
		"$bin/optsample-recv" --socket "$scratch/recv.socket" \
		"$scratch/out4/"
	link --delay 40
	send robot --to 127.0.0.1:7459 --loop "$picture"
	wait_for 90 is recv "$(topic /image '.frames > 30 and .delay < 1 and
		.delay > .03')"
	ok 'clocks 5000 s apart: the delay is right'
	is robot '.link.queue < .5 and .link.round_trip > .07 and
		.link.round_trip < 1'
	ok 'and so is what the sender thinks'
	slay recv
	end robot link
else
	ok 'clocks # skip no time namespaces'
fi

# ---- a full disk ----

full_disk()
{
	local count

	mkdir "$scratch/small"
	mount -t tmpfs -o size=96k none "$scratch/small" 2>/dev/null
	recv recv "$scratch/small/out.mcap" "$scratch/out5/"
	send robot --to 127.0.0.1 --loop --hz 20 "$picture"
	wait_for 90 grep -q 'No space left' "$scratch/recv.log"; ok 'a full disk is logged'
	count=$(find "$scratch/out5" -name '*.png' | wc -l)
	wait_for 90 files "$scratch/out5/image" $((count + 20))
	ok 'and everything else goes on'
	[ "$(grep -c 'No space left' "$scratch/recv.log")" = 1 ]; ok 'once'
	wait_for 90 is recv '.refused > 10'; ok 'what is not written counts as refused'
	end robot recv
	"$bin/io-copy" -x 50 "$scratch/small/out.mcap" "$scratch/small2/" \
		>/dev/null 2>&1
	files "$scratch/small2/image" 2; ok 'what was written can be read'
	umount "$scratch/small"
}
thorough full_disk

# ---- a service ----

ip netns exec "$space" python3 - "$bin/optsample-recv" "$scratch" \
	>"$scratch/notify" 2>&1 <<-'END'
	import os, signal, socket, subprocess, sys
	s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
	s.bind(sys.argv[2] + '/notify.socket')
	s.settimeout(60)
	env = dict(os.environ, NOTIFY_SOCKET=sys.argv[2] + '/notify.socket',
	           WATCHDOG_USEC='400000', JOURNAL_STREAM='1:1')
	p = subprocess.Popen([sys.argv[1], sys.argv[2] + '/out6/'], env=env,
	                     stderr=subprocess.PIPE)
	said = []
	while said.count('WATCHDOG=1') < 3:
	    said += s.recv(4096).decode().splitlines()
	p.send_signal(signal.SIGTERM)
	log = p.stderr.read().decode()
	if 'READY=1' not in said or p.wait() or not log.startswith('<6>'):
	    sys.exit('%s %s' % (said, log))
END
ok 'ready, feeds the watchdog, ends; journald gets priorities' ||
	sed 's/^/# /' "$scratch/notify"

done_testing
