#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# input.sh - no message of a RELIABLE writer is lost on its way into the store:
# at any rate, over a link that loses packets, from Cyclone DDS and Fast DDS,
# and while the daemon is busy; losses are counted

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
. "$here/../io/lib.sh"
. "$top/tests/e2e/gdim/lib.sh"
socket=$scratch/gdimd.sock store=$scratch/site.db
gdimctl="$bin/gdimctl --socket $socket"
cyclone=$bin/submap-writer fastdds=$bin/fastdds-submap-writer
own_domain 65

[ "$(id -u)" = 0 ] && make_space || skip_all 'no network namespaces'
in_space tc qdisc add dev lo clsact 2>/dev/null || skip_all 'no clsact'

# start ARGS: a daemon with an empty store, $daemon is its pid
start()
{
	rm -f "$store"*
	(exec ip netns exec "$space" "$bin/gdimd" --store "$store" \
		--socket "$socket" --http none --to none "$@" \
		>"$scratch/gdimd.out" 2>"$scratch/gdimd.err") &
	daemon=$!
	until_says nodes $gdimctl status
}

end()
{
	kill "$daemon" 2>/dev/null
	wait "$daemon"
}

# loses PERCENT: of all packets; or _greetings: see lose.bpf.c
loses()
{
	in_space tc filter del dev lo ingress 2>/dev/null
	[ "$1" = 0 ] || in_space tc filter add dev lo ingress bpf da obj \
		"$top/build/bpf/lose.bpf.o" sec "lose$1"
}

# status FILTER
status() { $gdimctl -j status | jq "$1"; }

# all_of NUMBER: all are stored once, and nothing else
all_of()
{
	until_says "$1" status .submaps >/dev/null
	[ "$(status .submaps)" = "$1" ] &&
		[ "$(status .in.messages)" = "$1" ] &&
		[ "$(status '.in.lost + .in.refused')" = 0 ] || {
		status .in | sed 's/^/# /'
		false
	}
}

# sends LOSSES NAME WRITER ARGS: all of them arrive, at each loss
sends()
{
	local losses=$1 name=$2 loss

	shift 2
	for loss in $losses; do
		loses "$loss"
		start
		in_space timeout 200 "$@" >"$scratch/writer" \
			2>"$scratch/writer.err"
		ok "$name, $loss % lost: all was acknowledged"
		all_of 97
		ok "$name, $loss % lost: 97 of 97 are stored, each once"
		end
	done
	loses 0
}

test_cyclone()
{
	sends 20 'Cyclone DDS' "$cyclone" -n 97
}

test_cyclone_more()
{
	sends '0 1 5' 'Cyclone DDS' "$cyclone" -n 97
	sends '0 1 5 20' 'Cyclone DDS, transient local' "$cyclone" -n 97 -t
}

# Its datagrams fit in one packet of a link
test_fastdds()
{
	sends 20 'Fast DDS, transient local' "$fastdds" -n 97 -m 1400 -t
}

test_fastdds_more()
{
	sends '0 1 5' 'Fast DDS, transient local' "$fastdds" -n 97 -m 1400 -t
	sends '0 1 5 20' 'Fast DDS' "$fastdds" -n 97 -m 1400
}

# Its first heartbeat is not repeated, and is ignored if it arrives before the
# daemon knows the writer: the next one follows the data
test_fastdds_greeting()
{
	sends _greetings 'Fast DDS, no greeting' "$fastdds" -n 97
	sends 0 'Fast DDS, datagrams of 64 kB' "$fastdds" -n 97
}

test_fastdds_64k()
{
	sends '0 0' 'Fast DDS, datagrams of 64 kB' "$fastdds" -n 97
}

# frames: numbers in the names of stored ones: first, last, count
frames()
{
	python3 - "$store" <<-'END'
	import sqlite3, sys
	n = sorted(int(f[0].split('_')[1]) for f in sqlite3.connect(
	    f'file:{sys.argv[1]}?mode=ro', uri=True).execute(
	    'SELECT frame FROM node'))
	print(n[0], n[-1], len(n)) if n else print(-1, -1, 0)
	END
}

