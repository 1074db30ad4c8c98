#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# tests/unit/all.sh - the unit tests of all folders, one after the other
#
# usage: tests/unit/all.sh [TEST...]
#
# Prints TAP with one plan; needs what make built. In a guest it runs the tests
# that the guest has.
set -u
cd "$(dirname "$0")/../.." || exit 1
if [ $# = 0 ] && [ -n "${VM-}" ]; then
	set -- $(ls build/bin/ | sed -n 's/^test_//p')
elif [ $# = 0 ]; then
	set -- $(make -s --no-print-directory lib-tests)
fi
n=0 bad=0

for t in "$@"; do
	out=$(build/bin/test_"$t")
	status=$?
	failed=$(grep -c '^not ok' <<<"$out")
	grep -v '^1\.\.' <<<"$out" | awk -v n=$n -v t="$t" '
		/^(not )?ok / { sub(/ok [0-9]+ -/, "ok " ++n " - " t ":") } 1'
	n=$((n + $(grep -cE '^(not )?ok ' <<<"$out")))
	bad=$((bad + failed))
	# a test that fails without a line
	if [ $status != 0 ] && [ "$failed" = 0 ]; then
		n=$((n + 1)) bad=$((bad + 1))
		echo "not ok $n - $t: exit status $status"
	fi
done
echo "1..$n"
[ $bad = 0 ] && [ $n -gt 0 ]
