// SPDX-License-Identifier: GPL-2.0-only
/*
 * filter_doubt.c - is a match right, and where is the robot if not?
 *
 * A scan that fits badly is no reason to search elsewhere: an unexplored room
 * has no walls in the map. A scan that contradicts the last ones is a reason:
 * one of them saw through the walls of the other one. Among people all scans
 * contradict each other; then only a pose where they do not is believed.
 */
#include "slam/filter/det_math.h"
#include "slam/filter/filter_parts.h"

/* Shares of endpoints against a pose: below the first one scans agree, from
 * the second one on they contradict each other
 */
#define AGREES		0.1
#define CONTRADICTS	0.3
/* A scan fits about as well as another one with this difference in fit */
#define SIMILAR		0.05
/* and better than another one with this one, where both look for the same pose */
#define BETTER		0.015
/* Speed hardly changes in this time, s, and on this way, m */
#define SHORT		1.5
#define SHORT_WAY	0.5
/* As a share of the usual fit: below it the robot may be anywhere */
#define LOW		0.6
/* It is elsewhere if this share of the beams passes through walls of the map */
#define AGAINST		0.25
/* or if the last scans contradict this one so much, also where the map is empty */
#define BREAKS		0.4
/* Fit of a found robot, as a share of the usual one; beams through walls */
#define FOUND		0.8
#define FOUND_AGAINST	0.1
/* and how much better it fits than anywhere else */
#define FOUND_AHEAD	0.1

enum {
	/* scans in a row that contradict the map: the robot is lost */
	HELD_LOST	= 3,
	/* updates before which the map is too small to search in it */
	YOUNG		= 20,
};

/* Where a robot may be whose odometry was wrong: slipped, and turned unseen */
static const struct prior slipped = { .place = 0.6, .turn = 0.5 };
static const struct prior turned = { .place = 0.4, .turn = M_PI };

/* Search areas for a lost robot, in this order: m and rad */
static const struct prior places[] = {
	{ .place = 1, .turn = 0.5 },
	{ .place = 6, .turn = M_PI },
};

/* and the area from scan to scan after that */
static const struct prior confirmed = { .place = 0.3, .turn = 0.2 };

/* How far a robot has to move or turn to confirm a pose, m or rad */
#define GONE		0.3

static double against_last(const struct filter *f, uint32_t number,
			   const struct reading *reading,
			   const struct pose *pose)
{
	return last_scans_against(&f->last, f->tree, f->step[number], reading,
				  pose);
}

/* Search after this motion of the best particle, as far as it allows; @out gets
 * its pose and fit. Return: as filter_look(); @against: share of endpoints
 */
static int look_after(struct filter *f, const struct reading *reading,
		      const struct motion *motion, struct filter_result *r,
		      struct outcome *out, double *against)
{
	struct sighting s;
	const int err = filter_look_after(f, reading, motion, r, &s);

	*out = s.outcome;
	*against = against_last(f, f->best, reading, &out->pose);
	return err;
}

int filter_choose_motion(struct filter *f, const struct reading *reading,
			 struct motion *m, struct filter_result *r)
{
	const struct motion without = motion_without(m);
	double against, without_against;
	struct outcome said, other;
	int err;

	if (!f->odometer.doubted || !f->update ||
	    f->prediction.use != PREDICT_ODOMETRY)
		return 0;
	if (f->odometer.impossible) {
		*m = without;
		r->jumped = true;
		return 0;
	}
	err = look_after(f, reading, m, r, &said, &against);
	if (!err)
		err = look_after(f, reading, &without, r, &other,
				 &without_against);
	if (err)
		return err;
	if (without_against <= AGREES && against >= CONTRADICTS) {
		*m = without;
		r->jumped = true;
	} else if (!(against <= AGREES) || !(without_against >= CONTRADICTS)) {
		m->split = !f->hypotheses.open;
	}
	return 0;
}

/**
 * struct match - the match that is in doubt
 * @fit, @against: of the fittest particle; @against is NAN where the last scans
 *		did not see anything of it, as after a pause
 */
