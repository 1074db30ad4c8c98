#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# import.sh - whole maps of map_server into a store and out again, with and
# without a daemon; and that an invalid map is one line, exit status 1 and an
# unchanged store
#
# Prints TAP. Needs root: it uses a network namespace.

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
. "$here/alone.sh" "$@"
top=${here%/tests/*}
bin=${BIN:-$top/build/bin}
gdimctl=$bin/gdimctl
real=$top/../shared/data/maps
. "$top/tests/lib/tap.sh"
. "$top/tests/e2e/gdim/lib.sh"
store=$scratch/site.db socket=$scratch/gdimd.sock daemon= mounted=

cleanup()
{
	[ -z "$daemon" ] || kill "$daemon" 2>/dev/null
	[ -z "$mounted" ] || umount "$scratch/disk"
	rm -rf -- "$scratch"
}
trap cleanup EXIT
trap 'exit 130' INT TERM
ip link set lo up || exit 1

# ctl ARGS: with the store
ctl() { "$gdimctl" --store "$store" "$@" >"$scratch/out" 2>"$scratch/err"; }

# a_new: use another store from here on, which does not exist yet
a_new() { store=$scratch/$1.db; rm -f -- "$store"*; }

# no NAME TEXT ARGS: 'import ARGS' is refused, and the store is unchanged
no()
{
	local name=$1 text=$2 before good line

	shift 2
	before=$(sum)
	refused "$text" "$gdimctl" --store "$store" import "$@" &&
		[ "$before" = "$(sum)" ]
	good=$?
	line=$(head -c 160 "$scratch/err" |
		sed "s|$scratch/||g; s/^gdimctl: //" | tr -d '\n#')
	[ $good = 0 ]
	ok "refused: $name: $line"
}

# yaml NAME IMAGE LINE...: with the required keys, and these
yaml()
{
	local name=$1

	printf 'image: %s\nresolution: 0.1\norigin: [-1, -2, 0]\n' "$2" \
		>"$scratch/$name.yaml"
	shift 2
	[ $# = 0 ] || printf '%s\n' "$@" >>"$scratch/$name.yaml"
}

# spot X Y: value of the only layer there
spot()
{
	ctl -j spot "$1" "$2" && python3 - "$scratch/out" <<-'END'
	import json, sys
	(layer,) = json.load(open(sys.argv[1]))['layers'].values()
	print(-1 if layer['value'] is None else layer['value'])
	END
}

# same A B: two exports are equal, except for their names
same()
{
	cmp "$scratch/$1.pgm" "$scratch/$2.pgm" &&
		diff <(sed /^image/d "$scratch/$1.yaml") \
			<(sed /^image/d "$scratch/$2.yaml") >/dev/null
}

# 30x20: a wall at the left and along the bottom, free behind it, unknown at
# the top; and pictures of all greys. PGM, as text, PNG in grey and in colours
make_maps()
{
	python3 - "$scratch" <<-'END'
	import struct, sys, zlib
	folder = sys.argv[1] + '/'
	def pgm(name, w, h, data, text=False):
	    with open(folder + name, 'wb') as f:
	        if text:
	            f.write(b'P2\n# of a test\n%d %d\n255\n' % (w, h))
	            f.write(b' '.join(b'%d' % v for v in data) + b'\n')
	        else:
	            f.write(b'P5\n%d %d\n255\n' % (w, h) + bytes(data))
	def png(name, w, h, colour, rows):
	    def part(kind, data):
	        return struct.pack('>I', len(data)) + kind + data + \
	            struct.pack('>I', zlib.crc32(kind + data))
	    with open(folder + name, 'wb') as f:
	        f.write(b'\x89PNG\r\n\x1a\n' +
	            part(b'IHDR', struct.pack('>IIBBBBB', w, h, 8, colour, 0, 0, 0)) +
	            part(b'IDAT', zlib.compress(b''.join(b'\0' + r for r in rows))) +
	            part(b'IEND', b''))
	w, h = 30, 20
	def pixel(x, y):
	    return 205 if y < 4 else 0 if x == 0 or y == h - 1 else 254
	data = [pixel(x, y) for y in range(h) for x in range(w)]
	rows = [bytes(data[y * w:(y + 1) * w]) for y in range(h)]
	pgm('plan.pgm', w, h, data)
	pgm('text.pgm', w, h, data, True)
	pgm('negative.pgm', w, h, [50 if v == 205 else 254 - v for v in data])
	png('plan.png', w, h, 0, rows)
	png('colour.png', w, h, 2, [b''.join(bytes([v]) * 3 for v in r) for r in rows])
	# transparent is unknown
	png('alpha.png', w, h, 4, [b''.join(b'\xfe\0' if v == 205 else
	    bytes([v, 255]) for v in r) for r in rows])
	# a bar of all greys
	pgm('grey.pgm', 256, 2, list(range(256)) * 2)
	pgm('none.pgm', 0, 5, [])
	pgm('blank.pgm', 4, 4, [205] * 16)
	open(folder + 'short.pgm', 'wb').write(
	    open(folder + 'plan.pgm', 'rb').read()[:-1])
	open(folder + 'huge.pgm', 'wb').write(b'P5\n16384 16384\n255\n')
	open(folder + 'long.pgm', 'wb').write(b'P5\n16385 1\n255\n' + b'\0' * 16385)
	open(folder + 'deep.pgm', 'wb').write(b'P5\n2 2\n65535\n' + b'\0' * 8)
	open(folder + 'text.txt', 'w').write('no picture\n')
	open(folder + 'half.png', 'wb').write(
	    open(folder + 'plan.png', 'rb').read()[:60])
	END
	yaml plan plan.pgm 'negate: 0' 'occupied_thresh: 0.65' \
		'free_thresh: 0.196'
}

test_import()
{
	a_new plan
	ctl import "$scratch/plan.yaml" && [ ! -s "$scratch/err" ] &&
		grep -Eqx '30x20 cells of 0.1 m \(80.0 % known\) into layer slam_map, [0-9.]+ ms' \
		"$scratch/out"
	ok 'import: into a new store'
	[ "$(spot -0.95 -1) $(spot 0.5 -1.95) $(spot 0.5 -1) $(spot -0.85 -1.85)" = \
		'100 100 0 0' ] && [ "$(spot 1.95 -0.45) $(spot 0 -0.35)" = \
		'0 -1' ]
	ok 'import: walls, free and unknown are where they are'
	ctl verify && ctl -j import "$scratch/plan.yaml" &&
		of 'j["layer"] == "slam_map" and j["width"] == 30 and j["height"] == 20
			and j["resolution"] == 0.1 and j["known_cells"] == 480
			and j["waits"] is False and j["ms"] >= 0'
	ok 'import: again, as JSON'
	python3 - "$store" <<-'END'
	import sqlite3, sys
	db = sqlite3.connect(sys.argv[1])
	(row,) = db.execute('SELECT n.frame, s.width, s.height, s.weight, s.yaw '
	    'FROM submap s JOIN node n ON n.id = s.node')
	assert row == ('map', 30, 20, 100, 0), row
	assert not db.execute('SELECT count(*) FROM pose').fetchone()[0]
	END
	ok 'import: one map of the frame map, as one of a topic'
	ctl export "$scratch/first.pgm" && mkdir "$scratch/sub" &&
		cp "$scratch/plan.pgm" "$scratch/sub/p l.pgm"
	yaml quoted '"sub/p l.pgm"'
	yaml whole "$scratch/plan.pgm"
	ctl import "$scratch/quoted.yaml" && ctl import "$scratch/whole.yaml" &&
		(cd "$scratch/sub" && ctl import ../plan.yaml)
	ok 'import: pictures elsewhere'
}

# alike NAME YAML ARGS: the same as plan.yaml
alike()
{
	local name=$1 yaml=$2

	shift 2
	a_new alike
	ctl import "$scratch/$yaml.yaml" "$@" && ctl export "$scratch/a.pgm" &&
		same first a
	ok "import: $name"
}

test_pictures()
{
	yaml other plan.png
	alike plan.png other
	sed 's/^origin.*/origin: [3, 1, 0]/' "$scratch/plan.yaml" \
		>"$scratch/other.yaml"
	alike '--pose' other --pose -4,-3,0
}

