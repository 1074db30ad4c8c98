// SPDX-License-Identifier: GPL-2.0-only
/*
 * Statistics by rtnetlink (dump of qdiscs and classes), names from the
 * classifier's map `flows` and the daemon's list of topics.
 */
#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/gen_stats.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/ifb.h"
#include "classifier.h"
#include "netlink.h"
#include "state.h"
#include "stats.h"

struct stats_dump {
	struct dev_stats	*s;
	int			ifindex;
	bool			found;
};

/* Older kernels send less, newer ones more: copy the common part. */
static bool stats_app(struct nlmsghdr *h, uint32_t type, void *to,
		      size_t size)
{
	struct nlattr *tb[TCA_STATS_MAX + 1], *a;
	const struct tc_optsample_xstats *x;
	size_t have, head = offsetof(struct tc_optsample_xstats, qdisc);

	a = nlmsg_find_attr(h, sizeof(struct tcmsg), TCA_STATS2);
	if (!a || nla_parse_nested(tb, TCA_STATS_MAX, a, NULL) ||
	    !tb[TCA_STATS_APP] || nla_len(tb[TCA_STATS_APP]) < (int)head)
		return false;
	x = nla_data(tb[TCA_STATS_APP]);
	have = nla_len(tb[TCA_STATS_APP]) - head;
	if (x->type != type)
		return false;
	if (x->size < have)
		have = x->size;
	memset(to, 0, size);
	memcpy(to, (const char *)x + head, have < size ? have : size);
	return true;
}

static bool stats_is_ours(struct nlmsghdr *h, int ifindex)
{
	struct tcmsg *t = nlmsg_data(h);
	struct nlattr *kind = nlmsg_find_attr(h, sizeof(*t), TCA_KIND);

	return t->tcm_ifindex == ifindex && kind &&
	       !strcmp(nla_get_string(kind), "optsample");
}

static uint32_t stats_option(struct nlattr **tb, int attr)
{
	return tb[attr] ? nla_get_u32(tb[attr]) : 0;
}

static int stats_on_qdisc(struct nlmsghdr *h, void *arg)
{
	struct nlattr *tb[TCA_OPTSAMPLE_MAX + 1], *opts;
	struct stats_dump *d = arg;
	struct dev_stats *s = d->s;

	if (d->found || !stats_is_ours(h, d->ifindex) ||
	    !stats_app(h, TC_OPTSAMPLE_XSTATS_QDISC, &s->qd, sizeof(s->qd)))
		return 0;
	d->found = true;
	opts = nlmsg_find_attr(h, sizeof(struct tcmsg), TCA_OPTIONS);
	if (!opts || nla_parse_nested(tb, TCA_OPTSAMPLE_MAX, opts, NULL))
		return 0;
	s->policy = stats_option(tb, TCA_OPTSAMPLE_POLICY);
	s->limit = stats_option(tb, TCA_OPTSAMPLE_LIMIT);
	s->inflight = stats_option(tb, TCA_OPTSAMPLE_INFLIGHT_PACKETS);
	s->inflight_auto = stats_option(tb, TCA_OPTSAMPLE_INFLIGHT_AUTO);
	s->gate_open = stats_option(tb, TCA_OPTSAMPLE_GATE) ==
		       TC_OPTSAMPLE_GATE_OPEN;
	return 0;
}

static int stats_on_class(struct nlmsghdr *h, void *arg)
{
	struct tcmsg *t = nlmsg_data(h);
	struct stats_dump *d = arg;
	struct dev_stats *s = d->s;
	struct flow_stats *f;

	if (!stats_is_ours(h, d->ifindex))
		return 0;
	f = realloc(s->flow, (s->nflows + 1) * sizeof(*f));
	if (!f)
		abort();
	s->flow = f;
	f += s->nflows;
	memset(f, 0, sizeof(*f));
	if (!stats_app(h, TC_OPTSAMPLE_XSTATS_CLASS, &f->st, sizeof(f->st)))
		return 0;
	f->classid = t->tcm_handle;
	s->nflows++;
	return 0;
}

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
	char pins[CTL_PATH], *warnings;
	const struct topic *t;
	int map;

	topic_load(s->dev, &topics, &s->left_out, &warnings);
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

int stats_read(const char *dev, struct dev_stats *s)
{
	struct stats_dump d = { .s = s };
	char ifb[IFNAMSIZ];
	const char *names[] = { ifb, dev };
	struct tcmsg t = { 0 };
	int err;

	memset(s, 0, sizeof(*s));
	snprintf(s->dev, IFNAMSIZ, "%.15s", dev);
	ifb_name(dev, ifb);
	for (int i = 0; i < 2 && !d.found; i++) {
		d.ifindex = netlink_ifindex(names[i]);
		if (!d.ifindex)
			continue;
		t.tcm_ifindex = d.ifindex;
		snprintf(s->queue, IFNAMSIZ, "%.15s", names[i]);
		err = netlink_dump(RTM_GETQDISC, &t, sizeof(t),
				   stats_on_qdisc, &d);
		if (err)
			return cli_error(err, "cannot read qdiscs: %s",
					 netlink_why(err));
	}
	if (!d.found) {
		stats_health(s);
		if (s->warnings)
			return cli_error(-ENOENT, "%s", s->warnings);
		return cli_error(-ENOENT, netlink_ifindex(dev) ?
				 "%s has no optsample qdisc" : "no device %s",
				 dev);
	}
	err = netlink_dump(RTM_GETTCLASS, &t, sizeof(t), stats_on_class, &d);
	if (err)
		return cli_error(err, "cannot read classes: %s",
				 netlink_why(err));
	/* Faults first; warnings of the daemon may follow from them. */
	stats_health(s);
	stats_names(s);
	if (s->nflows)
		qsort(s->flow, s->nflows, sizeof(*s->flow), stats_compare);
	return 0;
}

void stats_free(struct dev_stats *s)
{
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
