/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stats.h - cost of SLAM: processor time, evaluations, memory
 */
#ifndef APPS_SLAMD_STATS_H
#define APPS_SLAMD_STATS_H

#include "base/error.h"
#include "laser/readings.h"
#include "cluster/bus.h"
#include "slam/graph/localiser.h"
#include "slam/graph/loop_closer.h"

/**
 * struct stats - of a session; all zero at the start
 * @resumed:	readings of the checkpoint; not counted elsewhere
 * @replaced:	scans that were replaced by newer ones
 * @lost:	readings that were dropped
 * @unused:	scans still queued at the end
 * @paused:	scans that came while a service had paused slamd
 * @refused:	requests of peers that were refused, or failed
 * @ignored:	poses of /initialpose while no robot was searched
 * @ahead:	poses that were published before workers had matched the scan
 * @lost_updates: updates at which the scan contradicted the map, and no other
 *		pose was found
 * @stretches:	of them in a row
 * @found:	times that the robot was found elsewhere
 * @carried:	times that it was carried to a place that is mapped apart
 * @distrusted: updates at which something else replaced the odometry
 * @beams:	of the scans, and those that were left out, as they ended at
 *		something that moves: @moving
 * @missing:	scans that are no longer in the map
 * @ms:		processor time of each reading with a scan
 * @wall:	ns of wall time, of all of these but the first
 * @loops:	what the pose graph did; before stats_write()
 * @placed:	in a known map: how the robot was found
 * @own:	ns of processor time of the calling thread
 */
struct stats {
	float		*ms;
	uint32_t	count, room;
	uint64_t	wall, own;
	uint64_t	resumed, replaced, lost, unused, ahead, paused, refused,
			ignored;
	uint64_t	lost_updates, stretches, found, carried, distrusted;
	uint64_t	beams, moving;
	uint32_t	missing;
	uint64_t	readings, updates, resamplings, jumps, evaluations;
	double		effective;		/* sum */
	struct loop_counts	loops;
	struct localiser_counts	placed;
	/* private */
	bool		lost_now;
	uint64_t	start, wall_start, own_start;
};

/* Call before and after each reading. Return: 0; -ENOMEM */
void stats_begin(struct stats *s);
int stats_end(struct stats *s, const struct reading *reading,
	      const struct filter_result *r);
void stats_free(struct stats *s);

/* Traffic between the coordinator and its workers */
struct stats_workers {
	struct bus_counters	counters;
	struct particle_pool_traffic	traffic;
};

/**
 * stats_write() - write JSON, atomically
 * @path: "-": stdout
 * @workers: NULL: none
 * @error: gets one line
 *
 * Return: 0 or a negative errno.
 */
int stats_write(const struct stats *s, const char *path,
		const struct slam_params *params, unsigned int threads,
		const struct particles_use *use,
		const struct readings_count *log,
		const struct stats_workers *workers, struct error *error);

#endif
