/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * workload.h - what workers did at each update, and who did most of it
 */
#ifndef SLAM_WORKERS_WORKLOAD_H
#define SLAM_WORKERS_WORKLOAD_H

#include "slam/filter/particle_pool.h"

/**
 * struct workload - all zero is empty
 * @traffic:	its @all, @most, @updates and @ranks are kept here
 * @slowest:	traffic's, of each update
 * @ranked:	traffic's
 * @now:	of this update: the most of each
 * @wait:	likewise, what the others had to wait for, ns
 * @rank:	likewise, evaluations of @workers, the most first
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

/* What a worker did between two times it told all it did */
struct particle_pool_work
workload_since(const struct particle_pool_work *now,
	       const struct particle_pool_work *before);

/* An update of @workers begins to be counted. Return: 0; -ENOMEM */
int workload_begin(struct workload *l, uint32_t workers);
/* What one of them did for it */
void workload_add(struct workload *l, const struct particle_pool_work *w);
void workload_end(struct workload *l);

/* What one did who is gone: it only counts for all */
void workload_add_lost(struct workload *l, const struct particle_pool_work *w);

void workload_free(struct workload *l);

#endif