struct match {
	double	fit, against;
};

/* @m: becomes the motion without the largest step of the odometry, if that
 * explains the scan. Return: 1: it does
 */
static int leave_out_step(struct filter *f, const struct reading *reading,
			  const struct match *match, struct motion *m,
			  struct filter_result *r)
{
	const struct motion without = motion_without(m);
	struct outcome other;
	double against;
	int err;

	if (r->jumped || m->split || f->prediction.use != PREDICT_ODOMETRY)
		return 0;
	err = look_after(f, reading, &without, r, &other, &against);
	if (err || other.fit <= match->fit + SIMILAR ||
	    against > fmin(CONTRADICTS, match->against / 2))
		return err;
	*m = without;
	r->jumped = true;
	return 1;
}

/* The robot is at @pose after @m; @sure: and nowhere else */
static int go_to(struct filter *f, struct motion *m, const struct pose *pose,
		 bool sure)
{
	m->other = det_between(f->pose + f->best, pose);
	m->other_slip = m->slip;
	m->other_turn = m->turn;
	if (sure)
		*m = motion_without(m);
	else
		m->split = !f->hypotheses.open;
	return sure || m->split;
}

/* Best pose around where the robot should be. Return: 0 or a negative errno */
static int look_around(struct filter *f, const struct reading *reading,
		       const struct prior *area, const struct motion *m,
		       struct filter_result *r, struct sighting *s)
{
	struct seek seek = { .prior = *area, .wide = 1 };

	seek.prior.at = det_compose(f->pose + f->best, &m->move);
	*s = (struct sighting){ .against = 0 };
	return filter_look(f, reading, f->best, &seek, r, s);
}

/* A near pose that agrees with the last scans may fit a little worse. Return:
 * as filter_doubt()
 */
static int look_near(struct filter *f, const struct reading *reading,
		     const struct match *match, struct motion *m,
		     struct filter_result *r)
{
	struct sighting s;
	const int err = look_around(f, reading, &slipped, m, r, &s);

	if (err || s.outcome.fit < match->fit - 2 * SIMILAR ||
	    !(against_last(f, f->best, reading, &s.outcome.pose) <=
	      fmin(AGREES, match->against / 3)))
		return err;
	return go_to(f, m, &s.outcome.pose, match->against >= CONTRADICTS);
}

/* A robot that was turned by hand, or on a lift */
static int look_all_around(struct filter *f, const struct reading *reading,
			   const struct match *match, struct motion *m,
			   struct filter_result *r)
{
	struct sighting s;
	double against;
	int err;

	if (!(match->against >= CONTRADICTS) || !f->surprised)
		return 0;
	err = look_around(f, reading, &turned, m, r, &s);
	if (err || s.outcome.fit < fmax(FOUND * f->usual, match->fit - SIMILAR))
		return err;
	against = against_last(f, f->best, reading, &s.outcome.pose);
	if (!(against <= fmin(AGREES, match->against / 3)))
		return 0;
	return go_to(f, m, &s.outcome.pose,
		     match->against >= 2 * CONTRADICTS && s.ahead > SIMILAR &&
		     against <= AGREES / 2);
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
	return f->held < FILTER_HELD_MAX && !(f->held & (f->held + 1));
}

/* Around the last pose, not the one of odometry, which may be anywhere */
static int filter_search(struct filter *f, const struct reading *reading,
			       struct filter_result *r)
{
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		struct seek seek = {
			.prior = places[i], .wide = 1, .check = 1,
		};
		struct sighting s = { .against = 0 };
		int err;

		seek.prior.at = f->pose[f->best];
		err = filter_look(f, reading, f->best, &seek, r, &s);
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
	err = filter_look(f, reading, f->best, &seek, r, &s);
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
		ret = filter_search(f, reading, r);
	return ret;
}

static void go_there(const struct filter *f, struct motion *m,
		     const struct pose *pose, struct filter_result *r)
{
	m->move = det_between(f->pose + f->best, pose);
	m->split = 0;
	r->lost = r->held = false;
}

