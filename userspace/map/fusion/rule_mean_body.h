/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rule_mean_body.h - the mean, for one kind of cells and of accumulators;
 * included once for each
 *
 * MEAN_CELLS is RULE_STEP cells, NAME(x) makes names. SUM, with its signed type
 * ISUM, and COUNT_AT define the accumulator: the sum of values below bit
 * COUNT_AT, and their number from there on.
 */
VECTOR(NAME(sums), SUM);
VECTOR(NAME(isums), ISUM);

/*
 * The count never overflows, as callers switch to wider accumulators in time.
 * If it was full, further values would be ignored.
 */
ADD(mean, NAME(sums), MEAN_CELLS)
{
	const SUM one = (SUM)1 << COUNT_AT;
	const NAME(sums) full = ~(one - 1) - (NAME(sums)){ 0 };
	const NAME(isums) wide = WIDEN(*from, NAME(isums));
	const NAME(sums) use = (NAME(sums))KNOWN(NAME(isums), wide) &
			       (NAME(sums))LESS(*to, full);

	*to += ((NAME(sums))wide + one) & use;
}

static void NAME(mean_values)(const void *from, unsigned int n, int16_t *to)
{
	const SUM *acc = from;

	for (unsigned int i = 0; i < n; i++) {
		const SUM sum = acc[i] & (((SUM)1 << COUNT_AT) - 1);
		const SUM count = acc[i] >> COUNT_AT;

		to[i] = count ? (int16_t)((2 * sum + count) / (2 * count)) : -1;
	}
}
