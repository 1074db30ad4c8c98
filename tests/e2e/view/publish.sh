#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# publish.sh - clients of optsample-view that publish: only what is allowed, and
# nothing old
#
# Prints TAP. Needs root: it uses a network namespace.

. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
zero=$(python3 -c 'import zlib; print("%08x" % zlib.crc32(bytes(48)))')

# part NAME ARGS...: of publish.py
part()
{
	local name=$1

	shift
	checks "$name${1:+ ($1)}" python3 "$here/publish.py" "$name" 8765 8470 "$@"
}

# came NAME: CRC of what was published, in NAME.mcap
came()
{
	"$bin/io-copy" -x 1000000 -o /cmd_vel "$scratch/$1.mcap" - 2>"$scratch/copy.err" |
		awk '{ print $4 }'
}

# in_order SENT CAME: of what was sent all that came is in order, and there is
# nothing else, except zeros
in_order()
{
	awk -v zero="$zero" '
	NR == FNR { if ($1 != "held" && NF == 3) at[$3] = ++n; next }
	$1 == zero { next }
	!($1 in at) { print "# was not sent: " $1; bad = 1; next }
	at[$1] <= last { print "# not in order: " at[$1] " after " last; bad = 1 }
	{ last = at[$1]; came++ }
	END { print "# " came + 0 " of " n + 0 " commands"; exit bad || !came }
	' "$1" "$2"
}

# zeros_between SENT CAME WORD: after the last command before the line WORD, and
# before the next command
zeros_between()
{
	awk -v zero="$zero" -v word="$3" '
	NR == FNR {
		if ($1 == word)
			edge = n
		else if (NF == 3)
			at[$3] = ++n
		next
	}
	$1 == zero { zeros++; next }
	$1 in at { if (at[$1] > edge) { print zeros + 0; done = 1; exit } zeros = 0 }
	END { if (!done) print zeros + 0 }
	' "$1" "$2"
}

"$bin/view-bag" "$scratch/a.mcap" 60 0 4 && ok "a recording" || exit 1
view --loop "$scratch/a.mcap"
part off
end view; ok "SIGTERM: status 0"

view --loop --allow-publish /cmd_vel --publish-to "$scratch/out.mcap" "$scratch/a.mcap"
part allowed "$scratch/sent"
part refused
end view; ok "SIGTERM: status 0"
came out >"$scratch/came"
in_order "$scratch/sent" "$scratch/came"
ok "what is recorded is what was sent"
n=$(zeros_between "$scratch/sent" "$scratch/came" silence)
[ "$n" = 1 ]; ok "silence: exactly one message of zeros follows ($n)"
n=$(tail -n 2 "$scratch/came" | grep -c "$zero")
[ "$(tail -n 1 "$scratch/came")" = "$zero" ] && [ "$n" = 1 ]
ok "a client that stops the robot: no other message of zeros ($n)"
grep -q '/cmd_vel: silent for 500 ms: zero command sent' "$scratch/view.log"
ok "it is logged"

# ---- to ROS 2 ----

begin sub "$bin/io-copy" -o /cmd_vel ros2 -
view --loop --allow-publish /cmd_vel "$scratch/a.mcap"
# discovery takes its time, and a velocity is not kept for late readers
begin pub python3 "$here/publish.py" seven 8765 8470
crc=$(python3 -c 'import struct, zlib
print("%08x" % zlib.crc32(struct.pack("<6d", 7, 0, 0, 0, 0, 3.5)))')
wait_for 120 grep -q "^/cmd_vel geometry_msgs/Twist 0 $crc" "$scratch/sub.out"
ok "ROS 2: a subscriber gets the commands" || show "$scratch/sub.out"
slay pub
wait_for 60 grep -q "$zero" "$scratch/sub.out"
ok "ROS 2: and the stop after the client is gone"
end view; ok "SIGTERM: status 0"
end sub
! grep -vE "^/cmd_vel geometry_msgs/Twist 0 ($crc|$zero)\$" "$scratch/sub.out"
ok "nothing else"

# ---- a connection that stalls ----

# too_old SENT CAME: commands that came although they had waited for more than
# 0.3 s when the connection went on
too_old()
{
	awk '
	NR == FNR {
		if ($1 == "held") { from = $2; to = $3 }
		if (NF == 3 && $1 != "held") sent[$3] = $1
		next
	}
	{ came[$1] }
	END {
		for (c in sent)
			if (sent[c] > from && sent[c] < to - 0.3) {
				waited++
				old += c in came
			}
		print old + 0, waited + 0
	}' "$1" "$2"
}

for ways in up down+up; do
	name=stall-${ways%+*}
	view --loop --allow-publish /cmd_vel \
		--publish-to "$scratch/$name.mcap" "$scratch/a.mcap"
	part stall "$ways" "$scratch/$name"
	"$bin/optsample" view --socket "$scratch/view.sock" --json status \
		>"$scratch/out" 2>"$scratch/err"
	of 'j["refused_commands"] > 0 and j["deadman"] >= 1'
	ok "the status of the console has the number, too"
	end view; ok "SIGTERM: status 0"
	came $name >"$scratch/came"
	in_order "$scratch/$name" "$scratch/came"
	ok "$ways: what arrives is in order"
	read -r old waited < <(too_old "$scratch/$name" "$scratch/came")
	[ "$old" = 0 ] && [ "$waited" -gt 5 ]
	ok "$ways: of $waited commands that waited longer than 0.3 s none arrives ($old)"
	awk -v zero="$zero" '
	$1 == zero { zeros++; twice += last == zero }
	{ last = $1 }
	END { print "# " zeros + 0 " messages of zeros"; exit !zeros || twice }
	' "$scratch/came"
	ok "$ways: the robot is stopped once, not again and again"
done
view --loop --allow-publish /cmd_vel --publish-to "$scratch/late.mcap" "$scratch/a.mcap"
part late
end view; ok "SIGTERM: status 0"
view --loop --allow-publish /cmd_vel --publish-age 2s \
	--publish-to "$scratch/soon.mcap" "$scratch/a.mcap"
part late 20
end view; ok "SIGTERM: status 0"
done_testing
