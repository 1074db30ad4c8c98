/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counters of the optsample qdisc of an interface, and of its classes.
 */
#ifndef NETDEV_QUEUE_STATS_H
#define NETDEV_QUEUE_STATS_H

#include <linux/pkt_sch_optsample.h>
#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/error.h"

/**
 * struct queue_class - a flow
 * @classid:	of the tc class
 * @st:		counters of the kernel
 */
struct queue_class {
	uint32_t			classid;
	struct tc_optsample_cl_stats	st;
};

/**
 * struct queue_stats - an optsample qdisc
 * @queue:	device with the qdisc
 * @policy:	enum optsample_policy
 * @limit:	messages per flow
 * @inflight:	packets that may be below the qdisc, 0: any number
 * @inflight_auto: the qdisc finds the limit
 * @gate_open:	the gate is open
 * @qd:		the kernel's counters of the qdisc
 * @classes:	flows, owned; queue_stats_free()
 * @nclasses:	their number
 */
struct queue_stats {
	char				queue[IFNAMSIZ];
	uint32_t			policy;
	uint32_t			limit;
	uint32_t			inflight;
	bool				inflight_auto;
	bool				gate_open;
	struct tc_optsample_qd_stats	qd;
	struct queue_class		*classes;
	size_t				nclasses;
};

/**
 * queue_stats_find() - read the qdisc on opt-DEV, else that on DEV itself
 * @dev:	name of DEV
 * @s:		gets it, without flows
 *
 * Return: 0; -ENOENT: there is none; or another negative errno.
 */
int queue_stats_find(const char *dev, struct queue_stats *s,
		     struct error *error);
/* Read its flows, after queue_stats_find(). Return: 0 or a negative errno */
int queue_stats_classes(struct queue_stats *s, struct error *error);
void queue_stats_free(struct queue_stats *s);

#endif
