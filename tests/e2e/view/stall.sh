#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# stall.sh - a client of optsample-view whose link of 5 Mbit/s stalls for 5 s
#
# Three topics of images (7.2 Mbit/s together) and one of states, 10 Hz each.
# The same with bridge-in-order, a bridge of the tests that sends all in order.
# Runs in a guest: its time does not depend on the machine.
set -u
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
top=${here%/tests/*}
bin=${BIN:-$top/build/bin}
. "$top/tests/lib/tap.sh"
. "$top/tests/lib/wait.sh"
. "$top/tests/lib/space.sh"
a=stall-a b=stall-b
trap 'delete_spaces $a $b; rm -rf -- "$scratch"' EXIT
[ "$(id -u)" = 0 ] || skip_all 'needs root'
token=0123456789abcdef0123
recording=$scratch/a.mcap
(umask 077; echo $token >"$scratch/tokens")
"$bin/view-bag" "$recording" 16 3 30000 || exit 1

# rate RATE: of the link towards the client
rate() { tc -n $a qdisc replace dev e0 root tbf rate "$1" burst 4k limit 200k; }

# watch NAME SECONDS COMMAND...: the server COMMAND; what the client gets in
# NAME, and the link's queue in NAME.queue
watch()
{
	local name=$1 seconds=$2 server kick

	shift 2
	ip netns add $a
	ip netns add $b
	ip -n $a link add e0 type veth peer name e0 netns $b
	ip -n $a addr add 10.9.0.1/24 dev e0
	ip -n $b addr add 10.9.0.2/24 dev e0
	ip -n $a link set e0 up
	ip -n $b link set e0 up
	rate 5mbit
	ip netns exec $a "$@" >"$scratch/$name.log" 2>&1 &
	server=$!
	wait_for 60 eval "ip netns exec $a ss -Hltn | grep -q :8765"
	# tbf looks at its new rate when a packet comes
	ip netns exec $b ping -q -i 0.1 10.9.0.1 >"$scratch/ping" &
	kick=$!
	# At 25 byte/s not even a state gets through during the stall
	{ pause 3; rate 200bit; pause 5; rate 5mbit; } &
	for ((i = 0; i < 2 * seconds; i++)); do
		tc -n $a -s qdisc show dev e0
		pause 0.5
	done >"$scratch/$name.queue" &
	ip netns exec $b "$bin/foxglove-watch" 10.9.0.1 8765 "$seconds" \
		--path "/?token=$token" >"$scratch/$name"
	kill $server $kick
	wait
	delete_spaces $a $b
} 2>/dev/null

# The stall is where no state came for longest; then: the first and the last
# message before it, and when it ended
measure()
{
	awk -v name="$1" '
	$2 !~ /^\// { next }
	$2 == "/state" {
		if (n++ && $1 - last > gap) { gap = $1 - last; begin = last; end = $1 }
		last = $1; seen[$3]++; if ($3 > top) top = $3
		if (!first) first = $3 + 1
	}
	{ t[++m] = $1; topic[m] = $2; age[m] = $4; count[m] = $3 }
	END {
		for (i = first - 1; i <= top; i++) missing += !seen[i]
		for (i = 1; i <= m; i++) {
			late = t[i] > end + 500
			if (topic[i] ~ /^\/image.$/) {
				if (late && age[i] > oldest) oldest = age[i]
				if (t[i] < begin && age[i] > before) before = age[i]
			}
			if (topic[i] ~ /kept$/) {
				kept[topic[i]]++
				if (t[i] - end > took) took = t[i] - end
				if (topic[i] in k && count[i] - k[topic[i]] > hole)
					hole = count[i] - k[topic[i]]
				k[topic[i]] = count[i]
			}
			if (topic[i] == "/state" && t[i] > end + 500 && age[i] > queued)
				queued = age[i]
			if (topic[i] == "/state" && t[i] < begin && age[i] > queued)
				queued = age[i]
		}
		least = 1e9
		for (i = 0; i < 3; i++)
			if (kept["/image" i "/kept"] + 0 < least)
				least = kept["/image" i "/kept"] + 0
		print gap, missing + 0, top - first + 2, oldest + 0, before + 0, least,
		      took + 0, hole / 10, queued + 0
	}' "$scratch/$1"
}

watch view 14 "$bin/optsample-view" --http none --foxglove 10.9.0.1:8765 \
	--token-file "$scratch/tokens" "$recording"
read -r gap missing states oldest before kept took hole queued < <(measure view)
echo "# optsample-view: $states states, $missing missing; images at most" \
	"$oldest ms old after the stall, $before ms before it; $kept or more" \
	"kept of each topic within $took ms, at most $hole s apart; states" \
	"queued for at most $queued ms"
[ "$gap" -ge 4000 ] && [ "$gap" -le 6000 ]
ok "the link stalls for 5 s ($gap ms)"
[ "$states" -ge 130 ] && [ "$missing" = 0 ]
ok "all of $states states arrive ($missing missing)"
[ "$oldest" -gt 0 ] && [ "$oldest" -le 1000 ]
ok "images are at most 1 s old from 0.5 s after the stall ($oldest ms)"
[ "$kept" -ge 6 ] && [ "$took" -le 5000 ]
ok "of each topic 6 or more kept images arrive within 5 s ($kept, $took ms)"
awk -v h="$hole" 'BEGIN { exit !(h > 0 && h <= 1.5) }'
ok "evenly spread over the stall, at most 1.5 s apart ($hole s)"
most=$(awk '$1 == "backlog" {
	b = $2 + 0
	if ($2 ~ /K/) b *= 1024
	if (b > most) most = b
} END { print most + 0 }' "$scratch/view.queue")
[ "$queued" -le 1000 ] && [ "$most" -gt 1000 ] && [ "$most" -le 625000 ]
ok "no queue of more than 1 s: states wait $queued ms, the link has $most bytes"

watch order 12 "$bin/bridge-in-order" 8765 "$recording"
read -r gap missing states oldest before kept took hole queued < <(measure order)
echo "# bridge-in-order: images at most $oldest ms old after the stall," \
	"$before ms before it, states queued for at most $queued ms"
[ "$oldest" -gt 5000 ] && [ "$queued" -gt 5000 ]
ok "a bridge that sends all in order is 5 s and more behind ($oldest ms)"
done_testing
