// SPDX-License-Identifier: GPL-2.0-only
/*
 * filter.c - weights, resampling, and the choice of the best particle
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "slam/filter/det_math.h"
#include "slam/filter/filter_parts.h"
#include "slam/filter/resampling.h"

/* Pose uncertainty of a lost robot, m and rad: standard deviations */
#define LOST		3.0
/* Variance of a heading that may be any, rad^2 */
#define TURN_MOST	9.0
/* Limit of the factor by which too few particles raise a covariance */
#define LOSS_MAX	10

static bool make_arrays(struct filter *f)
{
	const uint32_t n = f->room;

	f->pose = calloc(n, sizeof(*f->pose));
	f->recent = calloc(n, sizeof(*f->recent));
	f->total = calloc(n, sizeof(*f->total));
	f->weight = calloc(n, sizeof(*f->weight));
	f->step = calloc(n, sizeof(*f->step));
	f->next_step = calloc(n, sizeof(*f->next_step));
	f->parent = calloc(n, sizeof(*f->parent));
	f->out = calloc(n, sizeof(*f->out));
	f->hypotheses.of = calloc(n, 1);
	f->hypotheses.next = calloc(n, 1);
	return f->pose && f->recent && f->total && f->weight && f->step &&
		f->next_step && f->parent && f->out && f->hypotheses.of &&
		f->hypotheses.next;
}

struct filter *filter_create(const struct slam_params *params,
			     struct particle_pool *pool)
{
	struct filter *f = calloc(1, sizeof(*f));

	if (!f) {
		pool->ops->destroy(pool);
		return NULL;
	}
	f->params = *params;
	f->pool = pool;
	f->count = f->room = params->particles;
	if (params->compat == SLAM_GMAPPING)
		f->odometer.model = &f->params;
	else if (params->wall > 0)
		f->odometer.params = &f->params;
	f->tree = trajectory_tree_create();
	if (!f->tree || !make_arrays(f)) {
		filter_destroy(f);
		return NULL;
	}
	return f;
}

void filter_destroy(struct filter *f)
{
	if (!f)
		return;
	f->pool->ops->destroy(f->pool);
	trajectory_tree_destroy(f->tree);
	free(f->pose);
	free(f->recent);
	free(f->total);
	free(f->weight);
	free(f->step);
	free(f->next_step);
	free(f->parent);
	free(f->out);
	free(f->hypotheses.of);
	free(f->hypotheses.next);
	filter_correction_free(f);
	last_scans_free(&f->last);
	scan_free(&f->scan);
	moving_free(&f->moving);
	free(f->apart.scan.range);
	free(f);
}

/* Of log-weights. With GMapping, more particles make a scan weigh less */
static double gain_of(const struct filter *f)
{
	if (f->params.compat == SLAM_GMAPPING)
		return 1 / (f->params.gain * f->count);
	return f->params.gain;
}

/* The trajectory steps of an update. All, or none without memory */
static int add_steps(struct filter *f)
{
	const double gain = gain_of(f);

	for (uint32_t i = 0; i < f->count; i++) {
		const struct trajectory_step step = {
			.pose = f->out[i].pose, .update = f->update,
			.number = i,
		};

		/* those that are replaced get the step of another one */
		f->next_step[i] = f->out[i].relative ? f->step[i] :
			trajectory_tree_add(f->tree, f->step[i], &step);
		if (f->next_step[i] || f->out[i].relative)
			continue;
		while (i--)
			if (!f->out[i].relative)
				trajectory_tree_release(f->tree,
							f->next_step[i]);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < f->count; i++) {
		if (!f->out[i].relative)
			trajectory_tree_release(f->tree, f->step[i]);
		f->step[i] = f->next_step[i];
		f->pose[i] = f->out[i].pose;
		f->recent[i] += gain * f->out[i].fit;
		f->total[i] += gain * f->out[i].fit;
	}
	filter_replace(f);
	return 0;
}

/* Particle i becomes a child of @parent[i]; a parent never comes after i,
 * unless it keeps its own number
 */
