// SPDX-License-Identifier: GPL-2.0-only
/*
 * particle_pool_remote_own.c - what the coordinator does without workers: it
 * finds the robot in its own map of the best particle
 */
#include <errno.h>
#include "base/thread_pool.h"
#include "slam/workers/particle_pool_remote_parts.h"

static int remote_own_map(struct remote *r)
{
	if (!r->own)
		r->own = own_map_create(&r->params, r->config.threads ?
						    r->config.threads : 1);
	return r->own ? 0 : -ENOMEM;
}

int remote_own_draw(struct remote *r, const struct particle_pool_state *state,
		    uint32_t number)
{
	const int err = remote_own_map(r);

	return err ? err : own_map_draw(r->own, state->tree,
					state->step[number], &r->scans);
}

int remote_own_ahead(struct remote *r)
{
	const uint64_t start = thread_pool_own_cpu();
	int err;

	/* it finds no robot between updates */
	if (!r->config.ahead || r->params.compat == SLAM_GMAPPING)
		return 0;
	err = remote_own_draw(r, r->state, r->state->best);
	r->load.traffic.drawing += thread_pool_own_cpu() - start;
	return err;
}

int remote_track(struct particle_pool *t,
		 const struct particle_pool_state *state, uint32_t number,
		 const struct reading *reading, const struct seek *seek,
		 struct sighting *out)
{
	struct remote *r = (struct remote *)t;
	const int err = remote_own_draw(r, state, number);

	return err ? err : own_map_track(r->own, reading, seek, out);
}

int remote_draft(struct particle_pool *t, uint64_t update,
		 const struct reading *reading, const struct pose *pose)
{
	struct remote *r = (struct remote *)t;
	const int err = remote_own_map(r);

	return err ? err : own_map_draft(r->own, update, reading, pose);
}

struct own_map *particle_pool_remote_own(struct particle_pool *t)
{
	return ((struct remote *)t)->own;
}
