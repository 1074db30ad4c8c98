# SPDX-License-Identifier: GPL-2.0-only
#
# report.sh - output of app-report, for tests
#
# Sourced.

# value LINE WORD: the number after WORD
value()
{
	awk -v word="$2" '{ for (i = 1; i < NF; i += 2)
		if ($i == word) print $(i + 1) }' <<<"$1"
}

# holds CONDITION: on numbers, in awk's syntax
holds()
{
	awk "BEGIN { exit !($1) }"
}
