// SPDX-License-Identifier: GPL-2.0-only
/*
 * Qdiscs by rtnetlink, see qdisc.h.
 */
#include <assert.h>
#include <errno.h>
#include <linux/pkt_cls.h>
#include <linux/pkt_sch_optsample.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "base/error.h"
#include "base/queue_profile.h"
#include "netdev/filter.h"
#include "netdev/log.h"
#include "netdev/netlink.h"
#include "netdev/qdisc.h"

enum {
	QDISC_ORDINARY		= QDISC_HANDLE | 0xffff, /* see tc-optsample(8) */
	QDISC_ORDINARY_PACKETS	= 10240,	/* fq_codel's default */
	QDISC_CODEL_US		= 1000000,	/* see kernel/ordinary.c */
	QDISC_MEMLIMIT		= 64 << 20,	/* the kernel's default */
};

static int qdisc_on_qdisc(struct nlmsghdr *h, void *arg)
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

int qdisc_find(int ifindex, uint32_t parent, struct qdisc_query *q,
	       struct error *error)
{
	struct tcmsg t = { .tcm_family = AF_UNSPEC, .tcm_ifindex = ifindex };
	int err;

	*q = (struct qdisc_query){ .ifindex = ifindex, .parent = parent };
	err = netlink_dump(RTM_GETQDISC, &t, sizeof(t), qdisc_on_qdisc, q);
	return err ? error_set(error, err, "cannot read qdiscs: %s",
			       netlink_why(err)) : 0;
}

/*
 * Set up
 */

static void put_option(struct nl_msg *msg, int attr, uint32_t value)
{
	if (value != QDISC_UNSET)
		nla_put_u32(msg, attr, value);
}

/* @prog: file descriptor of the classifier, or QDISC_UNSET */
static struct nl_msg *qdisc_request(const char *queue, const char *watch,
				    const struct qdisc_config *cfg,
				    uint32_t prog)
{
	struct nl_msg *msg = netlink_tc(RTM_NEWQDISC, NLM_F_CREATE |
					NLM_F_REPLACE, netlink_ifindex(queue),
					TC_H_ROOT, QDISC_HANDLE, 0);
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
	put_option(msg, TCA_OPTSAMPLE_RECALL, cfg->recall);
	put_option(msg, TCA_OPTSAMPLE_AGE, cfg->age_ms);
	nla_put_u32(msg, TCA_OPTSAMPLE_ORDINARY, QDISC_ORDINARY_PACKETS);
	put_option(msg, TCA_OPTSAMPLE_PROG_FD, prog);
	if (cfg->rate)
		nla_put_u64(msg, TCA_OPTSAMPLE_RATE64, cfg->rate);
	/* An ipvlan or a tunnel may miss that the device below it is down. */
	nla_put_string(msg, TCA_OPTSAMPLE_WATCH, watch);
	nla_nest_end(msg, opts);
	return msg;
}

/* For a module that refuses options that it does not know. */
static int qdisc_add_older(const char *queue, const char *watch,
			   const struct qdisc_config *cfg,
			   const struct netdev_log *log)
{
	struct qdisc_config older = *cfg;
	int err;

	older.age_ms = QDISC_UNSET;
	err = netlink_send(qdisc_request(queue, watch, &older, QDISC_UNSET));
	if (err != -EINVAL || cfg->recall == QDISC_UNSET)
		return err;
	older.recall = QDISC_UNSET;
	err = netlink_send(qdisc_request(queue, watch, &older, QDISC_UNSET));
	if (!err && cfg->recall != TC_OPTSAMPLE_RECALL_OFF)
		netdev_warn(log, "the kernel module is older than 'recall': messages that are lost on the air do not come back");
	return err;
}

/* A module that does not run the program itself needs a filter. */
static int qdisc_add_classifier(const char *queue, int prog_fd,
				struct error *error)
{
	int err = filter_add_bpf(netlink_ifindex(queue), QDISC_HANDLE, 1,
				 "ros_tag", prog_fd);

	return err ? error_set(error, err,
			       "cannot add the BPF program to %s: %s", queue,
			       netlink_why(err)) : 0;
}

