// SPDX-License-Identifier: GPL-2.0-only
/*
 * particle_pool_local.c - particles in this process, without any network
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "slam/filter/likelihood_field.h"
#include "slam/filter/particle_pool.h"

struct local {
	struct particle_pool	pool;
	struct slam_params	params;
	struct particles	*particles;
	struct scan		scan;
	uint32_t		*numbers;	/* 0 and up */
	uint32_t		room;
	uint8_t			*used;
};

static int pool_local_make_room(struct local *l, uint32_t count)
{
	uint32_t *numbers;
	uint8_t *used;

	if (count <= l->room)
		return 0;
	numbers = realloc(l->numbers, count * sizeof(*numbers));
	if (!numbers)
		return -ENOMEM;
	l->numbers = numbers;
	used = realloc(l->used, count);
	if (!used)
		return -ENOMEM;
	l->used = used;
	for (uint32_t i = 0; i < count; i++)
		numbers[i] = i;
	l->room = count;
	return 0;
}

/* All particles begin at the origin of the map */
static int add_missing(struct local *l, uint32_t count)
{
	int err = pool_local_make_room(l, count);

	for (uint32_t i = 0; !err && i < count; i++) {
		if (!particles_has(l->particles, i))
			err = particles_add(l->particles, i,
					    &(struct pose){ 0, 0, 0 });
	}
	return err;
}

static int local_match(struct particle_pool *t,
		       const struct particle_pool_state *state,
		       const struct particle_pool_order *order,
		       const struct reading *reading, struct outcome *out)
{
	struct local *l = (struct local *)t;
	int err = add_missing(l, state->count);

	if (!err)
		err = scan_make(&l->scan, reading, &l->params);
	if (!err)
		err = particles_match(l->particles, order->update, &l->scan,
				      &order->motion, l->numbers, state->count,
				      out);
	return err;
}

/* Find the parents. Return: how many, their numbers in @l->numbers */
static uint32_t find_parents(struct local *l, const uint32_t *parent,
			     uint32_t count)
{
	uint32_t parents = 0;

	memset(l->used, 0, l->room);
	for (uint32_t i = 0; i < count; i++) {
		assert(parent[i] < l->room);
		l->used[parent[i]] = 1;
	}
	for (uint32_t i = 0; i < l->room; i++) {
		if (l->used[i])
			l->numbers[parents++] = i;
	}
	assert(parents <= count);
	return parents;
}

static int local_settle(struct particle_pool *t,
			const struct particle_pool_state *state,
			uint64_t update, const uint32_t *parent, uint32_t count)
{
	struct local *l = (struct local *)t;
	uint32_t parents = count;
	int err;

	(void)state;
	err = pool_local_make_room(l, count);
	if (err)
		return err;
	if (parent)
		parents = find_parents(l, parent, count);
	if (!l->params.fixed)
		err = particles_write(l->particles, update, &l->scan,
				      l->numbers, parents);
	for (uint32_t i = 0; i < l->room; i++)
		l->numbers[i] = i;
	if (!parent)
		return err;
	/* a parent keeps its number, so it is not overwritten early */
	for (uint32_t i = 0; i < count && !err; i++)
		err = particles_copy(l->particles, i, parent[i]);
	for (uint32_t i = count; i < l->room; i++)
		particles_drop(l->particles, i);
	return err;
}

static int local_track(struct particle_pool *t,
		       const struct particle_pool_state *state, uint32_t number,
		       const struct reading *reading, const struct seek *seek,
		       struct sighting *out)
{
	struct local *l = (struct local *)t;
	const int err = scan_make(&l->scan, reading, &l->params);

	(void)state;
	if (!err)
		*out = particles_track(l->particles, number, &l->scan, seek);
	return err;
}

static int local_recall(struct particle_pool *t,
			const struct particle_pool_state *state,
			uint64_t update, const struct reading *reading,
			const struct outcome *out)
{
	struct local *l = (struct local *)t;
	int err = add_missing(l, state->count);

	(void)update;
	if (!err)
		err = scan_make(&l->scan, reading, &l->params);
	for (uint32_t i = 0; i < state->count && !err; i++)
		particles_place(l->particles, i, &out[i].pose);
	return err;
}

/* The map apart has a number that no particle has */
static int local_draft(struct particle_pool *t, uint64_t update,
		       const struct reading *reading, const struct pose *pose)
{
	struct local *l = (struct local *)t;
	const uint32_t draft = l->params.particles;
	int err = scan_make(&l->scan, reading, &l->params);

	if (!err && !update)
		err = particles_add(l->particles, draft, pose);
	return err ? err : particles_redo(l->particles, draft, update, 0,
					  &l->scan, pose);
}

static int local_adopt(struct particle_pool *t,
		       const struct particle_pool_state *state)
{
	struct local *l = (struct local *)t;
	const uint32_t draft = l->params.particles;
	int err = 0;

	for (uint32_t i = 0; i < state->count && !err; i++)
		err = particles_copy(l->particles, i, draft);
	particles_drop(l->particles, draft);
	return err;
}

/* The walls are the endpoints of one scan, from the origin */
static int draw_walls(struct local *l, const struct walls *w)
{
	const double units = FIELD_UNIT / l->params.resolution;
	const struct pose origin = { 0, 0, 0 };
	const uint32_t draft = l->params.particles;
	struct scan s = { .hits = w->count };
	int err = particles_add(l->particles, draft, &origin);

	s.x = malloc((w->count + 1) * sizeof(*s.x));
	s.y = malloc((w->count + 1) * sizeof(*s.y));
	if (!s.x || !s.y)
		err = -ENOMEM;
	for (uint32_t i = 0; i < w->count && !err; i++) {
		s.x[i] = (float)(units * (double)w->x[i]);
		s.y[i] = (float)(units * (double)w->y[i]);
	}
	if (!err)
		err = particles_redo(l->particles, draft, 0, 0, &s, &origin);
	free(s.x);
	free(s.y);
	return err;
}

static int local_know(struct particle_pool *t, uint32_t count,
		      const struct walls *walls, const struct pose *pose)
{
	struct local *l = (struct local *)t;
	const struct particle_pool_state state = { .count = count };
	int err = add_missing(l, count);

	if (!err && walls)
		err = draw_walls(l, walls);
	if (!err && walls)
		err = local_adopt(t, &state);
	for (uint32_t i = 0; i < count && !err; i++)
		particles_restart(l->particles, i, pose);
	return err;
}

static void local_use(struct particle_pool *t, struct particles_use *use)
{
	particles_use(((struct local *)t)->particles, use);
}

static void local_destroy(struct particle_pool *t)
{
	struct local *l = (struct local *)t;

	particles_destroy(l->particles);
	scan_free(&l->scan);
	free(l->numbers);
	free(l->used);
	free(l);
}

static const struct particle_pool_ops local_ops = {
	.match = local_match,
	.settle = local_settle,
	.track = local_track,
	.recall = local_recall,
	.draft = local_draft,
	.adopt = local_adopt,
	.know = local_know,
	.use = local_use,
	.destroy = local_destroy,
};

struct particle_pool *particle_pool_local(const struct slam_params *params,
					  unsigned int threads)
{
	struct local *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->pool.ops = &local_ops;
	l->params = *params;
	l->particles = particles_create(params, threads);
	if (!l->particles) {
		free(l);
		return NULL;
	}
	return &l->pool;
}
