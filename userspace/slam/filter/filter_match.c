// SPDX-License-Identifier: GPL-2.0-only
/*
 * filter_match.c - match a scan: for all particles, or for the best one
 */
#include <assert.h>
#include <errno.h>
#include <string.h>
#include "slam/filter/det_math.h"
#include "slam/filter/filter_parts.h"

/* A match below this share of the usual fit is doubted */
#define POOR		0.85
/* Weight of an update in the usual fit */
#define FRESH		0.1

int filter_look(struct filter *f, const struct reading *reading,
		uint32_t number, const struct seek *seek,
		struct filter_result *r, struct sighting *s)
{
	const struct particle_pool_state state = filter_state(f);
	const int err = f->pool->ops->track(f->pool, &state, number, reading,
					    seek, s);

	r->evaluations += s->outcome.evaluations;
	return err;
}

int filter_look_after(struct filter *f, const struct reading *reading,
		      const struct motion *motion, struct filter_result *r,
		      struct sighting *s)
{
	const struct seek seek = {
		.prior = motion_prior(motion, f->pose + f->best,
				      f->params.wall),
	};

	*s = (struct sighting){ .against = 0 };
	return filter_look(f, reading, f->best, &seek, r, s);
}

struct motion filter_motion(const struct filter *f)
{
	struct motion m = odometer_motion(&f->odometer, &f->params);

	prediction_make(&f->prediction, &m, f->odometer.time);
	if (f->update < f->unsure) {
		m.slip = hypot(m.slip, UNSURE);
		m.turn = hypot(m.turn, UNSURE_TURN);
	}
	return m;
}

uint32_t filter_fittest(const struct filter *f)
{
	uint32_t best = 0;

	assert(f->count);
	for (uint32_t i = 1; i < f->count; i++) {
		if (f->out[i].fit > f->out[best].fit)
			best = i;
	}
	return best;
}

/* Match all particles. Return: 0 or a negative errno */
static int match_all(struct filter *f, const struct reading *reading,
		     const struct particle_pool_order *order,
		     struct filter_result *r)
{
	const struct particle_pool_state state = filter_state(f);
	const int err = f->pool->ops->match(f->pool, &state, order, reading,
					    f->out);

	for (uint32_t i = 0; i < f->count && !err; i++)
		r->evaluations += f->out[i].evaluations;
	return err;
}

/* The same, and again if the motion was wrong */
static int match_or_doubt(struct filter *f, const struct reading *reading,
			  struct filter_result *r)
{
	const bool doubts = f->params.wall > 0;
	const double poor = !doubts ? -INFINITY :
			    f->surprised ? INFINITY : POOR * f->usual;
	struct particle_pool_order order = {
		.update = f->update, .round = f->round, .again = poor,
		.motion = filter_motion(f),
	};
	int ret = filter_choose_motion(f, reading, &order.motion, r);
	bool goes_on;

	if (ret)
		return ret;
	goes_on = doubts && (f->moved || filter_may_go_on(f, &order.motion));
	if (goes_on)
		order.again = INFINITY;
	ret = match_all(f, reading, &order, r);
	if (!ret && goes_on)
		ret = filter_go_on(f, reading, &order.motion, r);
	if (!ret && f->out[filter_fittest(f)].fit < poor)
		ret = filter_doubt(f, reading, &order.motion, r);
	if (ret > 0) {
		order.round++;
		order.again = -INFINITY;
		ret = match_all(f, reading, &order, r);
	}
	for (uint32_t i = 0; i < f->count && !ret; i++)
		f->out[i].hypothesis = motion_hypothesis(&order.motion,
			filter_acting(f, i));
	/* where nothing is known, each scan fits */
	for (uint32_t i = 0; i < f->count && !ret && r->carried; i++) {
		f->out[i].hypothesis = HYPOTHESIS_CARRIED;
		f->out[i].fit = f->usual;
	}
	return ret;
}

