/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ahead.h - poses of the readings that wait while workers match
 *
 * For one thread: that of the filter. While the filter waits for workers, it
 * calls ahead_waiting(), which publishes a pose for the reading that is matched,
 * and for each one that waits behind it. So there are poses at the rate of the
 * laser, also while the link to the workers is stalled.
 */
#ifndef APPS_SLAMD_AHEAD_H
#define APPS_SLAMD_AHEAD_H

#include "apps/slamd/mapper.h"
#include "apps/slamd/scan_queue.h"
#include "apps/slamd/session.h"

struct ahead;

/* The rest is set by ahead_open(). Return: NULL: no memory */
struct ahead *ahead_create(struct scan_queue *queue);
/* NULL is allowed */
void ahead_destroy(struct ahead *a);

/* The session, and @mapper, which publishes poses. Also for those that take their
 * place, if there are no workers
 */
void ahead_open(struct ahead *a, struct session *run, struct mapper *mapper);

/* The filter begins with this reading, which was just taken from the queue */
void ahead_taken(struct ahead *a, const struct reading *reading);

/* Of struct particle_pool_remote_config; @arg: struct ahead */
void ahead_waiting(void *arg);

/* The filter is done with it: publish its pose, unless it or that of a later
 * reading was published, as subscribers expect stamps to increase
 */
void ahead_done(struct ahead *a, const struct reading *reading,
		const struct filter_result *result);

/* Poses that were published before the filter had them */
uint64_t ahead_poses(const struct ahead *a);

#endif
