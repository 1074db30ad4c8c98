# SPDX-License-Identifier: GPL-2.0-only
#
# lib.sh - a robot and its operator for the tests of roscpp
#
#   namespace RIG-robot                            namespace RIG-op
#   rosmaster, ros1-pub --> v0 (link.sh) ======== v1 --> ros1-sub
#
# Sourced. Every rig has its own ROS master and addresses, so that two of them
# can run at the same time. Files of a rig are in $scratch/RIG.

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
top=${here%/tests/*}
bin=$top/build/bin
shim=$top/build/ros1/liboptsample-ros1.so
. "$top/tests/lib/tap.sh"
. "$top/tests/lib/wait.sh"
. "$top/tests/lib/space.sh"
rigs=()

cleanup()
{
	delete_spaces "${rigs[@]/%/-robot}" "${rigs[@]/%/-op}"
	wait
	rm -rf -- "$scratch"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

# at RIG robot|op CMD...: run it there, as a ROS node of that rig
at()
{
	local rig=$1 side=$2 ip=10.77.0.1

	[ "$side" = robot ] || ip=10.77.0.2
	shift 2
	ip netns exec "$rig-$side" env ROS_MASTER_URI=http://10.77.0.1:11311 \
		ROS_IP=$ip ROS_LOG_DIR="$scratch/$rig" "$@"
}

# rig NAME: makes $rig, with its master; see master()
rig()
{
	rig=$1-$$
	rigs+=("$rig")
	mkdir -p "$scratch/$rig"
	ip netns add "$rig-robot" && ip netns add "$rig-op" &&
		ip -n "$rig-robot" link add v0 type veth peer name v1 \
			netns "$rig-op" || return
	ip -n "$rig-robot" addr add 10.77.0.1/24 dev v0
	ip -n "$rig-op" addr add 10.77.0.2/24 dev v1
	for dev in lo v0; do ip -n "$rig-robot" link set $dev up; done
	for dev in lo v1; do ip -n "$rig-op" link set $dev up; done
	# Bytes in a socket's buffer cannot be sampled: fix its size.
	at "$rig" robot sysctl -qw net.ipv4.tcp_wmem="4096 16384 262144" &&
		at "$rig" robot "$here/link.sh" up || return
	at "$rig" robot rosmaster --core -p 11311 \
		>"$scratch/$rig/master.log" 2>&1 &
}

# master RIG: until it answers
master()
{
	wait_for 60 at "$1" robot bash -c ': </dev/tcp/10.77.0.1/11311'
}

# param RIG NAME VALUE: on the parameter server
param()
{
	at "$1" robot python3 -c 'import os, sys, xmlrpc.client
xmlrpc.client.ServerProxy(os.environ["ROS_MASTER_URI"]).setParam(
	"/", sys.argv[1], sys.argv[2])' "$2" "$3"
}
