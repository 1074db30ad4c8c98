// SPDX-License-Identifier: GPL-2.0-only
/*
 * filter_match.c - find the robot: at the pose of odometry, at the pose without
 * an error of odometry, or elsewhere
 *
 * A scan that fits badly is no reason to search elsewhere: an unexplored room
 * has no walls in the map. A scan that sees through walls is a reason.
 */
#include <assert.h>
#include <errno.h>
#include <string.h>
#include "slam/filter/det_math.h"
#include "slam/filter/filter_parts.h"

/* A motion is better than another if the scan fits better by this much */
#define BETTER		0.05
/* As a share of the usual fit: below it the odometry may be wrong; below the
 * second one the robot may be elsewhere
 */
#define POOR		0.85
#define LOW		0.6
/* It is elsewhere if this share of the beams passes through walls */
#define AGAINST		0.25
/* Fit of a found robot, as a share of the usual one; beams through walls */
#define FOUND		0.8
#define FOUND_AGAINST	0.1
/* and how much better it fits than anywhere else */
#define FOUND_AHEAD	0.1
/* Weight of an update in the usual fit */
#define FRESH		0.1

/* The scans of a lost robot that are left out of the map; after that the place
 * is assumed to have changed
 */
enum { HELD_MAX = 32 };

/* Updates before which the map is too small for this test */
enum { YOUNG = 20 };

/* Search areas for a lost robot, in this order: m and rad */
static const struct prior places[] = {
	{ .place = 1, .turn = 0.5 },
	{ .place = 6, .turn = M_PI },
};

/* and the area from scan to scan after that */
static const struct prior confirmed = { .place = 0.3, .turn = 0.2 };

/* How far a robot has to move or turn to confirm a pose, m or rad */
#define GONE		0.3

static int filter_match_look(struct filter *f, const struct reading *reading,
			     uint32_t number, const struct seek *seek,
			     struct filter_result *r, struct sighting *s)
{
	const struct particle_pool_state state = filter_state(f);
	const int err = f->pool->ops->track(f->pool, &state, number, reading,
					    seek, s);

	r->evaluations += s->outcome.evaluations;
	return err;
}

/* Search after this motion of the best particle, as far as it allows */
static int look_after(struct filter *f, const struct reading *reading,
		      const struct motion *motion, struct filter_result *r,
		      struct outcome *out)
{
	const struct seek seek = {
		.prior = motion_prior(motion, f->pose + f->best,
				      f->params.wall),
	};
	struct sighting s = { .against = 0 };
	const int err = filter_match_look(f, reading, f->best, &seek, r, &s);

	*out = s.outcome;
	return err;
}

/* Decide whether a doubtful step of the odometry was real. If the scan does not
 * tell, half of the particles take each motion
 */
static int choose_motion(struct filter *f, const struct reading *reading,
			 struct motion *m, struct filter_result *r)
{
	const struct motion without = motion_without(m);
	struct outcome as_said, other;
	int err;

	if (!f->odometer.doubted || !f->update)
		return 0;
	if (f->odometer.impossible) {
		*m = without;
		r->jumped = true;
		return 0;
	}
	err = look_after(f, reading, m, r, &as_said);
	if (!err)
		err = look_after(f, reading, &without, r, &other);
	if (err)
		return err;
	if (other.fit > as_said.fit + BETTER ||
	    (f->odometer.absurd && other.fit >= as_said.fit - BETTER)) {
		*m = without;
		r->jumped = true;
	} else {
		m->split = other.fit >= as_said.fit - BETTER;
	}
	return 0;
}

static uint32_t find_fittest(const struct filter *f)
{
	uint32_t best = 0;

	assert(f->count);
	for (uint32_t i = 1; i < f->count; i++) {
		if (f->out[i].fit > f->out[best].fit)
			best = i;
	}
	return best;
}

static bool is_good(const struct filter *f, const struct sighting *s)
{
	return s->outcome.fit >= FOUND * f->usual &&
	       s->against <= FOUND_AGAINST;
}

