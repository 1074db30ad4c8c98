/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * soften.h - free cells beside walls are less sure than others
 *
 * Where submaps lie is known to a cell or two. A wall that is one cell thick
 * would lie beside itself in others of them, whose free cells there are sure
 * of it, and the sum of log-odds would have no wall at all.
 */
#ifndef MAP_FUSION_SOFTEN_H
#define MAP_FUSION_SOFTEN_H

#include "map/fusion/cells.h"

enum {
	SOFTEN_REACH	= 2,	/* cells, in both directions */
	/* % of the full value; map_server takes less than 19.6 for free */
	SOFTEN_LEAST	= 15,
};

/**
 * soften() - raise what is free beside walls
 * @c: values are probabilities; more than half of the full one is a wall
 *
 * A known cell within SOFTEN_REACH of a wall is at least SOFTEN_LEAST. Unknown
 * ones stay unknown.
 *
 * Return: one reference, @c itself if nothing is different; NULL: no memory.
 */
struct cells *soften(struct cells *c);

#endif
