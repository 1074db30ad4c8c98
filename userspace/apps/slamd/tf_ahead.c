// SPDX-License-Identifier: GPL-2.0-only
/*
 * tf_ahead.c - publishes the last transform again
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "apps/slamd/tf_ahead.h"

/* A clock that goes back by more was set, ns */
#define CLOCK_SET	1000000000LL
/* Readings are late; the clock is that of the ones that are least so. This much
 * of the difference is forgotten at each of the others, in parts of it
 */
#define FORGET		256

static void on_due(void *arg, uint64_t now)
{
	struct tf_ahead *t = arg;
	const int64_t stamp = (int64_t)now + t->offset + t->ahead;

	t->timer.due = now + t->period;
	if (!t->given || !t->known || stamp < 0)
		return;
	t->last.header.stamp = stamp;
	t->message->tf.transforms = message_list(&t->last, 1);
	t->publish(t->arg, stamp, t->message);
}

int tf_ahead_open(struct tf_ahead *t, struct loop *loop, double rate,
		  double ahead,
		  void (*publish)(void *arg, int64_t stamp,
				  const union message *m),
		  void *arg)
{
	*t = (struct tf_ahead){
		.loop = loop, .period = (uint64_t)(1e9 / rate),
		.ahead = (int64_t)(ahead * 1e9), .publish = publish,
		.arg = arg, .message = malloc(sizeof(*t->message)),
	};
	if (!t->message)
		return -ENOMEM;
	t->timer = (struct loop_timer){ loop_now() + t->period, on_due, t,
					NULL };
	loop_add_timer(loop, &t->timer);
	return 0;
}

void tf_ahead_close(struct tf_ahead *t)
{
	if (t->message)
		loop_remove_timer(t->loop, &t->timer);
	free(t->message);
	t->message = NULL;
}

void tf_ahead_clock(struct tf_ahead *t, int64_t stamp)
{
	const int64_t offset = stamp - (int64_t)loop_now();
	const int64_t late = t->offset - offset;

	/* kept scans of an outage are late, but go forward */
	if (!t->known || late < 0 || stamp < t->stamp - CLOCK_SET)
		t->offset = offset;
	else
		t->offset -= (late < CLOCK_SET ? late : CLOCK_SET) / FORGET;
	t->stamp = stamp;
	t->known = true;
}

void tf_ahead_set(struct tf_ahead *t, const union message *m)
{
	struct message_list list = m->tf.transforms;

	if (!t->message || !message_next_transform(&list, &t->last))
		return;
	snprintf(t->map, sizeof(t->map), "%.*s",
		 (int)t->last.header.frame_id.len, t->last.header.frame_id.text);
	snprintf(t->odom, sizeof(t->odom), "%.*s",
		 (int)t->last.child_frame_id.len, t->last.child_frame_id.text);
	t->last.header.frame_id = message_string(t->map);
	t->last.child_frame_id = message_string(t->odom);
	t->given = true;
}

void tf_ahead_forget(struct tf_ahead *t)
{
	t->given = false;
}
