/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * transforms.h - the newest transform of each child frame
 *
 * Several nodes publish on /tf and /tf_static, and each message has only a part
 * of the tree. After merging, no transform is lost when messages are skipped: a
 * message made from the tree has the newest transform of each frame. On /tf a
 * frame is published continuously, so a frame that is silent while others are
 * not has disappeared. So a tracker that gives each person a frame of its own
 * does not fill the tree.
 */
#ifndef TRANSPORT_TRANSFORMS_H
#define TRANSPORT_TRANSFORMS_H

#include "ros/msg/message.h"

enum {
	TRANSFORMS_FRAMES = 1024,	/* of a tree */
	TRANSFORMS_NAME	= 256,		/* bytes of a frame's name, at most */
	TRANSFORMS_FORGET = 60,		/* s */
	/* most memory of a tree, with the lists for a message */
	TRANSFORMS_MEMORY = TRANSFORMS_FRAMES * 1024,
};

struct transforms;

/**
 * transforms_create() - an empty tree
 * @forget:	remove frames that were silent for TRANSFORMS_FORGET
 *
 * Return: to be freed with transforms_destroy(), NULL: no memory.
 */
struct transforms *transforms_create(bool forget);
void transforms_destroy(struct transforms *t);

/**
 * transforms_merge() - merge the transforms of a message
 * @now: ns, of a monotonic clock
 *
 * A transform replaces the previous one of its child frame, whatever its stamp
 * and its parent.
 *
 * Return: number of rejected transforms: the tree is full, a name is empty or
 * too long, or there is no memory.
 */
unsigned int transforms_merge(struct transforms *t,
			      const struct message_transforms *m, uint64_t now);

/* Has it changed since transforms_take()? */
bool transforms_changed(const struct transforms *t);

/**
 * transforms_take() - get the transforms to send
 * @all: the whole tree, else the changes since the last call
 * @m: points into @t, valid until the next transforms_merge() or
 *	transforms_take()
 */
void transforms_take(struct transforms *t, bool all,
		     struct message_transforms *m);

/* Number of frames */
unsigned int transforms_count(const struct transforms *t);

/* Number of frames that were removed after a silence */
uint64_t transforms_forgotten(const struct transforms *t);

#endif
