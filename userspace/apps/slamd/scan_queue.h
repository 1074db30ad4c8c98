/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * scan_queue.h - readings that wait for the filter
 *
 * A newer scan replaces the last queued one, unless the robot moved too far
 * between the remaining scans: after an outage the kept scans arrive all at
 * once, and each one is needed. The odometry of a replaced scan stays in the
 * queue, as it costs the filter nothing.
 */
#ifndef APPS_SLAMD_SCAN_QUEUE_H
#define APPS_SLAMD_SCAN_QUEUE_H

#include <stdbool.h>
#include "laser/reading.h"

enum {
	SCAN_QUEUE_SCANS	= 64,	/* above this each scan replaces one */
	SCAN_QUEUE_MAX	= 4096,	/* including odometry of replaced scans */
};

/* Largest distance between two scans, m and rad */
#define SCAN_QUEUE_GAP	0.5
#define SCAN_QUEUE_TURN	0.35

struct scan_queue;

/**
 * struct scan_queue_count
 * @came:	readings
 * @replaced:	scans that were replaced by newer ones
 * @lost:	readings whose odometry was lost, too: the queue was at
 *		SCAN_QUEUE_MAX
 */
struct scan_queue_count {
	uint64_t	came, replaced, lost;
};

/* Return: NULL: no memory */
struct scan_queue *scan_queue_create(void);
/* No thread may wait in scan_queue_take(); NULL is allowed */
void scan_queue_destroy(struct scan_queue *w);

/* From any thread; @r is copied. Return: 0; -ENOMEM: nothing changed */
int scan_queue_put(struct scan_queue *w, const struct reading *r);

/**
 * scan_queue_take() - the oldest reading, for one thread
 * @r: valid until the next call
 *
 * Waits for one. Return: false: the queue is empty and scan_queue_end() was
 * called.
 */
bool scan_queue_take(struct scan_queue *w, struct reading *r);

/* What scan_queue_wait() found; a wake-up before a reading */
enum scan_queue_event { SCAN_QUEUE_READING, SCAN_QUEUE_WOKEN, SCAN_QUEUE_ENDED };

/**
 * scan_queue_wait() - wait for a reading or scan_queue_wake(), for one thread
 *
 * Return: SCAN_QUEUE_READING: scan_queue_take() does not wait;
 * SCAN_QUEUE_ENDED: the queue is empty and scan_queue_end() was called.
 */
enum scan_queue_event scan_queue_wait(struct scan_queue *w);

/* From any thread: scan_queue_wait() returns SCAN_QUEUE_WOKEN, once */
void scan_queue_wake(struct scan_queue *w);

/* Number of the last reading that was taken; the first one is 1 */
uint64_t scan_queue_taken(struct scan_queue *w);

/**
 * scan_queue_peek() - the first reading after reading @after that still waits
 * @r: gets it; its ranges are in @range, which is from malloc() or NULL
 * @room: of @range
 *
 * Return: its number; 0: there is none.
 */
uint64_t scan_queue_peek(struct scan_queue *w, uint64_t after,
			 struct reading *r, float **range, uint32_t *room);

/* No more readings follow */
void scan_queue_end(struct scan_queue *w);

struct scan_queue_count scan_queue_count(struct scan_queue *w);

#endif
