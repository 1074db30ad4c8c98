#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# sanitized.sh - a test of daemons, with all programs under AddressSanitizer,
# LeakSanitizer and UBSan
#
# usage: sanitized.sh TEST
#
# TEST is a script that takes programs from $BIN. Asserts are on, too. Fails
# if the test does, or if a program's sanitizer or assert() ended it.
set -u
cd "$(dirname "$0")/../.." || exit 1
# one build at a time
flock build/.commands make -s --no-print-directory -j"$(nproc)" programs-sanitized >&2 || exit
reports=$(mktemp -d) || exit 1
trap 'rm -rf -- "$reports"' EXIT
export BIN=$PWD/build/sanitized/bin
common=log_path=$reports/report:exitcode=66
# as malloc() does; Fast DDS 2.9 deletes a statistics reader by its base class
export ASAN_OPTIONS=$common:handle_abort=1:allocator_may_return_null=1
ASAN_OPTIONS+=:new_delete_type_mismatch=0
# not sanitized, but the program that loads it is
export OPTSAMPLE_FASTDDS=$PWD/build/fastdds
export LSAN_OPTIONS=suppressions=$PWD/tests/unit/lsan.supp:print_suppressions=0
export UBSAN_OPTIONS=$common:print_stacktrace=1

"$@" | tee "$reports/tap"
status=${PIPESTATUS[0]}
n=$(($(grep -cE '^(not )?ok ' "$reports/tap") + 1))
found=$(cd "$reports" && ls report.* 2>/dev/null | wc -l)
if [ "$found" = 0 ]; then
	echo "ok $n - no sanitizer reports a fault"
else
	for report in "$reports"/report.*; do
		head -n 30 "$report" | sed 's/^/# /'
	done
	echo "not ok $n - sanitizers report $found faults"
	status=1
fi
exit $status