/* Whether particles that were replaced are so by others that were not */
static bool relatives_fit(const struct recalled *known)
{
	for (uint32_t i = 0; i < known->count; i++) {
		const uint32_t relative = known->out[i].relative;

		if (relative > known->count ||
		    (relative && known->out[relative - 1].relative))
			return false;
	}
	return true;
}

static int filter_match_recall_all(struct filter *f,
				   const struct reading *reading,
				   const struct recalled *known)
{
	const struct particle_pool_state state = filter_state(f);

	if (known->count != f->count || !reading->range ||
	    !relatives_fit(known))
		return -EBADMSG;
	memcpy(f->out, known->out, f->count * sizeof(*f->out));
	return f->pool->ops->recall(f->pool, &state, f->update, reading,
				    f->out);
}

/* Learn the usual fit */
static void filter_match_learn(struct filter *f)
{
	const double fit = f->out[filter_fittest(f)].fit;

	if (fit >= POOR * f->usual)
		f->held = 0;
	f->usual = f->usual > 0 ? f->usual + FRESH * (fit - f->usual) : fit;
}

/*
 * A scan that is held has no outcome, or one: the candidate pose of the robot,
 * with a fit that no match has
 */
#define HELD_FIT	-1.0

bool filter_is_held(const struct filter *f, const struct recalled *known)
{
	if (f->params.wall == 0)
		return false;
	return !known->count ||
	       (known->count == 1 && known->out->fit == HELD_FIT);
}

static int recall_held(struct filter *f, const struct reading *reading,
		       const struct recalled *known, struct filter_result *r)
{
	const struct seen old = f->seen;

	f->outs = known->count;
	r->lost = filter_lost(f, true);
	f->held++;
	f->seen.known = known->count;
	r->held = true;
	if (known->count) {
		*f->out = *known->out;
		f->seen.pose = f->out->pose;
		f->seen.move = f->odometer.gone.move;
		if (!old.known)
			f->seen.first = f->seen.pose;
	}
	return filter_carried_hold(f, reading);
}

/* The scan is left out of the map */
static int filter_match_hold(struct filter *f, const struct reading *reading,
			     struct filter_result *r)
{
	f->outs = f->seen.known;
	*f->out = (struct outcome){ .pose = f->seen.pose, .fit = HELD_FIT };
	f->held++;
	f->round++;
	r->held = true;
	return filter_carried_hold(f, reading);
}

int filter_match(struct filter *f, const struct reading *reading,
		 const struct recalled *known, struct filter_result *r)
{
	int err;

	if (known && filter_is_held(f, known))
		return recall_held(f, reading, known, r);
	f->outs = f->count;
	err = known ? filter_match_recall_all(f, reading, known) :
		      match_or_doubt(f, reading, r);
	if (err || !f->update)
		return err;
	if (r->held && f->held < FILTER_HELD_MAX)
		return filter_match_hold(f, reading, r);
	r->held = false;
	r->carried = f->out->hypothesis == HYPOTHESIS_CARRIED;
	if (r->carried)
		filter_carried_begin(f);
	else if (f->out->hypothesis != HYPOTHESIS_NONE)
		filter_hypotheses_open(f);
	f->seen.known = false;
	filter_carried_forget(f);
	f->round = 0;
	filter_match_learn(f);
	return 0;
}

int filter_track(struct filter *f, const struct reading *reading,
		 const struct recalled *known, struct filter_result *r)
{
	const struct motion motion = filter_motion(f);
	struct sighting s;
	int err = 0;

	if (!known)
		err = filter_look_after(f, reading, &motion, r, &s);
	else if (known->count == 1)
		s.outcome = *known->out;
	else
		err = -EBADMSG;
	if (err)
		return err;
	*f->out = s.outcome;
	f->outs = 1;
	r->pose = s.outcome.pose;
	r->fit = s.outcome.fit;
	r->evaluations = s.outcome.evaluations;
	return 0;
}