test_more_pictures()
{
	local image

	for image in text.pgm colour.png alpha.png; do
		yaml other $image
		alike "$image" other
	done
	yaml other negative.pgm 'negate: 1'
	alike 'negated' other
	yaml other plan.pgm 'mode: scale'
	alike 'another mode than the .yaml says' other --mode trinary
	sed 's/$/\r/' "$scratch/plan.yaml" >"$scratch/other.yaml"
	alike 'lines as DOS has them' other
	printf 'image: plan.pgm\nresolution: 0.1\norigin:\n- -1.0\n- -2.0\n- 0.0\n' \
		>"$scratch/other.yaml"
	alike 'a list in lines' other
	alike '--node map' plan --node map
}

# greys NAME WANT YAML...: values of the pixels 0 20 100 101 200 205 254 255
greys()
{
	local name=$1 want=$2 got= p

	shift 2
	yaml grey grey.pgm "$@"
	a_new grey
	ctl import "$scratch/grey.yaml"
	for p in 0 20 100 101 200 205 254 255; do
		got+="$(spot "$(awk -v p=$p 'BEGIN { print -1 + p / 10 + 0.05 }')" \
			-1.9) "
	done
	[ "$got" = "$want " ] || echo "# $got"
	[ "$got" = "$want " ]
	ok "import: $name"
}

