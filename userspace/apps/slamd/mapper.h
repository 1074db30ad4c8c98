/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * mapper.h - maps and submaps of a filter's scans, as messages, as the best
 * particle's history has it
 *
 * All of one thread, but for mapper_pose().
 */
#ifndef APPS_SLAMD_MAPPER_H
#define APPS_SLAMD_MAPPER_H

#include "apps/slamd/publisher.h"
#include "apps/slamd/slamd.h"
#include "base/error.h"
#include "slam/filter/filter.h"
#include "slam/output/submap_out.h"

struct mapper;

/**
 * struct mapper_config
 * @grid:	of all maps
 * @submap:	m of travel from one submap to the next
 * @memory:	of scans that are kept, bytes; 0: SUBMAPS_MEMORY
 * @map_frame, @odom_frame, @base_frame: frame ids
 * @robot:	its submaps are called ROBOT/submap_0 and so on; NULL: submap_0
 * @publish:	takes each message; with an error it is tried again later. NULL:
 *		nobody does
 * @arg:	for it
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

/* As the options say */
struct mapper_config mapper_config(const struct slamd_options *o);

/* Return: 0; -EINVAL, -ENOMEM and a line */
int mapper_create(struct mapper **m, const struct mapper_config *config,
		  char error[ERROR_TEXT]);
/* NULL is allowed */
void mapper_destroy(struct mapper *m);

/* The scan of an update; copied. Return: as submaps_add() */
int mapper_scan(struct mapper *m, const struct reading *r,
		char error[ERROR_TEXT]);

/**
 * mapper_pose() - where the robot is, and odometry in the map, are published
 *
 * For one thread, which may be another one.
 */
void mapper_pose(struct mapper *m, const struct reading *r,
		 const struct filter_result *result);

/**
 * mapper_history() - where the robot was at all scans until now
 * @history:	of each scan that was given, @count of them
 *
 * Submaps that changed or moved are published.
 *
 * Return: 0; -EINVAL, -ENOMEM and a line.
 */
int mapper_history(struct mapper *m, const struct pose *history,
		   uint32_t count, char error[ERROR_TEXT]);

/**
 * mapper_map() - the map of all scans, and the way, are published
 *
 * Return: 0, also if there is nothing to see; -ENOMEM; -E2BIG: it is too large
 * for a message; and a line.
 */
int mapper_map(struct mapper *m, char error[ERROR_TEXT]);

/* From now on it is drawn anew if any pose changed at all: for the last one */
void mapper_exact(struct mapper *m);

/* Scans that are missing in it, as they are not kept any more, see
 * SUBMAPS_MEMORY: they were in maps before their poses changed
 */
uint32_t mapper_missing(const struct mapper *m);

/* The map as of the last mapper_map(). Return: as occupancy_raster() */
int mapper_raster(struct mapper *m, struct raster *r);

#endif
