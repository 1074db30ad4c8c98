/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * matcher.h - which frame a submap belongs to, by approximate time
 *
 * For those who do not name frames in submaps (D4.1, section 3.2). An item
 * goes to the frame whose stamp is nearest, which is certain once a frame with
 * a later stamp is known, as in ROS' message_filters: frames come in the order
 * of their stamps. What is further away than the slop goes to none. A frame
 * with a later stamp may never come, as of a robot that stands still: then an
 * item does not wait for ever, by the clock of who calls.
 */
#ifndef APPS_GDIMD_MATCHER_H
#define APPS_GDIMD_MATCHER_H

#include <stdint.h>

struct matcher;

enum {
	MATCHER_FRAMES	= 1024,		/* the latest of them are remembered */
	MATCHER_ITEMS	= 4096,		/* that wait; the oldest goes first */
};

#define MATCHER_NEVER	UINT64_MAX

/**
 * matcher_create() - begin
 * @slop:	ns
 * @match:	called for each item once, in the order they came: with its
 *		frame, or NULL: there is none. It must not call back
 *
 * Return: NULL: no memory.
 */
struct matcher *matcher_create(int64_t slop,
			       void (*match)(void *arg, void *item,
					     const char *frame), void *arg);
/* Items that wait get the frame that is nearest now */
void matcher_destroy(struct matcher *m);

void matcher_frame(struct matcher *m, int64_t stamp, const char *frame);

/*
 * @due: when it no longer waits, by any clock, never before that of earlier
 * ones
 */
void matcher_item(struct matcher *m, int64_t stamp, uint64_t due, void *item);

/* Items that are due get the frame that is nearest now */
void matcher_expire(struct matcher *m, uint64_t now);

/* When the next one is; MATCHER_NEVER: none waits */
uint64_t matcher_due(const struct matcher *m);

/* The oldest item that waits gets the frame that is nearest now */
void matcher_first(struct matcher *m);

unsigned int matcher_waiting(const struct matcher *m);

#endif
