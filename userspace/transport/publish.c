// SPDX-License-Identifier: GPL-2.0-only
/*
 * publish - publish messages to all sinks, by name
 */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <time.h>
#include "base/error.h"
#include "base/service.h"
#include "transport/publish.h"

#define SECOND	1000000000LL

enum {
	SINKS	= 8,
	TOPICS	= PUBLISH_TOPICS,
};

struct topic {
	char			*name;
	enum message_kind	kind;
	bool			logged;	/* a second kind was logged */
	int64_t			used;	/* arrival of its last message */
	struct sink_topic	*at[SINKS];
};

struct publish {
	struct sink	*sink[SINKS];
	unsigned int	sinks, topics;
	bool		full;
	uint64_t	refused;	/* messages without a topic */
	struct topic	topic[TOPICS];
	void		(*heard)(void *arg, const char *name,
				 enum message_kind kind, int64_t received,
				 const union message *msg);
	void		*arg;
};

struct publish *publish_create(void)
{
	return calloc(1, sizeof(struct publish));
}

/* The last topic moves to the free place */
static void publish_withdraw(struct publish *p, struct topic *t)
{
	assert(t >= p->topic && t < p->topic + p->topics);
	for (unsigned int s = 0; s < p->sinks; s++)
		if (t->at[s])
			sink_remove(t->at[s]);
	free(t->name);
	*t = p->topic[--p->topics];
	memset(&p->topic[p->topics], 0, sizeof(*t));
}

void publish_destroy(struct publish *p)
{
	if (!p)
		return;
	while (p->topics)
		publish_withdraw(p, &p->topic[p->topics - 1]);
	for (unsigned int s = 0; s < p->sinks; s++)
		sink_close(p->sink[s]);
	free(p);
}

int publish_add(struct publish *p, struct loop *l, const char *spec,
		const char *node, struct error *error)
{
	char dated[512];
	const struct sink_config config = {
		.spec = dated, .name = node, .log = service_log,
		.threaded = true,
	};
	time_t now = time(NULL);
	int ret;

	/* a restarted recorder begins another recording */
	if (!strftime(dated, sizeof(dated), spec, localtime(&now)))
		return error_set(error, -ENAMETOOLONG,
				 "%.100s: name too long", spec);

	if (p->sinks == SINKS)
		return error_set(error, -E2BIG, "%s: at most %d sinks",
				 spec, SINKS);
	ret = sink_open(&p->sink[p->sinks], l, &config, error);
	if (!ret)
		p->sinks++;
	return ret;
}

void publish_listen(struct publish *p,
		    void (*heard)(void *arg, const char *name,
				  enum message_kind kind, int64_t received,
				  const union message *msg), void *arg)
{
	p->heard = heard;
	p->arg = arg;
}

/* Make room for a topic: those of robots that left are replaced */
static bool publish_has_room(struct publish *p, int64_t now)
{
	struct topic *oldest = p->topic;

	if (p->topics < TOPICS)
		return true;
	for (unsigned int i = 1; i < p->topics; i++)
		if (p->topic[i].used < oldest->used)
			oldest = &p->topic[i];
	if (now - oldest->used >= PUBLISH_IDLE * SECOND) {
		publish_withdraw(p, oldest);
		p->full = false;
		return true;
	}
	if (!p->full)
		service_logf(LOG_ERR,
			     "at most %d topics; others are dropped", TOPICS);
	p->full = true;
	return false;
}

static struct topic *publish_offer(struct publish *p, const char *name,
				   enum message_kind kind, int64_t now)
{
	struct topic *t;

	if (!publish_has_room(p, now))
		return NULL;
	t = &p->topic[p->topics];
	t->name = strdup(name);
	if (!t->name)
		return NULL;
	t->kind = kind;
	for (unsigned int s = 0; s < p->sinks; s++) {
		int ret = sink_add(p->sink[s], name, kind,
				   message_is_latched(kind, name), &t->at[s]);

		if (!ret)
			continue;
		t->at[s] = NULL;
		service_logf(LOG_ERR, "%s: cannot advertise: %s", name,
			     strerror(-ret));
	}
	p->topics++;
	return t;
}

static struct topic *publish_find(struct publish *p, const char *name)
{
	for (unsigned int i = 0; i < p->topics; i++)
		if (!strcmp(p->topic[i].name, name))
			return &p->topic[i];
	return NULL;
}

int publish_message(struct publish *p, const char *name,
		    enum message_kind kind, int64_t received,
		    const union message *msg)
{
	struct topic *t = publish_find(p, name);
	int ret = 0;

	if (!t)
		t = publish_offer(p, name, kind, received);
	if (!t) {
		p->refused++;
		return -ENOSPC;
	}
	assert(p->sinks <= SINKS && p->topics <= TOPICS);
	t->used = received;
	if (t->kind != kind) {
		if (!t->logged)
			service_logf(LOG_ERR,
				     "%s: type changed from %s to %s; messages "
				     "dropped", name,
				     message_type(t->kind, MESSAGE_CDR),
				     message_type(kind, MESSAGE_CDR));
		t->logged = true;
		p->refused++;
		return -EPROTOTYPE;
	}
	if (p->heard)
		p->heard(p->arg, name, kind, received, msg);
	for (unsigned int s = 0; s < p->sinks; s++) {
		int err = -ENODEV;

		if (t->at[s])
			err = sink_publish(t->at[s], received, msg);
		else
			p->refused++;
		if (err)
			ret = err;
	}
	return ret;
}

uint64_t publish_refused(const struct publish *p)
{
	uint64_t refused = p->refused;

	for (unsigned int s = 0; s < p->sinks; s++)
		refused += sink_dropped(p->sink[s]);
	return refused;
}
