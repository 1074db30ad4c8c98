#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# localise.sh - slamd in a known map, as its users call it
#
# usage: tests/e2e/slam/localise.sh
#
# A robot in a building that was mapped before: found from where it stands, by
# --pose and by /initialpose; the map from a picture and from a store; another
# building; what is published, and what is refused. Prints TAP; needs what make
# built, jq and python3.

. "$(dirname -- "${BASH_SOURCE[0]}")/../io/lib.sh"
cd "$top" || exit 1
d=$scratch
few=(--particles 5 --quiet)

"$bin/slam-world" 90 "$d/truth.tum" >"$d/world.clf" &&
	"$bin/slamd" "${few[@]}" --log "$d/world.clf" --map "$d/map.pgm"
ok "a building, and its map"

# part FIRST COUNT: readings of the log
part() { grep '^ROBOTLASER1' "$d/world.clf" | tail -n "+$1" | head -n "$2"; }
part 300 120 >"$d/part.clf"

# slamd NAME ARGS...: writes NAME.tum and NAME.json; its messages: NAME.err
slamd()
{
	local name=$1

	shift
	rm -f "$d/$name.tum" "$d/$name.json"
	timeout 300 "$bin/slamd" "${few[@]}" --trajectory "$d/$name.tum" \
		--stats "$d/$name.json" "$@" 2>"$d/$name.err"
}

# near NAME LEAST [SHIFT [MOST]]: LEAST poses or more, within MOST (0.15) m of the
# truth, whose stamps are SHIFT s earlier
near()
{
	python3 - "$d/truth.tum" "$d/$1.tum" "$2" "${3-0}" \
		"${4-0.15}" <<-'END'
	import math, sys
	def tum(path, since):
	    p = [[float(v) for v in l.split()] for l in open(path)]
	    return [(v[0] - since, v[1], v[2]) for v in p]
	truth = tum(sys.argv[1], 0)
	got = tum(sys.argv[2], float(sys.argv[4]))
	assert len(got) >= int(sys.argv[3]), len(got)
	for p in got:
	    t = min(truth, key=lambda t: abs(t[0] - p[0]))
	    assert math.dist(p[1:], t[1:]) < float(sys.argv[5]), (p, t)
	END
}

said() { grep -q -- "$2" "$d/$1.err" || { sed 's/^/# /' "$d/$1.err"; false; }; }
count() { jq -e "$2" <"$d/$1.json" >/dev/null; }

slamd anywhere --log "$d/part.clf" --localise "$d/map.yaml" --to "$d/out/"
status=$?
[ $status = 0 ] && near anywhere 60 && said anywhere "robot found in the map at"
ok "a robot anywhere in the building: found"
count anywhere '.known_map.found == 1 and .known_map.searched >= 1 and
	.readings == 120 and .known_map.fit > 0.5 and (has("loops") | not)'
ok "statistics"
[ "$(find "$d/out/map" -name '*.pgm' | wc -l)" = 1 ] && [ "$(find "$d/out/slam/pose" -name '*.json' | wc -l)" -ge 60 ] &&
	[ "$(find "$d/out/tf" -name '*.json' | wc -l)" -ge 60 ] &&
	[ -z "$(find "$d/out" -path '*submap*' -type f)" ]
ok "published: the map once, poses and transforms, no submaps"

for threads in 1 3; do
	slamd "t$threads" --log "$d/part.clf" --localise "$d/map.yaml" \
		--threads $threads && cmp "$d/anywhere.tum" "$d/t$threads.tum"
	ok "the same bits with $threads threads"
done

"$bin/gdimctl" --store "$d/site.db" import "$d/map.yaml" >"$d/import" &&
	slamd store --log "$d/part.clf" --localise "$d/site.db" &&
	cmp "$d/anywhere.tum" "$d/store.tum"
ok "a map in a store of gdimd: the same bits"

# the truth where the part begins
read -r _ x y _ _ _ qz qw < <(python3 - "$d/truth.tum" "$d/part.clf" <<-'END'
	import sys
	at = float(open(sys.argv[2]).readline().split()[-3])
	print(min(open(sys.argv[1]), key=lambda l: abs(float(l.split()[0]) - at)))
	END
)
yaw=$(python3 -c "import math; print(2 * math.atan2($qz, $qw))")
slamd hint --log "$d/part.clf" --localise "$d/map.yaml" --pose "$x,$y,$yaw" &&
	near hint 118 && count hint '.known_map.missed_hints == 0'
ok "--pose: found at the first scan"
slamd wrong --log "$d/part.clf" --localise "$d/map.yaml" --pose 90,90,0 &&
	near wrong 60 && count wrong '.known_map.missed_hints == 1'
ok "a wrong --pose: the whole map is searched"

first=$(grep '^ROBOTLASER1' "$d/world.clf" | grep -nF "$(grep -m1 '^ROBOTLASER1' "$d/part.clf")" |
	cut -d: -f1)
"$bin/log-bag" "$d/world.clf" "$d/said.mcap" $((first - 1)) 60 "$x" "$y" "$yaw" map &&
	slamd said --from "$d/said.mcap" --speed 3 --localise "$d/map.yaml" \
		--pose 90,90,0 && near said 50 1700000000 &&
	said said "the robot is said to be at"
ok "/initialpose while it plays"
"$bin/log-bag" "$d/world.clf" "$d/frame.mcap" $((first - 1)) 60 "$x" "$y" "$yaw" odom &&
	slamd frame --from "$d/frame.mcap" --speed 3 --localise "$d/map.yaml" &&
	said frame "/initialpose ignored: not a pose in the frame map"
