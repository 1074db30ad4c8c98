/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * match.h - find the best pose of a scan in a map: the scan matchers
 */
#ifndef SLAM_FILTER_MATCH_H
#define SLAM_FILTER_MATCH_H

#include "slam/filter/gmapping_grid.h"
#include "slam/filter/motion.h"

/**
 * struct matcher - the state of matching, one for each thread
 * @params:	of the filter
 * @base:	of the tiles of all maps
 * @fit:	score of the hill climb: matcher_fit() or matcher_score()
 * @units:	1/256 cells in a metre
 * @prior:	its cost is subtracted from the fit of a pose; NULL: no cost
 * @spare:	tiles around those of a pose, for poses near it
 * @evaluations: of poses so far
 * @box:	of the scan
 * @radius:	of a circle around it
 * @window:	of @shown, the tiles for poses at (@x, @y, @turn) and near
 */
struct matcher {
	const struct slam_params	*params;
	const uint8_t			*base;
	double (*fit)(struct matcher *m, const struct scan *scan,
		      const struct likelihood_field *map,
		      const struct pose *pose);
	double				units;
	const struct prior		*prior;
	int				spare;
	uint64_t			evaluations;
	/* private */
	struct rotated			rotated, behind;
	struct gmapping_decay		*decay;
	double				yaw;
	struct scan_box			box;
	double				radius;
	struct field_window		window;
	const struct likelihood_field	*shown;
	int				x, y;
	double				turn;
} __attribute__((aligned(128)));

static inline double matcher_cost(const struct matcher *m,
				  const struct pose *pose)
{
	return m->prior ? prior_cost(m->prior, pose) : 0;
}

/* Return: 0; -ENOMEM */
int matcher_init(struct matcher *m, const struct slam_params *params,
		 const uint8_t *base);
void matcher_free(struct matcher *m);

enum { MATCHER_SPARE = 4 };

/**
 * matcher_begin() - begin a new scan, or use maps that have changed since
 *
 * Return: 0; -ENOMEM
 */
int matcher_begin(struct matcher *m, const struct scan *scan);

/**
 * matcher_look() - prepare the lookup of a scan at a pose
 * @x, @y: get the pose, 1/256 cell
 *
 * The scan is turned to the yaw of the pose: m->rotated, m->behind.
 */
const struct field_window *matcher_look(struct matcher *m,
					const struct scan *scan,
					const struct likelihood_field *map,
					const struct pose *pose, int *x,
					int *y);

/**
 * matcher_fit() - how well the scan fits from a pose
 *
 * Return: the mean of the field at the endpoints, 0..1
 */
double matcher_fit(struct matcher *m, const struct scan *scan,
		   const struct likelihood_field *map, const struct pose *pose);

/* Likewise with GMapping's map: its score, 0..endpoints */
double matcher_score(struct matcher *m, const struct scan *scan,
		     const struct likelihood_field *map,
		     const struct pose *pose);

/* As matcher_fit(), for Gauss-Newton */
void matcher_slope(struct matcher *m, const struct scan *scan,
		   const struct likelihood_field *map, const struct pose *pose,
		   struct score_slope *slope);

/* match_hill() with other parameters */
double match_climb(struct matcher *m, const struct scan *scan,
		   const struct likelihood_field *map, struct pose *pose,
		   uint32_t refinements, uint32_t cutoff);

/**
 * match_hill() - the hill climb of Kamburugamuve et al., algorithm 1
 * @pose: the start; gets the best pose
 *
 * Evaluates the six neighbours of the best pose; if none is better, the step
 * is halved, as often as there are refinements. A pose beyond the wall of the
 * prior has to be better by its cost. The cutoff is checked after each round
 * of six, as in the paper.
 *
 * Return: the fit there.
 */
double match_hill(struct matcher *m, const struct scan *scan,
		  const struct likelihood_field *map, struct pose *pose);

/**
 * match_gmapping() - the scan matcher of GMapping
 *
 * match_hill() on matcher_score(): Grisetti, Stachniss and Burgard, with
 * the comparison of gmapping_score_at().
 *
 * Return: the log-likelihood of the scan there.
 */
double match_gmapping(struct matcher *m, const struct scan *scan,
		      const struct likelihood_field *map, struct pose *pose);

/**
 * match_gauss_newton() - Gauss-Newton on the likelihood field
 *
 * As match_hill(), with fewer evaluations: its first, large steps, and then
 * Kohlbrecher et al., A flexible and scalable SLAM system with full 3D motion
 * estimation (SSRR 2011), section IV, with damping (Levenberg-Marquardt).
 */
double match_gauss_newton(struct matcher *m, const struct scan *scan,
			  const struct likelihood_field *map,
			  struct pose *pose);

/**
 * match_keep() - move a pose towards odometry, along the blind direction
 * @pose: the best one, of fit @fit; gets the moved one
 *
 * Along a plain wall a scan fits best where the last one was taken, because it
 * looks the same from there. The fit does not tell how far the robot moved;
 * odometry does. The pose is the mean of both, weighted by their variances.
 *
 * Return: the fit there.
 */
double match_keep(struct matcher *m, const struct scan *scan,
		  const struct likelihood_field *map, struct pose *pose,
		  double fit);

/**
 * match_draw() - sample a pose from the improved proposal
 * @pose: the best one, of fit @fit; gets the sample
 * @slip, @turn: standard deviations of the odometry, m and rad
 *
 * From the Gaussian approximation of the fit around its maximum (Grisetti,
 * Stachniss and Burgard, Improved techniques for grid mapping with
 * Rao-Blackwellized particle filters, 2007, section IV; the covariance is
 * that of Laplace's approximation, not of samples).
 *
 * Return: the fit there, without the sampled part along the blind direction of
 * the scan: poses behind the robot fit better in that direction, and particles
 * that lag behind would win.
 */
double match_draw(struct matcher *m, const struct scan *scan,
		  const struct likelihood_field *map, struct pose *pose,
		  double fit, double slip, double turn, struct random *random);

#endif
