// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters of the qdisc, and names of its flows from the classifier's map
 * `flows` and the daemon's list of topics.
 */
#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "apps/optsample/stats.h"
#include "base/cli.h"
#include "base/error.h"
#include "bpf/ros_tag.h"
#include "netdev/classifier.h"
#include "netdev/netlink.h"
#include "netdev/stack.h"
#include "netdev/state.h"
#include "topics/topics.h"

static void stats_warn(struct dev_stats *s, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void stats_warn(struct dev_stats *s, const char *format, ...)
{
	char *text, *all;
	va_list args;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		abort();
	va_end(args);
	if (s->warnings) {
		if (asprintf(&all, "%s; %s", s->warnings, text) < 0)
			abort();
		free(s->warnings);
		free(text);
		text = all;
	}
	s->warnings = text;
}

static void stats_names(struct dev_stats *s)
{
	struct topic_list topics = { 0 };
	char path[STATE_PATH], pins[CLASSIFIER_PATH], *warnings;
	const struct topic *t;
	int map;

	state_path(s->dev, "topics", path);
	topic_load(path, &topics, &s->left_out, &warnings);
	if (warnings)
		stats_warn(s, "%s", warnings);
	free(warnings);
	classifier_pins(s->dev, pins);
	map = classifier_map(pins, "flows");
	for (size_t i = 0; map >= 0 && i < s->nflows; i++) {
		struct flow_stats *f = &s->flow[i];

		if (bpf_map_lookup_elem(map, &f->st.flow, &f->flow))
			continue;
		f->named = true;
		t = topic_find(&topics, (void *)&f->flow.name.writer);
		if (!t)
			continue;
		snprintf(f->topic, sizeof(f->topic), "%s", t->name);
		snprintf(f->type, sizeof(f->type), "%s", t->type);
	}
	if (map >= 0)
		close(map);
	topic_free(&topics);
}

/* Check that the setup of `up` is complete; nothing to check without `up` */
static void stats_health(struct dev_stats *s)
{
	char why[STACK_WHY] = "was not set up completely";
	struct state st;
	bool whole, runs;

	if (state_load(s->dev, &st))
		return;
	if (!state_is_here(&st)) {
		state_free(&st);
		return;
	}
	snprintf(s->lower, IFNAMSIZ, "%s", st.stack.lower);
	s->own = st.stack.own;
	whole = stack_is_whole(&st.stack, why) && st.ready;
	runs = state_pid_of(s->dev) > 0;
	if (!whole)
		stats_warn(s, "%s %s", s->dev, why);
	if (!runs)
		stats_warn(s, "discovery is not running");
	if ((!whole || !runs) && netlink_ifindex(stack_link(&st.stack)))
		stats_warn(s, "run 'optsample up %s' again", s->dev);
	state_free(&st);
}

static int stats_compare(const void *a, const void *b)
{
	const struct flow_stats *x = a, *y = b;
	int order = strcmp(x->topic, y->topic);

	if (order)
		return order;
	return x->classid < y->classid ? -1 : x->classid > y->classid;
}

static void stats_flows(struct dev_stats *s)
{
	const struct queue_stats *q = &s->queue;

	s->nflows = q->nclasses;
	s->flow = calloc(q->nclasses + 1, sizeof(*s->flow));
	if (!s->flow)
		abort();
	for (size_t i = 0; i < q->nclasses; i++) {
		s->flow[i].classid = q->classes[i].classid;
		s->flow[i].st = q->classes[i].st;
	}
}

int stats_read(const char *dev, struct dev_stats *s)
{
	struct error error;
	int err;

	memset(s, 0, sizeof(*s));
	snprintf(s->dev, IFNAMSIZ, "%.15s", dev);
	err = queue_stats_find(dev, &s->queue, &error);
	if (err == -ENOENT) {
		stats_health(s);
		return cli_error(err, "%s", s->warnings ? s->warnings : error.text);
	}
	if (!err)
		err = queue_stats_classes(&s->queue, &error);
	if (err)
		return cli_error(err, "%s", error.text);
	stats_flows(s);
	/* Faults first; warnings of the daemon may follow from them. */
	stats_health(s);
	stats_names(s);
	qsort(s->flow, s->nflows, sizeof(*s->flow), stats_compare);
	return 0;
}

void stats_free(struct dev_stats *s)
{
	queue_stats_free(&s->queue);
	free(s->flow);
	free(s->warnings);
	s->flow = NULL;
	s->warnings = NULL;
	s->nflows = 0;
}

void stats_flow_name(const struct flow_stats *f, char *to, size_t n)
{
	char text[TOPIC_NAME];

	if (*f->topic)
		topic_ros_name(f->topic, text);
	else if (f->named)
		stats_flow_from(f, text, sizeof(text));
	else
		snprintf(text, sizeof(text), "flow %08x", f->st.flow);
	snprintf(to, n, "%s", text);
}

void stats_flow_from(const struct flow_stats *f, char *to, size_t n)
{
	const uint8_t *name = f->flow.name.writer.prefix;
	char text[TOPIC_GUID_TEXT], addr[INET_ADDRSTRLEN];
	uint64_t stream;
	uint32_t topic;

	switch (f->named ? f->flow.name.kind : ROS_KINDS) {
	case ROS_RTPS:
	case ROS_RTPS6:
		topic_guid_text((void *)&f->flow.name.writer, text);
		snprintf(to, n, "%s", text);
		break;
	case ROS_UDPROS:
		inet_ntop(AF_INET, name, addr, sizeof(addr));
		snprintf(to, n, "%s:%u", addr, name[8] << 8 | name[9]);
		break;
	case ROS_SEGMENT:
	case ROS_SEGMENT6:
		memcpy(&stream, name, sizeof(stream));
		memcpy(&topic, name + 8, sizeof(topic));
		snprintf(to, n, "stream %016" PRIx64 " topic %u",
			 le64toh(stream), le32toh(topic));
		break;
	default:
		*to = '\0';
	}
}

void stats_flow_to(const struct flow_stats *f, char *to, size_t n)
{
	const struct ros_flow *flow = &f->flow;
	bool v6 = flow->name.kind == ROS_RTPS6 ||
		  flow->name.kind == ROS_SEGMENT6;
	char addr[INET6_ADDRSTRLEN];

	*to = '\0';
	if (f->named &&
	    inet_ntop(v6 ? AF_INET6 : AF_INET, v6 ? (void *)flow->daddr6 :
		      (void *)&flow->name.daddr, addr, sizeof(addr)))
		snprintf(to, n, v6 ? "[%s]:%u" : "%s:%u", addr,
			 ntohs(flow->name.dport));
}

int stats_each(const char *dev, int (*fn)(const char *dev, void *arg),
	       void *arg)
{
	char own[IFNAMSIZ];
	int err;

	if (dev)
		return fn(state_name(dev, own), arg);
	if (!state_each(fn, arg, &err))
		return cli_error(-ENOENT, "no interface is up, see 'optsample up --help'");
	return err;
}
