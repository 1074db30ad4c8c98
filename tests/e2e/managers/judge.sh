#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# judge.sh - are judge.awk's results right? Ten messages a second for 10 s, the
# link fails at 2 s, the robot notices at 3 s, the link is back at 7 s.

top=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../../.." && pwd -P) || exit 1
. "$top/tests/lib/tap.sh"

seq 1 100 | awk -v OFS=, '{ t = ($1 - 1) * 100000000
	print $1, t, t + 2000000, "c" $1, t, 0 }' >"$scratch/pub"

# here NUMBER...: image-sub's output on the robot
here()
{
	printf '%s\n' "$@" | awk -v OFS=, '{ t = ($1 - 1) * 100000000
		print t, t + 1000000, 1, "c" $1 }'
}

# arrives NUMBER...: beyond the link; held messages arrive at 7.5 s
arrives()
{
	printf '%s\n' "$@" | awk -v OFS=, '{ t = ($1 - 1) * 100000000
		held = t > 2e9 && t < 7.5e9
		print t, held ? 7500000000 : t + 5000000, 1, "c" $1 }'
}

# judged WORDS NAME [-v ...]: of $scratch/sub and local
judged()
{
	local wanted=$1 name=$2 got

	shift 2
	got=$(gawk -f "$top/tests/e2e/managers/judge.awk" -v limit=10 \
		-v down=2000000000 -v carrier=3000000000 -v up=7000000000 "$@" \
		"$scratch"/{pub,sub,local})
	[[ " $got " == *" $wanted "* ]] ||
		{ echo "# wanted: $wanted"; echo "# got: $got"; false; }
	ok "$name"
}

here {1..100} >"$scratch/local"
arrives {1..20} {34..74..4} {76..100} >"$scratch/sub"
judged "n 55 kept 11 blind 10 lost 34 gap 4 ideal 5 ratio 0.80 again 0.5" \
	"an even sample"
judged "bad 0 local_n 80 local 80 local_pause 0.10 errors 0 late 0.0 max 2.0" \
	"and all on the robot"
judged "blind 0 lost 44 gap 14" "a robot that never noticed" -v carrier=0
judged "n 50 kept 10" "until the link was there again" -v all=1

arrives {1..20} {31..40} {76..100} >"$scratch/sub"
judged "gap 36 ideal 5 ratio 7.20" "nothing after a while"
arrives {1..20} {66..75} {80..100} >"$scratch/sub"
judged "gap 36 ideal 5 ratio 7.20" "nothing at the beginning"
arrives {1..20} {31..75} {80..100} >"$scratch/sub"
judged "gap 5 ideal 5 ratio 1.00" "a gap at the end"

arrives {1..20} >"$scratch/sub"
judged "gap 70 ideal 7 ratio 10.00 again -1.0" "nothing any more"
: >"$scratch/sub"
judged "again -1.0" "nothing at all"
{ arrives {1..100}; arrives 50; } >"$scratch/sub"
judged "bad 1" "one came twice"
{ arrives {1..99}; echo 9900000000,9905000000,1,torn; } >"$scratch/sub"
judged "bad 1" "one came torn"
arrives {1..101} >"$scratch/sub"
judged "bad 0" "one that the writer had no time to log"
here {1..29} {50..100} >"$scratch/local"
judged "local_n 80 local 60 local_pause 2.10" "a pause on the robot"
awk -F, -v OFS=, '$1 == 50 { $3 += 1e9; $6 = -1 } $1 == 51 { $5 += 9e8 } 1' \
	"$scratch/pub" >"$scratch/pub2" && mv "$scratch/pub2" "$scratch/pub"
judged "errors 1 late 900.0 max 1002.0" "a write that waits, and fails"

# Duration of a write and age of a message in ms: 1 with one subscriber, 2 with
# two on the robot, 8 with one beyond the link; 4 when that ends at 7 s, then 3.
seq 1 100 | awk -v OFS=, -v sub_="$scratch/sub" -v local_="$scratch/local" '{
	t = ($1 - 1) * 100000000
	ms = t < 2e9 ? 1 : t < 4e9 ? 2 : t < 7e9 ? 8 : t < 8e9 ? 4 : 3
	print $1, t, t + ms * 1000000, "c" $1, t, 0
	print t, t + 2 * ms * 1000000, 1, "c" $1 >local_
	if (t < 7e9) print t, t + 5000000, 1, "c" $1 >sub_ }' >"$scratch/pub"
phases=(-v two=2000000000 -v one=4000000000 -v well=4000000000
	-v down=7000000000 -v up=9900000000)
judged "write_ms 1.00/2.00/8.00/4.00/3.00 local_ms 2.00/4.00/16.00/8.00/6.00 write_first 0.50 local_first 0.50 write_held 1.50 local_held 1.50 write_same 0.38 local_same 0.38" \
	"what the robot feels of the link" "${phases[@]}"

# One of 30 took 14 ms while the link worked, and one of ten when it failed.
awk -F, -v OFS=, '$1 == 50 || $1 == 73 { $3 = $2 + 14000000 } 1' \
	"$scratch/pub" >"$scratch/pub2" && mv "$scratch/pub2" "$scratch/pub"
judged "write_first 1.00 local_first 0.50" "ten messages, and the longest is one of 30" \
	"${phases[@]}"
awk -F, -v OFS=, '$1 == 73e8 { $2 = $1 + 24000000 } 1' \
	"$scratch/local" >"$scratch/local2" && mv "$scratch/local2" "$scratch/local"
judged "local_first 1.50" "a message that waits longer than any before" \
	"${phases[@]}"
done_testing
