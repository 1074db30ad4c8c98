// SPDX-License-Identifier: GPL-2.0-only
/*
 * bag_sink - write a recording
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include "base/error.h"
#include "ros/bag/bag.h"
#include "ros/io/sink_ops.h"

/**
 * struct bag_sink
 * @ended: by an error, which was logged
 */
struct bag_sink {
	struct sink		s;
	struct bag_writer	*bag;
	char			*path;
	enum message_format	format;
	bool			ended;
};

struct bag_sink_topic {
	struct sink_topic	t;
	unsigned int		index;
};

static struct bag_sink *bag_sink_bag_of(struct sink *s)
{
	return (struct bag_sink *)s;
}

/* After an error of the disk bag.h returns it once, then -ECANCELED */
static void bag_sink_log(struct bag_sink *s, int err)
{
	if (!err || s->ended)
		return;
	s->ended = true;
	sink_log(&s->s, LOG_ERR, "%s: %s: recording ends here", s->path,
		 strerror(-err));
}

static void bag_sink_flush(struct sink *sink)
{
	struct bag_sink *s = bag_sink_bag_of(sink);

	if (!s->ended)
		bag_sink_log(s, bag_flush(s->bag));
}

static int bag_sink_open(struct sink **result, struct loop *loop,
			 const char *rest, const struct sink_config *config,
			 struct error *error)
{
	enum bag_format format = bag_format_of(rest);
	struct bag_sink *s = calloc(1, sizeof(*s));
	int err;

	if (s)
		s->path = strdup(rest);
	if (!s || !s->path) {
		free(s);
		return error_set(error, -ENOMEM, "no memory");
	}
	err = bag_create(&s->bag, rest, format, true);
	if (err) {
		free(s->path);
		free(s);
		return error_set(error, err, "%s: %s", rest, strerror(-err));
	}
	s->s.ops = &bag_sink_ops;
	s->s.loop = loop;
	s->s.config = *config;
	s->format = format == BAG_ROSBAG ? MESSAGE_ROS1 : MESSAGE_CDR;
	*result = &s->s;
	return 0;
}

static int bag_sink_add(struct sink *sink, struct sink_topic *t)
{
	struct bag_sink *s = bag_sink_bag_of(sink);
	struct bag_topic topic = {
		.name = t->name, .type = message_type(t->kind, s->format),
		.format = s->format, .latched = t->latched,
	};
	int index = bag_add_topic(s->bag, &topic);

	if (index < 0)
		return index;
	((struct bag_sink_topic *)t)->index = index;
	return 0;
}

/* Its recorded messages stay */
static void bag_sink_remove(struct sink_topic *t)
{
	(void)t;
}

static int bag_sink_publish(struct sink_topic *t, int64_t received,
			    const union message *msg)
{
	struct bag_sink *s = bag_sink_bag_of(t->sink);
	long len;
	int err;

	if (s->ended)
		return -ECANCELED;
	len = sink_serialize(&s->s, t->kind, s->format, msg);
	if (len < 0)
		err = (int)len;
	else
		err = bag_write(s->bag, ((struct bag_sink_topic *)t)->index,
				received, s->s.buffer, len);
	if (err == -EINVAL || err == -EMSGSIZE || err == -E2BIG ||
	    err == -ENOMEM) {
		if (!t->logged)
			sink_log(&s->s, LOG_WARNING,
				 "%s: cannot record a message: %s",
				 t->name, strerror(-err));
		t->logged = true;
	} else {
		bag_sink_log(s, err);
	}
	return err;
}

static void bag_sink_close(struct sink *sink)
{
	struct bag_sink *s = bag_sink_bag_of(sink);
	int err;

	err = bag_finish(s->bag);
	bag_sink_log(s, err == -ECANCELED ? 0 : err);
	free(s->path);
	free(s);
}

const struct sink_ops bag_sink_ops = {
	.topic_size	= sizeof(struct bag_sink_topic),
	.open		= bag_sink_open,
	.add		= bag_sink_add,
	.remove		= bag_sink_remove,
	.publish	= bag_sink_publish,
	.flush		= bag_sink_flush,
	.close		= bag_sink_close,
};