ok "... in another frame: ignored, and said"
"$bin/log-bag" "$d/world.clf" "$d/lisa.mcap" $((first - 1)) 60 "$x" "$y" "$yaw" map \
	/lisa/initialpose &&
	slamd lisa --from "$d/lisa.mcap" --speed 3 --localise "$d/map.yaml" \
		--to "$d/lisa-out.mcap" --robot lisa &&
	said lisa "the robot is said to be at"
ok "... below the robot's name"
slamd max --from "$d/lisa.mcap" --speed 3 --localise "$d/map.yaml" \
	--to "$d/max-out.mcap" --robot max && ! grep -q "is said to be" "$d/max.err"
ok "... but not below that of another robot"

slamd still --log "$d/part.clf" --localise "$d/map.yaml" --odometry none &&
	near still 50
ok "without odometry"

# Another day, with a map that drifts, as no loop is closed: the robot is switched on elsewhere, with other odometry

part 1 330 >"$d/day1.clf"
slamd day1 --log "$d/day1.clf" --checkpoint "$d/site.ckpt"
cp "$d/site.ckpt" "$d/again.ckpt"
part 150 500 >"$d/day2.clf"
slamd day2 --log "$d/day2.clf" --checkpoint "$d/site.ckpt" --continue \
	--map "$d/days.pgm" && near day2 800 0 0.25 && said day2 "robot found in the map" &&
	count day2 '.resumed == 330 and .known_map.found == 1 and .readings == 500' &&
	[ -s "$d/days.png" ]
ok "--continue: the map of both days"
python3 - "$d/map.pgm" "$d/days.pgm" <<-'END'
	import sys
	size = lambda p: [int(v) for v in open(p, 'rb').read(40).split()[1:3]]
	whole, days = map(size, sys.argv[1:])
	print('#', whole, days)
	sys.exit(any(abs(a - b) > 8 for a, b in zip(whole, days)))
END
ok "... is as large as the building"
slamd again --log "$d/day2.clf" --checkpoint "$d/again.ckpt" --continue &&
	cmp "$d/day2.tum" "$d/again.tum" && cmp "$d/site.ckpt" "$d/again.ckpt"
ok "... with the same bits each time"
"$bin/log-bag" "$d/world.clf" "$d/day3.mcap" 300 50 &&
	slamd day3 --from "$d/day3.mcap" --speed 3 --checkpoint "$d/again.ckpt" \
		--continue --map "$d/three.pgm" &&
	count day3 '.resumed > 700 and .known_map.found == 1' && [ -s "$d/three.png" ]
ok "... live, on the third day"
slamd fresh --log "$d/day1.clf" --checkpoint "$d/fresh.ckpt" --continue &&
	cmp "$d/day1.tum" "$d/fresh.tum"
ok "... on the first day: as without it"

# refused NAME TEXT ARGS...: one line with TEXT, nothing written
refused()
{
	local name=$1 text=$2

	shift 2
	! slamd "$name" "$@" && [ "$(grep -vc ': the robot was not found yet' \
		"$d/$name.err")" = 1 ] && said "$name" "$text" &&
		[ ! -e "$d/$name.tum" ]
}
# a round hall, 12 m across, through which the robot drives
python3 - >"$d/elsewhere.clf" <<-'END' &&
	import math
	for i in range(40):
	    x = -3 + 0.15 * i
	    r = [-x * math.cos(a) + math.sqrt(36 - (x * math.sin(a)) ** 2)
	         for a in (math.radians(k - 90) for k in range(180))]
	    print("FLASER 180", *("%.3f" % v for v in r), x, 0, 0, x, 0, 0,
	          100 + i / 5, "h", i / 5)
	END
	refused elsewhere "the robot was not found in" \
		--log "$d/elsewhere.clf" --localise "$d/map.yaml" &&
	cp "$d/site.ckpt" "$d/other.ckpt" &&
	refused elsewhere "the robot was not found in" --log "$d/elsewhere.clf" \
		--checkpoint "$d/other.ckpt" --continue &&
	cmp "$d/site.ckpt" "$d/other.ckpt"
ok "another building: not found, and said"
log=(--log "$d/part.clf")
refused none "No such file" "${log[@]}" --localise "$d/none.yaml"
ok "no such map"
refused kind "a map is NAME.yaml or NAME.db" "${log[@]}" --localise "$d/part.clf"
ok "not a map"
printf 'image: blank.pgm\nresolution: 0.05\norigin: [0, 0, 0]\n' >"$d/blank.yaml"
{ printf 'P5\n20 20\n255\n'; head -c 400 /dev/zero | tr '\0' '\376'; } >"$d/blank.pgm"
refused blank "no occupied cells" "${log[@]}" --localise "$d/blank.yaml"
ok "an empty map"
for option in "--map $d/new.pgm" "--checkpoint $d/c" "--loops on" \
	"--engine threads" "--compat gmapping"; do
	# shellcheck disable=SC2086
	refused option "localise" "${log[@]}" --localise "$d/map.yaml" $option
	ok "refused with it: ${option%% *}"
done
refused continue "--continue needs --checkpoint" "${log[@]}" --continue
ok "--continue without a checkpoint"
refused pose "--pose needs --localise" "${log[@]}" --pose 1,2,3
ok "--pose without a map"
done_testing
