// SPDX-License-Identifier: GPL-2.0-only
/*
 * The setup that keeps messages queued while an interface has no carrier:
 *
 *	DEV clsact egress --(redirect)--> opt-DEV: optsample, classifier
 *	     ^                                          |
 *	     +--- driver <--- DEV's own qdisc <---------+ when DEV's link moves
 *
 * The kernel removes a root qdisc on DEV itself when the carrier is lost;
 * opt-DEV keeps its own. It is of the module's link type, or an ifb. BPF
 * redirects a packet itself, mirred a copy of it. Packets that are needed to
 * bring the link up (EAPOL) are not redirected, or the link could never come
 * up.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>	/* before <linux/if.h> */
#include <linux/if.h>
#include <linux/if_ether.h>
#include <linux/if_arp.h>
#include <linux/pkt_cls.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/pkt_sch_optsample.h>
#include "base/cli.h"
#include "netdev/filter.h"
#include "netdev/netlink.h"
#include "netdev/stack.h"

enum { STACK_PATH = 256 };

enum {
	STACK_ORDINARY		= STACK_HANDLE | 0xffff, /* see tc-optsample(8) */
	STACK_ORDINARY_PACKETS	= 10240,	/* fq_codel's default */
	STACK_CODEL_US		= 1000000,	/* see kernel/ordinary.c */
	STACK_MEMLIMIT		= 64 << 20,	/* the kernel's default */
};

bool stack_is_ethernet(const char *dev)
{
	char path[STACK_PATH];
	int type = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/class/net/%s/type", dev);
	f = fopen(path, "re");
	if (!f)
		return false;
	if (fscanf(f, "%d", &type) != 1)
		type = -1;
	fclose(f);
	return type == ARPHRD_ETHER;
}

bool stack_has_master(const char *dev)
{
	char path[STACK_PATH];

	snprintf(path, sizeof(path), "/sys/class/net/%s/master", dev);
	return !access(path, F_OK);
}

static bool stack_is_vrf(const char *dev)
{
	char path[STACK_PATH], line[64];
	bool vrf = false;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/class/net/%s/uevent", dev);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		vrf |= !strcmp(line, "DEVTYPE=vrf\n");
	if (f)
		fclose(f);
	return vrf;
}

bool stack_is_port(const char *dev, char master[IFNAMSIZ])
{
	char path[STACK_PATH], to[STACK_PATH];
	ssize_t n;

	snprintf(path, sizeof(path), "/sys/class/net/%s/master", dev);
	n = readlink(path, to, sizeof(to) - 1);
	if (n < 0)
		return false;
	to[n] = '\0';
	snprintf(master, IFNAMSIZ, "%.15s", basename(to));
	return !stack_is_vrf(master);
}

bool stack_is_wireless(const char *dev)
{
	char path[STACK_PATH];

	snprintf(path, sizeof(path), "/sys/class/net/%s/phy80211", dev);
	if (!access(path, F_OK))
		return true;
	snprintf(path, sizeof(path), "/sys/class/net/%s/wireless", dev);
	return !access(path, F_OK);
}

/* Send. Return: 0, or the error, logged as "cannot @what @dev: why" */
static int stack_do(struct nl_msg *msg, const char *what, const char *dev)
{
	int err = netlink_send(msg);

	if (err)
		cli_error(err, "cannot %s %s: %s", what, dev,
			  netlink_why(err));
	return err;
}

/*
 * Devices
 */

static int link_add(const char *name, const char *kind)
{
	struct ifinfomsg i = { 0 };
	struct nl_msg *msg = netlink_request(RTM_NEWLINK, NLM_F_CREATE |
					     NLM_F_EXCL, &i, sizeof(i));
	struct nlattr *info;

	nla_put_string(msg, IFLA_IFNAME, name);
	info = nla_nest_start(msg, IFLA_LINKINFO);
	nla_put_string(msg, IFLA_INFO_KIND, kind);
	nla_nest_end(msg, info);
	return netlink_send(msg);
}