/* Searches without success become rarer: at the first scan, the second, the
 * fourth and so on
 */
static bool is_due(const struct filter *f)
{
	return f->held < HELD_MAX && !(f->held & (f->held + 1));
}

/* Around the last pose, not the one of odometry, which may be anywhere */
static int filter_match_search(struct filter *f, const struct reading *reading,
			       struct filter_result *r)
{
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		struct seek seek = {
			.prior = places[i], .wide = 1, .check = 1,
		};
		struct sighting s = { .against = 0 };
		int err;

		seek.prior.at = f->pose[f->best];
		err = filter_match_look(f, reading, f->best, &seek, r, &s);
		if (err)
			return err;
		if (!is_good(f, &s) || s.ahead < FOUND_AHEAD)
			continue;
		f->seen = (struct seen){
			true, s.outcome.pose, s.outcome.pose,
			f->odometer.gone.move,
		};
		break;
	}
	return 0;
}

/* Whether the robot moved far enough to see something else. Return: 1: the pose
 * is confirmed; 0: not, or not yet; a negative errno
 */
static int confirm(struct filter *f, const struct reading *reading,
		   struct filter_result *r)
{
	struct seen *seen = &f->seen;
	const struct pose move = det_between(&seen->move,
					     &f->odometer.gone.move);
	struct seek seek = { .prior = confirmed, .check = 1 };
	struct sighting s = { .against = 0 };
	int err;

	seek.prior.at = det_compose(&seen->pose, &move);
	err = filter_match_look(f, reading, f->best, &seek, r, &s);
	if (err)
		return err;
	seen->known = is_good(f, &s);
	seen->pose = s.outcome.pose;
	seen->move = f->odometer.gone.move;
	return seen->known && pose_distance(&seen->first, &seen->pose, 1) >= GONE;
}

/* Return: 1: the robot is at f->seen; 0: unknown; a negative errno */
static int look_for(struct filter *f, const struct reading *reading,
		    struct filter_result *r)
{
	int ret = f->seen.known ? confirm(f, reading, r) : 0;

	if (!ret && !f->seen.known && is_due(f))
		ret = filter_match_search(f, reading, r);
	return ret;
}

/* @motion: becomes one without the largest step, if that fits better */
static int leave_out_step(struct filter *f, const struct reading *reading,
			  struct motion *motion, struct filter_result *r)
{
	const struct motion without = motion_without(motion);
	struct outcome other;
	int err;

	if (r->jumped || motion->split)
		return 0;
	err = look_after(f, reading, &without, r, &other);
	if (err || other.fit <= f->out[find_fittest(f)].fit + BETTER)
		return err;
	*motion = without;
	r->jumped = true;
	return 0;
}

/* @motion: gets the motion to the pose where the robot was found */
static int find_robot(struct filter *f, const struct reading *reading,
		      struct motion *motion, struct filter_result *r)
{
	const uint32_t number = find_fittest(f);
	const struct seek here = {
		.prior = { .at = f->out[number].pose }, .check = 1,
	};
	struct sighting s = { .against = 0 };
	int ret = filter_match_look(f, reading, number, &here, r, &s);

	r->lost = !ret && s.against >= AGAINST;
	if (r->lost)
		ret = look_for(f, reading, r);
	if (ret <= 0)
		return ret;
	motion->move = det_between(f->pose + f->best, &f->seen.pose);
	motion->split = 0;
	r->lost = false;
	r->found = true;
	return 0;
}

/* No particle fits well. Return: 1: match all again */
static int doubt(struct filter *f, const struct reading *reading,
		 struct motion *motion, struct filter_result *r)
{
	const double fit = f->out[find_fittest(f)].fit;
	const bool jumped = r->jumped;
	int err = leave_out_step(f, reading, motion, r);

	if (err || r->jumped != jumped)
		return err ? err : 1;
	if (fit < LOW * f->usual && f->update >= YOUNG)
		err = find_robot(f, reading, motion, r);
	return err ? err : r->found;
}

