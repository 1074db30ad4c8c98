// SPDX-License-Identifier: GPL-2.0-only
/*
 * robot_clock - stamps of a robot in the operator's clock
 */
#include "view/robot_clock.h"

static const int64_t window = 60000000000;
static const int64_t synchronised_from = -50000000;
static const int64_t synchronised_to = 1000000000;

static const int64_t jump = 10000000000;
static const int64_t jitter = 200000000;

enum { SAME = 10 };

void robot_clock_add(struct robot_clock *c, int64_t stamp, int64_t arrival)
{
	const int64_t d = arrival - stamp;

	if (c->known[0] && arrival - c->since > window) {
		c->min[1] = c->min[0];
		c->known[1] = true;
		c->known[0] = false;
	}
	if (!c->known[0])
		c->since = arrival;
	if (!c->known[0] || d < c->min[0])
		c->min[0] = d;
	c->known[0] = true;
	if (d - c->min[0] > jump && d - c->last < jitter &&
	    c->last - d < jitter)
		c->same++;
	else
		c->same = 0;
	c->last = d;
	if (c->same < SAME)
		return;
	c->min[0] = d;
	c->known[1] = false;
	c->same = 0;
}

int64_t robot_clock_time(const struct robot_clock *c, int64_t stamp,
			 int64_t arrival)
{
	int64_t offset, t;

	if (!c->known[0])
		return arrival;
	offset = c->min[0];
	if (c->known[1] && c->min[1] < offset)
		offset = c->min[1];
	if (offset >= synchronised_from && offset <= synchronised_to)
		offset = 0;
	t = stamp + offset;
	return t < arrival ? t : arrival;
}
