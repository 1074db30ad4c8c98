#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Complete messages: none arrives partly, whatever the packets look like.
# FLAGS of a raw packet: 1 first, 2 last, 4 control, 8 repair, 16 declared only
# by its sender, 32 replaces older control.

. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
need_modules
modprobe ifb numifbs=0 2>/dev/null

# every message of one flow, overload by 3, then all leave
for packets in 1 2 53 500; do
	device limit 8 memlimit 512mb
	out=$({ echo "packets $packets"
		for i in $(seq 1 60); do
			echo "a $i"
			[ $((i % 3)) = 0 ] && echo d
		done
		echo k; } | drive)
	! grep -q -e torn -e cut -e mixed <<<"$out"
	ok "$packets packets a message: none torn"
	is "$(stat torn)" 0 "$packets packets a message: none counted torn"
	is "$(stat msgs_in) $(stat pkts_in)" "60 $((60 * packets))" \
		"$packets packets a message: all counted"
	out=$(($(stat msgs_out) + $(stat msgs_sampled) + $(stat msgs_evicted)))
	is "$out" 60 "$packets packets a message: each went one way"
	is "$(stat memory)" 0 "$packets packets a message: no memory is left"
done

# two flows, packets interleaved, each message 2 packets, limit 2
device limit 2
out=$(for i in 1 2 3 4 5 6; do
	for f in 5 6; do echo "x $f $i $i 1 500"; done
	for f in 5 6; do echo "x $f $i $i 2 500"; done
done | drive | words)
out=$(yes q | head -n 12 | drive | grep -v '^-' | sort | words)
is "$(wc -w <<<"$out")" 8 "interleaved flows: two messages of each"
awk -v RS=' ' -F/ '{ n[$1 "/" $2]++ } END { for (i in n) if (n[i] != 2) exit 1 }' \
	<<<"$out"
ok "interleaved flows: whole"

# control keeps its place
device limit 2
out=$(drive <<-END
	x 5 1 1 3 100
	x 5 0 0 4 100
	x 5 2 2 3 100
	x 5 0 0 4 100
	x 5 3 3 3 100
	x 5 0 0 4 100
	q
	q
	q
	q
	q
	q
	END
)
is "$(tail -n 6 <<<"$out" | words)" \
	"5/0/4 5/2/3 5/0/4 5/3/3 5/0/4 -" \
	"control is never sampled and never overtakes data"
is "$(stat ctl_in)" 3 "control is counted"

# control of two flows waits for messages of both; of three, likewise
device limit 8
out=$(drive <<-END
	x 5 1 1 3 100
	x 6 1 1 3 100
	x 6 2 2 3 100
	x 6 3 3 3 100
	x 7 1 1 3 100
	x 5 6 0 4 100
	x 5 2 2 3 100
	x 5 6 7 4 100
	q
	q
	q
	q
	q
	q
	q
	q
	q
	END
)
is "$(tail -n 9 <<<"$out" | words)" \
	"5/1/3 5/2/3 6/1/3 6/2/3 6/3/3 5/6/4 7/1/3 5/6/4 -" \
	"control of several flows waits behind the data of each"
is "$(stat qlen)$(tc -s qdisc show dev d0 | grep -c 'backlog 0b 0p')" 01 \
	"and nothing of it is left"

# not for later messages
device limit 8
drive >/dev/null <<-END
	x 5 1 1 3 100
	x 6 1 1 3 100
	x 5 6 0 4 100
	x 5 7 0 4 100
	END
pause 0.2
out=$(drive <<-END
	x 6 2 2 3 100
	x 7 1 1 3 100
	q
	q
	q
	q
	q
	q
	q
	END
)
is "$(tail -n 7 <<<"$out" | words)" \
	"5/1/3 5/7/4 6/1/3 5/6/4 6/2/3 7/1/3 -" \
	"control waits for nothing that came after it"

# of a flow that is empty, is its own, or does not exist
device limit 8
out=$(drive <<-END
	x 5 3 3 3 100
	x 5 6 0 4 100
	x 5 5 99 4 100
	x 5 4 4 3 100
	q
	q
	q
	q
	q
	END
)
is "$(tail -n 5 <<<"$out" | words)" "5/3/3 5/6/4 5/5/4 5/4/3 -" \
	"where nothing is held control waits for no message"

