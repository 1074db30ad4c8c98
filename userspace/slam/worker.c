// SPDX-License-Identifier: GPL-2.0-only
/*
 * worker.c - messages in, particles changed, messages out
 *
 * A particle that became this worker's is late until its map is here: the map
 * may come before the message that announces it, and is put by then.
 *
 * A worker that waits for the others to have matched puts the scan into its
 * maps. Who turns out to have no children was written to in vain, which happens
 * rarely and changes nothing: each particle is written to alone.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include "common/array.h"
#include "slam/crew.h"
#include "slam/scans.h"
#include "slam/particles.h"
#include "slam/worker.h"

/**
 * struct late - a particle that comes from elsewhere
 * @base:	ghost of whom it descends
 * @tiles:	of MAP; waits for those of TILES, for fields are drawn from the
 *		cells of neighbours
 */
struct late {
	struct wire_child	child;
	uint32_t		number, base;
	void			*tiles;
	size_t			len;
};

/* A copy of a particle as it was at the resampling */
struct ghost {
	uint32_t		of, number;
};

/* A map that came early */
struct early {
	uint32_t		from;
	size_t			len;
	struct wire_map		*map;
};

struct worker {
	struct engine		*engine;
	unsigned int		threads;
	void			(*log)(void *arg, int priority,
				       const char *line);
	void			*arg;
	bool			ready;
	struct slam_params	params;
	struct particles	*particles;
	struct scans		scans;
	struct scan		scan;
	uint64_t		update;		/* of the last MATCH */
	uint64_t		settled;	/* the next one to be settled */
	struct motion		motion;
	bool			matching;
	bool			eager;		/* MATCH said so */
	uint32_t		*numbers;
	uint32_t		count, room;
	uint32_t		written;	/* the first so many have the scan */
	int			failed;		/* one of them could not */
	struct outcome		*out;
	uint32_t		out_room;
	struct late		*late;
	uint32_t		lates, late_room;
	struct ghost		*ghost;
	uint32_t		ghosts, ghost_room, next_ghost;
	struct early		*early;
	uint32_t		earlies, early_room;
	struct bytes		bytes;
	struct bytes		track;		/* of a late particle */
	uint64_t		cpu, began;	/* this thread's, ns */
	uint64_t		early_cpu;	/* of all threads */
	struct engine_traffic	before;		/* sent, before SETUP */
};

__attribute__((format(printf, 3, 4)))
static void say(struct worker *w, int priority, const char *format, ...)
{
	char line[256];
	va_list args;

	if (!w->log)
		return;
	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	w->log(w->arg, priority, line);
}

struct worker *worker_create(struct engine *engine, unsigned int threads,
			     void (*log)(void *arg, int priority,
					 const char *line), void *arg)
{
	struct worker *w = calloc(1, sizeof(*w));

	if (w) {
		w->engine = engine;
		w->threads = threads;
		w->log = log;
		w->arg = arg;
	}
	return w;
}

static void drop_lates(struct worker *w)
{
	for (uint32_t i = 0; i < w->lates; i++)
		free(w->late[i].tiles);
	w->lates = 0;
}

static void forget(struct worker *w)
{
	particles_destroy(w->particles);
	w->particles = NULL;
	scans_free(&w->scans);
	for (uint32_t i = 0; i < w->earlies; i++)
		free(w->early[i].map);
	drop_lates(w);
	w->count = w->written = w->ghosts = w->earlies = 0;
	w->failed = 0;
	w->ready = w->matching = false;
	w->settled = w->update = 0;
	w->track.len = 0;
}

void worker_destroy(struct worker *w)
{
	if (!w)
		return;
	forget(w);
	scan_free(&w->scan);
	bytes_free(&w->bytes);
	bytes_free(&w->track);
	free(w->numbers);
	free(w->out);
	free(w->late);
	free(w->ghost);
	free(w->early);
	free(w);
}

static int send_to(struct worker *w, uint32_t to, enum wire_type type,
		   const void *head, size_t head_len, const void *data,
		   size_t len)
{
	const struct iovec iov[] = {
		{ (void *)head, head_len }, { (void *)data, len },
	};
	const int err = engine_send_wait(w->engine, to, type, iov, 2, -1);

	/* who is gone is the coordinator's business */
	return err == -EHOSTUNREACH || err == -ENOTCONN ? 0 : err;
}