int stack_link_set(int ifindex, int link, const uint8_t source[6])
{
	struct ifinfomsg i = { .ifi_index = ifindex };
	struct nl_msg *msg = netlink_request(RTM_NEWLINK, 0, &i, sizeof(i));
	struct nlattr *info, *data;

	info = nla_nest_start(msg, IFLA_LINKINFO);
	nla_put_string(msg, IFLA_INFO_KIND, "optsample");
	data = nla_nest_start(msg, IFLA_INFO_DATA);
	nla_put_u32(msg, IFLA_OPTSAMPLE_LINK, link);
	if (source)
		nla_put(msg, IFLA_OPTSAMPLE_SOURCE, 6, source);
	nla_nest_end(msg, data);
	nla_nest_end(msg, info);
	return netlink_send(msg);
}

/* for tests of what an older module gets, which has no link type */
static bool link_wants_ifb(void)
{
	const char *type = getenv("OPTSAMPLE_LINK_TYPE");

	return type && !strcmp(type, "ifb");
}

/*
 * Dormant, so that DHCP clients ignore it and DDS does not take it for a
 * network. Queue and routing tables do not depend on it.
 */
static int link_dormant_up(const char *name)
{
	struct ifinfomsg up = {
		.ifi_index = netlink_ifindex(name),
		.ifi_flags = IFF_UP,
		.ifi_change = IFF_UP,
	};
	struct ifinfomsg i = { .ifi_index = up.ifi_index };
	struct nl_msg *msg;
	char path[STACK_PATH];
	FILE *f;
	int err;

	/* No IPv6 address of its own; the kernel may lack IPv6. */
	snprintf(path, sizeof(path),
		 "/proc/sys/net/ipv6/conf/%s/addr_gen_mode", name);
	f = fopen(path, "we");
	if (f) {
		fputs("1\n", f);
		fclose(f);
	}
	err = stack_do(netlink_request(RTM_NEWLINK, 0, &up, sizeof(up)),
		       "set up", name);
	if (err)
		return err;
	msg = netlink_request(RTM_NEWLINK, 0, &i, sizeof(i));
	nla_put_u8(msg, IFLA_LINKMODE, IF_LINK_MODE_DORMANT);
	nla_put_u8(msg, IFLA_OPERSTATE, IF_OPER_DORMANT);
	return stack_do(msg, "set up", name);
}

static int link_delete(const char *name)
{
	struct ifinfomsg i = { .ifi_index = netlink_ifindex(name) };

	if (!i.ifi_index)
		return 0;
	return stack_do(netlink_request(RTM_DELLINK, 0, &i, sizeof(i)),
			"remove", name);
}

/* It may have been renamed. */
static int link_delete_own(const struct stack *s)
{
	char name[IFNAMSIZ];

	if (!s->ifindex || !if_indextoname(s->ifindex, name) ||
	    !own_is_ipvlan(s->ifindex))
		return 0;
	return link_delete(name);
}

/*
 * Qdiscs
 */

struct qdisc_query {
	int		ifindex;
	uint32_t	parent;
	char		kind[16];
	uint32_t	handle;
};

static int qdisc_seen(struct nlmsghdr *h, void *arg)
{
	struct qdisc_query *q = arg;
	struct tcmsg *t = nlmsg_data(h);
	struct nlattr *kind = nlmsg_find_attr(h, sizeof(*t), TCA_KIND);

	if (t->tcm_ifindex != q->ifindex || t->tcm_parent != q->parent ||
	    !kind)
		return 0;
	snprintf(q->kind, sizeof(q->kind), "%s", nla_get_string(kind));
	q->handle = t->tcm_handle;
	return 0;
}

/*
 * @q->kind stays empty if there is none. Return: 0, or a negative errno that
 * is logged already.
 */
static int qdisc_find(int ifindex, uint32_t parent, struct qdisc_query *q)
{
	struct tcmsg t = { .tcm_family = AF_UNSPEC };
	int err;

	memset(q, 0, sizeof(*q));
	q->ifindex = ifindex;
	q->parent = parent;
	t.tcm_ifindex = q->ifindex;
	err = netlink_dump(RTM_GETQDISC, &t, sizeof(t), qdisc_seen, q);
	if (err)
		return cli_error(err, "cannot read qdiscs: %s",
				 netlink_why(err));
	return 0;
}

