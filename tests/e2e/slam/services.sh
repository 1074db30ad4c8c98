#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# services.sh - what peers ask of a running slamd: another map, a new one, to
# save and to go on with a checkpoint
#
# usage: tests/e2e/slam/services.sh
#
# A recording plays and slamd publishes to ROS 2, in a network of its own. Prints
# TAP; needs what make built, jq and python3.

. "$(dirname -- "${BASH_SOURCE[0]}")/../io/lib.sh"
cd "$top" || exit 1
PATIENCE=120
d=$scratch
few=(--particles 5 --verbose)

make_space || skip_all "no network namespaces here"
own_domain 9
"$bin/slam-world" 90 "$d/truth.tum" >"$d/world.clf" &&
	"$bin/log-bag" "$d/world.clf" "$d/world.mcap" 0 400 &&
	mkdir "$d/maps" &&
	"$bin/slamd" "${few[@]}" --log "$d/world.clf" --map "$d/maps/whole.pgm" \
		--quiet
ok "a recording, and the map of the building"
echo "image: nothing.pgm" >"$d/maps/bad.yaml"
sed 's/^image:.*/image: bad.yaml/' "$d/maps/whole.yaml" >"$d/maps/data.yaml"
echo text >"$d/maps/text.ckpt"
: >"$d/maps/empty.ckpt"

# ask ARGS...: see slam-ask.c
ask() { in_space "$bin/slam-ask" "$@"; }

# run NAME ARGS...: in the background; its messages: NAME.err
run()
{
	local name=$1

	shift
	node "$name" env --default-signal=INT "$bin/slamd" "${few[@]}" --from \
		"$d/world.mcap" --to ros2 --maps "$d/maps" --trajectory \
		"$d/$name.tum" --stats "$d/$name.json" "$@"
	slamd=$node
}

# readings NAME N: so many were used
readings() { grep -qE "(^|[^0-9])($2[0-9]|[1-9][0-9]{2,}) readings" "$d/$1.err"; }
# found NAME N: the robot, so often
found() { [ "$(grep -c "robot found in the map" "$d/$1.err")" -ge "$2" ]; }
said() { grep -q -- "$2" "$d/$1.err" || { sed 's/^/# /' "$d/$1.err"; false; }; }
count() { jq -e "$2" <"$d/$1.json" >/dev/null || { jq -c . "$d/$1.json"; false; }; }

# near NAME LEAST: LEAST poses or more, within 0.4 m of the truth: the last
# ones
near()
{
	python3 - "$d/truth.tum" "$d/$1.tum" "$2" <<-'END'
	import math, sys
	def tum(path, since):
	    p = [[float(v) for v in l.split()] for l in open(path)]
	    return [(v[0] - since, v[1], v[2]) for v in p]
	truth, got = tum(sys.argv[1], 0), tum(sys.argv[2], 1700000000)
	assert len(got) >= int(sys.argv[3]), len(got)
	for p in got[-int(sys.argv[3]):]:
	    t = min(truth, key=lambda t: abs(t[0] - p[0]))
	    assert math.dist(p[1:], t[1:]) < 0.4, (p, t)
	END
}

run one --map "$d/never.pgm"
wait_for 30 readings one 2
ok "a map is made"
[ "$(ask load gone)" = "1 0" ]
ok "LoadMap of a file that is not there"
[ "$(ask load bad)" != "0 0" ] && [ "$(ask load data.yaml)" = "2 0" ]
ok "... of bad ones"
[ "$(ask load /etc/passwd)" = "255 0" ] && said one "below --maps"
ok "... of one elsewhere"
[ "$(ask save floor1)" = 0 ] && [ -s "$d/maps/floor1.ckpt" ]
ok "SerializePoseGraph: a checkpoint"
[ "$(ask save gone/floor1)" = 255 ] && said one "checkpoint not saved"
ok "... not in a folder that is not there"
result=$(ask load whole)
[ "${result% *}" = 0 ] && [ "${result#* }" -gt 50 ]
ok "LoadMap: the map comes back"
[ "$(ask save floor2)" = 255 ] && [ ! -e "$d/maps/floor2.ckpt" ]
ok "... and there is no checkpoint any more"
wait_for 30 found one 1
ok "the robot is found in it"
[ "$(ask reset 0)" = 0 ] && wait_for 30 found one 2
ok "Reset: it is searched again"
kill -INT "$(program "$slamd")"
finish "$slamd"
ok "the end"
count one '.refused_requests == 6 and .known_map.searched >= 0' &&
	[ ! -e "$d/never.pgm" ] && said one "never.pgm is not written" &&
	[ -z "$(ls -A "$d/maps" | grep slamd)" ]
