# SPDX-License-Identifier: GPL-2.0-only
#
# lib.sh - optsample-view in a network namespace of the test
#
# Sourced first, with the test's "$@". Output of a program goes to
# $scratch/NAME.out and NAME.log.

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
top=${here%/tests/*}
. "$top/tests/e2e/gdim/alone.sh"
bin=${BIN:-$top/build/bin}
. "$top/tests/lib/tap.sh"
. "$top/tests/lib/wait.sh"
. "$top/tests/e2e/gdim/lib.sh"
declare -A pid=()

cleanup()
{
	[ ${#pid[@]} = 0 ] || kill -CONT "${pid[@]}"
	[ ${#pid[@]} = 0 ] || kill -9 "${pid[@]}"
	wait
	rm -rf -- "$scratch"
} 2>/dev/null
trap cleanup EXIT
trap 'exit 130' INT TERM

ip link set lo up multicast on && ip route replace 224.0.0.0/4 dev lo ||
	skip_all "no network namespace of its own"

# show FILE: as comments, for a failure
show()
{
	tail -n "${2:-20}" "$1" | cut -c 1-300 | sed 's/^/# /'
}

# begin NAME CMD...: in the background; ${pid[NAME]} is its pid
begin()
{
	local name=$1

	shift
	# its own redirection comes too late for who reads at once
	: >"$scratch/$name.out" >"$scratch/$name.log"
	"$@" >"$scratch/$name.out" 2>"$scratch/$name.log" &
	pid[$name]=$!
}

# end NAME...: by SIGTERM; false unless it exits with 0
end()
{
	local name status=0

	for name; do
		kill "${pid[$name]}"
		wait "${pid[$name]}" || status=$?
		unset "pid[$name]"
	done 2>/dev/null
	return $status
}

# slay NAME: by SIGKILL
slay()
{
	kill -9 "${pid[$1]}"
	wait "${pid[$1]}"
	unset "pid[$1]"
} 2>/dev/null

# view ARGS...: optsample-view, until it listens
view()
{
	begin view "$bin/optsample-view" --socket "$scratch/view.sock" "$@"
	wait_for 60 listens view && return
	echo "# it does not listen: optsample-view $*:"
	show "$scratch/view.log"
	return 1
}

# listens NAME: it says so, and it runs
listens()
{
	grep -Eq 'page at|Foxglove at' "$scratch/$1.log" &&
		kill -0 "${pid[$1]}"
}

# metric NAME [PORT]: its value, without optsample_view_
metric()
{
	local line

	exec 9<>"/dev/tcp/127.0.0.1/${2:-8470}" || return
	printf 'GET /metrics HTTP/1.1\r\nHost: localhost\r\n%s\r\n' \
		$'Connection: close\r\n' >&9
	while read -r line; do
		[[ $line != "optsample_view_$1 "* ]] || echo "${line##* }"
	done <&9
	exec 9>&-
}

# is_metric NAME TEST...: for wait_for
is_metric() { [ "$(metric "$1")" "${@:2}" ]; }

# wrong STATUS TEXT ARGS...: optsample-view ends with one line that has TEXT
wrong()
{
	local status=$1 text=$2 got

	shift 2
	timeout 60 "$bin/optsample-view" "$@" >"$scratch/wrong.out" \
		2>"$scratch/wrong.log" </dev/null
	got=$?
	[ $got = "$status" ] && [ "$(wc -l <"$scratch/wrong.log")" = 1 ] &&
		[ ! -s "$scratch/wrong.out" ] &&
		grep -q '^optsample-view: ' "$scratch/wrong.log" &&
		grep -qF -- "$text" "$scratch/wrong.log" && return
	echo "# optsample-view $*: status $got, wanted $status and one line" \
		"with '$text':"
	show "$scratch/wrong.log"
	return 1
}
