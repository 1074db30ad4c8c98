/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * matcher.h - find the frame of a submap by approximate time
 *
 * For senders that do not name frames in submaps (D4.1, section 3.2). An item
 * goes to the frame with the nearest stamp. That is certain once a frame with a
 * later stamp is known, as in ROS' message_filters: frames arrive in the order
 * of their stamps. Beyond the slop there is no match. A later frame may never
 * arrive, e.g. if the robot stands still: so an item only waits until it is
 * due, by the caller's clock.
 */
#ifndef MAP_ROS_MATCHER_H
#define MAP_ROS_MATCHER_H

#include <stdint.h>

struct matcher;

enum {
	MATCHER_FRAMES	= 1024,		/* the latest ones are kept */
	MATCHER_ITEMS	= 4096,		/* that wait; the oldest goes first */
};

#define MATCHER_NEVER	UINT64_MAX

/**
 * matcher_create() - an empty matcher
 * @slop:	ns
 * @match:	called once for each item, in the order of arrival: with its
 *		frame, or NULL: no match. Must not call the matcher
 *
 * Return: NULL: no memory.
 */
struct matcher *matcher_create(int64_t slop,
			       void (*match)(void *arg, void *item,
					     const char *frame), void *arg);
/* Waiting items are matched with the frame that is nearest now */
void matcher_destroy(struct matcher *m);

void matcher_frame(struct matcher *m, int64_t stamp, const char *frame);

/*
 * @due: until when it waits, by any clock, not before that of earlier items
 */
void matcher_item(struct matcher *m, int64_t stamp, uint64_t due, void *item);

/* Match due items with the frame that is nearest now */
void matcher_expire(struct matcher *m, uint64_t now);

/* When the next item is due; MATCHER_NEVER: none waits */
uint64_t matcher_due(const struct matcher *m);

/* Match the oldest waiting item with the frame that is nearest now */
void matcher_first(struct matcher *m);

unsigned int matcher_waiting(const struct matcher *m);

#endif
