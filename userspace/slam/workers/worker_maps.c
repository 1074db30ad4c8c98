// SPDX-License-Identifier: GPL-2.0-only
/*
 * worker_maps.c - particles that move between workers at a resampling
 *
 * A particle that moves to this worker is late until its map is here: the map
 * may come before the message that announces it, and is stored by then. A
 * particle that leaves is copied first: the copy, a ghost, stays unchanged for
 * requests for more tiles.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/log.h"
#include "slam/workers/balance.h"
#include "slam/workers/worker_parts.h"

void worker_drop_lates(struct worker *w)
{
	for (uint32_t i = 0; i < w->lates; i++)
		free(w->late[i].tiles);
	w->lates = 0;
}

void worker_drop_ghosts(struct worker *w)
{
	for (uint32_t i = 0; i < w->ghosts; i++)
		particles_drop(w->particles, w->ghost[i].number);
	w->ghosts = 0;
}

void worker_not_late(struct worker *w, uint32_t number)
{
	uint32_t left = 0;

	for (uint32_t i = 0; i < w->lates; i++) {
		if (w->late[i].number != number)
			w->late[left++] = w->late[i];
		else
			free(w->late[i].tiles);
	}
	assert(left <= w->lates);
	w->lates = left;
}

/*
 * After a resampling
 */

/* @number: gets that of the copy. Return: 0 or a negative errno */
static int make_ghost(struct worker *w, uint32_t of, uint32_t *number)
{
	int err;

	for (uint32_t i = 0; i < w->ghosts; i++) {
		if (w->ghost[i].of == of) {
			*number = w->ghost[i].number;
			return 0;
		}
	}
	err = array_grow(&w->ghost, &w->ghost_room, w->ghosts,
			 sizeof(*w->ghost));
	if (!err)
		err = particles_copy(w->particles, w->next_ghost, of);
	if (err)
		return err;
	assert(w->ghosts < w->ghost_room);
	*number = w->next_ghost++;
	w->ghost[w->ghosts++] = (struct ghost){ of, *number };
	return 0;
}

/* The early write failed for some: retry those. Without memory a map may have a
 * part of the scan only
 */
static int try_again(struct worker *w)
{
	const uint32_t scratch = w->next_ghost;
	int err = w->failed == -ENOMEM ? w->failed : 0;

	for (uint32_t i = 0; i < w->written && !err; i++) {
		err = particles_copy(w->particles, scratch, w->numbers[i]);
		if (!err)
			err = particles_write(w->particles, w->update,
					      &w->scan, &scratch, 1);
		particles_drop(w->particles, scratch);
	}
	return err;
}

/* Write scans to the maps of parents on this worker */
static int write_parents(struct worker *w, const struct wire_child *child,
			 uint32_t count)
{
	uint32_t parents = 0, written = 0;
	int err = 0;

	for (uint32_t i = 0; i < w->count; i++) {
		const uint32_t number = w->numbers[i];

		/* a parent keeps its number, on this or another worker */
		if (number >= count || child[number].parent != number)
			continue;
		w->numbers[parents++] = number;
		written += i < w->written;
	}
	assert(written <= parents && parents <= w->count);
	w->count = parents;
	w->written = written;
	if (w->failed)
		err = try_again(w);
	w->failed = 0;
	if (!err)
		err = worker_write_rest(w);
	w->written = 0;
	return err;
}

/* w->bytes, in as many messages as needed */
static int send_tiles(struct worker *w, uint32_t to, enum wire_type type,
		      const struct wire_map *map)
{
	struct wire_map head = *map;
	int err = 0;

	head.total = w->bytes.len;
	for (head.at = 0; !err; head.at += MAP_REASSEMBLY_PART) {
		const uint64_t left = head.total - head.at;

		err = worker_send(w, to, type, &head, sizeof(head),
				  w->bytes.data + head.at,
				  left < MAP_REASSEMBLY_PART ?
					  left :
					  MAP_REASSEMBLY_PART);
		if (left <= MAP_REASSEMBLY_PART)
			break;
	}
	return err;
}

static int worker_maps_send_map(struct worker *w, const struct wire_child *c)
{
	const struct wire_map head = {
		.pose = particles_pose(w->particles, c->parent),
		.update = w->update, .since = c->since,
		.number = c->parent, .base = c->base,
	};
	uint32_t ghost;
	int err = make_ghost(w, c->parent, &ghost);

	w->bytes.len = 0;
	if (!err)
		err = particles_encode(w->particles, ghost, c->since,
				       &w->bytes);
	if (err)
		return err;
	return send_tiles(w, c->owner, WIRE_MAP, &head);
}

/* Send a parent's map once to each worker that gets children of it */
static int send_maps(struct worker *w, const struct wire_child *child,
		     uint32_t count)
{
	const uint32_t me = bus_id(w->engine);
	uint32_t *first = malloc(((size_t)count + 1) * sizeof(*first));
	uint32_t parents = 0;
	int err = -ENOMEM;

	for (uint32_t i = 0; i < count; i++)
		parents = child[i].parent < parents ? parents :
			child[i].parent + 1;
	if (first)
		err = balance_first(child, count, parents, first);
	for (uint32_t i = 0; i < count && !err; i++) {
		if (child[i].from == me && child[i].owner != me &&
		    first[i] == i)
			err = worker_maps_send_map(w, child + i);
	}
	free(first);
	return err;
}

