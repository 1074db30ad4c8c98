// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_slam_tf_ahead - the transform of odometry is published again and again,
 * with stamps ahead of the robot's clock, whatever that is
 */
#include "apps/slamd/tf_ahead.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "tap.h"

#define SECOND	1000000000LL

/**
 * struct heard - what was published
 * @late:	most that it was ahead of the clock, ns
 * @clock:	of the robot, when this is 0, ns
 */
struct heard {
	struct loop	*loop;
	unsigned int	count, wanted;
	int64_t		stamp, step, late, clock;
	double		x;
	bool		same_frames;
};

static void on_publish(void *arg, int64_t stamp, const union message *m)
{
	struct heard *h = arg;
	struct message_list list = m->tf.transforms;
	const int64_t ahead = stamp - ((int64_t)loop_now() + h->clock);
	struct message_transform t;

	message_next_transform(&list, &t);
	h->same_frames = !strncmp(t.header.frame_id.text, "map", 3) &&
			 !strncmp(t.child_frame_id.text, "odom", 4) &&
			 t.header.stamp == stamp;
	h->x = t.translation[0];
	if (!h->count || ahead > h->late)
		h->late = ahead;
	if (h->count && (h->count == 1 || stamp - h->stamp < h->step))
		h->step = stamp - h->stamp;
	h->stamp = stamp;
	if (++h->count == h->wanted)
		loop_stop(h->loop, 0);
}

static void give(struct tf_ahead *t, double x)
{
	char map[] = "map", odom[] = "odom";
	struct message_transform one = {
		.header = { 5, 0, message_string(map) },
		.child_frame_id = message_string(odom),
		.translation = { x, 0, 0 }, .rotation = { 0, 0, 0, 1 },
	};
	static union message m;

	m.tf = (struct message_transforms){ message_list(&one, 1) };
	tf_ahead_set(t, &m);
	/* what it pointed to is gone */
	memset(map, 'x', sizeof(map) - 1);
	memset(odom, 'x', sizeof(odom) - 1);
}

static void listen(struct heard *h, unsigned int count)
{
	h->count = 0;
	h->wanted = count;
	h->step = 0;
	loop_run(h->loop);
}

/* A timer that ends a wait for nothing */
static void on_end(void *arg, uint64_t now)
{
	(void)now;
	loop_stop(arg, 1);
}

int main(void)
{
	struct loop *loop = loop_create();
	struct heard h = { .loop = loop, .clock = 1000 * SECOND };
	int64_t before;
	struct tf_ahead t = { .period = 0 };
	struct loop_timer end = { loop_now() + SECOND / 5, on_end, loop, NULL };

	tf_ahead_close(&t);
	if (tf_ahead_open(&t, loop, 100, 0.25, on_publish, &h))
		abort();
	tf_ahead_clock(&t, (int64_t)loop_now() + h.clock);
	loop_add_timer(loop, &end);
	h.wanted = 1;
	ok_eq(loop_run(loop), 1, "no transform yet: nothing is published");
	loop_remove_timer(loop, &end);
	give(&t, 7);
	listen(&h, 5);
	ok(h.same_frames, "published again: its frames and its stamp");
	ok_near(h.x, 7, 0, "... x");
	/* less if this machine was busy in between */
	ok_range(h.late * 1e-9, -60, 0.2500001, "... ahead at most, s");
	ok_range(h.step * 1e-9, 1e-9, INFINITY, "... stamps increase, s");
	give(&t, 8);
	listen(&h, 2);
	ok_near(h.x, 8, 0, "a newer one");
	/* a reading that is late changes little, one that is early much */
	before = t.offset;
	tf_ahead_clock(&t, (int64_t)loop_now() + h.clock - SECOND / 2);
	ok_range((t.offset - before) * 1e-9, -0.25, 0, "a late reading, s");
	tf_ahead_clock(&t, (int64_t)loop_now() + h.clock + SECOND);
	ok_range((t.offset - before) * 1e-9, 0.5, 1.5, "an early reading, s");
	tf_ahead_clock(&t, (int64_t)loop_now() + h.clock - 1000 * SECOND);
	ok_range((t.offset - before) * 1e-9, -1100, -999,
		 "the clock was set, s");
	listen(&h, 1);
	ok_range(h.stamp * 1e-9 - (double)loop_now() * 1e-9, -1000, 0.2500001,
		 "... and stamps follow it, s");
	tf_ahead_forget(&t);
	end.due = loop_now() + SECOND / 5;
	loop_add_timer(loop, &end);
	h.count = 0;
	h.wanted = 1;
	ok_eq(loop_run(loop), 1, "in another map: nothing is published");
	loop_remove_timer(loop, &end);
	give(&t, 9);
	listen(&h, 1);
	ok_near(h.x, 9, 0, "... until there is another transform");
	tf_ahead_close(&t);
	loop_destroy(loop);
	return tap_done();
}
