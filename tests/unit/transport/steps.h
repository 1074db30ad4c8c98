/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * steps.h - a test in a loop: each step waits for what it is about, or fails
 * after five minutes
 */
#ifndef UNIT_STEPS_H
#define UNIT_STEPS_H

#include <stdbool.h>
#include "base/loop.h"

struct test;

/**
 * struct steps - of a test
 * @every:	ns between two looks
 * @reached:	asked at each look, whether the step is done
 * @acts:	what the test does meanwhile, NULL: nothing
 */
struct steps {
	struct loop		*loop;
	struct loop_timer	timer;
	struct test		*test;
	uint64_t		every, until;
	bool			(*reached)(struct test *t);
	void			(*acts)(struct test *t);
};

static inline void steps_on_timer(void *arg, uint64_t now)
{
	struct steps *s = arg;

	s->timer.due = now + s->every;
	if (s->reached(s->test))
		loop_stop(s->loop, 1);
	else if (now > s->until)
		loop_stop(s->loop, 0);
	else if (s->acts)
		s->acts(s->test);
}

static inline void steps_begin(struct steps *s, struct loop *l, struct test *t)
{
	s->loop = l;
	s->test = t;
	s->every = 5000000;
	s->timer = (struct loop_timer){ LOOP_NEVER, steps_on_timer, s, NULL };
	loop_add_timer(l, &s->timer);
}

static inline void steps_end(struct steps *s)
{
	loop_remove_timer(s->loop, &s->timer);
}

/* Return: whether it was reached */
static inline bool steps_until(struct steps *s,
			       bool (*reached)(struct test *t),
			       void (*acts)(struct test *t))
{
	s->until = loop_now() + 300000000000;
	s->reached = reached;
	s->acts = acts;
	s->timer.due = loop_now();
	return loop_run(s->loop) == 1;
}

#endif
