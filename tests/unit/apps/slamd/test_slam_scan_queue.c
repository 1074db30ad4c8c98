// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_slam_scan_queue - readings that wait: their order, which scans newer
 * ones take the place of, what stays of these, and how many there can be
 */
#include <pthread.h>
#include <stdlib.h>
#include "apps/slamd/scan_queue.h"
#include "base/cli.h"
#include "log_lines.h"
#include "tap.h"

enum { BEAMS = 8 };

static float ranges[BEAMS * 4];

/* A scan, or odometry alone, number @n, after @x m */
static int put(struct scan_queue *w, int n, double x, unsigned int beams)
{
	struct reading r = {
		.stamp = n, .odometry = { x, 0, 0 }, .beams = beams,
		.range_max = 30, .range = beams ? ranges : NULL,
	};

	for (unsigned int i = 0; i < beams; i++)
		ranges[i] = (float)(n + (int)i);
	return scan_queue_put(w, &r);
}

static int put_turned(struct scan_queue *w, int n, double yaw)
{
	const struct reading r = {
		.stamp = n, .odometry = { 0, 0, yaw }, .beams = BEAMS,
		.range_max = 30, .range = ranges,
	};

	return scan_queue_put(w, &r);
}

/* The next one is number @n with @beams, and with its own ranges */
static bool next_is(struct scan_queue *w, int n, unsigned int beams)
{
	struct reading r;

	if (!scan_queue_take(w, &r) || r.stamp != n || r.beams != beams ||
	    !r.range != !beams)
		return false;
	for (unsigned int i = 0; i < beams; i++)
		if (r.range[i] != (float)(n + (int)i))
			return false;
	return true;
}

static uint64_t replaced(struct scan_queue *w)
{
	return scan_queue_count(w).replaced;
}

static void test_order(void)
{
	struct scan_queue *w = scan_queue_create();
	struct scan_queue_count c;
	bool good = true;

	for (int i = 0; i < 20; i++)
		put(w, i, i, i % 3 ? BEAMS : 0);
	for (int i = 0; i < 20; i++)
		good = good && next_is(w, i, i % 3 ? BEAMS : 0);
	c = scan_queue_count(w);
	ok(good, "in the order they came, each with its ranges");
	ok_eq(c.came, 20, "which is counted");
	ok(!c.replaced, "which is counted");
	ok(!c.lost, "which is counted");
	for (int i = 0; i < 200; i++) {
		put(w, i, i, BEAMS);
		good = good && next_is(w, i, BEAMS);
	}
	ok(good, "nothing is replaced while nothing waits");
	ok(!replaced(w), "nothing is replaced while nothing waits");
	put(w, 1, 300, BEAMS * 4);
	put(w, 2, 301, BEAMS);
	ok(next_is(w, 1, BEAMS * 4), "scans of other sizes");
	ok(next_is(w, 2, BEAMS), "scans of other sizes");
	scan_queue_end(w);
	scan_queue_destroy(w);
	scan_queue_destroy(NULL);
}

/* Who does not take them can look at them */
static void test_peek(void)
{
	struct scan_queue *w = scan_queue_create();
	float *range = NULL;
	uint32_t room = 0;
	struct reading r;

	ok_eq(scan_queue_peek(w, 0, &r, &range, &room), 0, "nothing waits");
	put(w, 10, 0, BEAMS);
	put(w, 11, 0.1, 0);
	put(w, 12, 3, 2 * BEAMS);
	ok_eq(scan_queue_peek(w, 0, &r, &range, &room), 1, "the first one");
	ok_eq(r.stamp, 10, "... is the oldest");
	ok_near(r.range[BEAMS - 1], 10 + BEAMS - 1, 0, "... with its ranges");
	ok_eq(scan_queue_peek(w, 1, &r, &range, &room), 2, "the next one");
	ok_eq(r.beams, 0, "... without a scan");
	ok(!r.range, "... and ranges");
	ok_eq(scan_queue_peek(w, 2, &r, &range, &room), 3, "the last one");
	ok_near(r.range[2 * BEAMS - 1], 12 + 2 * BEAMS - 1, 0,
		"... with more beams");
	ok_eq(scan_queue_peek(w, 3, &r, &range, &room), 0, "and no more");
	ok_eq(scan_queue_taken(w), 0, "none was taken");
	ok(next_is(w, 10, BEAMS), "all of them still wait");
	ok_eq(scan_queue_taken(w), 1, "... the first one is taken");
	ok_eq(scan_queue_peek(w, 0, &r, &range, &room), 2, "... the next waits");
	free(range);
	scan_queue_destroy(w);
}

