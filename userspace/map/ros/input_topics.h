/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * input_topics.h - the topics of /gdim/input/, and who takes their messages
 */
#ifndef MAP_ROS_INPUT_TOPICS_H
#define MAP_ROS_INPUT_TOPICS_H

#include "map/ros/input.h"
#include "map/ros/map_config.h"
#include "map/ros/publisher.h"
#include "ros/io/source.h"

#define INPUT_TOPICS_PREFIX	"/gdim/input/"

/**
 * struct input_topics
 * @input:	takes what arrives
 * @stored:	called when stored data, besides submaps, has changed
 * @image:	called with a valid thermal image. Return: 0 or a negative errno
 */
struct input_topics {
	const struct map_config	*config;
	struct map_input	*input;
	void			(*stored)(void *arg,
					  enum map_publisher_state what);
	int			(*image)(void *arg, const union message *m);
	void			*arg;
};

/**
 * input_topics_subscribe() - subscribe to all topics of the configuration
 *
 * Topics of layers with wildcards are found: see input_topics_found(). Failures
 * are logged.
 */
void input_topics_subscribe(const struct input_topics *t, struct source *s);

/* For the source: it has a topic that is not subscribed */
void input_topics_found(const struct input_topics *t, struct source *s,
			const char *topic, enum message_kind kind);

/**
 * input_topics_take() - read a message, and pass it to who takes it
 * @msg: memory for it; large
 *
 * Messages that are malformed or have another type than their topic are not
 * passed on.
 *
 * Return: 0; -ENOENT: no topic takes it; errors were refused by @input.
 */
int input_topics_take(const struct input_topics *t,
		      const struct source_message *m, union message *msg);

#endif
