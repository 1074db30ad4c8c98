/* SPDX-License-Identifier: GPL-2.0-only */
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
#ifndef NETDEV_STACK_H
#define NETDEV_STACK_H

#include <net/if.h>
#include <stdbool.h>
#include "base/error.h"
#include "netdev/log.h"
#include "netdev/own.h"
#include "netdev/qdisc.h"

/**
 * struct stack - what `up` sets up for an interface
 * @dev:	name of the interface at that time, and its
 * @ifindex:	which stays the same when it is renamed
 * @lower:	interface below @dev if that is an own-DEV, see own.h; or ""
 * @own:	addresses of the ipvlan
 * @watch:	if @dev is a tunnel: the device that it sends by; or ""
 * @queue:	device with the qdisc: one of our own, or @dev itself
 * @keep:	device that keeps the addresses of @dev, see keep.h
 * @made_own:	the ipvlan was, or will be, made by us, and so must be undone;
 *		likewise the others
 * @egress:	@queue and @keep are of the module's link type; else each is an
 *		ifb
 * @made_ifb:	@queue, of either type, with the redirect to it
 * @made_keep:
 * @made_clsact:
 * @made_qdisc:
 */
struct stack {
	char	dev[IFNAMSIZ];
	int	ifindex;
	char	lower[IFNAMSIZ];
	struct own_addrs own;
	char	watch[IFNAMSIZ];
	char	queue[IFNAMSIZ];
	char	keep[IFNAMSIZ];
	bool	egress;
	bool	made_own;
	bool	made_ifb;
	bool	made_keep;
	bool	made_clsact;
	bool	made_qdisc;
};

/* The interface whose link counts */
static inline const char *stack_link(const struct stack *s)
{
	return *s->lower ? s->lower : s->dev;
}

/* The device whose carrier counts */
static inline const char *stack_watch(const struct stack *s)
{
	return *s->watch ? s->watch : stack_link(s);
}

enum { STACK_WHY = 160 };

/*
 * All return 0 or a negative errno. After a failure nothing is undone: call
 * stack_down().
 */

/**
 * stack_plan() - check whether and how it can be done
 * @s:		@dev, @queue, and @lower with @own, are set; @ifindex and
 *		@made_* are filled in
 *
 * Changes nothing. With @s in its file the rest can be undone at any time.
 *
 * Return: 0; or a negative errno, and @made_* is unchanged.
 */
int stack_plan(struct stack *s, struct error *error);

/* Make the ipvlan, if @s, which is planned, has one; @s->ifindex is set */
int stack_own(struct stack *s, struct error *error);

/**
 * stack_queue() - make the device of the queue, if @s has one
 * @s:		planned; @egress is filled in
 *
 * It is of the module's link type. It is an ifb if the module is older, or if
 * the environment variable OPTSAMPLE_LINK_TYPE is "ifb".
 */
int stack_queue(struct stack *s, struct error *error);

/* Does a program redirect, if the kernel has cls_bpf? */
bool stack_redirects_by_bpf(const struct stack *s);

/**
 * stack_up() - qdisc and filters
 * @s:		the devices are there
 * @cfg:	options
 * @prog_fd:	the classifier
 * @redirect_fd: from classifier_load_redirect(), or negative: mirred
 * @log:	gets a line for what the kernel lacks
 *
 * Redirects traffic in the last step.
 */
int stack_up(const struct stack *s, const struct qdisc_config *cfg,
	     int prog_fd, int redirect_fd, const struct netdev_log *log,
	     struct error *error);

/**
 * stack_keep() - make the device that keeps the addresses
 * @s:		with @queue; an ifb needs cls_bpf, or @keep and @made_keep are
 *		cleared
 * @prog_fd:	from classifier_load_keep(); only for an ifb
 * @log:	gets a line if the kernel lacks cls_bpf
 */
int stack_keep(struct stack *s, int prog_fd, const struct netdev_log *log,
	       struct error *error);

/* Only the last step, for a device that replaced another one */
int stack_redirect(const struct stack *s, int redirect_fd,
		   struct error *error);
/**
 * stack_find_redirect() - is DEV redirected to its queue?
 * @s:		what up did
 * @any:	out: it is
 * @whole:	out: with all filters that this needs
 *
 * Return: 0; or a negative errno: both are true.
 */
int stack_find_redirect(const struct stack *s, bool *any, bool *whole,
			struct error *error);
/* Undo it, for a device that was replaced. The ipvlan is removed. */
int stack_redirect_undo(const struct stack *s, struct error *error);

/**
 * stack_down() - undo what is noted in @s, as far as it still exists
 *
 * Return: 0, or a negative errno: then @queue still exists, and traffic flows
 * through it.
 */
int stack_down(const struct stack *s, struct error *error);

/* Is it complete? If not, @why follows the name of the device. */
bool stack_is_whole(const struct stack *s, char why[STACK_WHY]);

#endif
