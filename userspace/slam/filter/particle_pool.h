/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * particle_pool.h - the particles, as the filter sees them
 *
 * The filter has weights and ancestors; a pool has the particles with their
 * maps, in this process (particle_pool_local.c) or on workers elsewhere
 * (particle_pool_remote.c). The results have the same bits in both cases.
 */
#ifndef SLAM_FILTER_PARTICLE_POOL_H
#define SLAM_FILTER_PARTICLE_POOL_H

#include "slam/filter/particles.h"
#include "slam/filter/trajectory_tree.h"
#include "slam/filter/walls.h"

struct particle_pool;

/**
 * struct particle_pool_state - what the filter knows of the particles
 * @count:	particles, numbered from 0
 * @best:	the best one after the last update
 * @step:	[@count] the last step of each; 0: before the first
 */
struct particle_pool_state {
	uint32_t			count, best;
	const trajectory_tree_id	*step;
	const struct trajectory_tree	*tree;
};

/**
 * struct particle_pool_order - a request to match
 * @update:	its number
 * @round:	how often this update was matched before
 * @motion:	of the robot since the update before
 * @again:	below this fit of all particles it may be matched again
 */
struct particle_pool_order {
	uint64_t	update;
	uint32_t	round, pad;
	struct motion	motion;
	double		again;
};

/**
 * struct particle_pool_ops - operations of a pool
 * @match:	particles_match() for all particles of @state; @out: [count].
 *		May be called again for the same update if no particle reached
 *		the fit of @order. Outcomes may be those of relatives: settle()
 *		then makes those particles children of these
 * @settle:	write the scan of @update to the maps of all particles that have
 *		children; then particle i becomes a copy of @parent[i], for i
 *		below @count; NULL: no resampling. @state is the one before.
 *		May finish after the return.
 * @track:	particles_track()
 * @recall:	@out is an earlier result of match() for the same @state:
 *		matching is skipped, but settle() follows
 * @draft:	draw the scan of an update to a map apart: the first one, 0, begins
 *		it
 * @adopt:	all particles become copies of that map; @state has the steps that
 *		it was drawn from, the same of each particle
 * @know:	begin with a known map, the same of all @count particles, at @pose;
 *		without @walls: the map stays. NULL: it cannot
 * @use:	of all members together
 * @destroy:	free the pool
 *
 * Return: 0 or a negative errno, which is final: -ENOMEM, -ERANGE, -EINTR; with
 * workers also the error of one of them.
 */
struct particle_pool_ops {
	int (*match)(struct particle_pool *t,
		     const struct particle_pool_state *state,
		     const struct particle_pool_order *order,
		     const struct reading *reading, struct outcome *out);
	int (*settle)(struct particle_pool *t,
		      const struct particle_pool_state *state, uint64_t update,
		      const uint32_t *parent, uint32_t count);
	int (*track)(struct particle_pool *t,
		     const struct particle_pool_state *state, uint32_t number,
		     const struct reading *reading, const struct seek *seek,
		     struct sighting *out);
	int (*recall)(struct particle_pool *t,
		      const struct particle_pool_state *state, uint64_t update,
		      const struct reading *reading, const struct outcome *out);
	int (*draft)(struct particle_pool *t, uint64_t update,
		     const struct reading *reading, const struct pose *pose);
	int (*adopt)(struct particle_pool *t,
		     const struct particle_pool_state *state);
	int (*know)(struct particle_pool *t, uint32_t count,
		    const struct walls *walls, const struct pose *pose);
	void	(*use)(struct particle_pool *t, struct particles_use *use);
	void	(*destroy)(struct particle_pool *t);
};

struct particle_pool {
	const struct particle_pool_ops	*ops;
};

struct bus;
struct own_map;

/**
 * struct particle_pool_remote_config - a pool of workers elsewhere
 * @engine:	open, of the coordinator; the caller keeps ownership
 * @workers:	number to wait for at the start
 * @threads:	of the coordinator, to find the robot between updates; 0: 1
 * @ahead:	the coordinator draws its own map at each update, while workers
 *		match; otherwise when it is needed
 * @fixed:	total number of workers; 0: any number, and others may replace
 *		lost ones
 * @deadline:	of an update, ms after workers got the scan: particles that are
 *		not matched by then are replaced by relatives; 0: none
 * @interrupted: whether to stop waiting for missing workers, and for those
 *		that are silent for 10 s; may be NULL
 * @waiting:	called now and then while an update waits for workers: then the
 *		own map is that of the best particle; may be NULL
 * @waiting_arg: for it
 * @log:	a line about workers that join and leave; may be NULL
 * @arg:	for @interrupted and @log
 */
struct particle_pool_remote_config {
	struct bus	*engine;
	uint32_t	workers, threads;
	uint32_t	fixed;
	bool		ahead;
	uint32_t	deadline;
	bool		(*interrupted)(void *arg);
	void		(*waiting)(void *arg);
	void		*waiting_arg;
	void		(*log)(void *arg, int priority, const char *line);
	void		*arg;
};

/**
 * struct particle_pool_work - work of the workers
 * @cpu:	ns of processor time
 * @early:	part of it, to write scans to maps while others still matched
 * @evaluations: of poses
 * @messages, @bytes: to other workers
 */
struct particle_pool_work {
	uint64_t	cpu, early, evaluations, messages, bytes;
};

/**
 * struct particle_pool_traffic - cost of a pool of workers
 * @moved:	particles that moved from one worker to another
 * @rebuilt:	particles that were rebuilt after the loss of a worker
 * @shared:	times that workers got other shares of the particles, as some
 *		were slow
 * @replaced:	particles that were replaced by relatives at a deadline
 * @late:	updates at which some were
 * @overdue:	updates that took longer than the deadline, as less than an
 *		eighth of the particles was matched by then, or some were rebuilt
 * @joined, @left: workers
 * @receiving:	ns of processor time of the coordinator, to wait for messages
 *		and receive them
 * @drawing:	likewise, to draw its own map while workers match
 * @matched:	ns by the clock from MATCH to the last result, of all updates
 * @busiest:	of that, the time of the worker that was busy for longest; the
 *		rest are messages, waiting for a processor, and the end of writing
 *		the scan before
 * @all:	of all workers together
 * @most:	the maximum over the workers at each update, summed over updates
 * @slowest:	of each update, ms: the most @cpu without @early; the pool's
 * @updates:	how many
 * @ranked:	[@ranks] evaluations of the worker with the most at an update,
 *		with the second most, and so on; summed over updates; the pool's
 */
struct particle_pool_traffic {
	uint64_t		moved, rebuilt, shared, joined, left;
	uint64_t		replaced, late, overdue;
	uint64_t		receiving, drawing;
	uint64_t		matched, busiest;
	struct particle_pool_work	all, most;
	const float		*slowest;
	uint32_t		updates;
	const uint64_t		*ranked;
	uint32_t		ranks;
};

/* A pool of workers; NULL: no memory */
struct particle_pool *
particle_pool_remote(const struct slam_params *params,
		     const struct particle_pool_remote_config *config);
void particle_pool_remote_traffic(struct particle_pool *t,
				  struct particle_pool_traffic *traffic);

/* Its own map, see own_map.h; NULL: not drawn yet */
struct own_map *particle_pool_remote_own(struct particle_pool *t);

/**
 * particle_pool_local() - a pool of threads in this process
 * @threads: as thread_pool_create()
 *
 * Return: NULL: no memory.
 */
struct particle_pool *particle_pool_local(const struct slam_params *params,
					  unsigned int threads);

#endif
