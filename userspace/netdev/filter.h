/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef NETDEV_FILTER_H
#define NETDEV_FILTER_H

#include <linux/pkt_cls.h>
#include <linux/pkt_sched.h>
#include <stdbool.h>
#include <stdint.h>
#include "base/error.h"

/* after the user's filters */
enum {
	FILTER_PREF_PASS	= 48999,
	FILTER_PREF_REDIRECT	= 49000,
};

#define FILTER_EGRESS	TC_H_MAKE(TC_H_CLSACT, TC_H_MIN_EGRESS)
#define FILTER_INGRESS	TC_H_MAKE(TC_H_CLSACT, TC_H_MIN_INGRESS)

/**
 * struct filter_query - filters of clsact that exist
 * @ifindex:	of the device
 * @pass:	the one that lets EAPOL pass
 * @redirect:	the one that redirects
 * @by_bpf:	@redirect is a BPF program, which needs no @pass
 * @others:	filters that are not ours
 */
struct filter_query {
	int	ifindex;
	bool	pass;
	bool	redirect;
	bool	by_bpf;
	bool	others;
};

/* Find the filters at egress, or all of clsact. Return: 0 or a negative errno */
int filter_find(int ifindex, struct filter_query *q, struct error *error);
int filter_find_all(int ifindex, struct filter_query *q,
		    struct error *error);
/* Do they redirect? EAPOL in the queue could not end an outage. */
bool filters_redirect(const struct filter_query *q);

/**
 * filter_add_redirect() - redirect all packets of a device without BPF
 * @ifindex:	of the device, which has clsact
 * @dev:	its name
 * @queue:	number of the device that gets them
 *
 * EAPOL passes: it is needed to bring the link up. Return: 0 or a negative
 * errno.
 */
int filter_add_redirect(int ifindex, const char *dev, int queue,
			struct error *error);
/* Undo it, or that of BPF. One that is not there is no error. */
int filter_delete_redirect(int ifindex, const char *dev,
			   struct error *error);

/**
 * filter_add_bpf() - add a BPF program with direct action
 * @ifindex:	device
 * @parent:	FILTER_*, or the handle of a qdisc
 * @pref:	preference
 * @name:	of the program, as tc shows it
 * @prog_fd:	the program; stays open
 *
 * Return: 0 or a negative errno, see netlink_why(); -ENOENT: no cls_bpf.
 */
int filter_add_bpf(int ifindex, uint32_t parent, uint32_t pref,
		   const char *name, int prog_fd);

#endif
