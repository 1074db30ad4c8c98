# SPDX-License-Identifier: GPL-2.0-only
#
# lib/guest.sh - tests in guests: one in a guest of its own, or several in one
# guest, one after the other
#
# Sourced by tests/run and by tests that start a guest of their own. Tests that
# share one need $logs, the folder of logs, and summary() of tests/run, which
# writes to file 3.

# guest SERIES [--OPTION...] -- COMMAND...: in a guest with our modules
guest()
{
	local kernel=$1 sch drive

	shift
	sch=$(tools/machines/kernel module "$kernel") &&
		drive=$(tools/machines/kernel module "$kernel" \
			tests/kselftest/module) || return
	tools/machines/vm -k "$kernel" -e "SCH_KO=$sch" -e "DRIVE_KO=$drive" \
		"$@"
}

# groups NAME...: all that these tests want in their guest
groups()
{
	local name

	for name; do
		echo "${needs[$name]#*:}"
	done | tr , '\n' | sort -u | paste -sd,
}

# split_output: stdin, which tests/lib/guest-tests printed, into a log for each
# test; prints the name of each that ended
split_output()
{
	awk -v logs="$logs" '
	function end(status) {
		close(file)
		print status >(logs "/" name ".status")
		close(logs "/" name ".status")
		print systime() - begin >(logs "/" name ".seconds")
		close(logs "/" name ".seconds")
		print name
		fflush()
		name = ""
	}
	$1 == "@@" && $2 == "begin" {
		if (name != "")
			end(126)
		name = $3
		begin = systime()
		file = logs "/" name ".log"
		printf "" >file
		next
	}
	$1 == "@@" && $2 == "end" && $3 == name { end($4); next }
	name != "" { print >file; fflush(file); next }
	{ print >"/dev/stderr" }
	END {
		if (name == "")
			exit
		print "not ok the guest went away in this test" >file
		end(126)
	}'
}

# share_guest SERIES NAME...: these tests, in one guest; in another one those
# that are left when it goes away. Each has its log; what is said here is of
# the guests, with a line of TAP for each.
share_guest()
{
	local kernel=$1 wants name left=() limit number=0 status
	local list=$logs/guest.$BASHPID.tests

	shift
	wants=$(groups "$@")
	while [ $# -gt 0 ]; do
		limit=600
		for name; do
			echo "$name ${command[$name]}"
			limit=$((limit + 10 * ${seconds[$name]}))
		done >"$list"
		guest "$kernel" --skip-idle --root "$wants" -m 3072 -t $limit \
			-e "TESTS=$PWD/$list" -- tests/lib/guest-tests "$PWD/$list" \
			2>&1 > >(split_output | while read -r name; do
				summary "$name" >&3
			done)
		status=$?
		wait $!
		number=$((number + 1))
		left=()
		for name; do
			[ -e "$logs/$name.status" ] || left+=("$name")
		done
		[ $status = 0 ] || echo -n "not "
		echo "ok $number guest of kernel $kernel: $(($# - ${#left[@]})) tests"
		[ ${#left[@]} -lt $# ] || break
		set -- ${left[@]+"${left[@]}"}
	done
	for name in ${left[@]+"${left[@]}"}; do
		echo "not ok there is no guest for this test" >"$logs/$name.log"
		echo 125 >"$logs/$name.status"
		echo 0 >"$logs/$name.seconds"
		summary "$name" >&3
	done
	rm -f "$list"
}
