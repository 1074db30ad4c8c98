// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_slam_mapper_queue - what the mapper gets of a filter, and of another one
 * that takes its place
 */
#include <pthread.h>
#include <stdlib.h>
#include "apps/slamd/mapper_queue.h"
#include "slam/workers/scans.h"
#include "tap.h"

static float range[1] = { 1 };
static struct mapper_queue *queue;

static void put(struct mapper_queue *h, int stamp)
{
	const struct reading r = {
		.stamp = stamp, .beams = 1, .range_max = 30, .range = range,
	};

	if (mapper_queue_scan(h, &r))
		abort();
}

static void put_history(struct mapper_queue *h, uint32_t count)
{
	struct pose *history = calloc(count, sizeof(*history));

	if (!history)
		abort();
	mapper_queue_history(h, history, count);
}

/* The mapper: keeps what it got last until the end */
static struct mapper_update last;
static unsigned int taken;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *map(void *arg)
{
	struct mapper_update u;

	while (mapper_queue_take(arg, &u)) {
		pthread_mutex_lock(&lock);
		mapper_update_free(&last);
		last = u;
		taken++;
		pthread_mutex_unlock(&lock);
	}
	mapper_update_free(&u);
	return NULL;
}

/* Stamp of the only scan after @n histories; -1: there is another number of
 * scans, or of poses
 */
static int64_t only_scan(unsigned int n)
{
	int64_t stamp = -1;
	bool there = false;

	while (!there) {
		pthread_mutex_lock(&lock);
		there = taken == n;
		if (there && last.scans == 1 && last.count == 1)
			stamp = scans_reading(last.scan[0]).stamp;
		pthread_mutex_unlock(&lock);
	}
	return stamp;
}

static void test_replace(void)
{
	struct mapper_queue *other = mapper_queue_create();
	pthread_t thread;

	queue = mapper_queue_create();
	pthread_create(&thread, NULL, map, queue);
	put(queue, 7);
	put_history(queue, 1);
	ok_eq(only_scan(1), 7, "a scan with its pose");
	put(queue, 8);
	put(queue, 9);
	put(other, 20);
	mapper_queue_replace(queue, other);
	ok(mapper_queue_idle(queue), "replaced: the mapper waits");
	put_history(queue, 1);
	ok_eq(only_scan(2), 20, "it gets the scan of the other filter alone");
	put(other, 30);
	mapper_queue_replace(queue, other);
	mapper_queue_destroy(other);
	mapper_queue_end(queue);
	pthread_join(thread, NULL);
	ok_eq(taken, 2, "without a history it gets nothing");
	mapper_update_free(&last);
	mapper_queue_destroy(queue);
	mapper_queue_destroy(NULL);
}

int main(void)
{
	test_replace();
	return tap_done();
}
