/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * keyframes.h - gather the submaps of a frame to one keyframe: one transaction
 *
 * Submaps of one frame that arrive within KEYFRAMES_WINDOW, one of each layer.
 * Times are CLOCK_MONOTONIC, ns. For one thread; storing takes the site's turn.
 */
#ifndef MAP_ROS_KEYFRAMES_H
#define MAP_ROS_KEYFRAMES_H

#include "map/ros/input_report.h"
#include "map/site/site.h"

enum {
	KEYFRAMES_MAX		= 64,	/* gathered at the same time */
	KEYFRAMES_SUBMAPS	= 64,	/* submaps of a keyframe */
};

#define KEYFRAMES_WINDOW	(20 * 1000000ULL)	/* ns */

struct keyframe;

/**
 * struct keyframes
 * @stored:	called when the store has new submaps
 */
struct keyframes {
	struct site		*site;
	struct input_report	*report;
	void			(*stored)(void *arg);
	void			*arg;
	/* private */
	struct keyframe		*keyframe[KEYFRAMES_MAX];
	unsigned int		count;
};

/**
 * struct keyframe_submap - a submap of a message
 * @message:	its number: invalid submaps of one message are refused once
 */
struct keyframe_submap {
	const char	*frame;
	uint64_t	message;
	unsigned int	layer;
	int64_t		stamp;
	struct cells	*cells;
};

/**
 * keyframes_add() - add a submap to the keyframe of its frame
 * @s: takes a reference of its cells
 *
 * Return: 0, -ENOMEM. Errors of the store are refusals of @report.
 */
int keyframes_add(struct keyframes *k, const struct keyframe_submap *s,
		  uint64_t now);

/* Store what is complete at @now; UINT64_MAX: all */
void keyframes_expire(struct keyframes *k, uint64_t now);

/* When the next one is complete; UINT64_MAX: there is none */
uint64_t keyframes_due(const struct keyframes *k);

#endif
