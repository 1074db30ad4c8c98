# SPDX-License-Identifier: GPL-2.0-only
#
# veth.sh - in the guest: a robot and its operator with a link between them
#
#	robot (initial namespace)              operator (namespace "op")
#	[qdisc] --> rob0 ============================ op0
#	      10.79.0.1                               10.79.0.2
#
# Sourced, after tests/kselftest/lib.sh. If op0 has no carrier, rob0 has none.

robot_ip=10.79.0.1
operator_ip=10.79.0.2
# On a busy machine an outage can exceed the default lease of 10 s.
cyclone="<Discovery><LeaseDuration>60s</LeaseDuration></Discovery>"

link()
{
	ip netns add op
	ip link add rob0 type veth peer name op0 netns op
	ip addr add $robot_ip/24 dev rob0
	n_op ip addr add $operator_ip/24 dev op0
	for dev in lo rob0; do ip link set $dev up; done
	for dev in lo op0; do n_op ip link set $dev up; done
	# A radio keeps the order. veth sends a packet on the CPU of its
	# sender, and two CPUs would reorder messages of UDPROS.
	n_op sh -c 'echo 1 >/sys/class/net/op0/queues/rx-0/rps_cpus' ||
		exit 1
	# Losses on the operator's machine are not the link's.
	sysctl -qw net.core.rmem_default=16777216 net.core.rmem_max=16777216
	ip neigh replace $operator_ip nud permanent dev rob0 \
		lladdr "$(n_op cat /sys/class/net/op0/address)"
	n_op ip neigh replace $robot_ip nud permanent dev op0 \
		lladdr "$(cat /sys/class/net/rob0/address)"
}

no_qdisc()
{
	"$bin/optsample" down rob0 >/dev/null 2>&1
	tc qdisc del dev rob0 root 2>/dev/null
}

# known N: the classifier has N writers, with their rules
known()
{
	[ "$(bpftool -j map dump pinned /sys/fs/bpf/optsample/rob0/writers |
		jq length)" = "$1" ]
}

# idle: no packet waits for the link
idle()
{
	! tc -s qdisc show | grep -q 'backlog [1-9]'
}

# The outage begins when all earlier packets have arrived: a message that is cut
# in flight is a fault of the link, and roscpp never recovers from half a
# message of UDPROS.
link_down()
{
	wait_for 60 idle
	ping -qc 1 -W 60 $operator_ip >/dev/null
	ip -n op link set op0 down
}

link_up()
{
	ip -n op link set op0 up
}

# Variables for a hook, which is a separate shell
link_hooks()
{
	declare -f wait_for known idle link_down link_up
	declare -p operator_ip
}
