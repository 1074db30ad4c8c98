/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * loop_fixture.h - a loop, timers for it, and in which order things came
 */
#ifndef UNIT_LOOP_FIXTURE_H
#define UNIT_LOOP_FIXTURE_H

#include <stdbool.h>
#include <string.h>
#include "base/loop.h"
#include "tap.h"

static const uint64_t ms = 1000000;

static struct loop *loop;
static char order[64];

static inline void note(const char *text)
{
	strcat(order, text);
}

/* Run until loop_stop(). Return: its status */
static inline int run(void)
{
	*order = 0;
	return loop_run(loop);
}

/*
 * Timers
 */

struct timer {
	struct loop_timer	t;
	const char		*name;
	bool			stops;
	struct timer		*removes;
	uint64_t		now, due;
};

static inline void on_timer(void *arg, uint64_t now)
{
	struct timer *t = arg;

	note(t->name);
	t->now = now;
	t->due = t->t.due;
	if (t->removes)
		loop_remove_timer(loop, &t->removes->t);
	if (t->stops)
		loop_stop(loop, 7);
}

static inline void add_timer(struct timer *t, const char *name, uint64_t due)
{
	*t = (struct timer){ .t = { due, on_timer, t, NULL }, .name = name };
	loop_add_timer(loop, &t->t);
}

#endif
