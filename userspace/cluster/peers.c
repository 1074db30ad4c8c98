// SPDX-License-Identifier: GPL-2.0-only
/*
 * A sorted array: members are few, messages many.
 */
#include <assert.h>
#include <errno.h>
#include <string.h>
#include "base/array.h"
#include "cluster/peers.h"

/* The first that is not below */
static uint32_t peers_place(const struct peers *p, uint32_t id)
{
	uint32_t low = 0, high = p->count;

	while (low < high) {
		const uint32_t mid = low + (high - low) / 2;

		if (p->list[mid].id < id)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

struct peer *peers_find(const struct peers *p, uint32_t id)
{
	const uint32_t i = peers_place(p, id);

	return i < p->count && p->list[i].id == id ? &p->list[i] : NULL;
}

struct peer *peers_find_address(const struct peers *p, uint64_t address)
{
	uint32_t i;

	for (i = 0; i < p->count; i++)
		if (p->list[i].address == address)
			return &p->list[i];
	return NULL;
}

struct peer *peers_add(struct peers *p, uint32_t id)
{
	const uint32_t i = peers_place(p, id);

	if (i < p->count && p->list[i].id == id)
		return &p->list[i];
	if (array_grow(&p->list, &p->room, p->count, sizeof(*p->list)))
		return NULL;
	assert(i <= p->count && p->count < p->room);
	memmove(p->list + i + 1, p->list + i,
		(p->count - i) * sizeof(*p->list));
	p->count++;
	p->list[i] = (struct peer){ .id = id };
	return &p->list[i];
}

void peers_remove(struct peers *p, struct peer *peer)
{
	const uint32_t i = peer - p->list;

	assert(peer >= p->list && i < p->count);
	p->count--;
	memmove(peer, peer + 1, (p->count - i) * sizeof(*p->list));
}

void peers_free(struct peers *p)
{
	free(p->list);
	*p = (struct peers){ 0 };
}
