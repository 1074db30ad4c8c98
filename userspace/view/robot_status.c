// SPDX-License-Identifier: GPL-2.0-only
/*
 * robot_status - what a robot says of its link and its topics
 */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/utf8.h"
#include "view/robot_status.h"

static void status_text(const struct message_string *s, char *to, size_t room)
{
	utf8_clean(s->text, s->len, to, room);
}

static const struct message_string *status_find(const struct message_status *s,
						const char *key)
{
	for (uint32_t i = 0; i < s->values; i++)
		if (message_string_is(&s->value[i].key, key))
			return &s->value[i].value;
	return NULL;
}

static double status_number(const struct message_status *s, const char *key)
{
	const struct message_string *v = status_find(s, key);
	char text[32];
	double d;

	if (!v)
		return 0;
	status_text(v, text, sizeof(text));
	d = strtod(text, NULL);
	return isfinite(d) ? d : 0;
}

static bool status_flag(const struct message_status *s, const char *key)
{
	const struct message_string *v = status_find(s, key);

	return v && (message_string_is(v, "yes") ||
		     message_string_is(v, "true") || message_string_is(v, "1"));
}

static void status_link(struct robot_status *r, const struct message_status *s)
{
	const struct message_string *state = status_find(s, "state");

	if (state)
		status_text(state, r->state, sizeof(r->state));
	r->rate = status_number(s, "rate");
	r->capacity = status_number(s, "capacity");
	r->loss = status_number(s, "loss");
	r->round_trip = status_number(s, "round_trip");
	r->queue = status_number(s, "queue");
	r->outages = status_number(s, "outages");
}

const struct robot_topic *robot_status_topic(const struct robot_status *s,
					     const char *name)
{
	for (unsigned int i = 0; i < s->topics; i++)
		if (!strcmp(s->topic[i].name, name))
			return &s->topic[i];
	return NULL;
}

static void status_topic(struct robot_status *r, const char *name,
			 const struct message_status *s)
{
	struct robot_topic *t = (void *)robot_status_topic(r, name);

	if (!t) {
		if (r->topics == ROBOT_TOPICS || strlen(name) >= ROBOT_NAME)
			return;
		assert(r->topics < ROBOT_TOPICS);
		t = &r->topic[r->topics++];
		strcpy(t->name, name);
	}
	t->priority = status_number(s, "priority");
	if (t->priority < 0 || t->priority > 7)
		t->priority = 0;
	t->focus = status_flag(s, "focus");
	t->on = status_flag(s, "on");
	t->hz = status_number(s, "hz");
	t->share = status_number(s, "share");
}

bool robot_status_read(struct robot_status *r,
		       const struct message_diagnostics *m, int64_t t)
{
	static const char prefix[] = "topic ";
	bool any = false;

	for (uint32_t i = 0; i < m->statuses; i++) {
		const struct message_status *s = &m->status[i];
		char name[ROBOT_NAME + sizeof(prefix)];

		status_text(&s->name, name, sizeof(name));
		if (!strcmp(name, "link"))
			status_link(r, s);
		else if (!strncmp(name, prefix, sizeof(prefix) - 1))
			status_topic(r, name + sizeof(prefix) - 1, s);
		else
			continue;
		any = true;
	}
	if (any) {
		r->t = t;
		r->changes++;
	}
	return any;
}
