# SPDX-License-Identifier: GPL-2.0-only
#
# judge.awk - what became of the messages of one experiment
#
# usage: gawk -f judge.awk -v limit=N -v two=NS -v one=NS -v well=NS
#		-v down=NS [-v carrier=NS] -v up=NS [-v all=1] PUB SUB LOCAL
#
# PUB is image-pub's CSV (seq,stamp,sent,crc,began,ret), SUB and LOCAL those of
# image-sub (stamp,received,bytes,crc) behind the link and on the robot. The
# link went at `down`, the robot noticed at `carrier` (0: never), the link was
# there again at `up`.
#
# Does the robot feel the link? Until `two` the subscriber on the robot was the
# only one, until `one` there was another one on the robot, from `well` on one
# behind the link, which was well.
#
# The outage is over when the first message arrives after `up`; it is judged
# from `carrier` on. What was written before that went into the air before the
# robot could notice: it is counted as `blind`. Prints words and values on one
# line:
#
#	n	written from `down` until the outage was over
#	kept	of those, arrived
#	blind	lost of those before `carrier`
#	lost	not arrived of those after it
#	gap	longest distance between two in a row that arrived, 1: none
#		is missing
#	ideal	gap of `limit` in a row at the same distance, which is a whole
#		number of messages
#	ratio	gap / ideal
#	again	seconds from `up` until something arrived, -1: nothing did
#	bad	arrived torn or twice, here or on the robot
#	local_n, local, local_pause
#		written in the whole experiment from `down` on, of those arrived
#		on the robot, longest time without one there, in s
#	errors	write() failed
#	late	how long after its time a write() began at worst, in ms
#	max	how long write() took at worst, in ms
#	write_ms, local_ms
#		99 of 100 calls of write() took no longer, messages on the robot
#		were no older when they came, in ms (of fewer than 200, all but
#		one; of fewer than 20, all): with that subscriber alone,
#		with two on the robot, with a link that is well, in the first
#		second from `down` on, and from then until `up`
#	write_first, local_first
#		the longest in the first second by the longest with a link that
#		is well: what is sent until the robot can know that the link has
#		gone costs what the radio costs. Not of 95 in 100: of ten
#		messages that is the longest, and rare delays would count as a
#		fault.
#	write_held, local_held
#		the fifth of these by the second, of 80 in 100: the subscriber
#		behind the link costs no more than one more on the robot would
#	write_same, local_same
#		the fifth by the third, of 95 in 100: for what leaves the link
#		as it is
#
# `all`: the outage ends at `up` whatever arrives (one that data gets round, or
# some of it): what comes until the end of the experiment counts as kept.

BEGIN {
	FS = ","
	nphases = split("alone two well first held", phases, " ")
}

# phase(STAMP): in which a message was written, "" for none
function phase(t)
{
	if (t >= down)
		return t >= up ? "" : t < down + 1e9 ? "first" : "held"
	if (t >= well)
		return "well"
	# a second for a new subscriber
	if (t >= two)
		return t > two + 1e9 && t < one ? "two" : ""
	return t > stamp[1] + 1e9 ? "alone" : ""
}

# most(VALUES, PERCENT): so many are no larger; below 100, of 20 and more values
# at least one is larger
function most(values, percent, sorted, n, above)
{
	n = asort(values, sorted)
	above = int(n * (100 - percent) / 100)
	return n ? sorted[n - (n < 20 || percent == 100 ? 0 : above ? above : 1)] : 0
}

# phases_text(OF): the p99 of each phase, with "/" between them
function phases_text(of, i, text)
{
	for (i = 1; i <= nphases; i++)
		text = text (i > 1 ? "/" : "") \
			sprintf("%.2f", most(of[phases[i]], 99))
	return text
}

# by(OF, A, B, PERCENT): of so many in 100; 999 if there is nothing to compare.
# While the link is gone the radio's scans delay up to one message in ten.
function by(of, a, b, percent, value, base)
{
	value = most(of[a], percent)
	base = most(of[b], percent)
	return value && base ? value / base : 999
}

BEGINFILE { which++ }

which == 1 {
	seq[$2] = $1
	stamp[$1] = $2
	crc[$2] = $4
	last = $1
	write[phase($2)][$1] = ($3 - $5) / 1e6
	if ($2 >= down) {
		if (($3 - $5) / 1e6 > max)
			max = ($3 - $5) / 1e6
		errors += $6 < 0
		if (($5 - $2) / 1e6 > late)
			late = ($5 - $2) / 1e6
	}
}

# the writer ended before it could say so
which > 1 && !($1 in crc) && $1 > stamp[last] { next }

which > 1 {
	if (crc[$1] != $4 || got[which, seq[$1]]++)
		bad++
}

which == 2 {
	if ($2 > up && !over)
		over = $2
}

which == 3 {
	here[phase($1)][$1] = ($2 - $1) / 1e6
}

which == 3 && $1 >= down {
	if (before && $2 - before > pause)
		pause = $2 - before
	before = $2
}

END {
	again = over ? (over - up) / 1e9 : -1
	if (all || !over)
		over = all ? up : stamp[last] + 1
	noticed = carrier && carrier < over ? carrier : down
	previous = 0
	for (i = 1; i <= last; i++) {
		if (stamp[i] < down) {
			previous = i
			continue
		}
		local_n++
		locally += (3, i) in got
		arrived = (2, i) in got
		if (stamp[i] < over) {
			n++
			kept += arrived
			if (stamp[i] < noticed)
				blind += !arrived
			else
				lost += !arrived
			judged += stamp[i] >= noticed
		}
		if (stamp[i] < noticed)
			previous = i
		else if (arrived || i == last) {
			if (!done && i - previous > gap)
				gap = i - previous
			previous = i
			done = done || stamp[i] >= over
		}
	}
	ideal = judged > limit ? int((judged + limit - 1) / limit) : 1
	printf "n %d kept %d blind %d lost %d gap %d ideal %d ratio %.2f " \
		"again %.1f bad %d local_n %d local %d local_pause %.2f " \
		"errors %d late %.1f max %.1f " \
		"write_ms %s local_ms %s write_first %.2f local_first %.2f " \
		"write_held %.2f local_held %.2f " \
		"write_same %.2f local_same %.2f\n", n, kept, blind, lost, gap, \
		ideal, gap / ideal, again, bad, local_n, locally, pause / 1e9, \
		errors, late, max, phases_text(write), phases_text(here), \
		by(write, "first", "well", 100), by(here, "first", "well", 100), \
		by(write, "held", "two", 80), by(here, "held", "two", 80), \
		by(write, "held", "well", 95), by(here, "held", "well", 95)
}
