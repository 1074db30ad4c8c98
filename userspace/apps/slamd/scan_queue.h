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
	WAITING_SCANS	= 64,	/* beyond them all are replaced */
	WAITING_MAX	= 4096,	/* with those that are odometry now */
};

/* From one scan to the next, m and rad */
#define WAITING_GAP	0.5
#define WAITING_TURN	0.35

struct waiting;

/**
 * struct waiting_count
 * @came:	readings
 * @replaced:	scans that a newer one took the place of
 * @lost:	readings whose odometry was lost as well: more than WAITING_MAX
 *		came meanwhile
 */
struct waiting_count {
	uint64_t	came, replaced, lost;
};

/* Return: NULL: no memory */
struct waiting *waiting_create(void);
/* When nobody waits in waiting_take() any more; NULL is allowed */
void waiting_destroy(struct waiting *w);

/* From any thread; @r is copied. Return: 0; -ENOMEM: all is as before */
int waiting_put(struct waiting *w, const struct reading *r);

/**
 * waiting_take() - the oldest there is, for one thread
 * @r: good until the next call
 *
 * Waits until there is one. Return: false: waiting_end() was called, and there
 * are no more.
 */
bool waiting_take(struct waiting *w, struct reading *r);

/* There will be no more */
void waiting_end(struct waiting *w);

struct waiting_count waiting_count(struct waiting *w);

#endif
