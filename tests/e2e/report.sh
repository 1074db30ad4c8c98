# SPDX-License-Identifier: GPL-2.0-only
#
# report.sh - what app-report printed, in tests
#
# Sourced.

# value LINE WORD: the number behind WORD
value()
{
	awk -v word="$2" '{ for (i = 1; i < NF; i += 2)
		if ($i == word) print $(i + 1) }' <<<"$1"
}

# holds CONDITION: with numbers, as awk has it
holds()
{
	awk "BEGIN { exit !($1) }"
}
