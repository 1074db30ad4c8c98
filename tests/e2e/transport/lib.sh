# SPDX-License-Identifier: GPL-2.0-only
#
# lib.sh - optsample-send, a bad link and optsample-recv on one loopback
#
# Sourced. A program's output goes to $scratch/NAME.log. All run in a network
# namespace of their own; sockets are $scratch/NAME.socket.

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
top=${here%/tests/*}
bin=${BIN:-$top/build/bin}
. "$top/tests/lib/tap.sh"
. "$top/tests/lib/wait.sh"
. "$top/tests/lib/space.sh"
space=transport-$$
declare -A pid

cleanup()
{
	delete_spaces "$space"
	umount "$scratch/small"
	wait
	rm -rf -- "$scratch"
} 2>/dev/null
trap cleanup EXIT
trap 'exit 130' INT TERM

ip netns add "$space" && ip -n "$space" link set lo up ||
	skip_all "no network namespaces"

# begin NAME CMD...: in the background; ${pid[NAME]} is its pid
begin()
{
	local name=$1

	shift
	# its own redirection comes too late for who reads at once
	: >"$scratch/$name.out" >"$scratch/$name.log"
	(exec ip netns exec "$space" "$@" >"$scratch/$name.out" \
		2>"$scratch/$name.log") &
	pid[$name]=$!
}

# send NAME ARGS..., recv NAME ARGS...: with a socket
send()
{
	local name=$1

	shift
	begin "$name" "$bin/optsample-send" --name "$name" --device no \
		--socket "$scratch/$name.socket" "$@"
}

recv()
{
	local name=$1

	shift
	begin "$name" "$bin/optsample-recv" --socket "$scratch/$name.socket" \
		"$@"
}

link()
{
	begin link "$bin/udp-link" --listen 7459 --to 127.0.0.1:7450 "$@"
}

# end NAME...: by SIGTERM; false unless it exits with 0
end()
{
	local name status=0

	for name; do
		kill "${pid[$name]}" 2>/dev/null
		wait "${pid[$name]}" || status=$?
	done 2>/dev/null
	return $status
}

# slay NAME...: by SIGKILL, without a clean exit
slay()
{
	local name

	for name; do
		kill -9 "${pid[$name]}"
		wait "${pid[$name]}"
	done 2>/dev/null
	return 0
}

# ask NAME WORDS...: send a command to a daemon's socket
ask()
{
	local name=$1 side=recv

	shift
	[[ $name == recv* ]] || side=send
	"$bin/optsample" "$side" --socket "$scratch/$name.socket" "$@"
}

# is NAME FILTER: whether jq prints only true for its status
is()
{
	ask "$1" --json status 2>/dev/null | jq -e -n "[inputs] |
		length == 1 and (.[0] | [$2] | length > 0 and
		all(. == true))" >/dev/null 2>&1
}

# topic NAME FILTER: likewise, for a receiver's topic
topic()
{
	echo ".senders[] | select(.over | not) | .topics[] |
		select(.topic == \"$1\") | $2"
}

# files FOLDER N: whether it has N files
files()
{
	[ "$(find "$1" -name '[0-9]*' -type f 2>/dev/null | wc -l)" -ge "$2" ]
}

# one_line NAME TEXT: it printed exactly one line with TEXT
one_line()
{
	[ "$(wc -l <"$scratch/$1")" = 1 ] && grep -qF -- "$2" "$scratch/$1" ||
		{ sed 's/^/# /' "$scratch/$1"; return 1; }
}

# lines NAME N: whether it printed N lines
lines()
{
	[ "$(wc -l <"$scratch/$1.out")" -ge "$2" ]
}

# has NAME TOPIC N: N messages of a topic, counted by io-copy
has()
{
	[ "$(grep -c "^$2 " "$scratch/$1.out")" -ge "$3" ]
}
