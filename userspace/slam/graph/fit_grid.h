/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fit_grid.h - a small map of some scans, in which another scan is searched
 *
 * Each cell says how near an endpoint is, 0..255. Coarser levels have the
 * maximum over 2^level x 2^level cells: a bound of how well a scan fits at any
 * place of such a block (Hess, Kohler, Rapp and Andor, Real-time loop closure
 * in 2D lidar SLAM, 2016).
 */
#ifndef SLAM_GRAPH_FIT_GRID_H
#define SLAM_GRAPH_FIT_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/pose.h"

enum {
	FIT_LEVELS	= 7,		/* the coarsest block is 3.2 m wide */
	FIT_PAD		= (1 << (FIT_LEVELS - 1)) + 8,	/* cells around the scans */
	FIT_PAD_WIDE	= 32,		/* more of them, left and below, for wide searches */
	FIT_SIDE_MAX	= 8192,		/* cells: 410 m */
	FIT_POINTS_MAX	= 192,		/* of a scan */
};

/* Side of a cell, and standard deviation of an endpoint, m */
#define FIT_CELL	0.05
#define FIT_SIGMA	0.07

/* Endpoints of a scan in the frame of its robot, m */
struct fit_points {
	uint32_t	count;
	float		x[FIT_POINTS_MAX], y[FIT_POINTS_MAX];
};

/* Where an endpoint is, with the sine @s and cosine @c of the heading, m */
static inline struct pose fit_point_at(const struct fit_points *p, uint32_t i,
				       const struct pose *at, double s,
				       double c)
{
	const double x = (double)p->x[i], y = (double)p->y[i];

	return (struct pose){ at->x + c * x - s * y, at->y + s * x + c * y, 0 };
}

/**
 * struct fit_grid - all zero is empty
 * @left, @low: of the first cell, m
 * @interrupted: asked during a search; true: the search gives up. NULL: none does
 * @level:	of narrow searches, and of wide ones; @levels are there
 */
struct fit_grid {
	double		left, low;
	uint32_t	width, height;
	bool		(*interrupted)(void *arg);
	/* private */
	unsigned int	levels[2];
	uint8_t		*level[2][FIT_LEVELS];
	size_t		room[2][FIT_LEVELS];
};

/**
 * fit_grid_draw() - draw scans
 * @g:	what was in it is erased
 * @scan, @pose: @count scans, and where they are in the frame of the grid
 *
 * Return: 0; -ENOMEM; -E2BIG: wider than FIT_SIDE_MAX.
 */
int fit_grid_draw(struct fit_grid *g, const struct fit_points *const *scan,
		  const struct pose *pose, uint32_t count);
void fit_grid_free(struct fit_grid *g);

/* Room for the cells of a level, of wide searches or not. Return: 0; -ENOMEM */
int fit_grid_make_level(struct fit_grid *g, bool wide, unsigned int level);

/* How well a scan fits, 0..1: continuous in @pose */
double fit_grid_fit(const struct fit_grid *g, const struct fit_points *scan,
		    const struct pose *pose);

/* Climb from @pose to the next best one. Return: its fit */
double fit_grid_climb(const struct fit_grid *g, const struct fit_points *scan,
		      struct pose *pose);

/**
 * struct fit_window - the poses to search
 * @reach:	m to either side of the middle
 * @turn:	rad to either side
 * @least:	a fit; worse ones are not found
 * @apart:	poses near this one are not found: FIT_APART and FIT_APART_TURN;
 *		NULL: all are
 * @left:	blocks of poses that may be looked at; gets what is left of them. At 0
 *		there may be better poses. NULL: no limit
 */
struct fit_window {
	double			reach, turn, least;
	const struct pose	*apart;
	uint64_t		*left;
};

/* Poses this far from each other are two places, m and rad */
#define FIT_APART	1.0
#define FIT_APART_TURN	0.5

/**
 * fit_grid_search() - find the best of all poses near one
 * @pose: the middle; gets the best one, to a cell
 *
 * Return: 1: found; 0; -ENOMEM; -EINTR: interrupted.
 */
int fit_grid_search(struct fit_grid *g, const struct fit_points *scan,
		    struct pose *pose, const struct fit_window *w);

#endif
