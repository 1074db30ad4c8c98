#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# links.sh - the library between a stock roscpp publisher and its subscribers:
# named topics are sampled, everything else is unchanged

. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

unset OPTSAMPLE_TOPICS
rig links || skip_all "no namespaces or no token bucket here"
dir=$scratch/$rig
hook=$here/link.sh
master "$rig"

# subscribe OPTIONS TOPIC...: the operator, in the background
subscribe()
{
	at "$rig" op "$bin/ros1-sub" "$@" >"$dir/sub" 2>"$dir/sub.err" &
	subscriber=$!
}

# publish [VARIABLE=VALUE]... ros1-pub OPTIONS TOPIC...: the robot, to its end
publish()
{
	local status

	rm -f "$dir/stats"
	at "$rig" robot env LD_PRELOAD="$shim" "OPTSAMPLE_ROS1_STATS=$dir/stats" \
		PATH="$bin:$PATH" "$@" >"$dir/pub" 2>"$dir/err"
	status=$?
	# Do not wait for unsent messages of a dead publisher.
	[ $status = 0 ] || kill $(ip netns pids "$rig-op")
	return $status
}

# gap TOPIC: largest distance of two consecutively received messages
gap()
{
	awk -v topic="$1" '$1 == topic { if ($2 - last > gap) gap = $2 - last
		last = $2 } END { print gap + 0 }' "$dir/sub"
}

# stat TOPIC WORD: of its link
stat()
{
	awk -v topic="$1" -v word="$2" '$2 == topic { for (i = 1; i < NF; i += 2)
		if ($i == word) print $(i + 1) }' "$dir/stats"
}

# Each message was sent only once; all received ones were sent, and are intact.
balanced()
{
	awk '$6 != $8 + $10 + $12 + $14 || $NF > 20 { exit 1 }' "$dir/stats" &&
		[ "$("$bin/app-report" "$dir/pub" "$dir/sub" |
			sed 's/.*bad //')" = 0 ]
}

# untouched: handled natively, without a log line
untouched()
{
	[ ! -s "$dir/stats" ] && [ "$(gap "$1")" -ge 40 ]
}

outage="-r 100 -q 20 -n 160 -o 40:80 -x $hook"

topics="image:/a:10000 image:/gap:10000 text:/count:10000 image:/two:10000"
topics+=" image:/new:10000 image:/one:10000 image:/other:10000"
subscribe -n 160 $topics
publish OPTSAMPLE_TOPICS="/a, /gap:policy=gap, /cou*:policy=gap:refill=30,
	/two:policy=2sample,/new:policy=drop-newest,/one:limit=1" \
	ros1-pub $outage $topics
wait $subscriber
balanced
ok "every message is sent, sampled, evicted or left, and arrives as it was"
for topic in /a /gap /count; do
	[ "$(gap $topic)" -le 10 ] && [ "$(stat $topic gap)" -le 10 ]
	ok "an outage of 80 messages is sampled evenly: $topic"
done
[ "$(gap /two)" -le 20 ]
ok "policy 2sample"
[ "$(gap /new)" -ge 40 ] && [ "$(stat /new evicted)" = 0 ]
ok "policy drop-newest"
[ "$(stat /one left)" -le 1 ] && [ "$(gap /one)" -ge 24 ]
ok "limit=1 keeps one"
[ "$(gap /other)" -ge 40 ] && [ -z "$(stat /other in)" ]
ok "a topic that is not named is native: the newest 20"

# H.264, whatever the message calls it: pictures need others
{ printf '\0\0\0\1\x67'; head -c 10000 /dev/urandom; } >"$dir/h264"
subscribe -n 160 image:/video
publish OPTSAMPLE_TOPICS=/video ros1-pub $outage "image:/video:$dir/h264"
wait $subscriber
[ "$(gap /video)" -ge 40 ] && [ "$(stat /video in)" = 0 ] &&
	[ "$(grep -c 'optsample-ros1: /video to .* is not sampled: h264' \
		"$dir/err")" = 1 ]
ok "video that is named is native, too, and that is said once" ||
	sed 's/^/# /' "$dir/err" "$dir/stats"

subscribe -n 160 image:/a
publish OPTSAMPLE_TOPICS=/a ros1-pub $outage -q 1 image:/a:10000
wait $subscriber
balanced && [ "$(stat /a left)" -le 1 ]
ok "queue_size 1"

subscribe -n 160 image:/a
publish OPTSAMPLE_TOPICS=/a ros1-pub $outage -q 0 image:/a:10000
wait $subscriber
[ ! -s "$dir/stats" ] && [ "$(gap /a)" = 1 ]
ok "queue_size 0 is unlimited, and left alone"

subscribe -n 160 image:/a
publish OPTSAMPLE_TOPICS=/a:limit=20 ros1-pub $outage -q 0 image:/a:10000
wait $subscriber
balanced && [ "$(gap /a)" -gt 1 ] && [ "$(gap /a)" -le 10 ]
ok "queue_size 0 with a limit is sampled"

subscribe -n 30 image:/a
publish OPTSAMPLE_TOPICS=/a ros1-pub -r 10 -q 4 -n 30 -o 8:16 -x "$hook" \
	image:/a:600000
wait $subscriber
balanced && [ "$(gap /a)" -le 8 ]
ok "large messages"

subscribe -n 160 image:/a
at "$rig" robot "$bin/ros1-sub" -n 160 image:/a __name:=near \
	>"$dir/near" 2>/dev/null &
