# SPDX-License-Identifier: GPL-2.0-only
#
# lib.sh - io-copy in a network namespace with only a loopback
#
# Sourced. $copy is the program, $recording has three messages of each kind. A
# program's output goes to $scratch/NAME, its log to NAME.err.

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
top=${here%/tests/*}
bin=${BIN:-$top/build/bin}
copy=${COPY:-$bin/io-copy}
. "$top/tests/lib/tap.sh"
. "$top/tests/lib/wait.sh"
. "$top/tests/lib/space.sh"
recording=$scratch/kinds.mcap
space=io-$$

cleanup()
{
	delete_spaces "$space"
	wait
	rm -rf -- "$scratch"
} 2>/dev/null
trap cleanup EXIT
trap 'exit 130' INT TERM

# DDS discovery needs multicast, which must be enabled on a loopback
make_space()
{
	ip netns add "$space" && ip -n "$space" link set lo multicast on up &&
		ip -n "$space" route add 224.0.0.0/4 dev lo
}

# own_domain N: isolated from other tests
own_domain()
{
	export ROS_DOMAIN_ID=$1
	export CYCLONEDDS_URI='<CycloneDDS><Domain><General><Interfaces>
<NetworkInterface name="lo" multicast="true"/></Interfaces></General></Domain>
</CycloneDDS>'
}

# in_space CMD...: in the namespace, as a node
in_space()
{
	ip netns exec "$space" env ROS_MASTER_URI=http://127.0.0.1:11311 \
		ROS_IP=127.0.0.1 ROS_LOG_DIR="$scratch" "$@"
}

# node NAME CMD...: in the background, $node is its pid
node()
{
	local name=$1

	shift
	# its own redirection comes too late for who reads at once
	: >"$scratch/$name" >"$scratch/$name.err"
	# exec, so that kill hits timeout, which passes the signal on
	(exec ip netns exec "$space" env ROS_IP=127.0.0.1 \
		ROS_MASTER_URI=http://127.0.0.1:11311 ROS_LOG_DIR="$scratch" \
		timeout -k 5 ${PATIENCE:-300} "$@" >"$scratch/$name" \
		2>"$scratch/$name.err") &
	node=$!
}

# here_is NAME CMD...: until it ends
here_is()
{
	local name=$1

	shift
	in_space timeout -k 5 ${PATIENCE:-300} "$@" >"$scratch/$name" 2>"$scratch/$name.err"
}

# finish PID...: wait; all of them must exit with 0
finish()
{
	local status=0

	for pid; do
		wait "$pid" || status=1
	done
	return $status
}

# end PID...: stop them, and wait
end()
{
	kill "$@" 2>/dev/null
	wait "$@" 2>/dev/null
	true
}

# program NODE: pid of what its timeout runs
program()
{
	pgrep -P "$1"
}

# listens NODE [PORT]: its program has a UDP socket, so that of ROS 2 too
listens()
{
	ip netns exec "$space" ss -Hulnp ${2:+sport = :$2} |
		grep -q "pid=$(program "$1"),"
}

kill_program()
{
	kill -9 "$(program "$1")"
}

# lines NAME NUMBER: it said so many, at least
lines()
{
	[ "$(cat "$scratch/$1" 2>/dev/null | wc -l)" -ge "$2" ]
}

# intact PUB SUB: nothing was received that was not sent, and nothing twice,
# as far as messages have a stamp
intact()
{
	[ -s "$scratch/$2" ] || { echo "# nothing came" && return 1; }
	! grep -vxFf "$scratch/$1" "$scratch/$2" | sed 's/^/# not sent: /' |
		grep . || return 1
	! awk '$3' "$scratch/$2" | sort | uniq -d | sed 's/^/# twice: /' |
		grep .
}

# types NAME: how many types of messages it saw
types()
{
	awk '{ print $2 }' "$scratch/$1" | sort -u | wc -l
}

# complete NAME: it saw 150 messages, of the 15 kinds of $recording
complete()
{
	lines "$1" 150 && [ "$(types "$1")" = 15 ]
}

# all_kinds NAME: wait for them. A topic that is discovered late may have no
# message among the first 150.
all_kinds()
{
	wait_for 240 complete "$1" && return
	awk '{ print $2 }' "$scratch/$1" | sort | uniq -c | sed 's/^/# /'
	return 1
}
