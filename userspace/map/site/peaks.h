/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * peaks.h - the highest value of a layer, and how much of it is above a
 * threshold
 *
 * Each tile's share is kept, so that only tiles that have changed are read
 * again: a large map costs no more than its changes.
 */
#ifndef MAP_SITE_PEAKS_H
#define MAP_SITE_PEAKS_H

#include "map/site/site.h"

/* Layers and thresholds that are kept; the one used longest ago goes first */
enum { PEAKS_KEPT = 32 };

/**
 * struct peaks_found
 * @revision:	of the layer, as of site_changes()
 * @value:	the highest one, as in struct raster; -1: nothing is known
 * @x, @y:	middle of a cell that has it, m
 * @cells:	that are at least the threshold
 * @area:	around them, if there are any, m
 */
struct peaks_found {
	uint64_t		revision;
	int			value;
	double			x, y, resolution;
	uint64_t		cells;
	struct site_area	area;
};

struct peaks;

/* Return: to be freed with peaks_destroy(); NULL: no memory */
struct peaks *peaks_create(void);
void peaks_destroy(struct peaks *p);

/**
 * peaks_find() - for any thread
 * @over:	threshold, as the cells of struct raster
 *
 * Others wait for the thread that reads, but not for long.
 *
 * Return: 0; -EBUSY: another thread reads a large map; -EAGAIN: parts of it
 * were evicted; -ENOMEM.
 */
int peaks_find(struct peaks *p, struct site *s, unsigned int layer, int over,
	       struct peaks_found *found);

#endif
