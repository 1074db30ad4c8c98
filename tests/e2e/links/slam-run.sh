#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# slam-run.sh - inside the VM: a laser and odometry over a link that stalls,
# into slamd and gdimd, with pfifo and with optsample
#
#	robot                                  operator (namespace "op")
#	a log, as ROS 2 --> [qdisc] --> rob0 ====== op0 --> slamd --> gdimd
#	         10.79.0.1                             10.79.0.2
#
# usage: slam-run.sh LOG SPEED FROM UNTIL [FIRST COUNT [RELATIONS]]
#
# COUNT scans of the log, from FIRST on, are played at SPEED times their rate,
# or slower if the machine is; the carrier is lost during the scans FROM..UNTIL
# of these, however long that takes. Prints TAP: with optsample no part of the
# trajectory is missing, with pfifo the outage is. Both are compared to a run of
# the same scans without a link, and to RELATIONS if given. LOG is a file, or
# "world" for a simulated robot. With VM_OUT the maps are kept.

log=$1 speed=$2 from=$3 until=$4 first=${5:-0} count=${6:-1000000}
relations=${7-}
set --
. "$(dirname -- "${BASH_SOURCE[0]}")/../../kselftest/lib.sh"
. "$top/tests/e2e/links/report.sh"
. "$top/tests/e2e/links/veth.sh"
[ -d /sys/module/sch_optsample ] || insmod "$SCH_KO" || exit 1

bin=$top/build/bin
out=${VM_OUT:-$scratch}
epoch=1700000000
# Few particles: an emulated processor is slow
slam=(--particles 12 --range-max "${RANGE:-8}" --seed 1)

# up MODE: odometry is small; scans are placed by odometry before and after
up()
{
	[ "$1" = optsample ] || {
		tc qdisc replace dev rob0 root pfifo limit 1000
		return
	}
	"$bin/optsample" up rob0 --limit 20 --rate 40mbit \
		--peer $operator_ip 2>"$scratch/up" &&
		"$bin/optsample" topic rob0 /odom --limit 100 \
			2>>"$scratch/up" && return
	sed 's/^/# /' "$scratch/up"
	return 1
}

# so_far [N]: N lines of processed readings, from slamd's log
so_far()
{
	grep -oE '^[0-9]+ readings' "$scratch/slamd.log" | tail -n "${1:-1}"
}

# reads: slamd has processed some
reads()
{
	[[ $(so_far) == [1-9]* ]]
}

# done_with_all: nothing waits for the link, and for 3 s nothing arrived
done_with_all()
{
	idle && [ "$(so_far 4 | wc -l)" = 4 ] &&
		[ "$(so_far 4 | sort -u | wc -l)" = 1 ]
}

# hook MODE known|here|down|up|end: called by the player, which waits for it
hook()
{
	case $2 in
	known)	[ "$1" != optsample ] || wait_for 60 known 2 ;;
	# still missing: there was no reader when the first ones were sent
	here)	wait_for 30 reads ;;
	down)	link_down ;;
	up)	link_up ;;
	end)	wait_for 240 done_with_all ;;
	esac
}

subscribed()
{
	grep -q 'operator' "$scratch/slamd.log" ||
		[ "$(n_op ss -Hul | wc -l)" -ge 2 ]
}

