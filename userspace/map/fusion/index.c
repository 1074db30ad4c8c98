// SPDX-License-Identifier: GPL-2.0-only
/*
 * index - linear probing, at most half full, without deletion marks
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include "map/fusion/index.h"

enum { SLOTS_MIN = 64 };

void index_free(struct index *t)
{
	free(t->key);
	free(t->number);
	*t = (struct index){ 0 };
}

static uint32_t home_of(const struct index *t, uint64_t key)
{
	key *= 0x9e3779b97f4a7c15ULL;
	return (key ^ key >> 32) & (t->slots - 1);
}

/* Slot of a key, or the free slot for it */
static uint32_t index_slot_of(const struct index *t, uint64_t key)
{
	uint32_t i = home_of(t, key);

	while (t->number[i] != INDEX_NONE && t->key[i] != key)
		i = (i + 1) & (t->slots - 1);
	return i;
}

uint32_t index_find(const struct index *t, uint64_t key)
{
	return t->slots ? t->number[index_slot_of(t, key)] : INDEX_NONE;
}

static int index_grow(struct index *t)
{
	const uint32_t slots = t->slots ? 2 * t->slots : SLOTS_MIN;
	struct index more = { malloc(slots * sizeof(*more.key)),
			      malloc(slots * sizeof(*more.number)), slots,
			      t->used };

	if (!more.key || !more.number) {
		index_free(&more);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < slots; i++)
		more.number[i] = INDEX_NONE;
	for (uint32_t i = 0; i < t->slots; i++) {
		uint32_t to;

		if (t->number[i] == INDEX_NONE)
			continue;
		to = index_slot_of(&more, t->key[i]);
		more.key[to] = t->key[i];
		more.number[to] = t->number[i];
	}
	index_free(t);
	*t = more;
	return 0;
}

int index_add(struct index *t, uint64_t key, uint32_t number)
{
	uint32_t i;

	if (2 * (t->used + 1) > t->slots && index_grow(t))
		return -ENOMEM;
	i = index_slot_of(t, key);
	assert(i < t->slots && t->number[i] == INDEX_NONE);
	t->key[i] = key;
	t->number[i] = number;
	t->used++;
	assert(2 * t->used <= t->slots);
	return 0;
}

/* Later entries that were displaced by it move up */
void index_remove(struct index *t, uint64_t key)
{
	const uint32_t mask = t->slots - 1;
	uint32_t hole;

	if (index_find(t, key) == INDEX_NONE)
		return;
	hole = index_slot_of(t, key);
	for (uint32_t i = (hole + 1) & mask; t->number[i] != INDEX_NONE;
	     i = (i + 1) & mask) {
		const uint32_t home = home_of(t, t->key[i]);

		if (((i - home) & mask) < ((i - hole) & mask))
			continue;
		t->key[hole] = t->key[i];
		t->number[hole] = t->number[i];
		hole = i;
	}
	t->number[hole] = INDEX_NONE;
	assert(t->used);
	t->used--;
}