static void inherit(struct filter *f, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		assert(f->parent[i] < f->count);
		trajectory_tree_hold(f->tree, f->step[f->parent[i]]);
	}
	for (uint32_t i = 0; i < f->count; i++)
		trajectory_tree_release(f->tree, f->step[i]);
	for (uint32_t i = 0; i < count; i++)
		f->next_step[i] = f->step[f->parent[i]];
	assert(count <= f->room);
	memcpy(f->step, f->next_step, count * sizeof(*f->step));
	for (uint32_t i = 0; i < count; i++) {
		/* parents kept their numbers: they are not overwritten yet */
		f->pose[i] = f->pose[f->parent[i]];
		f->total[i] = f->total[f->parent[i]];
	}
	filter_hypotheses_inherit(f, count);
	f->count = count;
}

/* How many particles resampling draws */
static uint32_t survivors(struct filter *f)
{
	if (f->params.kld_error == 0)
		return f->room;
	return weights_needed(f->pose, f->count, f->room, &f->params);
}

/* Return: whether it resampled; @count: particles afterwards */
static int resample(struct filter *f, struct filter_result *r, uint32_t *count)
{
	struct random random = random_of(f->params.seed, f->update,
					 UINT32_MAX);
	const bool decided = filter_hypotheses_decide(f, r);
	int err;

	*count = f->count;
	r->effective = weights_normalise(f->recent, f->weight, f->count);
	if (!decided && f->params.resample < 1 &&
	    r->effective >= f->params.resample * f->count)
		return 0;
	filter_move_weights(f);
	filter_hypotheses_protect(f);
	*count = survivors(f);
	err = weights_resample(f->weight, f->count, *count,
			       random_unit(&random), f->parent);
	return err ? err : 1;
}

/*
 * The weighted covariance of the particles' poses around the one of @best: xx,
 * xy, xt, yy, yt, tt. With few effective particles it would be too small
 */
static void find_spread(struct filter *f, uint32_t best, double effective)
{
	const double loss = effective > 1 ? effective / (effective - 1) : 1;
	const struct pose *middle = f->pose + best;

	memset(f->spread, 0, sizeof(f->spread));
	for (uint32_t i = 0; i < f->count; i++) {
		const double w = f->weight[i] * fmin(loss, LOSS_MAX);
		const double x = f->pose[i].x - middle->x;
		const double y = f->pose[i].y - middle->y;
		const double t = remainder(f->pose[i].yaw - middle->yaw,
					   2 * M_PI);

		f->spread[0] += w * x * x;
		f->spread[1] += w * x * y;
		f->spread[2] += w * x * t;
		f->spread[3] += w * y * y;
		f->spread[4] += w * y * t;
		f->spread[5] += w * t * t;
	}
}

/* Add the error of odometry since then, and of what the scan cannot determine;
 * a lost robot may be anywhere near, a carried one anywhere
 */
static void add_uncertainty(const struct filter *f, struct filter_result *r)
{
	const struct motion m = filter_motion(f);
	const double lost = f->aside ? FILTER_CARRIED_GAP : r->lost ? LOST : 0;
	const double cell = f->params.resolution / 2;
	const double place = m.slip * m.slip + cell * cell + lost * lost;

	memcpy(r->covariance, f->spread, sizeof(f->spread));
	r->covariance[0] += place;
	r->covariance[3] += place;
	r->covariance[5] += m.turn * m.turn + fmin(lost * lost, TURN_MOST);
}

static uint32_t find_best(const struct filter *f)
{
	uint32_t best = 0;

	for (uint32_t i = 1; i < f->count; i++) {
		if (f->total[i] > f->total[best])
			best = i;
	}
	return best;
}

/* Choose the best particle; find out whether its history changed */
static void choose_best(struct filter *f, struct filter_result *r)
{
	trajectory_tree_id id;

	f->best = find_best(f);
	id = trajectory_tree_parent(f->tree, f->step[f->best]);
	r->rewritten = f->best_step && id != f->best_step;
	trajectory_tree_hold(f->tree, f->step[f->best]);
	trajectory_tree_release(f->tree, f->best_step);
	f->best_step = f->step[f->best];
}