static void put_option(struct nl_msg *msg, int attr, uint32_t value)
{
	if (value != STACK_UNSET)
		nla_put_u32(msg, attr, value);
}

static struct nl_msg *optsample_request(const struct stack *s,
					const struct stack_config *cfg,
					uint32_t recall, uint32_t prog)
{
	struct nl_msg *msg = netlink_tc(RTM_NEWQDISC, NLM_F_CREATE |
					NLM_F_REPLACE,
					netlink_ifindex(s->queue), TC_H_ROOT,
					STACK_HANDLE, 0);
	struct nlattr *opts;

	nla_put_string(msg, TCA_KIND, "optsample");
	opts = nla_nest_start(msg, TCA_OPTIONS | NLA_F_NESTED);
	put_option(msg, TCA_OPTSAMPLE_LIMIT, cfg->limit);
	put_option(msg, TCA_OPTSAMPLE_POLICY, cfg->policy);
	put_option(msg, TCA_OPTSAMPLE_MEMLIMIT, cfg->memlimit);
	put_option(msg, TCA_OPTSAMPLE_INFLIGHT_PACKETS,
		   cfg->inflight_packets);
	put_option(msg, TCA_OPTSAMPLE_INFLIGHT_AUTO, cfg->inflight_auto);
	put_option(msg, TCA_OPTSAMPLE_SETTLE, cfg->settle_ms);
	put_option(msg, TCA_OPTSAMPLE_RECALL, recall);
	put_option(msg, TCA_OPTSAMPLE_AGE, cfg->age_ms);
	nla_put_u32(msg, TCA_OPTSAMPLE_ORDINARY, STACK_ORDINARY_PACKETS);
	put_option(msg, TCA_OPTSAMPLE_PROG_FD, prog);
	if (cfg->rate)
		nla_put_u64(msg, TCA_OPTSAMPLE_RATE64, cfg->rate);
	/* An ipvlan or a tunnel may miss that the device below it is down. */
	nla_put_string(msg, TCA_OPTSAMPLE_WATCH, stack_watch(s));
	nla_nest_end(msg, opts);
	return msg;
}

/* An older module refuses options that it does not know. */
static int qdisc_add_older(const struct stack *s,
			   const struct stack_config *given)
{
	struct stack_config older = *given, *cfg = &older;
	int err;

	older.age_ms = STACK_UNSET;
	err = netlink_send(optsample_request(s, cfg, cfg->recall,
					     STACK_UNSET));
	if (err == -EINVAL && cfg->recall != STACK_UNSET) {
		err = netlink_send(optsample_request(s, cfg, STACK_UNSET,
						     STACK_UNSET));
		if (!err && cfg->recall != TC_OPTSAMPLE_RECALL_OFF)
			cli_warn("the kernel module is older than 'recall': messages that are lost on the air do not come back");
	}
	return err;
}

/* @runs_prog: out: the qdisc runs the program; else it needs a filter */
static int qdisc_add_optsample(const struct stack *s,
			       const struct stack_config *cfg, int prog_fd,
			       bool *runs_prog)
{
	int err = netlink_send(optsample_request(s, cfg, cfg->recall,
						 prog_fd));

	*runs_prog = !err;
	if (err == -EINVAL)
		err = qdisc_add_older(s, cfg);
	if (err == -ENOENT)
		return cli_error(err, "the kernel has no optsample qdisc: load sch_optsample.ko");
	if (err)
		cli_error(err, "cannot set the qdisc of %s: %s", s->queue,
			  netlink_why(err));
	return err;
}

/*
 * Ordinary traffic gets fq_codel, whatever net.core.default_qdisc says. It has
 * the limits of a device's own fq_codel. Without fq_codel the default stays.
 */
