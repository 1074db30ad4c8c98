/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * robots.h - which robot a topic is of
 *
 * A receiver knows. It also says so in /diagnostics, with the time at which
 * each robot was heard: recordings and other programs get it from there.
 */
#ifndef VIEW_ROBOTS_H
#define VIEW_ROBOTS_H

#include "transport/control.h"
#include "view/board.h"

enum { ROBOTS_TOPICS = 512, ROBOTS_LABEL = CONTROL_WORD + 8 };

/**
 * struct robots - zero-initialised: nothing is known
 * @label:	@labels of them
 */
struct robots {
	struct robots_label {
		char	topic[BOARD_NAME], robot[ROBOTS_LABEL];
	}		label[ROBOTS_TOPICS];
	unsigned int	labels;
};

/* Return: whether it is new, or another robot than before */
bool robots_set(struct robots *r, const char *topic, const char *robot);

/*
 * TOPIC, TOPIC/kept, TOPIC/points: the name of the robot of what begins with
 * one of its topics, or NULL
 */
const char *robots_find(const struct robots *r, const char *topic);

/**
 * robots_read() - a message of /diagnostics
 * @when:	it was received, in the clock of board_now(), ns
 *
 * Return: whether a receiver said it. Bands and states show it.
 */
bool robots_read(struct robots *r, struct board *b,
		 const struct message_diagnostics *m, int64_t when);

#endif
