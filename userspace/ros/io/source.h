/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * source.h - sources of messages: ROS 2, ROS 1, recordings, files
 *
 * Out: serialized messages of the subscribed topics, one callback for each,
 * from within the loop.
 */
#ifndef ROS_IO_SOURCE_H
#define ROS_IO_SOURCE_H

#include <stdbool.h>
#include "base/error.h"
#include "base/loop.h"
#include "ros/msg/message.h"

struct source;

/**
 * struct source_message - valid during the callback
 * @topic:	its name, absolute
 * @stamp:	when the source received it, ns since the epoch: for kinds
 *		without a header
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
 * struct source_config - a source
 * @spec:	the user's text: ros2, ros2:DOMAIN, ros1, ros1:URI; a recording
 *		(bag.h); an image, a cloud, a map (.png, .pgm, .pcd), or a
 *		folder of such, played in the order of their names
 * @name:	of the node
 * @speed:	of recordings, 1 is the original speed
 * @rate:	of files, Hz
 * @start:	seconds to skip at the start of a recording
 * @loop:	repeat at the end. Stamps go on: in the second pass they are
 *		later by the length of the recording
 * @message:	called for each message of subscribed topics
 * @found:	called for a new topic without a subscription: may subscribe
 *		with
 *		source_subscribe(), at once. May be NULL
 * @ended:	the source is at its end; not with ROS
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
 * source_open() - open a source
 * @config: copied, except the strings, which are not needed afterwards
 * @error: gets one line
 *
 * Recordings and files begin to play in the first turn of the loop.
 *
 * Return: 0; -EPROTONOSUPPORT: an unknown kind; others of the kind.
 */
int source_open(struct source **s, struct loop *loop,
		const struct source_config *config, char error[ERROR_TEXT]);

/**
 * source_subscribe() - subscribe to a topic
 * @kind: enum message_kind, or -1: any kind below MESSAGE_KINDS
 *
 * It need not exist yet. A topic of another kind is logged once and ignored.
 *
 * Return: 0; -EEXIST: subscribed already; -EINVAL: an invalid name; -ENOENT: a
 * recording without this topic; -EPROTOTYPE: has another kind.
 */
int source_subscribe(struct source *s, const char *topic, int kind);

/**
 * source_subscribe_all() - as source_subscribe(), without loss
 *
 * For recording. With ROS 2 all losses of a RELIABLE writer are repaired, and
 * samples wait in memory until the loop takes them; older samples of a
 * TRANSIENT_LOCAL writer are read as well: only for topics whose messages are
 * taken without delay. Samples that a writer could not repair, or of a
 * BEST_EFFORT writer, are counted and logged, once for each topic.
 */
int source_subscribe_all(struct source *s, const char *topic, int kind);

/* Lost messages of source_subscribe_all() */
uint64_t source_messages_lost(const struct source *s);

void source_unsubscribe(struct source *s, const char *topic);

void source_close(struct source *s);

#endif
