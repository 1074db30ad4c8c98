#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Cost of a packet, enqueue plus dequeue, in optsample and other qdiscs: one
# line for each case, for tools/bench/bench, which makes the table.
#
#   case STATE FLOWS PACKETS NAME: enqueue E dequeue D free F in I out O \
#	dropped N clock C
#
# in tenths of a nanosecond a packet; with tools/machines/vm --icount a
# nanosecond is an instruction, in tools/machines/uml it is a nanosecond. STATE:
# empty (each packet leaves at once), half (500 wait), full (nothing leaves,
# every arrival is one too many), way (all that happens from the stack to the
# driver, with filters and redirects; the names are those of `ways`). PACKETS: per message. C: cost of reading the
# clock, which is subtracted.
#
#   memory message BYTES     memory of a queued message besides its packets
#   memory flow BYTES        memory of an idle flow
#
# Every queue has the same capacity; otherwise all have their defaults.
# BENCH_COUNT: packets for each case, after those that fill the queue.
# BENCH_STATES, BENCH_FLOWS, BENCH_PACKETS, BENCH_NAMES: only these.
# BENCH_ROUNDS: repetitions of all cases, for noisy results; each time
# BENCH_REPEAT repetitions of a case, of which the fastest counts. Then an empty
# queue is measured in batches: enqueue has the whole cost.

. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
need_modules

room=500			# packets in a full queue
count=${BENCH_COUNT:-4000}
rounds=${BENCH_ROUNDS:-1}
repeat=${BENCH_REPEAT:-1}
skb=2304			# truesize of the driver's packets
names=${BENCH_NAMES:-pfifo sfq fq fq_codel cake tagged deployed classified \
	filtered classified+deployed ordinary gap memory}
object=$top/build/bpf/ros_tag.bpf.o
# fq_codel: on d0 itself; ifb, link: redirected to a device of that type that has
# the queue; up-ifb, up-link: with all that optsample up sets for Wi-Fi
ways=${BENCH_WAYS-fq_codel ifb link up-ifb up-link}

# what the VM needs to measure them: modules of the kernel, if they are
for mod in sch_sfq sch_fq sch_fq_codel sch_cake cls_bpf dummy ifb cls_matchall \
	act_mirred act_gact sch_ingress; do
	modprobe $mod 2>/dev/null || :
done

# options NAME STATE FLOWS PACKETS: the qdisc with room for $room packets
options()
{
	local messages=$((room / ($3 * $4))) limit=$((2 * room)) mem=$((1 << 30))

	[ $messages -gt 0 ] || messages=1
	if [ "$2" = full ]; then
		limit=$room
	else
		messages=$limit
	fi
	case $1 in
	pfifo)		echo pfifo limit $limit ;;
	sfq)		echo sfq limit $limit depth $limit flows 1024 ;;
	fq)		echo fq limit $limit flow_limit $limit ;;
	fq_codel)	echo fq_codel limit $limit ;;
	cake)		echo cake memlimit $((limit * skb)) ;;
	ordinary)	echo optsample memlimit $mem ordinary $limit ;;
	tagged|classified|filtered)
			echo optsample memlimit $mem limit $messages ;;
	gap)		echo optsample memlimit $mem limit $messages policy gap ;;
	*deployed)	echo optsample memlimit $mem limit $messages \
				watch d1 settle 0 inflight 10000 ;;
	memory)		echo optsample limit 65535 \
				memlimit $((limit * skb * 4 / 3)) ;;
	esac
}

# fill NAME STATE FLOWS PACKETS: number of packets that wait before measuring
fill()
{
	case $2:$1 in
	empty:*)	echo 0 ;;
	half:*)		echo $((room)) ;;
	full:tagged|full:*deployed|full:classified|full:filtered|full:gap)
		# every flow must have complete messages
		local all=$(($3 * $4 * (room / ($3 * $4))))

		[ $all -gt 0 ] || all=$(($3 * $4))
		echo $all ;;
	full:*)		echo $((room + 200)) ;;
	esac
}