static int add_number(struct worker *w, uint32_t number)
{
	for (uint32_t i = 0; i < w->count; i++) {
		if (w->numbers[i] == number)
			return 0;
	}
	if (array_grow(&w->numbers, &w->room, w->count, sizeof(*w->numbers)))
		return -ENOMEM;
	w->numbers[w->count++] = number;
	return 0;
}

/*
 * Matching
 */

/* All it did, in all threads */
static uint64_t cpu_of(const struct worker *w)
{
	struct particles_use use;

	particles_use(w->particles, &use);
	return use.cpu + w->cpu + crew_own_cpu() - w->began;
}

static int match(struct worker *w, const uint32_t *numbers, uint32_t count)
{
	struct wire_result head = { .update = w->update, .count = count };
	struct engine_counters counters;
	struct particles_use use;
	struct wire_outcome *list;
	int err;

	if (!count)
		return 0;
	while (w->out_room < count) {
		err = array_grow(&w->out, &w->out_room, w->out_room,
				 sizeof(*w->out));
		if (err)
			return err;
	}
	err = particles_match(w->particles, w->update, &w->scan, &w->motion,
			      numbers, count, w->out);
	w->bytes.len = 0;
	if (!err)
		err = bytes_reserve(&w->bytes, count * sizeof(*list));
	if (err)
		return err;
	list = (struct wire_outcome *)w->bytes.data;
	for (uint32_t i = 0; i < count; i++)
		list[i] = (struct wire_outcome){
			w->out[i].pose, w->out[i].fit, numbers[i],
			w->out[i].evaluations,
		};
	particles_use(w->particles, &use);
	head.bytes = use.bytes;
	head.peak = use.peak;
	head.cpu = cpu_of(w);
	head.early = w->early_cpu;
	engine_counters(w->engine, &counters);
	head.sent = (struct engine_traffic){
		counters.to_workers.messages - w->before.messages,
		counters.to_workers.bytes - w->before.bytes,
	};
	return send_to(w, 0, WIRE_RESULT, &head, sizeof(head), list,
		       count * sizeof(*list));
}

static int make_scan(struct worker *w, uint64_t update)
{
	const struct wire_reading *r = scans_at(&w->scans, update);
	struct reading reading;

	if (!r)
		return -EBADMSG;
	reading = scans_reading(r);
	return scan_make(&w->scan, &reading, &w->params);
}

/* The scan goes into the maps of those who do not have it yet */
static int write_rest(struct worker *w)
{
	const uint32_t first = w->written;

	w->written = w->count;
	return particles_write(w->particles, w->update, &w->scan,
			       w->numbers + first, w->count - first);
}

/* Where particles are sent to and fro, copies of them share their maps yet */
static void write_early(struct worker *w)
{
	const uint64_t start = cpu_of(w);

	if (!w->eager || w->lates || w->ghosts || w->failed)
		return;
	w->failed = write_rest(w);
	w->early_cpu += cpu_of(w) - start;
}

static void drop_ghosts(struct worker *w)
{
	for (uint32_t i = 0; i < w->ghosts; i++)
		particles_drop(w->particles, w->ghost[i].number);
	w->ghosts = 0;
}

/* All stay as they are. Return: 0 or a negative errno */
static int settle_all(struct worker *w)
{
	int err = w->failed;

	w->matching = false;
	w->settled = w->update + 1;
	drop_lates(w);
	drop_ghosts(w);
	if (!err)
		err = write_rest(w);
	w->written = 0;
	return err;
}

static int on_match(struct worker *w, const void *data, size_t len)
{
	const struct wire_match *m = data;
	int err = 0;

	if (len < sizeof(*m) || (w->matching && m->update <= w->update))
		return -EBADMSG;
	if (w->matching)
		err = settle_all(w);
	if (err)
		return err;
	err = scans_put(&w->scans, m->update,
			(const struct wire_reading *)(m + 1),
			len - sizeof(*m));
	w->update = m->update;
	w->motion = m->motion;
	w->matching = true;
	w->eager = m->early;
	if (!err)
		err = make_scan(w, m->update);
	if (!err)
		err = match(w, w->numbers, w->count);
	if (!err)
		write_early(w);
	return err;
}

static int on_scan(struct worker *w, const void *data, size_t len)
{
	const struct wire_match *m = data;

	if (len < sizeof(*m))
		return -EBADMSG;
	return scans_put(&w->scans, m->update,
			 (const struct wire_reading *)(m + 1),
			 len - sizeof(*m));
}