test_modes()
{
	greys 'trinary' '100 100 -1 -1 -1 -1 0 0'
	greys 'thresholds' '100 100 100 100 0 0 0 0' 'occupied_thresh: 0.6' \
		'free_thresh: 0.5'
	greys 'negated thresholds' '0 0 -1 -1 100 100 100 100' 'negate: yes'
	greys 'raw' '0 20 100 -1 -1 -1 -1 -1' 'mode: raw'
	greys 'raw and negated, which map_server passes over, too' \
		'0 20 100 -1 -1 -1 -1 -1' 'mode: raw' 'negate: 1'
	ctl import --mode trinary-grey "$scratch/grey.yaml" &&
		[ "$(spot -0.95 -1.9) $(spot 9.05 -1.9) $(spot 19.55 -1.9)" = \
		'100 61 -1' ]
	ok 'import: --mode trinary-grey'
}

test_scale()
{
	greys 'scale' '100 100 91 90 4 0 0 0' 'mode: scale'
}

test_place()
{
	a_new place
	sed 's/^origin.*/origin: [1, 2, 1.5707963267948966]/' \
		"$scratch/plan.yaml" >"$scratch/turned.yaml"
	ctl import "$scratch/turned.yaml" &&
		[ "$(spot 0.05 2.05) $(spot 0 3.5) $(spot 0.95 4.5)" = \
		'100 0 100' ] && [ "$(spot -0.75 2.05)" = -1 ]
	ok 'import: a turned origin'
	ctl export "$scratch/a.pgm"
	a_new place
	sed 's/^origin.*/origin: [0, 0, 0]/' "$scratch/plan.yaml" \
		>"$scratch/zero.yaml"
	ctl import --pose 1,2,1.5707963267948966 "$scratch/zero.yaml" &&
		ctl export "$scratch/b.pgm" && same a b
	ok 'import: --pose turns it alike'
}

# Cells of fused maps begin at multiples of their side: a shift is reported
test_off()
{
	a_new off
	sed 's/^origin.*/origin: [-1.05, -2.02, 0]/' "$scratch/plan.yaml" \
		>"$scratch/off.yaml"
	ctl import "$scratch/off.yaml" &&
		grep -q 'shifted by 0.05 m, 0.02 m in the fused map' \
			"$scratch/out" && [ "$(wc -l <"$scratch/out")" = 2 ]
	ok 'import: an origin within a cell: one line says how far it moves'
	ctl -j import "$scratch/off.yaml" &&
		of 'j["off_x"] == 0.05 and j["off_y"] == 0.02'
	ok 'and as JSON'
	[ "$(python3 - "$store" <<-'END'
		import sqlite3, sys
		print(*sqlite3.connect(sys.argv[1]).execute(
		    'SELECT x, y FROM submap').fetchall())
		END
	)" = '(-1.05, -2.02)' ]
	ok 'the store has it as it is'
	a_new on
	ctl import "$scratch/plan.yaml" && [ "$(wc -l <"$scratch/out")" = 1 ]
	ok 'one that fits: nothing is said'
	ctl import --pose 0,0,0.1 "$scratch/plan.yaml" &&
		grep -q 'it is rotated' "$scratch/out"
	ok 'one that is turned: it is'
}