# play MODE: writes $scratch/MODE.tum, .map.png, .gdim.pgm, .json
play()
{
	local slamd gdimd

	: >"$scratch/slamd.log"
	ip netns exec op env CYCLONEDDS_URI=$cyclone "$bin/gdimd" --from ros2 \
		--to none --http none --store "$scratch/$1.db" \
		--socket "$scratch/$1.socket" >"$scratch/gdimd.log" 2>&1 &
	gdimd=$!
	ip netns exec op env CYCLONEDDS_URI=$cyclone "$bin/slamd" --from ros2 \
		--to ros2 --verbose "${slam[@]}" --laser 0,0,0 \
		--trajectory "$scratch/$1.tum" --map "$scratch/$1.pgm" \
		--stats "$scratch/$1.json" >"$scratch/slamd.log" 2>&1 &
	slamd=$!
	wait_for 60 subscribed
	{
		link_hooks
		declare -f so_far reads done_with_all hook
		declare -p scratch
		echo "hook $1 \$1"
	} >"$scratch/hook"
	# odometry and scan of number N are messages 2N - 1 and 2N
	CYCLONEDDS_URI=$cyclone "$bin/io-copy" -x "$speed" -d 3000 \
		-o /scan -o /odom -e "1:bash $scratch/hook known" \
		-e "41:bash $scratch/hook here" \
		-e "$((2 * from - 1)):bash $scratch/hook down" \
		-e "$((2 * until + 1)):bash $scratch/hook up" \
		-e "0:bash $scratch/hook end" "$scratch/log.mcap" ros2 \
		>"$scratch/sent" 2>"$scratch/robot.log"
	kill -INT $slamd
	wait $slamd || tail -n 20 "$scratch/slamd.log" | sed 's/^/# /'
	kill $gdimd
	wait $gdimd
	cp "$scratch/$1.png" "$out/$1.map.png"
	[ "$out" = "$scratch" ] || cp "$scratch"/*.log "$out"
	"$bin/gdimctl" --store "$scratch/$1.db" export --layer slam_map \
		--out "$scratch/$1.gdim.pgm" >/dev/null
	"$bin/gdimctl" --store "$scratch/$1.db" export --layer slam_map \
		--out "$out/$1.gdim.png" --title "$1" >/dev/null
}

# judge NAME: "WALLS GAP END": the share of the walls in its map; the largest
# distance between two scans, m; and the error of the final pose, m. All from
# the pose at the first scan that arrived
judge()
{
	python3 - "$scratch/truth" "$scratch/$1.gdim.pgm" \
		"$scratch/$1.tum" <<-'END'
	import math, sys
	def tum(path):
	    p = [[float(v) for v in l.split()] for l in open(path)]
	    return [(v[0], v[1], v[2], 2 * math.atan2(v[6], v[7])) for v in p]
	def walls(path):
	    data = open(path, 'rb').read()
	    lines, at = [], 0
	    while len(lines) < 3:
	        end = data.index(b'\n', at)
	        if data[at:at + 1] != b'#':
	            lines.append(data[at:end])
	        at = end + 1
	    width, height = map(int, lines[1].split())
	    yaml = dict(l.split(':', 1) for l in open(path[:-4] + '.yaml')
	                if ':' in l)
	    x0, y0 = [float(v) for v in
	              yaml['origin'].strip(' []\n').split(',')][:2]
	    size = float(yaml['resolution'])
	    return [(x0 + (i % width + .5) * size,
	             y0 + (height - i // width - .5) * size)
	            for i, v in enumerate(data[at:]) if v < 90]
	truth, got = tum(sys.argv[1] + '.tum'), tum(sys.argv[3])
	t, x, y, yaw = min(truth, key=lambda p: abs(p[0] - got[0][0]))
	c, s = math.cos(yaw), math.sin(yaw)
	def here(px, py):
	    return (c * (px - x) + s * (py - y), c * (py - y) - s * (px - x))
	def near(p):
	    return {(round(p[0] / .3) + i, round(p[1] / .3) + j)
	            for i in (-1, 0, 1) for j in (-1, 0, 1)}
	found = {(round(p[0] / .3), round(p[1] / .3))
	         for p in walls(sys.argv[2])}
	# walls seen before the first received scan are not counted
	all = [here(*p) for p in walls(sys.argv[1] + '.pgm')]
	way = [here(*p[1:3]) for p in truth if p[0] >= t]
	close = {(round(p[0] / 2) + i, round(p[1] / 2) + j) for p in way
	         for i in (-1, 0, 1) for j in (-1, 0, 1)}
	all = [p for p in all if (round(p[0] / 2), round(p[1] / 2)) in close]
	has = sum(not near(p).isdisjoint(found) for p in all)
	gap = max(math.dist(a[1:3], b[1:3]) for a, b in zip(got, got[1:]))
	print('%.3f %.2f %.2f' % (has / len(all), gap,
	                          math.dist(way[-1], got[-1][1:3])))
	END
}

# error NAME: of the relations, m
error()
{
	awk -v e=$epoch '{ printf "%.6f", $1 - e; $1 = ""; print }' \
		"$scratch/$1.tum" >"$scratch/e.tum"
	"$bin/slam-eval" --relations "$relations" --reach 1s \
		--trajectory "$scratch/e.tum" | cut -d, -f1
}

one()
{
	up "$1"
	ok "$1: is set up"
	play "$1"
	[ "$1" != optsample ] || {
		"$bin/optsample" show rob0
		tc -s qdisc show
	} >"$out/show" 2>&1
	no_qdisc
	set -- "$1" $(judge "$1")
	walls[$1]=$2 gap[$1]=$3 end[$1]=$4 error[$1]=0
	[ -z "$relations" ] || error[$1]=$(error "$1")
	echo "# $1: $2 of the walls, gap $3 m, end off by $4 m," \
		"relations ${error[$1]} m, $(jq -c \
		'{readings, scans, replaced, unpaired}' "$scratch/$1.json")"
}

declare -A walls gap end error
[ "$log" != world ] || {
	log=$scratch/world.clf
	"$bin/slam-world" 181 >"$log"
}
"$bin/log-bag" "$log" "$scratch/log.mcap" "$first" "$count" &&
	"$bin/slamd" --log "$scratch/log.mcap" "${slam[@]}" --particles 30 \
		--quiet \
		--trajectory "$scratch/truth.tum" --map "$scratch/truth.pgm" &&
	cp "$scratch/truth.png" "$out/truth.map.png"
ok "the log, without a link"
link
for run in ${RUNS:-pfifo optsample}; do one $run; done
ip link del rob0
holds "${walls[optsample]} >= 0.85 && ${end[optsample]} < 1 &&
	${error[optsample]} < 0.06"
ok "optsample: the map has all walls where they are"
holds "${gap[optsample]} < ${gap[pfifo]} / 3"
ok "optsample: the outage is in it"
[ "$(jq .unpaired "$scratch/optsample.json")" = 0 ]
ok "optsample: all scans that were kept have their odometry"
holds "${walls[pfifo]} < ${walls[optsample]} - 0.1"
ok "pfifo: a gap"
done_testing