static int on_track(struct worker *w, const void *data, size_t len);

/* A particle that was late is here. Return: 0 or a negative errno */
static int arrived(struct worker *w, uint32_t number)
{
	const int err = add_number(w, number);

	if (err)
		return err;
	if (w->matching)
		return match(w, &number, 1);
	if (!w->track.len ||
	    ((struct wire_track *)w->track.data)->number != number)
		return 0;
	return on_track(w, w->track.data, w->track.len);
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
	*number = w->next_ghost++;
	w->ghost[w->ghosts++] = (struct ghost){ of, *number };
	return 0;
}

/* The early write failed for some: for one of these? Without memory a map may
 * have a part of the scan only
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

/* Scans go into the maps of those who are parents and are here */
static int write_parents(struct worker *w, const struct wire_child *child,
			 uint32_t count)
{
	uint32_t parents = 0, written = 0;
	int err = 0;

	for (uint32_t i = 0; i < w->count; i++) {
		const uint32_t number = w->numbers[i];

		/* who has children keeps its number, here or elsewhere */
		if (number >= count || child[number].parent != number)
			continue;
		w->numbers[parents++] = number;
		written += i < w->written;
	}
	w->count = parents;
	w->written = written;
	if (w->failed)
		err = try_again(w);
	w->failed = 0;
	if (!err)
		err = write_rest(w);
	w->written = 0;
	return err;
}

static int send_map(struct worker *w, const struct wire_child *c)
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
	return send_to(w, c->owner, WIRE_MAP, &head, sizeof(head),
		       w->bytes.data, w->bytes.len);
}

/* A parent's map goes once to each worker that gets children of it */
static int send_maps(struct worker *w, const struct wire_child *child,
		     uint32_t count)
{
	const uint32_t me = engine_id(w->engine);
	int err = 0;

	for (uint32_t i = 0; i < count && !err; i++) {
		uint32_t k = 0;

		if (child[i].from != me || child[i].owner == me)
			continue;
		while (child[k].parent != child[i].parent ||
		       child[k].owner != child[i].owner)
			k++;
		if (k == i)
			err = send_map(w, child + i);
	}
	return err;
}

static int expect(struct worker *w, uint32_t number,
		  const struct wire_child *c)
{
	uint32_t base = WIRE_NONE;
	int err = array_grow(&w->late, &w->late_room, w->lates,
			     sizeof(*w->late));

	if (!err && c->base != WIRE_NONE)
		err = make_ghost(w, c->base, &base);
	if (err)
		return err;
	w->late[w->lates++] = (struct late){
		.child = *c, .number = number, .base = base,
	};
	return 0;
}

static int take_children(struct worker *w, const struct wire_child *child,
			 uint32_t count)
{
	const uint32_t me = engine_id(w->engine);
	int err = 0;

	for (uint32_t i = 0; i < count && !err; i++) {
		if (child[i].owner == me && child[i].from != me)
			err = expect(w, i, child + i);
	}
	for (uint32_t i = 0; i < count && !err; i++) {
		if (child[i].owner == me && child[i].from == me)
			err = particles_copy(w->particles, i, child[i].parent);
	}
	w->count = 0;
	for (uint32_t i = 0; !err && i < w->next_ghost - w->ghosts; i++) {
		if (i < count && child[i].owner == me && child[i].from == me)
			err = add_number(w, i);
		else
			particles_drop(w->particles, i);
	}
	return err;
}

static int put_early(struct worker *w);

static int on_settle(struct worker *w, const void *data, size_t len)
{
	const struct wire_settle *s = data;
	const struct wire_child *child = (const struct wire_child *)(s + 1);
	int err;

	if (len < sizeof(*s) || s->count > SLAM_PARTICLES_MAX ||
	    len < sizeof(*s) + s->count * sizeof(*child))
		return -EBADMSG;
	for (uint32_t i = 0; i < s->count; i++) {
		if (child[i].from == engine_id(w->engine) &&
		    !particles_has(w->particles, child[i].parent))
			return -EBADMSG;
	}
	/* who has just joined was not told to match, and has no particles */
	if ((!w->matching || s->update != w->update) && w->count)
		return -EBADMSG;
	w->update = s->update;
	if (!s->count)
		return settle_all(w);
	w->matching = false;
	w->settled = s->update + 1;
	drop_lates(w);
	drop_ghosts(w);
	/* ghosts are numbered from behind all particles on */
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

/*
 * Maps of other workers
 */

/* The first late particle of this parent; NULL: is not waited for */
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

/* All tiles of @l are there: it and its brothers begin to live */
static int finish(struct worker *w, const struct late *l, const void *tiles,
		  size_t len)
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
			err = arrived(w, k.number);
	}
	free(first.tiles);
	w->lates = left;
	return err;
}