test_node()
{
	a_new node
	make_input
	ctl import-submaps --size 60x60 --resolution 0.05 --layer slam_map \
		--poses "$scratch/true.csv" "$scratch/cells.i8"
	ctl import --layer plan --role hazard --node submap_2 \
		"$scratch/plan.yaml" &&
		ctl -j spot 4.05 -1 && of 'j["layers"]["plan"]["value"] == 100' &&
		printf '2,105,0,0\n' >"$scratch/far.csv" &&
		ctl set-poses "$scratch/far.csv" && ctl -j spot 4.05 -1 &&
		of 'j["layers"]["plan"]["value"] is None' &&
		ctl -j spot 104.05 -1 && of 'j["layers"]["plan"]["value"] == 100'
	ok 'import: --node, and it moves with that'
	no 'a node that is not there' "no node 'submap_9'" --layer plan \
		--node submap_9 "$scratch/plan.yaml"
	exits=2 no 'a node and a pose' '--node and --pose exclude' --layer plan \
		--node submap_2 --pose 1,2,0 "$scratch/plan.yaml"
}

test_replaced()
{
	a_new later
	yaml none blank.pgm
	yaml grey grey.pgm 'mode: raw'
	ctl import --stamp 1000 "$scratch/plan.yaml" &&
		ctl import --stamp 1001.5 "$scratch/grey.yaml" &&
		ctl -j layers && of 'j["layers"][0]["submaps"] == 1' &&
		[ "$(spot 0.05 -1) $(spot 9 -1.9)" = '-1 100' ]
	ok 'import: a later one replaces it'
	no 'an older one' 'newer' --stamp 1001.4 "$scratch/plan.yaml"
	no 'one of tomorrow' 'in the future' --stamp 9e9 "$scratch/plan.yaml"
	ctl import --stamp 1001.5 "$scratch/plan.yaml" &&
		[ "$(spot 0.05 -1)" = 0 ] && ctl import "$scratch/none.yaml" &&
		[ "$(spot 0.05 -1)" = -1 ]
	ok 'import: one of the same time, and one with nothing in it'
}

# Values and positions of all kinds: out, in, out
test_round()
{
	local mode i

	a_new site
	python3 - "$scratch" <<-'END'
	import random, sys
	r = random.Random(7)
	places = (0.05, -3.15, 7.25), (0.1, 2.7, -0.3), (0.025, -0.025, 0.05), \
	         (0.2, -1000.2, 999.8), (0.3, 0.9, -2.1)
	for i, (res, x, y) in enumerate(places):
	    w, h = r.randrange(60, 90), r.randrange(60, 90)
	    data = bytearray(r.choice([255, r.randrange(101)])
	                     for _ in range(w * h))
	    data[:101] = bytes(range(101))
	    name = f'{sys.argv[1]}/round{i}'
	    open(name + '.pgm', 'wb').write(b'P5\n%d %d\n255\n' % (w, h) + data)
	    open(name + '.yaml', 'w').write(f'image: round{i}.pgm\nmode: raw\n'
	        f'resolution: {res}\norigin: [{x}, {y}, 0]\n')
	END
	for mode in trinary-grey scale raw; do
		for i in 0 1 2 3 4; do
			a_new one
			ctl import "$scratch/round$i.yaml" &&
				ctl export --mode $mode "$scratch/a.pgm"
			a_new two
			ctl import "$scratch/a.yaml" &&
				ctl export --mode $mode "$scratch/b.pgm" &&
				same a b && ctl export --mode raw "$scratch/c.pgm" &&
				cmp "$scratch/c.pgm" "$scratch/round$i.pgm" || break
		done
		[ $i = 4 ] && same a b && cmp "$scratch/c.pgm" "$scratch/round4.pgm"
		ok "out, in and out again: $mode"
	done
}

