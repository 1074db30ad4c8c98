// SPDX-License-Identifier: GPL-2.0-only
/*
 * ros1_topics - list the published topics, by the ROS 1 master
 *
 * A separate call next to those of the node; the node reports a master that
 * does not answer.
 */
#include <stdlib.h>
#include "ros/io/ros1_topics.h"
#include "ros/ros1/node.h"

struct ros1_topics {
	struct ros1	*node;
	struct call	*call;
	void		(*topic)(void *arg, const char *name, const char *type);
	void		*arg;
};

struct ros1_topics *ros1_topics_open(struct ros1 *node,
				     void (*topic)(void *arg, const char *name,
						   const char *type),
				     void *arg)
{
	struct ros1_topics *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->node = node;
	t->topic = topic;
	t->arg = arg;
	return t;
}

/* [[name, type], ...] */
static void on_answer(void *arg, int err, const char *words,
		      xmlrpc_value *value)
{
	struct ros1_topics *t = arg;

	(void)words;
	t->call = NULL;
	for (int i = 0; !err && i < xml_size(value); i++) {
		xmlrpc_value *pair = xml_item(value, i);
		char *name = xml_string(pair, 0);
		char *type = xml_string(pair, 1);

		if (name && type)
			t->topic(t->arg, name, type);
		free(name);
		free(type);
		xml_put(pair);
	}
}

void ros1_topics_ask(struct ros1_topics *t)
{
	xmlrpc_value *params;

	if (t->call)
		return;
	params = xml_build("(ss)", t->node->name, "");
	if (call_start(t->node, &t->node->master.uri, "getPublishedTopics",
		       params, on_answer, t, &t->call))
		t->call = NULL;
}

void ros1_topics_close(struct ros1_topics *t)
{
	if (!t)
		return;
	call_cancel(t->call);
	free(t);
}
