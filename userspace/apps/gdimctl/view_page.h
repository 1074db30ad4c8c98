/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * view_page.h - the operator's look: maps over time as one page of HTML
 *
 * In: layers, and what was known at several times. Out: a page that needs no
 * network and no other file. It has the cells' values themselves, in tiles, so
 * what it reads out is exact; a tile that did not change since the time before
 * is not stored again.
 *
 * The page is view.html with the scripts view_*.js and one JSON object:
 *
 *	packs	tiles, each pack a zlib stream in base64: a byte for each cell
 *		of layers of 8 bits; else per tile the high bytes and then the
 *		low bytes of differences to the cell before, the first one to 0
 *	layers	what values mean, and 256 colours
 *	maps	of a layer: tiles by number in rows from low y; 0: unknown
 *	times	maps, rooms and way by number
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
 * struct view_state - what was known at one time
 * @stamp:	ns since the epoch
 * @name:	where that is from; UTF-8 or not, shown as text
 * @map:	of each layer of the page; no cells: nothing was known
 * @way:	where the robot was, in order
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
 * view_page_open() - begin a page
 * @layer:	@layers of them, which must stay
 * @title:	of the page
 * @error:	gets one line
 *
 * Return: 0 or a negative errno, and nothing to clean up.
 */
int view_page_open(struct view_page **page, const char *path,
		   const struct layer *layer, unsigned int layers,
		   const char *title, char error[ERROR_TEXT]);

/**
 * view_page_add() - one more time
 *
 * Best in order: what did not change since the one before is stored once. The
 * last one is the newest, whatever its stamp.
 *
 * Return: 0, -ENOMEM. Errors of the disk come with view_page_finish().
 */
int view_page_add(struct view_page *page, const struct view_state *s);

/* Where repeaters are, m. Return: 0, -ENOMEM */
int view_page_repeater(struct view_page *page, double x, double y);

/* Bring it to disk and free it. Return: 0, or as atomic_file_finish() */
int view_page_finish(struct view_page *page, char error[ERROR_TEXT]);

/* Forget it; NULL is allowed */
void view_page_abandon(struct view_page *page);

#endif