test_round_trinary()
{
	a_new one
	ctl import "$scratch/plan.yaml" && ctl export --mode trinary \
		"$scratch/a.pgm"
	a_new two
	ctl import "$scratch/a.yaml" && ctl export --mode trinary \
		"$scratch/b.pgm" && same a b
	ok 'out, in and out again: trinary'
}

test_layers()
{
	a_new layers
	ctl import --layer smoke --role smoke --unit % --range 0:50 --rule mean \
		"$scratch/plan.yaml" && ctl spot -0.95 -1 &&
		grep -qx 'smoke  *100  50 %' "$scratch/out"
	ok 'import: makes a layer'
	ctl import "$scratch/plan.yaml" && ctl layers &&
		[ "$(wc -l <"$scratch/out")" = 2 ]
	ok 'import: the only layer'
}

# With the store of test_layers
test_bad_layers()
{
	no 'no such layer' "no layer 'smoek'" --layer smoek "$scratch/plan.yaml"
	no 'words for one that is there' 'layer smoke exists' --layer smoke \
		--rule max "$scratch/plan.yaml"
	no 'words for the only one' 'layer smoke exists' --rule max \
		"$scratch/plan.yaml"
	no 'no name of a layer' 'name' --layer 'a b' --role gas \
		"$scratch/plan.yaml"
	no 'no such role' 'role=' --layer b --role gaz "$scratch/plan.yaml"
	ctl layer wide bits=16
	no 'which of several' 'several layers' "$scratch/plan.yaml"
	no 'one of 16 bits' '16 bits' --layer wide "$scratch/plan.yaml"
}

# bad NAME TEXT IMAGE LINE...: of a .yaml
bad()
{
	local name=$1 text=$2

	shift 2
	yaml bad "$@"
	no "$name" "$text" "$scratch/bad.yaml"
}

test_bad()
{
	local line

	bad 'no picture' 'none-there.pgm: No such file' none-there.pgm
	bad 'a folder' 'not a regular file' sub
	bad 'one byte less' 'unexpected end of file' short.pgm
	bad 'no pixels' 'has no pixels' none.pgm
	bad 'too many cells' 'picture too large' huge.pgm
	bad 'too long a side' 'picture too large' long.pgm
	bad '16 bits' 'more than 8 bits' deep.pgm
	bad 'text' 'neither PGM nor PNG' text.txt
	bad 'half a PNG' 'PNG' half.png
	bad 'an unknown mode' 'invalid value of mode' plan.pgm 'mode: grey'
	bad 'thresholds upside down' 'must be less' plan.pgm \
		'occupied_thresh: 0.2' 'free_thresh: 0.3'
	bad 'a threshold above 1' 'invalid value of free_thresh' plan.pgm \
		'free_thresh: 1.5'
	bad 'negate 2' 'invalid value of negate' plan.pgm 'negate: 2'
	bad 'the same twice' 'duplicate key' plan.pgm 'image: plan.pgm'
	while IFS='|' read -r line text; do
		sed "s/^${line%%:*}:.*/$line/" "$scratch/plan.yaml" \
			>"$scratch/bad.yaml"
		no "$line" "$text" "$scratch/bad.yaml"
	done <<-'END'
	resolution: 0|invalid value of resolution
	resolution: -0.1|invalid value of resolution
	resolution: nan|invalid value of resolution
	resolution: 1e-9|invalid cell size
	resolution: 1e5|invalid cell size
	origin: [nan, 0, 0]|invalid value of origin
	origin: [0, inf, 0]|invalid value of origin
	origin: [0, 0]|invalid value of origin
	origin: [0, 0, 0, 0]|invalid value of origin
	origin: [2e6, 0, 0]|invalid value of origin
	image: ""|invalid value of image
	image: # none|invalid value of image
	END
	no 'no .yaml' 'No such file' "$scratch/none-there.yaml"
	no 'a picture instead of the .yaml' 'plan.pgm' "$scratch/plan.pgm"
	no 'a folder instead' 'directory' "$scratch"
	exits=2 no 'no map' 'missing MAP.yaml'
	exits=2 no 'two maps' 'one map' "$scratch/plan.yaml" "$scratch/plan.yaml"
	exits=2 no 'no such mode' 'no such mode' --mode best "$scratch/plan.yaml"
	for line in 1,2 1,2,3,4 x,0,0 nan,0,0 0,0,inf 2e6,0,0 ''; do
		exits=2 no "pose '$line'" 'pose must be' --pose "$line" \
			"$scratch/plan.yaml"
	done
	no 'a pose too far' 'plan.yaml' --pose 1000000,0,1.5708 \
		"$scratch/plan.yaml"
	exits=2 no 'no stamp' 'stamp must be' --stamp x "$scratch/plan.yaml"
	exits=2 no 'one before 1970' 'stamp must be' --stamp -1 "$scratch/plan.yaml"
}

