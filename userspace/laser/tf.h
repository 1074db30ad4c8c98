/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tf.h - the transforms between the frames of a robot: tf
 *
 * The last known transform of each frame is kept: enough for parts that are
 * fixed to a robot. Laser scanners may be mounted upside down, so it is in 3D.
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
	int			parent;	/* -1: unknown */
};

struct tf_frames {
	struct frame	frame[TF_FRAMES_MAX];
	unsigned int	count;
};

/* All zero is empty */

/**
 * tf_add() - store a transform
 *
 * Return: 0; -EBADMSG: invalid numbers or names; -E2BIG: too many
 * frames.
 */
int tf_add(struct tf_frames *f, const struct message_transform *t);

/**
 * tf_find() - the pose of a frame in another one
 * @name, @in: with or without a leading slash
 * @place:	of @name in @in
 *
 * Return: whether they are connected.
 */
bool tf_find(const struct tf_frames *f, const char *name, const char *in,
	     struct placement *place);

/**
 * placement_pose() - the 2D pose, seen from above
 * @upside_down: gets whether it is mounted so: then left turns become right
 *	ones
 *
 * Return: false if it is tilted by more than 30 degrees.
 */
bool placement_pose(const struct placement *p, struct pose *pose,
		    bool *upside_down);

/**
 * placement_make() - from a position and a quaternion (x, y, z, w)
 *
 * Return: false if these are invalid.
 */
bool placement_make(struct placement *p, const double position[3],
		    const double orientation[4]);

/**
 * frame_name() - as text, without a leading slash
 *
 * Return: false if it is empty or too long.
 */
bool frame_name(char name[TF_FRAME_NAME], const struct message_string *s);

#endif
