# SPDX-License-Identifier: GPL-2.0-only
#
# says.sh - a program's output in $scratch/NAME; sourced after tap.sh

# says NAME PATTERN [TIMES]: wait for two minutes at most
says()
{
	local i

	for ((i = 0; i < 2400; i++)); do
		[ "$(tr '\r' '\n' <"$scratch/$1" |
			grep -c -- "$2")" -ge "${3:-1}" ] && return
		sleep 0.05
	done 2>/dev/null
	echo "# $1 does not say '$2':"
	tail -n 5 "$scratch/$1" | sed 's/^/#   /'
	return 1
}
