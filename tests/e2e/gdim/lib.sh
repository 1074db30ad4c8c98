# SPDX-License-Identifier: GPL-2.0-only
#
# lib.sh - output of a SLAM, and helpers of tests; sourced after tap.sh
# and with $top

. "$top/tests/lib/wait.sh"

# Eight submaps of a corridor with walls on both sides, and two sets of poses
make_input()
{
	python3 - "$scratch" <<-'END'
	import math, sys
	side, n = 60, 8
	with open(sys.argv[1] + '/cells.i8', 'wb') as f:
	    for k in range(n):
	        m = bytearray(b'\xff' * side * side)
	        for y in range(10, 50):
	            for x in range(side):
	                m[y * side + x] = 90 if y in (10, 49) else 5 + k
	        f.write(m)
	for name, drift in ('true', 0), ('drifted', 0.02):
	    with open(f'{sys.argv[1]}/{name}.csv', 'w') as f:
	        x = y = a = 0.0
	        for k in range(n):
	            f.write(f'{k},{x},{y},{a}\n')
	            x += 2.5 * math.cos(a)
	            y += 2.5 * math.sin(a)
	            a += drift
	END
}

# sum: checksum of the store with its files
sum()
{
	ls -d "$store"
	cat "$store" "$store-wal" 2>/dev/null | sha256sum
} 2>/dev/null

# of EXPRESSION: on JSON that ctl printed, as j
of() { python3 -c "import json; j = json.load(open('$scratch/out')); assert ($1), j"; }

# says_now TEXT COMMAND...
says_now()
{
	local text=$1

	shift
	"$@" 2>&1 | grep -qF -- "$text"
}

# until_says TEXT COMMAND...: until it prints TEXT; a minute at most
until_says()
{
	local text=$1

	shift
	wait_for 60 says_now "$text" "$@" && return
	echo "# no '$text' from: $*"
	"$@" 2>&1 | sed 's/^/# /'
	return 1
}

# refused TEXT COMMAND...: an error as for a user, status 1; TEXT is in the
# line; or exits=2 refused ...: wrong usage
refused()
{
	local text=$1 status

	shift
	"$@" >"$scratch/out" 2>"$scratch/err"
	status=$?
	[ $status = "${exits:-1}" ] && [ "$(wc -l <"$scratch/err")" = 1 ] &&
		[ ! -s "$scratch/out" ] &&
		grep -q '^gdimctl: ' "$scratch/err" &&
		grep -qF -- "$text" "$scratch/err" && return
	echo "# $status: $*"
	sed 's/^/# /' "$scratch/out" "$scratch/err"
	return 1
}

# checks NAME COMMAND...: it prints "ok TEXT" or "not ok TEXT", and exits with 0
checks()
{
	local name=$1 good line status

	shift
	"$@" >"$scratch/checks" 2>"$scratch/trouble"
	status=$?
	while IFS= read -r line; do
		case $line in
		'#'*)	echo "$line"; continue ;;
		ok*)	good=0 ;;
		*)	good=1 ;;
		esac
		(exit $good)
		ok "${line#*ok }"
	done <"$scratch/checks"
	[ $status = 0 ] || sed 's/^/# /' "$scratch/trouble"
	[ $status = 0 ]; ok "$name: to its end"
}
