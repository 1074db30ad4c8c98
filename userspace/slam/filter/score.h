/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * score.h - how well a scan fits a map from a pose: the hot loop of SLAM
 *
 * Endpoints are rotated once for each angle; the rest is integer. AVX2,
 * AVX-512 and NEON give the same bits as plain C.
 */
#ifndef SLAM_FILTER_SCORE_H
#define SLAM_FILTER_SCORE_H

#include "slam/filter/likelihood_field.h"

enum {
	SCORE_LANES	= 16,	/* arrays are padded to a multiple of it */
	SCORE_MAX	= FIELD_MAX * FIELD_UNIT / 2,	/* of an endpoint */
};

/**
 * struct endpoints - the ends of beams, in the frame of the robot
 * @count:	of them
 * @room:	@count, rounded up to SCORE_LANES
 * @x, @y:	1/256 cell; aligned to 64 bytes; any values beyond @count
 */
struct endpoints {
	unsigned int	count, room;
	const float	*x, *y;
};

/**
 * struct rotated - endpoints after a rotation
 * @x, @y:	1/256 cell, rounded; @room of them, those beyond @count are far
 *		outside the map
 */
struct rotated {
	unsigned int	count, room;
	int32_t		*x, *y;
};

/* By @yaw, rad. @to has room for as many as @from */
void score_rotate(struct rotated *to, const struct endpoints *from, double yaw);

/**
 * score_at() - the sum of the field at all endpoints
 * @base:	of the pool of the tiles
 * @x, @y:	of the robot, 1/256 cell
 *
 * Interpolated between the middles of four cells.
 *
 * Return: 0..count * SCORE_MAX
 */
int64_t score_at(const struct field_window *f, const uint8_t *base,
		 const struct rotated *points, int x, int y);

/**
 * struct score_slope - how the sum of the field changes with the pose
 * @g:		its gradient by x, y (m) and yaw (rad)
 * @h:		minus its second derivatives, limited to those of straight
 *		walls: xx, xy, xt, yy, yt, tt
 */
struct score_slope {
	double	g[3], h[6];
};

/**
 * score_slope() - for Gauss-Newton on the field
 * @points:	endpoints, rotated to the robot's yaw
 * @units:	1/256 cells in a metre
 * @sigma:	of the field, m
 *
 * Summed in SCORE_LANES sums: the bits do not depend on the CPU.
 */
void score_slope(const struct field_window *f, const uint8_t *base,
		 const struct rotated *points, int x, int y, double units,
		 double sigma, struct score_slope *slope);

enum score_path {
	SCORE_BEST, SCORE_PLAIN, SCORE_AVX2, SCORE_AVX512, SCORE_NEON,
	SCORE_PATHS
};

/* For tests and benchmarks: whether the CPU has it */
bool score_use(enum score_path path);

/* The version in use; not SCORE_BEST */
enum score_path score_used(void);

#endif
