#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Profiles: options of some flows. Limits, policies, priorities, and flows that
# keep the same stamps. FLAGS of a raw packet: 3 is a complete message, p[NUMBER]
# has the profile, too.

. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
need_modules

for n in {0..255}; do
	p[n]=$((3 | n << 8))
done
change() { tc qdisc change dev d0 root optsample "$@"; }

# held FLOW: its messages, in order of departure; empties the queue
leave()
{
	local n=${1-400}

	yes q | head -n "$n" | drive | grep -v '^-'
}

of() { awk -F/ -v f="$1" '$1 == f { print $2 }' <<<"$out" | words; }

# limit and policy by profile, besides the qdisc's own
device limit 4 profile 1 limit 2 policy drop-oldest profile 2 policy drop-newest
{ for i in 1 2 3 4 5 6; do
	echo "x 5 $i $i 3 100"
	echo "x 6 $i $i ${p[1]} 100"
	echo "x 7 $i $i ${p[2]} 100"
	echo "x 8 $i $i ${p[9]} 100"
done; } | drive >/dev/null
tc -s class show dev d0 | grep -q 'flow 0x00000006 .* profile 1$'
ok "a class tells its profile"
out=$(leave)
is "$(of 6)" "5 6" "a profile's limit and policy"
is "$(of 7)" "1 2 3 4" "a profile's policy, the qdisc's limit"
is "$(of 5)" "$(of 8)" "no profile, or one without a description: the qdisc's"
is "$(stat memory)" 0 "no memory is left"

# numbers that are not profiles, from a foreign classifier
device limit 4 profile 5 limit 2
{ for i in 1 2 3 4 5 6; do
	for n in 0 64 133 255; do echo "x $((5 + n)) $i $i ${p[n]} 100"; done
done; } | drive >/dev/null
change limit 3
as_none()
{
	local n flow

	for n in 64 133 255; do
		flow=$(printf 0x%08x $((5 + n)))
		class_stat $((5 + n)) backlog
		tc -s class show dev d0 | grep -c "flow $flow .* profile 0$"
	done | words
}
is "$(as_none)" "3 1 3 1 3 1" \
	"a number from 64 is no profile, also after a change"
device limit 100 profile 4 sync 0 limit 10
{ for f in $(seq 101 140); do echo "x $f 1 1 ${p[4]} 100"; done
	echo "x 140 2 2 ${p[132]} 100"; } | drive >/dev/null
tc -s class show dev d0 | grep -q 'flow 0x0000008c .* profile 0$'
ok "nor is it for a flow whose group is full"

# changed at run time: the queue is cut
device limit 8
{ for i in 1 2 3 4 5 6; do echo "x 6 $i $i ${p[3]} 100"; done; } |
	drive >/dev/null
change profile 3 limit 2 policy drop-oldest
is "$(class_stat 6 backlog)" 2 "a new limit cuts what waits"
change profile 3 none
echo "x 6 7 7 ${p[3]} 100
x 6 8 8 ${p[3]} 100" | drive >/dev/null
is "$(class_stat 6 backlog)" 4 "and without the profile there is room again"
tc qdisc show dev d0 | grep -q profile
is $? 1 "a profile that is gone is not shown"

# the higher priority leaves first
device profile 1 priority 1 profile 7 priority 7
out=$(for f in 4:0 5:1 6:7; do
	for i in 1 2; do
		echo "x ${f%:*} $i $i ${p[${f#*:}]} 1000"
	done
done | drive; leave)
is "$(grep / <<<"$out" | cut -d/ -f1 | words)" "6 6 5 5 4 4" \
	"the larger priority leaves first"
change profile 1 priority 0 profile 7 priority 0
{ for i in 3 4 5 6; do
	for f in 4:0 5:1 6:7; do
		echo "x ${f%:*} $i $i ${p[${f#*:}]} 1000"
	done
done; } | drive >/dev/null
change profile 1 priority 3
out=$(leave 4)
is "$(cut -d/ -f1 <<<"$out" | words)" "5 5 5 5" \
	"a priority that changes holds for what waits"
out=$(leave)
is "$(wc -l <<<"$out")" 8 "and nothing is lost"

# positions: a burst of 100 messages, then as much time with 10 of them
device profile 2 policy gap limit 10
{ for i in $(seq 1 100); do echo "x 5 $i $((i * 10)) ${p[2]} 100"; done
  for i in $(seq 101 110); do
	echo "x 5 $i $((1000 + (i - 100) * 100)) ${p[2]} 100"
  done; } | drive >/dev/null
out=$(leave)
set -- $(awk -F/ '{ n++; late += $2 > 100 } END { print n, late }' <<<"$out")
[ "$1" = 10 ] && [ "$2" -ge 4 ] && [ "$2" -le 6 ]
ok "evenly by position, not by message"

