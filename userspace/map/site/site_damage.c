// SPDX-License-Identifier: GPL-2.0-only
/*
 * site_damage - list of submaps whose cells cannot be read: they are missing in
 * their maps, and this must be reported
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "map/site/site_parts.h"

/* Call with the lock held. Return: its index, or the number of entries */
static unsigned int site_damage_find(const struct site_damage *d, int64_t id)
{
	unsigned int i = 0;

	while (i < d->count && d->id[i] != id)
		i++;
	return i;
}

/* Return: whether the site still has it */
static bool site_damage_describe(struct site *s, int64_t id,
				 struct site_damaged *out)
{
	uint32_t at;

	pthread_mutex_lock(&s->lock);
	at = index_find(&s->submap_ids, id);
	if (at != INDEX_NONE) {
		const struct submap *m = &s->submap[at];

		strcpy(out->layer, s->layer[m->layer]->layer.name);
		strcpy(out->frame, s->node[m->node].node.frame);
	}
	pthread_mutex_unlock(&s->lock);
	return at != INDEX_NONE;
}

void site_damage_add(struct site *s, int64_t id)
{
	struct site_damage *d = &s->damage;
	struct site_damaged what;
	bool is_new;

	pthread_mutex_lock(&d->lock);
	is_new = site_damage_find(d, id) == d->count &&
		 !array_grow(&d->id, &d->room, d->count, sizeof(*d->id));
	if (is_new) {
		assert(d->count < d->room);
		d->id[d->count++] = id;
	}
	pthread_mutex_unlock(&d->lock);
	if (is_new && d->found && site_damage_describe(s, id, &what))
		d->found(d->arg, &what);
}

void site_damage_drop(struct site *s, int64_t id)
{
	struct site_damage *d = &s->damage;
	unsigned int i;

	pthread_mutex_lock(&d->lock);
	i = site_damage_find(d, id);
	if (i < d->count) {
		assert(d->id[i] == id);
		d->id[i] = d->id[--d->count];
	}
	pthread_mutex_unlock(&d->lock);
}

void site_set_io_error(struct site *s,
		       void (*found)(void *arg, const char *line), void *arg)
{
	store_set_io_error(s->store, found, arg);
	store_set_io_error(s->reader, found, arg);
}

void site_set_damaged(struct site *s,
		      void (*found)(void *arg, const struct site_damaged *d),
		      void *arg)
{
	s->damage.found = found;
	s->damage.arg = arg;
}

unsigned int site_damaged(struct site *s, struct site_damaged *list,
			  unsigned int most)
{
	struct site_damage *d = &s->damage;
	unsigned int count, named = 0;
	int64_t *id;

	pthread_mutex_lock(&d->lock);
	count = d->count;
	id = most && count ? malloc(count * sizeof(*id)) : NULL;
	if (id)
		memcpy(id, d->id, count * sizeof(*id));
	pthread_mutex_unlock(&d->lock);
	for (unsigned int i = 0; id && i < count && named < most; i++)
		named += site_damage_describe(s, id[i], &list[named]);
	free(id);
	return most ? named : count;
}
