// SPDX-License-Identifier: GPL-2.0-only
/*
 * adjust.c - Gauss-Newton over all poses, with the walls that scans share
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/thread_pool.h"
#include "slam/filter/det_math.h"
#include "slam/filter/scan.h"
#include "slam/graph/adjust.h"
#include "slam/graph/pose_graph.h"
#include "slam/graph/pose_spread.h"
#include "slam/graph/scan_lines.h"
#include "slam/graph/scan_pairs.h"

/* Poses that are adjusted, at most: scans of 180 beams then take 100 MB */
enum { POSES_MAX = 16384 };
/* Endpoints of a scan that are compared with another one, about; half of them
 * in the first rounds
 */
enum { POINTS = 90 };

/* How far an endpoint may be from another scan in each round, m */
static const double near_of_round[] = { 0.4, 0.3, 0.2, 0.15 };
enum { ROUNDS = sizeof(near_of_round) / sizeof(*near_of_round) };
/* In the first rounds endpoints count half at this distance, m; later at twice
 * their standard deviation. By then all of them are near
 */
#define WIDE		0.1
enum { WIDE_ROUNDS = 2 };
/* Standard deviation of endpoints from walls: at the start, and at least, m. A
 * Gaussian seen through weights of twice its own width has this share of its
 * variance
 */
#define OFF		0.02
#define OFF_LEAST	0.005
#define OFF_SHARE	0.746

/* Scans of the same place: endpoints on walls, at least, also as a share of
 * those that the other scan can see; and those that it saw through, as a share
 * of those on walls, at most
 */
enum { HITS_LEAST = 15 };
#define HITS_SHARE	0.3
#define THROUGH_SHARE	0.2
/* How much wider the bound is for pairs that contradict the others, in each
 * round before the last one
 */
#define WIDER		4.0

/* Error of the filter's motion between two updates: a match is good to less
 * than half a cell. m, m per m, rad, and rad per m
 */
#define MATCH		0.02
#define MATCH_PER_M	0.03
#define MATCH_TURN	0.01
#define MATCH_TURN_PER_M 0.005
/* Squared error of the odometry, in variances, at which it counts a quarter: it
 * slipped
 */
#define SLIPPED		9.0

/* Travel over which the error of the odometry is summed up, m: what is the same
 * at each step counts as much as it matters
 */
#define STRETCH		6.0
/* Its variance is within these factors of what the parameters say */
#define EXACT		0.01
#define INEXACT		100.0

/* One of so many pairs is looked at to tell whether the scans agree better */
enum { CHECKED = 4 };
/* More endpoints may be seen through than before by this share: doors, people.
 * And pairs that are not of the same place any more: so many, and as a share
 */
#define THROUGH_MORE	0.01
#define LOST_LEAST	1
#define LOST_SHARE	0.01

/**
 * struct adjust
 * @reading:	of the history
 * @at:		number of each of the @count poses in the history
 * @pose, @before: now, and by the filter
 * @line:	scans of the poses
 * @variance:	of endpoints from walls, m^2
 * @over:	by how much the pairs contradict each other more than
 *		independent endpoints would: factor of the variance
 * @slip, @turn: the odometry's variance by that of the parameters
 */
struct adjust {
	const struct slam_params	*params;
	const struct reading *const	*reading;
	uint32_t			count;
	uint32_t			*at;
	struct pose			*pose, *before;
	struct scan_lines		**line;
	struct scan_pairs		pairs;
	struct pose_solver		solver;
	double				variance, over, slip, turn;
	struct adjust_counts		*c;
	bool				(*interrupted)(void *arg);
};

/* Sums of a round, over pairs that agree */
struct round_sum {
	double	off, weights, errors;
};

/* @pull' of the inverse of @w, and @pull: the squared error of a pair, if the
 * others were right. What @w does not tell is left out
 */
static double squared_error(const struct motion_weight *w, const double *pull)
{
	const double hold = 1e-9 + 1e-3 * (w->xx + w->yy);
	const double a = w->xx + hold;
	const double ba = w->xy / a, ca = w->xt / a;
	const double b = w->yy + hold - ba * w->xy;
	const double cb = (w->yt - ca * w->xy) / b;
	const double c = w->tt + hold - ca * w->xt - cb * cb * b;
	const double y = pull[1] - ba * pull[0];
	const double t = pull[2] - ca * pull[0] - cb * y;

	return pull[0] * pull[0] / a + y * y / b + t * t / c;
}

/* Whether two scans are of the same place */
static bool is_same_place(const struct line_fit *f)
{
	return f->hits >= HITS_LEAST && f->hits >= HITS_SHARE * f->seen &&
	       f->through <= THROUGH_SHARE * f->hits;
}

