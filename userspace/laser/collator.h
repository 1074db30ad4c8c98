/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * collator.h - combine laser scans and odometry, which arrive separately
 *
 * Scans wait until there is odometry from before and after them. They get the
 * interpolated pose, and the motion of the robot during the scan. Odometry is
 * kept for a while, sorted by stamp, in whatever order it arrives. Time is that
 * of the stamps: no clock is read, so it works for files as well as for topics.
 * A stream that jumps back by more than the patience is restarted: a clock was
 * set, or a recording plays again. Scans may be far ahead of odometry, and
 * odometry of scans: after an outage the topics arrive one after the other.
 *
 * For each message: collator_add_...(), then collator_next() until it returns
 * false.
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
 * struct collator_count - statistics
 * @given:	readings
 * @dropped:	scans without odometry near them
 * @bad:	messages with invalid numbers
 * @unswept:	of those given, scans with a duration, but without odometry of
 *		their end
 * @standing:	of those given, scans with collator_without()
 */
struct collator_count {
	uint64_t	given, dropped, bad, unswept, standing;
};

struct collator;

/**
 * collator_new() - make a collator
 * @patience: ns; a scan waits until odometry is this much later, and poses this
 *	far apart are not interpolated
 *
 * Return: NULL: no memory.
 */
struct collator *collator_new(int64_t patience);

void collator_free(struct collator *p);

/**
 * collator_without() - whether scans go without odometry
 * @without: scans do not wait: each one is given at the last pose that is known,
 *	or 0
 */
void collator_without(struct collator *p, bool without);

/* The pose of the robot. Return: 0, or -EINVAL: an invalid pose */
int collator_add_odometry(struct collator *p, int64_t stamp,
			  const struct pose *pose);

/**
 * collator_add_scan() - add a scan
 * @scan: all but its odometry, copied
 *
 * If too many wait, the first of them is dropped.
 *
 * Return: 0, -EINVAL: invalid numbers, -ENOMEM.
 */
int collator_add_scan(struct collator *p, const struct reading *scan);

/**
 * collator_next() - the next scan with its odometry, in order of arrival
 * @reading: valid until the next call for @p
 *
 * Return: whether there is one yet.
 */
bool collator_next(struct collator *p, struct reading *reading);

/* The end of the input: waiting scans are dropped */
void collator_end(struct collator *p);

void collator_count(const struct collator *p, struct collator_count *count);

#endif
