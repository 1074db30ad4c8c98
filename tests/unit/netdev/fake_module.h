/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fake_module.h - a kernel with sch_optsample, where the real one lacks it
 *
 * Requests go to the kernel, except those for what it may lack: the optsample
 * qdisc and link type, fq_codel, ipvlan and matchall. These are recorded, and
 * come back in dumps; a link of the module's type is an ifb, an ipvlan is a
 * macvlan. A test that includes this is linked with FAKE_MODULE of module.mk.
 */
#ifndef TESTS_FAKE_MODULE_H
#define TESTS_FAKE_MODULE_H

#include <errno.h>
#include <linux/gen_stats.h>
#include <linux/if_link.h>
#include <linux/pkt_cls.h>
#include <linux/pkt_sch_optsample.h>
#include <linux/pkt_sched.h>
#include <string.h>
#include "netdev/filter.h"
#include "netdev/netlink.h"
#include "netdev/qdisc.h"

/**
 * struct fake - the module, and what it was asked for
 * @absent:	there is no optsample qdisc
 * @no_link:	nor a link type
 * @no_codel:	no fq_codel
 * @no_matchall: no filter that matches all
 * @answer:	to each further request for the qdisc: 0 or a negative errno
 * @refused:	attributes of TCA_OPTIONS that an older module does not know
 * @refused_profile: and those of a profile
 * @qdisc:	number of the device with the qdisc, 0: none
 * @requests:	for the qdisc
 * @opts:	options of the last one
 * @codel:	options of fq_codel
 * @link:	number of the link that was changed last, and
 * @lower:	by which it sends,
 * @source:	with which address
 * @filter:	preferences of filters that match all on device @filtered
 * @classifier:	filters on the qdisc
 * @dump_error:	answer to dumps of @dump_type
 * @messages:	that wait in the qdisc
 * @classes:	number of its flows
 */
static struct {
	bool		absent, no_link, no_codel, no_matchall;
	int		answer;
	uint64_t	refused, refused_profile;
	int		qdisc;
	int		requests;
	uint8_t		opts[512];
	int		opts_len;
	uint32_t	codel[8];
	int		link, lower;
	uint8_t		source[6];
	uint32_t	filter[4];
	int		filters, filtered;
	int		classifier;
	int		dump_type, dump_error;
	unsigned int	messages, classes;
} fake;

int __real_netlink_send(struct nl_msg *msg);
int __wrap_netlink_send(struct nl_msg *msg);
int __real_netlink_dump(int type, const void *header, size_t size,
			netlink_fn fn, void *arg);
int __wrap_netlink_dump(int type, const void *header, size_t size,
			netlink_fn fn, void *arg);
int __real_netlink_delete(struct nl_msg *msg, const char *what,
			  const char *dev, struct error *error);
int __wrap_netlink_delete(struct nl_msg *msg, const char *what,
			  const char *dev, struct error *error);

/* Attribute @type of the last options; NULL: they lack it */
__attribute__((unused))
static const struct nlattr *fake_opt(int type)
{
	return nla_find((struct nlattr *)fake.opts, fake.opts_len, type);
}

/* A number among them, UINT32_MAX: none */
__attribute__((unused))
static uint32_t fake_u32(int type)
{
	const struct nlattr *a = fake_opt(type);

	return a ? nla_get_u32(a) : UINT32_MAX;
}

/* Attribute @type of the profile in the last options */
__attribute__((unused))
static struct nlattr *fake_profile(int type)
{
	const struct nlattr *all = fake_opt(TCA_OPTSAMPLE_PROFILES);
	struct nlattr *one = all ? nla_data(all) : NULL;

	return one ? nla_find(nla_data(one), nla_len(one), type) : NULL;
}

static bool fake_refuses(void)
{
	for (int i = 1; i < 64; i++)
		if ((fake.refused >> i & 1 && fake_opt(i)) ||
		    (fake.refused_profile >> i & 1 && fake_profile(i)))
			return true;
	return false;
}

static int fake_qdisc(struct nlmsghdr *h)
{
	struct tcmsg *t = nlmsg_data(h);
	struct nlattr *opts = nlmsg_find_attr(h, sizeof(*t), TCA_OPTIONS);

	fake.requests++;
	fake.opts_len = nla_len(opts);
	memcpy(fake.opts, nla_data(opts), fake.opts_len);
	if (fake.absent)
		return -ENOENT;
	if (fake_refuses())
		return -EINVAL;
	if (h->nlmsg_flags & NLM_F_CREATE)
		fake.qdisc = t->tcm_ifindex;
	return fake.answer;
}

