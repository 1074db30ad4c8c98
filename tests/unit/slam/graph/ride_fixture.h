/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ride_fixture.h - a trip through a filter with a pose graph beside it: here, on
 * workers, and from a checkpoint
 */
#ifndef UNIT_RIDE_FIXTURE_H
#define UNIT_RIDE_FIXTURE_H

#include <errno.h>
#include <string.h>
#include "slam/graph/loop_closer.h"
#include "../workers/pool_fixture.h"

enum { RIDE_WORKERS = 2 };

/**
 * struct ride - a run
 * @poses:	of each reading, when it was read
 * @history:	at the end, of @updates
 * @at:		the reading of each update
 * @lost:	reading at which the robot was first lost; @carried: at which it was
 *		first mapped apart; 0: never
 * @corrected:	corrections; @first: the reading of the first one
 * @old, @olds:	filter_outcomes() of each reading
 */
struct ride {
	struct pose		poses[TRIP_READINGS];
	struct pose		*history;
	uint32_t		updates, at[TRIP_READINGS];
	struct loop_counts	loops;
	unsigned int		lost, carried, corrected, first;
	struct outcome		*old[TRIP_READINGS];
	uint32_t		olds[TRIP_READINGS];
};

static inline void ride_keep(struct ride *r, unsigned int i,
			  const struct filter *f)
{
	const struct outcome *out = filter_outcomes(f, &r->olds[i]);
	const size_t bytes = r->olds[i] * sizeof(*out);

	r->old[i] = malloc(bytes + 1);
	if (!r->old[i])
		abort();
	memcpy(r->old[i], out, bytes);
}

/* The end of a ride is interrupted */
static bool ride_interrupt;

static inline bool ride_always(void *arg)
{
	(void)arg;
	return true;
}

static inline void ride_interrupted(struct loop_closer *l, struct ride *r)
{
	const uint64_t tried = loop_closer_counts(l).tried;
	const struct pose first = r->history[0];

	ok_eq(loop_closer_finish(l, r->history, r->updates, ride_always),
	      -EINTR, "... the last loops, interrupted");
	ok_eq(loop_closer_counts(l).tried, tried, "... search nothing");
	ok_eq(loop_closer_adjust(l, r->history, r->updates, ride_always),
	      -EINTR, "... nor are poses adjusted");
	ok(!memcmp(&first, r->history, sizeof(first)), "... the history stays");
}

/* @before: its first readings are recalled, @recalled of them */
static inline void ride_go(struct ride *r, const struct trip *t,
	       const struct slam_params *p, struct particle_pool *pool,
	       const struct ride *before, unsigned int recalled)
{
	struct filter *f = filter_create(p, pool);
	struct loop_closer *l = NULL;
	struct filter_result result;
	int err = 0;

	*r = (struct ride){ .updates = 0 };
	if (p->loops && loop_closer_create(&l, p))
		abort();
	for (unsigned int i = 0; i < t->count && !err; i++) {
		err = i < recalled ?
			filter_recall(f, t->reading + i, before->old[i],
				      before->olds[i], &result) :
			filter_read(f, t->reading + i, &result);
		if (!err && l)
			err = loop_closer_add(l, f, &result);
		r->poses[i] = result.pose;
		if (result.lost && !r->lost)
			r->lost = i;
		if (result.carried && !r->carried)
			r->carried = i;
		if (result.corrected && !r->corrected++)
			r->first = i;
		if (result.updated)
			r->at[r->updates++] = i;
		ride_keep(r, i, f);
	}
	ok_eq(err, 0, "%u readings", t->count);
	if (filter_history(f, &r->history, &r->updates))
		abort();
	if (l && ride_interrupt)
		ride_interrupted(l, r);
	else if (l)
		ok_eq(loop_closer_finish(l, r->history, r->updates, NULL), 0,
		      "... the last loops");
	if (l)
		r->loops = loop_closer_counts(l);
	loop_closer_destroy(l);
	filter_destroy(f);
}

static inline void ride_free(struct ride *r)
{
	free(r->history);
	for (unsigned int i = 0; i < TRIP_READINGS; i++)
		free(r->old[i]);
}

/* The largest error of the history, m */
static inline double ride_worst(const struct ride *r, const struct trip *t)
{
	double most = 0;

	for (uint32_t u = 0; u < r->updates; u++) {
		const struct pose *truth = t->truth + r->at[u];

		most = fmax(most, hypot(r->history[u].x - truth->x,
					r->history[u].y - truth->y));
	}
	return most;
}

static inline bool ride_same(const struct ride *a, const struct ride *b,
		      unsigned int readings)
{
	return a->updates == b->updates &&
	       !memcmp(a->poses, b->poses, readings * sizeof(*a->poses)) &&
	       !memcmp(a->history, b->history,
		       a->updates * sizeof(*a->history));
}

/* @messages: one more worker leaves after so many; 0: there is none */
static inline void ride_on_workers(const struct trip *t, const struct slam_params *p,
		       const struct ride *local, unsigned int messages)
{
	struct crew c = crew_open();
	const uint32_t workers = RIDE_WORKERS + (messages > 0);
	const struct particle_pool_remote_config config = {
		.engine = c.engine, .workers = workers, .fixed = workers,
	};
	struct ride r;

	for (int i = 0; i < RIDE_WORKERS; i++)
		crew_add(&c, go_on, NULL);
	if (messages)
		crew_add(&c, go_on_until, &messages);
	ride_go(&r, t, p, particle_pool_remote(p, &config), NULL, 0);
	ok(ride_same(&r, local, t->count),
	   "on %d workers, %u messages to another one: the same bits", RIDE_WORKERS,
	   messages);
	ok_eq(r.corrected, local->corrected, "... and corrections");
	ride_free(&r);
	crew_close(&c);
}

/* The first @at readings are those of a checkpoint */
static inline void ride_again(const struct trip *t, const struct slam_params *p,
			      const struct ride *once, unsigned int at)
{
	struct ride r;

	ride_go(&r, t, p, particle_pool_local(p, 2), once, at);
	ok(ride_same(&r, once, t->count),
	   "begun again at reading %u: the same bits", at);
	ride_free(&r);
}

#endif
