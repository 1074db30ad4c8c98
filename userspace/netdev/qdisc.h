/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Qdiscs: the optsample qdisc and its options, and clsact.
 */
#ifndef NETDEV_QDISC_H
#define NETDEV_QDISC_H

#include <stdint.h>
#include "base/error.h"
#include "base/queue_profile.h"
#include "netdev/log.h"

enum {
	QDISC_HANDLE	= 0x0bad0000,	/* "bad:", for bad links */
	QDISC_UNSET	= 0xffffffff,	/* leave it to the kernel */
};

/**
 * struct qdisc_config - options of the qdisc, QDISC_UNSET if not given
 * @limit:	messages per flow
 * @policy:	enum optsample_policy
 * @memlimit:	memory for held packets, bytes
 * @inflight_packets: packets below the qdisc, 0: any number
 * @inflight_auto: 1: the qdisc finds the limit
 * @settle_ms:	time to hold after the link is back, ms
 * @recall:	enum tc_optsample_recall
 * @age_ms:	lifetime of ordinary traffic in an outage, ms; 0: for ever
 * @rate:	bytes per second, 0: none
 */
struct qdisc_config {
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
 * struct qdisc_query - the qdisc at a place of a device
 * @ifindex:	of the device
 * @parent:	TC_H_ROOT, TC_H_CLSACT ...
 * @kind:	of the qdisc, "" if there is none
 * @handle:	0: a default one of the kernel
 */
struct qdisc_query {
	int		ifindex;
	uint32_t	parent;
	char		kind[16];
	uint32_t	handle;
};

/* Return: 0, also if there is none; or a negative errno */
int qdisc_find(int ifindex, uint32_t parent, struct qdisc_query *q,
	       struct error *error);

/**
 * qdisc_add() - make the optsample qdisc the root of a device
 * @queue:	name of the device
 * @watch:	name of the device whose carrier counts
 * @cfg:	options
 * @prog_fd:	the classifier
 * @log:	gets a line for what the kernel lacks
 *
 * An older module refuses options that it does not know: then it gets fewer.
 * Ordinary traffic gets fq_codel, if the kernel has it.
 *
 * Return: 0; or a negative errno: nothing is undone.
 */
int qdisc_add(const char *queue, const char *watch,
	      const struct qdisc_config *cfg, int prog_fd,
	      const struct netdev_log *log, struct error *error);

int qdisc_add_clsact(int ifindex, const char *dev, struct error *error);
/* One that is not there is no error. */
int qdisc_delete(int ifindex, const char *dev, uint32_t parent,
		 uint32_t handle, struct error *error);

/*
 * Options of the optsample qdisc on @queue. Return: 0; -ENOENT: it has none; or
 * another negative errno
 */

/* Set or delete a profile. @log: gets a line if the module is too old */
int qdisc_set_profile(const char *queue, const struct queue_profile *p,
		      const struct netdev_log *log, struct error *error);
/* Drop its messages: their path is gone */
int qdisc_flush(const char *queue, struct error *error);
/* The carrier of device @dev counts from now on */
int qdisc_set_watch(const char *queue, const char *dev,
		    struct error *error);
/* Hold its flows for @ms from now, but not ordinary traffic; 0: end */
int qdisc_pause(const char *queue, uint32_t ms, struct error *error);

#endif
