/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * filter_parts.h - shared by the files of the filter
 *
 * filter.c has weights, resampling and the history; filter_match.c matches
 * scans; filter_doubt.c decides whether a match is right, and where else the
 * robot may be; filter_hypotheses.c keeps two motions until scans decide;
 * filter_correction.c goes on in a corrected map; filter_known.c has a map that
 * does not change; filter_relatives.c replaces particles by relatives.
 */
#ifndef SLAM_FILTER_FILTER_PARTS_H
#define SLAM_FILTER_FILTER_PARTS_H

#include "slam/filter/filter.h"
#include "slam/filter/moving.h"

/**
 * struct seen - a pose elsewhere that a scan fits
 * @known:	there is such a pose
 * @first:	the best pose at the first of these scans
 * @pose:	the best pose at the last one
 * @move:	the motion by odometry at that scan
 */
struct seen {
	bool		known;
	struct pose	first, pose, move;
};

/**
 * struct apart - the scans in a row that contradict the map, but not each other
 * @scans:	how many of them; @against: sum of what each says against the one
 *		before
 * @first:	motion to the first one since the last update; @last: to the last
 * @scan:	the last one
 */
struct apart {
	uint32_t		scans;
	double			against;
	struct pose		first, last;
	struct last_scan	scan;
};

/**
 * struct hypotheses - two motions of the robot, undecided
 * @open:	there are two
 * @since:	the update when they arose
 * @of:		of each particle: enum hypothesis
 * @weight:	log-weight of the children of each after resampling
 */
struct hypotheses {
	bool		open;
	uint64_t	since;
	uint8_t		*of, *next;
	double		weight[HYPOTHESIS_OTHER + 1];
};

/**
 * struct correction - a better history of the robot, whose map is drawn
 * @pose:	of each update, @poses of them; NULL: there is none
 * @drawn:	updates whose scans are in the map; @each: how many are drawn after an
 *		update
 * @joins:	a part of the map that was begun elsewhere
 * @reading:	the scan of an update
 */
struct correction {
	struct pose	*pose;
	uint32_t	poses, room, drawn, each;
	bool		joins;
	const struct reading *(*reading)(void *arg, uint64_t update);
	void		*arg;
};

/**
 * struct filter
 * @pose:	of each particle, after the last update
 * @recent:	logarithm of its weight, since the last resampling
 * @total:	logarithm of the weight of it and all its ancestors
 * @step:	its last one
 * @out:	outcomes of the last reading, @outs of them
 * @room:	of the arrays of particles
 * @update:	number of the next one
 * @usual:	usual fit of the best particle; 0: not known yet
 * @held:	scans in a row that were left out of the map, as they
 *		contradict it
 * @round:	how often this update was matched before
 * @seen:	where a lost robot may be; confirmed if later scans fit as well
 * @apart:	is the robot at another place?
 * @begun:	the update at which this part of the map was begun; @aside: it is not
 *		known where that belongs
 * @spread:	covariance of the particles' poses after the last update
 * @moved:	the robot moved by its scans, though not by its odometry
 * @placed:	the last step does not lead to the pose of the robot
 * @unsure:	updates before which it is not known how the robot moves
 * @moving:	what moves in the last scan
 * @surprised:	the scan is matched as it does not fit where the robot should
 *		stand
 */
struct filter {
	struct slam_params	params;
	struct particle_pool	*pool;
	struct trajectory_tree	*tree;
	struct odometer		odometer;
	uint32_t		count, room;
	struct pose		*pose;
	double			*recent, *total, *weight;
	trajectory_tree_id	*step, *next_step;
	uint32_t		*parent;
	struct outcome		*out;
	uint32_t		outs;
	uint32_t		best;
	trajectory_tree_id	best_step;
	uint64_t		update;
	double			usual;
	uint32_t		held, round;
	struct seen		seen;
	struct apart		apart;
	uint64_t		begun;
	bool			aside;
	double			spread[6];
	bool			moved, surprised, placed;
	uint64_t		unsure;
	struct prediction	prediction;
	struct last_scans	last;
	struct scan		scan;
	struct moving		moving;
	struct hypotheses	hypotheses;
	struct correction	correction;
};

static inline struct particle_pool_state filter_state(const struct filter *f)
{
	return (struct particle_pool_state){ f->count, f->best, f->step,
					       f->tree };
}

/* The particle that was matched for this one: itself, or its relative */
static inline uint32_t filter_acting(const struct filter *f, uint32_t number)
{
	const uint32_t relative = f->out[number].relative;

	return relative ? relative - 1 : number;
}

/**
 * struct recalled - outcomes of a reading from an earlier run
 * @out:	its filter_outcomes(), @count of them
 */
struct recalled {
	const struct outcome	*out;
	uint32_t		count;
};

/* A tracked scan that fits this badly is matched by all particles, as a share
 * of the usual fit
 */
#define SURPRISING	0.6

/*
 * filter_relatives.c: particles whose outcome is that of a relative
 */

