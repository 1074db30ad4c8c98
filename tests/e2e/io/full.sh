#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# full.sh - sinks on a full disk: one line, and the written part is valid

. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

make_space || skip_all "no network namespaces here"
mkdir "$scratch/disk"
mount -t tmpfs -o size=2m tmpfs "$scratch/disk" || skip_all "no mounts here"
unmount()
{
	umount "$scratch/disk"
	cleanup
}
trap unmount EXIT

# Noise, which no format can compress
{
	printf 'P5 512 512 255\n'
	head -c 262144 /dev/urandom
} >"$scratch/noise.pgm"

dropped()
{
	awk '$1 == "dropped" { print $2 }' "$scratch/$1.err"
}

for to in a.mcap a.bag a.db3 files/; do
	here_is copy "$copy" -l -r 50 -n 30 "$scratch/noise.pgm" \
		"$scratch/disk/$to" && lines copy 30
	ok "$to: goes on"
	n=$(dropped copy)
	[ "$n" -gt 5 ] && [ "$n" -lt 30 ] &&
		[ "$(grep -c '^<' "$scratch/copy.err")" = 1 ] &&
		grep -q 'No space left' "$scratch/copy.err"
	ok "$to: one line, and $n of 30 messages dropped"
	from=$scratch/disk/$to
	if [ "$to" = files/ ]; then
		# replayed: stamps are the current time
		here_is read "$copy" -r 100 "$from/image" - && [ -s "$scratch/read" ]
	else
		here_is read "$copy" -x 100 "$from" - && intact copy read
	fi
	ok "$to: what is there can be read"
	! find "$scratch/disk" -name '*.part' | grep -q .
	ok "$to: nothing unfinished is left"
	rm -rf "$scratch/disk/"*
done
umount "$scratch/disk"
trap cleanup EXIT
done_testing
