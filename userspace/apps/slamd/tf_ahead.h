/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tf_ahead.h - the transform from odometry to the map, often and a little ahead
 *
 * Planners ask for the pose of the robot now, but a scan is matched some time
 * after it was taken. The drift of the odometry changes slowly, so the last one
 * is published again, with stamps that are ahead of the robot's clock. That
 * clock is known from the stamps of the readings, when they arrive.
 *
 * For the thread of the loop.
 */
#ifndef APPS_SLAMD_TF_AHEAD_H
#define APPS_SLAMD_TF_AHEAD_H

#include "base/loop.h"
#include "ros/msg/message.h"
#include "slam/output/submap_out.h"

/**
 * struct tf_ahead - all zero, then tf_ahead_open()
 * @ahead:	ns
 * @offset:	of the robot's clock to ours, ns, if @known; @stamp: of the last reading
 * @last:	the transform, if @given; points to @map and @odom
 */
struct tf_ahead {
	struct loop		*loop;
	struct loop_timer	timer;
	uint64_t		period;
	int64_t			ahead, offset, stamp;
	bool			known, given;
	char			map[STORE_FRAME], odom[STORE_FRAME];
	struct message_transform	last;
	union message		*message;
	void			(*publish)(void *arg, int64_t stamp,
					   const union message *m);
	void			*arg;
};

/**
 * tf_ahead_open() - begin
 * @rate: Hz
 * @ahead: s
 * @publish: called so often, once there is a transform
 *
 * Return: 0; -ENOMEM.
 */
int tf_ahead_open(struct tf_ahead *t, struct loop *loop, double rate,
		  double ahead,
		  void (*publish)(void *arg, int64_t stamp,
				  const union message *m),
		  void *arg);
/* Also if it was not opened */
void tf_ahead_close(struct tf_ahead *t);

/* A reading arrived */
void tf_ahead_clock(struct tf_ahead *t, int64_t stamp);

/* Another transform was published: tf2_msgs/TFMessage with one transform */
void tf_ahead_set(struct tf_ahead *t, const union message *m);

/* The map is another one: publish nothing until the next tf_ahead_set() */
void tf_ahead_forget(struct tf_ahead *t);

#endif
