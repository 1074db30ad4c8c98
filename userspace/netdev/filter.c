// SPDX-License-Identifier: GPL-2.0-only
/*
 * Filters of clsact that redirect DEV to its queue.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/tc_act/tc_gact.h>
#include <linux/tc_act/tc_mirred.h>
#include <string.h>
#include "base/error.h"
#include "netdev/filter.h"
#include "netdev/netlink.h"

static struct nl_msg *filter_request(int ifindex, uint32_t parent,
				     uint32_t pref, uint16_t protocol,
				     const char *kind)
{
	struct nl_msg *msg = netlink_tc(RTM_NEWTFILTER, NLM_F_CREATE |
					NLM_F_EXCL, ifindex, parent, 0,
					TC_H_MAKE(pref << 16,
						  htons(protocol)));

	nla_put_string(msg, TCA_KIND, kind);
	return msg;
}

/**
 * struct filter - a filter at egress of DEV that matches everything
 * @ifindex:	of DEV
 * @pref:	its preference
 * @protocol:	only packets of this one
 * @action:	kind of its action
 * @attr:	attribute of the action,
 * @parms:	its value, and
 * @size:	its size in bytes
 */
struct filter {
	int		ifindex;
	uint32_t	pref;
	uint16_t	protocol;
	const char	*action;
	int		attr;
	const void	*parms;
	size_t		size;
};

/* @kind has its actions as attribute @acts_attr */
static int filter_send(const struct filter *f, const char *kind, int acts_attr)
{
	struct nl_msg *msg = filter_request(f->ifindex, FILTER_EGRESS, f->pref,
					    f->protocol, kind);
	struct nlattr *opts, *acts, *act, *act_opts;

	opts = nla_nest_start(msg, TCA_OPTIONS);
	acts = nla_nest_start(msg, acts_attr);
	act = nla_nest_start(msg, 1);
	nla_put_string(msg, TCA_ACT_KIND, f->action);
	act_opts = nla_nest_start(msg, TCA_ACT_OPTIONS);
	nla_put(msg, f->attr, f->size, f->parms);
	nla_nest_end(msg, act_opts);
	nla_nest_end(msg, act);
	nla_nest_end(msg, acts);
	nla_nest_end(msg, opts);
	return netlink_send(msg);
}

/*
 * JetPack's kernels have no matchall; basic without a tree and flower without
 * keys match all, too.
 */
static int filter_add(const struct filter *f, const char *dev,
		      struct error *error)
{
	int err = filter_send(f, "matchall", TCA_MATCHALL_ACT);

	if (err == -ENOENT)
		err = filter_send(f, "basic", TCA_BASIC_ACT);
	if (err == -ENOENT)
		err = filter_send(f, "flower", TCA_FLOWER_ACT);
	return err ? error_set(error, err,
			       "cannot add a filter with %s to %s: %s",
			       f->action, dev, netlink_why(err)) : 0;
}

int filter_add_redirect(int ifindex, const char *dev, int queue,
			struct error *error)
{
	struct tc_gact ok = { .action = TC_ACT_OK };
	struct tc_mirred redirect = {
		.action = TC_ACT_STOLEN,
		.eaction = TCA_EGRESS_REDIR,
		.ifindex = queue,
	};
	const struct filter pass_eapol = {
		.ifindex = ifindex, .pref = FILTER_PREF_PASS,
		.protocol = ETH_P_PAE, .action = "gact",
		.attr = TCA_GACT_PARMS, .parms = &ok, .size = sizeof(ok),
	}, redirect_all = {
		.ifindex = ifindex, .pref = FILTER_PREF_REDIRECT,
		.protocol = ETH_P_ALL, .action = "mirred",
		.attr = TCA_MIRRED_PARMS, .parms = &redirect,
		.size = sizeof(redirect),
	};

	return filter_add(&pass_eapol, dev, error) ?:
	       filter_add(&redirect_all, dev, error);
}

int filter_add_bpf(int ifindex, uint32_t parent, uint32_t pref,
		   const char *name, int prog_fd)
{
	struct nl_msg *msg = filter_request(ifindex, parent, pref, ETH_P_ALL,
					    "bpf");
	struct nlattr *opts = nla_nest_start(msg, TCA_OPTIONS);

	nla_put_u32(msg, TCA_BPF_FD, prog_fd);
	nla_put_string(msg, TCA_BPF_NAME, name);
	nla_put_u32(msg, TCA_BPF_FLAGS, TCA_BPF_FLAG_ACT_DIRECT);
	nla_nest_end(msg, opts);
	return netlink_send(msg);
}

static int filter_delete(int ifindex, const char *dev, uint32_t pref,
			 uint16_t protocol, struct error *error)
{
	return netlink_delete(netlink_tc(RTM_DELTFILTER, 0, ifindex,
					 FILTER_EGRESS, 0,
					 TC_H_MAKE(pref << 16,
						   htons(protocol))),
			      "redirect", dev, error);
}

int filter_delete_redirect(int ifindex, const char *dev,
			   struct error *error)
{
	return filter_delete(ifindex, dev, FILTER_PREF_REDIRECT, ETH_P_ALL,
			     error) ?:
	       filter_delete(ifindex, dev, FILTER_PREF_PASS, ETH_P_PAE, error);
}

static int filter_on_filter(struct nlmsghdr *h, void *arg)
{
	struct filter_query *q = arg;
	struct tcmsg *t = nlmsg_data(h);
	uint32_t pref = TC_H_MAJ(t->tcm_info) >> 16;
	struct nlattr *kind;

	if (h->nlmsg_type != RTM_NEWTFILTER || t->tcm_ifindex != q->ifindex)
		return 0;
	if (t->tcm_parent != FILTER_EGRESS ||
	    (pref != FILTER_PREF_PASS && pref != FILTER_PREF_REDIRECT)) {
		q->others = true;
		return 0;
	}
	kind = nlmsg_find_attr(h, sizeof(*t), TCA_KIND);
	if (pref == FILTER_PREF_PASS) {
		q->pass = true;
	} else {
		q->redirect = true;
		q->by_bpf = kind && !strcmp(nla_get_string(kind), "bpf");
	}
	return 0;
}

/* Adds to @q what is at @parent. */
static int filter_dump(struct filter_query *q, uint32_t parent,
		       struct error *error)
{
	struct tcmsg t = {
		.tcm_ifindex = q->ifindex,
		.tcm_parent = parent,
	};
	int err = netlink_dump(RTM_GETTFILTER, &t, sizeof(t), filter_on_filter,
			       q);

	return err ? error_set(error, err, "cannot read filters: %s",
			       netlink_why(err)) : 0;
}

int filter_find(int ifindex, struct filter_query *q, struct error *error)
{
	*q = (struct filter_query){ .ifindex = ifindex };
	return filter_dump(q, FILTER_EGRESS, error);
}

int filter_find_all(int ifindex, struct filter_query *q,
		    struct error *error)
{
	return filter_find(ifindex, q, error) ?:
	       filter_dump(q, FILTER_INGRESS, error);
}

bool filters_redirect(const struct filter_query *f)
{
	return f->redirect && (f->by_bpf || f->pass);
}
