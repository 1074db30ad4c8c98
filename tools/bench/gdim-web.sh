#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# tools/bench/gdim-web.sh - how many questions gdimd answers over HTTP
#
# Ten layers of a site, the real one if it is there; one or eight connections
# that are kept, on the loopback, for five seconds each; what asks is on the
# same machine and is counted, too. "core" is what the daemon takes of one.

set -u
top=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd -P)
bin=${BIN:-$top/build/bin}
data=$top/../shared/data/maps
work=$(mktemp -d)
port=18460
daemon=

cleanup()
{
	[ -z "$daemon" ] || kill "$daemon"
	wait
	rm -rf -- "$work"
} 2>/dev/null
trap cleanup EXIT

die()
{
	echo "bench: $*" >&2
	exit 1
}

cells=$data/intel_submaps_148x200x200.i8
poses=$data/intel_submaps_poses.csv
if ! [ -e "$cells" ]; then
	cells=$work/cells.i8 poses=$work/poses.csv
	python3 - "$work" <<-'END' || die "no python3"
		import sys
		with open(sys.argv[1] + '/cells.i8', 'wb') as f:
		    for k in range(148):
		        f.write(bytes((x * 7 + y * 3 + k) % 101
		                      for y in range(200) for x in range(200)))
		with open(sys.argv[1] + '/poses.csv', 'w') as f:
		    for k in range(148):
		        f.write('%d,%g,%g,%g\n' % (k, k % 12 * 3 - 18,
		                                  k // 12 * 3 - 18, .1 * k))
	END
fi
for ((i = 0; i < 10; i++)); do
	"$bin/gdimctl" --store "$work/site.db" import-submaps --layer "layer_$i" \
		--role temperature --unit °C --rule mean --size 200x200 \
		--resolution 0.05 --poses "$poses" "$cells" >/dev/null ||
		die "no store"
done
"$bin/gdimd" --from none --to none --default-layers no --http $port \
	--store "$work/site.db" --socket "$work/socket" 2>"$work/log" &
daemon=$!

# until all is fused: the processor rests
for ((i = 0, last = -1; i < 600; i++)); do
	sleep 0.5
	now=$(awk '{ print $14 + $15 }' "/proc/$daemon/stat") ||
		die "$(cat "$work/log")"
	[ "$now" = "$last" ] && break
	last=$now
done

# measure NAME CONNECTIONS PATH...
measure()
{
	local name=$1 n=$2 t0 t1

	shift 2
	t0=$(awk '{ print $14 + $15 }' "/proc/$daemon/stat")
	"$bin/http-load" -n "$n" -t 5 $port "$@" >"$work/said" ||
		die "$(cat "$work/said")"
	t1=$(awk '{ print $14 + $15 }' "/proc/$daemon/stat")
	awk -v name="$name" -v n="$n" -v ticks=$((t1 - t0)) '{
		printf "%-22s %4d %10.0f %9.2f %7.0f%%\n", name, n, $1 / $8,
			$6 / $8 / 1e6, ticks / $8 }' "$work/said"
}

printf '%-22s %4s %10s %9s %8s\n' query conn 1/s MB/s core
for n in 1 8; do
	measure spot $n '/api/v1/spot?x=%X&y=%Y'
	measure 'tile, zoom 0' $n /api/v1/layers/layer_0/tiles/0/0/0.png \
		/api/v1/layers/layer_1/tiles/0/-1/0.png
	measure 'tile, zoom -2' $n /api/v1/layers/layer_2/tiles/-2/0/0.png \
		/api/v1/layers/layer_3/tiles/-2/-1/-1.png
	measure 'whole map' $n /api/v1/layers/layer_4.png
	measure layers $n /api/v1/layers
done
