#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# ros1.sh - a robot's topics in ROS 1, a link that loses a third, and an
# operator with another master
#
#   master at 11311: topics of the robot -> optsample-send -> link ->
#   optsample-recv -> master at 11312: viewers
#
# Prints TAP. Needs root, what make built, rosmaster, and jq.

. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

type rosmaster >/dev/null 2>&1 || {
	printf '%s\n' "ok 1 # skip no rosmaster here" 1..1
	exit 0
}
copy=$bin/io-copy
near=http://127.0.0.1:11311
far=http://127.0.0.1:11312
export ROS_IP=127.0.0.1 ROS_LOG_DIR=$scratch

# at MASTER NAME CMD...: a node there
at()
{
	begin "$2" env ROS_MASTER_URI="$1" "${@:3}"
}

at $near here rosmaster --core -p 11311
at $far there rosmaster --core -p 11312
recv recv --name operator_recv "ros1:$far"
link --loss 0.3 --delay 5
send robot --node robot_send --to 127.0.0.1:7459 "ros1:$near"

# ---- everything at once ----

"$bin/test_io" "$scratch/kinds.mcap" >/dev/null 2>&1
at $far all "$copy" "ros1:$far" -
at $near kinds "$copy" -l "$scratch/kinds.mcap" "ros1:$near"
names=$(timeout 60 "$copy" -x 100 "$scratch/kinds.mcap" - 2>/dev/null |
	awk '{ print $1 }' | sort -u)
# this recording's JPEG is not a valid one
names=${names/\/robot\/kind_1}
missing=
for name in $names; do
	# unchanged transforms are published rarely
	n=3
	[[ $name != */kind_10 ]] || n=1
	wait_for 90 has all "$name" $n || { missing=" $name"; break; }
done
[ -n "$names" ] && [ -z "$missing" ]; ok 'messages of all kinds' ||
	echo "# missing:$missing"
wait_for 90 has all /diagnostics 2; ok 'diagnostics'
wait_for 90 is recv "$(topic /robot/kind_0 '.datagrams > 100')"
is recv "$(topic /robot/kind_0 '.loss > .15 and .loss < .45')"
ok 'although a third of the datagrams is lost'
end kinds all

# ---- a map, and late subscribers ----

python3 - "$scratch" <<-'END'
	import sys
	cells = bytes(254 if (x // 9 + y // 7) % 3 else 0
	              for y in range(120) for x in range(200))
	open(sys.argv[1] + '/site.pgm', 'wb').write(b'P5 200 120 255\n' + cells)
	open(sys.argv[1] + '/site.yaml', 'w').write(
	    'image: site.pgm\nresolution: 0.05\norigin: [-3, 2, 0]\nnegate: 0\n'
	    'occupied_thresh: 0.65\nfree_thresh: 0.196\n')
END
at $near map "$copy" -L -d 1000000 "$scratch/site.pgm" "ros1:$near"
wait_for 90 is recv "$(topic /map '.frames > 8')"; ok 'a map arrives'
at $far late timeout 60 "$copy" -n 1 -o /map "ros1:$far" "$scratch/late/"
wait_for 90 files "$scratch/late" 1; ok 'who comes late gets it'
wait "${pid[late]}" 2>/dev/null
cmp -s <(tail -c 24000 "$scratch/site.pgm") \
	<(find "$scratch/late" -name '*.pgm' -exec tail -c 24000 {} +)
ok 'all of it'
end map

# ---- roscpp at both ends ----

if [ -x "$bin/ros1-pub" ] && type ffmpeg >/dev/null 2>&1; then
	ffmpeg -v error -y -f lavfi -i testsrc=size=160x120:rate=1 \
		-frames:v 1 "$scratch/a.jpg" </dev/null
	at $far viewer timeout 90 "$bin/ros1-sub" -n 60 \
		"image:/front:$scratch/a.jpg"
	at $near front "$bin/ros1-pub" -r 10 -n 100000 \
		"image:/front:$scratch/a.jpg"
	wait_for 90 lines viewer 20; ok 'JPEG of a camera, between nodes of roscpp'
	end front viewer
else
	ok 'roscpp # skip no ros1-pub, or no ffmpeg'
fi

# ---- the operator's master stops and restarts ----

at $near map "$copy" -L -l -r 5 "$scratch/site.pgm" "ros1:$near"
slay there
at $far there rosmaster --core -p 11312
at $far back "$copy" -n 3 -o /map "ros1:$far" -
wait_for 90 lines back 3; ok 'a new master: it is published there, too'
end map
end robot recv; ok 'both end well'
end link here there back
done_testing
