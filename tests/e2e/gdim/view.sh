#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# view.sh - the operator's page: its data are those of export, spot and the
# recordings, no foreign text becomes HTML, and, with a Chromium, it works when
# used

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
top=${here%/tests/*}
bin=${BIN:-$top/build/bin}
. "$top/tests/lib/tap.sh"
. "$top/tests/e2e/gdim/lib.sh"
store=$scratch/site.db socket=$scratch/gdimd.sock
page=$scratch/page.html daemon= mounted=
evil='</script><img src=x onerror="document.title=1">'

cleanup()
{
	[ -z "$daemon" ] || kill "$daemon" 2>/dev/null
	[ -z "$mounted" ] || umount "$scratch/disk"
	rm -rf -- "$scratch"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

ctl() { "$bin/gdimctl" --store "$store" "$@" >"$scratch/out" 2>"$scratch/err"; }
ask() { "$bin/gdimctl" --socket "$socket" "$@" 2>&1; }

# written N: files and entries of the log
written() { [ "$(ask -j status | jq .records.written)" -ge "$1" ]; }

# no_page TEXT ARGS: refused, and no file is written
no_page()
{
	local text=$1

	shift
	rm -rf "$page"
	refused "$text" "$bin/gdimctl" --store "$store" "$@" && [ ! -e "$page" ]
}

# A daemon that received a recording, a snapshot, a log, then other poses
make_store()
{
	"$bin/gdim-feed" -s 60 -i 40 -l slam_submap -l temp_submap_fused \
		-G -g gas_A_submap_1 "$scratch/cells.i8" "$scratch/drifted.csv" \
		"$scratch/run.mcap" 2>"$scratch/feed.err" || return
	"$bin/gdimd" --store "$store" --socket "$socket" --http none \
		--from "$scratch/run.mcap" --to none >"$scratch/gdimd.out" 2>&1 &
	daemon=$!
	until_says '32 submaps of 8 nodes, 8 of them placed' ask status &&
		until_says '1 rooms' ask rooms || return
	ask snapshot before >/dev/null || return
	ctl export --layer slam_map --mode raw "$scratch/before.pgm"
	ask log on --hz 10 >/dev/null
	wait_for 60 written 10
	ask log off >/dev/null
	until_says log_ ls "$store-logs"
	kill "$daemon"
	wait "$daemon"
	daemon=
	ctl set-poses "$scratch/true.csv"
}

# Names as a hostile machine would send them
spoil()
{
	python3 - "$store" "$evil" <<-'END'
	import sqlite3, sys
	db = sqlite3.connect(sys.argv[1])
	db.execute('UPDATE room SET name = ?', (sys.argv[2],))
	db.execute("UPDATE layer SET unit = '</script><b>\"' "
	           "WHERE name = 'temp_map_fused'")
	db.commit()
	END
}

cat >"$scratch/page.py" <<'END'
import base64, html.parser, json, re, struct, sys, zlib

class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.links, self.data, self.here = [], [], '', False
        self.feed(text)
        self.close()
    def handle_starttag(self, tag, attributes):
        a = dict(attributes)
        self.tags.append(tag)
        self.links += [v for k, v in attributes if k in ('src', 'href')]
        self.here = a.get('id') == 'data'
    def handle_endtag(self, tag):
        self.here = False
    def handle_data(self, data):
        if self.here:
            self.data += data

def read(path):
    text = open(path, encoding='utf-8').read()
    p = Page(text)
    d = json.loads(p.data)
    d['tags'], d['links'], d['text'] = p.tags, p.links, text
    d['cells'] = [None]
    n = d['tile'] ** 2
    for pack in d['packs']:
        raw = zlib.decompress(base64.b64decode(pack['data']))
        assert len(raw) == pack['tiles'] * n * pack['bits'] // 8
        for t in range(pack['tiles']):
            if pack['bits'] == 8:
                d['cells'].append(raw[t * n:(t + 1) * n])
                continue
            v, cells, at = 0, [], 2 * n * t
            for i in range(n):
                v = (v + (raw[at + i] << 8) + raw[at + n + i]) & 65535
                cells.append(v)
            d['cells'].append(cells)
    return d

def value(d, time, name, cx, cy):
    for k in d['times'][time]['maps']:
        m = d['maps'][k]
        l = d['layers'][m['layer']]
        if l['name'] != name:
            continue
        s, (x, y, w, h) = d['tile'], m['tiles']
        i, j = cx // s - x, cy // s - y
        if not (0 <= i < w and 0 <= j < h) or not m['id'][j * w + i]:
            return -1
        v = d['cells'][m['id'][j * w + i]][cy % s * s + cx % s]
        return v if v <= l['full'] else -1
    return -1

# all cells of a map exported with --mode raw
def compare(d, time, name, pgm):
    yaml = open(pgm[:-3] + 'yaml').read()
    at = [float(v) for v in re.search(r'origin: \[(.*)\]', yaml).group(1).split(',')]
    res = float(re.search(r'resolution: (.*)', yaml).group(1))
    data = open(pgm, 'rb').read()
    head = re.match(rb'P5\s(?:#.*\n)*(\d+) (\d+)\s(?:#.*\n)*255\n', data)
    w, h = int(head.group(1)), int(head.group(2))
    known = 0
    for y in range(h):
        for x in range(w):
            want = data[head.end() + (h - 1 - y) * w + x]
            got = value(d, time, name, round(at[0] / res) + x, round(at[1] / res) + y)
            assert got == (want if want <= 100 else -1), (name, x, y, got, want)
            known += got >= 0
    assert known > 1000, known

d = read(sys.argv[1])
exec(sys.argv[2])
END

# has PYTHON: of the page
has() { python3 "$scratch/page.py" "$page" "$1" 2>"$scratch/py.err" ||
	{ tail -n 3 "$scratch/py.err" | sed 's/^/# /'; false; }; }

test_page()
{
	ctl view --out "$page" && [ ! -s "$scratch/err" ] &&
		[ ! -s "$scratch/out" ]
	ok 'a page is written'
	has 'assert d["tags"].count("script") == 2 and "img" not in d["tags"]
assert "b" not in d["tags"] and not d["links"], d["tags"]'
	ok 'nothing of other machines is HTML, and nothing is fetched'
	has 'assert "http://" not in d["text"] and "https://" not in d["text"]
assert "default-src '\'none\''" in d["text"]'
	ok 'no address is in it'
	has 'assert [r["name"] for r in d["rooms"][d["times"][-1]["rooms"]]] == ["'"${evil//\"/\\\"}"'"]
assert [l["unit"] for l in d["layers"] if l["name"] == "temp_map_fused"] == ["</script><b>\""]'
	ok 'names are there as they are'
	has 'assert len(d["layers"]) == 4 and all(len(l["colours"]) == 1536 for l in d["layers"])'
	ok 'layers that have something, with colours'
	has 'assert d["repeaters"] and len(d["ways"][d["times"][-1]["way"]]["xy"]) == 16
assert len(d["rooms"][0]) == 1 and len(d["rooms"][0][0]["outline"]) >= 6
assert d["rooms"][0][0]["name"] == "kitchen"'
	ok 'rooms, repeaters and poses, then and now'
}

test_values()
{
	for layer in slam_map temp_map_fused; do
		ctl export --layer $layer --mode raw "$scratch/$layer.pgm" &&
			has "compare(d, -1, '$layer', '$scratch/$layer.pgm')"
		ok "all cells are those of the export: $layer"
	done
	has "compare(d, 0, 'slam_map', '$scratch/before.pgm')" &&
		! cmp -s "$scratch/before.pgm" "$scratch/slam_map.pgm"
	ok 'those of a snapshot are those of the export then, and were others'
	ctl -j spot 2.525 0.325 && has "
s = json.load(open('$scratch/out'))['layers']['gas_A_map_1_CO']['value']
v = value(d, -1, 'gas_A_map_1_CO', 50, 6)
assert v >= 0 and abs(v / 10000 - s) < 1e-9, (v, s)"
	ok '16 bits are those of spot'
	has 'assert any(value(d, 0, "gas_A_map_1_CO", x, y) >= 0 for x in range(0, 200, 9)
	for y in range(-20, 20, 3))'
	ok 'and of a snapshot'
	has 'n = len(d["times"])
assert n >= 4 and d["times"][0]["name"].startswith("snapshot_")
assert sum(t["name"].startswith("log_") for t in d["times"]) >= 2
assert len(d["maps"]) == 8 and len(d["packs"]) <= 8, (len(d["maps"]), len(d["packs"]))
assert len({tuple(t["maps"]) for t in d["times"]}) == 2'
	ok 'times of logs are there, and what did not change is there once'
}

test_some()
{
	ctl view --layer slam_map --layer gas_A_map_1_CO --layer slam_map \
		--snapshots "$scratch" "$page" 2>/dev/null
	has 'assert [l["name"] for l in d["layers"]] == ["slam_map", "gas_A_map_1_CO"]
assert len(d["times"]) == 1'
	ok 'some layers, and a folder whose recording has no maps'
	[ "$(wc -l <"$scratch/err")" = 1 ] && grep -q 'run.mcap: has none' \
		"$scratch/err"
	ok 'which is logged'
	mkdir "$scratch/many"
	for i in {1..70}; do
		cp "$store-logs"/snapshot_*.mcap "$scratch/many/$i.mcap"
	done
	ctl view --snapshots "$scratch/many" "$page" && has \
		'assert len(d["times"]) == 61, len(d["times"])'
	ok 'of too many times some are shown'
}

test_bad()
{
	local logs=$scratch/bad snapshot

	mkdir "$logs"
	snapshot=$(ls "$store-logs"/snapshot_*.mcap)
	cp "$snapshot" "$logs/good.mcap"
	head -c 300 /dev/urandom >"$logs/noise.mcap"
	: >"$logs/empty.mcap"
	python3 - "$snapshot" "$logs/broken.mcap" <<-'END'
	import sys
	d = bytearray(open(sys.argv[1], 'rb').read())
	for i in range(len(d) // 4, len(d) // 2):
	    d[i] ^= 0x5a
	open(sys.argv[2], 'wb').write(d)
	END
	ctl view --snapshots "$logs" "$page" &&
		[ "$(grep -c '^gdimctl: warning: ' "$scratch/err")" = 3 ] &&
		[ "$(wc -l <"$scratch/err")" = 3 ] &&
		grep -q 'noise.mcap' "$scratch/err" &&
		grep -q 'empty.mcap' "$scratch/err" &&
		grep -q 'broken.mcap' "$scratch/err" &&
		has 'assert "good.mcap" in [t["name"] for t in d["times"]]
assert not {"noise.mcap", "empty.mcap"} & {t["name"] for t in d["times"]}'
	ok 'damaged recordings: one warning each, the rest is shown'
	sed 's/^/# /; s|/tmp/[^/]*/||' "$scratch/err"
	exits=2 no_page 'missing --out' view
	ok 'refused: no page'
	exits=2 no_page 'one page' view "$page" "$page"
	ok 'refused: two'
	no_page "no layer 'none'" view --layer none "$page"
	ok 'refused: no such layer'
	no_page "$scratch/none: No such" view --snapshots "$scratch/none" "$page"
	ok 'refused: no such folder of snapshots'
	no_page 'No such file' view "$scratch/none/page.html"
	ok 'refused: no such folder'
	store=$scratch/none.db no_page none.db view "$page"
	ok 'refused: no store'
	"$bin/gdimctl" --store "$scratch/new.db" layer a bits=8 >/dev/null
	store=$scratch/new.db no_page 'no known cells' view "$page"
	ok 'refused: nothing is known'
}