static int filter_match_match_all(struct filter *f,
				  const struct reading *reading,
				  struct filter_result *r)
{
	const struct particle_pool_state state = filter_state(f);
	struct particle_pool_order order = {
		.update = f->update, .round = f->round,
		.again = f->params.wall > 0 ? POOR * f->usual : -INFINITY,
		.motion = odometer_motion(&f->odometer, &f->params),
	};
	int err = choose_motion(f, reading, &order.motion, r);

	if (!err)
		err = f->pool->ops->match(f->pool, &state, &order, reading,
					  f->out);
	if (err || f->out[find_fittest(f)].fit >= order.again)
		return err;
	err = doubt(f, reading, &order.motion, r);
	if (err <= 0)
		return err;
	for (uint32_t i = 0; i < f->count; i++)
		r->evaluations += f->out[i].evaluations;
	order.round++;
	order.again = -INFINITY;
	return f->pool->ops->match(f->pool, &state, &order, reading, f->out);
}

static int filter_match_recall_all(struct filter *f,
				   const struct reading *reading,
				   const struct recalled *known)
{
	const struct particle_pool_state state = filter_state(f);

	if (known->count != f->count || !reading->range)
		return -EBADMSG;
	memcpy(f->out, known->out, f->count * sizeof(*f->out));
	return f->pool->ops->recall(f->pool, &state, f->update, reading,
				    f->out);
}

/* Learn the usual fit */
static void filter_match_learn(struct filter *f)
{
	const double fit = f->out[find_fittest(f)].fit;

	if (fit >= POOR * f->usual)
		f->held = 0;
	f->usual = f->usual > 0 ? f->usual + FRESH * (fit - f->usual) : fit;
}

/*
 * A scan that is held has no outcome, or one: the candidate pose of the robot,
 * with a fit that no match has
 */
#define HELD_FIT	-1.0

static bool is_held(const struct recalled *known)
{
	return !known->count ||
	       (known->count == 1 && known->out->fit == HELD_FIT);
}

static void recall_held(struct filter *f, const struct recalled *known,
			struct filter_result *r)
{
	const struct seen old = f->seen;

	f->outs = known->count;
	f->held++;
	f->seen.known = known->count;
	r->held = r->lost = true;
	if (!known->count)
		return;
	*f->out = *known->out;
	f->seen.pose = f->out->pose;
	f->seen.move = f->odometer.gone.move;
	if (!old.known)
		f->seen.first = f->seen.pose;
}

/* The scan is left out of the map */
static void filter_match_hold(struct filter *f, struct filter_result *r)
{
	for (uint32_t i = 0; i < f->count; i++)
		r->evaluations += f->out[i].evaluations;
	f->outs = f->seen.known;
	*f->out = (struct outcome){ .pose = f->seen.pose, .fit = HELD_FIT };
	f->held++;
	f->round++;
	r->held = true;
}

int filter_match(struct filter *f, const struct reading *reading,
		 const struct recalled *known, struct filter_result *r)
{
	int err;

	if (known && is_held(known)) {
		recall_held(f, known, r);
		return 0;
	}
	f->outs = f->count;
	err = known ? filter_match_recall_all(f, reading, known) :
		      filter_match_match_all(f, reading, r);
	if (err || !f->update)
		return err;
	if (r->lost && f->held < HELD_MAX) {
		filter_match_hold(f, r);
		return 0;
	}
	f->seen.known = false;
	f->round = 0;
	filter_match_learn(f);
	return 0;
}

int filter_track(struct filter *f, const struct reading *reading,
		 const struct recalled *known, struct filter_result *r)
{
	const struct motion motion = odometer_motion(&f->odometer, &f->params);
	struct outcome *out = f->out;
	int err = 0;

	if (!known)
		err = look_after(f, reading, &motion, r, out);
	else if (known->count == 1)
		*out = *known->out;
	else
		err = -EBADMSG;
	if (err)
		return err;
	f->outs = 1;
	r->pose = out->pose;
	r->fit = out->fit;
	r->evaluations = out->evaluations;
	return 0;
}
