#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# tiers.sh - no test is lost between the tiers of tests/table.txt,
# tests/affected finds those of a changed file, and the demo is built whole

cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." || exit 1
. tests/lib/tap.sh

rows() { grep -E '^[a-z]' tests/table.txt; }
units=" $(make -s --no-print-directory unit-tests) "

clash=$(rows | awk '{ print $1 }' | sort -u | while read -r name; do
	[[ $units != *" $name "* ]] || echo "$name"
done)
[ -z "$clash" ]
ok "no unit test has the name of a row" || echo "# $clash"

# each script with slow parts has a row that runs them
lost=$(git grep -lE '^[[:space:]]*thorough |\$\{MORE-\}' -- tests/e2e tests/kselftest \
	tests/unit | grep '\.sh$' | grep -v 'unit/tiers.sh' | while read -r script; do
	rows | grep -qE "MORE=1 $script( |$)" || echo "$script"
done)
[ -z "$lost" ]
ok "slow parts are in the tier more" || echo "# $lost"

lost=$(git ls-files 'tests/**/test_*.c' | while read -r source; do
	name=${source##*/test_}
	name=${name%.c}
	[[ $units == *" $name "* ]] || grep -q "bin/test_$name" \
		tests/table.txt tests/bpf/native.sh || echo "$source"
done)
[ -z "$lost" ]
ok "each test program runs" || echo "# $lost"

# What the demo's guests take is built by a tree that has nothing else
groups=$(sed -n 's/.*--root \([a-z,]*\).*/\1/p' tools/demo/wifi)
made=$(make -pq demo-build 2>/dev/null | sed -n 's/^demo-build: //p')
lost=$(awk -v groups=",$groups," '
	/^\[/ { wanted = index(groups, "," substr($1, 2, length($1) - 2) ",") }
	wanted && $1 == "project" { for (i = 2; i <= NF; i++) print $i }' \
	tools/machines/guest.txt | grep '^build/' | while read -r path; do
	[[ " $made " == *" $path"[\ /]* ]] || echo "$path"
done)
[ -n "$groups" ] && [ -n "$made" ] && [ -z "$lost" ]
ok "the demo builds what its guests take" || echo "# $lost"

# affects FILE TEST...: a change of it affects at least these, and not !TEST
tree=$scratch/tree
git clone -q -s . "$tree" 2>/dev/null
affects()
{
	local file=$1 got

	shift
	echo >>"$tree/$file"
	got=" $("$tree/tests/affected" HEAD 2>&1 | tr '\n' ' ') "
	git -C "$tree" checkout -q -- "$file"
	for test; do
		if [[ $test == !* ]]; then
			[[ $got != *" ${test#!} "* ]]
		else
			[[ $got == *" $test "* ]]
		fi || { echo "# $test: ${got:0:300}"; false; return; }
	done
}

if [ -e "$tree/Makefile" ]; then
	affects userspace/base/loop.c unit:loop gdim_web transport_daemons \
		view_page slam_live '!dkms'
	ok "a file of base: all that is linked with it"
	affects userspace/view/page/layers.js view_page view_page_js '!slam_cluster'
	ok "a part of the page"
	affects kernel/hold.c netdev ctl demo
	ok "the kernel module"
	affects include/optsample/policy_gap.h netdev unit:sampler
	ok "a header that only another one includes"
	affects bpf/rtps.h bpf fuzz netdev
	ok "the classifier"
	affects tests/kselftest/ctl.sh ctl '!netdev'
	ok "a test"
	affects tests/unit/netdev/netns.h unit:netdev_netlink
	ok "a header of unit tests"
	affects tests/kselftest/module/drive.c messages
	ok "a driver of tests"
	affects debian/control package
	ok "the packaging"
	affects userspace/plugin/mpi/module.mk slam_cluster
	ok "a plugin"
else
	skip "tests/affected" "no git repository"
fi
done_testing
