/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sink_ops.h - the interface of a kind of sink
 *
 * A kind of sink embeds struct sink and struct sink_topic as first members of
 * its own. sink.c keeps the list of topics, their names and the losses.
 */
#ifndef ROS_IO_SINK_OPS_H
#define ROS_IO_SINK_OPS_H

#include <stddef.h>
#include "base/error.h"
#include "ros/io/io.h"
#include "ros/io/sink.h"

/**
 * struct sink_topic
 * @logged: a lost message was logged
 */
struct sink_topic {
	struct sink		*sink;
	struct sink_topic	*next;
	char			*name;
	enum message_kind	kind;
	bool			latched, logged;
};

/**
 * struct sink_ops
 * @topic_size:	bytes of a topic, which is zeroed
 * @open:	@rest follows the colon of the spec, or is a path
 * @add:	@t has its name, kind and latched
 * @remove:	undo add(); sink.c frees the topic itself
 * @publish:	0 or a negative errno; logs by itself
 * @flush:	once a second; NULL: nothing is buffered
 * @close:	all topics were removed
 */
struct sink_ops {
	size_t	topic_size;
	int	(*open)(struct sink **s, struct loop *loop, const char *rest,
			const struct sink_config *config,
			struct error *error);
	int	(*add)(struct sink *s, struct sink_topic *t);
	void	(*remove)(struct sink_topic *t);
	int	(*publish)(struct sink_topic *t, int64_t received,
			   const union message *msg);
	void	(*flush)(struct sink *s);
	void	(*close)(struct sink *s);
};

/**
 * struct sink
 * @loop:	NULL: a thread's, see sink_thread.c
 * @dropped:	atomic, see sink_drop()
 * @buffer:	of sink_serialize(), kept
 */
struct sink {
	const struct sink_ops	*ops;
	struct loop		*loop;
	struct sink_config	config;
	struct sink_topic	*topics;
	struct loop_timer	flush;
	uint64_t		dropped;
	uint8_t			*buffer;
	size_t			size;
};

extern const struct sink_ops ros2_sink_ops, ros1_sink_ops, bag_sink_ops,
			     file_sink_ops, thread_sink_ops;

__attribute__((format(printf, 3, 4)))
void sink_log(const struct sink *s, int priority, const char *format, ...);

/* Count a lost message. Any thread */
void sink_drop(struct sink *s);

/* Write the buffer; without a loop its owner calls it once a second */
void sink_flush(struct sink *s);

/* Serialize a message into @s->buffer. Return: length, or a negative errno */
long sink_serialize(struct sink *s, enum message_kind kind,
		    enum message_format format, const union message *msg);

#endif
