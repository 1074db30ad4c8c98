// SPDX-License-Identifier: GPL-2.0-only
/*
 * recv_command - commands of the console to robots
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "apps/optsample-recv/recv_command.h"
#include "base/cli.h"
#include "link/allocation.h"

/**
 * struct target - a topic of a robot
 * @name:	as its sender names it
 * @found:	number of topics with the name
 */
struct target {
	const struct stream	*stream;
	const char		*name;
	unsigned int		found;
};

static const char *parameter(const cJSON *parameters, const char *key)
{
	return cJSON_GetStringValue(
		cJSON_GetObjectItemCaseSensitive(parameters, key));
}

/* Active stream @i of a robot, or of any; @i is of receiver_stream() */
static const struct stream *recv_command_stream(const struct receiver *r,
						unsigned int *i,
						const char *robot)
{
	char label[CONTROL_WORD + 8];
	const struct stream *s;
	bool old;

	while ((s = receiver_stream(r, (*i)++, &old))) {
		receiver_label(r, s, label);
		if (!old && (!robot || !strcmp(label, robot)))
			return s;
	}
	return NULL;
}

/* Topics that are @published by that name; else that senders announce so */
static struct target recv_command_find(const struct receiver *r,
				       const char *topic, const char *robot,
				       bool published)
{
	struct target found = { NULL, NULL, 0 };
	const struct stream *s;

	for (unsigned int i = 0; (s = recv_command_stream(r, &i, robot));) {
		const struct recv_topic *t;

		for (unsigned int k = 0; (t = stream_topic(s, k)); k++) {
			const char *name = recv_topic_announcement(t)->name;
			char full[512];

			receiver_name(r, s, name, "", full);
			if (strcmp(published ? full : name, topic))
				continue;
			found.stream = s;
			found.name = name;
			found.found++;
		}
	}
	return found;
}

static int recv_command_target(const struct receiver *r,
			       const cJSON *parameters, struct target *t,
			       struct error *error)
{
	const char *topic = parameter(parameters, "topic");
	const char *robot = parameter(parameters, "robot");

	if (!topic || !*topic)
		return error_set(error, -EINVAL, "missing argument \"topic\"");
	*t = recv_command_find(r, topic, robot, true);
	if (!t->found)
		*t = recv_command_find(r, topic, robot, false);
	if (!t->found)
		return error_set(error, -ENOENT, "topic %.200s is not received",
				 topic);
	if (t->found > 1)
		return error_set(error, -EINVAL,
				 "several robots send %.150s; add robot=NAME",
				 topic);
	return 0;
}

static int recv_command_send(struct receiver *r, const struct stream *s,
			     uint8_t what, uint8_t value, const char *name,
			     struct error *error)
{
	struct control_command c = { .entries = 1 };

	c.entry[0].what = what;
	c.entry[0].value = value;
	snprintf(c.entry[0].name, sizeof(c.entry[0].name), "%s", name);
	return receiver_command(r, s, &c, error);
}

static int recv_no_focus(struct receiver *r, const char *robot,
			 struct error *error)
{
	const struct stream *s;
	unsigned int n = 0;
	int ret = 0;

	for (unsigned int i = 0; (s = recv_command_stream(r, &i, robot)); n++) {
		int err = recv_command_send(r, s, CONTROL_FOCUS, 0, "", error);

		ret = ret ? ret : err;
	}
	return n ? ret : error_set(error, -ENOENT, "%.200s is not received",
				   robot ? robot : "a robot");
}

int recv_focus(struct receiver *r, const cJSON *parameters,
	       struct error *error)
{
	struct target t;
	int ret;

	if (!parameter(parameters, "topic"))
		return recv_no_focus(r, parameter(parameters, "robot"), error);
	ret = recv_command_target(r, parameters, &t, error);
	return ret ? ret : recv_command_send(r, t.stream, CONTROL_FOCUS, 1,
					     t.name, error);
}

int recv_priority(struct receiver *r, const cJSON *parameters,
		  struct error *error)
{
	const char *value = parameter(parameters, "priority");
	uint32_t priority;
	struct target t;
	int ret;

	if (!value || parse_u32(value, 0, ALLOCATION_PRIORITY, &priority))
		return error_set(error, -EINVAL, "priority must be 0..%d",
				 ALLOCATION_PRIORITY);
	ret = recv_command_target(r, parameters, &t, error);
	return ret ? ret : recv_command_send(r, t.stream, CONTROL_PRIORITY,
					     priority, t.name, error);
}
