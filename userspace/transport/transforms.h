/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * transforms.h - the newest transform of each child frame
 *
 * Several nodes write on /tf and /tf_static, and each message has a part of the
 * tree only. Merged, nothing of it is lost when messages are left out: what is
 * given out has the newest transform of each frame. On /tf a frame is published
 * again and again: one that is not, while others are, is no longer there. So the
 * tree of a tracker that gives each person a frame of its own does not fill up.
 */
#ifndef TRANSPORT_TRANSFORMS_H
#define TRANSPORT_TRANSFORMS_H

#include "ros/msg/message.h"

enum {
	TRANSFORMS_FRAMES = 1024,	/* of a tree */
	TRANSFORMS_NAME	= 256,		/* bytes of a frame's name, at most */
	TRANSFORMS_FORGET = 60,		/* s */
	/* what a tree takes at most, with the lists for a message */
	TRANSFORMS_MEMORY = TRANSFORMS_FRAMES * 1024,
};

struct transforms;

/**
 * transforms_create() - an empty tree
 * @forget:	frames that are not heard of for TRANSFORMS_FORGET
 *
 * Return: to be freed with transforms_destroy(), NULL: no memory.
 */
struct transforms *transforms_create(bool forget);
void transforms_destroy(struct transforms *t);

/**
 * transforms_merge() - take the transforms of a message
 * @now: ns, of a clock that goes on evenly
 *
 * A transform replaces what there was of its child frame, whatever its stamp
 * and its parent.
 *
 * Return: how many were left out: the tree is full, a name is empty or too
 * long, or there is no memory.
 */
unsigned int transforms_merge(struct transforms *t,
			      const struct message_transforms *m, uint64_t now);

/* Whether something differs from what transforms_take() gave */
bool transforms_changed(const struct transforms *t);

/**
 * transforms_take() - what is to be told
 * @all: the whole tree, else what changed since the last call
 * @m: points into @t, until the next call of transforms_merge() or of this
 */
void transforms_take(struct transforms *t, bool all,
		     struct message_transforms *m);

/* Frames that are known */
unsigned int transforms_count(const struct transforms *t);

/* Frames that were known, and not heard of for too long */
uint64_t transforms_forgotten(const struct transforms *t);

#endif