static int qdisc_add_ordinary(const struct stack *s,
			      const struct stack_config *cfg)
{
	struct nl_msg *msg = netlink_tc(RTM_NEWQDISC, NLM_F_CREATE |
					NLM_F_REPLACE,
					netlink_ifindex(s->queue),
					STACK_ORDINARY, 0, 0);
	uint32_t memlimit = cfg->memlimit;
	struct nlattr *opts;
	int err;

	if (memlimit == STACK_UNSET)
		memlimit = STACK_MEMLIMIT;
	nla_put_string(msg, TCA_KIND, "fq_codel");
	opts = nla_nest_start(msg, TCA_OPTIONS);
	nla_put_u32(msg, TCA_FQ_CODEL_LIMIT, STACK_ORDINARY_PACKETS);
	nla_put_u32(msg, TCA_FQ_CODEL_MEMORY_LIMIT, memlimit / 4);
	nla_put_u32(msg, TCA_FQ_CODEL_TARGET, STACK_CODEL_US);
	nla_put_u32(msg, TCA_FQ_CODEL_INTERVAL, STACK_CODEL_US);
	nla_nest_end(msg, opts);
	err = netlink_send(msg);
	if (err == -ENOENT) {
		cli_warn("the kernel has no fq_codel: ordinary traffic of %s waits in the default qdisc",
			 s->queue);
		return 0;
	}
	if (err)
		cli_error(err, "cannot set the qdisc for ordinary traffic of %s: %s",
			  s->queue, netlink_why(err));
	return err;
}

static void stack_put_field(struct nl_msg *msg, const struct stack_profile *p,
			    int attr, uint32_t value)
{
	if (p->fields & 1U << attr)
		nla_put_u32(msg, attr, value);
}

static void put_profile(struct nl_msg *msg, const void *arg)
{
	const struct stack_profile *p = arg;
	struct nlattr *profiles, *profile;

	profiles = nla_nest_start(msg, TCA_OPTSAMPLE_PROFILES | NLA_F_NESTED);
	profile = nla_nest_start(msg, TCA_OPTSAMPLE_PROFILE | NLA_F_NESTED);
	nla_put_u32(msg, TCA_OPTSAMPLE_PROFILE_ID, p->id);
	if (p->fields & 1U << TCA_OPTSAMPLE_PROFILE_NONE)
		nla_put_flag(msg, TCA_OPTSAMPLE_PROFILE_NONE);
	stack_put_field(msg, p, TCA_OPTSAMPLE_PROFILE_LIMIT, p->limit);
	stack_put_field(msg, p, TCA_OPTSAMPLE_PROFILE_POLICY, p->policy);
	stack_put_field(msg, p, TCA_OPTSAMPLE_PROFILE_PRIORITY, p->priority);
	stack_put_field(msg, p, TCA_OPTSAMPLE_PROFILE_SYNC, p->slop_us);
	stack_put_field(msg, p, TCA_OPTSAMPLE_PROFILE_AGE, p->age_ms);
	nla_nest_end(msg, profile);
	nla_nest_end(msg, profiles);
}

static int qdisc_change_error(const char *queue, int err)
{
	return cli_error(err, "cannot change the qdisc of %s: %s", queue,
			 netlink_why(err));
}

/*
 * Change options of the optsample qdisc on @queue; @put adds them. The kernel's
 * answer goes to @answer, and is not logged.
 */
static int qdisc_try_change(const char *queue,
			    void (*put)(struct nl_msg *msg, const void *arg),
			    const void *arg, int *answer)
{
	struct qdisc_query q;
	struct nlattr *opts;
	struct nl_msg *msg;
	int err;

	/*
	 * By handle: changing the root would replace a qdisc of another kind.
	 */
	err = qdisc_find(netlink_ifindex(queue), TC_H_ROOT, &q);
	if (err)
		return err;
	if (strcmp(q.kind, "optsample"))
		return cli_error(-ENOENT, "%s has no optsample qdisc", queue);
	msg = netlink_tc(RTM_NEWQDISC, 0, q.ifindex, 0, q.handle, 0);
	nla_put_string(msg, TCA_KIND, "optsample");
	opts = nla_nest_start(msg, TCA_OPTIONS | NLA_F_NESTED);
	put(msg, arg);
	nla_nest_end(msg, opts);
	*answer = netlink_send(msg);
	return 0;
}

