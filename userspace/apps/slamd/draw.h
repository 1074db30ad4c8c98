/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * draw.h - the map of a log with known poses
 */
#ifndef APPS_SLAMD_DRAW_H
#define APPS_SLAMD_DRAW_H

#include "apps/slamd/slamd.h"
#include "map/fusion/raster.h"
#include "slam/output/trajectory.h"

/**
 * draw_write() - --map: the files of a map with the trajectory
 * @err:	result of occupancy_raster() for @raster
 *
 * Return: 0 or a negative errno after one line on stderr.
 */
int draw_write(const struct slamd_options *o, int err,
	       const struct raster *raster, const struct trajectory *t);

/**
 * draw_map() - read the log again, and write its map
 * @t:	a pose for each of the log's first readings, in their order
 *
 * Return: 0 or a negative errno after one line on stderr.
 */
int draw_map(const struct slamd_options *o, const struct trajectory *t);

#endif
