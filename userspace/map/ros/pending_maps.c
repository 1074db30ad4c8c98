// SPDX-License-Identifier: GPL-2.0-only
/*
 * pending_maps - maps of messages that cannot be stored yet
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "map/ros/pending_maps.h"

struct message_maps *pending_maps_copy(struct pending_maps *p,
				       const struct message_maps *m)
{
	struct message_maps *copy = malloc(sizeof(*copy));

	assert(m->count && m->count <= SUBMAP_LAYERS);
	if (!copy)
		return NULL;
	*copy = *m;
	copy->bytes = 0;
	for (unsigned int i = 0; i < copy->count; i++) {
		cells_get(copy->cells[i]);
		copy->bytes += copy->cells[i]->bytes;
	}
	p->bytes += copy->bytes;
	return copy;
}

void pending_maps_free(struct pending_maps *p, struct message_maps *m)
{
	assert(p->bytes >= m->bytes);
	for (unsigned int i = 0; i < m->count; i++)
		cells_put(m->cells[i]);
	p->bytes -= m->bytes;
	free(m);
}

bool pending_maps_full(const struct pending_maps *p)
{
	return p->pending_count == PENDING_MAPS ||
	       p->bytes > PENDING_MAPS_BYTES;
}

void pending_maps_add(struct pending_maps *p, struct message_maps *m,
		      uint64_t due)
{
	assert(p->pending_count < PENDING_MAPS);
	assert(!p->pending_count ||
	       p->pending_map[p->pending_count - 1].due <= due);
	p->pending_map[p->pending_count++] = (struct pending_map){ m, due };
}

struct message_maps *pending_maps_get(const struct pending_maps *p,
				      unsigned int i)
{
	return i < p->pending_count ? p->pending_map[i].maps : NULL;
}

struct message_maps *pending_maps_take(struct pending_maps *p, unsigned int i)
{
	struct message_maps *m = pending_maps_get(p, i);

	assert(m);
	memmove(&p->pending_map[i], &p->pending_map[i + 1],
		(--p->pending_count - i) * sizeof(*p->pending_map));
	return m;
}

uint64_t pending_maps_due(const struct pending_maps *p, unsigned int i)
{
	return i < p->pending_count ? p->pending_map[i].due : UINT64_MAX;
}
