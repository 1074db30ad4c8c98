# SPDX-License-Identifier: GPL-2.0-only
#
# lib/tap.sh - TAP from shell
#
# Sourced. Files of a test are in $scratch.

tests=0 failed=0
scratch=$(mktemp -d)

# ok NAME: passes if the previous command succeeded, and returns its status, so
# that `ok NAME || show` tells more of a failure
ok()
{
	local status=$?

	tests=$((tests + 1))
	if [ $status = 0 ]; then
		echo "ok $tests $1"
	else
		failed=$((failed + 1))
		echo "not ok $tests $1"
	fi
	return $status
}

# skip NAME WHY
skip()
{
	tests=$((tests + 1))
	echo "ok $tests $1 # SKIP $2"
}

# skip_all WHY: nothing of this test can run here
skip_all()
{
	rm -rf -- "$scratch"
	printf '%s\n' "ok 1 # SKIP $1" 1..1
	exit 0
}

# thorough FUNCTION...: call them if MORE is set, as `make check SINCE=REV` and
# check-full do: parts that are slow, or repeat in other ways what is tested
thorough()
{
	local part

	[ -n "${MORE-}" ] || { echo "# not without MORE=1: $*"; return; }
	for part; do
		$part
	done
}

done_testing()
{
	rm -rf -- "$scratch"
	echo "1..$tests"
	[ $failed = 0 ]
}
