# SPDX-License-Identifier: GPL-2.0-only
#
# figures-links.sh - pairs of network namespaces with a link that loses and
# delays
#
# Sourced. A pair NAME is the namespaces NAME-a and NAME-b with addresses
# 10.63.0.1 and 10.63.0.2. Impairments are netem's, at both egresses; where the
# kernel has no netem, loss is figures-loss.bpf.c's, at both ingresses, and
# there is no delay.

# in a guest of tools/machines/vm, where the host has no /lib/modules to mount
# on
links_modules()
{
	[ -n "${MODULES-}" ] || return 0
	mkdir -p /lib/modules
	mountpoint -q /lib/modules || mount --bind "$MODULES" /lib/modules
	modprobe -a veth sch_netem
}

link_up()
{
	local end

	ip netns add "$1-a" && ip netns add "$1-b" &&
	ip -n "$1-a" link add v type veth peer name v netns "$1-b" || return 1
	for end in a b; do
		# segments, not what offloading makes of them, are lost
		ip -n "$1-$end" link set v gso_max_segs 1 &&
		ip -n "$1-$end" addr add 10.63.0.$((1 + (0x$end - 10)))/24 \
			dev v &&
		ip -n "$1-$end" link set lo up multicast on &&
		ip -n "$1-$end" link set v up || return 1
		ip netns exec "$1-$end" ethtool -K v tso off gso off gro off \
			>/dev/null 2>&1
	done
	# Fast DDS leaves out interfaces that are not running yet
	for end in a b a b a b a b a b; do
		ip -n "$1-$end" link show v 2>/dev/null |
			grep -q 'state UP' || sleep 0.5
	done
}

link_down()
{
	ip netns del "$1-a"
	ip netns del "$1-b"
} 2>/dev/null

# link_set NAME LOSS DELAY: per cent, both ways; ms, each way
link_set()
{
	local end

	for end in a b; do
		if tc -n "$1-$end" qdisc replace dev v root netem loss "$2%" \
			delay "$3ms" limit 20000 2>/dev/null; then
			continue
		fi
		tc -n "$1-$end" qdisc replace dev v clsact &&
		tc -n "$1-$end" filter replace dev v ingress pref 1 handle 1 \
			bpf da obj "$LOSSES/$2.o" sec tc || return 1
	done
}