# a repair passes although its message was sampled
device limit 1 policy drop-newest
out=$(drive <<-END
	x 5 1 1 3 100
	x 5 2 2 3 100
	x 5 2 2 11 100
	q
	q
	q
	END
)
is "$(words <<<"$out")" "queued 0 dropped 1 queued 0 5/1/3 5/2/11 -" \
	"a repair of a sampled message passes, in order"
is "$(stat repair_in)" 1 "a repair is counted"

# repairs of long messages are many, but bounded by memory
device limit 1
{ echo "x 5 9 9 3 100"
  for i in $(seq 1 2000); do echo "x 5 1 1 8 1000"; done; } | drive >/dev/null
is "$(stat ctl_dropped)" 0 "many repairs wait"
is "$(yes q | head -n 2100 | drive | grep -c /1/)" 2000 "and all of them leave"
device limit 1 memlimit 1mb
{ for i in $(seq 1 2000); do echo "x 5 1 1 8 1000"; done; } | drive >/dev/null
[ "$(stat ctl_dropped)" -gt 500 ] && [ "$(stat memory)" -lt 1048576 ]
ok "unless memory is short"

# fragments of a message that was discarded, then evicted
device limit 1 policy drop-newest
out=$(drive <<-END
	x 5 1 1 3 100
	x 5 2 2 1 100
	x 5 2 2 0 100
	x 5 2 2 2 100
	q
	q
	END
)
is "$(words <<<"$out")" "queued 0 dropped 1 dropped 1 dropped 1 5/1/3 -" \
	"the rest of a discarded message is dropped"
device limit 1 policy drop-oldest
out=$(drive <<-END
	x 5 1 1 1 100
	x 5 2 2 1 100
	x 5 1 1 2 100
	x 5 2 2 2 100
	q
	q
	q
	END
)
is "$(words <<<"$out")" \
	"queued 0 queued 1 dropped 1 queued 0 5/2/1 5/2/2 -" \
	"the rest of an evicted message is dropped"
is "$(stat late)" 1 "it is counted as late"

# a partly sent message is finished, even under overload
device limit 1
out=$(drive <<-END
	x 5 1 1 1 100
	q
	x 5 2 2 3 100
	x 5 3 3 3 100
	x 5 1 1 2 100
	q
	q
	END
)
is "$(words <<<"$out" | cut -d' ' -f1-2)" "queued 0" "begun: first packet"
is "$(words <<<"$out" | awk '{ print $(NF - 1), $NF }')" "5/1/2 5/3/3" \
	"a message begun is finished first"

# without LAST: the next message follows, and it is counted
device
out=$(drive <<-END
	x 5 1 1 1 100
	x 5 2 2 3 100
	q
	q
	q
	END
)
is "$(words <<<"$out")" "queued 0 queued 0 5/1/1 5/2/3 -" \
	"a message without its end does not block"
is "$(stat incomplete)" 1 "it is counted"

# packets out of order: around, after and beyond the end
device
out=$(drive <<-END
	x 5 1 1 0 100
	x 5 1 1 1 100
	x 5 2 2 1 100
	x 5 1 1 2 100
	x 5 2 2 2 100
	x 5 2 2 0 100
	q
	q
	q
	q
	q
	q
	x 5 2 2 0 100
	q
	q
	END
)
is "$(words <<<"$out")" "queued 0 queued 0 queued 0 queued 0 queued 0\
 queued 0 5/1/0 5/1/1 5/1/2 5/2/1 5/2/2 5/2/0 queued 0 5/2/0 -" \
	"stragglers find their message, even one that has left"
is "$(stat reordered)" 3 "stragglers are counted"

# two writers behind one flow id, numbers far apart
device
out=$(drive <<-END
	x 5 7 7 1 100
	x 5 900 900 1 100
	x 5 7 7 2 100
	x 5 900 900 2 100
	x 5 8 8 1 100
	x 5 901 901 1 100
	x 5 8 8 2 100
	x 5 901 901 2 100
	END
)
is "$(grep -c queued <<<"$out")" 8 "a flow id that collides: all queued"
out=$(yes q | head -n 8 | drive | words)
is "$out" "5/7/1 5/7/2 5/900/1 5/900/2 5/8/1 5/8/2 5/901/1 5/901/2" \
	"a flow id that collides: messages whole"
