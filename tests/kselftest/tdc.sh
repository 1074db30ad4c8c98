#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# tdc.sh - the control plane, by the kernel's own tc test suite
#
# usage: tests/kselftest/tdc.sh [DIR]
#
# Runs tdc.py of linux-source on tests/kselftest/tdc/optsample.json, in a
# guest (tools/machines/vm), or right here when this is the guest and the module
# is loaded. DIR is tools/testing/selftests/tc-testing of any kernel since 6.1;
# without it the directory is taken from Debian's package linux-source-6.1,
# installed or downloaded into build/tdc.
#
# TAP on stdout. tdc.py calls cases "skipped" when one before them broke the
# set-up: here that is a failure. OPTSAMPLE_KERNEL chooses the kernel
# (default 6.1), TC the tc.

set -u

me=tests/kselftest/tdc.sh
top=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd -P) || exit 1
build=${OPTSAMPLE_BUILD:-$top/build}
cases=$top/tests/kselftest/tdc/optsample.json
kernel=${OPTSAMPLE_KERNEL:-6.1}
package=linux-source-6.1

die()
{
	echo "$me: $*" >&2
	exit 1
}

# source_tree: print the directory with tdc.py, after fetching it if needed
source_tree()
{
	local part=tools/testing/selftests/tc-testing
	local cache=$build/tdc work archive=/usr/src/$package.tar.xz

	if [ ! -f "$cache/tc-testing/tdc.py" ]; then
		mkdir -p "$cache" && work=$(mktemp -d "$cache/get.XXXXXX") ||
			die "cannot write $cache"
		if [ ! -f "$archive" ]; then
			(cd "$work" &&
			 apt-get -qq -o APT::Sandbox::User=root \
				download "$package" &&
			 dpkg-deb -x "$package"_*.deb .) >&2 || {
				rm -rf "$work"
				die "cannot download $package"
			}
			archive=$work/usr/src/$package.tar.xz
		fi
		tar -C "$work" -xJf "$archive" "$package/$part" &&
		rm -rf "$cache/tc-testing" &&
		mv "$work/$package/$part" "$cache/tc-testing" || {
			rm -rf "$work"
			die "cannot unpack $archive"
		}
		rm -rf "$work"
	fi
	echo "$cache/tc-testing"
}

# in_guest DIR: boot, and come back here
in_guest()
{
	local ko

	ko=$("$top/tools/machines/kernel" module "$kernel") || exit 1
	ko=$(grep 'sch_optsample\.ko$' <<<"$ko") || die "no module was built"
	cd "$top" || exit 1
	exec "$top/tools/machines/vm" -k "$kernel" --skip-idle \
		--root base,tdc -t 1800 -M "$ko" \
		${TC:+-e "TC=$TC"} -- "$top/$me" "$1"
}

# report FILE WANTED: tdc's TAP, in which a skipped case did not pass
report()
{
	local passed failed

	sed -E -e 's/^ok (.*)# skip/not ok \1- skip/I' \
		-e '/^((not )?ok |1\.\.)/!s/^./# &/' -e '/^$/d' "$1"
	passed=$(grep -E '^ok ' "$1" | grep -vic '# skip')
	failed=$(($2 - passed))
	echo "# $passed passed, $failed failed"
	[ "$failed" = 0 ] && [ "$2" -gt 0 ]
}

# run DIR: tdc.py in a copy of DIR, because it writes where it is
run()
{
	local wanted tc=${TC:-$(command -v tc)}

	work=$(mktemp -d) || exit 1	# not local: the trap needs it
	trap 'rm -rf -- "$work"' EXIT
	cp -r "$1/." "$work/" && cp "$cases" "$work/tc-tests/qdiscs/" || exit 1
	# tdc.py runs its commands with this environment and no other.
	cat >"$work/tdc_config_local.py" <<-END
		EXTRA_NAMES = {'TC': '$tc', 'IP': '$(command -v ip)'}
		ENVIR = {'PATH': '$PATH',
		         'TC_LIB_DIR': '$lib'}
	END
	wanted=$(grep -c '"cmdUnderTest"' "$cases")
	(cd "$work" && python3 tdc.py -f tc-tests/qdiscs/optsample.json \
		--outfile results.tap) >"$work/log" 2>&1
	if [ ! -s "$work/results.tap" ]; then
		sed 's/^/# /' "$work/log"
		die "tdc.py gave no results"
	fi
	report "$work/results.tap" "$wanted" || {
		sed 's/^/# /' "$work/log"
		exit 1
	}
}

case ${1-} in
-*)	die "usage: $me [DIR]" ;;
esac
dir=${1-}
if [ -z "$dir" ]; then
	dir=$(source_tree) || exit 1
fi
dir=$(realpath -- "$dir") && [ -f "$dir/tdc.py" ] || die "$dir: no tdc.py"
lib=$(realpath -- "${TC_LIB_DIR:-$build/tc}")
[ -f "$lib/q_optsample.so" ] || die "q_optsample.so is not built"
if [ -n "${VM-}" ]; then
	run "$dir"
else
	in_guest "$dir"
fi
