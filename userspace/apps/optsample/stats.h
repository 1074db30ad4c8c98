/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Statistics of an interface: its qdisc, and every flow by name.
 */
#ifndef APPS_OPTSAMPLE_STATS_H
#define APPS_OPTSAMPLE_STATS_H

#include "bpf/ros_tag.h"
#include "netdev/own.h"
#include "netdev/queue_stats.h"
#include "topics/topics.h"

/**
 * struct flow_stats - one flow
 * @classid:	of the tc class
 * @named:	@flow is known: sender and destination
 * @topic:	DDS topic and
 * @type:	type; empty if unknown
 * @st:		counters of the kernel
 */
struct flow_stats {
	uint32_t			classid;
	bool				named;
	struct ros_flow			flow;
	char				topic[TOPIC_NAME];
	char				type[TOPIC_NAME];
	struct tc_optsample_cl_stats	st;
};

/**
 * struct dev_stats - one interface
 * @dev:	the interface
 * @lower:	interface below @dev if that is an own-DEV, or "",
 * @own:	and its addresses
 * @queue:	its qdisc
 * @flow:	flows, sorted by topic, owned
 * @nflows:	their number
 * @left_out:	writers that are not sampled, as there are too many
 * @warnings:	one line, owned, or NULL
 */
struct dev_stats {
	char				dev[IFNAMSIZ];
	char				lower[IFNAMSIZ];
	struct own_addrs		own;
	struct queue_stats		queue;
	struct flow_stats		*flow;
	size_t				nflows;
	size_t				left_out;
	char				*warnings;
};

/* Messages that were sent or are queued */
static inline uint64_t stats_kept(const struct tc_optsample_counters *c)
{
	return c->msgs_in - c->msgs_sampled - c->msgs_evicted;
}

/* Works without `up`, too: an optsample qdisc on @dev or on its ifb */
int stats_read(const char *dev, struct dev_stats *s);
void stats_free(struct dev_stats *s);

/* Name of a flow in @n bytes: topic, else GUID, else flow id */
void stats_flow_name(const struct flow_stats *f, char *to, size_t n);
/* Sender: GUID, or address of a UDPROS socket, or stream and topic */
void stats_flow_from(const struct flow_stats *f, char *to, size_t n);
/* "10.0.0.2:7411" or "[fe80::1]:7411", empty if unknown */
void stats_flow_to(const struct flow_stats *f, char *to, size_t n);

/* Call @fn with @dev, or with each interface that is up if @dev is NULL */
int stats_each(const char *dev, int (*fn)(const char *dev, void *arg),
	       void *arg);

#endif
