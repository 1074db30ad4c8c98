// SPDX-License-Identifier: GPL-2.0-only
/*
 * balance.c - move children from overloaded workers to the others
 */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include "slam/workers/balance.h"

#define NOBODY	UINT32_MAX

/* A share this close to a whole number of particles is one */
#define BALANCE_WHOLE	1e-9

/* @share: of a worker. Whole particles of it */
static uint32_t balance_whole(double share, uint32_t count)
{
	return (uint32_t)floor(share * count + BALANCE_WHOLE);
}

/*
 * @room: [@workers] gets the number of particles of each. Those that are left
 * over go to workers with at least half of one more in their share, then to
 * others; in both cases first to those that have a child for it
 */
static void share_out(const uint32_t *children, uint32_t count,
		      uint32_t workers, const double *share, uint32_t *room)
{
	uint32_t more = count;

	for (uint32_t w = 0; w < workers; w++) {
		room[w] = balance_whole(share[w], count);
		room[w] = room[w] < more ? room[w] : more;
		more -= room[w];
	}
	for (int round = 0; more && round < 4; round++) {
		for (uint32_t w = 0; w < workers && more; w++) {
			const uint32_t whole = balance_whole(share[w], count);
			const bool half = share[w] * count - whole >= 0.5;

			if (room[w] != whole || share[w] <= 0 ||
			    (round < 2 && !half) ||
			    (!(round & 1) && children[w] <= room[w]))
				continue;
			room[w]++;
			more--;
		}
	}
	assert(!more);
}

/* Children that stay, first those with their parent's number: the maps of the
 * others can be shared
 */
static void balance_keep(const uint32_t *parent, uint32_t count,
			 const uint32_t *home, uint32_t *room, uint32_t *owner)
{
	for (int others = 0; others < 2; others++) {
		for (uint32_t i = 0; i < count; i++) {
			const uint32_t w = home[parent[i]];

			if ((parent[i] != i) != others || !room[w])
				continue;
			owner[i] = w;
			room[w]--;
		}
	}
}

int balance_share(const uint32_t *parent, uint32_t count,
		  const uint32_t *home, uint32_t workers, const double *share,
		  uint32_t *owner)
{
	uint32_t *children = calloc(2 * (size_t)workers, sizeof(*children));
	uint32_t *room = children + workers, next = 0;
	int moves = 0;

	if (!children)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		children[home[parent[i]]]++;
		owner[i] = NOBODY;
	}
	share_out(children, count, workers, share, room);
	balance_keep(parent, count, home, room, owner);
	/* siblings are consecutive, so most of them go to the same worker */
	for (uint32_t i = 0; i < count; i++) {
		if (owner[i] != NOBODY)
			continue;
		while (!room[next])
			next++;
		owner[i] = next;
		room[next]--;
		moves++;
	}
	free(children);
	return moves;
}

int balance_first(const struct wire_child *child, uint32_t count,
		  uint32_t parents, uint32_t *first)
{
	/* the last first child of each parent, and a link to the one before */
	uint32_t *last = malloc(((size_t)parents + count) * sizeof(*last));
	uint32_t *before = last + parents;

	if (!last)
		return -ENOMEM;
	for (uint32_t i = 0; i < parents; i++)
		last[i] = NOBODY;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t k;

		first[i] = i;
		if (child[i].from == child[i].owner)
			continue;
		k = last[child[i].parent];
		while (k != NOBODY && child[k].owner != child[i].owner)
			k = before[k];
		if (k != NOBODY) {
			first[i] = k;
			continue;
		}
		before[i] = last[child[i].parent];
		last[child[i].parent] = i;
	}
	free(last);
	return 0;
}