# midway LOSS: a VOLATILE writer must deliver all since the match, without a hole
midway()
{
	local loss=$1 first last number written

	loses "$loss"
	node writer "$fastdds" -w -n 200 -i 50 -m 1400 -k 1
	wait_for 40 eval 'lines writer 20'
	start
	wait "$node"
	ok "midway, $loss % lost: all was acknowledged"
	written=$(wc -l <"$scratch/writer")
	wait_for 40 eval '[ "$(frames | cut -d " " -f 2)" = $((written - 1)) ]'
	read -r first last number <<<"$(frames)"
	echo "# from $first to $last of $written: $number"
	[ "$first" -gt 0 ] && [ "$last" = $((written - 1)) ] &&
		[ "$number" = $((written - first)) ] &&
		[ "$(status '.in.lost + .in.refused')" = 0 ]
	ok "midway, $loss % lost: all from the first to the last"
	end
	loses 0
}

test_midway() { midway 20; }

test_midway_lossless() { midway 0; }

# later WRITER: one that keeps its messages delivers all of them to a late daemon
later()
{
	local writer

	node writer "$1" -n 97 -t -k 20
	writer=$node
	wait_for 60 lines writer 97
	start
	all_of 97
	ok "who comes later gets what $(basename "$1") kept"
	end
	kill "$writer"
	wait "$writer"
}

test_later() { later "$fastdds"; }

test_later_cyclone() { later "$cyclone"; }

# A writer that does not retransmit: received messages are stored, losses
# counted
test_best_effort()
{
	loses 20
	start
	in_space "$cyclone" -b -n 200 -i 200 -s 10 >"$scratch/writer"
	# a loss of the first or last ones cannot be detected
	until_says true status '.submaps + .in.lost >= 190' &&
		[ "$(status .in.lost)" -gt 10 ] &&
		[ "$(status .submaps)" -lt 190 ]
	ok 'what it loses is counted'
	loses 0
	[ "$(grep -c 'slam_submap: .* were lost' "$scratch/gdimd.err")" = 1 ]
	ok 'and logged once'
	end
}

test_best_effort_lossless()
{
	start
	in_space "$cyclone" -b -n 97 -i 100 >"$scratch/writer"
	all_of 97
	ok 'a best effort writer is read, too'
	end
}

# Commands block neither the daemon's input nor other answers
test_busy()
{
	local before after

	python3 - "$scratch" <<-'END'
	import sys
	n, side = 10000, 20
	open(sys.argv[1] + '/many.i8', 'wb').write(b'\x05' * side * side * n)
	for name, shift in ('many', 0), ('moved', 0.3):
	    with open(f'{sys.argv[1]}/{name}.csv', 'w') as f:
	        for k in range(n):
	            f.write(f'{k},{k % 100 + shift},{k // 100},0\n')
	END
	start
	node writer "$cyclone" -n 200 -i 25
	wait_for 40 eval '[ "$(status .in.submaps_stored)" -gt 0 ]'
	before=$(status .in.submaps_stored)
	$gdimctl import-submaps "$scratch/many.i8" --size 20x20 --resolution \
		0.05 --poses "$scratch/many.csv" --layer slam_map \
		--frame other_ >"$scratch/out" 2>&1
	ok 'an import of 10,000 submaps'
	after=$(status .in.submaps_stored)
	[ "$after" -gt "$before" ]
	ok "submaps are stored during it: $before before, $after after it"
	wait "$node"
	until_says 200 status .in.submaps_stored
	[ "$(status .submaps)" = 10200 ] && [ "$(status .in.lost)" = 0 ]
	ok 'with all of both'
	node writer "$cyclone" -n 400 -i 100
	$gdimctl set-poses "$scratch/moved.csv" --frame other_ \
		>"$scratch/out" 2>&1
	ok '10,000 poses are set'
	wait "$node"
	until_says 10400 status .submaps
	[ "$(status .in.messages)" = 600 ] && [ "$(status .in.lost)" = 0 ]
	ok 'and all submaps that come meanwhile are stored'
	end
}

test_cyclone
test_fastdds
test_fastdds_greeting
test_midway
test_later
test_best_effort
test_busy
thorough test_cyclone_more test_fastdds_more test_fastdds_64k \
	test_midway_lossless test_later_cyclone test_best_effort_lossless
done_testing
