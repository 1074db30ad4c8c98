/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * allocation.h - what each topic gets of the rate
 *
 * First what each needs to be of any use, in the order of their priorities;
 * then the rest by weight, to nobody more than it can use. The focus of the
 * mission goes before all.
 */
#ifndef LINK_ALLOCATION_H
#define LINK_ALLOCATION_H

#include <stdbool.h>
#include <stdint.h>

enum {
	ALLOCATION_TOPICS	= 64,
	ALLOCATION_PRIORITY	= 7,	/* the most; weights are powers of 2 */
};

/**
 * struct allocation_topic - a topic
 * @priority:	0 .. 7, larger first
 * @focus:	the operator looks at it now: as if of priority 8
 * @floor:	bytes/s without which it is of no use
 * @demand:	most that it can use, bytes/s; 0: it is off
 * @on:		it gets its floor at least; kept from call to call, as one
 *		that is off needs more to come back than to stay
 * @rate:	what it gets, bytes/s
 */
struct allocation_topic {
	unsigned int	priority;
	bool		focus;
	double		floor, demand;
	bool		on;
	double		rate;
};

/* Of what is left behind the floors, by which it is divided */
double allocation_weight(const struct allocation_topic *topic);

/**
 * allocation_divide() - set @on and @rate of all
 * @count:	ALLOCATION_TOPICS at most; more get nothing
 * @budget:	bytes/s; the rates together are not more
 *
 * If it is enough for no topic, the first one gets all of it.
 */
void allocation_divide(struct allocation_topic *topics, unsigned int count,
		       double budget);

#endif
