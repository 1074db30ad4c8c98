#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# transport-run.sh - inside the VM: optsample-send and -recv over virtual Wi-Fi
# that is cut for 8 s, with optsample and, for comparison, with pfifo
#
#   robot (initial network namespace)           operator (namespace "operator")
#   optsample-send --> [qdisc] --> wlan0  ~~~~~  wlan0 --> optsample-recv
#
# Prints TAP. Checks which frames arrived, in which order, and how they are
# spread, but not delays: an emulated processor is slow at times. With VM_OUT
# the logs are kept there.

set -- # no qdisc: wifi-run.sh only sets up two radios
MBIT=${MBIT:-24} LIMIT=${LIMIT:-20} RATE=${RATE:-600kbit}
keep=${VM_OUT-}
VM_OUT=${VM_OUT:-/run/transport}
. "$(dirname -- "${BASH_SOURCE[0]}")/wifi-run.sh"
. "$top/tests/lib/tap.sh"
. "$top/tests/lib/jq.sh"
[ -d /sys/module/sch_optsample ] || insmod "$SCH_KO" || exit 1
outage=${OUTAGE:-8}

python3 "$top/tests/e2e/lab/make.py" "$scratch" || exit 1

# ask send|recv WORDS...
ask()
{
	"$bin/optsample" "$1" --socket "$scratch/$1.socket" "${@:2}"
}

# is send|recv FILTER: jq prints true for its status
is()
{
	[ "$(ask "$1" --json status 2>/dev/null |
		jq "[$2] | length > 0 and all(. == true)" 2>/dev/null)" = true ]
}

topic()
{
	echo ".senders[].topics[] | select(.topic == \"$1\") | $2"
}

# frames TOPIC: number of its frames shown so far
frames()
{
	ask recv --json status |
		jq "[$(topic "$1" .frames)] | first // 0"
}

# more TOPIC N: N more than now arrive
more()
{
	local until=$(($(frames "$1") + $2))

	wait_for 90 is recv "$(topic "$1" ".frames >= $until")"
}

medium()
{
	"$bin/hwsim-medium" ctl "$1" >>"$log/events.json" ||
		die "$run: the medium does not answer"
}

kept()
{
	ask recv --json status | jq '[.senders[].topics[].frames_kept] | add'
}

# Held frames have been sent, and no more of them arrive
drained()
{
	local before

	before=$(kept)
	pause 2
	[[ $before =~ ^[0-9]+$ ]] && [ "$before" = "$(kept)" ]
}

# play: writes $log/order, a line "TOPIC STAMP" for each message in the order of
# publication, and the output of both daemons
play()
{
	local send recv

	nsenter --net=/run/netns/operator "$bin/optsample-recv" \
		--grace 250ms --socket "$scratch/recv.socket" "$log/out.mcap" \
		>"$log/recv.log" 2>&1 </dev/null &
	recv=$!
	"$bin/optsample-send" --name robot --to $operator_ip --loop --hz 10 \
		--topic "/image codec=md" --topic "/points virtual=no" \
		--socket "$scratch/send.socket" "$scratch/gray.png" \
		"$scratch/packets.bin" >"$log/send.log" 2>&1 </dev/null &
	send=$!
	pids+=("$send" "$recv")
	wait_for 90 is recv "$(topic /image '.frames >= 50')" &&
		wait_for 90 is recv "$(topic /points '.frames >= 20')" &&
		wait_for 90 is send '.link.state == "live"'
	ok "$run: images and clouds arrive"
	[ "$(frames /image)" -ge 50 ] || {
		cat "$log"/{send,recv}.log | sed 's/^/# /'
		die "$run: no start"
	}

	medium down
	# the radio still sends until it misses the access point
	wait_for 90 grep -q 0 /sys/class/net/wlan0/carrier
	date +%s%N >"$log/down"
	pause "$outage"
	[ "$run" != optsample ] || "$bin/optsample" show >"$log/show" 2>&1
	tc -s class show dev opt-wlan0 >"$log/class" 2>&1
	ask send --json status >"$log/send.out.json"
	ask recv --json status >"$log/recv.out.json"
	date +%s%N >"$log/up"
	medium up
	wait_for 90 is send '.link.outages >= 1 and .link.state == "live"'
	ok "$run: the sender has seen an outage, and that it is over"
	is send '.link.outages == 1'
	ok "$run: one"
	more /image 30 && wait_for 90 drained
	ok "$run: live images go on"
	ask send --json status >"$log/send.json"
	ask recv --json status >"$log/recv.json"
	end_or_kill $send
	end_or_kill $recv
	"$bin/io-copy" -x 10000 "$log/out.mcap" - 2>"$log/copy.log" |
		awk '{ print $1, $3 }' >"$log/order"
}

