// SPDX-License-Identifier: GPL-2.0-only
/*
 * master.c - registers topics with the master, detects its restart
 *
 * One call at a time. A restarted master has empty tables and does not say so:
 * it is asked every few seconds for its process id and for our name.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "node.h"

static const char *const master_methods[2][2] = {
	{ "registerSubscriber", "unregisterSubscriber" },
	{ "registerPublisher", "unregisterPublisher" },
};

/* Start a call; if that fails, try again later */
static void master_call(struct ros1 *r, const char *method,
			xmlrpc_value *params, call_done done)
{
	struct master *m = &r->master;
	int err = call_start(r, &m->uri, method, params, done, r, &m->call);

	if (err)
		done(r, err, err == -ENOENT ? "unknown host" :
		     strerror(-err), NULL);
}

/* After every call. Return: whether the master answered at all */
static bool master_answered(struct ros1 *r, int err, const char *words)
{
	struct master *m = &r->master;

	m->call = NULL;
	if (!err || err == -EREMOTEIO) {
		if (m->error_logged)
			node_log(r, LOG_INFO, "the ROS master at http://%s:%u "
				 "answers", m->uri.host, m->uri.port);
		m->answers = true;
		m->error_logged = false;
		m->backoff = 0;
		return true;
	}
	if (!m->error_logged)
		node_log(r, LOG_WARNING, "the ROS master at http://%s:%u does "
			 "not answer (%s): retrying", m->uri.host,
			 m->uri.port, words);
	m->error_logged = true;
	m->answers = false;
	m->check = 0;		/* it may have restarted meanwhile */
	m->backoff = backoff_next(m->backoff);
	m->wake.deadline = poller_now() + m->backoff;
	return false;
}

/* The master was restarted and does not know us. */
static void master_is_new(struct ros1 *r)
{
	struct registration *g;
	bool some = false;

	for (g = r->topics; g; g = g->next) {
		some |= g->known;
		g->known = false;
		g->refused = false;
	}
	if (some)
		node_log(r, LOG_INFO, "the ROS master was restarted: "
			 "registering again");
}

static void master_go_on(struct ros1 *r);

static void master_registered(void *arg, int err, const char *words,
			      xmlrpc_value *value)
{
	struct ros1 *r = arg;
	struct registration *g = r->master.asked;

	r->master.asked = NULL;
	if (!master_answered(r, err, words))
		return;
	if (g) {
		g->known = true;
		if (err && !g->refused) {
			g->refused = true;
			node_log(r, LOG_ERR,
				 "%s: rejected by the ROS master: %s",
				 g->topic, words);
		}
		/* Updates may be newer than this list: only add. */
		if (!err && g->publishers)
			g->publishers(g, value);
	}
	master_go_on(r);
}

static void master_forgot(void *arg, int err, const char *words,
			  xmlrpc_value *value)
{
	struct ros1 *r = arg;
	struct leaving *l = r->master.leaving;

	(void)value;
	assert(l);
	if (!master_answered(r, err, words))
		return;
	r->master.leaving = l->next;
	free(l);
	master_go_on(r);
}

static void master_looked_up(void *arg, int err, const char *words,
			     xmlrpc_value *value)
{
	struct ros1 *r = arg;
	xmlrpc_value *list = NULL;
	char *uri = NULL;

	if (!master_answered(r, err, words))
		return;
	if (!err) {
		list = xml_build("(V)", value);
		uri = xml_string(list, 0);
	}
	if (err)
		master_is_new(r);
	else if (uri && strcmp(uri, r->uri) && r->shutdown)
		r->shutdown(r->arg,
			    "another node registered with the same name");
	free(uri);
	xml_put(list);
	master_go_on(r);
}

static bool master_knows_some(const struct ros1 *r)
{
	const struct registration *g;

	for (g = r->topics; g; g = g->next)
		if (g->known && !g->refused)
			return true;
	return false;
}

