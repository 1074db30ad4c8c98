// SPDX-License-Identifier: GPL-2.0-only
/*
 * own_map.c - draws the map of a particle from its steps
 *
 * The best particle may be another one at any update, and often it is one that
 * was the best before. So the maps of the last ones are kept. For others, copies
 * of earlier maps are: of every fourth update the newest one, of every eighth,
 * of every sixteenth, and so on. They share tiles with the maps.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include "base/array.h"
#include "slam/workers/own_map.h"

/* Numbers of particles */
enum {
	OWN_HEADS = 4,			/* from 0 on: maps of the best ones */
	OWN_SPARSE = 2,			/* copies at multiples of 1 << this */
	OWN_COPIES = 24,		/* as SCANS_MAX */
	OWN_ADOPTED = OWN_HEADS + OWN_COPIES,	/* the adopted map */
	OWN_MAPS,			/* number of all of these */
	OWN_DRAFT = OWN_MAPS,
	OWN_FORK,
	OWN_NONE,
};

/**
 * struct own_step - the last step of a map, which no other step has
 * @valid:	the map is drawn
 * @used:	when it was drawn last
 */
struct own_step {
	bool		valid;
	uint64_t	update, used;
	uint32_t	number;
};

/**
 * struct own_map
 * @map:	last steps of all maps
 * @head:	the map
 * @draws:	calls of own_map_draw()
 * @path:	steps to draw
 */
struct own_map {
	struct slam_params	params;
	struct particles	*particles;
	struct scan		scan;
	struct own_step		map[OWN_MAPS];
	uint32_t		head;
	uint64_t		draws;
	trajectory_tree_id	*path;
	uint32_t		room;
};

struct own_map *own_map_create(const struct slam_params *params,
			       unsigned int threads)
{
	struct own_map *o = calloc(1, sizeof(*o));

	if (!o)
		return NULL;
	o->params = *params;
	o->particles = particles_create(params, threads);
	if (o->particles)
		return o;
	free(o);
	return NULL;
}

void own_map_destroy(struct own_map *o)
{
	if (!o)
		return;
	particles_destroy(o->particles);
	scan_free(&o->scan);
	free(o->path);
	free(o);
}

/* Particle with the map of this step */
static uint32_t own_find(const struct own_map *o,
			 const struct trajectory_step *s)
{
	for (uint32_t i = 0; i < OWN_MAPS; i++)
		if (o->map[i].valid && o->map[i].update == s->update &&
		    o->map[i].number == s->number)
			return i;
	return OWN_NONE;
}

/*
 * The steps after the last map that is there, the newest first. Return: their
 * number, @from: the particle of that map; -ENOMEM
 */
static int own_path(struct own_map *o, const struct trajectory_tree *tree,
		    trajectory_tree_id step, uint32_t *from)
{
	uint32_t count = 0;

	*from = OWN_NONE;
	for (; step; step = trajectory_tree_parent(tree, step)) {
		*from = own_find(o, trajectory_tree_at(tree, step));
		if (*from != OWN_NONE)
			break;
		if (array_grow(&o->path, &o->room, count, sizeof(*o->path)))
			return -ENOMEM;
		o->path[count++] = step;
	}
	return (int)count;
}

static uint32_t own_oldest(const struct own_map *o)
{
	uint32_t oldest = 0;

	for (uint32_t i = 1; i < OWN_HEADS; i++)
		if (o->map[i].used < o->map[oldest].used)
			oldest = i;
	return oldest;
}

/* The map becomes that of @from, or a copy of it; OWN_NONE: empty */
static int own_begin(struct own_map *o, uint32_t from)
{
	const struct pose start = { 0, 0, 0 };
	int err = 0;

	o->head = from < OWN_HEADS ? from : own_oldest(o);
	if (from != o->head) {
		o->map[o->head].valid = false;
		err = from == OWN_NONE ?
		      particles_add(o->particles, o->head, &start) :
		      particles_copy(o->particles, o->head, from);
		if (!err && from != OWN_NONE)
			o->map[o->head] = o->map[from];
	}
	o->map[o->head].used = ++o->draws;
	return err;
}

