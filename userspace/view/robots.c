// SPDX-License-Identifier: GPL-2.0-only
/*
 * robots - which robot a topic is of
 */
#include <stdio.h>
#include <string.h>
#include "transport/diagnose.h"
#include "view/robots.h"

bool robots_set(struct robots *r, const char *topic, const char *robot)
{
	struct robots_label new, *l;
	unsigned int i;

	snprintf(new.topic, sizeof(new.topic), "%s", topic);
	snprintf(new.robot, sizeof(new.robot), "%s", robot);
	for (i = 0; i < r->labels && strcmp(r->label[i].topic, new.topic); i++)
		;
	l = &r->label[i];
	if (i == ROBOTS_TOPICS ||
	    (i < r->labels && !strcmp(l->robot, new.robot)))
		return false;
	*l = new;
	r->labels += i == r->labels;
	return true;
}

const char *robots_find(const struct robots *r, const char *topic)
{
	const char *best = NULL;
	size_t longest = 0;

	for (unsigned int i = 0; i < r->labels; i++) {
		const struct robots_label *l = &r->label[i];
		const size_t n = strlen(l->topic);

		if (n <= longest || strncmp(l->topic, topic, n) ||
		    (topic[n] && topic[n] != '/'))
			continue;
		best = l->robot;
		longest = n;
	}
	return best;
}

struct robots_reading {
	struct robots	*robots;
	struct board	*board;
};

static void robots_on_topic(void *arg, const char *name, const char *label)
{
	struct robots_reading *r = arg;

	if (robots_set(r->robots, name, label))
		board_assign(r->board, name, label);
}

static void robots_on_robot(void *arg, const char *label, uint64_t run,
			    const struct contact *c, int64_t now)
{
	struct robots_reading *r = arg;

	board_alive(r->board, label, run, c, now);
}

bool robots_read(struct robots *r, struct board *b,
		 const struct message_diagnostics *m, int64_t when)
{
	struct robots_reading reading = { r, b };
	const struct diagnose_reader reader = {
		.topic = robots_on_topic, .robot = robots_on_robot,
		.arg = &reading,
	};

	return diagnose_read(&reader, m, when);
}
