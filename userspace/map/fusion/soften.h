/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * soften.h - reduce the certainty of free cells beside walls
 *
 * Poses of submaps are accurate to a cell or two. So a wall that is one cell
 * thick is shifted in some submaps, whose free cells would then outvote the
 * wall of the others: the sum of log-odds would have no wall at all.
 */
#ifndef MAP_FUSION_SOFTEN_H
#define MAP_FUSION_SOFTEN_H

#include "map/fusion/cells.h"

enum {
	SOFTEN_REACH	= 2,	/* cells, in both directions */
	/* % of the full value; for map_server less than 19.6 is free */
	SOFTEN_LEAST	= 15,
};

/**
 * soften() - raise free cells beside walls
 * @c: values are probabilities; more than half of the full value is a wall
 *
 * A known cell within SOFTEN_REACH of a wall becomes at least SOFTEN_LEAST.
 * Unknown cells stay unknown.
 *
 * Return: one reference, to @c itself if nothing changes; NULL: no memory.
 */
struct cells *soften(struct cells *c);

#endif
