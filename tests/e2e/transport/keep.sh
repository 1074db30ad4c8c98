#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# keep.sh - udp-link --keep: what is kept of an outage of 6 s
#
# Prints TAP. Needs root, what make built, and jq.

. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

python3 "$top/tests/e2e/lab/make.py" "$scratch" || exit 1
picture=$scratch/gray.png
printf '%s\n' '0 8e6 0 5' '5 0 0 5' '11 8e6 0 5' >"$scratch/outage.trace"

# received NAME TOPIC: stamps of a recording, in s, oldest first
received()
{
	"$bin/io-copy" "$scratch/$1.mcap" - 2>/dev/null |
		awk -v t="$2" '$1 == t { printf "%.3f\n", $3 / 1e9 }' | sort -n
}

# through NAME OPTION...: of the link; a recording of what came through it
through()
{
	local name=$1

	shift
	recv recv "$scratch/$name.mcap"
	link --trace "$scratch/outage.trace" "$@"
	send robot --to 127.0.0.1:7459 --loop --hz 10 "$picture"
	wait_for 90 is robot '.link.outages == 1 and .link.state == "live"' &&
		frames=$(ask recv --json status |
			jq '.senders[0].topics[0].frames') &&
		wait_for 90 is recv "$(topic /image ".frames > $frames + 20")"
}

through kept --keep 12
ok 'a link fails for 6 s, and comes back'
end robot recv link
received kept /image >"$scratch/live"
received kept /image/kept >"$scratch/kept"
# the outage is the largest hole between live ones
read -r count begin end first last hole < <(awk '
	NR == FNR { if (NR > 1 && $1 - was > most) {
			most = $1 - was; begin = was; end = $1 }
		was = $1; next }
	{ n++; if (n == 1) first = $1; last = $1
	  if (n > 1 && $1 - at > hole) hole = $1 - at; at = $1 }
	END { print n + 0, begin, end, first, last, hole + 0 }
' "$scratch/live" "$scratch/kept")
echo "# $count kept of $begin..$end: $first..$last, at most $hole s apart"
# 12 wait; one more can come when the link is back, while the first one leaves
[ "$count" -ge 6 ] && [ "$count" -le 13 ]
ok "12 messages and the one that leaves are kept of it at most, 6 at least ($count)"
awk "BEGIN { exit !($first - $begin < 1.5 && $end - $last < 1.5) }"
ok 'from its beginning to its end'
awk "BEGIN { exit !($hole <= 2.2 * ($end - $begin) / ($count + 1)) }"
ok "evenly spread: at most $hole s apart"

through lost
ok 'the same without --keep'
end robot recv link
[ "$(received lost /image | wc -l)" -gt 40 ] &&
	[ "$(received lost /image/kept | wc -l)" = 0 ]
ok 'nothing is kept'

"$bin/udp-link" --keep 0 --to 127.0.0.1:7450 >"$scratch/said" 2>&1
[ $? = 2 ] && one_line said '1..65535'
ok 'a queue of no messages'
done_testing
