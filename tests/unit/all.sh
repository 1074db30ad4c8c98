#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# tests/unit/all.sh - unit tests, two at a time for each processor: many wait
#
# usage: tests/unit/all.sh [--threads | --plain | --coverage] [TEST...]
#
# Without names all of them. They run under AddressSanitizer and UBSan, with
# --threads those that have threads under ThreadSanitizer, with --plain as
# programs are compiled, with --coverage as `make coverage` compiles them.
# Prints TAP with one plan; needs what make built. In a guest it runs the plain
# tests that the guest has.
set -u -o pipefail
cd "$(dirname "$0")/../.." || exit 1
folder=build/sanitized/bin list=unit-tests
case ${1-} in
--threads) folder=build/tsan/bin list=threaded-tests; shift ;;
--plain) folder=build/bin; shift
	[ -n "${VM-}" ] || make -s --no-print-directory tests-plain >&2 || exit ;;
--coverage) folder=build/coverage/bin; shift ;;
esac
if [ -n "${VM-}" ]; then
	folder=build/bin
	[ $# -gt 0 ] || set -- $(ls $folder/ | sed -n 's/^test_//p')
elif [ $# = 0 ]; then
	set -- $(make -s --no-print-directory $list)
fi
# shellcheck disable=SC2046,SC2086 # names
# These wait longest: last, they would wait alone.
first=$(printf '%s\n' "$@" | grep -xE 'netdev_neigh|stream|bus|bus_broker')
set -- $first $(printf '%s\n' "$@" | grep -vxF "${first:--}")
out=$(mktemp -d) || exit 1
trap 'rm -rf -- "$out"' EXIT
export folder out
export LSAN_OPTIONS=suppressions=$PWD/tests/unit/lsan.supp:print_suppressions=0
export UBSAN_OPTIONS=print_stacktrace=1
# as malloc() does
export ASAN_OPTIONS=allocator_may_return_null=1

# one that hangs fails; a guest has a limit of its own
[ -n "${VM-}" ] && limit= || limit='timeout -k 9 1800'
export limit
printf '%s\n' "$@" | xargs -P $((2 * $(nproc))) -I '{}' sh -c \
	'$limit "$folder/test_$1" >"$out/$1" 2>"$out/$1.err"; echo $? >"$out/$1.status"' sh '{}'

n=0 bad=0
for t; do
	status=$(cat "$out/$t.status")
	failed=$(grep -c '^not ok' "$out/$t")
	grep -v '^1\.\.' "$out/$t" | awk -v n=$n -v t="$t" '
		/^(not )?ok / { sub(/ok [0-9]+ -/, "ok " ++n " - " t ":") } 1'
	n=$((n + $(grep -cE '^(not )?ok ' "$out/$t")))
	if grep -q '^1\.\.0 # SKIP' "$out/$t"; then
		n=$((n + 1))
		echo "ok $n - $t$(sed -n 's/^1\.\.0//p' "$out/$t")"
		continue
	fi
	bad=$((bad + failed))
	# a test that says nothing, fails without a line, or that a sanitizer ends
	if ! grep -qE '^(not )?ok ' "$out/$t" ||
	   { [ "$status" != 0 ] && [ "$failed" = 0 ]; }; then
		n=$((n + 1)) bad=$((bad + 1))
		grep -m 1 -A 12 -E 'ERROR|WARNING|runtime error|Assert' \
			"$out/$t.err" | sed 's/^/# /'
		echo "not ok $n - $t: exit status $status"
	fi
done
echo "1..$n"
[ $bad = 0 ] && [ $n -gt 0 ]