static void pair_fit(const struct adjust *a, const struct pose *pose,
		     uint32_t k, double near, struct line_fit *f)
{
	const struct scan_pair *p = a->pairs.pair + k;
	const struct pose motion = det_between(pose + p->to, pose + p->from);
	const bool wide = near > near_of_round[WIDE_ROUNDS];
	const struct line_match m = {
		.near = near,
		.points = wide ? POINTS / 2 : POINTS,
		.scale = wide ? WIDE : 2 * sqrt(a->variance),
	};

	scan_lines_fit(a->line[p->to], a->line[p->from], &motion, &m, f);
}

/* The weight of a pair whose squared error is @error: see pose_graph_solve() */
static double trust(const struct adjust *a, double error, int round)
{
	double bound = EDGE_AGREES * a->over, s;

	for (int i = round + 1; i < ROUNDS; i++)
		bound *= WIDER;
	s = 2 * bound / (bound + error / a->variance);
	return s < 1 ? s * s : 1;
}

static void add_pair(struct adjust *a, uint32_t k, int round,
		     struct round_sum *sum)
{
	const struct scan_pair *p = a->pairs.pair + k;
	static const double none[POSE_FREEDOMS];
	struct pose motion;
	const struct motion_slope slope = motion_slope(a->pose + p->to,
						       a->pose + p->from,
						       &motion);
	double scale = 0, error, trusted;
	struct line_fit f;

	pair_fit(a, a->pose, k, near_of_round[round], &f);
	if (is_same_place(&f)) {
		error = squared_error(&f.weight, f.pull);
		trusted = round ? trust(a, error, round) : 1;
		scale = trusted / (a->variance * a->over);
		a->c->agreeing++;
		a->c->doubted += trusted < 1;
		sum->off += f.sum;
		sum->weights += f.weights;
		sum->errors += error;
	}
	for (int i = 0; i < POSE_FREEDOMS; i++)
		f.pull[i] *= scale;
	/* a pair without weight is added, too: the pattern must not change */
	pose_solver_add(&a->solver, p->to, p->from, &slope, &f.weight, scale,
			none);
	pose_solver_pull(&a->solver, p->to, p->from, &slope, f.pull);
}

/**
 * struct step - what is known of a motion
 * @motion:	m, rad
 * @place, @turn: its variances, m^2 and rad^2
 * @slips:	it may be wrong
 */
struct step {
	struct pose	motion;
	double		place, turn;
	bool		slips;
};

/* How far a motion is off now. Return: the square, in variances */
static double step_error(const struct adjust *a, uint32_t to, uint32_t from,
			 const struct step *s, double error[POSE_FREEDOMS])
{
	const struct pose now = det_between(a->pose + to, a->pose + from);

	error[0] = now.x - s->motion.x;
	error[1] = now.y - s->motion.y;
	error[2] = remainder(now.yaw - s->motion.yaw, 2 * M_PI);
	return (error[0] * error[0] + error[1] * error[1]) / s->place +
	       error[2] * error[2] / s->turn;
}

static void add_step(struct adjust *a, uint32_t to, uint32_t from,
		     const struct step *s)
{
	const struct motion_weight w = {
		.xx = 1 / s->place, .yy = 1 / s->place, .tt = 1 / s->turn,
	};
	struct pose now;
	const struct motion_slope slope = motion_slope(a->pose + to,
						       a->pose + from, &now);
	double error[POSE_FREEDOMS];
	const double squared = step_error(a, to, from, s, error);
	const double trusted = s->slips ? 1 / (1 + squared / SLIPPED) : 1;

	pose_solver_add(&a->solver, to, from, &slope, &w, trusted * trusted,
			error);
}

static double way_of(const struct pose *move)
{
	return sqrt(move->x * move->x + move->y * move->y);
}

/* What odometry says of the motion to pose @i */
static struct step odometry_step(const struct adjust *a, uint32_t i)
{
	const struct slam_params *p = a->params;
	const struct pose move = det_between(
		&a->reading[a->at[i - 1]]->odometry,
		&a->reading[a->at[i]]->odometry);
	const double way = way_of(&move), turn = fabs(move.yaw);
	const double place = p->slip + p->slip_per_m * way +
			     p->slip_per_rad * turn;
	const double yaw = p->slip_turn + p->turn_per_m * way +
			   p->turn_per_rad * turn;

	return (struct step){ move, a->slip * place * place,
			      a->turn * yaw * yaw, true };
}

/* What the filter found of the motion between two poses */
static struct step match_step(const struct adjust *a, uint32_t to,
			      uint32_t from)
{
	const struct pose move = det_between(a->before + to, a->before + from);
	const double way = way_of(&move);
	const double place = MATCH + MATCH_PER_M * way;
	const double turn = MATCH_TURN + MATCH_TURN_PER_M * way;

	return (struct step){ move, place * place, turn * turn, false };
}

