/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * source.h - where messages come from: ROS 2, ROS 1, recordings, files
 *
 * Out: serialized messages of the topics that were asked for, one callback for
 * each, from within the loop.
 */
#ifndef ROS_IO_SOURCE_H
#define ROS_IO_SOURCE_H

#include <stdbool.h>
#include "base/loop.h"
#include "ros/msg/message.h"

struct source;

/**
 * struct source_message - good during the callback
 * @topic:	its name, absolute
 * @stamp:	when the source took it, ns since the epoch: for kinds that have
 *		no header
 */
struct source_message {
	const char		*topic;
	enum message_kind	kind;
	enum message_format	format;
	const void		*data;
	size_t			len;
	int64_t			stamp;
};

/**
 * struct source_config - how messages are to come
 * @spec:	what a user says: ros2, ros2:DOMAIN, ros1, ros1:URI; a
 *		recording (bag.h); an image, a cloud, a map (.png, .pgm, .pcd),
 *		or a folder of such, played in the order of their names
 * @name:	of the node
 * @speed:	of recordings, 1 is as it was recorded
 * @rate:	of files, Hz
 * @start:	seconds of a recording that are left out
 * @loop:	begin again at the end. Stamps go on: what is played a second
 *		time is later by the length of the recording
 * @message:	called for each message of topics that were asked for
 * @found:	a topic that exists but nobody asked for: may ask for it with
 *		source_subscribe(), at once. May be NULL
 * @ended:	there will be no more; not with ROS
 * @log:	one line, @priority of syslog(3)
 * @arg:	for all of them
 */
struct source_config {
	const char	*spec;
	const char	*name;
	double		speed, rate, start;
	bool		loop;
	void		(*message)(void *arg, const struct source_message *m);
	void		(*found)(void *arg, const char *topic,
				 enum message_kind kind);
	void		(*ended)(void *arg);
	void		(*log)(void *arg, int priority, const char *line);
	void		*arg;
};

/**
 * source_open() - begin
 * @config: copied, but for the strings, which are not needed afterwards
 * @error: gets one line about what is wrong
 *
 * Recordings and files begin to play with the first turn of the loop.
 *
 * Return: 0; -EPROTONOSUPPORT: it is no such thing; others of what is behind
 * it.
 */
int source_open(struct source **s, struct loop *loop,
		const struct source_config *config, char error[256]);

/**
 * source_subscribe() - ask for a topic
 * @kind: enum message_kind, or -1: whatever kind below MESSAGE_KINDS it has
 *
 * It need not exist yet. A topic of another kind is told of once and left out.
 *
 * Return: 0; -EEXIST: is asked for already; -EINVAL: no such name; -ENOENT: a
 * recording that has no such topic; -EPROTOTYPE: has another kind.
 */
int source_subscribe(struct source *s, const char *topic, int kind);

/**
 * source_subscribe_all() - as source_subscribe(), and each message is wanted
 *
 * For what is kept. With ROS 2 all that a RELIABLE writer sends is repaired and
 * waits in memory until the loop takes it, and of a TRANSIENT_LOCAL writer what
 * it sent before is read as well: only for topics whose messages are taken
 * without delay. What a writer could not repair, or a BEST_EFFORT writer lost,
 * is counted and logged, once for each topic.
 */
int source_subscribe_all(struct source *s, const char *topic, int kind);

/* Messages of source_subscribe_all() that were lost on their way to here */
uint64_t source_messages_lost(const struct source *s);

void source_unsubscribe(struct source *s, const char *topic);

void source_close(struct source *s);

#endif
