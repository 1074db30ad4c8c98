# SPDX-License-Identifier: GPL-2.0-only
#
# lib/wait.sh - wait for conditions instead of sleeping
#
# Sourced.

# a pipe that nothing writes to: to wait needs no program then
exec {silence}<> <(:)
# pause SECONDS
pause() { read -rt "$1" -u $silence; return 0; }

# wait_for SECONDS COMMAND...: until it succeeds. It is run every $interval
# seconds; without that variable every 0.2 s, and after 2 s once a second, as a
# guest needs longer for it
wait_for()
{
	local begin=$SECONDS end=$((SECONDS + $1)) tick=0.2

	shift
	until "$@" >/dev/null 2>&1; do
		[ $SECONDS -lt $end ] || return 1
		pause "${interval-$tick}"
		[ $((SECONDS - begin)) -lt 2 ] || tick=1
	done
}

# end_or_kill PID...: terminate each, wait for 5 s, kill it
end_or_kill()
{
	local pid

	for pid; do
		kill "$pid" 2>/dev/null
		wait_for 5 eval "! kill -0 $pid" || kill -KILL "$pid" 2>/dev/null
		wait "$pid" 2>/dev/null
	done
}
