/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * waits.h - a test with one loop, in a row: it waits until a condition holds,
 * or lets time pass
 */
#ifndef UNIT_WAITS_H
#define UNIT_WAITS_H

#include "steps.h"

/*
 * @meanwhile: what the test does before each look; @waited_for: the condition;
 * @pass_end: when a pause is over
 */
static struct steps waits;
static void (*meanwhile)(uint64_t now);
static bool (*waited_for)(void);
static uint64_t pass_end;

static inline bool waits_reached(struct test *t)
{
	const uint64_t now = loop_now();

	(void)t;
	meanwhile(now);
	if (pass_end > now && pass_end < waits.timer.due)
		waits.timer.due = pass_end;
	return waited_for();
}

/* @every_ms: time between two looks */
static inline void waits_begin(struct loop *l, unsigned int every_ms,
			       void (*acts)(uint64_t now))
{
	steps_begin(&waits, l, NULL);
	waits.every = every_ms * 1000000ULL;
	meanwhile = acts;
}

/* Return: whether it came true within five minutes */
static inline bool wait_for(bool (*condition)(void))
{
	waited_for = condition;
	return steps_until(&waits, waits_reached, NULL);
}

static inline bool pass_is_over(void)
{
	return loop_now() >= pass_end;
}

/* Let that time pass */
static inline void pass(unsigned int ms)
{
	pass_end = loop_now() + ms * 1000000ULL;
	wait_for(pass_is_over);
}

#endif
