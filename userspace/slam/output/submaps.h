/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * submaps.h - a trajectory of scans, cut into submaps
 *
 * A new submap begins when the robot has travelled far enough since the last
 * one began (D4.1, section 3.3). Each is an occupancy grid in the frame of the
 * pose of its first scan. Where these frames are in the map is what the best
 * particle says now: with another one at the top its whole past may be
 * another one. A submap whose frame moves is told of by its pose alone, which
 * is what GDIM is for; one whose scans move against each other is drawn anew
 * from them. Where submaps begin stays as it was.
 *
 * Nothing is drawn until submaps_draw() asks for it. What changed is on a list
 * until it was told. Who tells of finished submaps only leaves the open one
 * there, which then comes once it is finished.
 */
#ifndef SLAM_OUTPUT_SUBMAPS_H
#define SLAM_OUTPUT_SUBMAPS_H

#include "base/error.h"
#include "slam/output/occupancy.h"

enum {
	SUBMAPS_SCANS_MAX	= 8192,	/* of one submap: it is cut then */
};

/**
 * struct submaps_config
 * @distance:	of travel from the beginning of a submap to that of the next
 *		one, m; 0: SUBMAPS_DISTANCE. Turns do not count: a robot that
 *		turns on the spot sees the same from there
 * @tolerance:	nothing is told if no scan and no cell with something in it
 *		moved by more than this, m; 0: half a cell
 * @memory:	of the scans that are kept, bytes; 0: SUBMAPS_MEMORY. Beyond
 *		that the oldest submaps stay as they are drawn: they move, but
 *		are not drawn anew
 * @grid:	of each
 */
struct submaps_config {
	double			distance, tolerance;
	size_t			memory;
	struct occupancy_config	grid;
};

#define SUBMAPS_DISTANCE	5.0
#define SUBMAPS_MEMORY		((size_t)256 << 20)

/**
 * struct submap
 * @stamp:	of its first scan, later than that of the submap before, ns; it
 *		never changes
 * @pose:	of its frame, in the map
 * @first:	number of its first scan
 * @scans:	in it
 * @open:	the last one: more scans will come
 * @moved:	its pose is to be told
 * @changed:	so are its cells
 */
struct submap {
	int64_t		stamp;
	struct pose	pose;
	uint32_t	first, scans;
	bool		open, moved, changed;
};

struct submaps;

/**
 * submaps_create() - none at first
 * @config: copied
 * @error: gets one line
 *
 * Return: 0 and @s, to be freed with submaps_destroy(); -EINVAL, -ENOMEM.
 */
int submaps_create(struct submaps **s, const struct submaps_config *config,
		   char error[ERROR_TEXT]);
void submaps_destroy(struct submaps *s);

/**
 * submaps_add() - a scan that the filter took
 * @r: copied; one of those that the history will have a pose for
 * @error: gets one line
 *
 * Return: 0; -EINVAL: cannot be; -ENOMEM, -E2BIG. All is as before then, and
 * the history must have no pose for it.
 */
int submaps_add(struct submaps *s, const struct reading *r,
		char error[ERROR_TEXT]);

/* Scans that were added */
uint32_t submaps_scans(const struct submaps *s);

/**
 * submaps_update() - where the robot was at all scans, as it is known now
 * @history: of each scan that was added, in the map
 * @count: of them
 * @error: gets one line
 *
 * Cuts what was added since, and finds out what is to be told.
 *
 * Return: how many submaps are on the list, see submaps_list(); -EINVAL: poses
 * that cannot be, or not one for each scan: all is as before; -ENOMEM.
 */
int submaps_update(struct submaps *s, const struct pose *history,
		   uint32_t count, char error[ERROR_TEXT]);

/* Numbers of those that moved or changed, rising; until the next update */
const uint32_t *submaps_list(const struct submaps *s);

/* All are to be told again, with the next update: for who came late */
void submaps_again(struct submaps *s);

uint32_t submaps_count(const struct submaps *s);

/* Number @i of them; as it is until the next call that is not const */
const struct submap *submaps_at(const struct submaps *s, uint32_t i);

/* Scan number @n, of those with a pose; NULL: it is not kept any more */
const struct reading *submaps_scan(const struct submaps *s, uint32_t n);

/**
 * submaps_draw() - the cells of a submap, in its own frame
 * @o:		gets the grid; good until the next submaps_...() that is not
 *		const
 * @error:	gets one line
 *
 * Return: 0; -ENODATA: it has none, as no beam hit anything, or its scans are
 * not kept any more; -E2BIG: it has more cells than a submap may have
 * (CELLS_MAX); -ENOMEM.
 */
int submaps_draw(struct submaps *s, uint32_t i, const struct occupancy **o,
		 char error[ERROR_TEXT]);

/* It was told: its pose, or its cells, or both */
void submaps_published(struct submaps *s, uint32_t i, bool pose, bool cells);

/**
 * struct submaps_counts
 * @submaps:	there are
 * @fixed:	of these: their scans are not kept any more
 * @drawn:	times that a grid was made or added to
 * @left_out:	scans that had no place in their grid
 * @lost:	changed cells that nobody took before their scans had to go
 * @bytes:	of scans that are kept
 */
struct submaps_counts {
	uint32_t	submaps, fixed;
	uint64_t	drawn, left_out, lost;
	size_t		bytes;
};

struct submaps_counts submaps_counts(const struct submaps *s);

#endif
