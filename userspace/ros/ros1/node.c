// SPDX-License-Identifier: GPL-2.0-only
/*
 * node.c - a ROS 1 node: create, run, destroy
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "node.h"

enum {
	MESSAGE_MAX	= 64 << 20,
	LEAVE_MS	= 1000,		/* for an answer of the master */
	LEAVE_ALL_MS	= 10000,
};

/* Return: 0 or negative errno; ros1_destroy() cleans up */
static int node_open(struct ros1 *r, const struct ros1_config *c)
{
	const char *master = c->master;
	int err;

	if (!master)
		master = getenv("ROS_MASTER_URI");
	if (!master || !*master)
		master = "http://localhost:11311";
	r->name = strdup(c->node);
	if (!r->name)
		return -ENOMEM;
	err = master_open(r, master);
	if (err)
		return err;
	if (c->host)
		strcpy(r->host, c->host);
	else
		host_self(&r->hosts, &r->master.uri, r->host);
	err = listener_open(r, &r->xmlrpc, server_came);
	if (!err)
		err = listener_open(r, &r->tcpros, sink_came);
	snprintf(r->uri, sizeof(r->uri), "http://%s:%u/", r->host,
		 r->xmlrpc.port);
	return err;
}

int ros1_create(struct ros1 **result, const struct ros1_config *c)
{
	struct ros1 *r;
	int err;

	if (!node_valid_name(c->node) || c->message_max > UINT32_MAX - 4 ||
	    (c->host && (!*c->host || strlen(c->host) >= HOST_MAX)))
		return -EINVAL;
	r = calloc(1, sizeof(*r));
	if (!r)
		return -ENOMEM;
	err = poller_open(&r->poller);
	if (err) {
		free(r);
		return err;
	}
	r->message_max = c->message_max ? c->message_max : MESSAGE_MAX;
	r->log = c->log;
	r->shutdown = c->shutdown;
	r->arg = c->arg;
	err = node_open(r, c);
	if (err) {
		ros1_destroy(r);
		return err;
	}
	*result = r;
	return 0;
}

/* Wait until the master knows, or does not answer any more. */
static void node_leave(struct ros1 *r)
{
	uint64_t now = poller_now(), end = now + LEAVE_MS;
	const uint64_t last = now + LEAVE_ALL_MS;
	const struct leaving *asked = r->master.leaving;
	struct pollfd p = { .fd = r->poller.epoll, .events = POLLIN };
	int wait;

	while (!master_has_left(r) && now < end) {
		wait = ros1_timeout(r);
		if (wait < 0 || (uint64_t)wait > end - now)
			wait = (int)(end - now);
		poll(&p, 1, wait);
		ros1_run(r);
		now = poller_now();
		if (r->master.leaving == asked)
			continue;
		asked = r->master.leaving;
		end = now + LEAVE_MS < last ? now + LEAVE_MS : last;
	}
}

void ros1_destroy(struct ros1 *r)
{
	if (!r)
		return;
	while (r->topics) {
		if (r->topics->publishes)
			ros1_unadvertise(pub_of(r->topics));
		else
			ros1_unsubscribe(sub_of(r->topics));
	}
	r->shutdown = NULL;
	node_leave(r);
	while (r->strangers)
		sink_free(r->strangers);
	server_close(r);
	master_close(r);
	poller_close(&r->poller);
	free(r->name);
	free(r);
}

int ros1_fd(const struct ros1 *r)
{
	return r->poller.epoll;
}

int ros1_timeout(const struct ros1 *r)
{
	return poller_timeout(&r->poller);
}

void ros1_run(struct ros1 *r)
{
	poller_run(&r->poller);
}
