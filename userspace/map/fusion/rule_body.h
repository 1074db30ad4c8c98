/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rule_body.h - the rules for one kind of cells; included once for each
 *
 * CELL and UCELL are its types, signed and unsigned, NAME(x) makes names,
 * FULL is its full value. SUM, ISUM and COUNT_AT are as in rule_mean_body.h.
 */
VECTOR(NAME(cells), CELL);
VECTOR(NAME(ucells), UCELL);

/* Signed, -1 is the smallest: the maximum needs no test for unknown */
ADD(max, NAME(cells), NAME(cells))
{
	*to = CHOOSE(NAME(cells), LESS(*to, *from), *from, *to);
}

/* Unsigned, -1 is the largest */
ADD(min, NAME(ucells), NAME(ucells))
{
	*to = CHOOSE(NAME(ucells), LESS(*from, *to), *from, *to);
}

static void NAME(same_values)(const void *from, unsigned int n, int16_t *to)
{
	const CELL *acc = from;

	for (unsigned int i = 0; i < n; i++)
		to[i] = acc[i];
}

#include "map/fusion/rule_mean_body.h"

/* Milliseconds above 16 bits of value: the latest is the largest */
ADD(latest, longs, NAME(cells))
{
	const int64_t ms = source->stamp < 0 ? 0 : source->stamp / 1000000;
	const longs wide = WIDEN(*from, longs);
	const longs v = ((ms << 16) + wide + 1) & KNOWN(longs, wide);

	*to = CHOOSE(longs, LESS(*to, v), v, *to);
}

/* Twice the sum of logits; bit 0: any value was added */
ADD(log_odds, ints, NAME(cells))
{
	const ints most = LOG_ODDS_MAX - (ints){ 0 };
	ints more;

	for (unsigned int i = 0; i < RULE_STEP; i++)
		more[i] = (*from)[i] < 0 ? 0 : NAME(logit)[(*from)[i]];
	more = (*to | (1 & KNOWN(ints, WIDEN(*from, ints)))) + 2 * more;
	more = CHOOSE(ints, LESS(most, more), most, more);
	*to = CHOOSE(ints, LESS(more, -most), -most, more);
}

/* At the certainty of one value of 0 or of full, return that value */
static int16_t NAME(log_odds_value)(int32_t logit)
{
	if (logit <= NAME(logit)[0])
		return 0;
	if (logit >= NAME(logit)[FULL])
		return FULL;
	return floor(FULL / (1 + exp(-logit / (double)LOGIT_ONE)) + 0.5);
}

static void NAME(log_odds_values)(const void *from, unsigned int n, int16_t *to)
{
	const int32_t *acc = from;

	for (unsigned int i = 0; i < n; i++)
		to[i] = acc[i] & 1 ? NAME(log_odds_value)(acc[i] >> 1) : -1;
}

ADD(weighted, longs, NAME(cells))
{
	const longs wide = WIDEN(*from, longs);
	longs w = (int64_t)source->weight - (longs){ 0 };

	if (weights)
		w = WIDEN(*weights, longs);
	w &= KNOWN(longs, wide) & LESS((longs){ 0 }, w);
	*to += w * wide + (w << WEIGHT_AT);
}