# spread TOPIC: statistics of what was published of it
#	N LIVE GAP FIRST LAST OVERTOOK TWICE
# N: kept frames, LIVE: frames after the outage; GAP: the largest between two
# kept frames, as a multiple of the mean; FIRST, LAST: their position in the
# outage, 0 .. 1; OVERTOOK: live frames published before the last kept one;
# TWICE: repeated stamps.
# The outage ends with the first live frame that was made after it.
spread()
{
	python3 - "$1" "$log" <<-'END'
	import sys
	topic, log = sys.argv[1:]
	down, up = (int(open(log + '/' + n).read()) for n in ('down', 'up'))
	order = [l.split() for l in open(log + '/order')]
	order = [(t, int(s)) for t, s in order]
	live = [s for t, s in order if t == topic and s >= up]
	kept = [s for t, s in order if t == topic + '/kept']
	all = [s for t, s in order if t in (topic, topic + '/kept')]
	end = min(live, default=up)
	held = sorted(s for s in set(all) if down <= s < end)
	gaps = [b - a for a, b in zip(held, held[1:])] or [0]
	mean = sum(gaps) / len(gaps) or 1
	last = max((i for i, (t, s) in enumerate(order)
	            if t == topic + '/kept'), default=-1)
	early = sum(t == topic and s >= end for t, s in order[:max(last, 0)])
	place = [(s - down) / (end - down) for s in held] or [2, -1]
	print(len(kept), len(live), '%.2f' % (max(gaps) / mean),
	      '%.3f' % place[0], '%.3f' % place[-1], early,
	      len(all) - len(set(all)), len(held),
	      sum(down <= s < end for t, s in order if t == topic))
	END
}

# holds CONDITION on the fields of spread()
holds()
{
	awk -v s="$result" "BEGIN { split(s, w)
		n = w[1]; live = w[2]; gap = w[3]; first = w[4]; last = w[5]
		overtook = w[6]; twice = w[7]; held = w[8]; late = w[9]
		exit !($1) }"
}

# Held frames take a while at this rate: live frames must not wait
up()
{
	[ "$1" = optsample ] || {
		qdisc_up "$1"
		return
	}
	"$bin/optsample" up wlan0 --limit "$LIMIT" --rate "$RATE" \
		--peer $operator_ip >"$log/up.log" 2>&1 ||
		die "$1 cannot be set up: $(tail -n 1 "$log/up.log")"
}

run_one()
{
	run=$1
	log=$VM_OUT/$run
	mkdir -p "$log" || die "cannot write to $log"
	link_up
	up "$run"
	play
	qdisc_down "$run"
	link_down
}

judge_kept()
{
	result=$(spread "$1")
	echo "# $run $1: kept live gap first last overtook twice held late:" \
		"$result"
	holds "held >= 10"
	ok "$1: a sample of the outage comes"
	# frames in flight at the start of the outage may arrive as live
	holds "late <= 2 && n >= held - 2"
	ok "$1: as what was kept"
	holds "gap <= 2.2"
	ok "$1: evenly spread"
	holds "first <= .2 && last >= .8"
	ok "$1: from its beginning to its end"
	# on a busy machine all clouds may arrive before the next live one
	holds "overtook >= 1" || [ "$1" = /points ]
	ok "$1: what is live does not wait behind it"
	holds "twice == 0 && live > 0"
	ok "$1: none is published twice"
}

mkdir -p "$VM_OUT"
run_one optsample
# what the qdisc held in the outage, and what it gave up
jq -e '.link | .sampling and .held >= 20 and .evicted + .discarded > 0 and
	.oldest > 1' \
	"$log/send.out.json" >/dev/null ||
	! jq -c .link "$log/send.out.json" | sed 's/^/# /'
ok "the status counts what the qdisc holds"
judge_kept /image
judge_kept /points
# not of earlier ones: frames in flight at the start of the outage are lost, and
# on a busy machine a few more
for t in /image /points; do
	jq -es "[.[] | [$(topic $t '.frames, .frames_whole')]] |
		(.[1][0] - .[0][0]) as \$frames |
		(.[1][1] - .[0][1]) as \$whole |
		\$frames >= 20 and \$frames - \$whole <= 4 + \$frames / 8" \
		"$log/recv.out.json" "$log/recv.json" >/dev/null
	ok "$t: what comes is whole"
done

compare_pfifo()
{
	run_one pfifo
	result=$(spread /image)
	echo "# $run /image: kept live gap first last overtook twice held late:" \
		"$result"
	holds "held < 10 || gap > 2.2 || first > .2 || last < .8 || overtook == 0"
	ok "a plain queue does not do that"
	holds "twice == 0 && live > 0"
	ok "but what is live goes on"
}
thorough compare_pfifo
[ -n "$keep" ] || rm -rf "$VM_OUT"
done_testing
