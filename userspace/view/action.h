/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * action.h - what clients want of the loop: to a robot, of a replay, messages
 * to publish
 */
#ifndef VIEW_ACTION_H
#define VIEW_ACTION_H

#include "base/loop.h"
#include "ros/msg/message.h"

enum {
	ACTION_TEXT	= 256,
	ACTIONS_MAX	= 1024,		/* that wait */
};

/**
 * struct view_replay - state of a replayed recording
 * @time, @begin, @end: ns
 */
struct view_replay {
	bool	paused, ended;
	double	speed;
	int64_t	time, begin, end;
};

enum action_type {
	ACTION_FOCUS,		/* @topic of @source; "": none */
	ACTION_PRIORITY,	/* @topic, @value 0..7 */
	ACTION_REPLAY,		/* @pause, @value, @seek */
	ACTION_PUBLISH,		/* @message on @topic */
};

/**
 * struct action
 * @value:	of ACTION_REPLAY: the speed; 0: as before
 * @pause:	1: pause, -1: play, 0: as before
 * @seek:	to @time, ns
 * @number:	of ACTION_REPLAY, see struct view
 * @until:	of loop_now(), ns: then it may be too old; for ACTION_PUBLISH
 * @message:	serialized, @len bytes, of malloc(); freed with the action
 */
struct action {
	enum action_type	type;
	char			source[ACTION_TEXT], topic[ACTION_TEXT];
	double			value;
	int			pause;
	bool			seek;
	int64_t			time;
	uint64_t		number;
	int64_t			until;
	enum message_kind	kind;
	enum message_format	format;
	uint8_t			*message;
	size_t			len;
};

struct actions;

/* @take: called in the loop for each. Return: 0 or a negative errno */
int actions_open(struct actions **a, struct loop *l,
		 void (*take)(void *arg, const struct action *action),
		 void *arg);
void actions_close(struct actions *a);

/**
 * actions_put() - from any thread
 * @action: copied; its message is taken over, also after an error
 *
 * Return: 0; -ENOSPC: too many wait; -ENOMEM.
 */
int actions_put(struct actions *a, const struct action *action);

#endif
