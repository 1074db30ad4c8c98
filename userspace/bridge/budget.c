// SPDX-License-Identifier: GPL-2.0-only
/*
 * budget - what a sender may make a receiver spend: memory, and time
 */
#include <errno.h>
#include "bridge/budget.h"

#define BUSY	0.8			/* of the time, for decoding */

int budget_reserve(struct budget *b, size_t *mine, size_t want)
{
	struct budget *w = b->whole;

	if (want > *mine && (want - *mine > b->memory - b->reserved ||
			     (w && want - *mine > w->memory - w->reserved))) {
		b->refused++;
		return -EFBIG;
	}
	b->reserved += want - *mine;
	if (w)
		w->reserved += want - *mine;
	*mine = want;
	return 0;
}

bool budget_has_time(struct budget *b)
{
	if (!b->time || b->spent < b->time)
		return true;
	b->skipped++;
	return false;
}

/* What each may spend so that all together spend @left */
static uint64_t fair(struct budget *const *streams, unsigned int count,
		     uint64_t left)
{
	uint64_t share = left / count, before = 0;

	/* those that want less than the share leave some of it */
	while (share != before) {
		uint64_t rest = left;
		unsigned int open = 0;

		before = share;
		for (unsigned int i = 0; i < count; i++) {
			if (streams[i]->spent > share)
				open++;
			else
				rest -= streams[i]->spent;
		}
		if (open)
			share = rest / open;
	}
	return share ? share : 1;
}

/* It becomes free again step by step, if it wants less or there is more */
static uint64_t loosen(const struct budget *b, uint64_t spent, uint64_t most)
{
	uint64_t time = b->time;

	if (b->skipped == b->told)
		time *= 2;
	else if (spent < most / 10 * 9)
		time += time / 4;
	return b->skipped == b->told && time >= most ? 0 :
	       time < most ? time : most;
}

void budget_tick(struct budget *const *streams, unsigned int count,
		 uint64_t span)
{
	uint64_t most = span * BUSY, spent = 0, share = 0;

	for (unsigned int i = 0; i < count; i++)
		spent += streams[i]->spent;
	if (spent > most)
		share = fair(streams, count, most);
	for (unsigned int i = 0; i < count; i++) {
		struct budget *b = streams[i];

		/* what a frame took beyond the share is paid later */
		if (b->time)
			b->spent -= b->time < b->spent ? b->time : b->spent;
		else
			b->spent = 0;
		if (share)
			b->time = share;
		else if (b->time)
			b->time = loosen(b, spent, most);
		b->told = b->skipped;
	}
}
