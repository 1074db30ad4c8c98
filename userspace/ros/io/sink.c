// SPDX-License-Identifier: GPL-2.0-only
/*
 * sink - choose the kind of sink for a spec, and what all kinds share
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/error.h"
#include "base/text.h"
#include "ros/io/sink_ops.h"

static const uint64_t FLUSH = 1000000000;	/* ns */

void sink_log(const struct sink *s, int priority, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	io_log(s->config.log, s->config.arg, priority, format, args);
	va_end(args);
}

/* Room for @size bytes in @s->buffer. Return: 0 or -ENOMEM */
static int sink_reserve(struct sink *s, size_t size)
{
	uint8_t *buffer;

	if (size <= s->size)
		return 0;
	buffer = realloc(s->buffer, size + size / 4);
	if (!buffer)
		return -ENOMEM;
	s->buffer = buffer;
	s->size = size + size / 4;
	return 0;
}

long sink_serialize(struct sink *s, enum message_kind kind,
		    enum message_format format, const union message *msg)
{
	long len = message_size(kind, format, msg);

	if (len < 0)
		return len;
	if (sink_reserve(s, len))
		return -ENOMEM;
	return message_write(kind, format, msg, s->buffer, s->size);
}

void sink_drop(struct sink *s)
{
	__atomic_fetch_add(&s->dropped, 1, __ATOMIC_RELAXED);
}

void sink_flush(struct sink *s)
{
	if (s->ops->flush)
		s->ops->flush(s);
}

static void sink_on_flush(void *arg, uint64_t now)
{
	struct sink *s = arg;

	sink_flush(s);
	s->flush.due = now + FLUSH;
}

static int sink_open_path(struct sink **s, struct loop *loop,
			  const struct sink_config *c, struct error *error)
{
	struct stat st;

	if (c->threaded)
		return thread_sink_ops.open(s, loop, c->spec, c, error);
	if (text_ends(c->spec, "/") ||
	    (!stat(c->spec, &st) && S_ISDIR(st.st_mode)))
		return file_sink_ops.open(s, loop, c->spec, c, error);
	if (text_ends(c->spec, ".mcap") || text_ends(c->spec, ".bag") ||
	    text_ends(c->spec, ".db3"))
		return bag_sink_ops.open(s, loop, c->spec, c, error);
	return error_set(
		error, -EPROTONOSUPPORT,
		"%s: neither ros2, ros1, NAME.mcap, NAME.bag, NAME.db3 nor a folder (FOLDER/)",
		c->spec);
}

static int open_any(struct sink **s, struct loop *loop,
		    const struct sink_config *config, struct error *error)
{
	const char *rest;

	if (!config->spec || !*config->spec)
		return error_set(error, -EINVAL, "missing sink");
	if (io_is(config->spec, "ros2", &rest))
		return ros2_sink_ops.open(s, loop, rest, config, error);
	if (io_is(config->spec, "ros1", &rest))
		return ros1_sink_ops.open(s, loop, rest, config, error);
	return sink_open_path(s, loop, config, error);
}

int sink_open(struct sink **s, struct loop *loop,
	      const struct sink_config *config, struct error *error)
{
	int err;

	*s = NULL;
	*error->text = '\0';
	err = open_any(s, loop, config, error);
	if (err || !loop || !(*s)->ops->flush)
		return err;
	(*s)->flush = (struct loop_timer){ loop_now() + FLUSH, sink_on_flush,
					   *s, NULL };
	loop_add_timer(loop, &(*s)->flush);
	return 0;
}

void sink_close(struct sink *s)
{
	uint8_t *buffer;

	if (!s)
		return;
	while (s->topics)
		sink_remove(s->topics);
	if (s->flush.expired)
		loop_remove_timer(s->loop, &s->flush);
	buffer = s->buffer;
	s->ops->close(s);
	free(buffer);
}

int sink_add(struct sink *s, const char *name, enum message_kind kind,
	     bool latched, struct sink_topic **topic)
{
	struct sink_topic *t;
	int err;

	if (!io_valid_name(name) || (int)kind < 0 || kind >= MESSAGE_TYPES)
		return -EINVAL;
	for (t = s->topics; t; t = t->next)
		if (!strcmp(t->name, name))
			return -EEXIST;
	t = calloc(1, s->ops->topic_size);
	if (!t)
		return -ENOMEM;
	t->name = strdup(name);
	t->sink = s;
	t->kind = kind;
	t->latched = latched;
	err = t->name ? s->ops->add(s, t) : -ENOMEM;
	if (err) {
		free(t->name);
		free(t);
		return err;
	}
	t->next = s->topics;
	s->topics = t;
	*topic = t;
	return 0;
}

void sink_remove(struct sink_topic *t)
{
	struct sink_topic **at;

	if (!t)
		return;
	at = &t->sink->topics;
	while (*at != t)
		at = &(*at)->next;
	*at = t->next;
	t->sink->ops->remove(t);
	free(t->name);
	free(t);
}

int sink_publish(struct sink_topic *t, int64_t received,
		 const union message *msg)
{
	int err = t->sink->ops->publish(t, received, msg);

	if (err)
		sink_drop(t->sink);
	return err;
}

uint64_t sink_dropped(const struct sink *s)
{
	return __atomic_load_n(&s->dropped, __ATOMIC_RELAXED);
}
