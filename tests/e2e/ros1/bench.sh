#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# bench.sh - cost of the library without a stall
#
# Instructions of the whole publisher for each message, by callgrind: the
# difference of two runs, one with 4000 messages more, to a subscriber that
# keeps up. Prints CASE INSTRUCTIONS RATIO, the ratio to native roscpp.
#
#	native	without the library
#	other	a topic without a rule
#	alone	sampled; gap: by that policy
#	sync	two topics with the same stamps

. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

# instructions LIBRARY RULES MESSAGES: of a publisher of two topics
instructions()
{
	at "$rig" op "$bin/ros1-sub" image:/a image:/b >/dev/null 2>&1 &
	LD_PRELOAD=$1 OPTSAMPLE_TOPICS=$2 at "$rig" robot \
		valgrind --tool=callgrind --callgrind-out-file="$scratch/out" \
		"$bin/ros1-pub" -t 1 -r 200 -n "$3" image:/a:1000 \
		image:/b:1000 >/dev/null 2>"$scratch/err" || return
	kill $(ip netns pids "$rig-op")
	wait $!
	awk '/^(summary|totals)/ { print $2; exit }' "$scratch/out"
}

rig bench && master "$rig" || exit
native=
while read -r name library rules; do
	few=$(instructions "$library" "$rules" 500) &&
		many=$(instructions "$library" "$rules" 2500) || {
		cat "$scratch/err" >&2
		exit 1
	}
	each=$(((many - few) / 4000))
	native=${native:-$each}
	awk -v name="$name" -v each=$each -v native=$native \
		'BEGIN { printf "%-8s %8d %6.3f\n", name, each, each / native }'
done <<END
native /dev/null *
other $shim /other
alone $shim *
gap $shim *:policy=gap
sync $shim *:sync=x
END