/* A scan with fewer endpoints tells nothing about the odometry */
enum { ENOUGH = 30 };
/* nor one that contradicts the last ones more than this about its noise: among
 * people matches are off, and wider walls would make them worse
 */
#define TRUSTED		0.1

/* Whether a scan tells about the odometry: it sees enough, and not a plain
 * corridor, whose walls look the same everywhere along it
 */
static int tells_motion(struct filter *f, const struct reading *reading)
{
	const int err = scan_make(&f->scan, reading, &f->params);

	return err ? err : f->scan.hits >= ENOUGH && isinf(f->scan.evidence);
}

/* Whether a match tells how noisy the odometry is. @id: the step before */
static bool tells_noise(const struct filter *f, const struct reading *reading,
			trajectory_tree_id id, const struct motion *said,
			const struct pose *done)
{
	return !prediction_is_off(&f->params, said, done) ||
	       last_scans_against(&f->last, f->tree, id, reading,
				  f->pose + f->best) <= TRUSTED;
}

/* Learn from the best particle's last step what the odometry is worth. Return: 0
 * or a negative errno
 */
static int learn(struct filter *f, const struct reading *reading)
{
	const struct motion said = odometer_motion(&f->odometer, &f->params);
	const trajectory_tree_id id = trajectory_tree_parent(f->tree,
							     f->best_step);
	struct pose done;
	int ret;

	f->moved = false;
	if (!id || f->params.wall == 0)
		return 0;
	if (f->placed) {
		f->placed = false;
		f->prediction.at = (struct pose){ 0, 0, 0 };
		f->prediction.since = 0;
		return 0;
	}
	done = det_between(&trajectory_tree_at(f->tree, id)->pose,
			   f->pose + f->best);
	ret = tells_motion(f, reading);
	if (ret > 0)
		prediction_learn(&f->prediction, &f->params, &said, &done,
				 f->odometer.time,
				 tells_noise(f, reading, id, &said, &done));
	prediction_restart(&f->prediction, &done, f->odometer.time);
	return ret < 0 ? ret : 0;
}

static int update(struct filter *f, const struct reading *reading,
		  const struct recalled *known, struct filter_result *r)
{
	const struct particle_pool_state state = filter_state(f);
	uint32_t count;
	int err = filter_match(f, reading, known, r);

	if (!err && !r->held)
		err = add_steps(f);
	if (err || r->held)
		return err;
	err = resample(f, r, &count);
	if (err < 0)
		return err;
	find_spread(f, find_best(f), r->effective);
	r->resampled = err;
	r->replaced = filter_replaced(f);
	if (r->replaced && !r->resampled)
		filter_replaced_parents(f);
	err = f->pool->ops->settle(f->pool, &state, f->update,
				   r->resampled || r->replaced ? f->parent :
				   NULL, count);
	if (r->resampled)
		inherit(f, count);
	choose_best(f, r);
	assert(f->best < f->count);
	r->fit = f->out[trajectory_tree_at(f->tree,
					   f->step[f->best])->number].fit;
	r->updated = true;
	r->update = f->update++ - f->params.fixed;
	if (!err)
		err = learn(f, reading);
	if (!err && f->params.wall > 0) {
		moving_learn(&f->moving);
		err = last_scans_add(&f->last, reading);
	}
	odometer_restart(&f->odometer);
	return err ? err : filter_correction_go_on(f, reading, r);
}

/* Whether the scan of a reading is an update */
static bool is_update(const struct filter *f, const struct reading *reading,
		   const struct recalled *known)
{
	const struct slam_params *p = &f->params;
	const struct motion m = filter_motion(f);

	if (!reading->beams || !f->update)
		return reading->beams;
	if (known)
		return reading->range || filter_is_held(f, known);
	return f->moved || f->odometer.way >= p->distance ||
	       f->odometer.around >= p->angle || filter_may_go_on(f, &m);
}

/* A scan that is no update. Return: 1: it does not fit at all where the robot
 * should stand: it has to be one; 0; a negative errno
 */
