#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# bad.sh - invalid input for gdimd, over ROS 2, its socket and HTTP: one error
# to the sender or in the log, counted, nothing stored
#
# Prints TAP. Needs root: it uses a network namespace. bad.py asks and checks,
# gdim-bad sends messages.

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
. "$here/../io/lib.sh"
. "$top/tests/e2e/gdim/lib.sh"
socket=$scratch/gdimd.sock store=$scratch/site.db log=$scratch/log
gdimctl="$bin/gdimctl --socket $socket"
own_domain 62

[ "$(id -u)" = 0 ] && make_space || skip_all 'no network namespaces'

# start ARGS: a daemon, $daemon is its pid
start()
{
	: >"$log"
	(exec ip netns exec "$space" "$bin/gdimd" --store "$store" \
		--socket "$socket" --http 127.0.0.1:8460 "$@" \
		>"$scratch/out" 2>"$log") &
	daemon=$!
	wait_for 40 eval '$gdimctl status >/dev/null 2>&1'
}

# end: as systemd would; false unless it exits with 0
end()
{
	kill "$daemon" 2>/dev/null
	wait "$daemon"
}

# part NAME ARGS...: of bad.py; its output is checked
part()
{
	local name=$1

	shift
	checks "$name" ip netns exec "$space" timeout -k 5 1200 python3 \
		"$top/tests/e2e/gdim/bad.py" "$name" "$socket" "$store" "$log" "$@"
}

# fused FILE: the current map
fused() { $gdimctl export --layer slam_map --mode raw --out "$1" >/dev/null; }

start; ok 'a daemon'
part topics "$bin/gdim-bad"
wait_for 40 eval 'fused "$scratch/first.pgm" 2>/dev/null'; ok 'there is a map'
part flood "$bin/gdim-bad"
part services "$bin/gdim-bad"
part commands
part web
part damaged "$bin/service-node"
fused "$scratch/last.pgm" && cmp "$scratch/first.pgm" "$scratch/last.pgm"
ok 'the map is the same'
$gdimctl verify | grep -q 'is intact'; ok 'and the store is whole'
end; ok 'it ends well'

printf 'a-token-of-the-operator\n' >"$scratch/tokens"
chmod 600 "$scratch/tokens"
start --from none --to none --http-token-file "$scratch/tokens"
ok 'again, with tokens'
part tokens a-token-of-the-operator
fused "$scratch/again.pgm" && cmp "$scratch/first.pgm" "$scratch/again.pgm"
ok 'and with the same map'
end; ok 'it ends'

store=$scratch/world.db
start --frame world; ok 'a map with another name'
part renamed "$bin/gdim-bad"
end; ok 'which ends, too'
done_testing
