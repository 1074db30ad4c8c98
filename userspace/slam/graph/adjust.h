/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * adjust.h - move all poses of a history so that all scans agree
 *
 * A filter matches each scan to the map that it has at that time, to about a
 * cell. When the history is complete, each scan is compared with those before
 * it and with those of other visits of the place, and all poses are moved at
 * once: least squares over the distances of endpoints from walls (Lu and
 * Milios, Globally consistent range scan alignment for environment mapping,
 * 1997; Borrmann et al., Globally consistent 3D mapping with scan matching,
 * 2008). Odometry, and what the filter found, hold what no scan tells.
 */
#ifndef SLAM_GRAPH_ADJUST_H
#define SLAM_GRAPH_ADJUST_H

#include <stdbool.h>
#include "laser/reading.h"
#include "slam/filter/params.h"

/**
 * struct adjust_counts
 * @poses:	that were adjusted; of a long history every second one and so
 *		on, and those between them follow
 * @pairs:	of scans that were compared
 * @agreeing:	of these: the scans are of the same place
 * @doubted:	of @agreeing: they count less, as they contradict the others
 * @refused:	1: nothing was moved, as no scans were of the same place, or as
 *		they would have agreed less afterwards
 * @moved:	a pose at most, m
 * @before, @after: share of the endpoints that are on a wall of another scan
 * @off:	standard deviation of these from the walls, m
 * @cpu:	ns of processor time
 */
struct adjust_counts {
	uint32_t	poses, pairs, agreeing, doubted;
	uint32_t	refused;
	double		moved, before, after, off;
	uint64_t	cpu;
};

/**
 * adjust_history() - adjust the poses of all updates
 * @reading:	[@count]
 * @history:	[@count] poses of the robot, of which the first one stays;
 *		changed in place
 * @params:	of the filter: error of the odometry, length of beams
 * @c:		overwritten
 * @interrupted: asked between steps; true: gives up. NULL: does not
 *
 * The result has the same bits whenever it is computed. Of each reading it
 * needs 32 bytes for each beam.
 *
 * Return: 0; -ENOMEM, -EINTR: @history is unchanged.
 */
int adjust_history(const struct reading *const *reading, struct pose *history,
		   uint32_t count, const struct slam_params *params,
		   struct adjust_counts *c, bool (*interrupted)(void *arg));

#endif