static int fake_fq_codel(struct nlmsghdr *h)
{
	struct nlattr *tb[TCA_FQ_CODEL_MAX + 1], *opts;

	if (fake.no_codel)
		return -ENOENT;
	opts = nlmsg_find_attr(h, sizeof(struct tcmsg), TCA_OPTIONS);
	nla_parse_nested(tb, TCA_FQ_CODEL_MAX, opts, NULL);
	fake.codel[0] = nla_get_u32(tb[TCA_FQ_CODEL_LIMIT]);
	fake.codel[1] = nla_get_u32(tb[TCA_FQ_CODEL_MEMORY_LIMIT]);
	fake.codel[2] = nla_get_u32(tb[TCA_FQ_CODEL_TARGET]);
	fake.codel[3] = nla_get_u32(tb[TCA_FQ_CODEL_INTERVAL]);
	return 0;
}

static int fake_filter(struct nlmsghdr *h)
{
	struct tcmsg *t = nlmsg_data(h);

	if (fake.no_matchall)
		return -ENOENT;
	fake.filtered = t->tcm_ifindex;
	fake.filter[fake.filters++ % 4] = t->tcm_info >> 16;
	return 0;
}

/* The same link of a kind that the kernel has */
static int fake_link(struct nlmsghdr *h, const char *kind)
{
	struct ifinfomsg *i = nlmsg_data(h);
	struct nl_msg *msg = netlink_request(RTM_NEWLINK, NLM_F_CREATE |
					     NLM_F_EXCL, i, sizeof(*i));
	struct nlattr *info, *data, *a;

	a = nlmsg_find_attr(h, sizeof(*i), IFLA_IFNAME);
	nla_put_string(msg, IFLA_IFNAME, nla_get_string(a));
	a = nlmsg_find_attr(h, sizeof(*i), IFLA_LINK);
	if (a)
		nla_put_u32(msg, IFLA_LINK, nla_get_u32(a));
	info = nla_nest_start(msg, IFLA_LINKINFO);
	nla_put_string(msg, IFLA_INFO_KIND, kind);
	data = nla_nest_start(msg, IFLA_INFO_DATA);
	if (!strcmp(kind, "macvlan"))
		nla_put_u32(msg, IFLA_MACVLAN_MODE, MACVLAN_MODE_BRIDGE);
	nla_nest_end(msg, data);
	nla_nest_end(msg, info);
	return __real_netlink_send(msg);
}

static int fake_send_by(struct nlmsghdr *h, struct nlattr *data)
{
	struct nlattr *tb[IFLA_OPTSAMPLE_MAX + 1];
	struct ifinfomsg *i = nlmsg_data(h);

	nla_parse_nested(tb, IFLA_OPTSAMPLE_MAX, data, NULL);
	fake.link = i->ifi_index;
	fake.lower = nla_get_u32(tb[IFLA_OPTSAMPLE_LINK]);
	if (tb[IFLA_OPTSAMPLE_SOURCE])
		memcpy(fake.source, nla_data(tb[IFLA_OPTSAMPLE_SOURCE]), 6);
	return fake.answer;
}

/* Return: 1: it is for the kernel */
static int fake_new_link(struct nlmsghdr *h)
{
	struct nlattr *tb[IFLA_INFO_MAX + 1], *info;
	const char *kind;

	info = nlmsg_find_attr(h, sizeof(struct ifinfomsg), IFLA_LINKINFO);
	if (!info || nla_parse_nested(tb, IFLA_INFO_MAX, info, NULL))
		return 1;
	kind = nla_get_string(tb[IFLA_INFO_KIND]);
	if (!strcmp(kind, "ipvlan"))
		return fake_link(h, "macvlan");
	if (strcmp(kind, "optsample"))
		return 1;
	if (!(h->nlmsg_flags & NLM_F_CREATE))
		return fake_send_by(h, tb[IFLA_INFO_DATA]);
	return fake.no_link ? -EOPNOTSUPP : fake_link(h, "ifb");
}

static int fake_answer(struct nlmsghdr *h)
{
	struct tcmsg *t = nlmsg_data(h);
	struct nlattr *kind = NULL;

	if (h->nlmsg_type == RTM_NEWLINK)
		return fake_new_link(h);
	if (h->nlmsg_type == RTM_NEWQDISC || h->nlmsg_type == RTM_NEWTFILTER)
		kind = nlmsg_find_attr(h, sizeof(*t), TCA_KIND);
	if (!kind)
		return 1;
	if (!nla_strcmp(kind, "optsample"))
		return fake_qdisc(h);
	if (!nla_strcmp(kind, "fq_codel"))
		return fake_fq_codel(h);
	if (h->nlmsg_type == RTM_NEWTFILTER && t->tcm_parent == QDISC_HANDLE) {
		fake.classifier++;
		return 0;
	}
	if (!nla_strcmp(kind, "matchall") || !nla_strcmp(kind, "basic") ||
	    !nla_strcmp(kind, "flower"))
		return fake_filter(h);
	return 1;
}

