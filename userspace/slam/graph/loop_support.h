/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * loop_support.h - closures that others confirm
 *
 * Of two stretches of corridor that look alike, one closure is as good as a true
 * one. But the next one then says something else, while at a true closure the
 * robot goes on through places that it knows. So a closure that moves the map by
 * much waits until another one says the same, unless its scan fits very well.
 */
#ifndef SLAM_GRAPH_LOOP_SUPPORT_H
#define SLAM_GRAPH_LOOP_SUPPORT_H

#include "slam/graph/loop_search.h"

/**
 * loop_support() - which edges of a graph may move it
 * @node: of @g->nodes
 * @supported: [@g->edges] gets true for edges that are no closures, for closures
 *	that move little or fit very well, and for those that another one confirms
 *
 * Return: closures that wait.
 */
uint32_t loop_support(const struct pose_graph *g,
		      const struct loop_node *const *node, bool *supported);

#endif