# topics of one group: complete sets, whatever partners do
sets()
{
	awk -F/ -v flows="$1" '
		{ n[$2] += 1 }
		END { for (i in n) if (n[i] != flows) bad++
		      for (i in n) sets++
		      print sets + 0, bad + 0 }' <<<"$out"
}

policies_known
for policy in $(policies); do
	device limit 100 profile 4 sync 0 limit 10 policy $policy
	{ for i in $(seq 1 60); do
		for f in 5 6 7; do echo "x $f $i $((i * 1000)) ${p[4]} 400"; done
	done; } | drive >/dev/null
	n=$(stat backlog_msgs)
	# it drops several at once
	[ "$n" = 30 ] || { [ $policy = 2sample ] && [ "$n" -ge 15 ] && [ "$n" -lt 30 ]; }
	ok "$policy: the limit is of sets"
	out=$(leave)
	is "$(sets 3)" "$((n / 3)) 0" "$policy: whole sets of three"
	is "$(stat memory) $(stat msgs_out)" "0 $n" "$policy: nothing is left"
done

# partners out of step: 6 is three behind, 7 misses every fourth, jitters
device limit 100 profile 4 sync 5ms limit 10
{ for i in $(seq 1 63); do
	[ "$i" -le 60 ] && echo "x 5 $i $((i * 100000000)) ${p[4]} 400"
	[ "$i" -gt 3 ] &&
		echo "x 6 $((i - 3)) $(((i - 3) * 100000000 + 4000000)) ${p[4]} 400"
	[ "$i" -le 60 ] && [ $((i % 4)) != 0 ] &&
		echo "x 7 $i $((i * 100000000 + 2000000)) ${p[4]} 400"
done; } | drive >/dev/null
out=$(leave)
awk -F/ '{ n[$2]++ } END { for (i in n)
	if (n[i] != (i % 4 ? 3 : 2)) exit 1 }' <<<"$out"
ok "partners that are late, missing, or near enough: whole sets"
is "$(awk -F/ '{ print $1 }' <<<"$out" | sort | uniq -c | awk '
	$2 < 7 { print $1 }' | words)" "10 10" "ten sets"

# a topic without stamps does not affect its group, and is sampled itself
for policy in optsample gap; do
	device limit 100 profile 4 sync 0 limit 10 policy $policy
	{ for i in $(seq 1 60); do
		for f in 5 6; do
			echo "x $f $i $((1700000000000000000 + i * 100000000)) ${p[4]} 400"
		done
		echo "x 7 $i 0 ${p[4]} 400"
	done; } | drive >/dev/null
	out=$(leave)
	is "$(of 5)" "$(of 6)" "$policy: a third one without stamps: whole sets"
	is "$(of 5 | wc -w) $(of 7 | wc -w) $(stat memory)" "10 10 0" \
		"$policy: as many of both"
done

# if a stall begins while sets are leaving, the rest is sampled as sets; flow 5
# has large messages, 6 small ones
device limit 100 quantum 1500 profile 4 sync 0 limit 8
{ for i in 1 2 3 4 5 6 7 8; do
	echo "x 5 $i $i ${p[4]} 14000"
	echo "x 6 $i $i ${p[4]} 100"
done; } | drive >/dev/null
out=$(leave 7)
is "$(cut -d/ -f2 <<<"$out" | words)" "1 1 2 2 3 3 4" \
	"sets leave one after the other"
{ for i in $(seq 9 40); do
	echo "x 5 $i $i ${p[4]} 14000"
	echo "x 6 $i $i ${p[4]} 100"
done; } | drive >/dev/null
out+=$'\n'$(leave)
is "$(sets 2 | cut -d' ' -f2)" 0 "and a second stall tears none"

# rules that change while messages wait
device limit 10 profile 4 sync 0 limit 6
many()
{
	for i in $(seq "$1" "$2"); do
		for f in 5 6; do echo "x $f $i $i ${p[4]} 200"; done
	done | drive >/dev/null
}
many 1 12
change profile 4 none
many 13 40
is "$(stat backlog_msgs)" 32 "without the group each flow for itself"
change profile 4 sync 1ms limit 3
many 41 60
out=$(leave)
is "$(stat memory) $(stat backlog_msgs)" "0 0" "all of it leaves in the end"
is "$(($(stat msgs_in)))" \
	"$(($(stat msgs_out) + $(stat msgs_sampled) + $(stat msgs_evicted)))" \
	"each message went one way"
