#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# figures-cell.sh METHOD LOSS - one method at one loss, as a line of CSV
#
# Image methods (md, split, jpeg, fec, cyclone, fastdds) print
# METHOD,LOSS,sent,shown,age_ms,age95_ms,gap_s,psnr,psnr_held,psnr_nothing,parts
# and cloud methods (range, block, cloud80, raw)
# METHOD,LOSS,clouds,points,parts.
#
# Each begins without loss: peers find each other, senders learn the rate
# (WARM s). Then the link gets its loss, and SETTLE s later MEASURE seconds
# count. Input is in $DATA (see tools/bench/figures), programs are in $BIN.

set -u

method=$1 loss=$2
# 7 Mbit/s are not reached as soon as 4
warm=8
[ "$method" != cloud80 ] || warm=25
: "${WARM=$warm}" "${SETTLE=5}" "${MEASURE=20}" "${HZ=10}" "${BYTES=46336}"
. "$(dirname -- "${BASH_SOURCE[0]}")/figures-links.sh"
name=figures-$method-$loss
dir=$(mktemp -d "${TMPDIR:-/tmp}/figures.XXXXXX") || exit 1
pids=()

cleanup()
{
	[ ${#pids[@]} = 0 ] || kill "${pids[@]}" 2>/dev/null
	wait
	link_down "$name"
	rm -rf "$dir"
}
trap cleanup EXIT

in_a() { exec ip netns exec "$name-a" "$@"; }
in_b() { exec ip netns exec "$name-b" "$@"; }

now() { echo "${EPOCHREALTIME/./}000"; }

# stamped FILE: "NUMBER NS" of lines "TOPIC NUMBER CRC"
stamped()
{
	local number

	while read -r _ number _; do
		echo "$number ${EPOCHREALTIME/./}000"
	done >"$1"
}

# DDS between the camera and our sender stays on the robot
loopback='<CycloneDDS><Domain><General><Interfaces><NetworkInterface name="lo"
multicast="true"/></Interfaces><MaxMessageSize>65000B</MaxMessageSize>
<FragmentSize>60000B</FragmentSize></General></Domain></CycloneDDS>'

# ours TOPIC SOURCE...: the daemons, nearest for what is split
ours()
{
	local nearest=

	[ "$method" != split ] || nearest=--nearest
	in_b "$BIN/optsample-recv" --watch $nearest --socket "$dir/r" \
		"$dir/out.db3" >"$dir/recv.log" 2>&1 &
	pids+=($!)
	CYCLONEDDS_URI=$loopback in_a "$BIN/optsample-send" --to 10.63.0.2 \
		--rate 40mbit --name robot --socket "$dir/s" --topic "$@" \
		>"$dir/send.log" 2>&1 &
	pids+=($!)
}

camera()
{
	CYCLONEDDS_URI=$loopback in_a "$BIN/image-pub" --size "$SIZE" \
		--rate "$HZ" "$DATA/long.gray" >"$dir/pub.csv" 2>"$dir/pub.log" &
	pids+=($!)
}

# peers KIND: its DDS, reliable, KEEP_LAST 10
peers()
{
	local kind=$1

	shift
	mkfifo "$dir/pub" "$dir/sub"
	stamped "$dir/sent" <"$dir/pub" &
	stamped "$dir/shown" <"$dir/sub" &
	in_b "$BIN/$kind-sub" -k 10 -n 100000 "image:/camera" \
		>"$dir/sub" 2>"$dir/sub.log" &
	pids+=($!)
	in_a "$BIN/$kind-pub" -k 10 -n 100000 -r "$HZ" "$@" \
		>"$dir/pub" 2>"$dir/pub.log" &
	pids+=($!)
}

# blob FOLDER PARITY
blob()
{
	"$BIN/figures-blob" "$name-a" "$name-b" 10.63.0.2 "$2" "$HZ" \
		"$DATA/$1"/*.jpg >"$dir/blob.log" &
	pids+=($!)
}

begin()
{
	case $method in
	md|split)	ours "/camera/image codec=$method bytes=$BYTES" ros2
			camera ;;
	jpeg)		blob jpeg 0 ;;
	fec)		blob fec "$PARITY" ;;
	cyclone)	peers dds "image:/camera:$PICTURES" ;;
	fastdds)	peers fastdds "image:/camera:$PICTURES" ;;
	range)		ours "/points codec=range bytes=200k" --hz "$HZ" \
				--loop "$DATA/packets.bin" ;;
	block|cloud80)	ours "/points codec=$method bytes=200k leaf=0.1" \
				--hz "$HZ" --loop "$DATA/five.pcd" ;;
	raw)		peers dds "image:/camera:$DATA/five.raw" ;;
	*)		echo "figures-cell.sh: $method: unknown" >&2; exit 2 ;;
	esac
}

# The daemon's own count of the datagrams of a frame, once a second
parts()
{
	tail -n "$((2 * MEASURE))" "$dir/recv.log" 2>/dev/null |
		awk '$1 ~ /^\// { s += $5; n++ }
		     END { if (n) printf "%.1f", s / n }'
}

# score: when everything has ended
score()
{
	local decoded=

	case $method in
	md|split)
		awk -F, '{ print $1 - 1, $2 }' "$dir/pub.csv" >"$dir/sent"
		set -- "$dir/out.db3" ;;
	jpeg|fec)
		awk '$1 == "sent" { print $2 - 1, $3 }' "$dir/blob.log" \
			>"$dir/sent"
		awk '$1 == "shown" { print $2 - 1, $3 }' "$dir/blob.log" \
			>"$dir/shown"
		set -- "$dir/shown" "$DATA/$method/shown.gray" ;;
	cyclone|fastdds)
		set -- "$dir/shown" "$DATA/jpeg/shown.gray" ;;
	raw)
		awk -v b="$from" -v e="$to" -v p="$POINTS" '
			$2 >= b && $2 < e { n++ }
			END { print n + 0 "," (n ? p : 0) }' "$dir/shown"
		return ;;
	*)
		"$BIN/figures-score" cloud "$from" "$to" "$dir/out.db3"
		return ;;
	esac
	"$BIN/figures-score" image "$SIZE" "$DATA/frames.gray" "$dir/sent" \
		"$from" "$to" "$@"
}

link_up "$name" && link_set "$name" 0 2 || exit 1
begin
sleep "$WARM"
link_set "$name" "$loss" 2 || exit 1
sleep "$SETTLE"
from=$(now)
sleep "$MEASURE"
to=$(now)
received=$(parts)
sleep 3
kill "${pids[@]}" 2>/dev/null
wait
pids=()
result=$(score) || {
	tail -n 3 "$dir"/*.log >&2
	exit 1
}
echo "$method,$loss,$result,$received"
[ -z "${KEEP-}" ] || cp -r "$dir" "$KEEP/$method-$loss"