static void master_has_pid(void *arg, int err, const char *words,
			   xmlrpc_value *value)
{
	struct ros1 *r = arg;
	struct master *m = &r->master;
	xmlrpc_value *list;
	int pid;

	if (!master_answered(r, err, words))
		return;
	m->check = poller_now() + MASTER_CHECK_MS;
	if (!err) {
		list = xml_build("(V)", value);
		pid = xml_int(list, 0, 0);
		xml_put(list);
		if (m->pid && m->pid != pid)
			master_is_new(r);
		m->pid = pid;
	}
	/* Two masters in containers can have the same pid. */
	if (master_knows_some(r))
		master_call(r, "lookupNode", xml_build("(ss)", r->name,
						       r->name),
			    master_looked_up);
	else
		master_go_on(r);
}

/* Something changed: do the next step */
static void master_go_on(struct ros1 *r)
{
	struct master *m = &r->master;
	struct leaving *l = m->leaving;
	struct registration *g;

	if (m->call || (m->backoff && m->wake.deadline))
		return;
	for (g = r->topics; g && g->known; g = g->next)
		;
	if (m->check <= poller_now()) {
		master_call(r, "getPid", xml_build("(s)", r->name),
			    master_has_pid);
	} else if (l) {
		master_call(r, master_methods[l->publishes][1],
			    xml_build("(sss)", r->name, l->topic, r->uri),
			    master_forgot);
	} else if (g) {
		m->asked = g;
		master_call(r, master_methods[g->publishes][0],
			    xml_build("(ssss)", r->name, g->topic, g->type,
				      r->uri), master_registered);
	} else {
		m->wake.deadline = m->check;
	}
}

static void master_ready(struct watch *w, uint32_t events)
{
	(void)events;
	master_go_on(container_of(w, struct ros1, master.wake));
}

int master_open(struct ros1 *r, const char *uri)
{
	int err = uri_parse(uri, &r->master.uri);

	if (err)
		return err;
	err = poller_add(&r->poller, &r->master.wake, -1, 0, master_ready);
	r->master.wake.deadline = poller_now();
	return err;
}

void master_close(struct ros1 *r)
{
	struct leaving *l;

	call_cancel(r->master.call);
	poller_remove(&r->poller, &r->master.wake);
	while ((l = r->master.leaving)) {
		r->master.leaving = l->next;
		free(l);
	}
}

int master_enter(struct registration *g, struct ros1 *r, const char *topic,
		 const char *type, const char *md5, bool publishes)
{
	struct registration **last = &r->topics;

	if (!node_valid_name(topic) || !type || !*type || !md5 || !*md5)
		return -EINVAL;
	if (master_find(r, topic, publishes))
		return -EEXIST;
	g->node = r;
	g->publishes = publishes;
	g->topic = strdup(topic);
	g->type = strdup(type);
	g->md5 = strdup(md5);
	if (!g->topic || !g->type || !g->md5) {
		free(g->topic);
		free(g->type);
		free(g->md5);
		return -ENOMEM;
	}
	while (*last)
		last = &(*last)->next;
	*last = g;
	/* The caller has not finished yet: do not call from here. */
	if (!r->master.call && !r->master.backoff)
		r->master.wake.deadline = poller_now();
	return 0;
}

/* Unregister @g; without memory the master finds out by itself. */
static void master_forget(struct registration *g)
{
	struct master *m = &g->node->master;
	struct leaving *l, **last = &m->leaving;
	size_t n = strlen(g->topic) + 1;

	l = malloc(sizeof(*l) + n);
	if (!l)
		return;
	memcpy(l->topic, g->topic, n);
	l->publishes = g->publishes;
	l->next = NULL;
	while (*last)
		last = &(*last)->next;
	*last = l;
	if (!m->call && !m->backoff)
		m->wake.deadline = poller_now();
}

void master_leave(struct registration *g)
{
	struct registration **p = &g->node->topics;

	while (*p != g)
		p = &(*p)->next;
	*p = g->next;
	if (g->known || g->node->master.asked == g)
		master_forget(g);
	if (g->node->master.asked == g)
		g->node->master.asked = NULL;
	free(g->topic);
	free(g->type);
	free(g->md5);
}

bool master_has_left(const struct ros1 *r)
{
	return !r->master.leaving || !r->master.answers;
}

struct registration *master_find(struct ros1 *r, const char *topic,
				 bool publishes)
{
	struct registration *g;

	for (g = r->topics; g; g = g->next)
		if (g->publishes == publishes && !strcmp(g->topic, topic))
			return g;
	return NULL;
}
