/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OPTSAMPLE_CTL_STACK_H
#define OPTSAMPLE_CTL_STACK_H

#include "ctl.h"

enum {
	STACK_HANDLE	= 0x0bad0000,	/* of the qdisc: "bad:", for bad links */
	STACK_UNSET	= 0xffffffff,	/* leave it to the kernel */
};

/**
 * struct stack_config - options of the qdisc, STACK_UNSET if not given
 * @rate:	bytes per second, 0: none
 */
struct stack_config {
	uint32_t	limit;
	uint32_t	policy;
	uint32_t	memlimit;
	uint32_t	inflight_packets;
	uint32_t	settle_ms;
	uint64_t	rate;
};

/**
 * struct stack - what `up` puts around an interface
 * @dev:	the interface
 * @queue:	device with the qdisc: an ifb, or @dev itself
 * @made_ifb:	and what else was made, to be undone
 * @made_clsact:
 * @made_filters:
 * @made_qdisc:
 */
struct stack {
	char	dev[IFNAMSIZ];
	char	queue[IFNAMSIZ];
	bool	made_ifb;
	bool	made_clsact;
	bool	made_filters;
	bool	made_qdisc;
};

/* Name of the ifb of @dev, at most 15 characters, the same every time */
void stack_ifb_name(const char *dev, char name[IFNAMSIZ]);
bool stack_is_wireless(const char *dev);

/**
 * stack_up - devices, qdisc and filters
 * @s:		@dev and @queue are set; what is made is noted
 * @cfg:	options
 * @prog_fd:	the classifier
 *
 * Traffic is only redirected at the very end. On failure nothing is undone:
 * call stack_down().
 */
int stack_up(struct stack *s, const struct stack_config *cfg, int prog_fd);

/* Undo what is noted in @s; what is gone already is fine. */
int stack_down(struct stack *s);

#endif