is "$(stat restarts)" 1 "a flow id that collides: counted"

# the same with the smaller number last, also while messages are dropped
device
out=$(drive <<-END
	x 5 900 900 1 100
	x 5 7 7 1 100
	x 5 900 900 2 100
	x 5 7 7 2 100
	END
)
out=$(yes q | head -n 5 | drive | words)
is "$out $(stat msgs_in)" "5/900/1 5/900/2 5/7/1 5/7/2 - 2" \
	"a flow id that collides: in any order"
device limit 1 policy drop-newest
out=$(drive <<-END
	x 5 1 1 3 100
	x 5 900 900 1 100
	x 5 7 7 1 100
	q
	x 5 900 900 0 100
	x 5 900 900 2 100
	q
	END
)
is "$(words <<<"$out")" \
	"queued 0 dropped 1 dropped 1 5/1/3 dropped 1 dropped 1 -" \
	"of a discarded message nothing leaves"

# one number for ever: bounded, too
device
out=$({ for i in $(seq 100); do echo "x 5 1 $i 3 100"; done; } | drive |
	grep -c 'queued')
[ "$(stat qlen)" -le 20 ]
ok "a message number that never changes does not pass the limit"

# a late packet behind many newer messages
device
out=$({ echo "x 5 1 1 1 100"; for i in $(seq 2 12); do echo "x 5 $i $i 3 100"
	done; echo "x 5 1 1 2 100"; echo q; echo q; echo q; } | drive |
	tail -n 3 | words)
is "$out" "5/1/1 5/1/2 5/2/3" "a straggler finds its message behind newer ones"

# unfinished messages of many idle flows do not use up the memory
device memlimit 65536
{ for f in $(seq 1 500); do echo "x $f 1 1 1 100"; echo q; done; } | drive \
	>/dev/null
