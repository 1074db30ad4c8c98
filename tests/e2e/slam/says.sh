# SPDX-License-Identifier: GPL-2.0-only
#
# says.sh - a program's output in $scratch/NAME; sourced after tap.sh and
# wait.sh

# has_said NAME PATTERN [TIMES]
has_said()
{
	[ "$(tr '\r' '\n' <"$scratch/$1" | grep -c -- "$2")" -ge "${3:-1}" ]
}

# says NAME PATTERN [TIMES]: wait for two minutes at most
says()
{
	interval=0.05 wait_for 120 has_said "$@" && return
	echo "# $1 does not say '$2':"
	tail -n 5 "$scratch/$1" | sed 's/^/#   /'
	return 1
}
