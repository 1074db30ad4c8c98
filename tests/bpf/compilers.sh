#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# tests/bpf/compilers.sh - the classifier by every clang that Debian has
#
# usage: tests/bpf/compilers.sh SERIES...
#
# An older kernel's verifier may refuse a compiler's output, or it may take more
# stack. Builds the object with each clang, and runs all tests of the classifier
# with it in this kernel and in VMs of the SERIES (6.1, newest). Prints TAP.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/tap.sh
compilers=(clang-14 clang-16 clang-19)
out=build/check/clang

# objects COMPILER: paths of its output, for kernels with BTF and without
objects() { echo "$out/$1/bpf/ros_tag"{,_nobtf}.bpf.o; }

# tagged COMMAND...: it runs test_ros_tag, and all tests passed
tagged()
{
	"$@" >"$scratch/log" 2>&1 && return
	grep -A 1 '^not ok' "$scratch/log" | sed 's/^/# /'
	tail -n 5 "$scratch/log" | sed 's/^/# /'
	return 1
}

for c in "${compilers[@]}"; do
	rm -rf "${out:?}/$c"
	make -s bpf CLANG="$c" BUILD="$out/$c" >"$scratch/log" 2>&1
	ok "$c builds the classifier" || sed 's/^/# /' "$scratch/log"
	for object in $(objects "$c"); do
		tagged build/bin/test_ros_tag "$object"
		ok "$c: $(basename "$object") in this kernel, $(sed -n \
			's/^# stack: //p' "$scratch/log")"
	done
done
for series; do
	for c in "${compilers[@]}"; do
		for object in $(objects "$c"); do
			tagged tools/machines/vm -k "$series" -t 600 -- \
				build/bin/test_ros_tag "$object"
			ok "$c: $(basename "$object") in $series, $(sed -n \
				's/^# stack: //p' "$scratch/log")"
		done
	done
done
done_testing