int __wrap_netlink_send(struct nl_msg *msg)
{
	int answer = fake_answer(nlmsg_hdr(msg));

	if (answer > 0)
		return __real_netlink_send(msg);
	nlmsg_free(msg);
	return answer;
}

int __wrap_netlink_delete(struct nl_msg *msg, const char *what,
			  const char *dev, struct error *error)
{
	struct nlmsghdr *h = nlmsg_hdr(msg);
	struct tcmsg *t = nlmsg_data(h);

	if (h->nlmsg_type == RTM_DELTFILTER && t->tcm_ifindex == fake.filtered)
		fake.filters = 0;
	if (h->nlmsg_type == RTM_DELQDISC && t->tcm_ifindex == fake.qdisc &&
	    t->tcm_handle == QDISC_HANDLE)
		fake.qdisc = 0;
	return __real_netlink_delete(msg, what, dev, error);
}

static void fake_give(int type, struct tcmsg t, const char *kind,
		      const struct tc_optsample_xstats *x, netlink_fn fn,
		      void *arg)
{
	struct nl_msg *msg = netlink_request(type, 0, &t, sizeof(t));
	struct nlattr *opts, *stats;

	nla_put_string(msg, TCA_KIND, kind);
	opts = nla_nest_start(msg, TCA_OPTIONS);
	nla_put(msg, TCA_OPTSAMPLE_LIMIT, 4, &(uint32_t){ 20 });
	nla_put(msg, TCA_OPTSAMPLE_POLICY, 4, &(uint32_t){ 1 });
	nla_put(msg, TCA_OPTSAMPLE_INFLIGHT_PACKETS, 4, &(uint32_t){ 32 });
	nla_put(msg, TCA_OPTSAMPLE_GATE, 4,
		&(uint32_t){ TC_OPTSAMPLE_GATE_OPEN });
	nla_nest_end(msg, opts);
	if (x) {
		stats = nla_nest_start(msg, TCA_STATS2);
		nla_put(msg, TCA_STATS_APP, sizeof(*x), x);
		nla_nest_end(msg, stats);
	}
	fn(nlmsg_hdr(msg), arg);
	nlmsg_free(msg);
}

static void fake_give_qdisc(netlink_fn fn, void *arg)
{
	struct tc_optsample_xstats x = {
		.type = TC_OPTSAMPLE_XSTATS_QDISC, .size = sizeof(x.qdisc),
		.qdisc = { .backlog_msgs = fake.messages },
	};

	fake_give(RTM_NEWQDISC, (struct tcmsg){
		.tcm_ifindex = fake.qdisc, .tcm_parent = TC_H_ROOT,
		.tcm_handle = QDISC_HANDLE,
	}, "optsample", &x, fn, arg);
}

static void fake_give_class(unsigned int i, netlink_fn fn, void *arg)
{
	struct tc_optsample_xstats x = {
		.type = TC_OPTSAMPLE_XSTATS_CLASS, .size = sizeof(x.cl),
		.cl = { .flow = 100 + i, .backlog_msgs = i },
	};

	fake_give(RTM_NEWTCLASS, (struct tcmsg){
		.tcm_ifindex = fake.qdisc, .tcm_handle = QDISC_HANDLE + 1 + i,
	}, "optsample", &x, fn, arg);
}

int __wrap_netlink_dump(int type, const void *header, size_t size,
			netlink_fn fn, void *arg)
{
	const struct tcmsg *t = header;
	char name[IFNAMSIZ];
	int err;

	if (fake.dump_error && type == fake.dump_type)
		return fake.dump_error;
	err = __real_netlink_dump(type, header, size, fn, arg);
	if (type == RTM_GETQDISC && fake.qdisc &&
	    if_indextoname(fake.qdisc, name))
		fake_give_qdisc(fn, arg);
	if (type == RTM_GETTCLASS && t->tcm_ifindex == fake.qdisc)
		for (unsigned int i = 0; i < fake.classes; i++)
			fake_give_class(i, fn, arg);
	if (type == RTM_GETTFILTER && t->tcm_ifindex == fake.filtered &&
	    t->tcm_parent == FILTER_EGRESS)
		for (int i = 0; i < fake.filters; i++)
			fake_give(RTM_NEWTFILTER, (struct tcmsg){
				.tcm_ifindex = fake.filtered,
				.tcm_parent = t->tcm_parent,
				.tcm_info = fake.filter[i] << 16,
			}, "matchall", NULL, fn, arg);
	return err;
}

#endif
