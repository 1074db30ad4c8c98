/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * part_search.h - find out where a part of the map belongs
 *
 * A robot that was carried begins another part of the map (filter_carried.c).
 * If it comes to a place that was mapped before, its last scans together are
 * found there: see place_search.h.
 */
#ifndef SLAM_GRAPH_PART_SEARCH_H
#define SLAM_GRAPH_PART_SEARCH_H

#include "slam/graph/loop_search.h"
#include "slam/graph/place_search.h"

/**
 * struct part_search - all zero: there is no such part
 * @first:	node that it begins with; 0: there is none
 * @next:	node that is searched next
 * @too_wide:	the map before is too wide to be searched
 */
struct part_search {
	uint32_t		first, next;
	bool			too_wide;
	/* private */
	struct pose		*at;
	struct place_search	place;
};

/* Begin with node @first. An earlier part stays where it is */
void part_search_begin(struct part_search *p, uint32_t first);

/* It was found, or is not searched any more */
void part_search_end(struct part_search *p);

/* Whether there are nodes that were not searched; @nodes: of the graph */
bool part_search_due(const struct part_search *p, uint32_t nodes);

/**
 * part_search_run() - search the nodes of the part that are new
 * @s: gets a closure if the place is found
 *
 * Nodes that are apart are not searched in. Return: 0; -ENOMEM.
 */
int part_search_run(struct part_search *p, struct loop_search *s);

#endif
