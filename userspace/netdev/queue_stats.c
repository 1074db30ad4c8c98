// SPDX-License-Identifier: GPL-2.0-only
/*
 * Dumps of the optsample qdisc and its classes, see queue_stats.h.
 */
#include <assert.h>
#include <errno.h>
#include <linux/gen_stats.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "base/ifb.h"
#include "netdev/netlink.h"
#include "netdev/queue_stats.h"

struct queue_dump {
	struct queue_stats	*s;
	int			ifindex;
	bool			found;
};

/* Older kernels send less, newer ones more: copy the common part. */
static bool queue_app(struct nlmsghdr *h, uint32_t type, void *to,
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

static bool queue_is_ours(struct nlmsghdr *h, int ifindex)
{
	struct tcmsg *t = nlmsg_data(h);
	struct nlattr *kind = nlmsg_find_attr(h, sizeof(*t), TCA_KIND);

	return t->tcm_ifindex == ifindex && kind &&
	       !strcmp(nla_get_string(kind), "optsample");
}

static uint32_t queue_option(struct nlattr **tb, int attr)
{
	return tb[attr] ? nla_get_u32(tb[attr]) : 0;
}

static int queue_on_qdisc(struct nlmsghdr *h, void *arg)
{
	struct nlattr *tb[TCA_OPTSAMPLE_MAX + 1], *opts;
	struct queue_dump *d = arg;
	struct queue_stats *s = d->s;

	if (d->found || !queue_is_ours(h, d->ifindex) ||
	    !queue_app(h, TC_OPTSAMPLE_XSTATS_QDISC, &s->qd, sizeof(s->qd)))
		return 0;
	d->found = true;
	opts = nlmsg_find_attr(h, sizeof(struct tcmsg), TCA_OPTIONS);
	if (!opts || nla_parse_nested(tb, TCA_OPTSAMPLE_MAX, opts, NULL))
		return 0;
	s->policy = queue_option(tb, TCA_OPTSAMPLE_POLICY);
	s->limit = queue_option(tb, TCA_OPTSAMPLE_LIMIT);
	s->inflight = queue_option(tb, TCA_OPTSAMPLE_INFLIGHT_PACKETS);
	s->inflight_auto = queue_option(tb, TCA_OPTSAMPLE_INFLIGHT_AUTO);
	s->gate_open = queue_option(tb, TCA_OPTSAMPLE_GATE) ==
		       TC_OPTSAMPLE_GATE_OPEN;
	return 0;
}

static int queue_on_class(struct nlmsghdr *h, void *arg)
{
	struct tcmsg *t = nlmsg_data(h);
	struct queue_dump *d = arg;
	struct queue_stats *s = d->s;
	struct queue_class *c;

	if (!queue_is_ours(h, d->ifindex))
		return 0;
	c = realloc(s->classes, (s->nclasses + 1) * sizeof(*c));
	if (!c)
		abort();
	s->classes = c;
	c += s->nclasses;
	if (!queue_app(h, TC_OPTSAMPLE_XSTATS_CLASS, &c->st, sizeof(c->st)))
		return 0;
	c->classid = t->tcm_handle;
	s->nclasses++;
	return 0;
}

int queue_stats_find(const char *dev, struct queue_stats *s,
		     struct error *error)
{
	struct queue_dump d = { .s = s };
	struct tcmsg t = { 0 };
	char ifb[IFNAMSIZ];
	const char *names[] = { ifb, dev };
	int err;

	memset(s, 0, sizeof(*s));
	ifb_name(dev, ifb);
	for (int i = 0; i < 2; i++) {
		d.ifindex = netlink_ifindex(names[i]);
		if (!d.ifindex)
			continue;
		t.tcm_ifindex = d.ifindex;
		snprintf(s->queue, IFNAMSIZ, "%.15s", names[i]);
		err = netlink_dump(RTM_GETQDISC, &t, sizeof(t), queue_on_qdisc,
				   &d);
		if (err)
			return error_set(error, err, "cannot read qdiscs: %s",
					 netlink_why(err));
		if (d.found)
			return 0;
	}
	return error_set(error, -ENOENT, netlink_ifindex(dev) ?
			 "%s has no optsample qdisc" : "no device %s", dev);
}

int queue_stats_classes(struct queue_stats *s, struct error *error)
{
	struct queue_dump d = {
		.s = s, .ifindex = netlink_ifindex(s->queue),
	};
	struct tcmsg t = { .tcm_ifindex = d.ifindex };
	int err;

	assert(*s->queue && !s->classes);
	err = netlink_dump(RTM_GETTCLASS, &t, sizeof(t), queue_on_class, &d);
	return err ? error_set(error, err, "cannot read classes: %s",
			       netlink_why(err)) : 0;
}

void queue_stats_free(struct queue_stats *s)
{
	free(s->classes);
	s->classes = NULL;
	s->nclasses = 0;
}
