/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * loop_search.h - find out where a robot was before
 *
 * A submap of a few metres of travel is compared with single scans of other
 * visits of that place: as far around as the pose may be wrong.
 */
#ifndef SLAM_GRAPH_LOOP_SEARCH_H
#define SLAM_GRAPH_LOOP_SEARCH_H

#include "slam/filter/scan.h"
#include "slam/graph/fit_grid.h"
#include "slam/graph/pose_graph.h"

/* Travel of a submap, m */
#define LOOP_SUBMAP	6.0

/* Travel between two visits of a place, m */
#define LOOP_APART	15.0

/* A closure that is known well, m: standard deviation */
#define LOOP_CLOSE	0.03

/**
 * struct loop_node - a scan of the graph
 * @update:	of the filter
 * @travel:	m since the start
 * @part:	of the map: a robot that was carried begins another one; @apart: it
 *		is not known where that belongs
 * @blind_x, @blind_y: see struct scan
 * @evidence:	likewise: in that direction the filter had to believe odometry
 */
struct loop_node {
	uint64_t		update;
	double			travel;
	uint32_t		part;
	bool			apart;
	double			blind_x, blind_y, evidence;
	const struct reading	*reading;
	struct fit_points	points;
};

/* Endpoints of a scan; of many only every second or third one and so on.
 * @units: of the scan in a metre
 */
void fit_points_make(struct fit_points *p, const struct scan *scan,
		     double units);

/**
 * struct loop_search
 * @node:	of @graph->nodes
 * @graph:	poses as they are known now; closures are added
 * @tried:	pairs of a submap and a scan; @searched: not at the expected
 *		pose alone; @found: those that fit
 * @alone:	of those that fit: its neighbours do not
 * @added:	closures, the last ones of the graph
 * @contradicted: of those that fit: one scan saw through the walls of the other
 */
struct loop_search {
	const struct loop_node *const	*node;
	struct pose_graph		*graph;
	uint64_t			tried, searched, found;
	uint64_t			alone, contradicted;
	uint32_t			added;
	/* private */
	uint32_t			edge_room;
	double				*way;
	uint32_t			way_room;
	struct fit_grid			grid;
};

/**
 * loop_search_submap() - find closures of a submap
 * @first, @last: its nodes
 *
 * They replace those that it has. Return: 0; -ENOMEM.
 */
int loop_search_submap(struct loop_search *s, uint32_t first, uint32_t last);

/* Append an edge to the graph. Return: 0; -ENOMEM */
int loop_search_add(struct loop_search *s, const struct graph_edge *e);

void loop_search_free(struct loop_search *s);

#endif
