#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# tests/fuzz/decoders.sh - decoders and readers: hostile datagrams and
# recordings
#
# usage: tests/fuzz/decoders.sh [--runs N]
#
# Runs inputs that once broke a decoder, kept in tests/fuzz/regress, then N
# inputs (2000) of libFuzzer, with a fixed seed. An input that shows an error
# is left in build/fuzz. Prints TAP; needs what make built.
set -u
ulimit -c 0
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/tap.sh
runs=2000
if [ "${1-}" = --runs ] && [[ ${2-} =~ ^[0-9]+$ ]]; then
	runs=$2
elif [ $# != 0 ]; then
	echo "usage: tests/fuzz/decoders.sh [--runs N]" >&2
	exit 2
fi
mkdir -p build/fuzz

# fuzz DECODER ARGS...
fuzz()
{
	local decoder=$1

	shift
	"build/bin/fuzz_$decoder" "-artifact_prefix=build/fuzz/$decoder-" "$@" \
		>"$scratch/log" 2>&1 && return
	grep -v '^#' "$scratch/log" | tail -n 30 | sed 's/^/# /'
	return 1
}

for target in tests/fuzz/fuzz_*.c; do
	decoder=${target##*/fuzz_}
	decoder=${decoder%.c}
	case $decoder in
	corpus|replay|ros_tag) continue ;;	# the classifier's: tests/fuzz/run
	esac
	if [ -d "tests/fuzz/regress/$decoder" ]; then
		fuzz "$decoder" tests/fuzz/regress/"$decoder"/*
		ok "$decoder: what was once too much for it"
	fi
	mkdir "$scratch/$decoder"
	fuzz "$decoder" -seed=1 -runs="$runs" -max_len=6000 "$scratch/$decoder"
	ok "$decoder: $runs made-up inputs"
done
done_testing