/* Whether odometry is so far from what the filter found that it must be wrong:
 * the filter may know for many steps that it counts backwards
 */
static bool is_wrong(const struct adjust *a, const struct step *odometry,
		     const struct step *match)
{
	const double x = odometry->motion.x - match->motion.x;
	const double y = odometry->motion.y - match->motion.y;
	const double yaw = remainder(odometry->motion.yaw - match->motion.yaw,
				     2 * M_PI);

	return (x * x + y * y) / (odometry->place / a->slip + match->place) +
	       yaw * yaw / (odometry->turn / a->turn + match->turn) > SLIPPED;
}

/* Errors of the odometry that are summed up: over a stretch, and of all */
struct odometry_sum {
	double	way, x, y, yaw;
	double	place, place_known, turn, turn_known;
};

/* The step to pose @i, unless it slipped */
static void sum_step(const struct adjust *a, uint32_t i,
		     struct odometry_sum *s)
{
	const struct step o = odometry_step(a, i);
	const struct step match = match_step(a, i - 1, i);
	double e[POSE_FREEDOMS];

	s->way += way_of(&o.motion);
	if (is_wrong(a, &o, &match) ||
	    step_error(a, i - 1, i, &o, e) >= SLIPPED)
		return;
	s->x += e[0];
	s->y += e[1];
	s->yaw += e[2];
	s->place_known += 2 * o.place / a->slip;
	s->turn_known += o.turn / a->turn;
}

static double within(double v, double least, double most)
{
	return fmin(fmax(v, least), most);
}

/* How good the odometry is */
static void rate_odometry(struct adjust *a)
{
	struct odometry_sum s = { .way = 0 };

	for (uint32_t i = 1; i < a->count; i++) {
		sum_step(a, i, &s);
		if (s.way < STRETCH && i + 1 < a->count)
			continue;
		s.place += s.x * s.x + s.y * s.y;
		s.turn += s.yaw * s.yaw;
		s.way = s.x = s.y = s.yaw = 0;
	}
	if (s.place_known > 0)
		a->slip = within(s.place / s.place_known, EXACT, INEXACT);
	if (s.turn_known > 0)
		a->turn = within(s.turn / s.turn_known, EXACT, INEXACT);
}

/* What odometry and the filter say of the motions to all poses, and what the
 * filter says of longer ones
 */
static void add_steps(struct adjust *a)
{
	for (uint32_t i = 1; i < a->count; i++) {
		const struct step odometry = odometry_step(a, i);
		const struct step match = match_step(a, i - 1, i);

		if (!is_wrong(a, &odometry, &match))
			add_step(a, i - 1, i, &odometry);
		add_step(a, i - 1, i, &match);
	}
	for (uint32_t k = 0; k < a->pairs.count; k++) {
		const struct scan_pair *p = a->pairs.pair + k;
		const struct step match = match_step(a, p->to, p->from);

		if (!p->visit && p->to + 1 != p->from)
			add_step(a, p->to, p->from, &match);
	}
}

/* Return: 0; -ENOMEM; -EDOM: no scans agree, or there is no solution */
static int adjust_round(struct adjust *a, int round)
{
	struct round_sum sum = { .off = 0 };
	int err;

	a->c->agreeing = a->c->doubted = 0;
	pose_solver_begin(&a->solver);
	for (uint32_t k = 0; k < a->pairs.count; k++)
		add_pair(a, k, round, &sum);
	/* then odometry alone would change what the filter knew better */
	if (!a->c->agreeing)
		return -EDOM;
	add_steps(a);
	err = pose_solver_solve(&a->solver);
	if (err)
		return err;
	if (!isfinite(pose_solver_apply(&a->solver, a->pose)))
		return -EDOM;
	rate_odometry(a);
	a->over = fmax(1, sum.errors / a->variance /
			  (POSE_FREEDOMS * (double)a->c->agreeing));
	a->variance = fmax(sum.off / sum.weights / OFF_SHARE,
			   OFF_LEAST * OFF_LEAST);
	return 0;
}

/* Pairs that are of the same place only before, only after, or both */
struct kept {
	double	lost, won, both;
};

/**
 * struct agreement - how the scans agree, over some pairs
 * @seen:	endpoints; @weights: of those on walls; @through: those that
 *		were seen through
 * @kept:	all pairs, and those of two visits of a place: they are few, but
 *		hold the map together
 */
struct agreement {
	double		seen[2], weights[2], through[2];
	struct kept	kept[2];
};

static void count_kept(struct kept *k, const bool same[2])
{
	k->lost += same[0] && !same[1];
	k->won += same[1] && !same[0];
	k->both += same[0] && same[1];
}

static bool is_torn(const struct kept *k)
{
	return k->lost > k->won + LOST_LEAST + LOST_SHARE * k->both;
}

/* Before and after */
static struct agreement agreement_of(const struct adjust *a)
{
	struct agreement g = { .seen = { 0 } };

