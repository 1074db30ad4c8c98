# SPDX-License-Identifier: GPL-2.0-only
#
# lib/select.sh - which tests of tests/table.txt run
#
# Sourced by tests/run. Selected tests are in ${names[@]}, their rows in needs,
# seconds, command and series.

names=()
declare -A needs seconds command series

# rows: of the table, without comments
rows() { grep -E '^[a-z]' tests/table.txt; }

list()
{
	{ echo NAME TIER NEEDS SECONDS USES COMMAND; rows; } | awk '{
		printf "%-18s %-14s %-18s %8s  ", $1, $2, $3, $4
		sub(/^([^ \t]+[ \t]+)([^ \t]+[ \t]+)([^ \t]+[ \t]+)([^ \t]+[ \t]+)([^ \t]+[ \t]+)/, "")
		print
	}'
}

# test_row NAME NEEDS SECONDS SERIES COMMAND
test_row()
{
	[ -n "${command[$1]-}" ] || names+=("$1")
	needs[$1]=$2 seconds[$1]=$3 series[$1]=$4 command[$1]=$5
}

# in_tier TIER NAME: does a test of TIER run when NAME is asked for?
in_tier()
{
	case $2:$1 in
	quick:quick|check:quick|check:check|more:quick|more:check|more:more|full:*) ;;
	*)	return 1 ;;
	esac
}

# select_tests quick|check|more|full: those of that tier
select_tests()
{
	local name tier need time line also other

	while read -r name tier need time _ line; do
		also=${tier#*+} tier=${tier%+*}
		in_tier "$tier" "$1" || continue
		test_row "$name" "$need" "$time" 6.1 "$line"
		case $1:$also in
		full:kernels|full:oldest|full:smoke) also="5.10 6.1-rt 6.12 newest" ;;
		more:oldest|check:smoke|more:smoke) also=5.10 ;;
		*)	also= ;;
		esac
		for other in $also; do
			test_row "$name-$other" "$need" "$time" "$other" "$line"
		done
	done < <(rows)
}

# has WORD WORDS...: is it one of them?
has() { [[ " ${*:2} " == *" $1 "* ]]; }

# unit_test NAME: a row for one unit test, if there is one of that name
unit_test()
{
	has "$1" "${unit_tests=$(make -s --no-print-directory unit-tests)}" &&
		test_row "$1" host 10 6.1 "tests/unit/all.sh $1"
}

# only TIER NAME...: no other tests; what is only in a slower tier can be named,
# too, and so can each unit test
only()
{
	local name tier=$1

	shift
	select_tests full
	select_tests "$tier"
	for name; do
		[ -n "${command[$name]-}" ] || unit_test "$name" || {
			echo "tests/run: no test $name, see make test-list" >&2
			exit 2
		}
	done
	mapfile -t names < <(printf '%s\n' "$@" | awk '!seen[$0]++')
}

# some_units NAME OPTION TEST...: row NAME for these unit tests, if not all run
some_units()
{
	[ $# -gt 2 ] && ! has "$1" "${names[@]}" || return 0
	unset "command[$1]"
	test_row "$1" host $((2 * ($# - 2))) 6.1 \
		"tests/unit/all.sh $2 ${*:3}"
}

# since REV: of all tests those that what changed since REV can affect, but not
# those that only make check-full has: it says which
since()
{
	local name affected units=() threads=() some all left=

	affected=$(tests/affected "$1") || exit 2
	select_tests full
	all=("${names[@]}")
	names=() command=()
	select_tests more
	some=("${names[@]}")
	names=()
	for name in $affected; do
		if [[ $name == unit:* ]]; then
			units+=("${name#unit:}")
		elif has "$name" "${some[@]}"; then
			names+=("$name")
			! has "$name-5.10" "${some[@]}" ||
				names+=("$name-5.10")
		elif has "$name" "${all[@]}"; then
			left+=" $name"
		fi
	done
	for name in $(make -s --no-print-directory threaded-tests); do
		! has "$name" ${units[@]+"${units[@]}"} || threads+=("$name")
	done
	some_units units "" ${units[@]+"${units[@]}"}
	some_units threads --threads ${threads[@]+"${threads[@]}"}
	[ -z "$left" ] || echo "# can be affected, too, and are left to make" \
		"check-full:$left"
	[ ${#names[@]} -gt 0 ] || { echo "# nothing that is tested changed"
		echo "0 passed, 0 failed"; exit 0; }
}
