/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * map_figure.h - draw a fused map as a figure: for reports and records
 *
 * In: a raster, the meaning of its values, and other objects. Out: a PNG
 * picture with axes in metres, a scale bar, and a legend in the layer's unit.
 */
#ifndef MAP_IO_MAP_FIGURE_H
#define MAP_IO_MAP_FIGURE_H

#include "base/error.h"
#include "base/pose.h"
#include "map/fusion/raster.h"
#include "map/layer/colours.h"
#include "map/layer/layer.h"
#include "map/store/room.h"
#include "base/bytes.h"

enum { MAP_FIGURE_SIDE = 2000 };

/**
 * struct map_figure - content besides the map
 * @title:	UTF-8; NULL: the layer's name
 * @colours:	for example those of the modality
 * @room:	outlines with names, @rooms of them; NULL: none
 * @way:	trajectory of the robot, @poses in order; NULL: none
 */
struct map_figure {
	const char		*title;
	enum colours		colours;
	const struct room	*room;
	unsigned int		rooms;
	const struct pose	*way;
	unsigned int		poses;
};

/**
 * map_figure_encode() - draw a map
 * @out:	appended to: a PNG file, sides of at most MAP_FIGURE_SIDE pixels
 * @error:	out: one line
 *
 * Return: 0, -EINVAL: no cells, -ENOMEM.
 */
int map_figure_encode(const struct raster *r, const struct layer *l,
		      const struct map_figure *f, struct bytes *out,
		      struct error *error);

/**
 * map_figure_write() - draw a map into a file, replaced atomically
 *
 * Return: as map_figure_encode(), and errors of writing: -ENOSPC, ...
 */
int map_figure_write(const char *path, const struct raster *r,
		     const struct layer *l, const struct map_figure *f,
		     struct error *error);

#endif
