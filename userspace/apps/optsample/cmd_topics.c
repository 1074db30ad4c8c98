// SPDX-License-Identifier: GPL-2.0-only
/*
 * optsample topics - topics that are written now, and whether they would be
 * sampled: of DDS, and of UDPROS connections. Needs no root.
 */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "apps/optsample/callbacks.h"
#include "apps/optsample/commands.h"
#include "base/cli.h"
#include "base/error.h"
#include "base/ip_addr.h"
#include "bpf/ros_tag.h"
#include "netdev/netlink.h"
#include "netdev/origin.h"
#include "netdev/state.h"
#include "topics/rules.h"
#include "topics/topics.h"
#include "topics/udpros_watch.h"

enum { OPT_DOMAIN = 256, OPT_TOPICS, OPT_TYPES, OPT_SECONDS, OPT_MASTER };

static const struct argp_option topics_options[] = {
	{ "domain", OPT_DOMAIN, "N", 0, "DDS domain (ROS_DOMAIN_ID, else 0)", 1 },
	{ "seconds", OPT_SECONDS, "S", 0, "time to listen (3)", 1 },
	{ "master", OPT_MASTER, "URI", 0, "ROS 1 master (ROS_MASTER_URI; none)", 1 },
	{ "topics", OPT_TOPICS, "LIST", 0, "as for up", 2 },
	{ "types", OPT_TYPES, "LIST", 0, "as for up", 2 },
	{ 0 }
};

struct topics {
	uint32_t		domain;
	uint32_t		seconds;
	const char		*dev;
	int			ifindex;	/* of @dev; 0: any */
	const char		*master;
	struct topic_rules	rules;
	struct topic_list	list;
};

static error_t topics_parse(int key, char *arg, struct argp_state *state)
{
	struct topics *t = state->input;

	switch (key) {
	case OPT_DOMAIN:
		if (parse_u32(arg, 0, 232, &t->domain))
			return cli_error(-EINVAL, "domain must be 0..232");
		return 0;
	case OPT_SECONDS:
		if (parse_u32(arg, 1, 3600, &t->seconds))
			return cli_error(-EINVAL, "seconds must be 1..3600");
		return 0;
	case OPT_MASTER:
		t->master = arg;
		return 0;
	case OPT_TOPICS:
		t->rules.topics = arg;
		return 0;
	case OPT_TYPES:
		t->rules.types = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (t->dev)
			return cli_usage("topics", "one DEV only");
		t->dev = arg;
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static void topics_seen(void *arg, const struct topic *topic)
{
	struct topics *t = arg;

	*topic_get(&t->list, topic->guid) = *topic;
}

static void topics_gone(void *arg, const uint8_t *guid)
{
	struct topics *t = arg;

	topic_drop(&t->list, guid);
}

static bool topics_foreign(void *arg, const struct ip_addr *a, int n)
{
	const struct topics *t = arg;

	return t->ifindex && origin_is_foreign(a, n, t->ifindex);
}

static int topics_compare(const void *a, const void *b)
{
	return strcmp(((const struct topic *)a)->name,
		      ((const struct topic *)b)->name);
}

static bool topics_is_udpros(const struct topic *topic)
{
	return ((const struct ros_guid *)topic->guid)->entity ==
	       ROS_ENTITY_UDPROS;
}

/* What follows "sampled" */
static const char *topics_remark(const struct topic *topic)
{
	if (topic->newest)
		return ": a command, of which only the newest is kept, for 250 ms";
	/* Retransmission of a deep history defeats sampling. */
	if (topic->reliable && (!topic->depth || topic->depth > 10))
		return "; its history is so deep that the writer sends again what was left out";
	return "";
}

static void topics_print(const struct topics *t, struct topic *topic)
{
	const struct rule_list none = { 0 };
	const char *why;
	char name[TOPIC_NAME], type[TOPIC_NAME], guid[TOPIC_GUID_TEXT];
	char depth[16] = "all";

	rules_apply(&none, &t->rules, topic);
	why = topic->why_not;
	topic_ros_name(topic->name, name);
	topic_ros_type(topic->type, type);
	topic_guid_text(topic->guid, guid);
	if (topic->depth)
		snprintf(depth, sizeof(depth), "%d", topic->depth);
	if (topics_is_udpros(topic)) {
		printf("%s %s\n\tUDPROS, best effort%s%s\n\t%s%s\n", name,
		       type, *topic->format ? ", format " : "", topic->format,
		       why ? "not sampled: " : "sampled",
		       why ? why : topics_remark(topic));
		return;
	}
	printf("%s %s\n\t%s, %s%s, keep %s%s%s\n\t%s%s\n", name, type, guid,
	       topic->reliable ? "reliable" : "best effort",
	       topic->durable ? ", transient local" : "", depth,
	       *topic->format ? ", format " : "", topic->format,
	       why ? "not sampled: " : "sampled",
	       why ? why : topics_remark(topic));
}

int cmd_topics(int argc, char **argv)
{
	static const struct argp argp = {
		topics_options, topics_parse, "[DEV]",
		"List the topics that have writers now, and which of them "
		"would be sampled. Listens on interface DEV.", NULL, NULL, NULL
	};
	static const struct discovery_ops ops = {
		.topic = topics_seen,
		.topic_gone = topics_gone,
		.foreign = topics_foreign,
	};
	struct topics t = { .seconds = 3, .master = getenv("ROS_MASTER_URI") };
	struct udpros_watch *udpros = NULL;
	const char *why = NULL;
	struct discovery_config config = {
		.lease_s = 10, .log = callback_log,
	};
	char own[IFNAMSIZ];
	struct error error;
	struct discovery *d;
	time_t end;

	t.domain = topics_domain();
	if (cli_parse(&argp, argc, argv, &t))
		return -EINVAL;
	if (t.dev)
		t.dev = state_name(t.dev, own);
	t.ifindex = t.dev ? netlink_ifindex(t.dev) : 0;
	config.domain = t.domain;
	config.dev = t.dev;
	d = discovery_open(&config, &error);
	if (!d)
		return cli_error(-EIO, "cannot enter DDS domain %u: %s",
				 t.domain, error.text);
	if (t.master && *t.master) {
		udpros = udpros_watch_open(t.master, UDPROS_WATCH_MS,
					   &error);
		if (!udpros)
			cli_error(0, "%s", error.text);
	}
	end = time(NULL) + t.seconds;
	while (time(NULL) < end) {
		discovery_poll(d, 200, &ops, &t);
		if (udpros)
			why = udpros_watch_poll(udpros, &ops, &t);
	}
	if (why)
		cli_warn("%s", why);
	if (t.list.n)
		qsort(t.list.v, t.list.n, sizeof(*t.list.v), topics_compare);
	for (size_t i = 0; i < t.list.n; i++)
		topics_print(&t, &t.list.v[i]);
	if (!t.list.n)
		printf("no topics in domain %u\n", t.domain);
	udpros_watch_close(udpros);
	topic_free(&t.list);
	discovery_close(d);
	return 0;
}