# Invalid input creates no store
test_none()
{
	a_new never
	yaml bad none-there.pgm
	no 'no store for what cannot be' 'No such file' "$scratch/bad.yaml"
	no 'no store for a node' 'never.db' --node submap_1 \
		"$scratch/plan.yaml"
	no 'no store for no rule' 'rule=' --rule best "$scratch/plan.yaml"
	[ ! -e "$store" ]
	ok 'and there is none'
}

test_disk()
{
	local kept

	mkdir "$scratch/disk"
	if ! mount -t tmpfs -o size=512k tmpfs "$scratch/disk" 2>/dev/null; then
		true
		ok 'a disk that is full # SKIP no mounts here'
		return
	fi
	mounted=1
	store=$scratch/disk/site.db
	ctl import "$scratch/plan.yaml"
	kept=$(ctl layers; cat "$scratch/out")
	python3 - "$scratch" <<-'END'
	import random, sys
	open(sys.argv[1] + '/noise.pgm', 'wb').write(b'P5\n900 900\n255\n' +
	    bytes(v % 101 for v in random.Random(1).randbytes(810000)))
	END
	yaml noise noise.pgm 'mode: raw'
	refused full "$gdimctl" --store "$store" import --layer noise \
		--role gas "$scratch/noise.yaml"
	ok 'disk full: refused'
	ctl verify && ctl layers && [ "$kept" = "$(cat "$scratch/out")" ]
	ok 'disk full: nothing of it is there, not even its layer'
	umount "$scratch/disk" && mounted=
}

ask() { "$gdimctl" --socket "$socket" "$@" >"$scratch/out" 2>"$scratch/err"; }

start()
{
	"$bin/gdimd" --store "$store" --socket "$socket" --http 8460 \
		--from none --to none --default-layers no \
		--map 'hazard_map role=hazard' >"$scratch/gdimd.out" 2>&1 &
	daemon=$!
	until_says nodes "$gdimctl" --socket "$socket" status
}

# post COMMAND PARAMETERS: HTTP status, and the message
post()
{
	python3 - "$@" <<-'END'
	import sys, urllib.error, urllib.request
	r = urllib.request.Request('http://127.0.0.1:8460/api/v1/' + sys.argv[1],
	    sys.argv[2].encode(), {'Content-Type': 'application/json'})
	try:
	    print(urllib.request.urlopen(r).status)
	except urllib.error.HTTPError as e:
	    print(e.code, e.read().decode())
	END
}

