/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sink.h - destinations of messages: ROS 2, ROS 1, recordings, files
 */
#ifndef ROS_IO_SINK_H
#define ROS_IO_SINK_H

#include <stdbool.h>
#include "base/error.h"
#include "base/loop.h"
#include "ros/msg/message.h"

enum { SINK_WAITING = 64 << 20 };

struct sink;
struct sink_topic;

/**
 * struct sink_config - a destination
 * @spec:	ros2, ros2:DOMAIN, ros1, ros1:URI; a new recording (NAME.mcap,
 *		NAME.bag, NAME.db3), or a folder that exists or ends in a slash:
 *		files, TOPIC/SECONDS.NANOSECONDS.png, .pcd, .pgm, .json
 * @name:	of the node
 * @log:	one line, @priority of syslog(3); from any thread if @threaded
 * @threaded:	of recordings and files: a thread writes, so sink_publish() does
 *		not wait for the disk. Up to SINK_WAITING bytes of messages wait
 *		for it; further messages are dropped, counted and logged once
 */
struct sink_config {
	const char	*spec;
	const char	*name;
	void		(*log)(void *arg, int priority, const char *line);
	void		*arg;
	bool		threaded;
};

/**
 * sink_open() - open a destination
 * @error: gets one line
 *
 * Return: 0 or a negative errno.
 */
int sink_open(struct sink **s, struct loop *loop,
	      const struct sink_config *config, struct error *error);

/* Finish recordings, and wait until all messages are written */
void sink_close(struct sink *s);

/**
 * sink_add() - offer a topic
 * @name: absolute
 * @latched: late subscribers get the last message: maps
 *
 * Return: 0; -EEXIST: offered already; -EINVAL: an invalid name; others.
 */
int sink_add(struct sink *s, const char *name, enum message_kind kind,
	     bool latched, struct sink_topic **topic);
void sink_remove(struct sink_topic *topic);

/**
 * sink_publish() - publish a message
 * @received: time of its arrival, ns since the epoch; the message keeps the
 *	stamp of its header
 *
 * A full disk ends a recording with one line in the log: all later messages are
 * counted and dropped.
 *
 * Return: 0, or a negative errno if it was not published.
 */
int sink_publish(struct sink_topic *topic, int64_t received,
		 const union message *msg);

/* Lost messages of all topics: sink_publish() or a thread failed */
uint64_t sink_dropped(const struct sink *s);

#endif
