/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * scan_queue.h - readings that wait while the filter computes
 *
 * A newer scan takes the place of the last one that waits, unless the robot
 * would be too far from one scan to the next then: what a link kept of an
 * outage comes all at once, and each of these scans is needed. Where the robot
 * was at one that is replaced stays: it is odometry then, which costs the
 * filter nothing.
 */
#ifndef APPS_SLAMD_SCAN_QUEUE_H
#define APPS_SLAMD_SCAN_QUEUE_H

#include <stdbool.h>
#include "laser/reading.h"

enum {
	SCAN_QUEUE_SCANS	= 64,	/* beyond them all are replaced */
	SCAN_QUEUE_MAX	= 4096,	/* with those that are odometry now */
};

/* From one scan to the next, m and rad */
#define SCAN_QUEUE_GAP	0.5
#define SCAN_QUEUE_TURN	0.35

struct scan_queue;

/**
 * struct scan_queue_count
 * @came:	readings
 * @replaced:	scans that a newer one took the place of
 * @lost:	readings whose odometry was lost as well: more than SCAN_QUEUE_MAX
 *		came meanwhile
 */
struct scan_queue_count {
	uint64_t	came, replaced, lost;
};

/* Return: NULL: no memory */
struct scan_queue *scan_queue_create(void);
/* When nobody waits in scan_queue_take() any more; NULL is allowed */
void scan_queue_destroy(struct scan_queue *w);

/* From any thread; @r is copied. Return: 0; -ENOMEM: all is as before */
int scan_queue_put(struct scan_queue *w, const struct reading *r);

/**
 * scan_queue_take() - the oldest there is, for one thread
 * @r: good until the next call
 *
 * Waits until there is one. Return: false: scan_queue_end() was called, and there
 * are no more.
 */
bool scan_queue_take(struct scan_queue *w, struct reading *r);

/* There will be no more */
void scan_queue_end(struct scan_queue *w);

struct scan_queue_count scan_queue_count(struct scan_queue *w);

#endif