static int qdisc_change(const char *queue,
			void (*put)(struct nl_msg *msg, const void *arg),
			const void *arg)
{
	int answer, err = qdisc_try_change(queue, put, arg, &answer);

	if (!err && answer)
		err = qdisc_change_error(queue, answer);
	return err;
}

int stack_profile(const char *queue, const struct stack_profile *p)
{
	const uint32_t age = 1U << TCA_OPTSAMPLE_PROFILE_AGE;
	struct stack_profile older = *p;
	int answer, err = qdisc_try_change(queue, put_profile, p, &answer);

	if (err || !answer)
		return err;
	if (answer != -EINVAL || !(p->fields & age))
		return qdisc_change_error(queue, answer);
	older.fields &= ~age;
	err = qdisc_change(queue, put_profile, &older);
	if (!err)
		cli_warn("the kernel module is older than 'age': messages of profile %u do not get too old",
			 p->id);
	return err;
}

static void put_flush(struct nl_msg *msg, const void *arg)
{
	(void)arg;
	nla_put_flag(msg, TCA_OPTSAMPLE_FLUSH);
}

int stack_flush(const char *queue)
{
	return qdisc_change(queue, put_flush, NULL);
}

static void put_watch(struct nl_msg *msg, const void *arg)
{
	nla_put_string(msg, TCA_OPTSAMPLE_WATCH, arg);
}

int stack_set_watch(const char *queue, const char *dev)
{
	return qdisc_change(queue, put_watch, dev);
}

static void put_pause(struct nl_msg *msg, const void *arg)
{
	nla_put_u32(msg, TCA_OPTSAMPLE_PAUSE, *(const uint32_t *)arg);
}

int stack_pause(const char *queue, uint32_t ms)
{
	return qdisc_change(queue, put_pause, &ms);
}

static int qdisc_add_clsact(int ifindex, const char *dev)
{
	struct nl_msg *msg = netlink_tc(RTM_NEWQDISC, NLM_F_CREATE |
					NLM_F_EXCL, ifindex, TC_H_CLSACT,
					TC_H_MAKE(TC_H_CLSACT, 0), 0);

	nla_put_string(msg, TCA_KIND, "clsact");
	return stack_do(msg, "add clsact to", dev);
}

static int qdisc_delete(const struct stack *s, uint32_t parent,
			uint32_t handle)
{
	return netlink_delete(netlink_tc(RTM_DELQDISC, 0, s->ifindex, parent,
					 handle, 0), "qdisc", s->dev);
}

/*
 * Whole setup
 */

/* A device of that name is not ours: undoing would remove it. */
static int stack_name_free(const char *name)
{
	if (!netlink_ifindex(name))
		return 0;
	return cli_error(-EEXIST, "cannot make device %s: File exists", name);
}

/* A device that does not exist yet has nothing on it. */
static int stack_plan_own(struct stack *s)
{
	s->ifindex = 0;
	s->made_own = true;
	s->made_ifb = true;
	s->made_clsact = true;
	s->made_qdisc = true;
	return 0;
}

