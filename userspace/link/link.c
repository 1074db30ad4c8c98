// SPDX-License-Identifier: GPL-2.0-only
/*
 * Route, carrier and root qdisc by rtnetlink.
 *
 * `optsample up` may redirect the device's traffic to an ifb that has the
 * qdisc. Then the queue of the ifb is used.
 */
#include <errno.h>
#include <linux/gen_stats.h>
#include <linux/pkt_sched.h>
#include <linux/pkt_sch_optsample.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/route/link.h>
#include <netlink/route/nexthop.h>
#include <netlink/route/route.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include "base/ifb.h"
#include "link.h"

#define LOOK_EVERY	2000000000ULL

/**
 * struct link - the route to a receiver
 * @sk:	netlink socket
 * @to:	address of the receiver
 * @dev:	ifindex of the output device, 0: none
 * @queue: ifindex of the device with the qdisc
 * @looked: last lookup of these, ns
 */
struct link {
	struct nl_sock	*sk;
	struct nl_addr	*to;
	int		dev, queue;
	uint64_t	looked;
	bool		found;
};

static struct nl_addr *link_address(const struct sockaddr *to)
{
	const struct sockaddr_in *v4 = (const void *)to;
	const struct sockaddr_in6 *v6 = (const void *)to;

	if (to->sa_family == AF_INET)
		return nl_addr_build(AF_INET, &v4->sin_addr, 4);
	return nl_addr_build(AF_INET6, &v6->sin6_addr, 16);
}

/* Reconnect after an error: late answers are useless */
static int link_connect(struct link *l)
{
	const struct timeval patience = { .tv_usec = 200000 };

	if (l->sk)
		nl_socket_free(l->sk);
	l->sk = nl_socket_alloc();
	if (!l->sk)
		return -ENOMEM;
	if (nl_connect(l->sk, NETLINK_ROUTE)) {
		nl_socket_free(l->sk);
		l->sk = NULL;
		return -EPROTONOSUPPORT;
	}
	setsockopt(nl_socket_get_fd(l->sk), SOL_SOCKET, SO_RCVTIMEO, &patience,
		   sizeof(patience));
	return 0;
}

int link_open(const struct sockaddr *to, struct link **link)
{
	struct link *l;
	int err = -ENOMEM;

	*link = NULL;
	if (to->sa_family != AF_INET && to->sa_family != AF_INET6)
		return -EAFNOSUPPORT;
	l = calloc(1, sizeof(*l));
	if (!l)
		return -ENOMEM;
	l->to = link_address(to);
	if (l->to)
		err = link_connect(l);
	if (err)
		goto err_link;
	*link = l;
	return 0;

err_link:
	link_close(l);
	return err;
}

void link_close(struct link *link)
{
	if (!link)
		return;
	if (link->to)
		nl_addr_put(link->to);
	if (link->sk)
		nl_socket_free(link->sk);
	free(link);
}

static int link_route(struct link *l)
{
	struct rtnl_nexthop *hop;
	struct rtnl_route *route;
	int dev = 0;

	if (rtnl_route_lookup(l->sk, l->to, &route))
		return 0;
	hop = rtnl_route_nexthop_n(route, 0);
	if (hop)
		dev = rtnl_route_nh_get_ifindex(hop);
	rtnl_route_put(route);
	return dev;
}

/* The ifb that `optsample up` made for the device, else the device itself */
static int link_queue(int dev)
{
	char name[IF_NAMESIZE], ifb[IF_NAMESIZE];
	int queue;

	if (!if_indextoname(dev, name))
		return dev;
	ifb_name(name, ifb);
	queue = if_nametoindex(ifb);
	return queue ? queue : dev;
}

static bool link_carrier(struct link *l, bool *carrier)
{
	struct rtnl_link *dev;

	if (rtnl_link_get_kernel(l->sk, l->dev, NULL, &dev))
		return false;
	*carrier = rtnl_link_get_carrier(dev) &&
		   rtnl_link_get_flags(dev) & IFF_UP;
	rtnl_link_put(dev);
	return true;
}

/* ---- the qdisc ---- */

void link_sampler(const void *xstats, size_t len, struct link_stats *s)
{
	const size_t head = offsetof(struct tc_optsample_xstats, qdisc);
	struct tc_optsample_xstats st = { 0 };

	if (len < head)
		return;
	memcpy(&st, xstats, len < sizeof(st) ? len : sizeof(st));
	/* an older kernel has fewer fields, but never less than these */
	if (st.type != TC_OPTSAMPLE_XSTATS_QDISC ||
	    len < head + offsetof(struct tc_optsample_qd_stats, ordinary_qlen))
		return;
	s->counted = true;
	s->held = st.qdisc.backlog_msgs;
	s->oldest = st.qdisc.oldest_ns / 1e9;
	s->sent = st.qdisc.c.msgs_out;
	s->discarded = st.qdisc.c.msgs_sampled;
	s->evicted = st.qdisc.c.msgs_evicted;
}

