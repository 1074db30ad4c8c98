/* SPDX-License-Identifier: GPL-2.0 */
/* Ordinary traffic: its child qdisc, and where it waits in a stall */
#ifndef OPTSAMPLE_ORDINARY_H
#define OPTSAMPLE_ORDINARY_H

#include "optsample.h"

/* ordinary.c */
/* Ordinary packets that wait */
static inline u32 optsample_ordinary_qlen(const struct optsample_sched *q)
{
	const struct optsample_ordinary *o = &q->ordinary;

	return o->child->q.qlen + o->young.qlen + o->lasting.qlen;
}

void optsample_ordinary_lists(struct optsample_sched *q);
int optsample_ordinary_init(struct Qdisc *sch, struct netlink_ext_ack *extack);
int optsample_ordinary_configure(struct Qdisc *sch,
				 struct netlink_ext_ack *extack);
void optsample_ordinary_reset(struct optsample_sched *q);
void optsample_ordinary_flush(struct optsample_sched *q,
			      struct optsample_loss *loss);
void optsample_ordinary_destroy(struct optsample_sched *q);
int optsample_ordinary_graft(struct Qdisc *sch, struct Qdisc *new,
			     struct Qdisc **old,
			     struct netlink_ext_ack *extack);
int optsample_ordinary_enqueue(struct sk_buff *skb, struct Qdisc *sch,
			       struct sk_buff **to_free, bool lasting);
void optsample_ordinary_hold(struct Qdisc *sch, bool held);
bool optsample_ordinary_waits(struct optsample_sched *q);

/* wait.c */
int optsample_wait_enqueue(struct sk_buff *skb, struct Qdisc *sch,
			   struct sk_buff **to_free, bool lasting);
void optsample_wait_begin(struct Qdisc *sch);
void optsample_wait_end(struct Qdisc *sch);
void optsample_wait_flush(struct optsample_sched *q,
			  struct optsample_loss *loss);
void optsample_wait_purge(struct optsample_sched *q);

#endif
