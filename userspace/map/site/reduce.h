/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * reduce.h - reduce a fused map to larger cells, for overview pictures
 */
#ifndef MAP_SITE_REDUCE_H
#define MAP_SITE_REDUCE_H

#include <stddef.h>
#include "map/fusion/raster.h"
#include "map/layer/layer.h"

/**
 * enum reduce_how - value of a block of cells, from the known ones
 * @REDUCE_MEAN:	mean, rounded half up
 * @REDUCE_MAX:		largest: no wall and no hazard is lost
 * @REDUCE_MIN:		smallest, for layers with that rule
 */
enum reduce_how { REDUCE_MEAN, REDUCE_MAX, REDUCE_MIN };

/* By the layer's rule; for obstacles, hazards and costs the largest */
enum reduce_how reduce_how(const struct layer *l);

/**
 * reduce_raster() - reduce blocks of @factor cells squared to one cell
 * @to:		gets rect, bits, resolution and cells; its cells are reused and
 *		grown, and are to be freed; NULL initially
 * @room:	capacity of @to->cells, 0 initially
 * @factor:	1 or more; blocks begin at multiples of it
 *
 * Return: 0, -ENOMEM: @to is unchanged.
 */
int reduce_raster(const struct raster *from, unsigned int factor,
		  enum reduce_how how, struct raster *to, size_t *room);

#endif
