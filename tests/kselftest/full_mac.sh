#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A full-MAC radio (e.g. of a Raspberry Pi) does not report the fate of a
# packet. The packets in its firmware when the link goes down are lost; nothing
# else may be (tests/kselftest/module/fullmac.c). For tools/machines/vm
# --icount.

. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
need_modules

play() { printf '%s\n' "$@" | drive; }

station=02:00:00:00:00:0a scan=02:00:00:00:00:0b
queue=q0

# radio ROOM STOPS [root]: a new full0, with the queue on an ifb or as its root
radio()
{
	play "full $1 $2" >/dev/null
	tc qdisc del dev full0 root 2>/dev/null
	tc qdisc del dev full0 clsact 2>/dev/null
	ip link del q0 2>/dev/null
	echo 1 >/proc/sys/net/ipv6/conf/full0/disable_ipv6
	ip link set full0 up address $station
	if [ -n "${3-}" ]; then
		queue=full0
		tc qdisc add dev full0 root handle 1: \
			optsample limit 5 policy gap recall on
	else
		queue=q0
		ip link add q0 type ifb
		echo 1 >/proc/sys/net/ipv6/conf/q0/disable_ipv6
		ip link set q0 up
		tc qdisc add dev q0 root handle 1: optsample limit 5 policy gap \
			recall on settle 0 watch full0 inflight 8
		tc qdisc add dev full0 clsact
		tc filter add dev full0 egress matchall \
			action mirred egress redirect dev q0
	fi
	play "dev full0" "full back" "from 10" >/dev/null
	arrived >/dev/null
}

# sent POSITION...: one message each
sent() { printf 'send %s\n' "$@" | drive >/dev/null; }

# arrived: positions, whole messages of one packet
arrived()
{
	pause 1.2	# the kernel handles carrier changes once a second
	play arrived | sed 's/ *-$//' | tr ' ' '\n' | cut -d/ -f2 | words
}

what() { stat "$1" $queue | tr -d '"'; }

# even FROM TO NAME: no gap of the five of $got in between exceeds twice the
# ideal
even()
{
	echo "# $3: $got"
	tr ' ' '\n' <<<"$got" | awk -v last="$1" -v to="$2" -v max=$((2 * ($2 - $1) / 5)) '
		$1 > last { n++; bad += $1 - last > max; last = $1 }
		END { exit !(n == 5 && !bad && to - last <= max) }'
	ok "$3"
}

radio 4 0
for i in $(seq 1 8 73); do
	sent $(seq $i $((i + 7)))
done
is "$(arrived)" "$(seq 1 80 | words)" "what is sent arrives"
is "$(what recall_state) $(what recall_msgs) $(what memory)" "deaf 0 0" \
	"it does not report: nothing is kept"

# it drops what does not fit, and notices the outage late
play "full gone" >/dev/null
sent $(seq 81 90)
is "$(what qlen)" 0 "the access point is gone without a word"
pause 3
play "full noticed" >/dev/null
sent $(seq 91 130)
is "$(what stalled) $(what backlog_msgs)" "carrier 5" "3 s later the carrier goes"
play "full back" >/dev/null
got=$(arrived)
even 90 131 "what was sent from then on is sampled evenly"
sent 131 132
is "$(arrived)" "131 132" "and the link is used again"

# it stops its queue
radio 4 1 root
play "full gone" >/dev/null
sent $(seq 81 124)
is "$(what backlog_msgs)" 5 "it stops its queue after 4: the queue holds"
play "full back" >/dev/null
got=$(arrived)
is "$(cut -d' ' -f1-4 <<<"$got")" "81 82 83 84" "the 4 arrive"
got=$(cut -d' ' -f5- <<<"$got")
even 84 125 "and an even sample of the others"

# it stops its queue, notices late, and its firmware forgets
radio 4 1
play "full gone" >/dev/null
sent $(seq 81 104)
is "$(what stalled) $(what backlog_msgs)" "inflight 5" \
	"4 in its firmware, 8 before it: the queue holds"
pause 3
play "full noticed" >/dev/null
sent $(seq 105 124)
play "full back" >/dev/null
got=$(arrived)
even 92 125 "these 12 are lost, the others are sampled evenly"

# it has another address while it scans
radio 4 1
play "full gone" "full noticed" >/dev/null
sent 81 82
ip link set full0 address $scan
play "from 11" >/dev/null
sent 83 84 85
ip link set full0 address $station
play "from 10" "full back" >/dev/null
is "$(arrived)" "81 82 83 84 85" \
	"what was queued with its scanning address leaves with its own"
done_testing