/* Whether the robot is not where it should be; hold the scan. Return: as
 * filter_doubt(): 1 with the motion to the pose where it was found
 */
static int find_robot(struct filter *f, const struct reading *reading,
		      const struct match *match, struct motion *m,
		      struct filter_result *r)
{
	const uint32_t number = filter_fittest(f);
	const struct seek here = {
		.prior = { .at = f->out[number].pose }, .check = 1,
	};
	struct sighting s = { .against = 0 };
	int ret = filter_look(f, reading, number, &here, r, &s);

	r->held = !ret && (s.against >= AGAINST ||
			   (!f->params.fixed && (match->against >= BREAKS ||
						 f->held >= HELD_LOST)));
	r->lost = filter_lost(f, r->held);
	if (r->held)
		ret = look_for(f, reading, r);
	if (ret > 0) {
		r->found = true;
		go_there(f, m, &f->seen.pose, r);
	} else if (!ret && r->held && filter_is_carried(f, reading)) {
		const struct pose place = filter_carried_place(f);

		ret = r->carried = true;
		go_there(f, m, &place, r);
	}
	return ret;
}

bool filter_lost(const struct filter *f, bool held)
{
	return held && f->held + 1 >= HELD_LOST;
}

/* The motion if the robot goes on at its speed. Return: whether that is known */
static bool at_speed(const struct filter *f, struct motion *m)
{
	struct prediction speed = f->prediction;

	if (f->params.wall == 0 || speed.use != PREDICT_ODOMETRY || m->split ||
	    f->odometer.time > SHORT)
		return false;
	*m = odometer_motion(&f->odometer, &f->params);
	speed.use = PREDICT_SPEED;
	prediction_make(&speed, m, f->odometer.time);
	return motion_length(&m->move) < SHORT_WAY;
}

bool filter_may_go_on(const struct filter *f, const struct motion *m)
{
	struct motion on = *m;

	return at_speed(f, &on) && prediction_is_off(&f->params, m, &on.move);
}

/* Encoders that say nothing at all */
static bool stands(const struct filter *f)
{
	return f->odometer.way == 0 && f->odometer.around == 0;
}

int filter_go_on(struct filter *f, const struct reading *reading,
		 struct motion *m, struct filter_result *r)
{
	const uint32_t number = filter_fittest(f);
	const struct pose done = det_between(f->pose + number,
					     &f->out[number].pose);
	struct motion on = *m;
	struct outcome other;
	double against;
	int err;

	if (!at_speed(f, &on) || !prediction_is_off(&f->params, m, &done) ||
	    (!stands(f) && !prediction_is_off(&f->params, m, &on.move)))
		return 0;
	err = look_after(f, reading, &on, r, &other, &against);
	if (err || other.fit <= f->out[number].fit + BETTER ||
	    against > AGREES)
		return err;
	*m = on;
	r->outrun = true;
	return 1;
}

int filter_doubt(struct filter *f, const struct reading *reading,
		 struct motion *m, struct filter_result *r)
{
	const uint32_t number = filter_fittest(f);
	const struct match match = {
		f->out[number].fit,
		against_last(f, number, reading, &f->out[number].pose),
	};
	int ret;

	/* who was lost is found by a scan that fits */
	if (f->held >= HELD_LOST && !f->params.fixed) {
		if (match.fit >= FOUND * f->usual)
			return 0;
		ret = look_all_around(f, reading, &match, m, r);
		return ret ? ret : find_robot(f, reading, &match, m, r);
	}
	if (match.against <= AGREES)
		return 0;
	ret = leave_out_step(f, reading, &match, m, r);
	if (ret || (f->update - f->begun < YOUNG && !f->params.fixed))
		return ret;
	ret = look_near(f, reading, &match, m, r);
	if (!ret)
		ret = look_all_around(f, reading, &match, m, r);
	if (!ret && !(match.against < CONTRADICTS) &&
	    match.fit < LOW * f->usual)
		ret = find_robot(f, reading, &match, m, r);
	return ret;
}
