#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Messages below the queue are kept until the radio reports that they have
# arrived; others return to their flow. Packets are put on the air one by one
# (tests/kselftest/module/radio.c), and reported as the test says. For
# tools/machines/vm --icount: the pauses are of guest time.
#
# A packet on the air is FLOW/POSITION/SEQUENCE; "-" ends the list.

. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
need_modules

# packets COMMAND...: those that it sends
packets()
{
	local out

	out=$(play "$@")
	out=${out%-}
	echo "${out%"${out##*[! ]}"}"
}

# air N: sends N packets, prints them
air() { packets "t $1"; }

# arrive POSITION...: one message each, of $packets packets
arrive()
{
	play "packets ${packets:-1}" "${@/#/a }" >/dev/null
}

state()
{
	local state

	state=$(stat recall_state)
	echo "${state//\"/}"
}
nap() { pause "${1:-0.03}"; }

# carrier_lost: and back; the kernel tells of changes once a second
carrier_lost()
{
	ip link set d0 carrier off
	wait_for 5 grep -q down /sys/class/net/d0/operstate
	ip link set d0 carrier on
	wait_for 5 grep -qv down /sys/class/net/d0/operstate
}

# hear LINES...: the radio reports, in the same turn as the qdisc is asked for a
# packet: a doubt that begins with it holds the packet. Prints the packets
hear() { packets "$@" "t 1"; }

# believed OPTIONS...: a new d0, whose radio has acknowledged enough
believed()
{
	device limit 5 recall on "$@"
	packets=1 arrive 1 2 3 4
	air 4 >/dev/null
	packets=1 arrive 5 6 7 8
	air 4 >/dev/null
	hear "r ack 8"
}

# balanced NAME: all messages are where the counters say
balanced()
{
	is "$(tc -j -s qdisc show dev d0 | jq -c '.[] |
		select(.kind == "optsample") | .. | objects |
		select(.msgs_in != null) |
		.msgs_in + .msgs_recalled - .msgs_out - .msgs_sampled -
		.msgs_evicted - .backlog_msgs' | head -n 1)" 0 "$1"
	is "$(tc -j -s qdisc show dev d0 | jq -c '.[] |
		select(.kind == "optsample") | .qlen as $q | .. | objects |
		select(.pkts_in != null) |
		.pkts_in + .pkts_recalled - .pkts_out - .pkts_dropped - $q' |
		head -n 1)" 0 "$1, packets"
}

device limit 5
is "$(state)" idle "without recall nothing is kept"
arrive 1
air 1 >/dev/null
hear "r nack 1" >/dev/null
is "$(stat recall_msgs) $(stat msgs_recalled)" "0 0" \
	"without recall nothing comes back"

device limit 5 recall on
is "$(state)" learning "a radio is not believed at first"
arrive 1
air 1 >/dev/null
hear "r nack 1" >/dev/null
is "$(stat msgs_recalled) $(stat recall_msgs) $(stat memory)" "0 0 0" \
	"what it says does not count, nor is anything kept"

believed
is "$(state) $(stat recall_msgs) $(stat memory)" "active 0 0" \
	"after 8 acknowledgements it is believed, and nothing is left"

# a message of three packets
packets=3
arrive 10
is "$(air 3)" "1/10/0 1/10/1 1/10/2" "a message goes on the air"
is "$(stat recall_msgs) $(stat qlen)" "1 0" "it is kept"
is "$(hear "r ack 1" "r nack 1") $(state)" " doubt" "one packet is lost: doubt"
arrive 11
is "$(air 1) $(stat stalled)" ' "unacked"' \
	"nothing leaves while another packet is on the air"
nap
is "$(hear "r ack 1") $(stat msgs_recalled) $(stat pkts_recalled) $(stat qlen)" \
	"1/10/0 1 3 5" "then the message is back, and its first packet leaves"
is "$(state)" doubt "the doubt is not over"
play "r ack 1"
is "$(air 9)" "1/10/1 1/10/2 1/11/0 1/11/1 1/11/2" \
	"an acknowledgement ends the doubt"
is "$(state)" active "and nothing holds any more"
hear "r ack 5" >/dev/null
is "$(stat recall_msgs) $(stat memory) $(stat incomplete)" "0 0 0" \
	"all have arrived: nothing is kept"
balanced "the counters balance"

# two are lost, one in between has arrived
packets=1
believed
arrive 20 21 22
air 3 >/dev/null
arrive 23
hear "r nack 1" "r ack 1" "r nack 1" >/dev/null
nap
is "$(air 1)" 1/20/0 "the oldest that was lost comes back first"
play "r ack 1"
is "$(air 3)" "1/22/0 1/23/0" "in order, without what has arrived"
hear "r ack 2" >/dev/null
balanced "two came back: the counters balance"

# probes
believed
arrive 30
air 1 >/dev/null
for i in 1 2 3; do
	is "$(hear "r nack 1")" "" "lost: the next try $i is not at once"
	nap
	is "$(air 1)" 1/30/0 "lost: try $i"
