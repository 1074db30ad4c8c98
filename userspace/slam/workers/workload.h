/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * workload.h - work of the workers at each update, and its distribution
 */
#ifndef SLAM_WORKERS_WORKLOAD_H
#define SLAM_WORKERS_WORKLOAD_H

#include "slam/filter/particle_pool.h"

/**
 * struct workload - all zero is empty
 * @traffic:	its @all, @most, @updates and @ranks are kept here
 * @slowest:	traffic's, of each update
 * @ranked:	traffic's
 * @now:	of this update: the maximum of each
 * @wait:	likewise, of what others had to wait for, ns
 * @rank:	likewise, evaluations of @workers, in descending order
 */
struct workload {
	struct particle_pool_traffic	traffic;
	float			*slowest;
	uint32_t		slowest_room;
	uint64_t		*ranked, *rank;
	uint32_t		ranked_room, rank_room;
	struct particle_pool_work	now;
	uint64_t		wait;
	uint32_t		workers;
};

/* The difference between two reports of a worker */
struct particle_pool_work
workload_since(const struct particle_pool_work *now,
	       const struct particle_pool_work *before);

/* Begin an update of @workers. Return: 0; -ENOMEM */
int workload_begin(struct workload *l, uint32_t workers);
/* Add the work of one worker */
void workload_add(struct workload *l, const struct particle_pool_work *w);
void workload_end(struct workload *l);

/* Add the work of a lost worker: it only counts for the total */
void workload_add_lost(struct workload *l, const struct particle_pool_work *w);

void workload_free(struct workload *l);

#endif
