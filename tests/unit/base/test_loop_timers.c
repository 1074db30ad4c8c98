// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_loop_timers - timers of a loop, by a clock that only waits move: a busy
 * machine does not see two of them at once
 */
#include "fast_clock.h"
#include "loop_fixture.h"

static void test_timers(void)
{
	const uint64_t begin = loop_now();
	struct timer a, b, c, never;

	loop = loop_create_quiet();
	add_timer(&never, "n", LOOP_NEVER);
	add_timer(&a, "a", begin);
	add_timer(&b, "b", begin + 10 * ms);
	add_timer(&c, "c", begin + 500 * ms);
	c.stops = true;
	ok_eq(run(), 7, "the status of the one that stops it");
	ok_str(order, "abc", "timers are due in the order of time");
	ok_range(b.now, begin + 10 * ms, 1e18, "not before");
	ok_range(c.now, begin + 500 * ms, 1e18, "none of them");
	ok_eq(c.due == LOOP_NEVER, true, "each once");
	ok_eq(never.t.due == LOOP_NEVER, true, "and one not at all");
	/* both are due: the last one that was added comes first */
	b.t.due = c.t.due = loop_now();
	c.removes = &b;
	ok_eq(run(), 7, "a loop may run again");
	ok_str(order, "c", "a timer that was removed by another one is not");
	a.t.due = loop_now();
	c.t.due = a.t.due;
	c.removes = NULL;
	run();
	ok_str(order, "c", "nor are those after the one that stops");
	a.stops = true;
	run();
	ok_str(order, "a", "but in the next run");
	loop_remove_timer(loop, &never.t);
	loop_remove_timer(loop, &c.t);
	loop_remove_timer(loop, &c.t);
	a.t.due = loop_now();
	ok_eq(run(), 7, "the rest works");
	ok_str(order, "a", "alone");
	loop_destroy(loop);
	loop_destroy(NULL);
}

int main(void)
{
	test_timers();
	return tap_done();
}
