/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * collator.h - laser scans and odometry, which come apart, become readings
 *
 * Scans wait until there is odometry from before and from after them, and get
 * the pose in between, and how the robot moved while they were taken. Odometry is remembered for a while, in the order of its
 * stamps, whatever the order it comes in. Time is that of the stamps: nothing
 * here looks at a clock, so it does for files as well as for topics. A stream
 * that jumps back by more than the patience begins anew: a clock was set, or a
 * recording plays again. Scans may be far ahead of odometry, and odometry of
 * scans: behind an outage, topics come one after the other.
 *
 * For each message: collator_add_...(), and then collator_next() until there is
 * none.
 */
#ifndef LASER_COLLATOR_H
#define LASER_COLLATOR_H

#include <stdbool.h>
#include "laser/reading.h"

enum {
	COLLATOR_SCANS		= 128,	/* wait at most */
	COLLATOR_ODOMETRY	= 1024,	/* are remembered at most */
};

/**
 * struct collator_count - what came of it
 * @given:	readings
 * @dropped:	scans without odometry near them
 * @bad:	numbers that cannot be
 * @unswept:	of those given, scans that took a while, but there is no odometry
 *		of their end
 */
struct collator_count {
	uint64_t	given, dropped, bad, unswept;
};

struct collator;

/**
 * collator_new() - begin
 * @patience: ns; a scan waits until odometry is so much later than it, and
 *	odometry so far apart says nothing about what is in between
 *
 * Return: NULL: no memory.
 */
struct collator *collator_new(int64_t patience);

void collator_free(struct collator *p);

/* Where the robot was. Return: 0, or -EINVAL: a pose that cannot be */
int collator_add_odometry(struct collator *p, int64_t stamp,
			  const struct pose *pose);

/**
 * collator_add_scan() - a scan
 * @scan: all but its odometry, copied
 *
 * If too many wait, the first of them is dropped.
 *
 * Return: 0, -EINVAL: numbers that cannot be, -ENOMEM.
 */
int collator_add_scan(struct collator *p, const struct reading *scan);

/**
 * collator_next() - the next scan with its odometry, in the order they came
 * @reading: good until the next call for @p
 *
 * Return: whether there is one yet.
 */
bool collator_next(struct collator *p, struct reading *reading);

/* Nothing more comes: what waits is dropped */
void collator_end(struct collator *p);

void collator_count(const struct collator *p, struct collator_count *count);

#endif
