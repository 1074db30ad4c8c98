/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * level.h - read large maps in larger cells
 *
 * Only existing tiles of a map are read: its extent costs nothing.
 */
#ifndef MAP_SITE_LEVEL_H
#define MAP_SITE_LEVEL_H

#include "map/site/reduce.h"
#include "map/site/site.h"

/* The same area in cells that are @ratio times as large */
struct rect level_rect(const struct rect *r, double ratio);

/**
 * level_factor() - smallest of 1, 2, 4, ... with which @layers rasters of a map
 * have at most @most cells in all
 */
unsigned int level_factor(const struct rect *bounds, unsigned int layers,
			  size_t most);

/**
 * struct level_source - a map
 * @read:	as site_read()
 * @tiles:	calls @each for each existing tile
 */
struct level_source {
	int	(*read)(void *arg, struct raster *r);
	void	(*tiles)(void *arg, void (*each)(void *arg,
						 const struct rect *tile),
			 void *to);
	void	*arg;
};

/**
 * level_read() - read a part of a map in larger cells
 * @factor:	power of two; cell (x, y) of @r is the square of that many from
 *		(x * @factor, y * @factor) on
 * @how:	how a square is reduced
 *
 * Return: 0, and all of @r is set; -ENOMEM; as @read.
 */
int level_read(const struct level_source *from, unsigned int factor,
	       enum reduce_how how, struct raster *r);

/* level_read() of a layer, reduced by its rule. Return: also as site_read() */
int level_read_layer(struct site *s, unsigned int layer, unsigned int factor,
		     struct raster *r);

#endif
