// SPDX-License-Identifier: GPL-2.0-only
/*
 * budget - limit the memory and time that one sender may cost a receiver
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include "transport/budget.h"

#define BUSY	0.8			/* fraction of the time for decoding */

/* For all reservations: they are rare */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

struct budget *budget_create(size_t memory, struct budget *whole)
{
	struct budget *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	b->memory = memory;
	b->whole = whole;
	b->users = 1;
	return b;
}

struct budget *budget_hold(struct budget *b)
{
	b->users++;
	return b;
}

void budget_drop(struct budget *b)
{
	assert(b->users);
	if (!--b->users)
		free(b);
}

static bool budget_has_memory(const struct budget *b, size_t more)
{
	return !b || more <= b->memory - b->reserved;
}

int budget_reserve(struct budget *b, size_t *mine, size_t want)
{
	struct budget *w = b->whole;
	int ret = -EFBIG;

	pthread_mutex_lock(&lock);
	assert(b->reserved >= *mine && b->reserved <= b->memory);
	if (want <= *mine || (budget_has_memory(b, want - *mine) &&
			      budget_has_memory(w, want - *mine))) {
		b->reserved += want - *mine;
		if (w)
			w->reserved += want - *mine;
		*mine = want;
		ret = 0;
	} else {
		b->refused++;
	}
	pthread_mutex_unlock(&lock);
	return ret;
}

bool budget_has_time(struct budget *b)
{
	if (!b->time || b->spent + b->flying < b->time)
		return true;
	b->skipped++;
	return false;
}

void budget_begin(struct budget *b, uint64_t expected)
{
	b->flying += expected;
}

void budget_end(struct budget *b, uint64_t expected, uint64_t spent)
{
	assert(b->flying >= expected);
	b->flying -= expected;
	b->spent += spent;
}

/* Equal share of @left for each stream, with unused time redistributed */
static uint64_t fair(struct budget *const *streams, unsigned int count,
		     uint64_t left)
{
	uint64_t share = left / count, before = 0;

	/* those that need less leave the rest to others */
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

/* New limit: relaxed in steps if it needs less or more time is available */
static uint64_t loosen(const struct budget *b, uint64_t spent, uint64_t most)
{
	uint64_t time = b->time;

	if (b->skipped == b->ticked)
		time *= 2;
	else if (spent < most / 10 * 9)
		time += time / 4;
	return b->skipped == b->ticked && time >= most ? 0 :
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

		/* time beyond the share is deducted later */
		if (b->time)
			b->spent -= b->time < b->spent ? b->time : b->spent;
		else
			b->spent = 0;
		if (share)
			b->time = share;
		else if (b->time)
			b->time = loosen(b, spent, most);
		b->ticked = b->skipped;
	}
}