/* Ask for the rest, and keep what came */
static int put_off(struct worker *w, struct late *l, const struct wire_map *m,
		   size_t len, const struct map_place *place, uint32_t count)
{
	const struct wire_map head = {
		.update = m->update, .number = m->number,
	};

	l->tiles = malloc(len + 1);
	if (!l->tiles)
		return -ENOMEM;
	memcpy(l->tiles, m + 1, len);
	l->len = len;
	return send_to(w, l->child.from, WIRE_NEED, &head, sizeof(head),
		       place, count * sizeof(*place));
}

static int put_map(struct worker *w, struct late *l, const struct wire_map *m,
		   size_t len)
{
	struct map_place *place = NULL;
	int count = 0, err;

	len -= sizeof(*m);
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
		err = finish(w, l, m + 1, len);
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
	memcpy(copy, m, len);
	w->early[w->earlies++] = (struct early){ from, len, copy };
	return 0;
}

static int on_map(struct worker *w, uint32_t from, const void *data, size_t len)
{
	const struct wire_map *m = data;
	struct late *l;

	if (len < sizeof(*m))
		return -EBADMSG;
	if (m->update >= w->settled)
		return keep_early(w, from, m, len);
	l = m->update + 1 == w->settled ? find_late(w, from, m->number) : NULL;
	/* else it was built again in the meantime */
	return l && !l->tiles ? put_map(w, l, m, len) : 0;
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
		err = on_map(w, e.from, e.map, e.len);
		free(e.map);
	}
	w->earlies = left;
	return err;
}

static int on_need(struct worker *w, uint32_t from, const void *data,
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
	return send_to(w, from, WIRE_TILES, m, sizeof(*m), w->bytes.data,
		       w->bytes.len);
}

static int on_tiles(struct worker *w, uint32_t from, const void *data,
		    size_t len)
{
	const struct wire_map *m = data;
	struct late *l;
	int err;

	if (len < sizeof(*m))
		return -EBADMSG;
	l = m->update + 1 == w->settled ? find_late(w, from, m->number) : NULL;
	if (!l || !l->tiles)
		return 0;
	w->bytes.len = 0;
	err = bytes_append(&w->bytes, l->tiles, l->len);
	if (!err)
		err = bytes_append(&w->bytes, m + 1, len - sizeof(*m));
	/* it is written over by those who begin to live */
	if (!err)
		err = particles_decode(w->particles, l->number, w->bytes.data,
				       w->bytes.len);
	return err ? err : finish(w, l, NULL, 0);
}

/*
 * Particles of workers that are lost
 */

/* The particle is not waited for any more; it, or a brother, may be begun */
static void not_late(struct worker *w, uint32_t number)
{
	uint32_t left = 0;

	for (uint32_t i = 0; i < w->lates; i++) {
		if (w->late[i].number != number)
			w->late[left++] = w->late[i];
		else
			free(w->late[i].tiles);
	}
	w->lates = left;
}

static bool has(const struct worker *w, uint32_t number)
{
	for (uint32_t i = 0; i < w->count; i++) {
		if (w->numbers[i] == number)
			return true;
	}
	return false;
}

static int redo(struct worker *w, const struct wire_rebuild *b)
{
	const struct wire_step *step = (const struct wire_step *)(b + 1);
	const struct pose start = { 0, 0, 0 };
	int err = particles_add(w->particles, b->number, &start);

	for (uint32_t i = 0; i < b->steps && !err; i++) {
		err = make_scan(w, step[i].update);
		if (!err)
			err = particles_redo(w->particles, b->number,
					     step[i].update, step[i].number,
					     &w->scan, &step[i].pose);
	}
	if (!err && w->matching)
		err = make_scan(w, w->update);
	return err;
}

