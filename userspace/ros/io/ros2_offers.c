// SPDX-License-Identifier: GPL-2.0-only
/*
 * ros2_offers.c - opens services one after the other
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "ros/io/ros2_graph.h"
#include "ros/io/ros2_offers.h"

/**
 * struct ros2_offers
 * @logged:	@config.log was called
 * @service:	as many as are open, at most @config.count
 */
struct ros2_offers {
	struct ros2_offers_config	config;
	struct ros2			*ros;
	struct ros2_graph		*graph;
	bool				logged;
	struct ros2_service		*service[];
};

static void offers_log(void *arg, const char *line)
{
	struct ros2_offers *o = arg;

	if (!o->logged && o->config.log)
		o->config.log(o->config.arg, line);
	o->logged = true;
}

static int offer(struct ros2_offers *o, struct loop *loop, unsigned int i,
		 struct error *error)
{
	const struct ros2_offers_config *c = &o->config;
	const char *name = c->offer[i].name;
	const struct ros2_service_config config = {
		.name = c->rename ? c->rename(c->arg, name) : name,
		.kind = c->offer[i].kind,
		.handle = c->offer[i].handle, .node = c->node,
		.log = offers_log, .log_arg = o,
		.malformed = c->malformed, .arg = c->arg,
	};

	return ros2_service_open(o->service + i, o->ros, loop, &config, error);
}

int ros2_offers_open(struct ros2_offers **offers, struct loop *loop,
		     const struct ros2_offers_config *config,
		     struct error *error)
{
	const char *domain = config->to + strlen("ros2");
	struct ros2_offers *o = calloc(1, sizeof(*o) + config->count *
						       sizeof(*o->service));
	int err;

	if (!o)
		return error_set(error, -ENOMEM, "no memory");
	o->config = *config;
	err = ros2_join(&o->ros, *domain ? domain + 1 : NULL, config->node,
			error);
	for (unsigned int i = 0; i < config->count && !err; i++)
		err = offer(o, loop, i, error);
	if (err) {
		ros2_offers_close(o);
		return err;
	}
	/* only needed to be visible in the ROS graph */
	if (ros2_graph_open(&o->graph, o->ros, config->node, error))
		offers_log(o, error->text);
	else
		ros2_graph_update(o->graph);
	*offers = o;
	return 0;
}

void ros2_offers_close(struct ros2_offers *o)
{
	if (!o)
		return;
	if (o->graph)
		ros2_graph_close(o->graph);
	for (unsigned int i = 0; i < o->config.count; i++)
		ros2_service_close(o->service[i]);
	if (o->ros)
		ros2_leave(o->ros);
	free(o);
}

struct ros2_service *ros2_offers_service(const struct ros2_offers *o,
					 enum service_kind kind)
{
	for (unsigned int i = 0; i < o->config.count; i++)
		if (o->config.offer[i].kind == kind)
			return o->service[i];
	return NULL;
}

struct ros2_service_stats ros2_offers_stats(const struct ros2_offers *o)
{
	struct ros2_service_stats sum = { 0 };

	for (unsigned int i = 0; o && i < o->config.count; i++) {
		const struct ros2_service_stats *s =
			ros2_service_stats(o->service[i]);

		sum.answered += s->answered;
		sum.fastdds += s->fastdds;
		sum.unserved += s->unserved;
		sum.malformed += s->malformed;
		sum.dropped += s->dropped;
	}
	return sum;
}