# classifier NAME: on d0, all of the driver's writers opted in
classifier()
{
	if [ "$1" = filtered ]; then
		tc filter add dev d0 parent 1: bpf da obj "$object" sec tc
	else
		tc qdisc change dev d0 root optsample prog "$object"
	fi && writers
}

# writers: the classifier knows all of the driver's
writers()
{
	[ ! -e "$scratch/writers" ] || return 0
	seq 1 1000 | awk '{
		printf "map update pinned /sys/fs/bpf/tc/globals/writers key" \
		       " hex"
		for (i = 0; i < 12; i++)
			printf " 11"
		printf " %02x %02x %02x 03 value hex", int($1 / 65536),
		       int($1 / 256) % 256, $1 % 256
		printf " %02x %02x 00 00", $1 % 256, int($1 / 256)
		for (i = 0; i < 12; i++)
			printf " 00"
		print ""
	}' >"$scratch/writers"
	bpftool batch file "$scratch/writers" >/dev/null
}

# measure NAME STATE FLOWS PACKETS
measure()
{
	local mode=plain i line lines

	case $1 in
	tagged|deployed|gap|memory)	mode=tagged ;;
	classified*|filtered)		mode=filter ;;
	esac
	tc qdisc del dev d0 root 2>/dev/null
	tc qdisc add dev d0 root handle 1: $(options "$@") || return 1
	[ $mode != filter ] || classifier "$1" || return 1
	case $2:${BENCH_ROUNDS+rounds} in
	full:*)		mode=$mode-full ;;
	empty:rounds)	mode=$mode-pair ;;
	esac
	line="bench $mode $3 $4 $(fill "$@") $count"
	lines="dev d0"
	for ((i = 0; i < repeat; i++)); do
		lines+=$'\n'$line
	done
	# drive(), with fewer processes: they are slow in User-Mode Linux
	echo "$lines" >$X/cmd && quickest "$(<$X/out)" || return 1
	echo "case $2 $3 $4 $1:$best"
}

# constant OBJECT VALUE COPY: with the number VALUE as its only constant
constant()
{
	local at

	at=$(readelf -SW "$1" | awk '{ sub(/^ *\[ *[0-9]+\]/, "") }
		$1 == ".rodata" { print $4 }') && [ -n "$at" ] || return 1
	cp "$1" "$3" && printf "\\x$(printf %02x "$2")\\0\\0\\0" |
		dd of="$3" bs=1 seek=$((0x$at)) conv=notrunc status=none
}

# redirect TYPE: what leaves d0 to a new q0
redirect()
{
	if [ $1 = link ]; then
		ip link add q0 link d0 type optsample
	else
		ip link add q0 type ifb
	fi &&
	echo 1 >/proc/sys/net/ipv6/conf/q0/disable_ipv6 &&
	ip link set q0 up &&
	tc qdisc add dev d0 clsact || return 1
	if [ $1 = link ]; then
		constant "$top/build/bpf/redirect.bpf.o" \
			"$(</sys/class/net/q0/ifindex)" "$scratch/redirect.o" &&
		tc filter add dev d0 egress pref 2 bpf da \
			obj "$scratch/redirect.o" sec tc
	else
		tc filter add dev d0 egress pref 1 protocol 0x888e \
			matchall action pass &&
		tc filter add dev d0 egress pref 2 matchall \
			action mirred egress redirect dev q0
	fi
}

# way NAME FLOWS
way()
{
	local i mode=tagged lines options="optsample limit 1000 memlimit 1gb"

	tc qdisc del dev d0 root 2>/dev/null
	case $1 in
	fq_codel)
		tc qdisc add dev d0 root fq_codel ;;
	up-*)
		mode=filter
		redirect ${1#up-} && tc qdisc add dev q0 root handle 1: \
			$options watch d0 settle 0 inflight 32 prog "$object" &&
		writers ;;
	*)
		redirect $1 && tc qdisc add dev q0 root handle 1: $options ;;
	esac || return 1
	lines="dev d0"
	for ((i = 0; i < repeat; i++)); do
		lines+=$'\n'"way $mode $2 $count"
	done
	echo "$lines" >$X/cmd && quickest "$(<$X/out)" || return 1
	echo "case way $2 1 $1:$best"
	ip link del q0 2>/dev/null
	tc qdisc del dev d0 clsact 2>/dev/null
	return 0
}

