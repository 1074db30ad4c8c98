/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tf.h - which frame of a robot is where in which other one: tf
 *
 * Of every frame the last known place is kept: enough for what is screwed on
 * to a robot. Laser scanners may hang upside down, so it is all in 3D.
 */
#ifndef LASER_TF_H
#define LASER_TF_H

#include <stdbool.h>
#include "base/pose.h"
#include "ros/msg/message.h"

enum { TF_FRAMES_MAX = 256, TF_FRAME_NAME = 128 };

/* A frame in another one: the axes as columns, and the origin, m */
struct placement {
	double	axes[3][3], origin[3];
};

struct frame {
	char			name[TF_FRAME_NAME];
	struct placement	place;
	int			parent;	/* -1: none is known */
};

struct tf_frames {
	struct frame	frame[TF_FRAMES_MAX];
	unsigned int	count;
};

/* All zero is an empty one */

/**
 * tf_add() - remember a transform
 *
 * Return: 0; -EBADMSG: numbers or names that cannot be; -E2BIG: too many
 * frames.
 */
int tf_add(struct tf_frames *f, const struct message_transform *t);

/**
 * tf_find() - where a frame is in another one
 * @name, @in: with or without a slash before them
 * @place:	of @name in @in
 *
 * Return: whether both hang together.
 */
bool tf_find(const struct tf_frames *f, const char *name, const char *in,
	     struct placement *place);

/**
 * placement_pose() - seen from above
 * @upside_down: gets whether it hangs so: what turns left in it turns right
 *
 * Return: false if its ground is more than 30 degrees off level.
 */
bool placement_pose(const struct placement *p, struct pose *pose,
		    bool *upside_down);

/**
 * placement_make() - of a position and a quaternion (x, y, z, w)
 *
 * Return: false if these cannot be.
 */
bool placement_make(struct placement *p, const double position[3],
		    const double orientation[4]);

/**
 * frame_name() - as text, without a slash before it
 *
 * Return: false if it is empty or too long.
 */
bool frame_name(char name[TF_FRAME_NAME], const struct message_string *s);

#endif
