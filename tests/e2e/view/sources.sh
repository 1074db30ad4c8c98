#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# sources.sh - what optsample-view shows: ROS 2, ROS 1, recordings, robots that
# send, restart, or have a wrong clock; and how it ends
#
# Prints TAP. Needs root: it uses a network namespace.

. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
export ROS_MASTER_URI=http://127.0.0.1:11311 ROS_IP=127.0.0.1 ROS_LOG_DIR=$scratch
unset ROS_DOMAIN_ID ROS_LOCALHOST_ONLY CYCLONEDDS_URI
socket=$scratch/view.sock

# part NAME ARGS...: of sources.py
part()
{
	local name=$1

	shift
	checks "$name${3:+ ($3)}" python3 "$here/sources.py" "$name" 8765 "$@"
}

# send NAME ARGS...: a robot
send()
{
	local name=$1

	shift
	begin "$name" "$bin/optsample-send" --name "$name" --device no \
		--to 127.0.0.1 "$@"
}

status() { "$bin/optsample" view --socket "$socket" --json status; }

# says EXPRESSION: on the status, as j; t("/NAME") is a topic
says()
{
	status 2>&1 | python3 -c '
import json, sys
try:
    j = json.load(sys.stdin)
    def t(name):
        return next(t for t in j["topics"] if t["name"] == name)
    sys.exit(not eval("(" + sys.argv[1] + ")"))
except (ValueError, KeyError, StopIteration):
    sys.exit(1)' "$1"
}

# shows EXPRESSION: until it is so
shows()
{
	wait_for 120 says "$1" && return
	status 2>&1 | cut -c 1-2000 | sed 's/^/# /'
	return 1
}

"$bin/test_io" "$scratch/kinds.mcap" &&
	"$bin/view-bag" "$scratch/a.mcap" 600 0 4 &&
	"$bin/view-bag" "$scratch/b.mcap" 600 1 2000 &&
	"$bin/view-bag" "$scratch/c.bag" 20 1 2000 &&
	"$bin/view-bag" "$scratch/c.db3" 20 1 2000 &&
	"$bin/view-bag" "$scratch/folder" 20 1 2000 &&
	"$bin/view-bag" "$scratch/later.mcap" 600 0 4 less \
		$(($(date +%s) + 31536000))
ok "recordings" || exit 1

# ---- recordings ----

for recording in b.mcap c.db3 folder; do
	view "$scratch/$recording"
	part states 20 /state
	end view; ok "$recording: SIGTERM: status 0"
done
view "$scratch/c.bag"
part sees ros1 20 /state /image0
end view; ok "c.bag: SIGTERM: status 0"
view --start 19 --topic '/im*' "$scratch/c.db3"
part sees cdr 1 /image0
says 'len(j["topics"]) == 1'; ok "only topics that were asked for"
end view
size=$(stat -c %s "$scratch/b.mcap")
head -c $((size / 2)) "$scratch/b.mcap" >"$scratch/half.mcap"
view "$scratch/half.mcap"
part states 20 /state
[ "$(wc -l <"$scratch/view.log")" -le 3 ]
ok "a recording that is cut: it is played" || show "$scratch/view.log"
end view; ok "SIGTERM: status 0"
: >"$scratch/empty.mcap"
mkdir "$scratch/nothing"
echo "no recording" >"$scratch/text.mcap"
"$bin/view-bag" "$scratch/one.mcap" 1 0 4
head -c 30 "$scratch/one.mcap" >"$scratch/head.mcap"
"$bin/view-bag" "$scratch/wrong.mcap" 5 0 4 wrong
view "$scratch/wrong.mcap"
shows 't("/state")["live"] == 50 and t("/state")["kept"] == 0' &&
	[ "$(grep -c 'skipped$' "$scratch/view.log")" = 1 ]
ok "first messages with the time 0: all are played, and are live" ||
	show "$scratch/view.log"
