# SPDX-License-Identifier: GPL-2.0-only
#
# kcsan.awk - for tools/machines/vm --filter: which data races are ours
#
# A report of KCSAN is ours if one of its two stacks has a function of ours. Of
# the others only the line that names it is taken out of the log, as there may
# be lines of another processor between those of a report. They are counted and
# named on stderr.

function report(	i)
{
	if (ours)
		mine++
	else {
		others++
		races[what]++
		sub(/BUG: KCSAN:/, "KCSAN, not ours:", lines[1])
	}
	for (i = 1; i <= n; i++)
		print lines[i]
	n = 0
}

{ sub(/\r$/, "") }
/BUG: KCSAN:/ {
	if (n)
		report()
	ours = 0
	what = $0
	sub(/.*BUG: KCSAN: /, "", what)
	n = 0
	lines[++n] = $0
	next
}
n {
	lines[++n] = $0
	if (/\[(sch_optsample|optsample_drive)\]/)
		ours = 1
	if (/^(\[[^]]*\] *)*={20}/)
		report()
	next
}
{ print }

END {
	if (n)
		report()
	printf "# KCSAN: %d data races of ours, %d of the kernel\n", mine,
		others >"/dev/stderr"
	PROCINFO["sorted_in"] = "@val_num_desc"
	for (what in races)
		printf "# KCSAN: not ours, %d times: %s\n", races[what],
			what >"/dev/stderr"
}
