/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * own_map.h - the map of a particle at the coordinator
 *
 * Workers have the particles. To find the robot between two updates, or while
 * the link to the workers is stalled, the coordinator draws the map of the best
 * particle itself, from its steps and the scans. It has the same bits.
 */
#ifndef SLAM_WORKERS_OWN_MAP_H
#define SLAM_WORKERS_OWN_MAP_H

#include "slam/filter/particles.h"
#include "slam/filter/trajectory_tree.h"
#include "slam/workers/scans.h"

struct own_map;

/* @threads: as thread_pool_create(). Return: NULL: no memory */
struct own_map *own_map_create(const struct slam_params *params,
			       unsigned int threads);
/* NULL is allowed */
void own_map_destroy(struct own_map *o);

/**
 * own_map_draw() - make the map that of a particle
 * @step:	its last one; 0: before the first, an empty map
 * @scans:	of all updates up to it
 *
 * Draws what none of the last maps has of it: after an update one scan. For a
 * particle that was not among the last four, up to four times as many as since
 * it was one with another one of them.
 *
 * Return: 0; -ENOMEM, -ERANGE: as particles_redo(); -EBADMSG: a scan is missing.
 */
int own_map_draw(struct own_map *o, const struct trajectory_tree *tree,
		 trajectory_tree_id step, const struct scans *scans);

/**
 * own_map_track() - particles_track() in this map
 *
 * Return: 0 or a negative errno of scan_make().
 */
int own_map_track(struct own_map *o, const struct reading *reading,
		  const struct seek *seek, struct sighting *out);

/**
 * own_map_fork() - begin a map of its own, as a copy
 *
 * Scans can be added to it that no particle has yet: see follower.h. There is
 * one; a new one replaces it.
 *
 * Return: 0; -ENOMEM.
 */
int own_map_fork(struct own_map *o);
/* As own_map_track(), and as particles_redo(), in that map */
int own_map_fork_track(struct own_map *o, const struct reading *reading,
		       const struct seek *seek, struct sighting *out);
int own_map_fork_write(struct own_map *o, const struct reading *reading,
		       const struct pose *pose);

/* As draft() and adopt() of struct particle_pool_ops: @step is the last one of
 * the drafted history
 */
int own_map_draft(struct own_map *o, uint64_t update,
		  const struct reading *reading, const struct pose *pose);
int own_map_adopt(struct own_map *o, const struct trajectory_tree *tree,
		  trajectory_tree_id step);

void own_map_use(const struct own_map *o, struct particles_use *use);

#endif
