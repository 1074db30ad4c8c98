/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * reduce.h - a fused map in larger cells, for pictures from further away
 */
#ifndef MAP_SITE_REDUCE_H
#define MAP_SITE_REDUCE_H

#include <stddef.h>
#include "map/fusion/raster.h"
#include "map/layer/layer.h"

/**
 * enum reduce_how - what becomes of the known cells of a block
 * @REDUCE_MEAN:	rounded half up
 * @REDUCE_MAX:		so that no wall and no hazard gets lost
 * @REDUCE_MIN:		of layers whose rule that is
 */
enum reduce_how { REDUCE_MEAN, REDUCE_MAX, REDUCE_MIN };

/* As the layer's rule has it; of obstacles, hazards and costs the largest */
enum reduce_how reduce_how(const struct layer *l);

/**
 * reduce_raster() - blocks of @factor cells squared become one
 * @to:		gets rect, bits, resolution and cells; its cells are kept and
 *		grown, and are to be freed; NULL at first
 * @room:	how many cells @to->cells has room for, 0 at first
 * @factor:	1 or more; blocks begin at multiples of it
 *
 * Return: 0, -ENOMEM: @to is as before.
 */
int reduce_raster(const struct raster *from, unsigned int factor,
		  enum reduce_how how, struct raster *to, size_t *room);

#endif