end view
for what in none.mcap empty.mcap text.mcap nothing; do
	wrong 1 "$what" "$scratch/$what"; ok "no recording: $what"
done
wrong 1 a.mcap --start 100000 "$scratch/a.mcap"; ok "a start after its end"
wrong 1 'shown alone' "$scratch/a.mcap" "$scratch/b.mcap"; ok "two recordings"
wrong 1 'shown alone' --listen 7450 "$scratch/a.mcap"; ok "one and a robot"
wrong 1 '' somewhere; ok "a source that is none"
wrong 1 '' ros2:1000; ok "a domain that is none"

# ---- ROS 2 ----

view ros2
begin pub "$bin/io-copy" -l "$scratch/kinds.mcap" ros2
head -c 76800 /dev/urandom >"$scratch/frames"
begin camera "$bin/image-pub" --rate 10 --count 100000 "$scratch/frames"
part sees cdr 5 /robot/kind_{0,1,2,3,4,5,6,7,8,9,10,11,12,13,14}
part sees cdr 5 /camera/image
end view; ok "ROS 2: SIGTERM: status 0"
slay camera
end pub

# ---- ROS 1 ----

if type rosmaster >/dev/null 2>&1; then
	view ros1
	begin master rosmaster --core -p 11311
	begin pub "$bin/io-copy" -l "$scratch/kinds.mcap" ros1
	part sees ros1 5 /robot/kind_{0,1,2,3,4,5,6,7,8,9,10,11,12,13,14}
	end view; ok "ROS 1: SIGTERM: status 0"
	end pub
	end master
else
	skip "ROS 1" "no rosmaster here"
fi

# ---- robots that send ----

