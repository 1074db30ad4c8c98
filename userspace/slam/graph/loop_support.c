// SPDX-License-Identifier: GPL-2.0-only
/*
 * loop_support.c - compares closures of neighbouring submaps
 */
#include "slam/filter/det_math.h"
#include "slam/graph/loop_support.h"

/* A closure that is off by less needs no other one, m */
#define LITTLE		1.0
/* Nor one of a scan that fits so well: stretches that look alike do not */
#define FITS_ALONE	0.85
/* Travel between two scans that one submap fits, m: another one is confirmed */
#define APART		3.0
/* Travel between two submaps that confirm each other, m */
#define NEAR		30.0
/* By how much they may differ, m at POSE_GRAPH_REACH, and for each m of travel */
#define SAME		0.5
#define SAME_PER_M	0.02

/* Where closure @e says that node @at is, which was seen from nearby: in the frame
 * of the visit that it leads to
 */
static struct pose said(const struct pose_graph *g, const struct graph_edge *e,
			uint32_t at)
{
	const struct pose zero = { 0, 0, 0 };
	const struct pose back = det_between(&e->move, &zero);
	const struct pose from = det_compose(g->pose + e->to, &back);
	const struct pose way = det_between(g->pose + e->from, g->pose + at);

	return det_compose(&from, &way);
}

/* Whether two closures say the same, though they are of different submaps */
static bool confirms(const struct pose_graph *g,
		     const struct loop_node *const *node,
		     const struct graph_edge *a, const struct graph_edge *b)
{
	const double way = fabs(node[a->from]->travel - node[b->from]->travel);
	const double visit = fabs(node[a->to]->travel - node[b->to]->travel);
	struct pose one, other;

	if ((a->from == b->from && visit < APART) || way > NEAR)
		return false;
	one = said(g, a, a->from);
	other = said(g, b, a->from);
	return pose_distance(&one, &other, POSE_GRAPH_REACH) <=
	       SAME + SAME_PER_M * way;
}

uint32_t loop_support(struct pose_graph *g, const struct loop_node *const *node)
{
	uint32_t waiting = 0;

	for (uint32_t i = 0; i < g->edges; i++) {
		struct graph_edge *e = g->edge + i;

		e->waiting = e->closure && e->fit < FITS_ALONE &&
			     pose_graph_off(g, e) >= LITTLE;
		for (uint32_t k = 0; k < g->edges && e->waiting; k++)
			e->waiting = !g->edge[k].closure ||
				     !confirms(g, node, e, g->edge + k);
		waiting += e->waiting;
	}
	return waiting;
}
