# SPDX-License-Identifier: GPL-2.0-only
#
# table.awk - from the lines of tests/kselftest/bench_guest.sh to tables
#
# In: "case STATE FLOWS PACKETS NAME: enqueue E dequeue D free F in I out O
# dropped N clock C" in tenths; "memory WHAT BYTES". A case that comes
# several times counts with its median. Every ratio is to fq_codel in the same
# row of the same run. A case whose packets did not go where its state says is
# marked with "?" and met no goal. A column that was not measured is left out.
# unit: what the numbers are, native: they are time.
# Ends with 1 if strict is set and a goal was missed.

# valid: what came in went out, or, when full, was one too many
function valid(state, packets, came, left, lost)
{
	if (state != "full")
		return came == left && !lost
	return !left && lost > came * 0.95 - 2 * packets
}

function cell(row, name,	k, r)
{
	k = row SUBSEP name
	if (!(k in cost))
		return "-"
	r = base[row] ? sprintf(" %.2f", cost[k] / base[row]) : ""
	return sprintf("%.0f%s%s", cost[k], r, bad[k] ? "?" : "")
}

# median: of the values of case k, which are sorted by insertion
function median(k, n,	i, j, v)
{
	for (i = 2; i <= n; i++) {
		v = value[k, i]
		for (j = i - 1; j && value[k, j] > v; j--)
			value[k, j + 1] = value[k, j]
		value[k, j + 1] = v
	}
	return (value[k, int((n + 1) / 2)] + value[k, int(n / 2) + 1]) / 2
}

# there: those of the names that were measured
function there(names,	i, j, n, list, out)
{
	n = split(names, list, " ")
	for (j = 1; j <= n; j++)
		for (i = 1; i <= rows; i++)
			if ((order[i] SUBSEP list[j]) in cost) {
				out = out " " list[j]
				break
			}
	return out
}

function table(title, names,	i, j, n, list, any)
{
	n = split(there(names), list, " ")
	if (n <= (names ~ /fq_codel/))
		return
	printf "\n%s\n%-5s %5s %4s", title, "state", "flows", "pkts"
	for (j = 1; j <= n; j++)
		printf " %13s", label[list[j]] ? label[list[j]] : list[j]
	print ""
	for (i = 1; i <= rows; i++) {
		# fq_codel is in rows of each table
		any = 0
		for (j = 1; j <= n; j++)
			any += list[j] != "fq_codel" &&
				(order[i] SUBSEP list[j]) in cost
		if (!any)
			continue
		printf "%s", head[i]
		for (j = 1; j <= n; j++)
			printf " %13s", cell(order[i], list[j])
		print ""
	}
}

# goal: at most LIMIT times fq_codel, to two digits, in all rows or only in full
# ones; PACKETS: only for messages of so many
function goal(what, name, full, limit, packets,	i, k, r, met, row)
{
	for (i = 1; i <= rows; i++) {
		k = order[i] SUBSEP name
		if (!(k in cost) || !base[order[i]] ||
		    (order[i] ~ /^full/) != full)
			continue
		split(order[i], row, SUBSEP)
		if (packets && row[3] != packets)
			continue
		r = sprintf("%.2f", cost[k] / base[order[i]])
		met = r + 0 <= limit && !bad[k]
		printf "%-6s %s %-12s %.2f (at most %.2f)\n",
			met ? "ok" : "MISSED", head[i], what, r, limit
		if (!met)
			missed++
	}
}

# ratio_goal: NEW took at most LIMIT times what OLD took, all the way
function ratio_goal(what, new, old, limit,	i, k, r, met)
{
	for (i = 1; i <= rows; i++) {
		k = order[i] SUBSEP new
		if (!(k in cost) || !((order[i] SUBSEP old) in cost))
			continue
		r = sprintf("%.2f", cost[k] / cost[order[i] SUBSEP old])
		met = r + 0 <= limit && !bad[k] && !bad[order[i] SUBSEP old]
		printf "%-6s %s %-12s %.2f (at most %.2f)\n",
			met ? "ok" : "MISSED", head[i], what, r, limit
		if (!met)
			missed++
	}
}

BEGIN {
	label["classified+deployed"] = "cls+deployed"
}

$1 == "case" {
	sub(/:$/, "", $5)
	row = $2 SUBSEP $3 SUBSEP $4
	if (!(row in seen)) {
		seen[row] = 1
		order[++rows] = row
		head[rows] = sprintf("%-5s %5d %4d", $2, $3, $4)
	}
	k = row SUBSEP $5
	cost[k]
	value[k, ++times[k]] = ($7 + ($2 == "full" ? 0 : $9)) / 10
	if (!valid($2, $4, $13, $15, $17))
		bad[k] = 1
	value["clock", ++clocks] = $19 / 10
	if ($2 == "half" && ($5 == "tagged" || $5 == "deployed")) {
		freed[$5] += $11 / 10
		frees[$5]++
	}
}

$1 == "memory" { bytes[$2] = $3 }

END {
	if (!rows)
		exit 2
	for (k in cost)
		cost[k] = median(k, times[k])
	for (i = 1; i <= rows; i++)
		base[order[i]] = cost[order[i] SUBSEP "fq_codel"]
	print unit " per packet, enqueue + dequeue (full: enqueue), and" \
		" times fq_codel"
	table("other qdiscs", "pfifo sfq fq fq_codel cake")
	table("optsample", "tagged deployed classified classified+deployed" \
		" filtered ordinary gap memory")
	table("all the way to the driver", "fq_codel ifb link up-ifb up-link")
	print "\ngoals"
	goal("tagged", "tagged", 0, 0.5)
	goal("classified", "classified", 0, 0.85, 1)
	goal("classified", "classified", 0, 0.65, 57)
	goal("cls+deployed", "classified+deployed", 0, 0.95)
	goal("sampling", "tagged", 1, 0.7)
	goal("ordinary", "ordinary", 0, 1.1)
	ratio_goal("link / ifb", "link", "ifb", 0.8)
	ratio_goal("up: link/ifb", "up-link", "up-ifb", 0.8)
	print missed + 0 " missed"
	if (native)
		printf "\na reading of the clock: %.0f %s\n",
			median("clock", clocks), unit
	if (frees["deployed"] && !native)
		printf "\nfreeing a packet: %.0f, deployed %.0f (destructor of" \
			" inflight)\n", freed["tagged"] / frees["tagged"],
			freed["deployed"] / frees["deployed"]
	if ("message" in bytes)
		printf "memory: %d bytes for a queued message beyond its" \
			" packets, %d for an idle flow\n", bytes["message"],
			bytes["flow"]
	exit strict && missed
}
