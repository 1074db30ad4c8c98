#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# surface.sh - help, version and wrong usage, the same in all programs that are
# installed

cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." || exit 1
. tests/lib/tap.sh
bin=${BIN:-build/bin}
version=$(sed -n 's/^VERSION\t:= //p' Makefile)

# run COMMAND...: as a user would; sets status
run()
{
	"$@" >"$scratch/out" 2>"$scratch/err" </dev/null
	status=$?
}

# helped WORD...: text on standard output alone
helped()
{
	run "$@"
	[ $status = 0 ] && [ ! -s "$scratch/err" ] && grep -qi usage "$scratch/out"
}

# wrong NAME WORD...: one line that begins with NAME, nothing else, status 2
wrong()
{
	local name=$1

	shift
	run "$@"
	[ $status = 2 ] && [ ! -s "$scratch/out" ] &&
		[ "$(wc -l <"$scratch/err")" = 1 ] &&
		grep -q "^$name: " "$scratch/err"
}

# program NAME [COMMAND]
program()
{
	local name=$1 what=$bin/$1 word

	for word in --help -h; do
		helped "$what" ${2+"$2"} $word
		ok "$* $word"
	done
	for word in --version -V; do
		run "$what" ${2+"$2"} $word
		[ $status = 0 ] && [ ! -s "$scratch/err" ] &&
			[ "$(cat "$scratch/out")" = "$name $version" ]
		ok "$* $word"
	done
	wrong "$name" "$what" ${2+"$2"} --no-such-option
	ok "$*: an option that it does not have"
}

# of `make install`
mapfile -t programs < <(make -s program-names)
[ ${#programs[@]} -ge 10 ]
ok "programs: ${programs[*]}"
for name in "${programs[@]}"; do
	program "$name"
	[ "$name" != optsample-sim ] || continue
	wrong "$name" "$bin/$name"
	ok "$name: nothing at all"
done
helped "$bin/optsample-sim"
ok "optsample-sim: nothing at all"
for name in optsample optsample-lab gdimctl; do
	wrong $name "$bin/$name" no-such-command
	ok "$name: a command that it does not have"
	for command in $("$bin/$name" --help | sed -n 's/^  \([a-z-]*\) .*/\1/p'); do
		program $name "$command"
	done
done
# as many options as need headings
for name in slamd gdimd optsample-send optsample-recv optsample-view "optsample up"; do
	# shellcheck disable=SC2086 # two words
	"$bin"/$name --help | grep -q '^ [A-Z].*:$'
	ok "$name: options by use"
done
! "$bin/slamd" --help >/dev/full 2>/dev/null
ok "standard output that is full"
done_testing