test_disk()
{
	local disk=$scratch/disk

	mkdir "$disk"
	if ! mount -t tmpfs -o size=64k tmpfs "$disk" 2>/dev/null; then
		true
		ok 'disk full # SKIP no mounts here'
		return
	fi
	mounted=1
	echo before >"$disk/page.html"
	head -c 40000 /dev/zero >"$disk/zeros"
	no_page page.html view "$disk/page.html" &&
		[ "$(cat "$disk/page.html")" = before ] &&
		[ "$(ls -A "$disk" | wc -l)" = 2 ]
	ok 'disk full: refused, and what was there stays'
	umount "$disk" && mounted=
}

# visit WISH: the page, as rendered by a browser, in $scratch/dom
visit()
{
	timeout 120 "$chromium" --headless --no-sandbox --disable-gpu \
		--user-data-dir="$scratch/profile" \
		--virtual-time-budget=20000 --window-size=1366,768 --dump-dom \
		"file://$page#$1" \
		>"$scratch/dom" 2>/dev/null
}

# browse POINTS: results of the page's own test, in $scratch/found
browse()
{
	visit "test=$1"
	python3 - "$scratch/dom" "$scratch/found" <<-'END'
	import html, re, sys
	t = re.search(r'<title>TEST (.*?)</title>', open(sys.argv[1]).read(), re.S)
	open(sys.argv[2], 'w').write(html.unescape(t.group(1)) if t else '{}')
	END
}

