/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * store_edge.h - motions between nodes: odometry, and closed loops
 *
 * They explain the poses of nodes, which do not follow from them here: whoever
 * solves the graph sends poses, too. Their table is made when it is first
 * needed, so older programs use the same file and do not see them.
 */
#ifndef MAP_STORE_STORE_EDGE_H
#define MAP_STORE_STORE_EDGE_H

#include "map/store/store.h"

/**
 * struct store_edge
 * @from, @to:	frames of nodes, which may not be stored yet
 * @loop:	a closure; else odometry
 * @waiting:	for another closure that confirms it: it moves no node yet
 * @transform:	@to in the frame of @from
 * @covariance:	of it: xx, xy, xt, yy, yt, tt; m^2, m rad, rad^2
 */
struct store_edge {
	char		from[STORE_FRAME], to[STORE_FRAME];
	bool		loop, waiting;
	struct pose	transform;
	double		covariance[6];
};

/**
 * store_edges() - all edges of a source; they replace its earlier ones
 * @source: who sent them, up to STORE_FRAME - 1 bytes
 *
 * Return: 0; -EINVAL: invalid frames, transform or covariance: nothing is
 * changed; as store_layer().
 */
int store_edges(struct store *s, const char *source, int64_t stamp,
		const struct store_edge *edge, unsigned int count);

/* Iterate over the edges of all sources, as store_nodes() */
int store_each_edge(struct store *s,
		    int (*each)(void *arg, const struct store_edge *edge),
		    void *arg);

#endif