near=$!
publish OPTSAMPLE_TOPICS=/a ros1-pub $outage -s 2 image:/a:10000
wait $subscriber $near
balanced && [ "$(gap /a)" -le 10 ] && [ "$(wc -l <"$dir/stats")" = 2 ] &&
	[ "$(grep -c ^/a "$dir/near")" -gt 160 ]
ok "two subscribers: the one behind the link gets a sample, the other all"

# Without arrivals, only departures of the other topic start them.
topics="image:/a:20000 image:/b:9000 scan:/c:3000"
subscribe -n 100 $topics
publish OPTSAMPLE_TOPICS=*:sync=x ros1-pub $outage -n 119 -w $topics
wait $subscriber
[ "$(awk '$2 > 100 { print $1 }' "$dir/sub" | sort -u | wc -l)" = 3 ]
ok "what waits in a group leaves although nothing more is published"

# The subscriber dies unnoticed and restarts under its name.
cat >"$scratch/hook" <<END
#!/bin/bash
if [ \$1 = down ]; then
	ip netns exec $rig-op ip link set v1 down
	ip netns pids $rig-op | xargs kill -9
elif [ \$1 = up ]; then
	ip netns exec $rig-op ip link set v1 up
	touch $dir/back
fi
END
chmod +x "$scratch/hook"
topics="image:/a:10000 image:/b:9000 text:/c:9000"
subscribe $topics
{
	wait_for 300 test -e "$dir/back"
	exec ip netns exec "$rig-op" env ROS_MASTER_URI=http://10.77.0.1:11311 \
		ROS_IP=10.77.0.2 "$bin/ros1-sub" -n 240 $topics \
		>"$dir/sub2" 2>/dev/null
} &
again=$!
publish OPTSAMPLE_TOPICS="/[ab]:sync=x,/c" ros1-pub -r 50 -n 240 -o 40:80 \
	-x "$scratch/hook" $topics
[ $? = 0 ] && [ "$(wc -l <"$dir/stats")" = 6 ]
ok "a subscriber dies in the outage: the publisher goes on, to both ends"
wait $again
[ "$(awk '$2 > 240 { print $1 }' "$dir/sub2" | sort -u | wc -l)" = 3 ]
ok "and serves the one that comes back, in its groups too"

subscribe -n 160 image:/a
publish OPTSAMPLE_TOPICS="*" ros1-pub $outage -l image:/a:10000
wait $subscriber
untouched /a
ok "a latched topic is left alone"

subscribe -u -n 30 image:/a
publish OPTSAMPLE_TOPICS="*" ros1-pub -r 50 -n 30 image:/a:1000
wait $subscriber
[ ! -s "$dir/stats" ] && grep -q '^/a ' "$dir/sub"
ok "UDPROS is left alone"

param "$rig" /optsample/topics /a
subscribe -n 160 image:/a
publish ros1-pub $outage image:/a:10000
wait $subscriber
[ "$(gap /a)" -le 10 ] && [ -n "$(stat /a in)" ]
ok "/optsample/topics names topics"

param "$rig" /robot/optsample/topics /none
subscribe -n 30 image:/a
publish ros1-pub -r 50 -n 30 image:/a:1000
wait $subscriber
[ ! -s "$dir/stats" ]
ok "a private parameter wins over the global one"

subscribe -n 160 image:/a
publish OPTSAMPLE_TOPICS= ros1-pub $outage image:/a:10000
wait $subscriber
untouched /a
ok "the environment wins over parameters"

subscribe -n 30 text:/a
publish OPTSAMPLE_TOPICS=/a:sync=x ros1-pub -r 50 -n 30 text:/a:1000
wait $subscriber
[ -n "$(stat /a in)" ] && [ "$(wc -l <"$dir/err")" = 1 ] &&
	grep -q 'no header' "$dir/err"
ok "a type without a header is sampled outside of the group, and says so"

subscribe -c 5 image:/a
publish OPTSAMPLE_TOPICS="/a:limit=0,/b" ros1-pub -r 50 -n 5 image:/a:1000 &&
	[ ! -s "$dir/stats" ] && [ "$(wc -l <"$dir/err")" = 1 ] &&
	grep -q '^optsample-ros1: OPTSAMPLE_TOPICS: .*nothing' "$dir/err"
ok "a mistake is one line, and nothing is sampled"
wait $subscriber

# A roscpp that only differs in its name
mkdir "$scratch/lib"
python3 - "$(ldconfig -p | awk '/libroscpp.so.4d/ { print $NF; exit }')" \
	"$scratch/lib/libroscpp.so.4d" <<'END'
import subprocess, sys
notes = subprocess.run(["readelf", "-n", sys.argv[1]], text=True,
	check=True, stdout=subprocess.PIPE).stdout
id = bytes.fromhex(notes.split("Build ID: ")[1].split()[0])
with open(sys.argv[1], "rb") as old, open(sys.argv[2], "wb") as new:
	new.write(old.read().replace(id, bytes(len(id))))
END
subscribe -n 160 image:/a
publish LD_LIBRARY_PATH="$scratch/lib" OPTSAMPLE_TOPICS=/a \
	ros1-pub $outage image:/a:10000
wait $subscriber
untouched /a
ok "another roscpp stays native"
[ "$(wc -l <"$dir/err")" = 1 ] && grep -q "$scratch/lib/libroscpp.so.4d has \
build ID 0*, .*: nothing is sampled" "$dir/err"
ok "and that takes one line"

said=$(LD_BIND_NOW=1 LD_PRELOAD=$shim bash -c 'echo fine; /bin/true' 2>&1)
[ "$said" = fine ]
ok "programs that are no nodes do not notice"
done_testing