found() { python3 -c "import json
j = json.load(open('$scratch/found'))
$1" 2>"$scratch/py.err" || { tail -n 1 "$scratch/py.err" | sed 's/^/# /'; false; }; }

test_browser()
{
	local chromium

	chromium=$(command -v chromium || command -v chromium-browser)
	if [ -z "$chromium" ]; then
		true
		ok 'in a browser # SKIP no chromium'
		return
	fi
	ctl view "$page" && browse '2.525,0.325;5.025,0.525;500,500' && [ "$(cat "$scratch/found")" != '{}' ]
	ok 'a browser shows it'
	for at in 0:2.525:0.325 1:5.025:0.525 2:500:500; do
		IFS=: read -r i x y <<<"$at"
		ctl -j spot "$x" "$y" && found "
want = json.load(open('$scratch/out'))['layers']
got = j['spots'][$i]['layers']
assert len(got) == 4
for n in got:
    for k in ('value', 'physical'):
        a, b = got[n][k], want[n].get(k)
        assert a == b or k not in want[n] or abs(a - b) < 1e-6, (n, k, a, b)
click = j['clicks'][$i]
names = {'slam_map': 'Walls and obstacles', 'temp_map_fused': 'Temperature',
         'gas_A_map_1_CO': 'CO gas, sensor A 1', 'gas_A_map_1_H2': 'H2 gas, sensor A 1'}
on = ['temp_map_fused', 'slam_map']
said = {r[0]: r[1] for r in click['shown'] + click['folded']}
assert [r[0] for r in click['shown']] == [names[n] for n in on], click
assert [r[0] for r in j['spots'][$i]['box']] == [names[n] for n in on], j['spots']
assert {r[0] for r in click['folded']} == {names[n] for n in names if n not in on}
assert click['stays'] and click['gone'] and not click['open']
for n in got:
    text, l = said[names[n]], got[n]
    if l['value'] is None:
        assert text == 'unknown', text
    elif n == 'slam_map':
        word = 'free' if l['value'] <= 35 else 'occupied' if l['value'] >= 65 else 'undecided'
        assert text == '%s (%d %%)' % (word, l['value']), text
    else:
        v, unit = text.split(' ', 1)
        assert unit == l['unit'] and abs(float(v) - l['physical']) <= 0.0501, text"
		ok "the spot under the pointer is that of gdimctl spot: $x $y"
	done
	for what in zoomed panned up fits wheel switched plays next names; do
		found "assert j['$what'] is True"
		ok "in a browser: $what"
	done
	found 'assert j["images"] == 0 and j["scripts"] == 1
assert j["rooms"] == ['"'$evil'"'] and j["first"].startswith("snapshot_")'
	ok 'in a browser: names are text'
	test_fire
	thorough test_fire_again
}

# A floor at 20 degrees, a fire on it, and layers of each kind; no rooms or
# repeaters, and the robot did not move
make_fire()
{
	python3 - "$scratch" <<-'END'
	import math, sys
	side = 100
	def put(name, f):
	    with open(f'{sys.argv[1]}/{name}.i8', 'wb') as out:
	        out.write(bytes(f((x + .5) / 10, (y + .5) / 10) & 255
	                        for y in range(side) for x in range(side)))
	far = lambda x, y: math.hypot(x - 7.05, y - 6.05)
	put('walls', lambda x, y: 98 if 5 < x < 5.2 and y < 8 else
	    50 if y > 9.5 else 2)
	put('heat', lambda x, y: max(5, round(43 - 20 * far(x, y))))
	put('kelvin', lambda x, y: 20)
	put('hazard', lambda x, y: max(0, round(90 - 40 * far(x, y))))
	put('cost', lambda x, y: 10)
	open(sys.argv[1] + '/one.csv', 'w').write('0,5,5,0\n')
	END
	store=$scratch/fire.db
	put=(import-submaps --size 100x100 --resolution 0.1
		--poses "$scratch/one.csv")
	ctl "${put[@]}" --layer nav_cost_map --role cost "$scratch/cost.i8" &&
		ctl "${put[@]}" --layer slam_map --role obstacle \
			"$scratch/walls.i8" &&
		ctl "${put[@]}" --layer other_map --role other \
			"$scratch/cost.i8" &&
		ctl "${put[@]}" --layer temp_map_remote --role temperature \
			--unit K --range 273.15:373.15 "$scratch/kelvin.i8" &&
		ctl "${put[@]}" --layer temp_map_fused --role temperature \
			--unit °C --range 0:400 "$scratch/heat.i8"
}

# dom PYTHON: on the rendered page: ids, hidden, headings, names
dom() { python3 - "$scratch/dom" "$1" <<-'END' 2>"$scratch/py.err" ||
	import html.parser, sys
	class Dom(html.parser.HTMLParser):
	    void = ('meta', 'input', 'br', 'img', 'link')
	    def __init__(self):
	        super().__init__()
	        self.open, self.seen, self.gone, self.kinds, self.text = [], [], [], [], None
	    def handle_starttag(self, tag, attributes):
	        a = dict(attributes)
	        hidden = 'hidden' in a or bool(self.open and self.open[-1][1])
	        inside = [i for _, _, i in self.open]
	        if a.get('id'):
	            (self.gone if hidden else self.seen).append(a['id'])
	        if tag not in self.void:
	            self.open.append((tag, hidden, a.get('id') or a.get('class')))
	        self.text = 'h2' if tag == 'h2' and 'layers' in inside else \
	            'name' if tag == 'span' and 'name' in inside else None
	    def handle_endtag(self, tag):
	        while self.open and self.open.pop()[0] != tag:
	            pass
	        self.text = None
	    def handle_data(self, text):
	        if self.text == 'h2':
	            self.kinds.append((text, []))
	        elif self.text:
	            self.kinds[-1][1].append(text)
	d = Dom()
	d.feed(open(sys.argv[1], encoding='utf-8').read())
	exec(sys.argv[2])
	END
	{ tail -n 1 "$scratch/py.err" | sed 's/^/# /'; false; }; }

points='2.05,2.05;7.05,6.05;5.1,2.05;2.05,9.75;7.75,6.05'

# What people in a hurry need from the page
test_fire()
{
	make_fire && ctl view "$page" && browse "$points"
	ok 'a fire: a page'
	dom "assert d.kinds == [('Temperature', ['Temperature, °C',
'Temperature seen from afar, °C']), ('Walls and obstacles', ['Walls and obstacles']),
('Driving', ['Cost of driving']), ('Others', ['other_map'])], d.kinds"
	ok 'layers are grouped by kind, with plain names and units'
	dom "assert {'rooms', 'way', 'repeaters', 'time', 'time-keys'} <= set(d.gone), d.gone