/* How many there are */
uint32_t filter_replaced(const struct filter *f);

/* After the others got their steps: they become copies of these, but keep their
 * own weight from before
 */
void filter_replace(struct filter *f);

/* Their relatives get their part of f->weight, so that none has children */
void filter_move_weights(struct filter *f);

/* f->parent of all particles, if there is no resampling */
void filter_replaced_parents(struct filter *f);

/* The scans in a row that are left out of the map; after that the place is
 * assumed to have changed
 */
enum { FILTER_HELD_MAX = 32 };

/* Motion of a robot that was just found in a known map: standard deviations, m and
 * rad. Its odometry may be none
 */
#define UNSURE		0.1
#define UNSURE_TURN	0.1

/* Whether the robot is lost if this scan is held, too */
bool filter_lost(const struct filter *f, bool held);

/* Whether outcomes are those of a scan that was held */
bool filter_is_held(const struct filter *f, const struct recalled *known);

/* The motion since the last update, predicted */
struct motion filter_motion(const struct filter *f);

/* Particle of the highest fit in f->out */
uint32_t filter_fittest(const struct filter *f);

/* particles_track() of particle @number. Return: 0 or a negative errno */
int filter_look(struct filter *f, const struct reading *reading,
		uint32_t number, const struct seek *seek,
		struct filter_result *r, struct sighting *s);

/* The same for the best particle after @motion, as far as it allows */
int filter_look_after(struct filter *f, const struct reading *reading,
		      const struct motion *motion, struct filter_result *r,
		      struct sighting *s);

/**
 * filter_choose_motion() - decide whether doubtful odometry was right
 * @m:	becomes another motion, or two
 *
 * Return: 0 or a negative errno.
 */
int filter_choose_motion(struct filter *f, const struct reading *reading,
			 struct motion *m, struct filter_result *r);

/* Whether the robot may have gone on at its speed, though the odometry says that
 * it did not
 */
bool filter_may_go_on(const struct filter *f, const struct motion *m);

/**
 * filter_go_on() - doubt the odometry where the best match in f->out goes as far
 * as that allows
 * @m:	becomes the motion at the speed of before
 *
 * Wheels that are stuck say that the robot stands.
 *
 * Return: 1: match all again, a scan fits better there; 0: not; a negative errno.
 */
int filter_go_on(struct filter *f, const struct reading *reading,
		 struct motion *m, struct filter_result *r);

/**
 * filter_doubt() - doubt the best match in f->out
 * @m:	becomes the motion to where the robot is instead, or two
 *
 * Return: 1: match all again; 0: it is right, or r->held; a negative errno.
 */
int filter_doubt(struct filter *f, const struct reading *reading,
		 struct motion *m, struct filter_result *r);

/*
 * filter_carried.c: a robot that was carried to a place that is not in the map
 */

/* A scan was held, as it contradicts the map. Return: 0; -ENOMEM */
int filter_carried_hold(struct filter *f, const struct reading *reading);

/* This scan was not */
void filter_carried_forget(struct filter *f);

/* Whether the scans that were held, and this one, are of another place */
bool filter_is_carried(const struct filter *f, const struct reading *reading);

/* From the rest of the map, m: a robot that drives back does not get so far before
 * its place is found
 */
#define FILTER_CARRIED_GAP 200.0

/* Far from all that is in the map: nothing that the robot sees reaches it */
struct pose filter_carried_place(const struct filter *f);

/* The outcomes of this update are there: forget what was before */
void filter_carried_begin(struct filter *f);

/* Particles of f->out have hypotheses: keep both */
void filter_hypotheses_open(struct filter *f);

/* There are none any more */
void filter_hypotheses_close(struct filter *f);

/**
 * filter_hypotheses_decide() - whether one of two hypotheses lost
 *
 * If so, its particles get no weight. r->jumped: the odometry lost.
 *
 * Return: whether they have to be replaced now.
 */
bool filter_hypotheses_decide(struct filter *f, struct filter_result *r);

/* Change f->weight so that both keep a share of the particles */
void filter_hypotheses_protect(struct filter *f);

/* After resampling: by f->parent, for particles below @count */
void filter_hypotheses_inherit(struct filter *f, uint32_t count);

/* After an update: draw a part of the corrected map, or go on in it:
 * r->corrected. @reading: of the update. Return: 0 or a negative errno
 */
int filter_correction_go_on(struct filter *f, const struct reading *reading,
			    struct filter_result *r);
void filter_correction_free(struct filter *f);

/**
 * filter_match() - match a scan for all particles, into f->out
 * @known: instead of matching; NULL: match
 *
 * Return: 0 or a negative errno of the pool; -EBADMSG: @known does not fit.
 */
int filter_match(struct filter *f, const struct reading *reading,
		 const struct recalled *known, struct filter_result *r);

/* The same for the best particle; the maps do not change */
int filter_track(struct filter *f, const struct reading *reading,
		 const struct recalled *known, struct filter_result *r);

#endif
