// SPDX-License-Identifier: GPL-2.0-only
/*
 * map_reassembly.c - a list of incomplete maps
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include "base/array.h"
#include "slam/workers/map_reassembly.h"

/**
 * struct partial_map - the map of one sender
 * @bytes:	the first part's head, and all tiles so far; empty: none
 */
struct partial_map {
	uint32_t	from;
	struct bytes	bytes;
};

static struct partial_map *of(struct map_reassembly *p, uint32_t from)
{
	struct partial_map *free_one = NULL;

	for (uint32_t i = 0; i < p->count; i++) {
		if (p->list[i].from == from && p->list[i].bytes.len)
			return p->list + i;
		if (!p->list[i].bytes.len)
			free_one = p->list + i;
	}
	if (!free_one) {
		if (array_grow(&p->list, &p->room, p->count,
			       sizeof(*p->list)))
			return NULL;
		free_one = p->list + p->count++;
		*free_one = (struct partial_map){ .from = from };
	}
	assert(!free_one->bytes.len);
	free_one->from = from;
	return free_one;
}

static bool follows(const struct partial_map *c, const struct wire_map *m)
{
	const struct wire_map *first = (const struct wire_map *)c->bytes.data;

	return c->bytes.len && first->update == m->update &&
		first->number == m->number && first->total == m->total &&
		c->bytes.len - sizeof(*first) == m->at;
}

int map_reassembly_take(struct map_reassembly *p, uint32_t from,
			const void **data, size_t *len)
{
	const struct wire_map *m = *data;
	const uint64_t tiles = *len - sizeof(*m);
	struct partial_map *c;
	int err;

	if (*len < sizeof(*m) || m->at > m->total ||
	    tiles > m->total - m->at)
		return -EBADMSG;
	if (tiles == m->total)
		return 1;
	c = of(p, from);
	if (!c)
		return -ENOMEM;
	if (!m->at)
		c->bytes.len = 0;
	else if (!follows(c, m))
		return -EBADMSG;
	err = m->at ? bytes_append(&c->bytes, m + 1, tiles) :
		bytes_append(&c->bytes, m, *len);
	if (err || m->at + tiles < m->total)
		return err;
	*data = c->bytes.data;
	*len = c->bytes.len;
	/* stays valid until the next map begins */
	c->bytes.len = 0;
	return 1;
}

void map_reassembly_drop(struct map_reassembly *p, uint64_t update)
{
	for (uint32_t i = 0; i < p->count; i++) {
		struct bytes *b = &p->list[i].bytes;

		if (!b->len ||
		    ((const struct wire_map *)b->data)->update < update)
			bytes_free(b);
	}
}

void map_reassembly_free(struct map_reassembly *p)
{
	for (uint32_t i = 0; i < p->count; i++)
		bytes_free(&p->list[i].bytes);
	free(p->list);
	*p = (struct map_reassembly){ .count = 0 };
}
