// SPDX-License-Identifier: GPL-2.0
/*
 * Ordinary traffic: everything without a tag (ssh, TCP, discovery, topics
 * that are not sampled). It has its own child qdisc, class ffff, which the user
 * may replace. While the link is stalled it waits elsewhere (wait.c). The
 * default is net.core.default_qdisc (systemd sets it to fq_codel), or pfifo
 * where that one cannot be a child.
 */
#include <net/pkt_cls.h>
#include <net/sch_generic.h>
#include "inflight.h"
#include "ordinary.h"

static struct Qdisc *optsample_ordinary_create(struct Qdisc *sch,
					       const struct Qdisc_ops *ops,
					       struct netlink_ext_ack *extack)
{
	u32 parent = TC_H_MAKE(sch->handle, OPTSAMPLE_ORDINARY);

	return qdisc_create_dflt(sch->dev_queue, ops, parent, extack);
}

/* Not every default qdisc can be a child: noqueue has no enqueue(). */
static struct Qdisc *optsample_ordinary_default(struct Qdisc *sch,
						struct netlink_ext_ack *extack)
{
	const struct Qdisc_ops *ops = default_qdisc_ops;
	struct Qdisc *child;

	if (ops->static_flags & TCQ_F_NOLOCK || ops->owner == THIS_MODULE)
		ops = &pfifo_qdisc_ops;
	child = optsample_ordinary_create(sch, ops, extack);
	if (child && !child->enqueue) {
		qdisc_put(child);
		child = optsample_ordinary_create(sch, &pfifo_qdisc_ops,
						  extack);
	}
	if (child)
		qdisc_hash_add(child, true);
	return child;
}

/*
 * CoDel drops what waited for 5 ms. That tears each large datagram and each
 * message of several datagrams whose program waits for the link, as its socket
 * buffer alone is more. TCP needs no CoDel here, as it limits itself while its
 * packets wait. So CoDel only acts on senders that nothing else slows down.
 */
#define OPTSAMPLE_CODEL_US	USEC_PER_SEC

/* As tc sends them; at its limit fq_codel drops from the fattest flow */
static int optsample_fq_codel_limit(struct Qdisc *child, u32 packets,
				    u32 bytes, struct netlink_ext_ack *extack)
{
	struct {
		struct nlattr	nest;
		struct nlattr	limit;
		u32		packets;
		struct nlattr	memory_limit;
		u32		bytes;
		struct nlattr	target;
		u32		target_us;
		struct nlattr	interval;
		u32		interval_us;
	} opt = {
		.nest = { sizeof(opt), TCA_OPTIONS },
		.limit = { NLA_HDRLEN + sizeof(u32), TCA_FQ_CODEL_LIMIT },
		.packets = packets,
		.memory_limit = { NLA_HDRLEN + sizeof(u32),
				  TCA_FQ_CODEL_MEMORY_LIMIT },
		.bytes = bytes,
		.target = { NLA_HDRLEN + sizeof(u32), TCA_FQ_CODEL_TARGET },
		.target_us = OPTSAMPLE_CODEL_US,
		.interval = { NLA_HDRLEN + sizeof(u32),
			      TCA_FQ_CODEL_INTERVAL },
		.interval_us = OPTSAMPLE_CODEL_US,
	};

	return child->ops->change(child, &opt.nest, extack);
}

static int optsample_ordinary_limit(struct Qdisc *sch, struct Qdisc *child,
				    struct netlink_ext_ack *extack)
{
	struct optsample_sched *q = qdisc_priv(sch);

	if (!strcmp(child->ops->id, "fq_codel"))
		return optsample_fq_codel_limit(child, q->cfg.ordinary,
						q->cfg.memlimit / 4, extack);
	if (child->ops == &pfifo_qdisc_ops)
		return fifo_set_limit(child, q->cfg.ordinary);
	NL_SET_ERR_MSG(extack,
		       "optsample: ordinary traffic gets net.core.default_qdisc, which keeps its own limits");
	return 0;
}

/* The default child, with its limits; or an ERR_PTR() */
static struct Qdisc *optsample_ordinary_new(struct Qdisc *sch,
					    struct netlink_ext_ack *extack)
{
	struct Qdisc *child = optsample_ordinary_default(sch, extack);
	int err;

	if (!child)
		return ERR_PTR(-ENOMEM);
	/* Its parent does not know it yet. */
	child->flags |= TCQ_F_NOPARENT;
	err = optsample_ordinary_limit(sch, child, extack);
	child->flags &= ~TCQ_F_NOPARENT;
	if (!err)
		return child;
	qdisc_put(child);
	return ERR_PTR(err);
}

/**
 * optsample_ordinary_configure - limits of the default child
 * @sch: the qdisc, RTNL, not locked
 * @extack: for what is wrong
 *
 * A child that the user chose keeps its own limits.
 *
 * Return: 0 or a negative errno.
 */
int optsample_ordinary_configure(struct Qdisc *sch,
				 struct netlink_ext_ack *extack)
{
	struct optsample_sched *q = qdisc_priv(sch);

