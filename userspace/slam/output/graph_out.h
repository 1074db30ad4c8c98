/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * graph_out.h - the edges between submaps as gdim_msgs/PoseGraph
 *
 *	/gdim/input/pose_graph	in the form that gdimd takes
 *
 * The pose graph has a node every half metre, and submaps are longer. So the
 * steps from the first scan of a submap to that of the next one are one edge, and
 * a closure is moved from its two scans to the frames of their submaps.
 */
#ifndef SLAM_OUTPUT_GRAPH_OUT_H
#define SLAM_OUTPUT_GRAPH_OUT_H

#include "slam/graph/pose_graph.h"
#include "slam/output/submap_out.h"

#define GRAPH_OUT_TOPIC	"/gdim/input/pose_graph"

/**
 * struct graph_out - all zero, and graph_out_free() in the end
 * @edge:	of the message, @edges of them
 */
struct graph_out {
	struct message_graph_edge	*edge;
	uint32_t			edges;
	/* private */
	char				(*frame)[STORE_FRAME];
	struct pose			*at;
	uint32_t			edge_room, submaps;
};

void graph_out_free(struct graph_out *g);

/**
 * graph_out_make() - all edges
 * @names:	of frames
 * @history:	of the scans of @s, @count of them
 * @edge:	nodes are numbers of scans; those beyond @count are left out
 * @stamp:	of the message
 * @m:		points into @g
 *
 * Return: edges in @m, 0: there is nothing to tell; -ENOMEM and one line.
 */
int graph_out_make(struct graph_out *g, const struct submap_out *names,
		   const struct submaps *s, const struct pose *history,
		   uint32_t count, const struct graph_edge *edge,
		   uint32_t edges, int64_t stamp, union message *m,
		   struct error *error);

#endif
