/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * submaps.h - a trajectory of scans, cut into submaps
 *
 * A new submap begins when the robot has travelled far enough since the last
 * one began (D4.1, section 3.3). Each is an occupancy grid in the frame of the
 * pose of its first scan. The pose of a frame in the map comes from the current
 * best particle: after a change of the best particle all past poses may
 * differ. A submap whose frame moves is published by its pose alone, which is
 * the purpose of GDIM; one whose scans move relative to each other is drawn
 * again. The first scans of submaps do not change.
 *
 * Nothing is drawn until submaps_draw() is called. A changed submap stays on
 * the list until it is published. A caller that only publishes finished submaps
 * leaves the open one there until it is finished.
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
 * @tolerance:	nothing is published if no scan and no occupied cell moved by
 *		more than this, m; 0: half a cell
 * @memory:	of the scans that are kept, bytes; 0: SUBMAPS_MEMORY. Beyond
 *		that the oldest submaps keep their drawing: they can move, but
 *		are not drawn again
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
 * @stamp:	of its first scan, later than that of the submap before, ns;
 *		constant
 * @pose:	of its frame, in the map
 * @first:	number of its first scan
 * @scans:	number of scans
 * @open:	the last one: more scans will follow
 * @moved:	its pose has to be published
 * @changed:	its cells have to be published
 */
struct submap {
	int64_t		stamp;
	struct pose	pose;
	uint32_t	first, scans;
	bool		open, moved, changed;
};

struct submaps;

/**
 * submaps_create() - without submaps
 * @config: copied
 * @error: gets one line
 *
 * Return: 0 and @s, to be freed with submaps_destroy(); -EINVAL, -ENOMEM.
 */
int submaps_create(struct submaps **s, const struct submaps_config *config,
		   struct error *error);
void submaps_destroy(struct submaps *s);

/**
 * submaps_add() - add a scan of the filter
 * @r: copied; the history must have a pose for it later
 * @error: gets one line
 *
 * Return: 0; -EINVAL: invalid; -ENOMEM, -E2BIG. After an error nothing changed,
 * and the history must have no pose for it.
 */
int submaps_add(struct submaps *s, const struct reading *r,
		struct error *error);

/* Scans that were added */
uint32_t submaps_scans(const struct submaps *s);

/**
 * submaps_update() - set the current poses of all scans
 * @history: of each scan that was added, in the map
 * @count: of them
 * @error: gets one line
 *
 * Cuts the new scans into submaps, and finds the changes to publish.
 *
 * Return: number of submaps on the list, see submaps_list(); -EINVAL: invalid
 * poses, or not one for each scan: nothing changed; -ENOMEM.
 */
int submaps_update(struct submaps *s, const struct pose *history,
		   uint32_t count, struct error *error);

/* Numbers of those that moved or changed, rising; until the next update */
const uint32_t *submaps_list(const struct submaps *s);

uint32_t submaps_count(const struct submaps *s);

/* Number @i of them; valid until the next call that is not const */
const struct submap *submaps_at(const struct submaps *s, uint32_t i);

/* Scan number @n, of those with a pose; NULL: not kept any more */
const struct reading *submaps_scan(const struct submaps *s, uint32_t n);

/**
 * submaps_draw() - the cells of a submap, in its own frame
 * @o:		gets the grid; valid until the next submaps_...() that is not
 *		const
 * @error:	gets one line
 *
 * Return: 0; -ENODATA: no beam hit anything, or its scans are not kept any
 * more; -E2BIG: it has more cells than a submap may have (CELLS_MAX);
 * -ENOMEM.
 */
int submaps_draw(struct submaps *s, uint32_t i, const struct occupancy **o,
		 struct error *error);

/* Mark its pose, or its cells, or both, as published */
void submaps_published(struct submaps *s, uint32_t i, bool pose, bool cells);

/**
 * struct submaps_counts - statistics
 * @submaps:	number of them
 * @fixed:	of these: their scans are not kept any more
 * @drawn:	times that a grid was made or added to
 * @left_out:	scans outside the largest grid
 * @lost:	changed submaps whose scans were dropped before publication
 * @bytes:	of scans that are kept
 */
struct submaps_counts {
	uint32_t	submaps, fixed;
	uint64_t	drawn, left_out, lost;
	size_t		bytes;
};

struct submaps_counts submaps_counts(const struct submaps *s);

#endif