assert {'peaks', 'layers', 'fit'} <= set(d.seen), d.seen"
	ok 'tools with nothing to show are hidden'
	found "c = j['clicks']
assert c[0]['shown'] == [['Temperature', '20 °C'], ['Walls and obstacles', 'free (2 %)']], c[0]
assert c[0]['folded'] == [['Temperature seen from afar', '20 °C'],
    ['Cost of driving', '10 of 100'], ['other_map', '10 of 100']], c[0]
assert c[1]['shown'][0] == ['Temperature', '172 °C'], c[1]
assert [x['shown'][1][1] for x in c[2:4]] == ['occupied (98 %)', 'undecided (50 %)'], c"
	ok 'the spot box: what is shown, in units, and the rest folded'
	found "
y = lambda c: sum(w * (v / 255) ** 2.2 for w, v in zip((.2126, .7152, .0722), c))
room, fire, wall = map(y, j['bare'][:3])
print('# luminance: room %.2f, fire %.2f, wall %.2f' % (room, fire, wall))
assert room > 0.86 and wall < 0.004 and fire < 0.63, (room, fire, wall)"
	ok 'a floor at 20 degrees is light, walls on it are black, a fire is strong'
	found "p, = j['peaks']
assert p['layer'] == 'temp_map_fused' and p['highest'] == 'hottest 172 °C', p
assert max(abs(p['at'][0] - 7.05), abs(p['at'][1] - 6.05)) < 0.01, p
assert [l['at'] for l in p['lines']] == [40, 60, 100], p
for l in p['lines']:
    far = 6.05 + (43 - l['at'] / 4) / 20
    assert l['parts'] > 20 and abs(l['top'][1] - far) < 0.1, (l, far)