done
hear "r ack 1" >/dev/null
is "$(state) $(stat msgs_recalled) $(stat longest_gap)" "active 3 22" \
	"it arrives after three tries; the gap is that before it"

# sampled like any other
policies_known
for policy in $(policies); do
	believed policy $policy
	arrive 41 42 43 44 45
	air 5 >/dev/null
	arrive 46 47 48 49 50
	hear "r nack 5" >/dev/null
	is "$(stat backlog_msgs) $(stat msgs_evicted)" "5 5" \
		"$policy: ten for five places"
	nap
	first=$(air 1)
	play "r ack 1"
	got=$(echo "$first $(air 9)" | tr ' ' '\n' | cut -d/ -f2 | words)
	hear "r ack 9" >/dev/null
	echo "# $policy: $got"
	case $policy in
	drop-oldest)
		is "$got" "46 47 48 49 50" "$policy: the newest" ;;
	drop-newest)
		is "$got" "41 42 43 44 45" "$policy: the oldest" ;;
	*)
		[ "$(echo "$got" | tr ' ' '\n' | awk '
			$1 <= 45 { old++ }
			NR > 1 && $1 - last > gap { gap = $1 - last }
			{ last = $1 }
			END { print old >= 2 && NR == 5 && gap <= 3 }')" = 1 ]
		ok "$policy: evenly from before and after" ;;
	esac
	balanced "$policy: the counters balance"
done

# a message that is partly sent
packets=3
believed
arrive 60
air 2 >/dev/null
hear "r nack 2" >/dev/null
is "$(stat qlen)" 3 "lost with its rest waiting: all of it waits"
nap
is "$(air 1)" 1/60/0 "it starts again"
play "r ack 1"
is "$(air 3)" "1/60/1 1/60/2" "and is whole"
hear "r ack 2" >/dev/null
balanced "started again: the counters balance"

# its end has not arrived yet
believed
play "x 1 900 70 1 1300" >/dev/null	# FIRST
air 1 >/dev/null
hear "r nack 1" >/dev/null
play "x 1 900 70 2 1300" >/dev/null	# LAST
nap
air 1 >/dev/null
play "r ack 1"
is "$(air 2 | wc -w) $(stat msgs_recalled) $(stat incomplete)" "1 1 0" \
	"a message whose end is still to come comes back, and is one"
hear "r ack 1" >/dev/null

# frames that vanish below, and radios that do not report it
packets=1
believed
arrive 80 81
air 2 >/dev/null
play "r mute 1" "r ack 1"
nap
hear >/dev/null
is "$(stat msgs_recalled) $(state)" "1 doubt" \
	"a frame that vanishes without a report is lost"
nap
is "$(air 1)" 1/80/0 "and its message comes back"
play "r ack 1"

device limit 500 recall on
arrive $(seq 1 70)
air 70 >/dev/null
play "r mute 70"
nap
hear >/dev/null
is "$(state) $(stat msgs_recalled) $(stat memory)" "deaf 0 0" \
	"a radio that never reports is deaf: nothing is kept"
arrive 71
air 1 >/dev/null
is "$(stat recall_msgs)" 0 "also afterwards"
play "r ack 1"
tc qdisc change dev d0 root handle 1: optsample recall auto
tc qdisc change dev d0 root handle 1: optsample recall on
is "$(state)" learning "asked for again, it is heard again"
arrive $(seq 72 141)
air 70 >/dev/null
play "r mute 70"
nap
hear >/dev/null
is "$(state)" deaf "and deaf again"
ip link set d0 carrier off 2>/dev/null
ip link set d0 carrier on
is "$(state)" learning "so it is when its link comes up"

device limit 500 recall on
arrive $(seq 1 70)
air 70 >/dev/null
hear "r nack 70" >/dev/null
is "$(state) $(stat msgs_recalled)" "learning 0" \
	"one that has no acknowledgement for anything is not believed"

believed limit 500
arrive $(seq 101 400)
air 300 >/dev/null
is "$(stat recall_msgs)" 300 "300 on the air"
hear "r ack 300" >/dev/null
is "$(state) $(stat recall_msgs)" "active 0" "and none of them is silence"

# one is never reported
believed
arrive 90 91
air 2 >/dev/null
hear "r leak 1" "r nack 1" >/dev/null
is "$(air 1) $(state)" " doubt" "one is not reported: the other one waits"
nap 1
is "$(air 1) $(stat qlen)" " 0" "for a second"
nap 2
air 1 >/dev/null
nap
is "$(air 1)" 1/90/0 "after 2 s both come back"
play "r ack 1"
is "$(air 1) $(state)" "1/91/0 active" "and the link is used again"
play "r ack 1"

# settling
believed settle 60s
carrier_lost
arrive 92 93
is "$(air 1) $(stat stalled)" ' "settle"' "the link is back: it settles"
tc qdisc change dev d0 root handle 1: optsample pause 0
is "$(air 2) $(state)" "1/92/0 doubt" \
	"the network is the same: one packet tries the link"
is "$(hear "r nack 1") $(stat msgs_recalled)" " 1" "it does not work yet"
nap
is "$(air 2)" 1/92/0 "the next try"
is "$(hear "r ack 1") $(state)" "1/93/0 active" "it works"
play "r ack 1"
tc qdisc change dev d0 root handle 1: optsample pause 0
is "$(state)" active "nothing settles: nothing is tried"

device limit 5 recall on settle 60s
carrier_lost
arrive 94
tc qdisc change dev d0 root handle 1: optsample pause 0
is "$(air 1) $(stat stalled)" ' "settle"' \
	"a radio of which nothing is known settles"

# traffic that is not sampled
believed
arrive 95
air 1 >/dev/null
hear "r nack 1" >/dev/null
play "o 100" "o 1400" >/dev/null
nap
is "$(air 1 | cut -d/ -f1)" ordinary "ordinary traffic is asked about in doubt"
is "$(hear "r ack 1") $(state)" "1/95/0 doubt" \
	"a small packet proves little; the next one may go at once"
play "r ack 1"
is "$(air 1 | cut -d/ -f1) $(state)" "ordinary active" \
	"one as large as what was lost is enough"
play "r ack 1"

believed
arrive 96
air 1 >/dev/null
hear "r nack 1" >/dev/null
nap
air 1 >/dev/null
hear "r nack 1" >/dev/null
tc qdisc change dev d0 root handle 1: optsample pause 30s
nap 1.2
play "o 100" >/dev/null
is "$(air 1 | cut -d/ -f1) $(state)" "ordinary active" \
	"nothing was lost for a second: no doubt"
play "r ack 1"

# memory
packets=4
believed memlimit 64kb
arrive $(seq 201 240)
air 8 >/dev/null
hear "r nack 1" >/dev/null
arrive $(seq 241 300)
hear "r nack 9" >/dev/null
nap
n=0
while [ "$(state)" = doubt ] && [ $((n += 1)) -lt 20 ]; do
	air 1 >/dev/null
	play "r ack 1"
	nap
done
is "$(state)" active "short of memory: the doubt ends all the same"
while [ -n "$(air 50)" ]; do
	play "r ack 50"
done
is "$(stat qlen) $(stat recall_msgs) $(stat memory)" "0 0 0" \
	"short of memory: nothing is left over"
balanced "short of memory: the counters balance"
packets=1

# packets on the air are forgotten
believed
arrive 310 311
air 2 >/dev/null
tc qdisc change dev d0 root handle 1: optsample flush
is "$(stat recall_msgs) $(stat recall_forgotten) $(stat memory)" "0 2 0" \
	"a flush forgets what is on the air, and counts it"
hear "r nack 2" >/dev/null
is "$(stat msgs_recalled) $(state)" "0 active" "its reports are ignored"

believed
arrive 320
air 1 >/dev/null
tc qdisc change dev d0 root handle 1: optsample recall off
is "$(state) $(stat recall_forgotten)" "idle 1" "recall off forgets it"
hear "r nack 1" >/dev/null
is "$(stat qlen)" 0 "and nothing comes back"

# Without this an idle flow is freed.
believed idle 1ms
arrive 330
air 1 >/dev/null
nap 1.1
play "x 2 1 1 3 100" >/dev/null
is "$(stat recall_forgotten) $(stat recall_msgs)" "0 1" \
	"a flow with a message on the air does not end"
hear "r nack 1" >/dev/null
nap
is "$(stat msgs_recalled)" 1 "and it comes back"

# NetworkManager changed the interface's address, and changed it back.
device limit 5 recall on
ip link set d0 address 02:00:00:00:00:08
ip link set d0 address 02:00:00:00:00:07
play "from 8"
for i in 1 2 3 4 5 6 7 8 9; do
	arrive $i
	hear "t 1" "r ack 1" >/dev/null
done
nap
hear >/dev/null
is "$(state) $(stat msgs_recalled) $(stat recall_msgs)" "active 0 0" \
	"packets whose sender's address is mended are reported on"
play "from 0"

# one packet that never arrives on a link that works
believed
arrive 335
for ((i = 0; i < 30; i++)); do
	air 1 >/dev/null
	hear "r nack 1" >/dev/null
	nap
	packets=1 arrive $((400 + i))
	echo "o 1400" | drive >/dev/null
	air 1 >/dev/null
	play "r ack 1"
done
while [ -n "$(air 9)" ]; do
	play "r ack 9"
done
is "$(state) $(stat qlen) $(stat recall_msgs)" "active 0 0" \
	"a message that never arrives does not hold the others for ever"

believed
arrive 340
air 1 >/dev/null
ip link del d0
ok "the device goes while a packet is on the air"
play "r nack 1" 2>/dev/null
modprobe -q sch_prio
ip link add d0 type dummy
ip link set d0 up
tc qdisc add dev d0 root handle 2: prio
if tc qdisc add dev d0 parent 2:1 handle 1: optsample recall on \
	2>"$scratch/err"; then
	false
else
	grep -q "only the root of a device can recall" "$scratch/err"
fi
ok "below another qdisc it is refused: $(head -n 1 "$scratch/err")"
ip link del d0
! dmesg | grep -E "WARNING|BUG:|Oops"
ok "nothing in the kernel log"
done_testing
