#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Cost of an in-flight limit for a fast radio, and its benefit when a slow link
# fails; `inflight auto` compared to fixed limits and to none. For
# tools/machines/vm --icount: in guest time the results are the same on any
# host.
#
# Fast: like 802.11ac, 300 Mbit/s, up to 64 packets in an aggregate, 200 us
# between two. Slow: 2 Mbit/s, one by one. The radio is air0
# (tests/kselftest/module/air.c), which accepts all packets.

. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
need_modules
modprobe -a cls_bpf 2>/dev/null

count=/sys/class/net/air0/statistics/tx_packets

# radio KBIT AGGREGATE GAP_US
radio() { echo "air $1 $2 $3" >$X/cmd; }

# queue MESSAGES TC-OPTIONS...: MESSAGES wait behind a closed gate
queue()
{
	local n=$1

	shift
	radio 300000 64 200
	echo 1 >/proc/sys/net/ipv6/conf/air0/disable_ipv6
	ip addr replace 10.5.0.1/24 dev air0
	ip link set air0 up
	ip neigh replace 10.5.0.2 lladdr 02:00:00:00:00:02 dev air0 nud permanent
	tc qdisc replace dev air0 root handle 1: optsample limit 65535 \
		memlimit 512mb gate closed "$@"
	classify air0
	rtps-gen send 10.5.0.2 7411 1 "$n" 1 1400
	[ "$(stat backlog_msgs air0)" = "$n" ] || exit
	sent=$(<$count)
}
# fast OPTIONS...: Mbit/s
fast()
{
	local begin end n=0 bits

	queue 16000 "$@"
	bits=$((16000 * (1400 + 98) * 8))
	begin=${EPOCHREALTIME/./}
	tc qdisc change dev air0 root handle 1: optsample gate open
	while [ $((n - sent)) -lt 16000 ]; do
		read -r n <$count
	done
	end=${EPOCHREALTIME/./}
	tc qdisc del dev air0 root
	echo $((bits / (end - begin)))
}

# slow OPTIONS...: packets below the queue when the link fails
slow()
{
	local n=0

	queue 400 "$@"
	radio 2000 1 300
	tc qdisc change dev air0 root handle 1: optsample gate open
	# long enough to find a limit
	while [ $((n - sent)) -lt 300 ]; do
		read -r n <$count
	done
	radio 0 1 300
	echo $((400 - 300 - $(stat backlog_msgs air0)))
	tc qdisc del dev air0 root
	radio 300000 64 200
}

none=$(fast noinflight)
few=$(fast inflight 32)
auto=$(fast inflight auto)
echo "# 300 Mbit/s: without a limit $none Mbit/s, inflight 32 $few," \
	"inflight auto $auto"
[ "${auto:-0}" -ge $((none * 9 / 10)) ] && [ "$few" -lt "$auto" ]
ok "a fast radio: auto gives 90 % of what no limit does, 32 packets less"
none=$(slow noinflight)
few=$(slow inflight 32)
auto=$(slow inflight auto)
echo "# 2 Mbit/s fails: without a limit $none packets are lost below," \
	"inflight 32 $few, inflight auto $auto"
[ "${auto:-99}" -le 4 ]
ok "a slow link fails: auto has few packets below ($auto)"
tc qdisc del dev air0 root 2>/dev/null
done_testing
