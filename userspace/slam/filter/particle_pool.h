/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * particle_pool.h - who works on the particles, as the filter sees it
 *
 * The filter knows weights and ancestors; a team has the particles with their
 * maps, in this process (particle_pool_local.c) or on workers elsewhere
 * (particle_pool_remote.c). Whichever it is, the results have the same bits.
 */
#ifndef SLAM_FILTER_PARTICLE_POOL_H
#define SLAM_FILTER_PARTICLE_POOL_H

#include "slam/filter/particles.h"
#include "slam/filter/trajectory_tree.h"

struct particle_pool;

/**
 * struct particle_pool_state - all there is to know of the particles, of the filter
 * @count:	particles, numbered from 0
 * @step:	[@count] of each, the last one; 0: before the first
 */
struct particle_pool_state {
	uint32_t			count;
	const trajectory_tree_id	*step;
	const struct trajectory_tree	*ancestry;
};

/**
 * struct particle_pool_order - what is to be matched
 * @update:	its number
 * @round:	how often this update was matched before
 * @motion:	of the robot since the update before
 * @again:	if no particle fits so well it may be matched again
 */
struct particle_pool_order {
	uint64_t	update;
	uint32_t	round, pad;
	struct motion	motion;
	double		again;
};

/**
 * struct particle_pool_ops - what a team can
 * @match:	particles_match() for all particles of @state; @out: [count].
 *		May be done again for the same update if no particle fitted as
 *		well as @order says
 * @settle:	the scan of @update goes into the maps of all particles that
 *		have children, and then particle i becomes a copy of
 *		@parent[i], for i below @count; NULL: all stay. @state is that
 *		of before. Need not be done on return.
 * @track:	particles_track()
 * @recall:	@out is what match() found once, for the same @state: it need
 *		not be found again, but settle() follows
 * @use:	of all members together
 * @destroy:
 *
 * Return: 0 or a negative errno, which is final: -ENOMEM, -ERANGE, -EINTR; with
 * workers also what one of them failed with.
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
	void	(*use)(struct particle_pool *t, struct particles_use *use);
	void	(*destroy)(struct particle_pool *t);
};

struct particle_pool {
	const struct particle_pool_ops	*ops;
};

struct bus;

/**
 * struct particle_pool_remote_config - a team of workers elsewhere
 * @engine:	open, of the coordinator; stays the caller's
 * @workers:	to wait for at the beginning
 * @fixed:	workers that there can be in all; 0: any number, and for those
 *		that are gone others may come
 * @interrupted: whether to give up waiting for workers that are not there, and
 *		for those that say nothing for 10 s; may be NULL
 * @log:	a line about workers that come and go; may be NULL
 * @arg:	for both
 */
struct particle_pool_remote_config {
	struct bus	*engine;
	uint32_t	workers;
	uint32_t	fixed;
	bool		(*interrupted)(void *arg);
	void		(*log)(void *arg, int priority, const char *line);
	void		*arg;
};

/**
 * struct particle_pool_work - what workers did
 * @cpu:	ns of processor time
 * @early:	of that, to put scans into maps while others still matched
 * @evaluations: of poses
 * @messages, @bytes: to other workers
 */
struct particle_pool_work {
	uint64_t	cpu, early, evaluations, messages, bytes;
};

/**
 * struct particle_pool_traffic - what a team of workers took
 * @moved:	particles that went from one worker to another
 * @rebuilt:	particles that were built again after a worker was lost
 * @joined, @left: workers
 * @receiving:	ns of processor time of the coordinator, to wait for messages
 *		and take them
 * @all:	of all workers together
 * @most:	at each update that of the worker which has most of it; summed
 *		over updates
 * @slowest:	of each update, ms: the most @cpu without @early; the team's
 * @updates:	how many
 * @ranked:	[@ranks] evaluations of the worker that has most of them at an
 *		update, of the second one, and so on; summed over updates; the
 *		team's
 */
struct particle_pool_traffic {
	uint64_t		moved, rebuilt, joined, left;
	uint64_t		receiving;
	struct particle_pool_work	all, most;
	const float		*slowest;
	uint32_t		updates;
	const uint64_t		*ranked;
	uint32_t		ranks;
};

/* A team of workers; NULL: no memory */
struct particle_pool *
particle_pool_remote(const struct slam_params *params,
		     const struct particle_pool_remote_config *config);
void particle_pool_remote_traffic(struct particle_pool *t,
				  struct particle_pool_traffic *traffic);

/**
 * particle_pool_local() - a team of threads in this process
 * @threads: as thread_pool_create()
 *
 * Return: NULL: no memory.
 */
struct particle_pool *particle_pool_local(const struct slam_params *params,
					  unsigned int threads);

#endif