int stack_plan(struct stack *s)
{
	int ifindex = netlink_ifindex(s->dev);
	bool ifb = strcmp(s->queue, s->dev);
	struct filter_query f;
	struct qdisc_query q;
	int err = 0;

	if (*s->lower && !s->made_own)
		err = stack_name_free(s->dev);
	if (!err && ifb && !s->made_ifb)
		err = stack_name_free(s->queue);
	if (!err && *s->keep && !s->made_keep)
		err = stack_name_free(s->keep);
	if (err)
		return err;
	if (!ifindex && *s->lower)
		return stack_plan_own(s);
	if (!ifindex)
		return cli_error(-ENODEV, "no device %s", s->dev);
	err = qdisc_find(ifindex, ifb ? TC_H_CLSACT : TC_H_ROOT, &q);
	if (err)
		return err;
	if (!ifb && q.handle)
		return cli_error(-EBUSY, "%s has a %s qdisc of its own: remove it first",
				 s->dev, q.kind);
	if (ifb && !strcmp(q.kind, "ingress"))
		return cli_error(-EBUSY, "%s has an ingress qdisc: use clsact instead",
				 s->dev);
	err = filter_find(ifindex, &f);
	if (err)
		return err;
	if (ifb && (f.pass || f.redirect))
		return cli_error(-EBUSY, "%s has egress filters of pref %d or %d, which optsample uses, see 'optsample show'",
				 s->dev, FILTER_PREF_PASS,
				 FILTER_PREF_REDIRECT);
	s->ifindex = ifindex;
	s->made_ifb = ifb;
	s->made_keep = *s->keep;
	s->made_clsact = ifb && !*q.kind;
	s->made_qdisc = true;
	return 0;
}

int stack_own(struct stack *s)
{
	int err = 0;

	if (*s->lower && !s->ifindex) {
		err = own_add(s->dev, s->lower, &s->own);
		s->ifindex = netlink_ifindex(s->dev);
	}
	return err;
}

int stack_queue(struct stack *s)
{
	int err = -EOPNOTSUPP;

	if (!s->made_ifb)
		return 0;
	if (!link_wants_ifb())
		err = link_add(s->queue, "optsample");
	s->egress = !err;
	if (err == -EOPNOTSUPP)
		err = link_add(s->queue, "ifb");
	if (err)
		return cli_error(err, "cannot make device %s: %s", s->queue,
				 err == -EOPNOTSUPP ?
				 "neither the kernel's ifb nor the module's link type is there" :
				 netlink_why(err));
	return link_dormant_up(s->queue);
}

bool stack_redirects_by_bpf(const struct stack *s)
{
	/* bpf_redirect() needs a link layer header. */
	return s->egress && stack_is_ethernet(s->dev);
}

static int redirect_by_mirred(const struct stack *s)
{
	return filter_add_pass(s, ETH_P_PAE) ?: filter_add_redirect(s);
}

int stack_redirect(const struct stack *s, int redirect_fd)
{
	int err = 0;

	if (s->egress)
		err = stack_link_set(netlink_ifindex(s->queue), s->ifindex,
				     NULL);
	if (err)
		return cli_error(err, "cannot let %s send by %s: %s", s->queue,
				 s->dev, netlink_why(err));
	if (s->made_clsact)
		err = qdisc_add_clsact(s->ifindex, s->dev);
	if (err)
		return err;
	err = redirect_fd < 0 ? -ENOENT :
	      filter_add_bpf(s->ifindex, FILTER_EGRESS, FILTER_PREF_REDIRECT,
			     "redirect", redirect_fd);
	if (err == -ENOENT)	/* the kernel has no cls_bpf */
		return redirect_by_mirred(s);
	if (err)
		cli_error(err, "cannot add the BPF program to %s: %s", s->dev,
			  netlink_why(err));
	return err;
}

static int filter_add_classifier(const struct stack *s, int prog_fd)
{
	int err = filter_add_bpf(netlink_ifindex(s->queue), STACK_HANDLE, 1,
				 "ros_tag", prog_fd);

	if (err)
		cli_error(err, "cannot add the BPF program to %s: %s",
			  s->queue, netlink_why(err));
	return err;
}

int stack_up(const struct stack *s, const struct stack_config *cfg,
	     int prog_fd, int redirect_fd)
{
	bool runs_prog;
	int err;

	err = qdisc_add_optsample(s, cfg, prog_fd, &runs_prog);
	if (!err)
		err = qdisc_add_ordinary(s, cfg);
	if (!err && !runs_prog)
		err = filter_add_classifier(s, prog_fd);
	if (!err && s->made_ifb)
		err = stack_redirect(s, redirect_fd);
	return err;
}

