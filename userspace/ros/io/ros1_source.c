// SPDX-License-Identifier: GPL-2.0-only
/*
 * ros1_source - messages of ROS 1 nodes
 *
 * Other topics are listed by the master. It sends no notifications, so it is
 * polled every two seconds.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include "base/error.h"
#include "ros/io/ros1.h"
#include "ros/io/ros1_topics.h"
#include "ros/io/source_ops.h"

enum { FOUND = 4096 };	/* topics that found() was called for, at most */

static const uint64_t period = 2000000000;	/* ns */

/**
 * struct topic - a subscribed topic
 * @kind:	-1: by its publishers
 * @left:	was unsubscribed within a callback of the node
 */
struct topic {
	struct topic		*next;
	struct ros1_source	*source;
	struct ros1_sub		*sub;
	char			*name;
	int			kind;
	bool			logged, left;
};

struct ros1_source {
	struct source		s;
	struct ros1_end		end;
	struct ros1_topics	*list;
	struct topic		*topics;
	struct loop_timer	ask, sweep;
	char			*found[FOUND];
	unsigned int		count;
};

static struct ros1_source *ros1_of(struct source *s)
{
	return (struct ros1_source *)s;
}

static struct topic *ros1_source_find_topic(const struct ros1_source *s,
					    const char *name)
{
	struct topic *t = s->topics;

	while (t && (t->left || strcmp(t->name, name)))
		t = t->next;
	return t;
}

static void ros1_source_on_message(void *arg, const void *bytes, size_t len,
				   const struct ros1_publisher *from)
{
	struct topic *t = arg;
	struct source *s = &t->source->s;
	int kind = message_any_kind_of(from->type);
	struct source_message m = {
		.topic = t->name, .kind = kind, .format = MESSAGE_ROS1,
		.data = bytes, .len = len, .stamp = io_now(),
	};

	if (t->left || ros1_end_is_own(from->callerid))
		return;
	if (kind >= 0 && (t->kind == kind ||
			  (t->kind < 0 && kind < MESSAGE_KINDS))) {
		t->kind = kind;
		s->config.message(s->config.arg, &m);
	} else if (!t->logged) {
		t->logged = true;
		source_log(s, LOG_WARNING, "%s ignored: %s", t->name,
			   kind < 0 ? "unsupported type" :
			   message_type(kind, MESSAGE_ROS1));
	}
}

static bool ros1_source_was_found(const struct ros1_source *s, const char *name)
{
	for (unsigned int i = 0; i < s->count; i++)
		if (!strcmp(s->found[i], name))
			return true;
	return false;
}

static void ros1_source_on_topic(void *arg, const char *name, const char *type)
{
	struct ros1_source *s = arg;
	int kind = message_kind_of(type);
	char *copy;

	if (kind < 0 || !io_valid_name(name) ||
	    ros1_source_find_topic(s, name) || ros1_source_was_found(s, name) ||
	    s->count == FOUND)
		return;
	copy = strdup(name);
	if (!copy)
		return;
	assert(s->count < FOUND);
	s->found[s->count++] = copy;
	s->s.config.found(s->s.config.arg, name, kind);
}

static void on_ask(void *arg, uint64_t now)
{
	struct ros1_source *s = arg;

	s->ask.due = now + period;
	ros1_topics_ask(s->list);
	ros1_end_due(&s->end);
}

static void ros1_source_free_topic(struct topic *t)
{
	free(t->name);
	free(t);
}

/* The node cannot unsubscribe within its own callbacks */
static void on_sweep(void *arg, uint64_t now)
{
	struct ros1_source *s = arg;

	(void)now;
	for (struct topic **at = &s->topics; *at; ) {
		struct topic *t = *at;

		if (!t->left) {
			at = &t->next;
			continue;
		}
		*at = t->next;
		assert(t->sub && t->source == s);
		ros1_unsubscribe(t->sub);
		ros1_source_free_topic(t);
	}
	ros1_end_due(&s->end);
}

static void add_timer(struct ros1_source *s, struct loop_timer *t,
		      void (*expired)(void *arg, uint64_t now), uint64_t due)
{
	t->expired = expired;
	t->arg = s;
	t->due = due;
	loop_add_timer(s->s.loop, t);
}

static void ros1_source_close(struct source *source)
{
	struct ros1_source *s = ros1_of(source);
	struct topic *t;

	loop_remove_timer(s->s.loop, &s->ask);
	loop_remove_timer(s->s.loop, &s->sweep);
	ros1_topics_close(s->list);
	ros1_end_close(&s->end);
	while ((t = s->topics)) {
		s->topics = t->next;
		ros1_source_free_topic(t);
	}
	while (s->count)
		free(s->found[--s->count]);
	free(s);
}

static int ros1_source_open(struct source **result, struct loop *loop,
			    const char *rest,
			    const struct source_config *config,
			    struct error *error)
{
	struct ros1_source *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return error_set(error, -ENOMEM, "no memory");
	s->s.ops = &ros1_source_ops;
	s->s.loop = loop;
	s->s.config = *config;
	err = ros1_end_open(&s->end, loop, rest, config->name, config->log,
			    config->arg, error);
	if (err) {
		free(s);
		return err;
	}
	add_timer(s, &s->ask, on_ask, config->found ? 0 : LOOP_NEVER);
	add_timer(s, &s->sweep, on_sweep, LOOP_NEVER);
	s->list = ros1_topics_open(s->end.node, ros1_source_on_topic, s);
	if (!s->list) {
		ros1_source_close(&s->s);
		return error_set(error, -ENOMEM, "no memory");
	}
	*result = &s->s;
	return 0;
}

static int ros1_source_subscribe(struct source *source, const char *name,
				 int kind, bool all)
{
	struct ros1_source *s = ros1_of(source);
	struct topic *t;
	int err;

	(void)all;
	if (ros1_source_find_topic(s, name))
		return -EEXIST;
	/* topics unsubscribed in this turn are still there */
	for (t = s->topics; t; t = t->next)
		if (t->kind == kind && !strcmp(t->name, name)) {
			t->left = false;
			return 0;
		}
	t = calloc(1, sizeof(*t));
	if (t)
		t->name = strdup(name);
	if (!t || !t->name) {
		free(t);
		return -ENOMEM;
	}
	t->source = s;
	t->kind = kind;
	err = ros1_subscribe(s->end.node, name,
			     kind < 0 ? "*" : message_type(kind, MESSAGE_ROS1),
			     kind < 0 ? "*" : message_md5(kind), ROS1_TCP,
			     ros1_source_on_message, t, &t->sub);
	if (err) {
		ros1_source_free_topic(t);
		return err;
	}
	t->next = s->topics;
	s->topics = t;
	ros1_end_due(&s->end);
	return 0;
}

static void ros1_source_unsubscribe(struct source *source, const char *name)
{
	struct ros1_source *s = ros1_of(source);
	struct topic *t = ros1_source_find_topic(s, name);

	if (!t)
		return;
	t->left = true;
	s->sweep.due = 0;
}

const struct source_ops ros1_source_ops = {
	.open		= ros1_source_open,
	.subscribe	= ros1_source_subscribe,
	.unsubscribe	= ros1_source_unsubscribe,
	.close		= ros1_source_close,
};
