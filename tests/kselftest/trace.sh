#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tracepoints: each decision on a message, on the queue and of recall is one
# line with its reason.
#
# A packet is x FLOW MESSAGE POSITION FLAGS BYTES; FLAGS as in messages.sh.

. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
need_modules
tracing=/sys/kernel/tracing
mountpoint -q $tracing || mount -t tracefs trace $tracing
trap 'echo 0 >$tracing/events/optsample/enable; : >$tracing/trace' EXIT
echo 1 >$tracing/events/optsample/enable
ok "events can be enabled"

# said: the lines of d0 since the last call, without times
said()
{
	sed -n "s/.*: optsample_\([a-z]*\): ifindex=$index /\1 /p" \
		$tracing/trace | sed 's/ lasted_us=[0-9]*$//'
	: >$tracing/trace
}

# fresh OPTIONS...: a new device, nothing said yet
fresh()
{
	device "$@" || return
	index=$(cat /sys/class/net/d0/ifindex)
	: >$tracing/trace
}

# play LINES...: one after the other
play() { printf '%s\n' "$@" | drive >/dev/null; }

fresh limit 1 policy drop-newest
play "x 5 1 1 3 100" "x 5 2 2 1 100" "x 5 2 2 2 100"
is "$(said)" "verdict flow=0x5 message=1 verdict=kept reason=none
verdict flow=0x5 message=2 verdict=dropped reason=sampler
verdict flow=0x5 message=2 verdict=dropped reason=late" \
	"a message is kept, one is dropped, and so is the rest of it"

fresh limit 1 policy drop-oldest
play "x 5 1 1 3 100" "x 5 2 2 3 100"
is "$(said | sort)" "verdict flow=0x5 message=1 verdict=kept reason=none
verdict flow=0x5 message=1 verdict=replaced reason=sampler
verdict flow=0x5 message=2 verdict=kept reason=none" \
	"a message is replaced"
tc qdisc del dev d0 root
is "$(said)" "verdict flow=0x5 message=2 verdict=dropped reason=purged" \
	"the queue is removed"

fresh
play "x 5 9 0 36 100" "x 5 9 0 36 100"
is "$(said)" "verdict flow=0x5 message=0 verdict=replaced reason=latest" \
	"control is replaced by newer control of its kind"

fresh memlimit 65536 limit 5
{ echo "x 5 1 1 1 1400"
  for i in $(seq 2 60); do echo "x 5 1 1 0 1400"; done; } | drive >/dev/null
is "$(said | grep -v late)" "verdict flow=0x5 message=1 verdict=kept reason=none
verdict flow=0x5 message=1 verdict=dropped reason=oversize" \
	"a message is larger than the memory"

fresh memlimit 65536
{ echo "x 5 1 1 1 1400"; echo q
  for i in $(seq 2 80); do echo "x 5 1 1 0 1400"; done; } | drive >/dev/null
is "$(said | grep -c "message=1 verdict=dropped reason=torn")" 1 \
	"a message on its way is cut"

fresh memlimit 65536 limit 1000
{ for i in $(seq 1 100); do echo "x 5 $i $i 3 1400"; done; } | drive >/dev/null
is "$(said | grep -c "verdict=dropped reason=memory")" \
	"$(class_stat 5 evicted)" "memory is short: a line for each message"
tc qdisc change dev d0 root optsample memlimit 65536 limit 2
[ "$(said | grep -c "verdict=dropped reason=limit")" -gt 5 ]
ok "a lower limit drops messages"

fresh gate closed
play "x 5 1 1 3 100" q q
is "$(said | grep hold)" "hold queue=stopped reason=gate former=none" \
	"the queue stops once, not for each packet"
tc qdisc change dev d0 root optsample gate open
play q
is "$(said | grep hold)" "hold queue=released reason=none former=gate" \
	"the queue is released"

fresh limit 5 recall on
play "packets 1" "a 1" "a 2" "a 3" "a 4" "t 4"
play "a 5" "a 6" "a 7" "a 8" "t 4" "r ack 8"
said >/dev/null
play "a 9" "t 1" "r nack 1" "t 1"
is "$(said | grep recall)" \
	"recall flow=0x1 message=9 what=taken_back packets=1 returns=1" \
	"a message that was not acknowledged is taken back"
ip link del d0
done_testing
