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
 * @g: gets graph_edge.waiting: of closures that move it by much, do not fit
 *	very well, and are confirmed by no other one
 * @node: of @g->nodes
 *
 * Return: closures that wait.
 */
uint32_t loop_support(struct pose_graph *g,
		      const struct loop_node *const *node);

#endif