test_daemon()
{
	a_new daemon
	start
	(cd "$scratch" && ask -j import --stamp 1000 plan.yaml) &&
		of 'j["layer"] == "hazard_map" and j["known_cells"] == 480'
	ok 'daemon: a map into the only layer, by a path of here'
	until_says '"hazard_map":{"value":100' "$gdimctl" --socket "$socket" \
		-j spot -0.95 -1
	ok 'daemon: it is fused'
	ctl export "$scratch/a.pgm" && same first a
	ok 'daemon: the same map as without'
	refused newer "$gdimctl" --socket "$socket" import --stamp 999 \
		"$scratch/plan.yaml"
	ok 'daemon: an older one is refused'
	refused "no layer 'x'" "$gdimctl" --socket "$socket" import --layer x \
		"$scratch/plan.yaml"
	ok 'daemon: no such layer'
	refused 'no node' "$gdimctl" --socket "$socket" import --node x \
		"$scratch/plan.yaml"
	ok 'daemon: no such node'
	refused 'No such file' "$gdimctl" --socket "$socket" import \
		"$scratch/none-there.yaml"
	ok 'daemon: no such map'
	ask import --layer gas --role gas --rule mean --mode raw \
		--pose 10,0,0 "$scratch/grey.yaml" &&
		until_says '"gas":{"value":20' "$gdimctl" --socket "$socket" \
		-j spot 11.05 -1.95
	ok 'daemon: another layer, mode and pose'
	[[ $(post import "{\"map\": \"$scratch/plan.yaml\"}") = 404* ]] &&
		post command "{\"do\": \"import\", \"layer\": \"gas\",
			\"map\": \"$scratch/plan.yaml\"}" |
			grep -q '^400 .*not available over HTTP' &&
		[ "$(post command '{"do": "layers"}')" = 200 ]
	ok 'daemon: not by HTTP'
	python3 - "$socket" "$scratch" <<-'END'
	import json, socket, sys
	def ask(**p):
	    s = socket.socket(socket.AF_UNIX)
	    s.connect(sys.argv[1])
	    s.sendall(json.dumps({'do': 'import', **p}).encode() + b'\n')
	    return json.loads(s.makefile().readline())
	good = sys.argv[2] + '/plan.yaml'
	for p in {}, {'map': 7}, {'map': good, 'layer': 'gas', 'mode': 'best'}, \
	    {'map': good, 'layer': 'gas', 'x': 'far'}, \
	    {'map': good, 'layer': 'gas', 'x': 1e300}, \
	    {'map': good, 'layer': 'gas', 'theta': []}, \
	    {'map': good, 'layer': 'gas', 'stamp': -1}, \
	    {'map': good, 'layer': 'gas', 'stamp': 1e300}, \
	    {'map': good, 'layer': 'x' * 5000, 'words': 'role=gas'}, \
	    {'map': good, 'layer': 'y', 'words': 'role=gas ' * 5000}, \
	    {'map': good, 'layer': 'gas', 'node': 'x' * 5000}, \
	    {'map': '/dev/zero', 'layer': 'gas'}, {'map': 'x' * 9000}:
	    a = ask(**p)
	    assert a['ok'] is False and '\n' not in a['error'] and a['error'], (p, a)
	END
	ok 'daemon: whoever asks nonsense gets one line'
	kill -9 "$daemon"
	wait "$daemon" 2>/dev/null
	start
	until_says '"hazard_map":{"value":100' "$gdimctl" --socket "$socket" \
		-j spot -0.95 -1
	ok 'daemon: it is there after kill -9'
	ask import "$scratch/plan.yaml" --layer hazard_map &&
		kill "$daemon" && wait "$daemon" && ctl verify
	ok 'daemon: it ends well'
	daemon=
}

test_real()
{
	local name

	for name in intel_0.05 willow-2010-02-18-0.10; do
		if [ ! -e "$real/$name.yaml" ]; then
			true
			ok "$name # SKIP no shared data"
			continue
		fi
		a_new one
		ctl import "$real/$name.yaml" && ctl export "$scratch/a.pgm"
		a_new two
		ctl import "$scratch/a.yaml" && ctl export "$scratch/b.pgm" &&
			same a b
		ok "$name: in and out"
	done
}

make_maps
test_import
test_pictures
test_scale
test_place
test_node
test_replaced
test_round_trinary
test_layers
thorough test_bad_layers test_more_pictures test_modes test_off test_round \
	test_bad
test_none
test_disk
test_daemon
thorough test_real
done_testing
