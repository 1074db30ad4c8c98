/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * mapper.h - maps and submaps as messages, from the scans and the trajectory of
 * the best particle
 *
 * For one thread, except mapper_pose().
 */
#ifndef APPS_SLAMD_MAPPER_H
#define APPS_SLAMD_MAPPER_H

#include "apps/slamd/publisher.h"
#include "apps/slamd/slamd.h"
#include "base/error.h"
#include "slam/filter/filter.h"
#include "slam/output/graph_out.h"
#include "slam/output/known_map.h"
#include "slam/output/submap_out.h"

struct mapper;

/**
 * struct mapper_config
 * @grid:	of all maps
 * @submap:	m of travel from one submap to the next
 * @memory:	of stored scans, bytes; 0: SUBMAPS_MEMORY
 * @map_frame, @odom_frame, @base_frame: frame ids
 * @robot:	submaps are named ROBOT/submap_0 and so on; NULL: submap_0
 * @publish:	called with each message; after an error it is retried later.
 *		NULL: publish nothing
 * @arg:	for @publish
 */
struct mapper_config {
	struct occupancy_config	grid;
	double			submap;
	size_t			memory;
	const char		*map_frame, *odom_frame, *base_frame;
	const char		*robot;
	int (*publish)(void *arg, enum slam_publisher_topic topic,
		       int64_t stamp, const union message *m);
	void			*arg;
};

/* The configuration of the options */
struct mapper_config mapper_config(const struct slamd_options *o);

/* Return: 0; -EINVAL, -ENOMEM and one line in @error */
int mapper_create(struct mapper **m, const struct mapper_config *config,
		  struct error *error);
/* NULL is allowed */
void mapper_destroy(struct mapper *m);

/* Add the scan of an update; copied. Return: as submaps_add() */
int mapper_scan(struct mapper *m, const struct reading *r,
		struct error *error);

/**
 * mapper_pose() - publish the robot's pose, and map to odometry
 *
 * For one thread, which may be a different one.
 */
void mapper_pose(struct mapper *m, const struct reading *r,
		 const struct filter_result *result);

/**
 * mapper_history() - update the poses of all scans
 * @history:	one for each added scan, @count of them
 *
 * Publishes submaps that changed or moved.
 *
 * Return: 0; -EINVAL, -ENOMEM and one line in @error.
 */
int mapper_history(struct mapper *m, const struct pose *history,
		   uint32_t count, struct error *error);

/**
 * mapper_graph() - publish the edges between submaps, if they changed
 * @history:	of the last mapper_history(), @count poses
 * @edge:	@edges of them between scans, see graph_out_make(); 0: none
 *
 * They did if there is another submap, if closures differ, or if submaps moved to
 * each other by half a cell.
 *
 * Return: 0; -ENOMEM and one line in @error.
 */
int mapper_graph(struct mapper *m, const struct pose *history, uint32_t count,
		 const struct graph_edge *edge, uint32_t edges,
		 struct error *error);

/**
 * mapper_map() - publish the map of all scans, and the trajectory
 *
 * Return: 0, also if the map is empty; -ENOMEM; -E2BIG: too large for a
 * message. After an error, with one line in @error.
 */
int mapper_map(struct mapper *m, struct error *error);

/* Publish a known map. For one thread, as mapper_pose() */
void mapper_known(struct mapper *m, const struct known_map *known,
		  int64_t stamp);

/* From now on redraw after any change of a pose: for the final map */
void mapper_exact(struct mapper *m);

/* Scans that are missing in a redrawn map, as they are no longer in memory, see
 * SUBMAPS_MEMORY
 */
uint32_t mapper_missing(const struct mapper *m);

/* The map as of the last mapper_map(). Return: as occupancy_raster() */
int mapper_raster(struct mapper *m, struct raster *r);

#endif
