// SPDX-License-Identifier: GPL-2.0-only
/*
 * ros1_sink - messages to ROS 1 nodes
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include "base/error.h"
#include "ros/io/ros1.h"
#include "ros/io/sink_ops.h"

enum { QUEUE = 10 };	/* messages queued for a slow subscriber */

struct ros1_sink {
	struct sink	s;
	struct ros1_end	end;
};

struct ros1_topic {
	struct sink_topic	t;
	struct ros1_pub		*pub;
};

static struct ros1_end *ros1_sink_end_of(struct sink *s)
{
	return &((struct ros1_sink *)s)->end;
}

static int ros1_sink_open(struct sink **result, struct loop *loop,
			  const char *rest, const struct sink_config *config,
			  struct error *error)
{
	struct ros1_sink *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return error_set(error, -ENOMEM, "no memory");
	err = ros1_end_open(&s->end, loop, rest, config->name, config->log,
			    config->arg, error);
	if (err) {
		free(s);
		return err;
	}
	s->s.ops = &ros1_sink_ops;
	s->s.loop = loop;
	s->s.config = *config;
	*result = &s->s;
	return 0;
}

static int ros1_sink_add(struct sink *s, struct sink_topic *topic)
{
	struct ros1_topic *t = (struct ros1_topic *)topic;
	char definition[MESSAGE_DEFINITION_MAX];
	int err;

	message_definition(topic->kind, MESSAGE_ROS1, definition);
	err = ros1_advertise(ros1_sink_end_of(s)->node, topic->name,
			     message_type(topic->kind, MESSAGE_ROS1),
			     message_md5(topic->kind), definition,
			     topic->latched, QUEUE, &t->pub);
	ros1_end_due(ros1_sink_end_of(s));
	return err;
}

static void ros1_sink_remove(struct sink_topic *topic)
{
	ros1_unadvertise(((struct ros1_topic *)topic)->pub);
	ros1_end_due(ros1_sink_end_of(topic->sink));
}

static int ros1_sink_publish(struct sink_topic *topic, int64_t received,
			     const union message *msg)
{
	struct ros1_topic *t = (struct ros1_topic *)topic;
	struct sink *s = topic->sink;
	long len = sink_serialize(s, topic->kind, MESSAGE_ROS1, msg);
	int err = len < 0 ? (int)len : ros1_publish(t->pub, s->buffer, len);

	(void)received;
	ros1_end_due(ros1_sink_end_of(s));
	if (err && !topic->logged)
		sink_log(s, LOG_WARNING,
			 "%s: message dropped, logged once: %s",
			 topic->name, strerror(-err));
	topic->logged |= err != 0;
	return err;
}

static void ros1_sink_close(struct sink *s)
{
	ros1_end_close(ros1_sink_end_of(s));
	free(s);
}

const struct sink_ops ros1_sink_ops = {
	.topic_size	= sizeof(struct ros1_topic),
	.open		= ros1_sink_open,
	.add		= ros1_sink_add,
	.remove		= ros1_sink_remove,
	.publish	= ros1_sink_publish,
	.close		= ros1_sink_close,
};