ok "statistics; no map of its own, no working file"

run lost
wait_for 30 readings lost 2
[ "$(ask reset 1)" = 0 ] && [ "$(ask restore floor1 1 0 0 0)" = 0 ]
ok "DeserializePoseGraph while it is paused"
kill -INT "$(program "$slamd")"
! finish "$slamd" && said lost "the robot was not found in $d/maps/floor1.ckpt: no scans"
ok "... no scan is searched: it is said of that file"

run new --checkpoint "$d/run.ckpt"
wait_for 30 readings new 3
[ "$(ask restore text 1 0 0 0)" = 3 ] && [ "$(ask restore gone 1 0 0 0)" = 1 ] &&
	[ "$(ask restore floor1 0 0 0 0)" = 2 ] && said new "not read: $d/maps/text"
ok "DeserializePoseGraph that is refused"
[ "$(ask restore empty 1 0 0 0)" = 3 ] && said new "empty.ckpt: no scans"
ok "... of no scans: the map goes on"
[ "$(ask reset 1)" = 0 ] && [ -s "$d/run.ckpt.1" ] && said new "paused: scans"
ok "Reset: a new map and checkpoint, paused"
[ "$(ask reset 0)" = 0 ] && said new "no longer paused"
ok "... not paused"
[ "$(ask restore floor1 2 0 0 0)" = 0 ] && cmp -n "$(stat -c %s "$d/maps/floor1.ckpt")" \
	"$d/run.ckpt" "$d/maps/floor1.ckpt"
ok "DeserializePoseGraph: goes on with a copy"
wait_for 30 found new 1
ok "the robot is found in it"
finish "$slamd"
ok "until the end of the recording"
count new '.resumed >= 10 and .known_map.found >= 1 and .refused_requests == 4' &&
	near new 100 && [ "$(stat -c %s "$d/run.ckpt")" -gt "$(stat -c %s "$d/maps/floor1.ckpt")" ]
ok "... maps on there"

run still
wait_for 30 readings still 2
[ "$(ask restore floor1 3 0 0 0)" = 0 ]
ok "DeserializePoseGraph to localise"
before=$(md5sum <"$d/maps/floor1.ckpt")
wait_for 30 found still 1
ok "the robot is found in its map"
[ "$(ask save floor1)" = 255 ] && [ "$(md5sum <"$d/maps/floor1.ckpt")" = "$before" ]
ok "... which stays as it is"
kill -INT "$(program "$slamd")"
finish "$slamd"
ok "the end"

run managed --lifecycle on
wait_for 30 readings managed 2
[ "$(ask change 3)$(ask change 1)$(ask change 3)" = 011 ]
ok "a lifecycle manager configures and activates it"
wait_for 30 readings managed 6
[ "$(ask change 4)" = 1 ]
ok "... and deactivates it"
kill -INT "$(program "$slamd")"
finish "$slamd"
ok "the end"
count managed '.paused >= 10 and .updates >= 10 and .refused_requests == 1'
ok "scans are used while it is active"

mkdir "$d/full" && mount -t tmpfs -o size=16k full "$d/full" &&
	! dd if=/dev/zero of="$d/full/zero" bs=4k status=none 2>/dev/null
node nospace env --default-signal=INT "$bin/slamd" "${few[@]}" --from \
	"$d/world.mcap" --to ros2 --maps "$d/full"
slamd=$node
wait_for 30 readings nospace 2
[ "$(ask reset 0)" = 0 ] && [ "$(ask save x)" = 255 ]
ok "a full disk: only checkpoints fail"
kill -INT "$(program "$slamd")"
wait
said nospace "No space left on device: no checkpoints"
ok "... it is said"
umount "$d/full"

! here_is folder "$bin/slamd" --from ros2 --to ros2 --maps "$d/gone" &&
	[ "$(wc -l <"$d/folder.err")" = 1 ] && said folder "--maps $d/gone: No such"
ok "--maps without a folder: one line"
run engine --engine threads --workers 1
wait_for 30 readings engine 1
[ "$(ask load whole)" = "255 0" ] && said engine "not with --engine"
ok "with workers: refused"
kill -INT "$(program "$slamd")"
finish "$slamd"
ok "... and nothing else"

done_testing