static int on_rebuild(struct worker *w, const void *data, size_t len)
{
	const struct wire_rebuild *b = data;
	int err;

	if (len < sizeof(*b) ||
	    (len - sizeof(*b)) / sizeof(struct wire_step) < b->steps)
		return -EBADMSG;
	if (has(w, b->number))
		return 0;
	not_late(w, b->number);
	err = redo(w, b);
	return err ? err : arrived(w, b->number);
}

static int on_track(struct worker *w, const void *data, size_t len)
{
	const struct wire_track *t = data;
	const struct wire_reading *r = (const struct wire_reading *)(t + 1);
	struct wire_tracked answer;
	struct reading reading;
	struct outcome out;
	int err;

	if (len < sizeof(*t) + sizeof(*r) ||
	    len < sizeof(*t) + scans_size(r) || w->matching)
		return -EBADMSG;
	if (!has(w, t->number)) {
		w->track.len = 0;
		return bytes_append(&w->track, data, len);
	}
	reading = scans_reading(r);
	if (!reading_valid(&reading) || !pose_valid(&t->pose))
		return -EBADMSG;
	err = scan_make(&w->scan, &reading, &w->params);
	if (err)
		return err;
	out = particles_track(w->particles, t->number, &w->scan, &t->pose);
	answer = (struct wire_tracked){
		.outcome = { out.pose, out.fit, t->number, out.evaluations },
		.ticket = t->ticket,
	};
	w->track.len = 0;
	return send_to(w, 0, WIRE_TRACKED, &answer, sizeof(answer), NULL, 0);
}

/* What was done for somebody else does not count */
static void count_anew(struct worker *w)
{
	struct engine_counters counters;

	engine_counters(w->engine, &counters);
	w->before = counters.to_workers;
	w->cpu = w->early_cpu = 0;
	w->began = crew_own_cpu();
}

static int on_setup(struct worker *w, const void *data, size_t len)
{
	char error[SLAM_ERROR];

	forget(w);
	count_anew(w);
	if (len != sizeof(w->params))
		return -EBADMSG;
	memcpy(&w->params, data, len);
	if (slam_params_check(&w->params, error))
		return -EBADMSG;
	w->particles = particles_create(&w->params, w->threads);
	if (!w->particles)
		return -ENOMEM;
	w->ready = true;
	return 0;
}

static int handle(struct worker *w, const struct engine_message *m)
{
	if (m->type == WIRE_SETUP)
		return on_setup(w, m->data, m->len);
	if (!w->ready)
		return 0;
	switch (m->type) {
	case WIRE_SCAN:
		return on_scan(w, m->data, m->len);
	case WIRE_REBUILD:
		return on_rebuild(w, m->data, m->len);
	case WIRE_MATCH:
		return on_match(w, m->data, m->len);
	case WIRE_SETTLE:
		return on_settle(w, m->data, m->len);
	case WIRE_TRACK:
		return on_track(w, m->data, m->len);
	case WIRE_MAP:
		return on_map(w, m->from, m->data, m->len);
	case WIRE_NEED:
		return on_need(w, m->from, m->data, m->len);
	case WIRE_TILES:
		return on_tiles(w, m->from, m->data, m->len);
	}
	return -EBADMSG;
}

static void on_event(struct worker *w, const struct engine_message *m)
{
	switch (m->type) {
	case ENGINE_JOINED:
		say(w, LOG_INFO, "joined as worker %u", m->from);
		return;
	case ENGINE_LEFT:
		say(w, LOG_WARNING, "thrown out: %.200s", (char *)m->data);
		break;
	case ENGINE_COORDINATOR_GONE:
		say(w, LOG_INFO, "without a coordinator: %.200s",
		    (char *)m->data);
		break;
	}
	forget(w);
}

int worker_turn(struct worker *w, int timeout_ms)
{
	struct engine_message m;
	int ret = engine_receive(w->engine, &m, timeout_ms), err;

	if (ret <= 0)
		return ret;
	if (m.type >= ENGINE_EVENT) {
		on_event(w, &m);
		return 1;
	}
	w->began = crew_own_cpu();
	err = handle(w, &m);
	w->cpu += crew_own_cpu() - w->began;
	if (err) {
		const int32_t code = err;

		say(w, LOG_ERR, "message %u of %u: %s", m.type, m.from,
		    strerror(-err));
		send_to(w, 0, WIRE_FAILED, &code, sizeof(code), NULL, 0);
	}
	return 1;
}
