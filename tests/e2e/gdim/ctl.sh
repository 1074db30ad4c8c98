#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# ctl.sh - gdimctl on a store, as a user runs it: each command, its output, and
# that each error is one line, exit status 1 and an unchanged store

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
top=${here%/tests/*}
gdimctl=${BIN:-$top/build/bin}/gdimctl
real=$top/../shared/data/maps
. "$top/tests/lib/tap.sh"
. "$top/tests/e2e/gdim/lib.sh"
mounted= writer= holder= daemon=
store=$scratch/site.db

cleanup()
{
	[ -z "$writer" ] || kill "$writer" 2>/dev/null
	[ -z "$daemon" ] || kill -9 "$daemon" 2>/dev/null
	[ -z "$holder" ] || kill "$holder" 2>/dev/null
	[ -z "$mounted" ] || umount "$scratch/disk"
	rm -rf -- "$scratch"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

# ctl ARGS: with the store
ctl() { "$gdimctl" --store "$store" "$@" >"$scratch/out" 2>"$scratch/err"; }

# says NAME TEXT: the output of ctl has TEXT
says()
{
	grep -qF -- "$2" "$scratch/out"
	ok "$1"
}

# no NAME TEXT ARGS: refused, and the store is unchanged
no()
{
	local name=$1 text=$2 before good

	shift 2
	before=$(sum)
	refused "$text" "$gdimctl" --store "$store" "$@" &&
		[ "$before" = "$(sum)" ]
	good=$?
	name="refused: $name: $(line)"
	# ok must see this status, not that of computing the name
	[ $good = 0 ]
	ok "$name"
}

# Four submaps of 2 m in a row, of 20, 40, 60 and 80, that overlap by half
make_files()
{
	python3 - "$scratch" <<-'END'
	import sys
	folder = sys.argv[1]
	with open(folder + '/cells.i8', 'wb') as f:
	    for k in range(4):
	        f.write(bytes([255] * 20 + [20 * (k + 1)] * 380))
	def poses(name, dy):
	    with open(folder + '/' + name, 'w') as f:
	        for k in range(4):
	            f.write('%d,%g,%g,0\n' % (k, k - 3, dy - 1))
	poses('poses.csv', 0)
	poses('near.csv', 0.02)
	poses('far.csv', 0.5)
	END
}

import=(import-submaps --size 20x20 --resolution 0.1 --poses
	"$scratch/poses.csv" --layer temp)

# value FILE.pgm X Y: of an exported map, 0..100 or -1
value()
{
	python3 - "$@" <<-'END'
	import re, sys
	path, x, y = sys.argv[1], float(sys.argv[2]), float(sys.argv[3])
	yaml = open(path[:-3] + 'yaml').read()
	at = [float(v) for v in re.search(r'origin: \[(.*)\]', yaml).group(1).split(',')]
	res = float(re.search(r'resolution: (.*)', yaml).group(1))
	data = open(path, 'rb').read()
	head = re.match(rb'P5\s(?:#.*\n)*(\d+) (\d+)\s(?:#.*\n)*255\n', data)
	w, h = int(head.group(1)), int(head.group(2))
	u, v = (x - at[0]) // res, h - 1 - (y - at[1]) // res
	inside = 0 <= u < w and 0 <= v < h
	grey = data[head.end() + int(v * w + u)] if inside else 205
	print(-1 if grey == 205 else round((254 - grey) / 2.54))
	END
}

# line: the output, for the name of a test
line()
{
	head -c 160 "$scratch/err" | sed "s|$scratch/||g; s/^gdimctl: //" |
		tr -d '\n#'
}

test_import()
{
	ctl "${import[@]}" "$scratch/cells.i8" --role temperature --unit K \
		--range 200:400 --rule max --drawing sample &&
		grep -q '^4 submaps of 20x20 cells (95.0 % known) into layer temp, [0-9.]* ms$' \
		"$scratch/out" && [ ! -s "$scratch/err" ]
	ok 'import-submaps: what was read'
	ctl -j "${import[@]}" "$scratch/cells.i8" &&
		of 'j["submaps"] == 4 and j["known_cells"] == 1520 and j["layer"] == "temp" and j["ms"] >= 0'
	ok 'import-submaps: again, as JSON'
	ctl verify
	says 'verify: nothing is wrong' 'is intact'
	ctl layers
	says 'layers' 'temp                     temperature max      sample       4  0.1    200..400 K'
	ctl layers --json && of 'len(j["layers"]) == 1 and
		j["layers"][0]["submaps"] == 4 and j["layers"][0]["unit"] == "K" and
		j["layers"][0]["resolution"] == 0.1 and j["layers"][0]["bounds"][0] <= -4 and
		j["layers"][0]["rule"] == "max" and j["layers"][0]["drawing"] == "sample"'
	ok 'layers: as JSON'
}

# Unreadable parts are reported, so parts without a report were not read
test_poses_alone()
{
	store=$scratch/alone.db
	ctl "${import[@]}" --rule max "$scratch/cells.i8"
	damage "$store" "UPDATE submap SET cells = x'00' WHERE node =
		(SELECT id FROM node WHERE frame = 'submap_3')"
	printf '2,-1,-0.5,0\n' >"$scratch/one.csv"
	ctl set-poses "$scratch/one.csv" &&
		grep -q '^1 poses: 1 submaps moved' "$scratch/out" &&
		[ ! -s "$scratch/err" ]
	ok 'set-poses: cells of submaps that stay are not read'
	printf '3,0,-0.5,0\n' >"$scratch/one.csv"
	ctl set-poses "$scratch/one.csv"
	grep -q '1 submaps omitted' "$scratch/err"
	ok 'set-poses: those of submaps that move are'
	store=$scratch/site.db
}

test_spot()
{
	local args

	ctl spot -2.55 -0.55 && grep -qx 'temp  *40  280 K' "$scratch/out"
	ok 'spot: at negative coordinates'
	for args in '-j spot -2.55 -0.55' 'spot -j -2.55 -0.55' \
		'spot -2.55 -j -0.55' 'spot -2.55 -0.55 --json' \
		'spot -j -- -2.55 -0.55'; do
		ctl $args && of 'j["x"] == -2.55 and j["y"] == -0.55 and
			j["layers"]["temp"] == {"value": 40, "physical": 280, "unit": "K"} and
			j["temperature"] == 280'
		ok "spot: $args"
	done
	ctl spot 1000 1000 && grep -qx 'temp  *unknown' "$scratch/out" &&
		ctl -j spot 1000 1000 && of 'j["layers"]["temp"]["value"] is None and
			j["layers"]["temp"]["physical"] is None and "temperature" not in j'
	ok 'spot: where nothing is known'
	exits=2 no 'spot: one number' 'missing X Y' spot 1
	exits=2 no 'spot: one that is negative' 'missing X Y' spot -1
	exits=2 no 'room: a negative one' 'room must be 0' room -1
	exits=2 no 'rate: a negative one' '0..100 Hz' rate slam_map -5
	exits=2 no 'no number' 'no option -x' spot -x 1
	exits=2 no 'spot: three' 'too many arguments' spot 1 2 3
	exits=2 no 'spot: no number' 'not a coordinate' spot 1 x
	exits=2 no 'spot: nan' 'not a coordinate' spot nan 1
	exits=2 no 'spot: too far' 'not a coordinate' spot 1e9 1
}

test_poses()
{
	local before

	before=$(ctl spot -2.55 -0.55; cat "$scratch/out")
	ctl set-poses "$scratch/near.csv" && grep -Eqx \
		'4 poses: 0 submaps moved, 0 tiles rebuilt, [0-9.]+ ms \(stored in [0-9.]+, fused in [0-9.]+\)' \
		"$scratch/out"
	ok 'set-poses: less than half a cell'
	ctl set-poses -j "$scratch/far.csv" && of 'j["poses"] == 4 and
		j["submaps_moved"] == 4 and 1 <= j["tiles_rebuilt"] <= 8 and
		abs(j["ms"] - j["stored_ms"] - j["fused_ms"]) < 0.01'
	ok 'set-poses: half a metre, as JSON'
	ctl spot -2.55 0.4 && grep -q ' 40 ' "$scratch/out"
	ok 'set-poses: it is elsewhere'
	printf '2,-1,-1,0\n' >"$scratch/one.csv"
	ctl set-poses "$scratch/one.csv" && grep -q '^1 poses: 1 submaps moved' \
		"$scratch/out" && ctl set-poses "$scratch/poses.csv" &&
		grep -q '^4 poses: 3 submaps moved' "$scratch/out" &&
		ctl spot -2.55 -0.55 && [ "$before" = "$(cat "$scratch/out")" ]
	ok 'set-poses: one alone, and all back'
	no 'set-poses: a frame that is not there' "no submap 'other_0'" \
		set-poses --frame other_ "$scratch/poses.csv"
	printf '0,0,0,0\n7,0,0,0\n' >"$scratch/x.csv"
	no 'set-poses: a submap that is not there' "no submap 'submap_7'" \
		set-poses "$scratch/x.csv"
	exits=2 no 'set-poses: no file' 'missing POSES.csv' set-poses
}

test_csv()
{
	local text name command n=0

	while IFS='|' read -r name text; do
		printf -- "$text" >"$scratch/bad.csv"
		for command in "${import[*]} $scratch/cells.i8" set-poses; do
			command=${command/poses.csv/bad.csv}
			[ "$command" != set-poses ] ||
				command="set-poses $scratch/bad.csv"
			no "${command%% *}: $name" bad.csv $command
		done
	done <<-'END'
	too few columns|0,1,2\n
	too many columns|0,1,2,3,4\n
	not a number|0,nan,0,0\n
	infinite|0,1,2,inf\n
	further than maps go|0,2e6,0,0\n
	text|0,1,2,3\nhello\n
	a name in a first line of numbers|0,x,2,3\n
	the same twice|0,0,0,0\n1,0,0,0\n1,0,0,0\n3,0,0,0\n
	an index that is none|0.5,0,0,0\n
	a negative one|-1,0,0,0\n
	a very large one|99999999999,0,0,0\n
	one too many|0,0,0,0\n1,0,0,0\n2,0,0,0\n4,0,0,0\n
	nothing|
	only comments|# index,x,y,theta\n\n
	zeros within|0,0\0,0,0\n
	two lines of names|a,b,c,d\ni,x,y,t\n0,0,0,0\n
	names behind numbers|0,0,0,0\ni,x,y,t\n1,0,0,0\n
	END
	sed 's/$/\r/; 1i index,x,y,theta\r\n# a comment\r\n\r' \
		"$scratch/poses.csv" >"$scratch/dos.csv"
	ctl set-poses "$scratch/dos.csv" && grep -q '^4 poses: 0 ' "$scratch/out"
	ok 'set-poses: a line of names, comments, empty lines, as DOS ends lines'
	{
		printf '\xef\xbb\xbf# a comment\n\n"index","x","y","theta"\n'
		cat "$scratch/poses.csv"
	} >"$scratch/bom.csv"
	ctl set-poses "$scratch/bom.csv" && grep -q '^4 poses: 0 ' "$scratch/out"
	ok 'set-poses: a mark of UTF-8, a comment, and then names'
	tr , ' ' <"$scratch/poses.csv" >"$scratch/space.csv"
	printf %s "$(cat "$scratch/space.csv")" >"$scratch/end.csv"
	ctl set-poses "$scratch/end.csv" && grep -q '^4 poses: 0 ' "$scratch/out"
	ok 'set-poses: spaces, and no end of the last line'
}

test_bad_import()
{
	local cells=$scratch/cells.i8

	no 'import: no cells' 'No such file' "${import[@]}" "$scratch/none.i8"
	no 'import: no poses' 'No such file' "${import[@]}" "$cells" \
		--poses "$scratch/none.csv"
	no 'import: a folder' 'no cells in it' "${import[@]}" "$scratch"
	no 'import: a folder of poses' 'directory' "${import[@]}" "$cells" \
		--poses "$scratch"
	: >"$scratch/empty"
	no 'import: no bytes' 'no cells in it' "${import[@]}" "$scratch/empty"
	head -c 1599 "$cells" >"$scratch/short"
	no 'import: one byte less' '1599 bytes' "${import[@]}" "$scratch/short"
	no 'import: another size' '1600 bytes' "${import[@]}" "$cells" \
		--size 20x40
	for size in -20x20 0x5 20 20x 1e9x1 99999x99999 2.5x20 axb; do
		exits=2 no "import: size $size" 'size must be' "${import[@]}" "$cells" \
			--size "$size"
	done
	no 'import: too many cells' 'at most' "${import[@]}" "$cells" \
		--size 16384x16384
	for r in 0 -1 nan x 1e9; do
		exits=2 no "import: resolution $r" 'resolution must be' \
			"${import[@]}" "$cells" --resolution "$r"
	done
	exits=2 no 'import: no origin' 'origin must be' "${import[@]}" "$cells" \
		--origin 1
	no 'import: no name of a layer' 'name' "${import[@]}" "$cells" \
		--layer 'a b'
	no 'import: no such rule' 'rule=' "${import[@]}" "$cells" \
		--layer new --rule best
	no 'import: a range upside down' 'range=' "${import[@]}" "$cells" \
		--layer new --range 5:1
	no 'import: a layer that is there' "with 'gdimctl layer'" "${import[@]}" \
		"$cells" --rule mean
	no 'import: frames with long names' 'too long' "${import[@]}" \
		"$cells" --layer new --role gas --frame "$(printf 'x%.0s' {1..95})"
	no 'import: frames with odd names' 'invalid frame name' "${import[@]}" \
		"$cells" --layer new --role gas --frame $'a\nb'
	exits=2 no 'import: two files' 'one file' "${import[@]}" "$cells" "$cells"
	exits=2 no 'import: nothing' 'missing CELLS.i8' import-submaps
	ctl layer wide bits=16
	no 'import: 8 bits into 16' '16 bits' "${import[@]}" "$cells" \
		--layer wide
	store=$scratch/new.db
	no 'import: makes no store then' 'rule=' "${import[@]}" "$cells" \
		--rule best
	[ ! -e "$store" ]
	ok 'import: and there is none'
	store=$scratch/site.db
}

test_layer()
{
	ctl layer temp unit=°C range=-73.15:126.85 && ctl spot -2.55 -0.55 &&
		grep -qx 'temp  *40  6.85 °C' "$scratch/out"
	ok 'layer: another unit'
	ctl layer temp rule=mean && ctl spot -2.55 -0.55 &&
		grep -q ' 30  -13.15 ' "$scratch/out" && ctl layer temp rule=max
	ok 'layer: another rule'
	ctl layer wide bits=16 && ctl layers
	says 'layer: one was made before' \
		'wide                     other       max      splat        0  0      0..1'
	no 'layer: other bits' 'has submaps of 8 bits' layer temp bits=16
	no 'layer: no such rule' 'rule=best' layer temp rule=best
	no 'layer: no such key' 'colour=' layer temp colour=red
	no 'layer: no value' 'KEY=VALUE' layer temp red
	exits=2 no 'layer: no name' 'missing layer NAME' layer
	no 'layer: no name that can be' 'not a layer name' layer a/b
	no 'layer: twice' 'twice' layer temp unit=m unit=m
	store=$scratch/new.db
	no 'layer: makes no store then' 'bits=7' layer x bits=7
	[ ! -e "$store" ]
	ok 'layer: and there is none'
	store=$scratch/site.db
}

test_export()
{
	local rule want map=$scratch/map.pgm

	for rule in max:40 mean:30 min:20 latest:40 log-odds:14 weighted:30; do
		want=${rule#*:}
		rule=${rule%:*}
		ctl export --layer temp --rule "$rule" --out "$map" &&
			[ ! -s "$scratch/out" ] && [ ! -s "$scratch/err" ] &&
			[ "$(value "$map" -2.55 -0.55)" = "$want" ] &&
			[ "$(value "$map" -3.55 -0.55)" -ge 19 ] &&
			[ "$(value "$map" -3.55 -1.95)" = -1 ]
		ok "export: $rule"
	done
	for mode in trinary-grey trinary scale raw; do
		ctl export --layer temp --mode $mode "$map" &&
			grep -q "^mode: ${mode%-grey}$" "$scratch/map.yaml" &&
			grep -q '^resolution: 0.1$' "$scratch/map.yaml" &&
			grep -q '^origin: \[-4, -1.9, 0\]$' "$scratch/map.yaml" &&
			grep -q '^image: map.pgm$' "$scratch/map.yaml" &&
			[ "$(head -c 2 "$map")" = P5 ]
		ok "export: mode $mode"
	done
	ctl export --layer temp --colours heat --title Wärme "$scratch/m.png" &&
		[ "$(head -c 8 "$scratch/m.png" | od -An -tx1)" = \
		' 89 50 4e 47 0d 0a 1a 0a' ]
	ok 'export: a picture'
	ctl export "$scratch/all.gpkg" && python3 - "$scratch/all.gpkg" <<-'END'
	import sqlite3, sys
	db = sqlite3.connect(sys.argv[1])
	assert db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
	names = [r[0] for r in db.execute("SELECT table_name FROM gpkg_contents")]
	assert "map_temp" in names and "map_wide" not in names, names
	END
	ok 'export: a GeoPackage of all layers that have something'
}

test_bad_export()
{
	local end map=$scratch/map.pgm

	ctl "${import[@]}" "$scratch/cells.i8" --layer other --frame other_ \
		--role other
	no 'export: which layer' 'several layers' export "$map"
	no 'export: no such layer' "no layer 'none'" export --layer none "$map"
	no 'export: an empty one' 'no known cells' export --layer wide "$map"
	no 'export: an empty one, as .gpkg' 'no known cells' export \
		--layer wide "$scratch/x.gpkg"
	exits=2 no 'export: no such rule' 'no such rule' export --rule best "$map"
	exits=2 no 'export: no such mode' 'no such mode' export --mode best "$map"
	exits=2 no 'export: no such colours' 'no such' export --colours best "$map"
	no 'export: of no kind that is known' 'must end' export "$scratch/m.jpg"
	exits=2 no 'export: no file' 'missing --out' export --layer temp
	for end in pgm png gpkg; do
		no "export: no such folder, .$end" 'No such file' export \
			--layer temp "$scratch/none/m.$end"
	done
	mkdir "$scratch/folder.png"
	no 'export: a folder' 'folder.png' export --layer temp \
		"$scratch/folder.png"
}

# map_server takes 205 and similar greys for unknown
test_plan()
{
	store=$scratch/plan.db
	for k in {1..4}; do
		head -c 400 /dev/zero | tr '\0' "\\$(printf %o $((10 * k + 1)))"
	done >"$scratch/plan.i8"
	ctl "${import[@]}" "$scratch/plan.i8" --layer slam_map &&
		ctl export "$scratch/plan.pgm" &&
		[ "$(wc -l <"$scratch/err")" = 1 ] &&
		grep -q 'warning: map_server treats [0-9]* % of the known .* --mode trinary' \
		"$scratch/err"
	ok 'export: which share of a plan map_server takes for unknown'
	ctl export --mode trinary "$scratch/plan.pgm" &&
		[ ! -s "$scratch/err" ] &&
		[ "$(value "$scratch/plan.pgm" -2.55 -0.55)" = 0 ] &&
		[ "$(value "$scratch/plan.pgm" 0.55 -0.55)" = 0 ]
	ok 'export: in mode trinary it is free'
	store=$scratch/site.db
}

test_remove()
{
	store=$scratch/remove.db
	ctl "${import[@]}" --rule max "$scratch/cells.i8"
	ctl "${import[@]}" "$scratch/cells.i8" --layer wrong --role gas
	ctl remove layer wrong
	says 'remove: a layer' 'layer wrong and its 4 submaps removed'
	ctl layers && ! grep -q wrong "$scratch/out" && ctl verify &&
		ctl spot -2.55 -0.55 && grep -q 'temp  *40' "$scratch/out"
	ok 'remove: and nothing else went'
	damage "$store" "INSERT INTO room(id, name, stamp, x, y, size, reported,
		temperature) VALUES (7, 'kitchen', 0, 1, 1, 4, 1, 21.5)"
	ctl room 7
	says 'room: what was reported of it' '21.5, as reported'
	damage "$store" "INSERT INTO corner VALUES (7, 0, 0, 0)"
	ctl rooms && grep -q kitchen "$scratch/out" && ctl -j remove room 7 &&
		of 'j == {"room": 7}' && ctl rooms &&
		! grep -q kitchen "$scratch/out" && ctl verify
	ok 'remove: a room'
	no 'remove: no such layer' "no layer 'wrong'" remove layer wrong
	no 'remove: no such room' 'no room 7' remove room 7
	exits=2 no 'remove: a negative one' 'room must be 0' remove room -7
	exits=2 no 'remove: what' 'layer NAME or room ID' remove
	exits=2 no 'remove: what else' "neither 'layer' nor 'room'" remove node x
	store=$scratch/none.db
	no 'remove: of no store' 'none.db' remove layer temp
	store=$scratch/site.db
}

test_coarse()
{
	store=$scratch/coarse.db
	ctl "${import[@]}" "$scratch/cells.i8" --resolution 90 \
		--fused-resolution 0.05 &&
		grep -q 'warning: 4 of them are too large' "$scratch/err"
	ok 'import: submaps that are too large for such a map, refused at once'
	store=$scratch/site.db
}

test_backup()
{
	ctl backup "$scratch/copy.db" && [ ! -s "$scratch/err" ] &&
		store=$scratch/copy.db && ctl verify && ctl spot -2.55 -0.55 &&
		grep -q ' 40 ' "$scratch/out"
	ok 'backup: the copy is one too'
	store=$scratch/site.db
	no 'backup: a file that is there' 'exists' backup "$scratch/copy.db"
	no 'backup: no such folder' 'none/copy.db' backup \
		"$scratch/none/copy.db"
	exits=2 no 'backup: where to' 'missing FILE.db' backup
	exits=2 no 'verify: of what' "unexpected argument 'x'" verify x
}

# damage FILE SQL
damage()
{
	python3 - "$@" <<-'END'
	import sqlite3, sys
	db = sqlite3.connect(sys.argv[1])
	db.execute(sys.argv[2])
	db.commit()
	END
}

test_damage()
{
	store=$scratch/copy.db
	damage "$store" "UPDATE submap SET cells = zeroblob(length(cells)) WHERE id = 1"
	ctl verify
	[ $? = 1 ] && [ "$(wc -l <"$scratch/out")" = 1 ] &&
		grep -q 'submap 1' "$scratch/out" && [ ! -s "$scratch/err" ]
	ok 'verify: damaged cells'
	ctl export --layer temp --rule mean "$scratch/map.pgm" &&
		[ "$(wc -l <"$scratch/err")" = 1 ] &&
		grep -q '^gdimctl: warning: 1 submaps omitted' \
			"$scratch/err" &&
		[ "$(value "$scratch/map.pgm" -2.55 -0.55)" = 40 ]
	ok 'export: the rest of a damaged one, with a warning'
	head -c 30000 "$scratch/site.db" >"$scratch/half.db"
	store=$scratch/half.db
	ctl verify
	[ $? = 1 ] && cat "$scratch/out" "$scratch/err" | grep -q .
	ok 'verify: half of a store'
	store=$scratch/site.db
}

test_stores()
{
	local command

	echo 'this is no store, whatever it is' >"$scratch/text.db"
	: >"$scratch/empty.db"
	mkdir "$scratch/folder.db"
	python3 -c "import sqlite3; db = sqlite3.connect('$scratch/else.db')
db.execute('CREATE TABLE t(x)'); db.commit()"
	for name in text empty folder else none; do
		store=$scratch/$name.db
		for command in layers verify 'spot 1 2' "backup $scratch/b.db" \
			"set-poses $scratch/poses.csv" \
			"export --layer a $scratch/b.pgm"; do
			no "${command%% *} of $name.db" "$name.db" $command
		done
		[ $name = none ] || [ $name = empty ] ||
			no "import into $name.db" "$name.db" \
				"${import[@]}" "$scratch/cells.i8"
	done
	[ ! -e "$scratch/none.db" ] && [ ! -e "$scratch/b.db" ] &&
		[ ! -e "$scratch/b.pgm" ] && [ ! -s "$scratch/empty.db" ]
	ok 'nothing was made'
	refused 'no gdimd answers' "$gdimctl" --socket "$scratch/none" layers
	ok 'no store, and no daemon either'
	refused 'missing --store' "$gdimctl" layers --store
	ok '--store without a path'
	exits=2 refused 'no command' "$gdimctl" dance
	ok 'no such command'
	exits=2 refused 'missing command' "$gdimctl"
	ok 'no command at all'
	exits=2 refused 'missing command' "$gdimctl" --store
	ok '--store and nothing else'
	"$gdimctl" --version >"$scratch/out" && grep -q '^gdimctl [0-9]' \
		"$scratch/out"
	ok '--version'
	store=$scratch/site.db
	exits=2 no 'no such option' '--wrong' layers --wrong
}

test_locked()
{
	python3 - "$store-lock" "$scratch/ready" <<-'END' &
	import fcntl, os, struct, sys, time
	fd = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)
	fcntl.fcntl(fd, 37, struct.pack('hhqqi4x', fcntl.F_WRLCK, 0, 0, 0, 0))
	open(sys.argv[2], 'w').close()
	time.sleep(600)
	END
	holder=$!
	wait_for 60 test -e "$scratch/ready"
	no 'import: another process writes' 'writes it' "${import[@]}" \
		"$scratch/cells.i8"
	no 'set-poses: another process writes' 'writes it' set-poses \
		"$scratch/poses.csv"
	no 'layer: another process writes' 'writes it' layer temp unit=K
	ctl verify && ctl spot 1 2 && ctl layers
	ok 'who only reads may'
	kill "$holder"
	wait "$holder" 2>/dev/null
	holder=
}

test_meanwhile()
{
	local n=0 bad=0

	for i in {1..40}; do
		"$gdimctl" --store "$store" "${import[@]}" \
			"$scratch/cells.i8" --layer temp --frame "w${i}_" ||
			echo "import $i"
		"$gdimctl" --store "$store" layer "more$i" || echo "layer $i"
	done >"$scratch/writer" 2>&1 &
	writer=$!
	while kill -0 "$writer" 2>/dev/null; do
		ctl export --layer temp "$scratch/map.pgm" &&
			[ ! -s "$scratch/err" ] &&
			[ "$(value "$scratch/map.pgm" -2.55 -0.55)" = 40 ] &&
			ctl backup "$scratch/m$n.db" || {
			bad=$((bad + 1))
			sed 's/^/# /' "$scratch/err"
		}
		n=$((n + 1))
	done
	wait "$writer"
	writer=
	[ $bad = 0 ] && [ $n -gt 0 ] &&
		[ "$(grep -c '^4 submaps' "$scratch/writer")" = 40 ] &&
		[ "$(wc -l <"$scratch/writer")" = 40 ] && ctl verify
	ok "export and backup while another process writes: $n times"
}

test_disk()
{
	local disk=$scratch/disk kept n=0

	mkdir "$disk"
	if ! mount -t tmpfs -o size=1m tmpfs "$disk" 2>/dev/null; then
		true
		ok 'disks that are full and read-only # SKIP no mounts here'
		return
	fi
	mounted=1
	store=$disk/site.db
	ctl "${import[@]}" --rule max "$scratch/cells.i8"
	head -c 4000000 /dev/urandom | tr '\000-\377' '\000-\143\000-\143\000-\067' \
		>"$scratch/noise.i8"
	for i in {0..24}; do echo "$i,$i,0,0"; done >"$scratch/noise.csv"
	kept=$(ctl layers; cat "$scratch/out")
	refused 'full' "$gdimctl" --store "$store" import-submaps --size 400x400 \
		--resolution 0.1 --poses "$scratch/noise.csv" --layer noise --role gas \
		"$scratch/noise.i8"
	ok 'disk full: refused'
	ctl verify && ctl layers && [ "$kept" = "$(cat "$scratch/out")" ]
	ok 'disk full: nothing of it is there'
	head -c 2000000 /dev/zero >"$disk/zeros" 2>/dev/null
	for end in pgm png gpkg; do
		refused "m.$end: " "$gdimctl" --store "$scratch/site.db" export \
			--layer temp "$disk/m.$end"
		ok "disk full: no .$end"
		[ ! -s "$disk/m.$end" ]
		ok "disk full: no half of a .$end"
	done
	rm -f "$disk/zeros"
	mount -o remount,ro "$disk"
	no 'import: read-only disk' 'site.db' "${import[@]}" \
		"$scratch/cells.i8"
	no 'set-poses: read-only disk' 'site.db' set-poses \
		"$scratch/poses.csv"
	no 'layer: read-only disk' 'site.db' layer temp unit=K
	ctl verify && ctl spot -2.55 -0.55 && grep -q ' 40' "$scratch/out"
	ok 'read-only disk: it can be read'
	refused 'm.pgm' "$gdimctl" --store "$store" export "$disk/m.pgm"
	ok 'export: read-only disk'
	store=$disk/new.db
	no 'import: no store there' 'new.db' "${import[@]}" \
		"$scratch/cells.i8"
	store=$scratch/site.db
	umount "$disk" && mounted=
	refused 'standard output' sh -c '"$0" --store "$1" layers >/dev/full' \
		"$gdimctl" "$store"
	ok 'standard output is full'
}

# Commands that ask the daemon

daemon_ctl() { "$gdimctl" --socket "$scratch/socket" "$@"; }

daemon_begin()
{
	"${gdimctl%gdimctl}gdimd" --store "$scratch/daemon.db" --from none \
		--to none --http none --socket "$scratch/socket" \
		--records "$scratch/records" 2>>"$scratch/log" &
	daemon=$!
	until_says submaps daemon_ctl status
}

has_end() { [ "$(tail -c 7 "$1" | head -c 5 | tr -d '\0')" = MCAP0 ]; }

daemon_end()
{
	kill "${1:--TERM}" "$daemon"
	wait "$daemon" 2>/dev/null
	daemon=
}

# says_no NAME TEXT ARGS: the daemon refuses it
says_no()
{
	local name=$1 text=$2

	shift 2
	refused "$text" "$gdimctl" --socket "$scratch/socket" "$@"
	ok "daemon: $name"
}

test_records()
{
	local log

	: >"$scratch/records"
	daemon_begin
	says_no 'it tells that it cannot log' 'Not a directory' log on
	says_no 'nor write a snapshot' 'Not a directory' snapshot
	daemon_ctl status | grep -q '^logging: off .* 2 failed; last error: '
	ok 'daemon: and status says so'
	rm "$scratch/records"
	daemon_ctl "${import[@]}" "$scratch/cells.i8" --role gas >/dev/null &&
		wait_for 60 daemon_ctl rate temp 3 &&
		daemon_ctl log on --hz 5 | grep -qx \
		"logging to $scratch/records, 5 Hz" &&
		ls "$scratch"/records/log_*.mcap >"$scratch/out"
	ok 'daemon: the log is there when it says so'
	log=$(cat "$scratch/out")
	daemon_end -KILL 2>/dev/null
	! has_end "$log"
	ok 'daemon: killed, its log has no end'
	: >"$scratch/records/log_20000101T000000.000.mcap"
	daemon_begin
	until_says "$log: was not closed; completed" cat "$scratch/log" &&
		has_end "$log" &&
		[ ! -e "$scratch/records/log_20000101T000000.000.mcap" ] &&
		! ls "$scratch"/records/*.part 2>/dev/null
	ok 'daemon: when it comes back it finishes that'
	daemon_ctl status >"$scratch/out" &&
		grep -q '^logging: 5 Hz' "$scratch/out" &&
		grep -Eq '^/gdim/output/temp +3 ' "$scratch/out"
	ok 'daemon: and logs again, and has the rates that it had'
	daemon_ctl log off >/dev/null
}

test_left_out()
{
	echo 0,9000,9000,0 >"$scratch/wild.csv"
	daemon_ctl set-poses "$scratch/wild.csv" >/dev/null &&
		daemon_ctl -j snapshot >"$scratch/out" &&
		of '"left_out" not in j'
	ok 'snapshot: a map too large for a message is in it, in larger cells'
	daemon_ctl set-poses "$scratch/poses.csv" >/dev/null &&
		until_says '{"path":' daemon_ctl -j snapshot small &&
		daemon_ctl -j snapshot again >"$scratch/out" &&
		of '"left_out" not in j'
	ok 'snapshot: and no more when it is not'
}

test_removed()
{
	daemon_ctl "${import[@]}" "$scratch/cells.i8" --layer wrong \
		--role gas >/dev/null &&
		until_says '"wrong":{"value":30' daemon_ctl -j spot -2.55 -0.55 &&
		daemon_ctl remove layer wrong >"$scratch/out" &&
		! daemon_ctl layers | grep -q '^wrong ' &&
		! daemon_ctl spot -2.55 -0.55 | grep -q wrong
	says 'daemon: a layer is removed' 'wrong and its 4 submaps removed'
	daemon_ctl "${import[@]}" "$scratch/cells.i8" --layer wrong \
		--role gas --resolution 0.2 >/dev/null &&
		until_says '"wrong":{"value":' daemon_ctl -j spot -2.55 -0.55
	ok 'daemon: and comes back as another one'
	daemon_ctl remove layer temp >/dev/null
	daemon_end -KILL 2>/dev/null
	store=$scratch/daemon.db
	ctl verify && ctl layers && grep -q '^wrong ' "$scratch/out" &&
		! grep -q '^temp ' "$scratch/out"
	ok 'daemon: what was removed stays so after kill -9'
	store=$scratch/site.db
}

test_full()
{
	[ -d "$scratch/disk" ] || mkdir "$scratch/disk"
	if ! mount -t tmpfs -o size=1m tmpfs "$scratch/disk" 2>/dev/null; then
		true
		ok 'a full disk of logs # SKIP no mounts here'
		return
	fi
	mounted=1
	rm -rf "$scratch/records"
	ln -s "$scratch/disk/records" "$scratch/records"
	mkdir "$scratch/disk/records"
	head -c 2000000 /dev/zero >"$scratch/disk/zeros" 2>/dev/null
	daemon_begin
	says_no 'a log on a full disk' 'No space' log on
	says_no 'a snapshot on a full disk' 'No space' snapshot
	[ -z "$(ls "$scratch/disk/records")" ]
	ok 'daemon: and no empty files'
	rm "$scratch/disk/zeros"
	daemon_ctl log on >/dev/null && daemon_ctl log off >/dev/null &&
		[ -s "$(ls "$scratch"/disk/records/log_*.mcap)" ]
	ok 'daemon: it logs when there is space'
	daemon_end
	umount "$scratch/disk" && mounted=
}

test_real()
{
	if [ ! -e "$real/intel_submaps_148x200x200.i8" ]; then
		true
		ok 'real submaps # SKIP no shared data'
		return
	fi
	store=$scratch/real.db
	ctl import-submaps --size 200x200 --resolution 0.05 --layer slam_map \
		--poses "$real/intel_submaps_poses.csv" \
		"$real/intel_submaps_148x200x200.i8"
	says 'real: imported' '148 submaps of 200x200'
	ctl verify && ctl export "$scratch/real.pgm" &&
		ctl export "$scratch/real.png" && ctl export "$scratch/real.gpkg"
	ok 'real: exported'
	awk -F, '/^#/ { next } { print $1 "," $2 + 1 "," $3 "," $4 }' \
		"$real/intel_submaps_poses.csv" >"$scratch/real.csv"
	ctl -j set-poses "$scratch/real.csv" && of 'j["submaps_moved"] == 148 and
		j["poses"] == 148 and j["tiles_rebuilt"] > 100'
	ok 'real: all of them a metre further'
	store=$scratch/site.db
}

make_files
test_import
test_spot
test_poses
test_poses_alone
thorough test_csv test_bad_import
test_layer
test_export
thorough test_bad_export
test_plan
test_coarse
test_remove
test_backup
test_damage
thorough test_stores test_locked test_meanwhile
test_disk
test_records
thorough test_left_out
test_removed
thorough test_full test_real
done_testing
