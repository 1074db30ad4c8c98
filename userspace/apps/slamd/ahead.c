// SPDX-License-Identifier: GPL-2.0-only
/*
 * ahead.c - poses of the readings that wait while workers match
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include "apps/slamd/ahead.h"
#include "base/loop.h"
#include "base/service.h"
#include "slam/workers/follower.h"

/* A wait that is logged, ns */
#define STALLED		2000000000ULL

/**
 * struct ahead
 * @follows:	there are poses that the filter does not have yet
 * @renew:	the filter's map is newer than the follower's
 * @number:	of the reading that the filter works at; @done: of the last one
 *		that it is done with
 * @reading:	the former; @last: the latter, without ranges
 * @result:	of the latter
 * @range:	of a reading of the queue
 * @since:	when the filter began to work at it, ns
 * @stalled:	it was logged that workers do not answer
 */
struct ahead {
	struct session		*run;
	struct scan_queue	*queue;
	struct mapper		*mapper;
	struct follower		follower;
	bool			follows, renew, stalled, failed;
	uint64_t		number, done;
	struct reading		reading, last;
	struct filter_result	result;
	float			*range;
	uint32_t		room;
	uint64_t		since, poses;
};

struct ahead *ahead_create(struct scan_queue *queue)
{
	struct ahead *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->queue = queue;
	return a;
}

void ahead_destroy(struct ahead *a)
{
	if (!a)
		return;
	free(a->range);
	free(a);
}

void ahead_open(struct ahead *a, struct session *run, struct mapper *mapper)
{
	a->run = run;
	a->mapper = mapper;
}

void ahead_taken(struct ahead *a, const struct reading *reading)
{
	a->number = scan_queue_taken(a->queue);
	a->reading = *reading;
	a->since = loop_now();
}

static int ahead_follow(struct ahead *a, const struct reading *reading,
			uint64_t number)
{
	struct filter_result r = a->result;
	double spread[2];
	const int err = follower_read(&a->follower, reading, number, &r.pose,
				      spread);

	if (err)
		return err;
	r.covariance[0] += spread[0];
	r.covariance[3] += spread[0];
	r.covariance[5] += spread[1];
	mapper_pose(a->mapper, reading, &r);
	a->poses++;
	return 0;
}

/* Begin, or continue in the newest map */
static int ahead_begin(struct ahead *a)
{
	struct particle_pool *pool = filter_pool(a->run->filter);
	struct own_map *own = particle_pool_remote_own(pool);
	int err = 0;

	if (!own)
		return -EAGAIN;
	if (!a->follows)
		err = follower_begin(&a->follower, &a->run->o->params, own,
				     &a->last, a->done, &a->result.pose,
				     filter_prediction(a->run->filter));
	else if (a->renew)
		err = follower_renew(&a->follower);
	a->renew = false;
	a->follows |= !err;
	return err;
}

static int ahead_follow_all(struct ahead *a)
{
	struct reading r;
	uint64_t number;
	int err = ahead_begin(a);

	if (!err && a->follower.number < a->number)
		err = ahead_follow(a, &a->reading, a->number);
	while (!err && (number = scan_queue_peek(a->queue, a->follower.number,
						 &r, &a->range, &a->room)))
		err = ahead_follow(a, &r, number);
	return err;
}

void ahead_waiting(void *arg)
{
	struct ahead *a = arg;
	const uint64_t now = loop_now();
	int err;

	/* before the first scan there is no map; with GMapping's there is none */
	if (!a->done || !a->run->updates || a->failed)
		return;
	if (!a->stalled && now - a->since > STALLED) {
		a->stalled = true;
		service_logf(LOG_WARNING,
			     "no answer of workers for %.0f s: poses are found "
			     "without them, scans wait",
			     (double)(now - a->since) * 1e-9);
	}
	err = ahead_follow_all(a);
	if (!err || err == -EAGAIN)
		return;
	a->failed = true;
	service_logf(LOG_WARNING, "no more poses while workers match: %s",
		     strerror(-err));
}

/* The filter has a reading that the follower had before */
static void ahead_correct(struct ahead *a)
{
	follower_correct(&a->follower, a->done, &a->result.pose);
	a->follows = a->follower.number > a->done;
	a->renew = a->follower.number - a->done <= FOLLOWER_LEAD;
}

void ahead_done(struct ahead *a, const struct reading *reading,
		const struct filter_result *result)
{
	const bool known = a->follows && a->follower.number >= a->number;

	a->done = a->number;
	a->last = *reading;
	a->last.beams = 0;
	a->last.range = NULL;
	a->result = *result;
	if (a->stalled)
		service_logf(LOG_INFO, "workers answer again, after %.1f s",
			     (double)(loop_now() - a->since) * 1e-9);
	a->stalled = false;
	if (a->follows)
		ahead_correct(a);
	if (!known)
		mapper_pose(a->mapper, reading, result);
}

uint64_t ahead_poses(const struct ahead *a)
{
	return a->poses;
}