(umask 077; head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n' >"$scratch/key"
	head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n' >"$scratch/other")
view --listen 7450 --key "$scratch/key" --sink "$scratch/sink.mcap"
wrong 1 'Address already in use' --listen 7450 --http 8471 --foxglove 8766
ok "a port that is in use: UDP"
send stranger --key "$scratch/other" "$scratch/a.mcap"
send keyless "$scratch/a.mcap"
send one --key "$scratch/key" "$scratch/b.mcap"
part robots 30 /state
shows 'all(t["source"] == "one" for t in j["topics"])'
ok "only the robot with the key is shown"
end stranger keyless

# its recording is of 2023, and that of another robot of a year from now
shows 't("/state")["state"] == "live" and 0 <= t("/state")["age"] < 1 and
	t("/state")["kept"] < t("/state")["live"]'
ok "a clock that is years late: live"
send two --key "$scratch/key" "$scratch/later.mcap"
part robots 30 /two/state
shows 't("/two/state")["state"] == "live" and 0 <= t("/two/state")["age"] < 1 and
	t("/two/state")["kept"] < t("/two/state")["live"] and
	t("/state")["state"] == "live"'
ok "one that is a year early, with the same topics: live below its name"
shows 't("/two/state")["source"] == "two" and t("/state")["source"] == "one"'
ok "each has its robot"

# ---- a robot restarts ----

slay two
shows 't("/two/state")["state"] == "disconnected" and
	t("/state")["state"] == "live"'
ok "a robot that is gone: disconnected; the other one is live"
send two --key "$scratch/key" "$scratch/later.mcap"
shows 't("/two/state")["state"] == "live"'
ok "it comes back under its name"
says 'sum("/two" in t["name"] for t in j["topics"] if "state" in t["name"]) == 1 and
	any(o["source"] == "two" and o["end"] for o in j["outages"])'
ok "with the outage in between, and no topic twice" || status | show /dev/stdin
says 't("/two/state")["kept"] < t("/two/state")["live"]'
ok "and nothing of it is late: its clock begins again" || status | show /dev/stdin
GOT=$scratch/got part robots 20 /state
part robots 20 /state /two/state

# ---- the console ----

"$bin/optsample" view --socket "$socket" status >"$scratch/out" 2>"$scratch/err"
[ $? = 0 ] && [ ! -s "$scratch/err" ] && grep -q '/two/state' "$scratch/out"
ok "optsample view status" || show "$scratch/out"
"$bin/optsample" view --socket "$socket" status seconds=1200 >"$scratch/out" &&
	! "$bin/optsample" view --socket "$socket" status seconds=0 \
		>"$scratch/out" 2>"$scratch/err" &&
	grep -q 'seconds must be 1..1200' "$scratch/err" &&
	[ "$(wc -l <"$scratch/err")" = 1 ]
ok "seconds=N" || show "$scratch/err"
! "$bin/optsample" view --socket "$socket" dance >"$scratch/out" 2>"$scratch/err" &&
	[ "$(wc -l <"$scratch/err")" = 1 ]
ok "a command that is none: one line" || show "$scratch/err"
timeout 60 "$bin/optsample" watch --view="$socket" --count 2 --interval 0.2s \
	>"$scratch/out" 2>"$scratch/err"
[ $? = 0 ] && [ ! -s "$scratch/err" ] && grep -q '/two/state' "$scratch/out"
ok "optsample watch --view" || show "$scratch/err"
! timeout 60 "$bin/optsample" watch --view="$scratch/none" --count 1 \
	>"$scratch/out" 2>"$scratch/err" && [ "$(wc -l <"$scratch/err")" = 1 ]
ok "a socket that is not there: one line" || show "$scratch/err"

# ---- it ends, and comes back; the mission is replayed ----

status >"$scratch/live.json"
end view; ok "SIGTERM with robots: status 0"
# replayed SPEED: the recording has the robots and the outages of live.json
replayed()
{
	view --speed "$1" "$scratch/sink.mcap" &&
		wait_for 120 same_mission "$scratch/live.json"
}
same_mission()
{
	status | python3 -c '
import json, sys
live, again = json.load(open(sys.argv[1])), json.load(sys.stdin)
def robots(j):
    return {t["name"]: t["source"] for t in j["topics"]}
def same(a, b):
    return (a["source"] == b["source"] and abs(a["begin"] - b["begin"]) <= 1
            and (a["end"] == b["end"] or abs(a["end"] - b["end"]) <= 1))
a, b = live["outages"], again["outages"]
print("#", a, b, file=sys.stderr)
sys.exit(not (a and len(a) == len(b) and all(map(same, a, b)) and
              robots(live) == robots(again)))' "$1" 2>"$scratch/same"
}
for speed in 1000 40; do
	replayed $speed
	ok "speed $speed: the same robots and outages as live" ||
		show "$scratch/same"
	end view
done
"$bin/io-copy" -x 1000000 -o /state "$scratch/sink.mcap" - 2>"$scratch/err" |
	awk '{ print ($3 - 1700000000000000000) / 100000000 }' >"$scratch/recorded"
awk 'NR > 1 && $1 <= last { bad++; print "# " $1 " after " last } { last = $1 }
     END { print "# " NR " states"; exit bad || NR < 50 }' "$scratch/recorded"
ok "meanwhile --sink recorded the states of the first robot, in order"
[ -s "$scratch/got" ] && ! grep -vxFf "$scratch/recorded" "$scratch/got"
ok "all that a client got are among them"
! "$bin/optsample" view --socket "$socket" status >"$scratch/out" 2>"$scratch/err" &&
	[ "$(wc -l <"$scratch/err")" = 1 ]
ok "status of one that has ended: one line"
view --listen 7450 --key "$scratch/key"
part robots 20 /state
slay view
view --listen 7450 --key "$scratch/key"
ok "after kill -9 it starts again" || show "$scratch/view.log"
part robots 20 /state
shows 't("/state")["state"] == "live"'
ok "and shows the robots that never ended"
end one two; ok "the robots end"
end view; ok "SIGTERM: status 0"
done_testing
