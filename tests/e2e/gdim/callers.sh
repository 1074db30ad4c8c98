#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# callers.sh - services for clients of both middlewares of ROS 2, rmw_fastrtps
# and rmw_cyclonedds, one after the other and at once; and the error without
# fastdds.so

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
. "$here/../io/lib.sh"
. "$top/tests/e2e/gdim/lib.sh"
socket=$scratch/gdimd.sock store=$scratch/site.db
gdimctl="$bin/gdimctl --socket $socket"
client=$bin/fastdds-client
own_domain 66

[ "$(id -u)" = 0 ] && make_space || skip_all 'no network namespaces'

start()
{
	(exec ip netns exec "$space" "$bin/gdimd" --store "$store" \
		--socket "$socket" --http none >"$scratch/gdimd.out" \
		2>"$scratch/gdimd.err") &
	daemon=$!
	until_says nodes $gdimctl status
}

end()
{
	kill "$daemon" 2>/dev/null
	wait "$daemon"
}

services() { $gdimctl -j status | jq ".services.$1"; }

# comes_late NAME: a late subscriber gets all transforms, and the repeaters
comes_late()
{
	mkdir -p "$scratch/$1.d"
	here_is "$1" "$copy" -n 1 -t 15 -k 10 -o /gdim/output/submap_transform ros2 \
		"$scratch/$1.d/"
	here_is "$1.r" "$copy" -n 1 -t 15 -k 15 -o /gdim/output/repeater_map \
		ros2 -
	[ "$(find "$scratch/$1.d" -name '*.json' -exec cat {} + |
		jq '.transforms | length')" = 8 ] &&
		grep -q '^/gdim/output/repeater_map .*Polygon' "$scratch/$1.r" || {
			find "$scratch/$1.d" -name '*.json' \
				-exec head -c 900 {} + | sed 's/^/# /'
			sed 's/^/# /' "$scratch/$1"* 2>/dev/null
			false
		}
}

# answered NAME TIMES: each service answers TIMES times, as expected
answered()
{
	local room=$'room 1 kitchen\nspot 0 0 gases\npub_rate 1 2.5'

	[ "$(grep -Ec '^(rooms|room|spot|pub_rate|logging) ' "$scratch/$1")" = \
		$((5 * $2)) ] &&
		[ "$(grep -c '^snapshot 1 /' "$scratch/$1")" = "$2" ] &&
		[ "$(sed -n 2,4p "$scratch/$1")" = "$room" ] || {
			sed 's/^/# /' "$scratch/$1"
			false
		}
}

# asks NAME TIMES [OPTION]: again if a request went out before the two had found
# each other; all answers are in $scratch/answers
asks()
{
	local try

	for try in 1 2 3; do
		here_is "$1" "$client" "$2" 20 "${@:3}"
		grep -v '^no answer' "$scratch/$1" >>"$scratch/answers"
		grep -q '^no answer' "$scratch/$1" || return 0
	done
}

make_input
start
in_space "$bin/gdim-feed" -s 60 -i 40 -w 10 "$scratch/cells.i8" \
	"$scratch/true.csv" ros2 2>"$scratch/feed.err"
until_says '1 rooms' $gdimctl rooms
ok 'a store with a room'
comes_late late
ok 'who comes late gets each transform, and the repeaters'
asks one 1
answered one 1
ok 'a client of Fast DDS has an answer of each service'
asks old 2 -w
answered old 2
ok 'and one that does not say who waits'
[ "$(services to_fastdds)" = "$(wc -l <"$scratch/answers")" ] && [ "$(services dropped)" = 0 ] || {
	$gdimctl -j status | jq -c .services | sed 's/^/# /'
	false
}
ok 'which are counted'
node fast "$client" 10 20
fast=$node
PATIENCE=100 node cyclone "$bin/service-node" call 60 10
finish "$fast" "$node"
ok 'clients of both at once'
answered fast 10
ok 'those of Fast DDS have their answers'
[ "$(grep -c '^rooms 1$' "$scratch/cyclone")" = 10 ] &&
	[ "$(wc -l <"$scratch/cyclone")" = 60 ]
ok 'and those of Cyclone DDS theirs'
! grep -q 'damaged' "$scratch/gdimd.err"
ok 'no request is taken for one of the other sort'
end
export OPTSAMPLE_FASTDDS=/none
start
comes_late again
ok 'after a restart, too'
# a request that comes before the client was found is lost, and it waits for 1 s
unserved()
{
	here_is none "$client" 1 1
	[ "$(services unserved)" -ge 6 ]
}
interval=0 wait_for 60 unserved
ok 'requests of Fast DDS are counted without fastdds.so' ||
	$gdimctl -j status | jq -c .services | sed 's/^/# /'
[ "$(grep -c '^no answer$' "$scratch/none")" = 6 ]
ok 'there is no answer'
[ "$(grep -c 'rmw_fastrtps gets no answer: no fastdds.so; it needs' \
		"$scratch/gdimd.err")" = 1 ]
ok 'one line says why, and what helps'
end
done_testing