	for (uint32_t k = 0; k < a->pairs.count; k += CHECKED) {
		bool same[2];

		for (int i = 0; i < 2; i++) {
			struct line_fit f;

			pair_fit(a, i ? a->pose : a->before, k,
				 near_of_round[ROUNDS - 1], &f);
			g.seen[i] += f.seen;
			g.weights[i] += f.weights;
			g.through[i] += f.through;
			same[i] = is_same_place(&f);
		}
		count_kept(g.kept, same);
		if (a->pairs.pair[k].visit)
			count_kept(g.kept + 1, same);
	}
	return g;
}

static double share(double part, double all)
{
	return all > 0 ? part / all : 0;
}

static bool is_interrupted(const struct adjust *a)
{
	return a->interrupted && a->interrupted(NULL);
}

/* Return: 0; -ENOMEM; -EINTR; -EDOM: the scans do not agree better */
static int adjust_all(struct adjust *a)
{
	struct agreement g;
	int err = 0;

	for (int round = 0; round < ROUNDS && !err; round++)
		err = is_interrupted(a) ? -EINTR : adjust_round(a, round);
	if (err)
		return err;
	g = agreement_of(a);
	a->c->off = sqrt(a->variance);
	a->c->before = share(g.weights[0], g.seen[0]);
	a->c->after = share(g.weights[1], g.seen[1]);
	if (a->c->after < a->c->before ||
	    share(g.through[1], g.seen[1]) >
	    share(g.through[0], g.seen[0]) + THROUGH_MORE ||
	    is_torn(g.kept) || is_torn(g.kept + 1))
		return -EDOM;
	return 0;
}

/* The scans and pairs of all poses. Return: 0; -ENOMEM */
static int prepare(struct adjust *a)
{
	const double reach = scan_reach(a->params);
	int err;

	for (uint32_t i = 0; i < a->count; i++) {
		a->line[i] = scan_lines_make(a->reading[a->at[i]], reach);
		if (!a->line[i])
			return -ENOMEM;
	}
	err = scan_pairs_find(&a->pairs, a->pose, a->count);
	a->c->poses = a->count;
	a->c->pairs = a->pairs.count;
	return err;
}

/* Which poses of a history are adjusted: all, or one of so many */
static int choose(struct adjust *a, const struct pose *history, uint32_t count)
{
	const uint32_t every = (count + POSES_MAX - 1) / POSES_MAX;

	a->at = malloc(count * sizeof(*a->at));
	a->pose = malloc(count * sizeof(*a->pose));
	a->before = malloc(count * sizeof(*a->before));
	a->line = calloc(count, sizeof(*a->line));
	if (!a->at || !a->pose || !a->before || !a->line)
		return -ENOMEM;
	for (uint32_t u = 0; u < count; u += every) {
		a->at[a->count] = u;
		a->pose[a->count++] = history[u];
	}
	memcpy(a->before, a->pose, a->count * sizeof(*a->before));
	return 0;
}

static void adjust_free(struct adjust *a)
{
	for (uint32_t i = 0; i < a->count; i++)
		free(a->line[i]);
	free(a->line);
	free(a->at);
	free(a->pose);
	free(a->before);
	scan_pairs_free(&a->pairs);
}

static double farthest(const struct adjust *a)
{
	double most = 0;

	for (uint32_t i = 0; i < a->count; i++) {
		const double x = a->pose[i].x - a->before[i].x;
		const double y = a->pose[i].y - a->before[i].y;

		most = fmax(most, sqrt(x * x + y * y));
	}
	return most;
}

int adjust_history(const struct reading *const *reading, struct pose *history,
		   uint32_t count, const struct slam_params *params,
		   struct adjust_counts *c, bool (*interrupted)(void *arg))
{
	const uint64_t start = thread_pool_own_cpu();
	struct adjust a = {
		.reading = reading, .params = params, .c = c,
		.variance = OFF * OFF, .over = 1, .slip = 1, .turn = 1,
		.interrupted = interrupted,
	};
	int err;

	*c = (struct adjust_counts){ .poses = 0 };
	if (count < 2)
		return 0;
	err = choose(&a, history, count);
	if (!err)
		err = prepare(&a);
	if (!err) {
		err = pose_solver_init(&a.solver, a.count,
				       2 * a.pairs.count + 2 * a.count);
		if (!err)
			err = adjust_all(&a);
		pose_solver_free(&a.solver);
	}
	if (!err) {
		const struct pose_correction moved = {
			a.at, a.before, a.pose, a.count,
		};

		pose_spread(&moved, history, count);
		c->moved = farthest(&a);
	}
	c->refused = err == -EDOM;
	adjust_free(&a);
	c->cpu = thread_pool_own_cpu() - start;
	return c->refused ? 0 : err;
}
