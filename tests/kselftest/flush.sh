#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Flush and pause: messages for a path that is gone are dropped and counted;
# while it is unknown whether the path still exists, flows wait, but ordinary
# traffic does not.

. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
need_modules

change()
{
	tc qdisc change dev d0 root handle 1: optsample "$@"
}

# backlog: as the core counts it, bytes and packets
backlog()
{
	tc -s qdisc show dev d0 | awk '$1 == "backlog" { print $2, $3; exit }'
}

# five messages of 2 packets in two flows, one of which is partly sent, and 3
# ordinary packets
fill()
{
	drive <<-END
		x 5 1 1 1 100
		x 5 1 1 2 100
		x 5 2 2 1 100
		x 5 2 2 2 100
		x 6 1 1 3 100
		o 100
		o 100
		o 100
		x 6 2 2 3 100
		x 6 3 3 3 100
		END
}

device limit 20 gate closed
fill >/dev/null
held=$(stat backlog_msgs)
change flush
ok "flush"
is "$(stat backlog_msgs) $(stat qlen) $(stat memory) $(backlog)" "0 0 0 0b 0p" \
	"flush: nothing is held"
is "$(stat msgs_evicted)" "$held" "flush: messages are counted"
is "$(stat ordinary_dropped)" 3 "flush: ordinary packets are counted"
is "$(tc -s qdisc show dev d0 | awk '$1 == "Sent" { print $7; exit }')" "10," \
	"flush: the core's drops"
change gate open
is "$(drive <<<$'x 5 9 9 3 100\nq\nq' | tail -n 2 | words)" "5/9/3 -" \
	"flush: flows go on"
change flush
ok "flush: of nothing"
is "$(stat qlen) $(backlog)" "0 0b 0p" "flush: of nothing, nothing changes"

# in the middle of a message
device limit 20
drive <<<$'x 5 1 1 1 100\nx 5 1 1 0 100\nq' >/dev/null
change flush
is "$(drive <<<$'x 5 1 1 2 100\nx 5 2 2 3 100\nq\nq\nq' | tail -n 1)" "-" \
	"flush: amid a message"
is "$(stat qlen) $(backlog)" "0 0b 0p" "flush: amid a message, all is gone"

device limit 20
change pause 60s
ok "pause"
fill >/dev/null
is "$(yes q | head -n 5 | drive | sed 's,/.*,,' |
	sort | uniq -c | awk '{ print $1, $2 }' | words)" \
	"2 - 3 ordinary" "pause: ordinary traffic leaves, flows wait"
is "$(stat stalled)" '"gate"' "pause: it is a stall"
[ "$(stat stall.gate_ns)" -gt 0 ]
ok "pause: its time counts"
change pause 0
is "$(drive <<<q | tail -n 1)" "5/1/1" "pause 0: flows go on"
change pause 2s
is "$(drive <<<q | tail -n 1)" "-" "pause: between two packets of a message"
wait_for 10 eval '[ "$(drive <<<q | tail -n 1)" = 5/1/2 ]'
ok "pause: ends by itself"
! change pause 61s 2>"$scratch/err"
ok "pause: at most 60 s"
is "$(wc -l <"$scratch/err")" 1 "pause: one line for a bad time"

done_testing