static int track(struct filter *f, const struct reading *reading,
		 const struct recalled *known, struct filter_result *r)
{
	const struct slam_params *p = &f->params;
	const int err = filter_track(f, reading, known, r);
	struct pose since;

	if (err || p->wall == 0)
		return err;
	if (!known && r->fit < SURPRISING * f->usual)
		return 1;
	since = det_between(f->pose + f->best, &r->pose);
	f->moved |= motion_length(&since) >= p->distance ||
		    fabs(since.yaw) >= p->angle;
	prediction_track(&f->prediction, &since, f->odometer.time);
	return 0;
}

/* @reading: becomes the one without what moves. Return: 0; -ENOMEM */
static int leave_moving_out(struct filter *f, const struct reading **reading,
			    struct filter_result *r)
{
	const struct motion m = filter_motion(f);
	const struct pose pose = det_compose(f->pose + f->best, &m.move);
	int err;

	if (!(*reading)->beams || !(*reading)->range)
		return 0;
	if (f->params.wall == 0) {
		f->moving.still = **reading;
		return 0;
	}
	err = moving_mark(&f->moving, &f->last, f->tree, f->best_step, *reading,
			  &pose);
	*reading = &f->moving.still;
	r->moving = f->moving.beams;
	return err;
}

/* One reading: matched, or with the outcomes @known */
static int filter_step(struct filter *f, const struct reading *reading,
		       const struct recalled *known, struct filter_result *r)
{
	const struct slam_params *p = &f->params;
	int err;

	f->outs = 0;
	*r = (struct filter_result){ .particles = f->count };
	r->jumped = !odometer_move(&f->odometer, &reading->odometry,
				    reading->stamp);
	if (reading->beams && f->odometer.model)
		odometer_scan(&f->odometer);
	err = leave_moving_out(f, &reading, r);
	if (!err && is_update(f, reading, known))
		err = update(f, reading, known, r);
	else if (!err && reading->beams && p->compat != SLAM_GMAPPING)
		err = track(f, reading, known, r);
	if (err > 0) {
		f->surprised = true;
		err = update(f, reading, known, r);
		f->surprised = false;
	}
	r->predictor = f->prediction.use;
	r->best = f->best;
	r->particles = f->count;
	if (f->update > f->params.fixed)
		r->update = f->update - 1 - f->params.fixed;
	if (!f->outs || r->updated || r->held) {
		const struct motion m = filter_motion(f);

		r->pose = det_compose(f->pose + f->best, &m.move);
	}
	/* GMapping follows odometry between updates */
	r->unmatched = r->held ||
		       (!r->updated && p->compat == SLAM_GMAPPING);
	r->since = det_between(f->pose + f->best, &r->pose);
	add_uncertainty(f, r);
	return err;
}

const struct reading *filter_reading(const struct filter *f)
{
	return &f->moving.still;
}

int filter_read(struct filter *f, const struct reading *reading,
		struct filter_result *result)
{
	return filter_step(f, reading, NULL, result);
}

int filter_recall(struct filter *f, const struct reading *reading,
		  const struct outcome *out, uint32_t count,
		  struct filter_result *result)
{
	const struct recalled known = { out, count };
	const int err = filter_step(f, reading, &known, result);

	return !err && f->outs != count ? -EBADMSG : err;
}

const struct outcome *filter_outcomes(const struct filter *f, uint32_t *count)
{
	*count = f->outs;
	return f->out;
}

int filter_history(const struct filter *f, struct pose **poses,
		   uint32_t *count)
{
	trajectory_tree_id id = f->step[f->best];

	/* a known map has a step, but no scan */
	*count = trajectory_tree_depth(f->tree, id);
	if (*count)
		*count -= f->params.fixed;
	*poses = malloc((*count + 1) * sizeof(**poses));
	if (!*poses)
		return -ENOMEM;
	for (uint32_t i = *count; i--;
	     id = trajectory_tree_parent(f->tree, id))
		(*poses)[i] = trajectory_tree_at(f->tree, id)->pose;
	return 0;
}

const struct prediction *filter_prediction(const struct filter *f)
{
	return &f->prediction;
}

struct particle_pool *filter_pool(const struct filter *f)
{
	return f->pool;
}
