# SPDX-License-Identifier: GPL-2.0-only
#
# peers.sh - shared by the tests of topics: a link, peers with DDS or ROS 1, and
# the state of their topics in the daemon and the classifier
#
#   robot (initial namespace)          operator (namespace op)
#   v0, 10.9.0.1, "peer" ============= v1, 10.9.0.2, "peer_op"
#
# Sourced, by tests that run as root inside tools/machines/vm with the module in
# $SCH_KO. A peer's output is in PROGRAM.out and PROGRAM.err.

. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
cd "$scratch" || exit 1
pins=/sys/fs/bpf/optsample/v0
export ROS_LOG_DIR=$scratch
pids=()

cleanup()
{
	kill -KILL "${pids[@]}" 2>/dev/null
	optsample down >/dev/null 2>&1
}
trap cleanup EXIT

# uri DEV [XML]: configuration of Cyclone DDS
uri()
{
	echo "<General>${2-}<Interfaces><NetworkInterface name=\"$1\"/>
		</Interfaces></General>
		<Discovery><LeaseDuration>${lease-60}s</LeaseDuration>
		</Discovery>"
}

# peer CMD...: in the background; peer_op: at the operator's
peer()
{
	: >"$1.out" >"$1.err"
	CYCLONEDDS_URI=$(uri v0 "${xml-}") ROS_IP=10.9.0.1 "$@" \
		>"$1.out" 2>"$1.err" &
	pids+=($!)
}

peer_op()
{
	: >"$1.out" >"$1.err"
	CYCLONEDDS_URI=$(uri v1 "${xml-}") ROS_IP=10.9.0.2 \
		ip netns exec op "$@" >"$1.out" 2>"$1.err" &
	pids+=($!)
}

# stop_peers [N]: those from number N on, or all
stop_peers()
{
	local which=("${pids[@]:${1-0}}")

	pids=("${pids[@]:0:${1-0}}")
	kill -CONT "${which[@]}"
	kill "${which[@]}"
	wait "${which[@]}"
} 2>/dev/null

links()
{
	ip netns add op
	ip link add v0 type veth peer name v1 netns op
	ip addr add 10.9.0.1/24 dev v0
	n_op ip addr add 10.9.0.2/24 dev v1
	for dev in lo v0; do ip link set $dev up; done
	for dev in lo v1; do n_op ip link set $dev up; done
	# Late packets of a slow machine are sent in a burst.
	sysctl -qw net.core.rmem_default=16777216 net.core.rmem_max=16777216
}

# fresh [UP-OPTIONS]: without rules, and without known peers
fresh()
{
	optsample down v0 && optsample up v0 "$@"
} >fresh.out 2>fresh.err

# writer TOPIC: "by profile" of each of its writers in the classifier
writer()
{
	bpftool -j map dump pinned $pins/writers |
		jq -r --arg topic "$1" --slurpfile t /run/optsample/v0.topics '
		($t[0].topics | map(select(.topic == $topic) | .guid |
			gsub("\\."; ""))) as $guids |
		.[] | select(.key | map(ltrimstr("0x")) | join("") |
			IN($guids[])) | .formatted.value |
		"\(.by) \(.profile)"' | sort
}

# in_map: how many writers the classifier has; not by jq, which takes seconds
# for thousands in a guest
in_map()
{
	bpftool -j map dump pinned $pins/writers | grep -o '"formatted":' | wc -l
}

# known TOPIC...: the daemon has discovered them
known()
{
	local name

	for name; do
		grep -q "\"$name\"" /run/optsample/v0.topics || return
	done
}

# rule ARGS...: set it; the daemon has applied it to its topics
rule()
{
	local before

	before=$(date -r /run/optsample/v0.topics +%s%N)
	optsample topic v0 "$@" || return
	wait_for 20 eval '[ '"$before"' -lt \
		"$(date -r /run/optsample/v0.topics +%s%N)" ]'
}

[ -d /sys/module/sch_optsample ] || insmod "$SCH_KO" || exit 1
links
