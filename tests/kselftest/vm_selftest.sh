#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# vm_selftest - the VM runner itself: what a test relies on when it says
# "the guest's verdict is mine"
#
# TAP on stdout.  Each case is one boot, so several facts share a boot.
# OPTSAMPLE_KERNEL chooses the kernel (default 6.1).

set -u

top=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd -P) || exit 1
build=${OPTSAMPLE_BUILD:-$top/build}
kernel=${OPTSAMPLE_KERNEL:-6.1}
mkdir -p "$build" || exit 1
work=$(mktemp -d "$build/vm-selftest.XXXXXX") || exit 1
other=$(mktemp -d) || exit 1
trap 'rm -rf -- "$work" "$other"' EXIT

n=0 failed=0

# check NAME CONDITION...: one TAP line; the run's output explains a failure
check()
{
	local name=$1

	shift
	n=$((n + 1))
	if "$@"; then
		echo "ok $n - $name"
	else
		echo "not ok $n - $name"
		echo "# status $rc, failed: $*"
		sed 's/^/# /' "$work/stdout" "$work/stderr"
		failed=1
	fi
}

vm()
{
	"$top/tools/machines/vm" -k "$kernel" -t 300 "$@" >"$work/stdout" 2>"$work/stderr"
	rc=$?
}

status()
{
	[ "$rc" = "$1" ]
}

printed()
{
	grep -qF -- "$1" "$work/stdout"
}

said()
{
	grep -qF -- "$1" "$work/stderr"
}

# Others may be running a guest now: only files of a dead runner count.
clean()
{
	local dir pid

	for dir in $(find "$build/vm" -maxdepth 1 -name 'run.*' \
		     -newer "$work" -printf '%f\n'); do
		pid=${dir#run.}
		[ -e "/proc/${pid%%.*}" ] || return 1
	done
}

no_file()
{
	[ ! -e "$1" ]
}

# Input and output; the directory and the words have special characters.
passes()
{
	local odd="$work/a 'b\" \$c;,%"

	mkdir -p "$odd" && cd -- "$odd" || exit 1
	vm -o "$work/out" -e 'GREETING=two  words' --log "$work/klog" \
		-- bash -c '
		echo "cwd=$PWD"; printf "<%s>\n" "$@"; echo "env=$GREETING"
		echo "kernel=$(uname -r) id=$(id -u)"; echo to-stderr >&2
		echo redirected >/dev/stderr
		echo result >"$VM_OUT/file"
		echo stray >stray; echo stray >"'"$work"'/stray"
		modprobe dummy && ip link add d0 type dummy && echo loaded
		ping -c1 -W5 127.0.0.1 >/dev/null || echo "no loopback"
		for m in /proc /sys /dev/pts /sys/fs/bpf /sys/kernel/debug \
			 /run; do
			mountpoint -q "$m" || echo "$m is not mounted"
		done
		sleep 1000 &
		exit 77' name 'a b' "it's" '$x;`y`' ''
	cd "$top" || exit 1
	check "exit status passes" status 77
	check "the directory is the host's" printed "cwd=$odd"
	check "argument with a space" printed '<a b>'
	check "argument with a quote" printed "<it's>"
	check "argument with shell characters" printed '<$x;`y`>'
	check "empty argument" printed '<>'
	check "environment passes" printed 'env=two  words'
	check "root" printed 'id=0'
	check "stderr passes" printed to-stderr
	check "/dev/stderr can be opened" printed redirected
	check "modules load" printed loaded
	check "nothing is missing" test ! -s <(grep -E \
		'not mounted|no loopback' "$work/stdout")
	check "files come back" grep -q result "$work/out/file"
	check "the host is not written to" no_file "$work/stray"
	check "the kernel log is kept" test -s "$work/klog"
	check "the kernel log stays out of the output" \
		test ! -s <(grep -E '^\[ *[0-9]+\.' "$work/stdout")
}

fails()
{
	vm -- bash -c 'echo c >/proc/sysrq-trigger; sleep 20'
	check "a panic fails the run" status 125
	check "and is shown" said 'Kernel panic'

	vm -- bash -c 'echo "WARNING: test" >/dev/kmsg; true'
	check "a warning in the log fails the run" status 125
	check "and is shown" said 'WARNING: test'

	vm --allow-warnings -- bash -c \
		'echo "WARNING: test" >/dev/kmsg; seq 20000; exit 3'
	check "--allow-warnings" status 3
	check "20000 lines arrive" test "$(tail -n 1 "$work/stdout")" = 20000

	vm -- bash -c 'echo b >/proc/sysrq-trigger; sleep 20'
	check "a guest that goes away fails the run" status 126

	vm -t 9 -- bash -c 'echo before; sleep 1000'
	check "the time-out works" status 124
	check "and says so" said 'time-out after 9 s'
}

# A guest with its root in memory: its files, and that its time is its own
memory()
{
	vm --skip-idle --root base -o "$work/memory" -e 'GREETING=two  words' \
		-- bash -c 'echo "env=$GREETING"; echo result >"$VM_OUT/file"
		ls /usr/bin/qemu-system-x86_64; ls build/vm
		modprobe dummy && ip link add d0 type dummy && echo loaded
		t=$EPOCHSECONDS; sleep 1000; echo "$((EPOCHSECONDS - t)) s"
		exit 77'
	check "a root in memory: exit status passes" status 77
	check "environment passes" printed 'env=two  words'
	check "modules load" printed loaded
	check "it has what was named" test "$(grep -c 'No such file' \
		"$work/stdout")" = 2
	check "files come back" grep -q result "$work/memory/file"
	check "1000 s of waiting take no time" printed "1000 s"
}

# A build that is elsewhere, with one program that is not that of build/
elsewhere()
{
	mkdir -p "$other/bin" && cp -r "$build/bpf" "$build/tc" "$other" &&
		cp "$build"/bin/{optsample-sim,rtps-gen} "$other/bin" &&
		printf '#!/bin/sh\necho from elsewhere\n' >"$other/bin/optsample" &&
		chmod 755 "$other/bin/optsample" &&
		ln -s "$build/kernels" "$other/kernels" || exit 1
	OPTSAMPLE_BUILD=$other vm --skip-idle --root base -- bash -c \
		"build/bin/optsample; $other/bin/optsample-sim --help"
	check "the build is that of OPTSAMPLE_BUILD" status 0
	check "and build/ leads there" printed "from elsewhere"
}

usage_errors()
{
	vm -t soon -- true
	check "bad time-out is refused" said "-t 'soon'"
	vm -M /nonexistent.ko -- true
	check "missing module is refused" said /nonexistent.ko
	vm --bogus -- true
	check "unknown option is refused" said "'--bogus'"
	vm --root nothing -- true
	check "unknown group is refused" said "no group nothing"
}

echo "TAP version 13"
passes
fails
memory
elsewhere
usage_errors
check "a run leaves no files" clean
echo "1..$n"
exit $failed
