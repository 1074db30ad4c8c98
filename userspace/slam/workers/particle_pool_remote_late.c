// SPDX-License-Identifier: GPL-2.0-only
/*
 * particle_pool_remote_late.c - the deadline of an update
 *
 * Particles that are not matched by then are replaced by their nearest relatives
 * among the others. The filter settles that like a resampling, so a late worker
 * drops its particles, and gets others as soon as it answers again. Its late
 * results are ignored: they are of another update.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <syslog.h>
#include "base/clock.h"
#include "slam/workers/particle_pool_remote_parts.h"
#include "slam/workers/relatives.h"

/* One of so many particles has to be matched: fewer do not stand for all */
enum { LATE_LEAST = 8 };

static bool late_enough(const struct remote *r)
{
	const uint32_t done = r->count - r->missing;

	/* what is rebuilt after a loss is not late */
	return !r->rebuilds && done && done >= r->count / LATE_LEAST;
}

int remote_patience(struct remote *r, int longest)
{
	const uint64_t now = monotonic_ns();
	uint64_t left;

	if (!r->config.deadline || !r->missing)
		return longest;
	if (now >= r->due && late_enough(r))
		return 0;
	if (now >= r->due) {
		r->load.traffic.overdue += !r->overdue;
		r->overdue = true;
		return longest;
	}
	left = (r->due - now) / 1000000 + 1;
	return left < (uint64_t)longest ? (int)left : longest;
}

bool remote_is_due(const struct remote *r)
{
	return r->config.deadline && r->missing && late_enough(r) &&
	       monotonic_ns() >= r->due;
}

static void late_log(struct remote *r)
{
	if (r->load.traffic.late++)
		return;
	remote_log(r, LOG_WARNING,
		   "workers are late: %u of %u particles are replaced by their "
		   "nearest relatives after %u ms (logged once; the statistics "
		   "count them)",
		   r->missing, r->count, r->config.deadline);
}

int remote_replace(struct remote *r)
{
	uint32_t *relative = malloc((size_t)r->count * sizeof(*relative));
	int err = relative ? relatives_find(r->state, r->done, relative) :
			     -ENOMEM;

	for (uint32_t i = 0; i < r->count && !err; i++) {
		if (r->done[i])
			continue;
		r->out[i] = r->out[relative[i]];
		r->out[i].evaluations = 0;
		r->out[i].relative = relative[i] + 1;
	}
	free(relative);
	if (err)
		return err;
	late_log(r);
	r->load.traffic.replaced += r->missing;
	r->missing = 0;
	return 0;
}

bool remote_is_behind(const struct remote *r, const struct member *m)
{
	return r->config.deadline && m->answered <= r->order.update &&
	       m->matched > r->order.update;
}