/* Keep a copy of the map at some updates */
static int own_keep(struct own_map *o)
{
	const struct own_step *head = o->map + o->head;
	const int level = __builtin_ctzll(head->update + 1) - OWN_SPARSE;
	const uint32_t to = OWN_HEADS + (uint32_t)level;
	int err;

	if (level < 0 || level >= OWN_COPIES)
		return 0;
	o->map[to].valid = false;
	err = particles_copy(o->particles, to, o->head);
	if (!err)
		o->map[to] = *head;
	return err;
}

static int own_step(struct own_map *o, const struct trajectory_step *s,
		    const struct scans *scans)
{
	const struct wire_reading *w = scans_at(scans, s->update);
	struct own_step *head = o->map + o->head;
	struct reading reading;
	int err;

	if (!w)
		return -EBADMSG;
	reading = scans_reading(w);
	err = scan_make(&o->scan, &reading, &o->params);
	head->valid = false;
	if (!err)
		err = particles_redo(o->particles, o->head, s->update,
				     s->number, &o->scan, &s->pose);
	if (err)
		return err;
	head->valid = true;
	head->update = s->update;
	head->number = s->number;
	return own_keep(o);
}

int own_map_draw(struct own_map *o, const struct trajectory_tree *tree,
		 trajectory_tree_id step, const struct scans *scans)
{
	uint32_t from;
	int count = own_path(o, tree, step, &from);
	int err = count < 0 ? count : own_begin(o, from);

	assert(count <= (int)o->room);
	while (count-- > 0 && !err)
		err = own_step(o, trajectory_tree_at(tree, o->path[count]),
			       scans);
	return err;
}

int own_map_track(struct own_map *o, const struct reading *reading,
		  const struct seek *seek, struct sighting *out)
{
	const int err = scan_make(&o->scan, reading, &o->params);

	if (!err)
		*out = particles_track(o->particles, o->head, &o->scan, seek);
	return err;
}

int own_map_fork(struct own_map *o)
{
	return particles_copy(o->particles, OWN_FORK, o->head);
}

int own_map_fork_track(struct own_map *o, const struct reading *reading,
		       const struct seek *seek, struct sighting *out)
{
	const int err = scan_make(&o->scan, reading, &o->params);

	if (!err)
		*out = particles_track(o->particles, OWN_FORK, &o->scan, seek);
	return err;
}

int own_map_fork_write(struct own_map *o, const struct reading *reading,
		       const struct pose *pose)
{
	const int err = scan_make(&o->scan, reading, &o->params);

	return err ? err : particles_redo(o->particles, OWN_FORK, 0, 0,
					  &o->scan, pose);
}

int own_map_draft(struct own_map *o, uint64_t update,
		  const struct reading *reading, const struct pose *pose)
{
	int err = scan_make(&o->scan, reading, &o->params);

	if (!err && !update)
		err = particles_add(o->particles, OWN_DRAFT, pose);
	return err ? err : particles_redo(o->particles, OWN_DRAFT, update, 0,
					  &o->scan, pose);
}

int own_map_adopt(struct own_map *o, const struct trajectory_tree *tree,
		  trajectory_tree_id step)
{
	const struct trajectory_step *s = trajectory_tree_at(tree, step);
	const uint32_t head = OWN_ADOPTED;
	int err;

	/* steps of the old history may have the same numbers */
	for (uint32_t i = 0; i < OWN_MAPS; i++) {
		o->map[i] = (struct own_step){ .valid = false };
		particles_drop(o->particles, i);
	}
	err = particles_copy(o->particles, head, OWN_DRAFT);
	particles_drop(o->particles, OWN_DRAFT);
	if (err)
		return err;
	o->map[head] = (struct own_step){
		.valid = true, .update = s->update, .number = s->number,
	};
	return own_begin(o, head);
}

void own_map_use(const struct own_map *o, struct particles_use *use)
{
	particles_use(o->particles, use);
}