assert j['marked'] is True"
	ok 'lines at 40, 60 and 100 degrees, and the hottest place'
	found "assert j['bare'][0] != j['bare'][3] and j['plan'] == [
    [253, 253, 253], [253, 253, 253], [16, 20, 24], [180, 186, 194], [253, 253, 253]], j['plan']
assert j['undecided'] != j['plan'] and j['undecided'][2] != j['undecided'][3]"
	ok 'walls are shown as free, undecided and occupied, or as how sure that is'
	found "assert j['asked'] == [50, 80], j['asked']"
	ok 'lines are drawn where they are wanted'
}

# Chosen lines are kept, and a hazard comes first
test_fire_again()
{
	visit 'lines=70,55' && browse "$points" && found "assert j['field'] == '55 70', j['field']"
	ok 'and are there again when the page is opened again'
	found "assert [l['at'] for l in j['peaks'][0]['lines']] == [55, 70], j['peaks'][0]"
	ok 'and drawn'
	visit 'lines=40,60,100' && browse "$points" && found "assert j['field'] == '40 60 100', j['field']"
	ok 'until they are the first ones again'
	ctl "${put[@]}" --layer hazard_map --role hazard "$scratch/hazard.i8" &&
		ctl view "$page" && browse "$points" && dom "assert d.kinds[0] == ('Hazards', ['Hazard, %']), d.kinds"
	ok 'hazards come first'
	found "p, = j['peaks']
assert p['layer'] == 'hazard_map' and p['highest'] == 'highest 90 %', p
assert [l['at'] for l in p['lines']] == [50, 75] and all(l['parts'] for l in p['lines']), p
assert [r[0] for r in j['clicks'][0]['shown']] == ['Hazard', 'Walls and obstacles']"
	ok 'and are shown first, with lines'
}

make_input
make_store
ok 'a store, a snapshot and a log'
spoil
test_page
test_values
thorough test_some test_bad
test_disk
test_browser
done_testing
