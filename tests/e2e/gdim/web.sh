#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# web.sh - gdimd's HTTP: every path, invalid options, access control, many
# clients, and that nothing of it stops or fills the daemon
#
# Prints TAP. Needs root: it uses a network namespace. web.py asks.

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
. "$here/alone.sh" "$@"
top=${here%/tests/*}
bin=${BIN:-$top/build/bin}
real=$top/../shared/data/maps
. "$top/tests/lib/tap.sh"
. "$top/tests/e2e/gdim/lib.sh"
daemon= load=

cleanup()
{
	[ -z "$daemon" ] || kill -9 "$daemon"
	[ -z "$load" ] || kill -9 "$load"
	wait
	rm -rf -- "$scratch"
} 2>/dev/null
trap cleanup EXIT
trap 'exit 130' INT TERM

ip link set lo up && ip addr add 10.9.0.1/32 dev lo || exit 1

# part NAME ARGS...: of web.py; its output is checked
part() { checks "$1" python3 "$here/web.py" "$@"; }

# begin ARGS...: the daemon, on port 8460 by default
begin()
{
	: >"$scratch/log"
	"$bin/gdimd" --to none --socket "$scratch/socket" "$@" \
		>"$scratch/out" 2>"$scratch/log" &
	daemon=$!
}

# end: by SIGTERM; false unless it exits with 0
end()
{
	local status

	kill "$daemon" 2>/dev/null
	wait "$daemon" 2>/dev/null
	status=$?
	daemon=
	return $status
}

# accepts ADDRESS PORT: connections
accepts() { (: <"/dev/tcp/$1/$2") 2>/dev/null; }

# wrong STATUS TEXT ARGS...: one line, and nothing listens
wrong()
{
	local status=$1 text=$2

	shift 2
	"$bin/gdimd" --from none --to none --socket "$scratch/s" \
		--store "$scratch/wrong.db" "$@" >"$scratch/said" 2>&1
	[ $? = "$status" ] && [ "$(wc -l <"$scratch/said")" = 1 ] &&
		grep -qF -- "$text" "$scratch/said" && return
	sed 's/^/# /' "$scratch/said"
	return 1
}

memory() { awk '/^VmRSS/ { print $2 }' "/proc/$daemon/status"; }

python3 - "$scratch" <<-'END'
	import sys
	folder, side = sys.argv[1], 100
	with open(folder + '/cells.i8', 'wb') as f:
	    for k in range(6):
	        f.write(bytes(255 if (x - 50) ** 2 + (y - 50) ** 2 > 48 ** 2 else
	                      (x * 7 + y * 3 + k * 11) % 101
	                      for y in range(side) for x in range(side)))
	with open(folder + '/poses.csv', 'w') as f:
	    for k in range(6):
	        f.write('%d,%g,%g,%g\n' % (k, k * 2 - 5, .5 * k - 1, .1 * k))
END
feed()
{
	"$bin/gdim-feed" -s 100 -r 0.1 -i "$1" -l slam_submap \
		-l temp_submap_fused -l smoke_submap_fused \
		-g gas_a_submap_fused "$scratch/cells.i8" \
		"$scratch/poses.csv" "$2" 2>/dev/null
}
feed 200 "$scratch/feed.mcap"; ok 'there is something to see'

# ---- invalid options ----

wrong 1 'not a loopback address' --http 0.0.0.0:8460
ok 'every address, without tokens'
printf '%s\n' '# for the operator' '' '  token-of-the-operator-1 ' \
	'a-second-token-with' >"$scratch/tokens"
chmod 644 "$scratch/tokens"
wrong 1 'other users can read it' --http-token-file "$scratch/tokens"
ok 'tokens that everybody can read'
chmod 600 "$scratch/tokens"

test_options()
{
	wrong 1 'not a loopback address' --http 10.9.0.1:8460
	ok 'one of others, without tokens'
	wrong 1 'needs a token file' --http '[::]:8460'; ok 'every one of IPv6'
	wrong 1 "is not ADDRESS:PORT" --http :8460; ok 'no address'
	wrong 1 'is not' --http 127.0.0.1:99999; ok 'no port'
	wrong 1 '' --http nowhere.invalid:8460; ok 'no host'
	wrong 1 'No such file' --http-token-file "$scratch/none"; ok 'no tokens there'
	wrong 1 'not a regular file' --http-token-file "$scratch"; ok 'a folder of tokens'
	chmod 620 "$scratch/tokens"
	wrong 1 'its group can write it' --http-token-file "$scratch/tokens"
	ok 'or others change'
	printf '# nothing\n' >"$scratch/few"; chmod 600 "$scratch/few" "$scratch/tokens"
	wrong 1 'no token in it' --http-token-file "$scratch/few"; ok 'no token in it'
	printf '# one\nshort\n' >"$scratch/few"
	wrong 1 'few:2: a token must have 16' --http-token-file "$scratch/few"
	ok 'one that is too short'
	printf '%0300d\n' 0 >"$scratch/few"
	wrong 1 'few:1: a token must have' --http-token-file "$scratch/few"; ok 'or too long'
}
thorough test_options

# ---- requests ----

begin --from "$scratch/feed.mcap" --store "$scratch/site.db"
python3 "$here/web.py" wait 8460 24; ok 'a recording is fused'
wrong 1 '127.0.0.1:8460: Address already in use'; ok 'a port that is taken'
part answers 8460 "$scratch/socket"
# exported LAYER: as gdimctl sees it
exported()
{
	"$bin/gdimctl" --store "$scratch/site.db" export --layer "$1" \
		--mode raw --out "$scratch/$1.pgm" >/dev/null 2>&1
	ok "$1: exported"
}
exported slam_map
part pictures 8460 slam_map "$scratch/slam_map.pgm" 0 -3 2

test_pictures()
{
	part tiles 8460 slam_map "$scratch/slam_map.pgm" -1 -6 6
	exported temp_map_fused
	part pictures 8460 temp_map_fused "$scratch/temp_map_fused.pgm" \
		0 -1 -3 -6 2 6
}
thorough test_pictures

part marks 8460
mark=$(sed -n 's/^# mark //p' "$scratch/checks")
part errors 8460

test_crowd()
{
	part hostile 8460
	part crowd 8460
}
thorough test_crowd

# ---- many and long requests ----

paths=('/api/v1/spot?x=%X&y=%Y' /api/v1/layers /api/v1/rooms /api/v1/status
	/api/v1/rooms/3 /api/v1/layers/slam_map.png
	/api/v1/layers/temp_map_fused/tiles/0/0/0.png
	/api/v1/layers/slam_map/tiles/-2/-1/0.png
	/api/v1/layers/slam_map/tiles/3/1/1.png
	'/api/v1/layers/gas_a_map_fused/values?x0=-5&y0=-5&x1=5&y1=5')
"$bin/http-load" -q 3000 8460 "${paths[@]}" >"$scratch/load" 2>&1
ok "8 clients at once"

test_memory()
{
	local before after

	before=$(memory)
	"$bin/http-load" -q 12000 8460 "${paths[@]}" >"$scratch/load" 2>&1
	ok "and longer"
	after=$(memory)
	[ "$after" -lt $((before + 8192)) ]
	ok 'memory does not grow' || echo "# $before kB, $after kB"
}
thorough test_memory
part stay 8460 "$daemon"
end; ok 'and ends well'

# ---- during input ----

test_input()
{
	feed 4 "$scratch/slow.mcap"
	begin --from "$scratch/slow.mcap" --store "$scratch/again.db"
	wait_for 60 accepts 127.0.0.1 8460
	"$bin/http-load" -t 3600 8460 '/api/v1/spot?x=%X&y=%Y' /api/v1/layers \
		/api/v1/status /api/v1/layers/slam_map/tiles/0/0/0.png \
		/api/v1/layers/slam_map/tiles/-1/-1/0.png >"$scratch/load" 2>&1 &
	load=$!
	python3 "$here/web.py" wait 8460 24; ok 'all comes in beside 8 clients'
	kill -0 "$load"; ok 'who were all answered'
	kill "$load"; wait "$load" 2>/dev/null; load=
	for db in site again; do
		"$bin/gdimctl" --store "$scratch/$db.db" export --layer slam_map \
			--mode raw --out "$scratch/$db.pgm" >/dev/null 2>&1
	done
	cmp -s "$scratch/site.pgm" "$scratch/again.pgm"; ok 'and is the same map'
	python3 - "$mark" <<-'END'
		import sys, urllib.request
		r = urllib.request.Request('http://127.0.0.1:8460/api/v1/layers/slam_map'
		    '/values.png?x0=0&y0=0&x1=1&y1=1', headers={'If-None-Match':
		    sys.argv[1]})
		sys.exit(urllib.request.urlopen(r).status != 200)
	END
	ok 'a mark of an earlier run is none'
	end; ok 'it ends'
}
thorough test_input

# ---- tokens ----

begin --from none --store "$scratch/site.db" --http 0.0.0.0:8461 \
	--http-token-file "$scratch/tokens"
wait_for 60 test -S "$scratch/socket"
wait_for 60 accepts 10.9.0.1 8461
part access 8461 token-of-the-operator-1
end; ok 'it ends'

test_no_http()
{
	begin --from none --store "$scratch/site.db" --http none
	wait_for 60 test -S "$scratch/socket"
	! ss -ltn 2>/dev/null | grep -q 846; ok 'none is none'
	end; ok 'which ends, too'
}
thorough test_no_http

# ---- a real map ----

test_real()
{
	if [ -e "$real/intel_submaps_148x200x200.i8" ]; then
		"$bin/gdimctl" --store "$scratch/intel.db" import-submaps --layer \
			slam_map --size 200x200 --resolution 0.05 --poses \
			"$real/intel_submaps_poses.csv" \
			"$real/intel_submaps_148x200x200.i8" >/dev/null 2>&1 &&
			"$bin/gdimctl" --store "$scratch/intel.db" export --layer \
				slam_map --mode raw --out "$scratch/intel.pgm" \
				>/dev/null 2>&1
		ok 'a real map is in a store'
		begin --from none --store "$scratch/intel.db"
		python3 "$here/web.py" wait 8460 148; ok 'and fused'
		part pictures 8460 slam_map "$scratch/intel.pgm" 0 -1 -3 -6 2 6
		end; ok 'it ends'
	else
		true; ok 'a real map # skip not here'
	fi
}
thorough test_real

done_testing