static void test_near(void)
{
	struct scan_queue *w = scan_queue_create();
	bool good = true;

	for (int i = 0; i < 10; i++)
		put(w, i, i * 0.01, BEAMS);
	ok(replaced(w) == 8, "near scans: the newest takes the place of others");
	ok(next_is(w, 0, BEAMS), "but not of the first of all");
	for (int i = 1; i < 9; i++)
		good = good && next_is(w, i, 0);
	ok(good, "of these, odometry stays");
	ok(next_is(w, 9, BEAMS), "and the newest is whole");

	/* from 0.09 on, to which the distance counts though it was taken */
	put(w, 10, 0.3, BEAMS);
	put(w, 11, 0.58, BEAMS);
	ok(replaced(w) == 9, "as near to the one that was taken");
	put(w, 12, 0.60, BEAMS);
	ok(replaced(w) == 9, "a step more would be too far");
	ok(next_is(w, 10, 0), "so that one stays");
	ok(next_is(w, 11, BEAMS), "so that one stays");
	ok(next_is(w, 12, BEAMS), "so that one stays");
	scan_queue_destroy(w);
}

static void test_turned(void)
{
	struct scan_queue *w = scan_queue_create();

	put_turned(w, 1, M_PI - 0.1);
	next_is(w, 1, BEAMS);
	put_turned(w, 2, M_PI);
	put_turned(w, 3, -M_PI + 0.2);
	ok(replaced(w) == 1, "a small turn through pi");
	put_turned(w, 4, -M_PI + 0.3);
	ok(replaced(w) == 1, "a large one");
	scan_queue_destroy(w);
}

/* What a link kept during an outage comes at once: every 0.2 m of 12 m */
static void test_burst(void)
{
	struct scan_queue *w = scan_queue_create();
	double from = -1, worst = 0;
	struct reading r;
	int count = 0, scans = 0;

	for (int i = 0; i < 60; i++)
		put(w, i, i * 0.2, BEAMS);
	scan_queue_end(w);
	while (scan_queue_take(w, &r)) {
		count++;
		if (!r.beams)
			continue;
		if (scans++)
			worst = fmax(worst, r.odometry.x - from);
		from = r.odometry.x;
	}
	ok(count == 60, "a burst: the odometry of each");
	ok(worst <= SCAN_QUEUE_GAP, "no two scans are far from each other");
	ok(scans > 28, "but no more of them than needed: %d", scans);
	ok(scans < 35, "but no more of them than needed: %d", scans);
	ok((uint64_t)(60 - scans) == replaced(w), "the others were replaced");
	scan_queue_destroy(w);
}

static void test_bounds(void)
{
	struct scan_queue *w = scan_queue_create();
	struct scan_queue_count c;
	struct reading r;
	int scans = 0, count = 0, first = -1, last = -1;

	for (int i = 0; i < 300; i++)
		put(w, i, i, BEAMS);
	ok(replaced(w) == 300 - SCAN_QUEUE_SCANS,
	   "all far: %d scans wait at most", SCAN_QUEUE_SCANS);
	for (int i = 300; i < 5000; i++)
		put(w, i, i, BEAMS);
	c = scan_queue_count(w);
	ok_eq(c.came, 5000,
	      "more than %d readings: the oldest are lost, and counted",
	      SCAN_QUEUE_MAX);
	ok_eq(c.lost, 5000 - SCAN_QUEUE_MAX,
	      "more than %d readings: the oldest are lost, and counted",
	      SCAN_QUEUE_MAX);
	scan_queue_end(w);
	while (scan_queue_take(w, &r)) {
		first = first < 0 ? (int)r.stamp : first;
		last = (int)r.stamp;
		scans += r.beams > 0;
		count++;
	}
	ok_eq(count, SCAN_QUEUE_MAX, "the newest are there");
	ok_eq(first, 5000 - SCAN_QUEUE_MAX, "the newest are there");
	ok_eq(last, 4999, "the newest are there");
	ok(scans >= 1, "scans of them: %d", scans);
	ok(scans <= SCAN_QUEUE_SCANS, "scans of them: %d", scans);
	scan_queue_destroy(w);
}