/*
 * Ordinary traffic gets fq_codel, whatever net.core.default_qdisc says. It has
 * the limits of a device's own fq_codel. Without fq_codel the default stays.
 */
static int qdisc_add_ordinary(const char *queue, uint32_t memlimit,
			      const struct netdev_log *log,
			      struct error *error)
{
	struct nl_msg *msg = netlink_tc(RTM_NEWQDISC, NLM_F_CREATE |
					NLM_F_REPLACE, netlink_ifindex(queue),
					QDISC_ORDINARY, 0, 0);
	struct nlattr *opts;
	int err;

	if (memlimit == QDISC_UNSET)
		memlimit = QDISC_MEMLIMIT;
	nla_put_string(msg, TCA_KIND, "fq_codel");
	opts = nla_nest_start(msg, TCA_OPTIONS);
	nla_put_u32(msg, TCA_FQ_CODEL_LIMIT, QDISC_ORDINARY_PACKETS);
	nla_put_u32(msg, TCA_FQ_CODEL_MEMORY_LIMIT, memlimit / 4);
	nla_put_u32(msg, TCA_FQ_CODEL_TARGET, QDISC_CODEL_US);
	nla_put_u32(msg, TCA_FQ_CODEL_INTERVAL, QDISC_CODEL_US);
	nla_nest_end(msg, opts);
	err = netlink_send(msg);
	if (err == -ENOENT) {
		netdev_warn(log, "the kernel has no fq_codel: ordinary traffic of %s waits in the default qdisc",
			    queue);
		return 0;
	}
	return err ? error_set(error, err,
			       "cannot set the qdisc for ordinary traffic of %s: %s",
			       queue, netlink_why(err)) : 0;
}

int qdisc_add(const char *queue, const char *watch,
	      const struct qdisc_config *cfg, int prog_fd,
	      const struct netdev_log *log, struct error *error)
{
	bool runs_program;
	int err;

	assert(*queue && *watch && prog_fd >= 0);
	err = netlink_send(qdisc_request(queue, watch, cfg, prog_fd));
	runs_program = !err;
	if (err == -EINVAL)
		err = qdisc_add_older(queue, watch, cfg, log);
	if (err == -ENOENT)
		return error_set(error, err, "the kernel has no optsample qdisc: load sch_optsample.ko");
	if (err)
		return error_set(error, err, "cannot set the qdisc of %s: %s",
				 queue, netlink_why(err));
	err = qdisc_add_ordinary(queue, cfg->memlimit, log, error);
	if (err || runs_program)
		return err;
	return qdisc_add_classifier(queue, prog_fd, error);
}

int qdisc_add_clsact(int ifindex, const char *dev, struct error *error)
{
	struct nl_msg *msg = netlink_tc(RTM_NEWQDISC, NLM_F_CREATE |
					NLM_F_EXCL, ifindex, TC_H_CLSACT,
					TC_H_MAKE(TC_H_CLSACT, 0), 0);

	nla_put_string(msg, TCA_KIND, "clsact");
	return netlink_do(msg, error, "cannot add clsact to %s", dev);
}

int qdisc_delete(int ifindex, const char *dev, uint32_t parent,
		 uint32_t handle, struct error *error)
{
	return netlink_delete(netlink_tc(RTM_DELQDISC, 0, ifindex, parent,
					 handle, 0), "qdisc", dev, error);
}

/*
 * Changes
 */

typedef void (*qdisc_put)(struct nl_msg *msg, const void *arg);

static int qdisc_change_error(const char *queue, int err,
			      struct error *error)
{
	return error_set(error, err, "cannot change the qdisc of %s: %s",
			 queue, netlink_why(err));
}

/*
 * Change options of the optsample qdisc on @queue; @put adds them. The kernel's
 * answer goes to @answer.
 */