out=$(drive <<<"x 600 1 1 3 1400
q")
is "$(words <<<"$out")" "queued 0 600/1/3" "idle flows give way"

# a partly sent giant does not evict the others
device memlimit 65536
{ echo "x 5 1 1 1 1400"; echo q
  for i in $(seq 2 11); do echo "x 5 $i $i 3 1000"; done
  for i in $(seq 1 60); do echo "x 5 1 1 0 1400"; done; } | drive >/dev/null
is "$(stat torn) $(stat backlog_msgs)" "1 10" \
	"a giant on its way goes before its neighbours"

# the number of messages wraps at 2^32
device limit 3 policy drop-oldest
out=$(drive <<-END
	x 5 4294967294 1 3 100
	x 5 4294967295 2 3 100
	x 5 0 3 3 100
	x 5 1 4 3 100
	q
	q
	q
	END
)
is "$(words <<<"$out")" \
	"queued 0 queued 0 queued 0 queued 1 5/4294967295/3 5/0/3 5/1/3" \
	"message numbers wrap"

# a message larger than the memory limit
device memlimit 65536 limit 5
out=$({ echo "x 6 1 1 3 100"; echo "x 5 1 1 1 1400"
	for i in $(seq 2 60); do echo "x 5 1 1 0 1400"; done
	echo "x 5 1 1 2 1400"; echo "x 5 2 2 3 100"; } | drive)
is "$(stat oversize)" 1 "a message larger than the memory goes whole"
out=$(yes q | head -n 4 | drive | sort | words)
is "$out" "- - 5/2/3 6/1/3" "its neighbours stay"
is "$(stat memory)" 0 "nothing leaks"

# memory: the largest flow is sampled
device memlimit 262144 limit 1000
{ for i in $(seq 1 5); do echo "x 6 $i $i 3 1000"; done
  for i in $(seq 1 400); do echo "x 5 $i $i 3 1400"; done; } | drive >/dev/null
is "$(class_stat 6 evicted) $(class_stat 6 backlog)" "0 5" \
	"memory limit: the thin flow is untouched"
[ "$(stat memory)" -le 262144 ]
ok "memory limit: kept"
[ "$(class_stat 5 evicted)" -gt 0 ]
ok "memory limit: the fat flow is sampled"
out=$(yes q | head -n 400 | drive | grep '^5/' | cut -d/ -f2 | awk '
	NR == 1 { first = $1 } NR > 1 && $1 - last > gap { gap = $1 - last }
	{ last = $1; n++ } END { print (gap <= 2.2 * 400 / n), first < 20 }')
is "$out" "1 1" "memory limit: evenly over the whole time"

# a partly sent large message, and no memory: truncated, but counted
device memlimit 65536
out=$({ echo "x 5 1 1 1 1400"; echo q
	for i in $(seq 2 80); do echo "x 5 1 1 0 1400"; done; } | drive)
[ "$(stat torn)" -ge 1 ]
ok "beyond the memory limit a message on its way is cut and counted"

# the flow table is full: ordinary, not lost; idle flows are replaced
device flows 2
out=$(drive <<-END
	x 5 1 1 3 100
	x 6 1 1 3 100
	x 7 1 1 3 100
	END
)
is "$(grep -c 'queued 0' <<<"$out") $(stat flows_refused)" "3 1" \
	"a full flow table refuses no packet"
yes q | head -n 3 | drive >/dev/null
drive <<<"x 7 2 2 3 100" >/dev/null
is "$(stat flows) $(stat flows_reclaimed)" "2 1" "an idle flow makes room"
device idle 1ms
drive >/dev/null <<<"x 5 1 1 3 100
q"
pause 1.1
is "$(stat flows) $(stat flows) $(stat flows_reclaimed)" "1 1 0" \
	"who only looks frees no flow"
printf "o 100\nq\n" | drive >/dev/null
is "$(stat flows) $(stat msgs_out)" "0 1" \
	"idle flows are freed, their counters stay"

# 1000 flows at once take turns
device quantum 1000
out=$({ for i in 1 2; do for f in $(seq 1 1000); do
	echo "x $f $i $i 3 1400"; done; done; } | drive | grep -c 'queued 0')
is "$out" 2000 "1000 flows"
out=$(yes q | head -n 1000 | drive | cut -d/ -f1 | sort -u | wc -l)
is "$out" 1000 "1000 flows take turns"

# ordinary traffic: first up to its share, bounded, never sampled
device limit 500 share 50
out=$({ for i in $(seq 1 300); do echo "x 5 $i $i 3 1000"; echo "o 1000"
	done; } | drive | grep -c 'queued 0')
is "$out" 600 "ordinary and tagged both wait"
out=$(yes q | head -n 200 | drive | grep -c ordinary)
[ "$out" -ge 95 ] && [ "$out" -le 125 ]
ok "ordinary gets its share and no more ($out of 200)"
device limit 2000 share 10
out=$({ for i in $(seq 1 500); do echo "x 5 $i $i 3 1000"; done
	for i in $(seq 1 200); do echo "o 1000"; echo q; echo q; done; } |
	drive | grep -v queued | cut -d/ -f1 | sort | uniq -c | words)
is "$(awk '{ print ($3 >= 30 && $3 <= 60) || ($1 >= 340) }' <<<"$out")" 1 \
	"share 10: also against a sender that is never ahead ($out)"
device ordinary 10
for i in $(seq 1 30); do echo "o 100"; done | drive >/dev/null
out=$(stat ordinary_qlen)
[ "$out" -le 10 ] && [ $((out + $(stat ordinary_dropped))) = 30 ]
ok "ordinary traffic is bounded"
tc qdisc change dev d0 root handle 1: optsample ordinary 4
is "$(stat ordinary_qlen) $(stat qlen)" "4 4" "a smaller bound takes effect"
tc qdisc replace dev d0 parent 1:ffff handle 7: pfifo limit 7
tc qdisc change dev d0 root handle 1: optsample ordinary 3
for i in $(seq 1 30); do echo "o 100"; done | drive >/dev/null
is "$(stat ordinary_qlen) $(stat qlen)" "7 7" \
	"a child that was chosen has its own limit"
is "$(tc class show dev d0 classid 1:ffff)" \
	"class optsample 1:ffff parent 1: leaf 7: " "ordinary traffic is a class"
tc qdisc del dev d0 parent 1:ffff
is "$(tc qdisc show dev d0 invisible | awk '/ffff/ { print $2 }')" fq_codel \
	"without one it is the system's default"

# a new limit keeps as many as fit
device limit 16
{ echo "packets 1"; seq -f 'a %g' 16; } | drive >/dev/null
tc qdisc change dev d0 root optsample limit 4
is "$(class_stat 1 backlog) $(stat msgs_evicted)" "4 12" \
	"a smaller limit keeps a sample"
tc qdisc change dev d0 root optsample limit 16 policy gap
is "$(class_stat 1 backlog)" 4 "a new policy keeps the queue"
is "$(drive <<<k | wc -w)" 5 "and it all departs"

ip link del d0
# turns: one large packet at a time, against a flow that always waits
backlog()	# FLOW MESSAGES BYTES
{
	for i in $(seq "$2"); do
		echo "x $1 $i $i 3 $3"
	done
}
device limit 5000 memlimit 256mb quantum 1514
out=$({ backlog 1 4000 1000; echo "share 2 60000 2000"; } | drive | tail -n 1)
[ "${out#share }" -ge 40 ] && [ "${out#share }" -le 60 ]
ok "60 kB at a time gets its half, not more ($out)"
device limit 5000 memlimit 256mb quantum 256
out=$({ backlog 1 2000 60; echo "share 2 60000 1000"; } | drive | tail -n 1)
[ "${out#share }" -ge 40 ] && [ "${out#share }" -le 60 ]
ok "the same with turns much smaller than packets ($out)"

# a flow with a small debt that is empty leaves the round-robin, while one with
# a large debt waits for more turns
device limit 5 quantum 256
out=$(drive <<-END | tail -n 3 | words
	x 1 1 1 3 458
	x 2 1 1 3 5000
	x 2 2 2 3 5000
	q
	q
	q
	END
)
is "$out" "1/1/3 2/1/3 2/2/3" "no turn is lost to a flow that ends"

# nor that of a higher band, whose debt takes many turns
device limit 5 quantum 1514 profile 1 priority 7
out=$(drive <<-END | tail -n 1
	x 1 1 1 3 1500
	x 2 1 1 3 1500
	q
	x 3 1 1 259 8000
	q
	q
	END
)
is "$out" "2/1/3" "a debt of a higher band leaves the lower one its turn"

# a small message of an idle topic need not wait for large ones
device limit 100 memlimit 256mb
out=$({ backlog 1 50 9000; backlog 2 50 9000; echo q; echo q
	echo "x 3 1 1 3 100"; echo q; } | drive | tail -n 1)
is "$out" "3/1/3" "a small message goes before the backlog of others"

# without a profile, the DS field decides as on Wi-Fi
device limit 100
out=$({ echo "tos 32"; backlog 1 2 100; echo "tos 0"; backlog 2 2 100
	echo "tos 160"; backlog 3 2 100; echo "tos 184"; backlog 4 2 100
	echo "tos 192"; backlog 5 2 100; echo "tos 0"
	for i in $(seq 10); do echo q; done; } | drive | grep / | cut -d/ -f1 |
	words)
is "$out" "5 5 3 3 4 4 2 2 1 1" "voice, video, best effort, background"
device limit 100
out=$({ for f in 1 2 3 4 5 6 7 8; do
		echo "tos6 $(((f - 1) * 32))"; backlog $f 1 100
	done
	for i in 1 2 3 4 5 6 7 8; do echo q; done; echo "tos 0"; } | drive |
	grep / | cut -d/ -f1 | words)
is "$out" "7 8 5 6 1 4 2 3" "the same by the traffic class of IPv6"
device limit 100
out=$({ echo "tos 192"; for f in 1 2 3 4 5 6 7 8; do
		echo "priority $((255 + f))"; backlog $f 1 100
	done
	echo "priority 264"; backlog 9 1 100
	echo "priority 0"; backlog 10 1 100
	for i in $(seq 10); do echo q; done; echo "tos 0"; } | drive |
	grep / | cut -d/ -f1 | words)
is "$out" "7 8 9 10 5 6 1 4 2 3" \
	"a priority from 256 to 263 decides, no other one"

# repeated control replaces queued control (36: 4 + 32)
device limit 5
out=$(for i in $(seq 200); do
	echo "x 5 $i $i 3 100"; echo "x 5 77 0 36 100"; echo "x 5 78 0 36 100"
done | drive | grep -c queued)
is "$(stat ctl_in) $(stat ctl_replaced) $(stat ctl_dropped) $(stat qlen)" \
	"400 398 0 7" "of 400 heartbeats of two kinds the newest two wait"
out=$({ for i in $(seq 8); do echo q; done; } | drive | tail -n 3 | words)
is "$out" "5/77/36 5/78/36 -" "they leave last, behind the data"

# flows that are only declared by their senders are replaced first (19: 3 + 16)
device flows 4 limit 5
out=$({ for f in 11 12 13 14; do echo "x $f 1 1 19 100"; done
	echo "x 15 1 1 19 100"; echo "x 1 1 1 3 100"; echo "x 2 1 1 3 100"
	for i in $(seq 6); do echo q; done; } | drive | words)
is "$(stat flows_refused) $(stat flows_displaced) $(stat msgs_evicted)" \
	"1 2 2" "a full table: writers take the places of segments"
is "$(tr ' ' '\n' <<<"$out" | grep / | cut -d/ -f1 | sort -n | words)" \
	"1 2 13 14 15" "the oldest two went; the refused one is ordinary"

# control in the middle of a partly sent message (4: control)
device
out=$(drive <<-END
	x 5 1 1 1 100
	q
	x 5 0 0 4 100
	q
	x 5 1 1 0 100
	q
	x 5 1 1 2 100
	q
	q
	END
)
is "$(grep -v queued <<<"$out" | words)" "5/1/1 5/0/4 5/1/0 5/1/2 -" \
	"control amid a message leaves at once"
is "$(stat incomplete) $(stat reordered) $(stat msgs_out)" "0 0 1" \
	"and the message is complete and in order"

# With noqueue or optsample as default qdisc, the child is another one.
for kind in noqueue optsample; do
	sysctl -qw net.core.default_qdisc=$kind
	device
	is "$(drive <<<$'o 100\nq' | cut -d/ -f1 | words)" "queued 0 ordinary" \
		"default qdisc $kind: ordinary traffic has another one"
done
sysctl -qw net.core.default_qdisc=sfq
out=$(device ordinary 10 2>&1)
grep -q "default_qdisc, which keeps its own limits" <<<"$out"
ok "default qdisc sfq: tc says that it keeps its own limits"
sysctl -qw net.core.default_qdisc=optsample
ip link add i0 type ifb 2>/dev/null && ip link set i0 up
! tc qdisc show dev i0 | grep -q optsample
ok "optsample refuses to be the default qdisc of a device"
dmesg | grep -q "optsample: cannot be net.core.default_qdisc"
ok "and says so"
ip link del i0
sysctl -qw net.core.default_qdisc=fq_codel

# the struct of a flow counts as memory, too
device flows 4096 memlimit 65536
{ for f in $(seq 4000); do echo "x $f 1 1 3 100"; done; } | drive >/dev/null
out=$(stat flows)
[ "$out" -lt 128 ]	# about 500 bytes each, of 48 kB
ok "what flows take is part of memlimit: $out of 4000 fit in 64 kB"

# nothing leaves, and memory is short: a flow whose only message was dropped is
# not idle, and keeps its state
device flows 1024 memlimit 600kb
{ for i in 1 2; do
	for f in $(seq 300); do echo "x $f $i $i 3 1000"; done
done; } | drive >/dev/null
[ "$(stat msgs_evicted)" -gt 100 ]
ok "memory is short: messages of 300 flows are given up"
is "$(stat flows) $(stat flows_reclaimed)" "300 0" "but none of the flows"

# so do profiles
profiles=$(for i in $(seq 42); do echo profile $i sync 1ms; done)
out=$(device memlimit 200kb $profiles 2>&1)
is "$(grep -c "the profiles need more than a quarter of memlimit" <<<"$out")" \
	1 "profiles that need more than a quarter of memlimit are refused"
device memlimit 300kb limit 1000 $profiles
{ for i in $(seq 300); do echo "x 5 $i $i 3 1000"; done; } | drive >/dev/null
out=$(stat memory)
[ "$out" -gt 130000 ] && [ "$out" -le $((300 * 1024 * 3 / 4 - 42 * 1376)) ]
ok "what profiles take is part of memlimit: $out of 300 kB are left for packets"

done_testing
