// SPDX-License-Identifier: GPL-2.0-only
/*
 * The whole setup of an interface, see stack.h.
 */
#include <assert.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/pkt_cls.h>
#include <linux/pkt_sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "netdev/device.h"
#include "netdev/filter.h"
#include "netdev/log.h"
#include "netdev/netlink.h"
#include "netdev/qdisc.h"
#include "netdev/stack.h"

/*
 * The plan
 */

/* A device of that name is not ours: undoing would remove it. */
static int stack_name_free(const char *name, struct error *error)
{
	if (!netlink_ifindex(name))
		return 0;
	return error_set(error, -EEXIST,
			 "cannot make device %s: File exists", name);
}

/* No device that we make exists, unless an earlier plan made it. */
static int stack_names_free(const struct stack *s, struct error *error)
{
	int err = 0;

	if (*s->lower && !s->made_own)
		err = stack_name_free(s->dev, error);
	if (!err && strcmp(s->queue, s->dev) && !s->made_ifb)
		err = stack_name_free(s->queue, error);
	if (!err && *s->keep && !s->made_keep)
		err = stack_name_free(s->keep, error);
	return err;
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

/* The qdisc on the device itself */
static int stack_plan_root(struct stack *s, int ifindex,
			   struct error *error)
{
	struct qdisc_query q;
	int err = qdisc_find(ifindex, TC_H_ROOT, &q, error);

	if (err)
		return err;
	if (q.handle)
		return error_set(error, -EBUSY, "%s has a %s qdisc of its own: remove it first",
				 s->dev, q.kind);
	s->made_clsact = false;
	return 0;
}

/* The redirect from the device */
static int stack_plan_redirect(struct stack *s, int ifindex,
			       struct error *error)
{
	struct filter_query f;
	struct qdisc_query q;
	int err = qdisc_find(ifindex, TC_H_CLSACT, &q, error);

	if (err)
		return err;
	if (!strcmp(q.kind, "ingress"))
		return error_set(error, -EBUSY, "%s has an ingress qdisc: use clsact instead",
				 s->dev);
	err = filter_find(ifindex, &f, error);
	if (err)
		return err;
	if (f.pass || f.redirect)
		return error_set(error, -EBUSY, "%s has egress filters of pref %d or %d, which optsample uses, see 'optsample show'",
				 s->dev, FILTER_PREF_PASS,
				 FILTER_PREF_REDIRECT);
	s->made_clsact = !*q.kind;
	return 0;
}

int stack_plan(struct stack *s, struct error *error)
{
	int ifindex = netlink_ifindex(s->dev);
	bool ifb = strcmp(s->queue, s->dev);
	int err = stack_names_free(s, error);

	assert(*s->dev);
	if (err)
		return err;
	if (!ifindex && *s->lower)
		return stack_plan_own(s);
	if (!ifindex)
		return error_set(error, -ENODEV, "no device %s", s->dev);
	err = ifb ? stack_plan_redirect(s, ifindex, error) :
		    stack_plan_root(s, ifindex, error);
	if (err)
		return err;
	s->ifindex = ifindex;
	s->made_ifb = ifb;
	s->made_keep = *s->keep;
	s->made_qdisc = true;
	return 0;
}

/*
 * Up
 */

int stack_own(struct stack *s, struct error *error)
{
	int err = 0;

	if (*s->lower && !s->ifindex) {
		err = own_add(s->dev, s->lower, &s->own, error);
		s->ifindex = netlink_ifindex(s->dev);
	}
	return err;
}

/* for tests of what an older module gets, which has no link type */
static bool stack_wants_ifb(void)
{
	const char *type = getenv("OPTSAMPLE_LINK_TYPE");

	return type && !strcmp(type, "ifb");
}

static int stack_make_error(const char *name, int err, struct error *error)
{
	return error_set(error, err, "cannot make device %s: %s", name,
			 err == -EOPNOTSUPP ?
			 "neither the kernel's ifb nor the module's link type is there" :
			 netlink_why(err));
}

int stack_queue(struct stack *s, struct error *error)
{
	int err = -EOPNOTSUPP;

	if (!s->made_ifb)
		return 0;
	if (!stack_wants_ifb())
		err = device_add(s->queue, "optsample");
	s->egress = !err;
	if (err == -EOPNOTSUPP)
		err = device_add(s->queue, "ifb");
	if (err)
		return stack_make_error(s->queue, err, error);
	return device_up_dormant(s->queue, error);
}

bool stack_redirects_by_bpf(const struct stack *s)
{
	/* bpf_redirect() needs a link layer header. */
	return s->egress && device_is_ethernet(s->dev);
}

static int stack_bpf_error(const char *dev, int err, struct error *error)
{
	return error_set(error, err, "cannot add the BPF program to %s: %s",
			 dev, netlink_why(err));
}

int stack_redirect(const struct stack *s, int redirect_fd,
		   struct error *error)
{
	int queue = netlink_ifindex(s->queue), err = 0;

	if (s->egress)
		err = device_send_by(queue, s->ifindex, NULL);
	if (err)
		return error_set(error, err, "cannot let %s send by %s: %s",
				 s->queue, s->dev, netlink_why(err));
	if (s->made_clsact)
		err = qdisc_add_clsact(s->ifindex, s->dev, error);
	if (err)
		return err;
	err = redirect_fd < 0 ? -ENOENT :
	      filter_add_bpf(s->ifindex, FILTER_EGRESS, FILTER_PREF_REDIRECT,
			     "redirect", redirect_fd);
	if (err == -ENOENT)	/* the kernel has no cls_bpf */
		return filter_add_redirect(s->ifindex, s->dev, queue, error);
	return err ? stack_bpf_error(s->dev, err, error) : 0;
}

int stack_up(const struct stack *s, const struct qdisc_config *cfg,
	     int prog_fd, int redirect_fd, const struct netdev_log *log,
	     struct error *error)
{
	int err = qdisc_add(s->queue, stack_watch(s), cfg, prog_fd, log,
			    error);

	if (!err && s->made_ifb)
		err = stack_redirect(s, redirect_fd, error);
	return err;
}

int stack_keep(struct stack *s, int prog_fd, const struct netdev_log *log,
	       struct error *error)
{
	int err = device_add(s->keep, s->egress ? "optsample" : "ifb");

	if (err)
		return error_set(error, err, "cannot make device %s: %s",
				 s->keep, netlink_why(err));
	err = device_up_dormant(s->keep, error);
	/* Without a link it drops all packets until the daemon names one. */
	if (err || s->egress)
		return err;
	err = qdisc_add_clsact(netlink_ifindex(s->keep), s->keep, error);
	if (err)
		return err;
	err = filter_add_bpf(netlink_ifindex(s->keep), FILTER_EGRESS, 1, "keep",
			     prog_fd);
	if (err != -ENOENT)
		return err ? stack_bpf_error(s->keep, err, error) : 0;
	netdev_warn(log, "the kernel has no cls_bpf: %s loses what it sends if its network manager removes its addresses",
		    s->dev);
	err = device_delete(s->keep, error);
	if (err)
		return err;
	s->made_keep = false;
	*s->keep = '\0';
	return 0;
}

/*
 * Down
 */

/* The user's filters stay, and so does the qdisc that they are of. */
static int stack_delete_clsact(const struct stack *s, struct error *error)
{
	struct filter_query f;
	int err = filter_find_all(s->ifindex, &f, error);

	return err || f.others ? err : qdisc_delete(s->ifindex, s->dev,
						    TC_H_CLSACT, 0, error);
}

/* The ipvlan may have been renamed. */
static int stack_delete_own(const struct stack *s, struct error *error)
{
	char name[IFNAMSIZ];

	if (!s->ifindex || !if_indextoname(s->ifindex, name) ||
	    !own_is_ipvlan(s->ifindex))
		return 0;
	return device_delete(name, error);
}

int stack_redirect_undo(const struct stack *s, struct error *error)
{
	int err;

	if (s->made_own)	/* the rest is removed with it */
		return stack_delete_own(s, error);
	err = filter_delete_redirect(s->ifindex, s->dev, error);
	if (!err && s->made_clsact)
		err = stack_delete_clsact(s, error);
	return err;
}

int stack_down(const struct stack *s, struct error *error)
{
	int err = 0;

	/* First: its packets must take the normal path. */
	if (s->made_keep)
		err = device_delete(s->keep, error);
	if (!err && s->made_ifb)
		err = stack_redirect_undo(s, error);
	/* Packets that are redirected to a removed device are lost. */
	if (err)
		return err;
	if (s->made_qdisc && !s->made_ifb)
		err = qdisc_delete(s->ifindex, s->dev, TC_H_ROOT, QDISC_HANDLE,
				   error);
	if (s->made_ifb)
		err = device_delete(s->queue, error);
	return err;
}

/*
 * State
 */

int stack_find_redirect(const struct stack *s, bool *any, bool *whole,
			struct error *error)
{
	struct filter_query f;
	int err = filter_find(s->ifindex, &f, error);

	*any = err || f.redirect;
	*whole = err || filters_redirect(&f);
	return err;
}

/* The device is the same: is all in place? NULL, or what is not */
static const char *stack_fault(const struct stack *s, char text[STACK_WHY])
{
	struct error error;
	struct filter_query f;
	struct qdisc_query q;

	if (qdisc_find(netlink_ifindex(s->queue), TC_H_ROOT, &q, &error) ||
	    filter_find(s->ifindex, &f, &error))
		return "cannot read its state";
	if (strcmp(q.kind, "optsample") ||
	    (s->made_ifb && !filters_redirect(&f)))
		return "has lost its queue or the redirect to it";
	if (s->made_keep && !netlink_ifindex(s->keep)) {
		snprintf(text, STACK_WHY, "has lost %s, which keeps its addresses",
			 s->keep);
		return text;
	}
	if (*s->lower && !own_is_on(s->dev, s->lower)) {
		snprintf(text, STACK_WHY, "is not on %s any more", s->lower);
		return text;
	}
	if (*s->lower && !own_has(s->ifindex, &s->own))
		return "has lost an address";
	return NULL;
}

bool stack_is_whole(const struct stack *s, char why[STACK_WHY])
{
	int ifindex = netlink_ifindex(s->dev);
	char name[IFNAMSIZ], text[STACK_WHY];
	const char *fault;

	if (ifindex && ifindex == s->ifindex) {
		fault = stack_fault(s, text);
		if (fault)
			snprintf(why, STACK_WHY, "%s", fault);
		return !fault;
	}
	if (ifindex)
		snprintf(why, STACK_WHY, "was replaced by another device");
	else if (!*s->lower && if_indextoname(s->ifindex, name))
		snprintf(why, STACK_WHY, "was renamed: run 'optsample down %s', then 'optsample up %s'",
			 s->dev, name);
	else
		snprintf(why, STACK_WHY, "is gone");
	return false;
}