# quickest LINES: of the driver's, in $best
quickest()
{
	local line f least=

	best=
	while read -r line; do
		read -r -a f <<<"$line"
		[ "${f[0]-}" = bench ] || return 1
		[ -z "$least" ] || [ $((f[9] + f[11])) -lt $least ] || continue
		least=$((f[9] + f[11]))
		best=${line#*:}
	done <<<"$1"
}

# slab: "NAME OBJECTS SIZE" of the caches that flows may be in
slab()
{
	awk '/^kmalloc-(rnd-[0-9]*-)?[0-9]/ { print $1, $2, $4 }' \
		/proc/slabinfo | sort
}

# idle FROM TO: create these flows, which then hold nothing
idle()
{
	local i

	for i in $(seq $1 $2); do
		echo "x $i 1 1 3 100"
		echo q
	done | drive >/dev/null
}

# The qdisc's own count minus the packets; then the size of the objects that
# 1000 idle flows need.
memory()
{
	tc qdisc del dev d0 root 2>/dev/null
	tc qdisc add dev d0 root optsample limit 1000 memlimit 1gb || return 1
	{ echo "dev d0"
	  for i in $(seq 1000); do echo "x 1 $i $i 3 1300"; done; } |
		drive >/dev/null || return 1
	echo "memory message $((($(stat memory) - 1000 * skb) / 1000))"
	tc qdisc del dev d0 root
	tc qdisc add dev d0 root optsample flows 2000 || return 1
	# the first thousand uses up free objects of the slabs
	idle 1 1000 && slab >"$scratch/before" && idle 1001 2000 || return 1
	slab | join "$scratch/before" - | awk '$4 - $2 > 900 { sum += $5 }
		END { print "memory flow", sum }'
}

# round: every case once
round()
{
	for state in ${BENCH_STATES:-empty half full}; do
		for flows in ${BENCH_FLOWS:-1 16 1000}; do
			for packets in ${BENCH_PACKETS:-1 57}; do
				row $state $flows $packets
			done
		done
	done
}

# row STATE FLOWS PACKETS
row()
{
	local name i

	for name in $names; do
		[ $name != memory ] || [ $1 = full ] || continue
		for ((i = $(draws $name); i > 0; i--)); do
			measure $name "$@" || {
				echo "failed $* $name"
				failed=1
			}
		done
	done
}

# draws NAME: number of qdiscs, of which the table has the median. fq_codel
# hashes with a random number: if two flows share a queue it looks cheaper.
draws()
{
	case $1 in
	fq_codel|ordinary)	echo 3 ;;
	*)			echo 1 ;;
	esac
}

ip link add d0 type dummy && ip link add d1 type dummy || exit 1
echo 1 >/proc/sys/net/ipv6/conf/d0/disable_ipv6
echo 1 >/proc/sys/net/ipv6/conf/d1/disable_ipv6
ip link set d0 up
ip link set d1 up
cd /sys/devices/system/clocksource/clocksource0 || exit 1
echo "clock $(cat current_clocksource)"
for ((r = 0; r < rounds; r++)); do
	round
	for flows in ${BENCH_FLOWS:-1 16 1000}; do
		for name in $ways; do
			way $name $flows || {
				echo "failed way $flows $name"
				failed=1
			}
		done
	done
done
[ -n "${BENCH_NAMES-}" ] || memory || failed=1
ip link del d0
ip link del d1
rm -rf "$scratch"
exit $failed
