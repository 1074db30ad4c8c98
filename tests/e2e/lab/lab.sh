#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# tests/e2e/lab/lab.sh - optsample-lab as its users call it
#
# usage: tests/e2e/lab/lab.sh
#
# Prints TAP; needs what make built, and python3 for its files.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib/tap.sh
d=$scratch
python3 tests/e2e/lab/make.py "$d" || exit 1

lab() { build/bin/optsample-lab "$@" 2>"$d/err"; }

# value NAME ARGS...: of that column
value()
{
	local name=$1

	shift
	lab "$@" | awk -F, -v name="$name" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i }
		NR == 2 { print $c }'
}

# refused TEXT ARGS...: one line with that text, nothing else, status 1; or
# exits=2 refused ...: wrong usage
refused()
{
	local text=$1 out status

	shift
	out=$(lab "$@")
	status=$?
	[ $status = "${exits:-1}" ] && [ -z "$out" ] && [ "$(wc -l <"$d/err")" = 1 ] &&
		grep -q -- "$text" "$d/err"
}

[ "$(lab image "$d/gray.png" | head -n 1)" = \
	method,bytes,datagrams,received,psnr_db ]
ok "image: names of the columns"
[ "$(value psnr_db image "$d/gray.png" --method split)" = inf ]
ok "image: split without loss is exact"
[ "$(value psnr_db image "$d/flat.png")" = inf ]
ok "image: nor is a flat one of 16 bit without a number"
refused '10 bytes are too few for a datagram' image "$d/gray.png" \
	--method split --bytes 10
ok "image: split is not sent in less than a datagram"
for f in gray colour deep; do
	[ "$(value psnr_db image "$d/$f.png" --bytes 60000 --loss 20%)" = inf ]
	ok "image: md with bytes enough is exact at a fifth of loss: $f"
done
[ "$(value psnr_db image "$d/depth.png" --method depth --bytes 3000 \
	--loss 20%)" = inf ]
ok "image: depth is exact in a few bytes at a fifth of loss"
n=0
for loss in 0 20% 50% 90%; do
	[ "$(lab image "$d/depth.png" --method depth --bytes 700 --loss $loss |
		awk -F, 'NR == 2 { print $7 + 0, $8 + 0 }')" = "0 0" ] || n=1
done
[ $n = 0 ]
ok "image: depth shows no depth that is not there"
[ "$(lab image "$d/depth.png" --depths --bytes 900 | head -n 1)" = \
	method,bytes,datagrams,received,psnr_db,known,ghosts,off,off_most ] &&
	[ "$(value ghosts image "$d/depth.png" --depths --bytes 900)" != 0.0000 ]
ok "image: md does, and --depths tells"
refused "16 bit" image "$d/gray.png" --method depth &&
	refused "16 bit" image "$d/gray.png" --depths
ok "image: colours and 8 bit are no depths"
real=../shared/data/images/rgbd_depth_640x480_16_1.png
if [ -e $real ]; then
	n=0
	for expect in 0 1% 5%; do
		[ "$(value psnr_db image $real --bytes 290000 \
			--expect $expect)" = inf ] || n=$expect
	done
	[ $n = 0 ]
	ok "image: what fits is exact, also if no loss is expected"
else
	skip "image: what fits is exact, also if no loss is expected" \
		"no recording"
fi
a=$(lab image "$d/gray.png" --bytes 4000 --loss 0.3 --seed 7)
b=$(lab image "$d/gray.png" --bytes 4000 --loss 30 --seed 7)
[ "$a" = "$b" ]
ok "image: 0.3 and 30 are the same loss, a seed the same mask"
few=$(value psnr_db image "$d/gray.png" --method split --steps 4 --loss .5)
nn=$(value psnr_db image "$d/gray.png" --method split-nn --steps 4 --loss .5)
awk -v a="$few" -v b="$nn" 'BEGIN { exit !(a > b + 2 && b > 10) }'
ok "image: kriging is better than the nearest neighbour ($few, $nn dB)"
[ "$(value bytes image "$d/gray.png" --bytes 3000)" -le 3000 ]
ok "image: within the budget"
lab image "$d/colour.png" --bytes 5000 --loss .2 --out "$d/o.png" >"$d/o" &&
	[ "$(value psnr_db image "$d/o.png" --method split)" = inf ]
ok "image: what arrives is a PNG"
[ "$(value psnr_db image "$d/gray.png" --loss 100)" = nan ]
ok "image: all lost is nan"
lab image "$d/gray.png" --loss 100 --out "$d/x.png" >"$d/o"
[ $? = 1 ] && [ "$(cat "$d/err")" = \
	"optsample-lab: no datagram received, no file written" ] &&
	[ ! -e "$d/x.png" ]
