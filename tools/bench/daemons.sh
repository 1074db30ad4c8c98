#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# tools/bench/daemons.sh - what optsample-send and -recv take of a core
#
# A recording with 50 thermal images of 640x480 and 16 bit a second, another
# with 10 revolutions of a VLP-16, over veth between two network namespaces:
# as it is without options (within a limit of the processor), and without that
# at several rates. 10 seconds each after 10. Reading the recording, which is
# compressed, is a fifth of what the sender takes. Needs root.

set -u
top=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd -P)
bin=$top/build/bin
data=$top/../shared/data
work=$(mktemp -d)
a=bench-a-$$ b=bench-b-$$

cleanup()
{
	ip netns pids $a | xargs -r kill
	ip netns pids $b | xargs -r kill
	ip netns del $a
	ip netns del $b
	wait
	rm -rf -- "$work"
} 2>/dev/null
trap cleanup EXIT

die()
{
	echo "bench: $*" >&2
	exit 1
}

image=$data/images/thermal_sc660_640x480_16.png
cloud=$data/clouds/vlp16_recording_1000x1206.bin
if ! [ -e "$image" ] || ! [ -e "$cloud" ]; then
	python3 "$top/tests/e2e/lab/make.py" "$work" || die "no files"
	image=$work/deep.png cloud=$work/packets.bin
fi
"$bin/io-copy" -r 50 -l -n 100 "$image" "$work/image.mcap" >/dev/null 2>&1 &&
	"$bin/io-copy" -r 10 -l -n 50 "$cloud" "$work/cloud.mcap" >/dev/null 2>&1 ||
	die "no recordings"

ip netns add $a && ip netns add $b &&
	ip link add eth0 netns $a type veth peer name eth0 netns $b &&
	ip -n $a addr add 10.9.0.1/24 dev eth0 && ip -n $a link set eth0 up &&
	ip -n $b addr add 10.9.0.2/24 dev eth0 && ip -n $b link set eth0 up ||
	die "no veth"

# ticks PID: user and system time, in hundredths of a second
ticks()
{
	awk '{ print $14 + $15 }' "/proc/$1/stat"
}

# measure NAME OPTION...: of optsample-send
measure()
{
	local name=$1 r s r0 r1 s0 s1

	shift
	(exec ip netns exec $b "$bin/optsample-recv" --socket "$work/r" --watch \
		>/dev/null 2>&1) & r=$!
	(exec ip netns exec $a "$bin/optsample-send" --to 10.9.0.2 --loop \
		--socket "$work/s" "$@" "$work/image.mcap" "$work/cloud.mcap" \
		>/dev/null 2>&1) & s=$!
	sleep 10
	s0=$(ticks $s) r0=$(ticks $r)
	sleep 10
	s1=$(ticks $s) r1=$(ticks $r)
	"$bin/optsample" recv --socket "$work/r" --json status | jq -r \
		--arg name "$name" --argjson s $((s1 - s0)) \
		--argjson r $((r1 - r0)) '.senders[0].topics[] |
		select(.topic == "/image") | [$name, $s / 10, $r / 10,
		($s + $r) / 10, .rate, .bits_per_second / 8000 / .rate] | @tsv' |
		awk '{ printf "%-10s %7.1f%% %7.1f%% %7.1f%%   %.1f, %.1f\n",
			$1, $2, $3, $4, $5, $6 }'
	kill $s $r
	wait $s $r
}

printf '%-10s %8s %8s %8s   %s\n' rate send recv both 'of a core; images/s, kB each'
measure cpu15 --cpu 15
for rate in 2mbit 4mbit 8mbit 16mbit; do
	measure $rate --rate $rate --cpu 100
done
