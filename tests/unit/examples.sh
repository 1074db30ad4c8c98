#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# examples.sh - each command of ours in README.md, in the Markdown pages and in
# the man pages names a program, a command and options that exist. Those of
# README.md, troubleshooting.md and EXAMPLES are run by tests/e2e/examples/run.sh
# and tests/kselftest/examples.sh.

cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." || exit 1
. tests/lib/tap.sh
bin=${BIN:-build/bin}
mapfile -t programs < <(make -s program-names)
names=$(IFS='|'; echo "${programs[*]}")

# blocks FILE: the lines of its examples, continued lines joined
blocks()
{
	case $1 in
	*.md)
		sed -n '/^ *```/,/^ *```/p; /^    /p' "$1"
		sed 's/\\|/|/g' "$1" | grep -o '`[^`]*`' | tr -d '`'
		;;
	*)
		sed -n '/^\.\(EX\|nf\)/,/^\.\(EE\|fi\)/p' "$1" |
			sed 's/\\-/-/g; s/\\e/\\/g; s/\\f[BIRP]//g'
		;;
	esac | sed ':a; /\\$/ { N; s/\\\n/ /; ta }'
}

# commands FILE: one a line, from the program's name on, without comments
commands()
{
	blocks "$1" | sed 's/[[:blank:]]#[[:blank:]].*//; s/&&/\n/g; s/[|;]/\n/g' |
		sed -nE "s/^[[:blank:]]*([#\$] |sudo |[A-Z_0-9]+=[^ ]* )*(($names)([[:blank:]].*)?)\$/\2/p"
}

# help_of PROGRAM [COMMAND]: read it once, into helps
declare -A helps
help_of()
{
	[ -n "${helps[$*]}" ] || helps[$*]=$("$bin/$1" "${@:2}" --help 2>&1)
}

# command_of PROGRAM WORD: is it one of its commands?
command_of()
{
	help_of "$1"
	grep -qE "^  $2( |\$)" <<<"${helps[$1]}"
}

# fault WORD...: of a command; empty if there is none
fault()
{
	local program=$1 word
	local -a of=("$1")

	case $program in optsample | optsample-lab | gdimctl)
		# as a word of a sentence, or for its own help
		[ -n "${2-}" ] && [[ $2 != -* ]] || return
		command_of "$program" "${2-}" || {
			echo "no command '${2-}'"
			return
		}
		of+=("$2")
	esac
	help_of "${of[@]}"
	for word in "${@:2}"; do
		[[ $word =~ ^--[a-z0-9] ]] || continue
		grep -qE -- "(^|[^-a-z0-9])${word%%=*}([^-a-z0-9]|\$)" \
			<<<"${helps[${of[*]}]}" || echo "no option ${word%%=*}"
	done
}

found=0
for file in README.md Documentation/*.md Documentation/*.[1-8]; do
	faults=()
	while read -r line; do
		read -ra words <<<"$line"
		found=$((found + 1))
		wrong=$(fault "${words[@]}")
		[ -z "$wrong" ] || faults+=("$line: $wrong")
	done < <(commands "$file")
	printf '%s\n' "${faults[@]}" | sed '/^$/d; s/^/# /'
	[ ${#faults[@]} = 0 ]
	ok "$file"
done
[ $found -ge 280 ]
ok "$found commands were looked at"
[ -n "$(fault optsample up wlan0 --no-such-option)" ] &&
	[ -n "$(fault gdimctl no-such-command)" ]
ok "what does not exist is found"
done_testing