static int worker_maps_expect(struct worker *w, uint32_t number,
			      const struct wire_child *c)
{
	uint32_t base = WIRE_NONE;
	int err = array_grow(&w->late, &w->late_room, w->lates,
			     sizeof(*w->late));

	if (!err && c->base != WIRE_NONE)
		err = make_ghost(w, c->base, &base);
	if (err)
		return err;
	assert(w->lates < w->late_room);
	w->late[w->lates++] = (struct late){
		.child = *c, .number = number, .base = base,
	};
	return 0;
}

static int take_children(struct worker *w, const struct wire_child *child,
			 uint32_t count)
{
	const uint32_t me = bus_id(w->engine);
	int err = 0;

	for (uint32_t i = 0; i < count && !err; i++) {
		if (child[i].owner == me && child[i].from != me)
			err = worker_maps_expect(w, i, child + i);
	}
	for (uint32_t i = 0; i < count && !err; i++) {
		if (child[i].owner == me && child[i].from == me)
			err = particles_copy(w->particles, i, child[i].parent);
	}
	log_debug("update %llu: %u particles come from other workers",
		  (unsigned long long)w->update, w->lates);
	assert(w->ghosts <= w->next_ghost);
	w->count = 0;
	for (uint32_t i = 0; !err && i < w->next_ghost - w->ghosts; i++) {
		if (i < count && child[i].owner == me && child[i].from == me)
			err = worker_add_new(w, i);
		else
			particles_drop(w->particles, i);
	}
	return err;
}

/*
 * Maps of other workers
 */

/* The first late particle of this parent; NULL: none */
static struct late *find_late(struct worker *w, uint32_t from, uint32_t parent)
{
	for (uint32_t i = 0; i < w->lates; i++) {
		struct late *l = w->late + i;

		if (l->child.from == from && l->child.parent == parent)
			return l;
	}
	return NULL;
}

static bool brothers(const struct late *a, const struct late *b)
{
	return a->child.from == b->child.from &&
		a->child.parent == b->child.parent;
}

/* All tiles of @l are there: it and its siblings become active */
static int worker_maps_finish(struct worker *w, const struct late *l,
			      const void *tiles, size_t len)
{
	const struct late first = *l;
	uint32_t left = 0;
	int err = particles_decode(w->particles, first.number, tiles, len);

	/* all, before the first one moves */
	for (uint32_t i = 0; i < w->lates && !err; i++) {
		if (brothers(w->late + i, &first))
			err = particles_copy(w->particles, w->late[i].number,
					     first.number);
	}
	for (uint32_t i = 0; i < w->lates; i++) {
		const struct late k = w->late[i];

		if (!brothers(&k, &first))
			w->late[left++] = k;
		else if (!err)
			err = worker_arrived(w, k.number);
	}
	free(first.tiles);
	assert(left < w->lates);
	w->lates = left;
	return err;
}

/* Request the missing tiles, and store those that came */
static int put_off(struct worker *w, struct late *l, const struct wire_map *m,
		   size_t len, const struct map_place *place, uint32_t count)
{
	const struct wire_map head = {
		.update = m->update, .number = m->number,
	};

	assert(!l->tiles);
	l->tiles = malloc(len + 1);
	if (!l->tiles)
		return -ENOMEM;
	memcpy(l->tiles, m + 1, len);
	l->len = len;
	return worker_send(w, l->child.from, WIRE_NEED, &head, sizeof(head),
		       place, count * sizeof(*place));
}

static int worker_maps_put_map(struct worker *w, struct late *l,
			       const struct wire_map *m, size_t len)
{
	struct map_place *place = NULL;
	int count = 0, err;

	len -= sizeof(*m);
	if (!slam_pose_valid(&w->params, &m->pose))
		return -EBADMSG;
	if (l->base == WIRE_NONE)
		err = particles_add(w->particles, l->number, &m->pose);
	else
		err = particles_copy(w->particles, l->number, l->base);
	if (err)
		return err;
	particles_place(w->particles, l->number, &m->pose);
	if (l->base != WIRE_NONE)
		count = particles_stale(w->particles, l->number,
					l->child.since, m + 1, len, &place);
	if (count > 0)
		err = put_off(w, l, m, len, place, (uint32_t)count);
	else if (!count)
		err = worker_maps_finish(w, l, m + 1, len);
	free(place);
	return count < 0 ? count : err;
}

static int keep_early(struct worker *w, uint32_t from, const struct wire_map *m,
		      size_t len)
{
	struct wire_map *copy = malloc(len);

	if (!copy || array_grow(&w->early, &w->early_room, w->earlies,
				sizeof(*w->early))) {
		free(copy);
		return -ENOMEM;
	}
	assert(w->earlies < w->early_room);
	memcpy(copy, m, len);
	w->early[w->earlies++] = (struct early){ from, len, copy };
	return 0;
}

