// SPDX-License-Identifier: GPL-2.0-only
/*
 * site_remove - remove a layer
 *
 * Others refer to it and to its submaps by number: these stay, and are marked
 * as removed.
 */
#include <errno.h>
#include <string.h>
#include "base/error.h"
#include "map/site/site_parts.h"

/* Remove it from its node's list. Call with the lock held */
static void unlink_submap(struct site *s, uint32_t at)
{
	const struct submap *m = &s->submap[at];
	uint32_t *next = &s->node[m->node].first;

	while (*next != at)
		next = &s->submap[*next].next;
	*next = m->next;
}

/* Call with the lock held */
static void forget_submap(struct site *s, uint32_t at)
{
	struct submap *m = &s->submap[at];

	unlink_submap(s, at);
	index_remove(&s->submap_index, submap_key(m->node, m->layer));
	index_remove(&s->submap_ids, m->submap.id);
	site_drop_made(s->cache, m->submap.id);
	cache_drop(s->cache, m->submap.id);
	site_damage_drop(s, m->submap.id);
	m->layer = SITE_REMOVED;
	m->pending = false;
	s->removed++;
}

static void site_remove_forget_layer(struct site *s, unsigned int number)
{
	struct layer_state *l = s->layer[number];

	pthread_mutex_lock(&s->lock);
	for (uint32_t i = 0; i < s->submaps; i++)
		if (s->submap[i].layer == number)
			forget_submap(s, i);
	l->id = 0;
	l->submaps = l->pendings = l->fusing = 0;
	l->first = INDEX_NONE;
	l->renew = l->fused;
	/* layers whose confidence it was */
	for (unsigned int i = 0; i < s->layers; i++)
		if (!strcmp(s->layer[i]->layer.weights, l->layer.name))
			s->layer[i]->renew |= s->layer[i]->fused != NULL;
	pthread_mutex_unlock(&s->lock);
}

int site_remove_layer(struct site *s, unsigned int number,
		      unsigned int *submaps, struct error *error)
{
	int err;

	site_turn(s);
	err = store_remove_layer(s->store, s->layer[number]->id, submaps);
	if (err)
		error_set(error, err, "layer %s: %s",
			  s->layer[number]->layer.name,
			  store_error(s->store));
	else
		site_remove_forget_layer(s, number);
	site_turn_end(s);
	return err;
}

bool site_layer_removed(struct site *s, unsigned int number)
{
	bool removed;

	pthread_mutex_lock(&s->lock);
	removed = !s->layer[number]->id;
	pthread_mutex_unlock(&s->lock);
	return removed;
}
