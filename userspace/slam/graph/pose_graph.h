/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pose_graph.h - poses of a robot, and motions that were measured between them
 *
 * Each node is a pose. An edge from a node to the next one is what the filter
 * found; another one is a loop closure: the robot was at a place again. Some
 * closures are wrong, as two places may look alike.
 */
#ifndef SLAM_GRAPH_POSE_GRAPH_H
#define SLAM_GRAPH_POSE_GRAPH_H

#include <stdbool.h>
#include <stdint.h>
#include "base/pose.h"

/**
 * struct edge_weight - how well an edge is known: the inverse of a covariance
 * @xx, @xy, @yy: of the place, 1/m^2, in the frame of the node that the edge
 *	comes from
 * @tt:	of the heading, 1/rad^2
 */
struct edge_weight {
	double	xx, xy, yy, tt;
};

/**
 * struct graph_edge - a motion between two nodes
 * @move:	the pose of @to in the frame of @from
 * @closure:	it may be wrong; @fit: of its scan, 0..1
 * @waiting:	for another closure that says the same: it moves nothing
 */
struct graph_edge {
	uint32_t		from, to;
	struct pose		move;
	struct edge_weight	weight;
	bool			closure, waiting;
	double			fit;
};

/**
 * struct pose_graph
 * @pose:	of @nodes nodes, in the map; the first one does not move
 * @edge:	@edges of them
 */
struct pose_graph {
	struct pose		*pose;
	uint32_t		nodes;
	struct graph_edge	*edge;
	uint32_t		edges;
};

/* A difference of headings counts as far as it moves a point at this distance,
 * m
 */
#define POSE_GRAPH_REACH	5.0

/* Squared error below which an edge agrees with the poses: 99 % of edges of 3
 * degrees of freedom
 */
#define EDGE_AGREES	11.3

/**
 * pose_graph_error() - by how much an edge disagrees with the poses
 *
 * Return: the squared error, in variances of the edge; 3 is usual.
 */
double pose_graph_error(const struct pose_graph *g, const struct graph_edge *e);

/* The same for an edge that is not in the graph: the pose of its end in the
 * frame of its start is @move
 */
double edge_error(const struct graph_edge *e, const struct pose *move);

/**
 * pose_graph_off() - by how much an edge disagrees with the poses
 *
 * Return: how far a point within POSE_GRAPH_REACH of the node moves, m.
 */
double pose_graph_off(const struct pose_graph *g, const struct graph_edge *e);

/**
 * pose_graph_solve() - find the poses that agree best with the edges
 *
 * Least squares with the weights of Agarwal et al., Robust map optimization
 * using dynamic covariance scaling, 2013: an edge that disagrees by more than
 * its error counts little, and one that waits not at all. They start wide, as true closures of a long loop
 * disagree with the poses before (graduated non-convexity: Yang et al., 2020).
 * The result has the same bits whenever it is computed.
 *
 * Return: 0; -ENOMEM; -EDOM: the edges do not hold the nodes together, @g is
 * unchanged.
 */
int pose_graph_solve(struct pose_graph *g);

#endif