ok "image: and there is nothing to write"

[ "$(lab cloud "$d/ascii.pcd" --leaf 2 | head -n 1)" = \
	points_in,points_out,datagrams,bytes,points_received,filter_ms ]
ok "cloud: names of the columns"
[ "$(value points_out cloud "$d/ascii.pcd" --leaf 2)" = 100 ]
ok "cloud: voxels of an ascii .pcd"
[ "$(value points_received cloud "$d/floats.bin" --leaf 2)" = 100 ]
ok "cloud: of floats likewise, and all arrive"
n=$(value points_out cloud "$d/floats.bin" --most 60)
[ "$n" -le 60 ] && [ "$n" -gt 10 ]
ok "cloud: at most so many points ($n of 60)"
lab cloud "$d/packets.bin" --out "$d/turn.pcd" >"$d/o" &&
	[ "$(value points_in cloud "$d/turn.pcd")" = \
		"$(value points_received cloud "$d/packets.bin")" ]
ok "cloud: packets as range images, and what arrives is a .pcd"
[ "$(value points_received cloud "$d/packets.bin" --loss .5)" -gt 1000 ]
ok "cloud: half of them show points"
[ "$(value datagrams cloud "$d/floats.bin" --method cloud80)" = 5 ]
ok "cloud: 80 points to a datagram"

[ "$(value cells_received map "$d/map.pgm")" = \
	"$(value known_cells map "$d/map.pgm")" ] &&
	[ "$(value cells_wrong map "$d/map.pgm")" = 0 ]
ok "map: all known cells arrive"
[ "$(value cells_wrong map "$d/map.pgm" --loss .5 --frames 20)" = 0 ]
ok "map: none is ever wrong"
lab map "$d/map.pgm" --out "$d/back.pgm" >"$d/o" &&
	[ "$(value known_cells map "$d/back.pgm")" = \
		"$(value known_cells map "$d/map.pgm")" ]
ok "map: what arrives is a .pgm"
[ "$(value shown_width map "$d/map.pgm" --method pyramid)" = 200 ]
ok "map: as a pyramid"

[ "$(value landmark_bins scan "$d/packets.bin")" -gt 600 ]
ok "scan: the wall of a round room"
half=$(value landmark_received scan "$d/packets.bin" --loss .5 --seed 3)
[ "$half" -gt 200 ]
ok "scan: half of the datagrams ($half bins)"
lab scan "$d/packets.bin" --out "$d/scan.csv" >"$d/o" &&
	awk -F, 'NR > 1 && $2 > 0 && ($2 < 4.9 || $2 > 5.1) { bad = 1 }
		END { exit bad || NR != 721 }' "$d/scan.csv"
ok "scan: distances in a file"

refused "No such file" image "$d/none.png"
ok "no file: one line"
refused "Not a PNG" image "$d/map.pgm"
ok "no image: one line"
head -c 300 "$d/gray.png" >"$d/cut.png"
refused cut.png image "$d/cut.png"
ok "half an image: one line"
refused "too few" image "$d/gray.png" --bytes 20
ok "no budget: one line"
exits=2 refused "loss must be" image "$d/gray.png" --loss -1
ok "no loss: one line"
exits=2 refused "method must be" image "$d/gray.png" --method jpeg
ok "no method: one line"
refused "neither .pcd" cloud "$d/map.pgm"
ok "no cloud: one line"
head -c 200 "$d/turn.pcd" >"$d/cut.pcd"
refused "cut.pcd" cloud "$d/cut.pcd"
ok "half a cloud: one line"
refused "no number 9" cloud "$d/packets.bin" --turn 9
ok "no such turn: one line"
refused "8-bit binary .pgm" map "$d/gray.png"
ok "no map: one line"
refused "no VLP-16 packets" scan "$d/floats.bin"
ok "no packets: one line"
exits=2 refused "no option" scan "$d/packets.bin" --nope
ok "no option: one line"
if [ -w /dev/full ]; then
	for c in "image $d/gray.png" "map $d/map.pgm" "scan $d/packets.bin" \
		 "cloud $d/floats.bin"; do
		# shellcheck disable=SC2086
		lab $c --out /dev/full >"$d/o"
		[ $? = 1 ] && [ "$(wc -l <"$d/err")" = 1 ]
		ok "${c%% *}: a full disk is reported"
	done
fi
done_testing