/* Odometry alone between scans, which is nothing to take the place of */
static void test_mixed(void)
{
	struct scan_queue *w = scan_queue_create();
	struct reading r;
	int scans = 0;
	bool good = true;

	for (int i = 0; i < 400; i++) {
		put(w, 2 * i, i, BEAMS);
		put(w, 2 * i + 1, i + 0.4, 0);
	}
	scan_queue_end(w);
	for (int i = 0; i < 800; i++) {
		good = good && scan_queue_take(w, &r) && r.stamp == i;
		scans += r.beams > 0;
	}
	ok(good, "odometry alone in between");
	ok(!scan_queue_take(w, &r), "odometry alone in between");
	ok(scans == SCAN_QUEUE_SCANS, "no more scans for that: %d", scans);
	scan_queue_destroy(w);
}

static void *take_all(void *arg)
{
	static int count;
	struct reading r;
	int64_t last = -1;

	while (scan_queue_take(arg, &r)) {
		if (r.stamp != last + 1)
			abort();
		last = r.stamp;
		count++;
	}
	return &count;
}

static void test_threads(void)
{
	struct scan_queue *w = scan_queue_create();
	pthread_t thread;
	void *count;

	pthread_create(&thread, NULL, take_all, w);
	for (int i = 0; i < 3000; i++)
		put(w, i, i * 0.1, BEAMS);
	scan_queue_end(w);
	pthread_join(thread, &count);
	ok(*(int *)count == 3000, "another thread takes them, each once, until the end");
	scan_queue_destroy(w);
}

static void *wait_once(void *arg)
{
	static enum scan_queue_event event;

	event = scan_queue_wait(arg);
	return &event;
}

/* A command for the thread that takes readings */
static void test_wake(void)
{
	struct scan_queue *w = scan_queue_create();
	pthread_t thread;
	void *event;

	pthread_create(&thread, NULL, wait_once, w);
	scan_queue_wake(w);
	pthread_join(thread, &event);
	ok_eq(*(enum scan_queue_event *)event, SCAN_QUEUE_WOKEN,
	      "a thread that waits in an empty queue is woken");
	put(w, 1, 0, BEAMS);
	scan_queue_wake(w);
	scan_queue_wake(w);
	ok_eq(scan_queue_wait(w), SCAN_QUEUE_WOKEN, "before a reading");
	ok_eq(scan_queue_wait(w), SCAN_QUEUE_READING, "... once");
	ok(next_is(w, 1, BEAMS), "... which it gets then");
	scan_queue_end(w);
	ok_eq(scan_queue_wait(w), SCAN_QUEUE_ENDED, "until the end");
	scan_queue_destroy(w);
}

static void test_end(void)
{
	struct scan_queue *w = scan_queue_create();
	struct reading r;

	put(w, 1, 0, BEAMS);
	scan_queue_end(w);
	ok(next_is(w, 1, BEAMS), "after the end what waits is given");
	ok(!scan_queue_take(w, &r), "and then there is no more");
	ok(!scan_queue_take(w, &r), "and then there is no more");
	scan_queue_destroy(w);
}

static void test_lines(void)
{
	struct scan_queue *w = scan_queue_create();

	put(w, 0, 0, BEAMS);
	next_is(w, 0, BEAMS);
	log_lines_begin(LOG_DEBUG);
	for (int i = 1; i < 20; i++)
		put(w, i, 0, BEAMS);
	log_lines_end();
	ok(replaced(w) > 10, "scans of a robot that stands are replaced");
	ok_eq(log_lines_with("the robot has hardly moved since"), 1,
	      "a line says why, one a second");
	scan_queue_end(w);
	scan_queue_destroy(w);
}

int main(void)
{
	cli_program = "test";
	test_lines();
	test_order();
	test_peek();
	test_near();
	test_turned();
	test_burst();
	test_bounds();
	test_mixed();
	test_threads();
	test_wake();
	test_end();
	return tap_done();
}