int stack_keep(struct stack *s, int prog_fd)
{
	int err = link_add(s->keep, s->egress ? "optsample" : "ifb");

	if (err)
		return cli_error(err, "cannot make device %s: %s", s->keep,
				 netlink_why(err));
	err = link_dormant_up(s->keep);
	/* Without a link it drops all packets until the daemon names one. */
	if (err || s->egress)
		return err;
	err = qdisc_add_clsact(netlink_ifindex(s->keep), s->keep);
	if (err)
		return err;
	err = filter_add_bpf(netlink_ifindex(s->keep), FILTER_EGRESS, 1, "keep",
			     prog_fd);
	if (err == -ENOENT) {
		cli_warn("the kernel has no cls_bpf: %s loses what it sends if its network manager removes its addresses",
			 s->dev);
		err = link_delete(s->keep);
		if (err)
			return err;
		s->made_keep = false;
		*s->keep = '\0';
	} else if (err) {
		cli_error(err, "cannot add the BPF program to %s: %s", s->keep,
			  netlink_why(err));
	}
	return err;
}

/* The user's filters stay, and so does the qdisc that they are of. */
static int clsact_undo(const struct stack *s)
{
	struct filter_query f;
	int err = filter_find_all(s->ifindex, &f);

	return err || f.others ? err : qdisc_delete(s, TC_H_CLSACT, 0);
}

int stack_redirect_undo(const struct stack *s)
{
	int err;

	if (s->made_own)	/* the rest is removed with it */
		return link_delete_own(s);
	err = filter_delete(s, FILTER_PREF_REDIRECT, ETH_P_ALL) ?:
	      filter_delete(s, FILTER_PREF_PASS, ETH_P_PAE);
	if (!err && s->made_clsact)
		err = clsact_undo(s);
	return err;
}

bool stack_is_redirected(const struct stack *s, bool *whole)
{
	struct filter_query f;

	if (filter_find(s->ifindex, &f))
		f.redirect = f.by_bpf = true;
	*whole = filters_redirect(&f);
	return f.redirect;
}

int stack_down(const struct stack *s)
{
	int err = 0;

	/* First: its packets must take the normal path. */
	if (s->made_keep)
		err = link_delete(s->keep);
	if (!err && s->made_ifb)
		err = stack_redirect_undo(s);
	/* Packets that are redirected to a removed device are lost. */
	if (err)
		return err;
	if (s->made_qdisc && !s->made_ifb)
		err = qdisc_delete(s, TC_H_ROOT, STACK_HANDLE);
	if (s->made_ifb)
		err = link_delete(s->queue);
	return err;
}

bool stack_is_whole(const struct stack *s, char why[STACK_WHY])
{
	int ifindex = netlink_ifindex(s->dev);
	struct filter_query f;
	struct qdisc_query q;
	char name[IFNAMSIZ];

	if (ifindex == s->ifindex) {
		if (qdisc_find(netlink_ifindex(s->queue), TC_H_ROOT, &q) ||
		    filter_find(ifindex, &f)) {
			snprintf(why, STACK_WHY, "cannot read its state");
			return false;
		}
		if (strcmp(q.kind, "optsample") ||
		    (s->made_ifb && !filters_redirect(&f)))
			snprintf(why, STACK_WHY, "has lost its queue or the redirect to it");
		else if (s->made_keep && !netlink_ifindex(s->keep))
			snprintf(why, STACK_WHY, "has lost %s, which keeps its addresses",
				 s->keep);
		else if (*s->lower && !own_is_on(s->dev, s->lower))
			snprintf(why, STACK_WHY, "is not on %s any more",
				 s->lower);
		else if (*s->lower && !own_has(ifindex, &s->own))
			snprintf(why, STACK_WHY, "has lost an address");
		else
			return true;
	} else if (ifindex) {
		snprintf(why, STACK_WHY, "was replaced by another device");
	} else if (!*s->lower && if_indextoname(s->ifindex, name)) {
		snprintf(why, STACK_WHY, "was renamed: run 'optsample down %s', then 'optsample up %s'",
			 s->dev, name);
	} else {
		snprintf(why, STACK_WHY, "is gone");
	}
	return false;
}
