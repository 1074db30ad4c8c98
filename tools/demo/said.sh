# SPDX-License-Identifier: GPL-2.0-only
#
# said.sh - lines of a demo's result; sourced by those that have die()

# said NAME VALUE: a line; a field that is not there is null
said()
{
	[[ $2 != *null* ]] || die "$1: not measured: $2"
	printf '  %-46s %s\n' "$1" "$2"
}