change profile 4 sync 0 limit 50
many 61 100
change profile 4 limit 5
is "$(stat backlog_msgs)" 10 "a smaller limit cuts sets"
change profile 4 none sync 1ms limit 4
is "$(stat backlog_msgs)" 10 "described again at once, it keeps what waits"
change profile 4 none limit 3 sync 0 profile 4 none profile 4 sync 0 limit 5
many 101 120
out=$(leave)
is "$(stat memory) $(stat backlog_msgs)" "0 0" "and that leaves, too"
many 121 140
ip link set d0 down
is "$(stat backlog_msgs) $(stat memory)" "0 0" "a reset empties the sets, too"
ip link set d0 up
echo "dev d0" | drive
many 101 160
out=$(leave)
is "$(sets 2)" "5 0" "and afterwards all is as before"
many 161 200
tc qdisc del dev d0 root
ok "a qdisc with sets that wait can go"

# memory is short: complete sets are dropped, not messages
device limit 1000 memlimit 256kb profile 4 sync 0
{ for i in $(seq 1 200); do
	for f in 5 6 7; do echo "x $f $i $i ${p[4]} 1000"; done
done; } | drive >/dev/null
out=$(leave 700)
set -- $(sets 3)
[ "$1" -gt 20 ] && [ "$2" -le 1 ]
ok "memory is short: whole sets go"

# more flows than a group can have, and flows that end
device flows 40 idle 1ms profile 4 sync 0 limit 4
{ for i in 1 2 3 4 5 6 7 8; do
	for f in $(seq 1 40); do echo "x $f $i $i ${p[4]} 100"; done
done; } | drive >/dev/null
out=$(leave)
is "$(awk -F/ '{ n[$1]++ } END { for (i in n) k[n[i]]++; for (j in k)
	print j ":" k[j] }' <<<"$out")" "4:40" \
	"a flow without room in the group is sampled alone"
pause 0.1
echo "x 77 9 9 ${p[4]} 100
x 78 9 9 ${p[4]} 100" | drive >/dev/null
out=$(leave)
is "$(words <<<"$out")" "77/9/${p[4]} 78/9/${p[4]}" "flows come and go"

# streams of segments only get profiles that allow them (16: declared only by
# its sender)
seg() { echo $((p[$1] + 16)); }
device limit 8 profile 1 limit 2 policy drop-oldest \
	profile 2 limit 2 policy drop-oldest segments
for i in 1 2 3 4 5 6; do
	echo "x 5 $i $i $(seg 1) 100"
	echo "x 6 $i $i $(seg 2) 100"
	echo "x 7 $i $i ${p[1]} 100"
done | drive >/dev/null
is "$(class_stat 5 backlog) $(class_stat 6 backlog) $(class_stat 7 backlog)" \
	"6 2 2" "segments do not choose a profile that is for others"
change profile 1 segments
is "$(class_stat 5 backlog)" 2 "until it is opened to them"
device flows 100 limit 100 profile 4 sync 0 limit 4
{ for f in $(seq 101 140); do echo "x $f 1 1 $(seg 4) 100"; done
	for i in $(seq 2 13); do
		echo "x 5 $i $i ${p[4]} 100"
		echo "x 6 $i $i ${p[4]} 100"
	done; } | drive >/dev/null
out=$(leave)
is "$(grep -c -e ^5/ -e ^6/ <<<"$out")" 8 "40 streams of segments: a group keeps its sets"
is "$(grep ^5/ <<<"$out" | cut -d/ -f2 | words)" \
	"$(grep ^6/ <<<"$out" | cut -d/ -f2 | words)" "and they are whole"

# A flow keeps its messages when it changes groups. One that changed with every
# message would keep them all.
device limit 4 profile 4 sync 0 limit 4 segments
{ for i in $(seq 200); do
	echo "x 5 $i $i ${p[4]} 100"
	echo "x 7 $i $i $(seg $((i % 2 * 4))) 100"
done; } | drive >/dev/null
for f in 5 7; do
	n=$(class_stat $f backlog)
	[ "$n" -ge 4 ] && [ "$n" -le 8 ]
	ok "one of two changes groups with every message: $n of flow $f wait"
done
leave >/dev/null
echo "x 7 201 201 $(seg 0) 100" | drive >/dev/null
tc -s class show dev d0 | grep -q 'flow 0x00000007 .* profile 0$'
ok "what it kept has left: it may change again"

# the kernel reports what is wrong
wrong()
{
	local err

	err=$(OPTSAMPLE_TC_UNCHECKED=1 tc qdisc change dev d0 root optsample \
		"${@:2}" 2>&1)
	[ $? != 0 ] && grep -q -- "$1" <<<"$err"
	ok "$1"
}
wrong "profile must be 1..63" profile 64 limit 3
wrong "limit must be 1..65535" profile 3 limit 0
wrong "limit must be 1..65535" profile 3 limit 65536
wrong "unknown policy" profile 3 policy 9
wrong "refill must be 0..100" profile 3 refill 101
wrong "priority must be 0..7" profile 3 priority 8
tc qdisc show dev d0 | grep -q 'profile 4 limit 4 sync 0us segments $'
ok "and nothing of it is taken"
ip link del d0
done_testing
