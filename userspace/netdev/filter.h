/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef NETDEV_FILTER_H
#define NETDEV_FILTER_H

#include <linux/pkt_cls.h>
#include <linux/pkt_sched.h>
#include "netdev/stack.h"

/* after the user's filters */
enum {
	FILTER_PREF_PASS	= 48999,
	FILTER_PREF_REDIRECT	= 49000,
};

#define FILTER_EGRESS	TC_H_MAKE(TC_H_CLSACT, TC_H_MIN_EGRESS)
#define FILTER_INGRESS	TC_H_MAKE(TC_H_CLSACT, TC_H_MIN_INGRESS)

/**
 * struct filter_query - filters of clsact
 * @ifindex:	of the device
 * @pass:	there is the one that lets EAPOL pass
 * @redirect:	there is the one that redirects
 * @by_bpf:	@redirect is a BPF program, which needs no @pass
 * @others:	there are filters that are not ours
 */
struct filter_query {
	int	ifindex;
	bool	pass;
	bool	redirect;
	bool	by_bpf;
	bool	others;
};

/*
 * Find the filters at egress, or all of clsact. Return: 0, or a negative errno
 * that is logged already
 */
int filter_find(int ifindex, struct filter_query *q);
int filter_find_all(int ifindex, struct filter_query *q);
/* Do they redirect? EAPOL in the queue could not end an outage. */
bool filters_redirect(const struct filter_query *q);

/* Let packets of @protocol pass, or redirect all: for DEV. Errors are logged. */
int filter_add_pass(const struct stack *s, uint16_t protocol);
int filter_add_redirect(const struct stack *s);

/**
 * filter_add_bpf - add a BPF program with direct action
 * @ifindex:	device
 * @parent:	FILTER_*, or the handle of a qdisc
 * @pref:	preference
 * @name:	of the program, as tc shows it
 * @prog_fd:	the program; stays open
 *
 * Return: 0 or negative errno, not logged; -ENOENT: no cls_bpf
 */
int filter_add_bpf(int ifindex, uint32_t parent, uint32_t pref,
		   const char *name, int prog_fd);

/* Of DEV, at egress. One that is not there is no error; others are logged. */
int filter_delete(const struct stack *s, uint32_t pref, uint16_t protocol);

#endif