	if (q->ordinary.chosen)
		return 0;
	return optsample_ordinary_limit(sch, q->ordinary.child, extack);
}

/* Before anything that can fail */
void optsample_ordinary_lists(struct optsample_sched *q)
{
	__skb_queue_head_init(&q->ordinary.young);
	__skb_queue_head_init(&q->ordinary.lasting);
}

int optsample_ordinary_init(struct Qdisc *sch, struct netlink_ext_ack *extack)
{
	struct optsample_sched *q = qdisc_priv(sch);
	struct Qdisc *child = optsample_ordinary_new(sch, extack);

	if (IS_ERR(child))
		return PTR_ERR(child);
	q->ordinary.child = child;
	q->ordinary.may_orphan = q->may_orphan &&
				 optsample_is_egress(qdisc_dev(sch));
	return 0;
}

void optsample_ordinary_reset(struct optsample_sched *q)
{
	if (q->ordinary.child)
		qdisc_reset(q->ordinary.child);
	optsample_wait_purge(q);
	q->ordinary.held = false;
	q->ordinary.credit = 0;
}

/**
 * optsample_ordinary_flush - drop all ordinary packets, and count them
 * @q: private data of the qdisc, locked; updates the parents' qlen and backlog
 *	by those of the child
 * @loss: where other packets go
 */
void optsample_ordinary_flush(struct optsample_sched *q,
			      struct optsample_loss *loss)
{
	struct Qdisc *child = q->ordinary.child;

	child->qstats.drops += child->q.qlen;
	qdisc_purge_queue(child);
	optsample_wait_flush(q, loss);
	q->ordinary.credit = 0;
}

/* Also after a failed init() */
void optsample_ordinary_destroy(struct optsample_sched *q)
{
	optsample_wait_purge(q);
	if (q->ordinary.child)
		qdisc_put(q->ordinary.child);
}

/**
 * optsample_ordinary_graft - replace the qdisc of ordinary traffic
 * @sch: the qdisc, RTNL
 * @new: the new child, or NULL for the default
 * @old: out: the old child, empty
 * @extack: for errors
 *
 * Return: 0 or a negative errno.
 */
int optsample_ordinary_graft(struct Qdisc *sch, struct Qdisc *new,
			     struct Qdisc **old,
			     struct netlink_ext_ack *extack)
{
	struct optsample_sched *q = qdisc_priv(sch);
	bool chosen = new;

	if (!chosen)
		new = optsample_ordinary_new(sch, extack);
	if (IS_ERR(new))
		return PTR_ERR(new);
	sch_tree_lock(sch);
	optsample_unhold(sch);
	sch_tree_unlock(sch);
	q->ordinary.chosen = chosen;
	*old = qdisc_replace(sch, new, &q->ordinary.child);
	optsample_kick(sch);	/* the stall ends if nothing waits now */
	return 0;
}

/**
 * optsample_ordinary_hold - the link is stalled, or not any more
 * @sch: the qdisc, locked
 * @held: nothing may leave, and not because the link is busy
 *
 * A program must not block in an outage: one socket may be that of all topics.
 * On a link that is busy it must, or its packets are lost.
 */
void optsample_ordinary_hold(struct Qdisc *sch, bool held)
{
	struct optsample_sched *q = qdisc_priv(sch);

	if (held == q->ordinary.held)
		return;
	q->ordinary.held = held;
	if (!held) {
		optsample_wait_end(sch);
		return;
	}
	optsample_wait_begin(sch);
	optsample_flows_orphan(q);
}

/**
 * optsample_ordinary_enqueue - queue a packet without a tag
 * @skb: the packet
 * @sch: the qdisc, locked
 * @to_free: list of packets that are dropped
 * @lasting: the packet must not be dropped by age, whatever it is
 *
 * Return: NET_XMIT_* of the child, or of optsample_wait_enqueue().
 */
int optsample_ordinary_enqueue(struct sk_buff *skb, struct Qdisc *sch,
			       struct sk_buff **to_free, bool lasting)
{
	struct optsample_sched *q = qdisc_priv(sch);
	u32 len = qdisc_pkt_len(skb);
	int ret;

	if (unlikely(q->ordinary.held))
		return optsample_wait_enqueue(skb, sch, to_free, lasting);
	ret = qdisc_enqueue(skb, q->ordinary.child, to_free);
	if (likely(ret == NET_XMIT_SUCCESS)) {
		sch->q.qlen++;
		sch->qstats.backlog += len;
	} else if (net_xmit_drop_count(ret)) {
		qdisc_qstats_drop(sch);
	}
	return ret;
}

/**
 * optsample_ordinary_waits - must ordinary traffic wait for its destination?
 * @q: private data of the qdisc, locked
 *
 * Return: true if the destination is busy, false if it is free or asleep.
 */
bool optsample_ordinary_waits(struct optsample_sched *q)
{
	struct Qdisc *child = q->ordinary.child;
	struct sk_buff *skb = child->ops->peek(child);

	return skb && optsample_inflight_busy(q, skb);
}

