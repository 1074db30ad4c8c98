/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * allocation.h - divide the rate among topics
 *
 * First each topic gets its floor, in order of priority. The rest is divided by
 * weight; no topic gets more than its demand. The topic in focus comes first.
 */
#ifndef LINK_ALLOCATION_H
#define LINK_ALLOCATION_H

#include <stdbool.h>
#include <stdint.h>

enum {
	ALLOCATION_TOPICS	= 64,
	ALLOCATION_PRIORITY	= 7,	/* largest; weights are powers of 2 */
};

/**
 * struct allocation_topic - a topic
 * @priority:	0 .. 7, larger first
 * @focus:	the operator looks at it now: handled as priority 8
 * @floor:	least rate at which it is useful, bytes/s
 * @demand:	largest rate that it can use, bytes/s; 0: switched off
 * @on:		it gets at least its floor; kept between calls for hysteresis:
 *		to switch it on takes more than to keep it on
 * @rate:	allocated rate, bytes/s
 */
struct allocation_topic {
	unsigned int	priority;
	bool		focus;
	double		floor, demand;
	bool		on;
	double		rate;
};

/* Weight of a topic when the rest is divided */
double allocation_weight(const struct allocation_topic *topic);

/**
 * allocation_divide() - set @on and @rate of all
 * @count:	number of topics; those beyond ALLOCATION_TOPICS get nothing
 * @budget:	bytes/s; upper bound of the sum of all rates
 *
 * If no topic can have its floor, the most important one gets all of it.
 */
void allocation_divide(struct allocation_topic *topics, unsigned int count,
		       double budget);

#endif