/* The map is complete */
static int take_map(struct worker *w, uint32_t from, const struct wire_map *m,
		    size_t len)
{
	struct late *l;

	if (m->update >= w->settled)
		return keep_early(w, from, m, len);
	l = m->update + 1 == w->settled ? find_late(w, from, m->number) : NULL;
	/* otherwise it was rebuilt in the meantime */
	return l && !l->tiles ? worker_maps_put_map(w, l, m, len) : 0;
}

int worker_on_map(struct worker *w, uint32_t from, const void *data, size_t len)
{
	const struct wire_map *m = data;
	int ret;

	/* before SETUP the resolution is unknown: worker_maps_put_map() */
	if (len < sizeof(*m) || !pose_valid(&m->pose))
		return -EBADMSG;
	ret = map_reassembly_take(&w->reassembly, from, &data, &len);
	return ret > 0 ? take_map(w, from, data, len) : ret;
}

static int put_early(struct worker *w)
{
	uint32_t left = 0;
	int err = 0;

	for (uint32_t i = 0; i < w->earlies; i++) {
		const struct early e = w->early[i];

		if (err || e.map->update >= w->settled) {
			w->early[left++] = e;
			continue;
		}
		err = take_map(w, e.from, e.map, e.len);
		free(e.map);
	}
	w->earlies = left;
	return err;
}

int worker_on_need(struct worker *w, uint32_t from, const void *data,
		   size_t len)
{
	const struct wire_map *m = data;
	uint32_t i = 0;
	int err;

	if (len < sizeof(*m))
		return -EBADMSG;
	while (i < w->ghosts && w->ghost[i].of != m->number)
		i++;
	if (m->update + 1 != w->settled || i == w->ghosts)
		return 0;
	w->bytes.len = 0;
	err = particles_encode_places(w->particles, w->ghost[i].number,
		(const struct map_place *)(m + 1),
		(uint32_t)((len - sizeof(*m)) / sizeof(struct map_place)),
		&w->bytes);
	if (err)
		return err;
	return send_tiles(w, from, WIRE_TILES, m);
}

int worker_on_tiles(struct worker *w, uint32_t from, const void *data,
		    size_t len)
{
	const struct wire_map *m;
	struct late *l;
	int err = map_reassembly_take(&w->reassembly, from, &data, &len);

	if (err <= 0)
		return err;
	m = data;
	l = m->update + 1 == w->settled ? find_late(w, from, m->number) : NULL;
	if (!l || !l->tiles)
		return 0;
	w->bytes.len = 0;
	err = bytes_append(&w->bytes, l->tiles, l->len);
	if (!err)
		err = bytes_append(&w->bytes, m + 1, len - sizeof(*m));
	/* the particles that become active overwrite it */
	if (!err)
		err = particles_decode(w->particles, l->number, w->bytes.data,
				       w->bytes.len);
	return err ? err : worker_maps_finish(w, l, NULL, 0);
}

/*
 * Resampling
 */

int worker_settle_all(struct worker *w)
{
	int err = w->failed;

	w->matching = false;
	w->settled = w->update + 1;
	map_reassembly_drop(&w->reassembly, w->settled);
	worker_drop_lates(w);
	worker_drop_ghosts(w);
	if (!err)
		err = worker_write_rest(w);
	w->written = 0;
	return err;
}

int worker_on_settle(struct worker *w, const void *data, size_t len)
{
	const struct wire_settle *s = data;
	const struct wire_child *child = (const struct wire_child *)(s + 1);
	int err;

	if (len < sizeof(*s) || s->count > SLAM_PARTICLES_MAX ||
	    len < sizeof(*s) + s->count * sizeof(*child))
		return -EBADMSG;
	for (uint32_t i = 0; i < s->count; i++) {
		if (child[i].parent >= SLAM_PARTICLES_MAX ||
		    (child[i].from == bus_id(w->engine) &&
		     !particles_has(w->particles, child[i].parent)))
			return -EBADMSG;
	}
	/* their sender is lost */
	map_reassembly_drop(&w->reassembly, s->update);
	/* a new worker was not asked to match, and has no particles */
	if ((!w->matching || s->update != w->update) && w->count)
		return -EBADMSG;
	w->update = s->update;
	if (!s->count)
		return worker_settle_all(w);
	w->matching = false;
	w->settled = s->update + 1;
	worker_drop_lates(w);
	worker_drop_ghosts(w);
	/* ghosts have numbers above all particles */
	w->next_ghost = s->count;
	for (uint32_t i = 0; i < w->count; i++) {
		if (w->numbers[i] >= w->next_ghost)
			w->next_ghost = w->numbers[i] + 1;
	}
	err = write_parents(w, child, s->count);
	if (!err)
		err = send_maps(w, child, s->count);
	if (!err)
		err = take_children(w, child, s->count);
	return err ? err : put_early(w);
}
