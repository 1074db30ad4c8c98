// SPDX-License-Identifier: GPL-2.0-only
/*
 * ros1 - a node of ros1c in the loop of a source or a sink
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/error.h"
#include "ros/io/ros1.h"

static struct ros1_end *ends;

bool ros1_end_is_own(const char *callerid)
{
	const struct ros1_end *e = ends;

	while (e && strcmp(e->name, callerid))
		e = e->next;
	return e;
}

void ros1_end_due(struct ros1_end *e)
{
	int ms = ros1_timeout(e->node);

	e->timer.due = ms < 0 ? LOOP_NEVER : loop_now() + ms * 1000000ULL;
}

static void ros1_on_ready(void *arg, uint32_t events)
{
	struct ros1_end *e = arg;

	(void)events;
	ros1_run(e->node);
	ros1_end_due(e);
}

static void ros1_on_time(void *arg, uint64_t now)
{
	(void)now;
	ros1_on_ready(arg, 0);
}

int ros1_end_open(struct ros1_end *e, struct loop *loop, const char *master,
		  const char *name,
		  void (*log)(void *arg, int priority, const char *line),
		  void *arg, struct error *error)
{
	struct ros1_config config = {
		.master = master, .node = e->name, .log = log, .arg = arg,
		.message_max = 128 << 20,
	};
	int err;

	name = name ? name : "optsample";
	memset(e, 0, sizeof(*e));
	snprintf(e->name, sizeof(e->name), "%s%s", *name == '/' ? "" : "/",
		 name);
	err = master && !*master ? -EINVAL : ros1_create(&e->node, &config);
	if (err == -EINVAL)
		return error_set(
			error, err,
			"invalid ROS master URI '%s' (http://HOST:PORT) or "
			"node name '%s'",
			master ? master : "ROS_MASTER_URI", e->name);
	if (err)
		return error_set(error, err, "ROS 1: %s", strerror(-err));
	e->loop = loop;
	e->watch.ready = ros1_on_ready;
	e->watch.arg = e;
	err = loop_watch(loop, &e->watch, ros1_fd(e->node), EPOLLIN);
	if (err) {
		ros1_destroy(e->node);
		return error_set(error, err, "ROS 1: %s", strerror(-err));
	}
	e->timer.expired = ros1_on_time;
	e->timer.arg = e;
	ros1_end_due(e);
	loop_add_timer(loop, &e->timer);
	e->next = ends;
	ends = e;
	return 0;
}

void ros1_end_close(struct ros1_end *e)
{
	struct ros1_end **at = &ends;

	while (*at != e)
		at = &(*at)->next;
	*at = e->next;
	loop_remove_timer(e->loop, &e->timer);
	loop_unwatch(e->loop, &e->watch);
	ros1_destroy(e->node);
}
