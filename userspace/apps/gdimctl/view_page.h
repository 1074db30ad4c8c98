/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * view_page.h - the operator's view: maps over time as one page of HTML
 *
 * In: layers, and their state at several times. Out: a page that needs no
 * network and no other file. It contains the exact values of cells, in tiles.
 * A tile that is unchanged since the previous time is not stored again.
 *
 * The page is view.html with the scripts view_*.js and one JSON object:
 *
 *	packs	tiles, each pack a zlib stream in base64: a byte for each cell
 *		of layers of 8 bits; else per tile the high bytes and then the
 *		low bytes of differences to the cell before, the first one to 0
 *	layers	meaning of values, and 256 colours
 *	maps	of a layer: tiles by number in rows from low y; 0: unknown
 *	times	maps, rooms and trajectory (way) by number
 *
 * Rows of a tile go from low y as well; unknown is 255 or 65535.
 */
#ifndef APPS_GDIMCTL_VIEW_PAGE_H
#define APPS_GDIMCTL_VIEW_PAGE_H

#include <stdint.h>
#include "base/error.h"
#include "base/pose.h"
#include "map/fusion/raster.h"
#include "map/layer/layer.h"
#include "map/store/room.h"

enum {
	VIEW_TILE	= 64,		/* cells along a side */
	VIEW_CELLS	= 1 << 23,	/* of a map; larger ones are reduced */
	VIEW_SIDE	= 8192,		/* likewise, along a side */
};

/**
 * struct view_state - the state at one time
 * @stamp:	ns since the epoch
 * @name:	of the source, shown as text; may be invalid UTF-8
 * @map:	of each layer of the page; without cells: empty
 * @way:	poses of the robot, in order
 */
struct view_state {
	int64_t		stamp;
	const char	*name;
	struct raster	*map;
	struct room	*room;
	unsigned int	rooms;
	struct pose	*way;
	unsigned int	poses;
};

struct view_page;

/**
 * view_page_open() - create a page
 * @layer:	array of @layers, must outlive the page
 * @title:	of the page
 * @error:	gets one line
 *
 * Return: 0; a negative errno, then there is nothing to clean up.
 */
int view_page_open(struct view_page **page, const char *path,
		   const struct layer *layer, unsigned int layers,
		   const char *title, struct error *error);

/**
 * view_page_add() - add one time
 *
 * Add times in order: what is unchanged since the previous one is not stored
 * again. The last one is shown as the newest, whatever its stamp.
 *
 * Return: 0, -ENOMEM. view_page_finish() returns errors of the disk.
 */
int view_page_add(struct view_page *page, const struct view_state *s);

/* A repeater at @x, @y, m. Return: 0, -ENOMEM */
int view_page_repeater(struct view_page *page, double x, double y);

/* Write it to disk and free it. Return: 0, or as atomic_file_finish() */
int view_page_finish(struct view_page *page, struct error *error);

/* Free it without writing it; NULL is allowed */
void view_page_abandon(struct view_page *page);

#endif
