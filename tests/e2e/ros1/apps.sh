#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# apps.sh - the three applications of the publication over TCPROS
#
#	surveillance	one topic at 20/s, an outage of 4 s
#	reconstruction	colour and depth at 10/s, 5 s
#	slam		colour, depth and laser at 8/s, three times 5 s
#
# Queues of 20. Each runs twice, at the same time: native roscpp, and the same
# program with the library.
#
# The outage is a number of messages. The first ones, which fit in the socket's
# buffer, arrive in both cases.

. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
. "$top/tests/e2e/links/pictures.sh"
. "$top/tests/e2e/links/report.sh"

declare -A outages rate rules topics last

outages[surveillance]="-o 40:80" rate[surveillance]=20 last[surveillance]=180
outages[reconstruction]="-o 20:50" rate[reconstruction]=10
last[reconstruction]=100
outages[slam]="-o 16:40 -o 80:40 -o 144:40" rate[slam]=8 last[slam]=208

# play APP RIG LIBRARY: one run
play()
{
	local app=$1 rig=$2 dir=$scratch/$2

	master "$rig" || return
	at "$rig" op "$bin/ros1-sub" -n "${last[$app]}" ${topics[$app]} \
		>"$dir/sub" &
	LD_PRELOAD=$3 OPTSAMPLE_TOPICS=${rules[$app]} \
		OPTSAMPLE_ROS1_STATS=$dir/stats \
		at "$rig" robot "$bin/ros1-pub" -x "$here/link.sh" \
		-r "${rate[$app]}" -n "${last[$app]}" ${outages[$app]} \
		${topics[$app]} >"$dir/pub" || kill $(ip netns pids "$rig-op")
	wait $!
}

pictures 120000+122000+121000
topics[surveillance]="image:/camera/rgb:$rgb"
topics[reconstruction]="image:/camera/rgb:$rgb image:/camera/depth:$depth"
topics[slam]="${topics[reconstruction]} scan:/scan:2880"
rules[surveillance]="/camera/rgb"
rules[reconstruction]="/camera/*:sync=kinect"
rules[slam]="/camera/*:sync=slam,/scan:sync=slam"

plays=()
for app in surveillance reconstruction slam; do
	for side in native ours; do
		rig "$app-$side" ||
			skip_all "no namespaces or no token bucket here"
		library=
		[ $side = native ] || library=$shim
		play $app "$rig" "$library" 2>"$scratch/$rig/err" &
		plays+=($!)
	done
done
wait "${plays[@]}"

for app in surveillance reconstruction slam; do
	for side in native ours; do
		dir=$scratch/$app-$side-$$
		declare $side="$("$bin/app-report" -l 20 ${outages[$app]} \
			"$dir/pub" "$dir/sub")"
		echo "# $app $side: ${!side}"
		sed 's/^/# /' "$dir/err"
	done
	[ -n "$native" ] && [ -n "$ours" ] || {
		false
		ok "$app: runs to its end"
		continue
	}
	# one more may wait that cannot be dropped, as its partners were sent
	awk '$NF > 21 { exit 1 }' "$dir/stats"
	ok "$app: the queue never has more than it should"
	[ "$(value "$native" bad) $(value "$ours" bad)" = "0 0" ]
	ok "$app: everything arrived as published, and in order"
	holds "$(value "$ours" gap) * 3 <= $(value "$native" gap)"
	ok "$app: the longest gap is a third of the native one at most"
	holds "$(value "$ours" ratio) > 0.85 && \
		$(value "$ours" profit) > $(value "$native" profit)"
	ok "$app: profit is near the best possible, and above the native one"
	holds "$(value "$ours" mates) == 1"
	ok "$app: all that arrived of the outage has its partners"
done
done_testing
