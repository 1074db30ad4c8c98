#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The classifier that the qdisc runs itself: set, shown, changed and removed by
# tc; its tags are those of a filter; it may drop packets; nothing is left of
# it.

. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
need_modules
modprobe cls_bpf

change() { tc qdisc change dev d0 root optsample "$@"; }
shown() { tc qdisc show dev d0 | grep -o 'prog id [0-9]*'; }
programs() { bpftool prog show | grep -c sched_cls; }
# error COMMAND...: status and what it prints
error()
{
	"$@" 2>&1
	echo "status $?"
}

device limit 20
is "$(programs)" 0 "no program at first"
change prog "$ros_tag"
ok "prog FILE"
[[ $(shown) =~ ^prog\ id\ [0-9]+$ ]]
ok "show tells the program"
is "$(tc -j qdisc show dev d0 | jq -r '.[].options.prog')" ros_tag \
	"JSON tells its name"
[ -e /sys/fs/bpf/tc/globals/writers ]
ok "its maps are pinned where tc pins those of filters"
first=$(shown)
# shellcheck disable=SC2086 # arguments
change $first
is "$(shown)" "$first" "what show prints is valid as arguments"
change limit 30
is "$(shown)" "$first" "other changes keep it"
bpftool prog pin ${first#prog } /sys/fs/bpf/again && change noprog
is "$(shown)" "" "noprog"
change prog pinned /sys/fs/bpf/again
is "$(shown)" "$first" "prog pinned PATH"
rm /sys/fs/bpf/again
change prog "$top/build/bpf/shot.bpf.o"
[ "$(shown)" != "$first" ]
ok "another program takes its place"
is "$(programs)" 1 "the former one is gone"

# One line for each error; nothing changes
before=$(tc qdisc show dev d0)
is "$(error change prog)" \
	"optsample: prog needs a FILE, pinned PATH or id NUMBER
status 1" "prog without a value"
is "$(error change prog /none.o)" \
	"optsample: prog: cannot read /none.o: No such file or directory
status 1" "a file that does not exist"
error change prog "$top/build/bin/optsample-sim" >"$scratch/error"
is "$(sed 's/: [^:]*$//' "$scratch/error" | head -n 1 | cut -c 1-29)" \
	"optsample: prog: cannot read " "a file that is no object"
is "$(wc -l <"$scratch/error")" 2 "one line"
is "$(error change prog id x)" \
	"optsample: prog: id must be a number, as in 'bpftool prog'
status 1" "an id that is none"
is "$(error change prog id 4000000000)" \
	"optsample: prog: no program of id 4000000000: No such file or directory
status 1" "an id without a program"
is "$(error change prog pinned /sys/fs/bpf/none)" \
	"optsample: prog: cannot open /sys/fs/bpf/none: No such file or directory
status 1" "a path where nothing is pinned"
bpftool prog load "$top/build/bpf/shot.bpf.o" /sys/fs/bpf/other \
	type socket
is "$(error change prog pinned /sys/fs/bpf/other)" \
	"Error: optsample: prog must be a BPF program of type sched_cls.
status 2" "a program of another type"
rm /sys/fs/bpf/other
is "$(tc qdisc show dev d0)" "$before" "an error changes nothing"
ip link del d0
is "$(programs)" 0 "it goes with the qdisc"

# counters of the classes after packets of three writers, in the qdisc's own
# words; the gate is closed
classes()
{
	local w

	for w in 1 2 3; do
		rtps-gen send 10.9.0.2 7411 $w $((4 * w)) $w 1000
	done
	tc -s class show dev v0 | grep -E 'flow 0x|messages|packets'
}

# program: the classifier without state, as classify() makes it a filter
program()
{
	local w

	clear-maps /sys/fs/bpf/tc/globals &&
		tc qdisc change dev v0 root optsample prog pinned $classifier
	for w in 1 2 3; do
		name_writer /sys/fs/bpf/tc/globals/writers $w
	done
}

# The tags are those of a filter.
fresh_link
link_up
tc qdisc add dev v0 root handle 1: optsample gate closed
classify v0
by_filter=$(classes)
tc qdisc replace dev v0 root handle 2: optsample gate closed
program
by_prog=$(classes)
grep -q "messages in 12 " <<<"$by_filter"
ok "a filter tags three writers"
is "$(sed 's/1:/2:/' <<<"$by_filter")" "$by_prog" "the qdisc's program does the same"

# Both: the filter comes last and has the last word.
dropped() { stat drops v0; }
tc qdisc replace dev v0 root handle 3: optsample
program
tc filter add dev v0 parent 3: bpf da obj "$top/build/bpf/shot.bpf.o" sec tc
n_op rtps-gen recv 10.9.0.2 7411 2 8 >"$scratch/got" &
receiver=$!
wait_for 20 eval 'n_op ss -uln | grep -q :7411'
rtps-gen send 10.9.0.2 7411 1 4 2 1000
wait $receiver
is "$(wc -l <"$scratch/got")" 4 "a program and a filter: both run"
[ "$(stat msgs_out v0)" = 4 ]
ok "the tags of the program count" || tc -s qdisc show dev v0

# What a program drops is dropped, and counted as by a filter.
tc qdisc replace dev v0 root handle 4: optsample \
	prog "$top/build/bpf/shot.bpf.o"
before=$(dropped)
ping -q -c 3 -W 1 -m 1 10.9.0.2 >/dev/null
is "$(($(dropped) - before))" 3 "TC_ACT_SHOT drops and counts"
before=$(dropped)
ping -q -c 3 -W 1 -m 2 10.9.0.2 >/dev/null
is "$? $(($(dropped) - before))" "1 0" "TC_ACT_STOLEN takes the packets"
ping -q -c 3 -W 1 10.9.0.2 >/dev/null
ok "others pass"

# bpf_redirect() needs a context from 6.11 on.
verdicts()
{
	local before

	before=$(dropped)
	ping -q -c 3 -W 1 -m 1 10.9.0.2 >/dev/null
	is "$? $(($(dropped) - before))" "1 3" \
		"$1: TC_ACT_REDIRECT, which nothing follows, drops"
	ping -q -c 3 -W 1 -m 2 10.9.0.2 >/dev/null
	ok "$1: TC_ACT_QUEUED passes"
}
tc qdisc replace dev v0 root handle 5: optsample \
	prog "$top/build/bpf/verdict.bpf.o"
verdicts program
tc qdisc replace dev v0 root handle 6: optsample
tc filter add dev v0 parent 6: bpf da obj "$top/build/bpf/verdict.bpf.o" sec tc
verdicts filter
tc qdisc replace dev v0 root handle 7: optsample

# While packets flow, the program comes and goes.
ping -q -f -c 2000 10.9.0.2 >"$scratch/ping" 2>&1 &
flood=$!
rm /sys/fs/bpf/tc/globals/*
tc qdisc change dev v0 root optsample prog "$ros_tag"
for i in {1..20}; do
	tc qdisc change dev v0 root optsample noprog
	tc qdisc change dev v0 root optsample prog pinned $classifier
done
tc qdisc change dev v0 root optsample noprog
rm $classifier
wait $flood
grep -q " 0% packet loss" "$scratch/ping"
ok "changed under load: no packet is lost" || cat "$scratch/ping"
ip link del v0
is "$(programs)" 0 "nothing is left"
done_testing
