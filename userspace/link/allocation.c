// SPDX-License-Identifier: GPL-2.0-only
/*
 * Floors by priority, then water-filling by weight.
 */
#include <assert.h>
#include <math.h>
#include <stddef.h>
#include "allocation.h"

/* hysteresis, larger than the variation of the rate on a steady link */
static const double AGAIN = 1.3;

static unsigned int share_rank(const struct allocation_topic *t)
{
	if (t->focus)
		return ALLOCATION_PRIORITY + 1;
	return t->priority < ALLOCATION_PRIORITY ? t->priority :
						   ALLOCATION_PRIORITY;
}

double allocation_weight(const struct allocation_topic *t)
{
	return 1 << share_rank(t);
}

/* 0 for NaN, infinity and negative values */
static double share_sane(double v)
{
	return isfinite(v) && v > 0 ? v : 0;
}

static double share_floor(const struct allocation_topic *t)
{
	return fmin(share_sane(t->floor), share_sane(t->demand));
}

/* Satisfy floors in order of priority. Return: rest of @budget */
static double share_floors(struct allocation_topic *topics, unsigned int count,
			   double budget)
{
	double left = budget;

	for (int rank = ALLOCATION_PRIORITY + 1; rank >= 0; rank--) {
		for (unsigned int i = 0; i < count; i++) {
			struct allocation_topic *t = &topics[i];
			double need = share_floor(t);

			if (share_rank(t) != (unsigned int)rank)
				continue;
			t->rate = 0;
			t->on = share_sane(t->demand) > 0 &&
				need * (t->on ? 1 : AGAIN) <= left;
			if (!t->on)
				continue;
			t->rate = need;
			left -= need;
		}
	}
	assert(left >= 0);
	return left;
}

/* If no topic can have its floor, give the most important one all there is */
static void share_one(struct allocation_topic *topics, unsigned int count,
		      double budget)
{
	struct allocation_topic *best = NULL;

	for (unsigned int i = 0; i < count; i++) {
		struct allocation_topic *t = &topics[i];

		if (t->on)
			return;
		if (share_sane(t->demand) > 0 &&
		    (!best || share_rank(t) > share_rank(best)))
			best = t;
	}
	if (!best)
		return;
	best->on = budget > 0;
	best->rate = fmin(budget, share_sane(best->demand));
}

/*
 * Water-filling: each round but the last satisfies at least one topic. Topics
 * whose part exceeds their demand get the demand and leave the round.
 */
static void share_rest(struct allocation_topic *topics, unsigned int count,
		       double left)
{
	for (unsigned int round = 0; round <= count && left > 0; round++) {
		double weights = 0, given = 0, part;
		bool full = false;

		for (unsigned int i = 0; i < count; i++)
			if (topics[i].on && topics[i].rate < topics[i].demand)
				weights += allocation_weight(&topics[i]);
		if (weights <= 0)
			return;
		part = left / weights;
		for (unsigned int i = 0; i < count; i++) {
			struct allocation_topic *t = &topics[i];
			double room = t->demand - t->rate;

			if (!t->on || room <= 0 ||
			    room > part * allocation_weight(t))
				continue;
			t->rate = t->demand;
			given += room;
			full = true;
		}
		assert(given <= left * (1 + 1e-9));
		left -= given;
		if (full)
			continue;
		for (unsigned int i = 0; i < count; i++) {
			struct allocation_topic *t = &topics[i];

			if (t->on && t->rate < t->demand)
				t->rate += part * allocation_weight(t);
		}
		return;
	}
}

void allocation_divide(struct allocation_topic *topics, unsigned int count,
		       double budget)
{
	double left, sum = 0;

	budget = share_sane(budget);
	for (; count > ALLOCATION_TOPICS; count--) {
		topics[count - 1].on = false;
		topics[count - 1].rate = 0;
	}
	left = share_floors(topics, count, budget);
	share_one(topics, count, budget);
	share_rest(topics, count, left);
	/* correct rounding errors */
	for (unsigned int i = 0; i < count; i++)
		sum += topics[i].rate;
	for (unsigned int i = 0; i < count && sum > budget; i++)
		topics[i].rate *= budget / sum;
}
