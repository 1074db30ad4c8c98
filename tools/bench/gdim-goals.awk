# SPDX-License-Identifier: GPL-2.0-only
#
# gdim-goals.awk - which goals of GDIM were met
#
# In: what bench_fusion, bench_store and gdim-web.sh print. The first tells its
# goals itself; what is not measured is missed.
# Ends with 1 if strict is set and a goal was missed.

# tell: at most LIMIT, or at least if SIGN is -1
function tell(what, value, sign, limit, unit,	met)
{
	met = value != "" && sign * value <= sign * limit
	printf "%-6s %-52s %8s %s (%s %s)\n", met ? "ok" : "MISSED", what,
		value == "" ? "?" : value, unit,
		(sign > 0 ? "at most" : "at least"), limit
	missed += !met
}

/\(goal [0-9.]+\) (ok|MISSED)$/ {
	what = substr($0, 1, 52)
	sub(/ +$/, "", what)
	goal[++goals] = what
	value[goals] = $(NF - 4)
	unit[goals] = $(NF - 3)
	limit[goals] = $(NF - 1) + 0
}

# keyframes: the peer that packs as the store does comes first
/^ratio\t/ && ratio == "" { ratio = $2 }

/^1000 poses by / {
	split($0, part, "\t")
	sub(/^p50 /, "", part[2])
	poses[$4 + 0] = part[2]
}

$1 == "spot" && NF == 5 { spots[$2] = $3 }

END {
	print "\ngoals"
	if (goals < 4)
		tell("all four of fusion", "", 1, 0, "")
	for (i = 1; i <= goals; i++)
		tell(goal[i], value[i], 1, limit[i], unit[i])
	tell("keyframes, times SQLite that packs cells as well", ratio, -1,
	     0.9, "")
	tell("1000 poses change by 0.5 m", poses[0.5], 1, 15, "ms")
	tell("1000 poses change by 5 m", poses[5], 1, 15, "ms")
	tell("spots over HTTP, 8 connections", spots[8], -1, 10000, "/s")
	print missed + 0 " missed"
	exit strict && missed
}