static int qdisc_try_change(const char *queue, qdisc_put put, const void *arg,
			    int *answer, struct error *error)
{
	struct qdisc_query q;
	struct nlattr *opts;
	struct nl_msg *msg;
	int err;

	/*
	 * By handle: changing the root would replace a qdisc of another kind.
	 */
	err = qdisc_find(netlink_ifindex(queue), TC_H_ROOT, &q, error);
	if (err)
		return err;
	if (strcmp(q.kind, "optsample"))
		return error_set(error, -ENOENT, "%s has no optsample qdisc",
				 queue);
	msg = netlink_tc(RTM_NEWQDISC, 0, q.ifindex, 0, q.handle, 0);
	nla_put_string(msg, TCA_KIND, "optsample");
	opts = nla_nest_start(msg, TCA_OPTIONS | NLA_F_NESTED);
	put(msg, arg);
	nla_nest_end(msg, opts);
	*answer = netlink_send(msg);
	return 0;
}

static int qdisc_change(const char *queue, qdisc_put put, const void *arg,
			struct error *error)
{
	int answer, err = qdisc_try_change(queue, put, arg, &answer, error);

	if (!err && answer)
		err = qdisc_change_error(queue, answer, error);
	return err;
}

static void put_field(struct nl_msg *msg, const struct queue_profile *p,
		      int attr, uint32_t value)
{
	if (p->fields & 1U << attr)
		nla_put_u32(msg, attr, value);
}

static void put_profile(struct nl_msg *msg, const void *arg)
{
	const struct queue_profile *p = arg;
	struct nlattr *profiles, *profile;

	profiles = nla_nest_start(msg, TCA_OPTSAMPLE_PROFILES | NLA_F_NESTED);
	profile = nla_nest_start(msg, TCA_OPTSAMPLE_PROFILE | NLA_F_NESTED);
	nla_put_u32(msg, TCA_OPTSAMPLE_PROFILE_ID, p->id);
	if (p->fields & 1U << TCA_OPTSAMPLE_PROFILE_NONE)
		nla_put_flag(msg, TCA_OPTSAMPLE_PROFILE_NONE);
	put_field(msg, p, TCA_OPTSAMPLE_PROFILE_LIMIT, p->limit);
	put_field(msg, p, TCA_OPTSAMPLE_PROFILE_POLICY, p->policy);
	put_field(msg, p, TCA_OPTSAMPLE_PROFILE_PRIORITY, p->priority);
	put_field(msg, p, TCA_OPTSAMPLE_PROFILE_SYNC, p->slop_us);
	put_field(msg, p, TCA_OPTSAMPLE_PROFILE_AGE, p->age_ms);
	nla_nest_end(msg, profile);
	nla_nest_end(msg, profiles);
}

int qdisc_set_profile(const char *queue, const struct queue_profile *p,
		      const struct netdev_log *log, struct error *error)
{
	const uint32_t age = 1U << TCA_OPTSAMPLE_PROFILE_AGE;
	struct queue_profile older = *p;
	int answer, err;

	assert(p->id >= 1 && p->id <= 63);
	err = qdisc_try_change(queue, put_profile, p, &answer, error);
	if (err || !answer)
		return err;
	if (answer != -EINVAL || !(p->fields & age))
		return qdisc_change_error(queue, answer, error);
	older.fields &= ~age;
	err = qdisc_change(queue, put_profile, &older, error);
	if (!err)
		netdev_warn(log, "the kernel module is older than 'age': messages of profile %u do not get too old",
			    p->id);
	return err;
}

static void put_flush(struct nl_msg *msg, const void *arg)
{
	(void)arg;
	nla_put_flag(msg, TCA_OPTSAMPLE_FLUSH);
}

int qdisc_flush(const char *queue, struct error *error)
{
	return qdisc_change(queue, put_flush, NULL, error);
}

static void put_watch(struct nl_msg *msg, const void *arg)
{
	nla_put_string(msg, TCA_OPTSAMPLE_WATCH, arg);
}

int qdisc_set_watch(const char *queue, const char *dev,
		    struct error *error)
{
	return qdisc_change(queue, put_watch, dev, error);
}

static void put_pause(struct nl_msg *msg, const void *arg)
{
	nla_put_u32(msg, TCA_OPTSAMPLE_PAUSE, *(const uint32_t *)arg);
}

int qdisc_pause(const char *queue, uint32_t ms, struct error *error)
{
	return qdisc_change(queue, put_pause, &ms, error);
}