static void link_counts(struct nlattr *stats, struct link_stats *s)
{
	struct nlattr *tb[TCA_STATS_MAX + 1];
	struct gnet_stats_queue queue;
	struct gnet_stats_basic basic;

	if (nla_parse_nested(tb, TCA_STATS_MAX, stats, NULL))
		return;
	if (tb[TCA_STATS_QUEUE] &&
	    nla_len(tb[TCA_STATS_QUEUE]) >= (int)sizeof(queue)) {
		memcpy(&queue, nla_data(tb[TCA_STATS_QUEUE]), sizeof(queue));
		s->backlog = queue.backlog;
		s->drops = queue.drops;
	}
	if (tb[TCA_STATS_BASIC] &&
	    nla_len(tb[TCA_STATS_BASIC]) >= (int)sizeof(basic.bytes)) {
		memcpy(&basic.bytes, nla_data(tb[TCA_STATS_BASIC]),
		       sizeof(basic.bytes));
		s->bytes = basic.bytes;
	}
	if (s->sampling && tb[TCA_STATS_APP])
		link_sampler(nla_data(tb[TCA_STATS_APP]),
			     nla_len(tb[TCA_STATS_APP]), s);
}

static int link_on_qdisc(struct nl_msg *msg, void *arg)
{
	struct nlmsghdr *h = nlmsg_hdr(msg);
	struct nlattr *tb[TCA_MAX + 1];
	struct link_stats *s = arg;

	if (h->nlmsg_type != RTM_NEWQDISC ||
	    nlmsg_parse(h, sizeof(struct tcmsg), tb, TCA_MAX, NULL))
		return NL_SKIP;
	s->sampling = tb[TCA_KIND] &&
		      !strcmp(nla_get_string(tb[TCA_KIND]), "optsample");
	if (tb[TCA_STATS2])
		link_counts(tb[TCA_STATS2], s);
	return NL_OK;
}

static int link_on_end(struct nl_msg *msg, void *arg)
{
	(void)msg;
	*(bool *)arg = true;
	return NL_STOP;
}

static int link_on_error(struct sockaddr_nl *who, struct nlmsgerr *e,
			 void *arg)
{
	(void)who;
	(void)e;
	*(bool *)arg = true;
	return NL_STOP;
}

/* A device without a qdisc has no queue */
static int link_qdisc(struct link *l, struct link_stats *s)
{
	struct tcmsg t = {
		.tcm_ifindex = l->queue, .tcm_parent = TC_H_ROOT,
	};
	struct nl_cb *cb = nl_cb_alloc(NL_CB_DEFAULT);
	bool done = false;
	int err = -ENOMEM;

	if (!cb)
		return err;
	nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, link_on_qdisc, s);
	nl_cb_set(cb, NL_CB_ACK, NL_CB_CUSTOM, link_on_end, &done);
	nl_cb_set(cb, NL_CB_FINISH, NL_CB_CUSTOM, link_on_end, &done);
	nl_cb_set(cb, NL_CB_SEQ_CHECK, NL_CB_CUSTOM, NULL, NULL);
	nl_cb_err(cb, NL_CB_CUSTOM, link_on_error, &done);
	/* without ECHO older kernels notify listeners only */
	err = nl_send_simple(l->sk, RTM_GETQDISC, NLM_F_ACK | NLM_F_ECHO, &t,
			     sizeof(t));
	while (err >= 0 && !done)
		err = nl_recvmsgs(l->sk, cb);
	nl_cb_put(cb);
	return done ? 0 : -EIO;
}

int link_poll(struct link *l, uint64_t now, struct link_stats *stats)
{
	memset(stats, 0, sizeof(*stats));
	if (!l->sk)
		link_connect(l);
	if (!l->sk)
		return -ENODEV;
	if (!l->found || now - l->looked >= LOOK_EVERY) {
		l->dev = link_route(l);
		l->queue = l->dev ? link_queue(l->dev) : 0;
		l->looked = now;
		l->found = l->dev > 0;
	}
	if (!l->found)
		return -ENODEV;
	if (!link_carrier(l, &stats->carrier) || link_qdisc(l, stats)) {
		/* the device is gone: look it up again next time */
		l->found = false;
		memset(stats, 0, sizeof(*stats));
		link_connect(l);
		return -ENODEV;
	}
	stats->ifindex = l->queue;
	stats->known = true;
	return 0;
}
