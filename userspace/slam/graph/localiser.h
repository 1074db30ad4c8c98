/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * localiser.h - keep track of a robot in a known map
 *
 * Until the robot is found, a small filter maps what it sees from where it
 * started. So the last scans are in place, also without odometry, and
 * place_search.h searches them in the known map. Then a filter tracks the robot
 * in that map. If its scans do not fit any more, the search begins again.
 */
#ifndef SLAM_GRAPH_LOCALISER_H
#define SLAM_GRAPH_LOCALISER_H

#include "slam/filter/filter.h"
#include "slam/graph/place_search.h"

struct localiser;

/**
 * localiser_create() - the robot may be anywhere in a map
 * @params:	of the filter; copied. If its map is not fixed, the filter has it,
 *		and the work is done when the robot is found
 * @walls:	of the map; valid until localiser_destroy()
 * @cells:	of it, likewise; NULL: not known
 *
 * Return: 0 and @l, to be freed with localiser_destroy(); as
 * place_search_map().
 */
int localiser_create(struct localiser **l, const struct slam_params *params,
		     const struct walls *walls,
		     const struct map_file *cells);
/* NULL is allowed */
void localiser_destroy(struct localiser *l);

/* A search gives up, and finds nothing, when @interrupted says so; its argument
 * is NULL
 */
void localiser_interrupt(struct localiser *l, bool (*interrupted)(void *arg));

/* About where the robot is: the next scan is searched here first, whatever was
 * known before
 */
void localiser_hint(struct localiser *l, const struct place_hint *hint);

/**
 * localiser_read() - another reading
 * @f: of the same parameters; gets a fixed map with the first place
 * @result: filter_result.found: the robot was found elsewhere; lost: it is
 *	searched in the whole map
 *
 * Return: 1: @result is that of the filter; 0: the robot was not found yet, and
 * there is no result; a negative errno of a filter.
 */
int localiser_read(struct localiser *l, struct filter *f,
		   const struct reading *reading, struct filter_result *result);

/**
 * struct localiser_counts - of the last search, and of all
 * @searched:	times that the map was searched
 * @found:	of these, with a place
 * @missed:	hints where no scan fitted
 * @unplaced:	readings before the robot was found
 * @scans:	that were searched together
 * @fit, @next, @best, @against: see struct place_search
 * @place:	that the filter got last
 */
struct localiser_counts {
	uint64_t	searched, found, missed, unplaced;
	uint32_t	scans;
	double		fit, next, against;
	struct pose	best, place;
};

struct localiser_counts localiser_counts(const struct localiser *l);

#endif
