/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef NETDEV_STACK_H
#define NETDEV_STACK_H

#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>
#include "netdev/own.h"

enum {
	STACK_HANDLE	= 0x0bad0000,	/* of the qdisc: "bad:", for bad links */
	STACK_UNSET	= 0xffffffff,	/* leave it to the kernel */
};

/**
 * struct stack_config - options of the qdisc, STACK_UNSET if not given
 * @inflight_auto: 1: the qdisc finds the limit
 * @recall:	enum tc_optsample_recall
 * @age_ms:	lifetime of ordinary traffic in an outage, ms; 0: for ever
 * @rate:	bytes per second, 0: none
 */
struct stack_config {
	uint32_t	limit;
	uint32_t	policy;
	uint32_t	memlimit;
	uint32_t	inflight_packets;
	uint32_t	inflight_auto;
	uint32_t	settle_ms;
	uint32_t	recall;
	uint32_t	age_ms;
	uint64_t	rate;
};

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

bool stack_is_wireless(const char *dev);
/* true for Wi-Fi as well */
bool stack_is_ethernet(const char *dev);
/* Is it part of a bridge, bond or VRF? */
bool stack_has_master(const char *dev);
/*
 * Does a bridge, bond or other master send by @dev, other than a VRF? It drops
 * packets while @dev has no carrier, before they could be queued. @master: out:
 * its name
 */
bool stack_is_port(const char *dev, char master[IFNAMSIZ]);

/**
 * stack_plan - check whether and how it can be done
 * @s:		@dev, @queue, and @lower with @own, are set; @ifindex and
 *		@made_* are filled in
 *
 * Changes nothing. With @s in its file the rest can be undone at any time.
 *
 * Return: 0, or negative errno, and @made_* is unchanged
 */
int stack_plan(struct stack *s);

/**
 * stack_own - make the ipvlan, if @s has one
 * @s:		planned; @ifindex is filled in
 *
 * On failure nothing is undone: call stack_down().
 */
int stack_own(struct stack *s);

/**
 * stack_queue - make the device of the queue, if @s has one
 * @s:		planned; @egress is filled in
 *
 * It is of the module's link type. It is an ifb if the module is older, or if
 * the environment variable OPTSAMPLE_LINK_TYPE is "ifb".
 *
 * On failure nothing is undone: call stack_down().
 */
int stack_queue(struct stack *s);

/* Does a program redirect, if the kernel has cls_bpf? */
bool stack_redirects_by_bpf(const struct stack *s);

/**
 * stack_up - qdisc and filters
 * @s:		the devices are there
 * @cfg:	options
 * @prog_fd:	the classifier
 * @redirect_fd: from classifier_load_redirect(), or negative: mirred
 *
 * Redirects traffic in the last step. On failure nothing is undone: call
 * stack_down().
 */
int stack_up(const struct stack *s, const struct stack_config *cfg,
	     int prog_fd, int redirect_fd);

/**
 * struct stack_profile - options of the flows of one profile
 * @id:		its number, 1..63
 * @fields:	which are set: 1 << TCA_OPTSAMPLE_PROFILE_*, of those below and
 *		NONE; all others are unchanged
 * @limit:	messages, or sets
 * @policy:	enum optsample_policy
 * @priority:	0..7
 * @slop_us:	sync: stamps that differ by at most this are equal, us
 * @age_ms:	older messages do not begin to leave, ms; 0: any
 */
struct stack_profile {
	uint32_t	id;
	uint32_t	fields;
	uint32_t	limit;
	uint32_t	policy;
	uint32_t	priority;
	uint32_t	slop_us;
	uint32_t	age_ms;
};

/* Set or delete a profile of the optsample qdisc on @queue */
int stack_profile(const char *queue, const struct stack_profile *p);

/* Drop the messages in @queue: their path is gone */
int stack_flush(const char *queue);
/* The carrier of device @dev counts from now on */
int stack_set_watch(const char *queue, const char *dev);
/* Hold the flows of @queue for @ms from now, but not ordinary traffic */
int stack_pause(const char *queue, uint32_t ms);

/**
 * stack_keep - make the device that keeps the addresses
 * @s:		with @queue; an ifb needs cls_bpf, or it warns, and clears @keep
 *		and @made_keep
 * @prog_fd:	from classifier_load_keep(); only for an ifb
 *
 * On failure nothing is undone: call stack_down().
 */
int stack_keep(struct stack *s, int prog_fd);

/**
 * stack_link_set - by which device one of the module's link type sends
 * @ifindex:	its number
 * @link:	number of that device, 0: none
 * @source:	source address of all its packets, NULL: unchanged
 */
int stack_link_set(int ifindex, int link, const uint8_t source[6]);

/* Only the last step, for a device that replaced another one */
int stack_redirect(const struct stack *s, int redirect_fd);
/**
 * stack_is_redirected - is DEV redirected to its queue
 * @s:		what up did
 * @whole:	out: with all filters that this needs
 *
 * Both are true after a read error.
 */
bool stack_is_redirected(const struct stack *s, bool *whole);
/*
 * Undo it, for a device that was replaced. The ipvlan is removed.
 */
int stack_redirect_undo(const struct stack *s);

/**
 * stack_down - undo what is noted in @s, as far as it still exists
 *
 * Return: 0, or negative errno: then @queue still exists, and traffic flows
 * through it
 */
int stack_down(const struct stack *s);

/* Is it complete? If not, @why follows the name of the device. */
bool stack_is_whole(const struct stack *s, char why[STACK_WHY]);

#endif
