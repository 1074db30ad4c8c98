#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# symbols.sh - no name is defined twice in the archives of a program, and what is
# installed has no assert()
#
# usage: symbols.sh [DIRECTORY]	with archives, instead of build/obj; then without
#				what is installed
#
# The linker uses the first function of a name, without a warning. Applications
# are linked to libraries, not to each other. Prints TAP.

cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." || exit 1
. tests/lib/tap.sh

# twice ARCHIVE...: names that they define more than once, and where
twice()
{
	nm --print-file-name --extern-only --defined-only "$@" 2>/dev/null |
		awk 'NF > 2 && $(NF - 1) ~ /[BDRT]/ && $NF != "main" {
			sub(/:[0-9a-f]*$/, "", $1)
			count[$NF]++
			where[$NF] = where[$NF] " " $1
		}
		END {
			for (name in count)
				if (count[name] > 1)
					print name ":" where[name]
		}' | sort
}

# all DIRECTORY: in the libraries together, and in each other archive
all()
{
	local archive other=() libraries=()

	for archive in "$1"/*.a; do
		case ${archive##*/} in
		apps-*|tests-*|tools-*) other+=("$archive") ;;
		*)	libraries+=("$archive") ;;
		esac
	done
	twice "${libraries[@]}"
	for archive in "${other[@]}"; do
		twice "$archive"
	done
}

found=$(all "${1-build/obj}")
[ -z "$found" ] || sed 's/^/# /' <<<"$found"
[ -z "$found" ]
ok "a function or variable has a name of its own"

# asserts FILE...: those that can fail one
asserts()
{
	nm --print-file-name --undefined-only "$@" | grep -w __assert_fail
}

if [ $# = 0 ]; then
	installed=($(make -s --no-print-directory installed))
	found=$(asserts "${installed[@]}")
	[ -z "$found" ] || sed 's/^/# /' <<<"$found"
	[ -z "$found" ] && ls "${installed[@]}" >/dev/null
	ok "an assert() costs nothing in what is installed"
fi
echo '#include <assert.h>
void at_most(int n); void at_most(int n) { assert(n < 2); }' |
	gcc -x c -c - -o "$scratch/assert.o" && [ -n "$(asserts "$scratch/assert.o")" ]
ok "the check detects an assert()"

# it detects duplicates
for object in a b c; do
	echo "int same; int only_$object;" | gcc -fno-common -x c -c - \
		-o "$scratch/$object.o" || exit 1
done
ar rc "$scratch/base.a" "$scratch/a.o" && ar rc "$scratch/ros-io.a" "$scratch/b.o" &&
	ar rc "$scratch/apps-own.a" "$scratch/c.o" || exit 1
[ "$(all "$scratch" | sed 's/:.*//')" = same ]
ok "a name of two libraries is found"

done_testing
