// SPDX-License-Identifier: GPL-2.0
/*
 * sch_optsample - keep a uniform sample of whole messages while the link
 * is stalled
 *
 * A classifier tags packets of message flows (include/optsample/tag.h).
 * Each flow has a bounded queue of whole messages; when it is full, the
 * sampler (include/optsample/sampler.h) decides which message goes, so that
 * what is left stays evenly spread over the outage. Everything without a tag
 * is ordinary traffic in a fair queue of its own, which goes first up to its
 * share of the link.
 *
 * Method: Y.-P. Wang et al., "OptSample: A Resilient Buffer Management
 * Policy for Robotic Systems based on Optimal Message Sampling".
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/skbuff.h>
#include <net/pkt_cls.h>
#include <net/sock.h>
#include "optsample.h"

/*
 * Enqueue
 */

/*
 * Runs the filters, whose effect is the tag. Return: 0, or what enqueue()
 * returns when the packet was consumed.
 */
static noinline int optsample_classify(struct sk_buff *skb, struct Qdisc *sch,
				       const struct tcf_proto *filter,
				       struct sk_buff **to_free)
{
	struct tcf_result res;

#ifdef CONFIG_NET_CLS_ACT
	switch (tcf_classify(skb, NULL, filter, &res, false)) {
	case TC_ACT_STOLEN:
	case TC_ACT_QUEUED:
	case TC_ACT_TRAP:
		__qdisc_drop(skb, to_free);
		return NET_XMIT_SUCCESS | __NET_XMIT_STOLEN;
	case TC_ACT_SHOT:
		qdisc_qstats_drop(sch);
		__qdisc_drop(skb, to_free);
		return NET_XMIT_SUCCESS | __NET_XMIT_BYPASS;
	}
#else
	tcf_classify(skb, NULL, filter, &res, false);
#endif
	return 0;
}

static struct optsample_tag *optsample_tag(struct sk_buff *skb)
{
	struct optsample_tag *tag = (void *)qdisc_skb_cb(skb)->data;

	qdisc_cb_private_validate(skb, sizeof(*tag));
	if ((tag->mark & OPTSAMPLE_TAG_MARK_MASK) != OPTSAMPLE_TAG_MARK ||
	    !tag->flow)
		return NULL;
	return tag;
}

/*
 * What is sampled must not fill the sender's socket buffer, or the sender and
 * not the sampler decides what survives. TCP, whose small queues rely on the
 * accounting, and packet rings, whose memory the packet still uses, have
 * destructors of their own. A transmit time stamp needs the sender's socket.
 */
static void optsample_orphan(struct sk_buff *skb)
{
	if (skb->destructor == sock_wfree && !optsample_wants_stamp(skb))
		skb_orphan(skb);
}

/**
 * optsample_settle_loss - tell the parents of packets that are gone
 * @sch: the qdisc
 * @loss: which, but for the one being enqueued
 *
 * Return: what enqueue() returns.
 */
int optsample_settle_loss(struct Qdisc *sch, const struct optsample_loss *loss)
{
	u32 packets = loss->packets, bytes = loss->bytes;

	sch->q.qlen -= packets;
	sch->qstats.backlog -= bytes;
	sch->qstats.drops += packets;
	if (loss->own_lost) {
		/* The parents never counted this one. */
		packets--;
		bytes -= qdisc_pkt_len(loss->own);
	}
	if (packets)
		qdisc_tree_reduce_backlog(sch, packets, bytes);
	return loss->own_lost ? NET_XMIT_CN : NET_XMIT_SUCCESS;
}

static __always_inline int
optsample_enqueue_flow(struct Qdisc *sch, struct optsample_flow *flow,
		       struct sk_buff *skb, struct optsample_tag *tag,
		       struct optsample_loss *loss)
{
	struct optsample_sched *q = qdisc_priv(sch);
	bool queued = optsample_flow_enqueue(q, flow, skb, tag, loss);

	/* A second instance below must not read it again. */
	tag->mark = 0;
	if (unlikely(!queued)) {
		qdisc_qstats_drop(sch);
		return NET_XMIT_CN;
	}
	sch->q.qlen++;
	sch->qstats.backlog += qdisc_pkt_len(skb);
	return NET_XMIT_SUCCESS;
}

static int optsample_enqueue(struct sk_buff *skb, struct Qdisc *sch,
			     struct sk_buff **to_free)
{
	struct optsample_sched *q = qdisc_priv(sch);
	struct tcf_proto *filter = rcu_dereference_bh(q->filter_list);
	struct optsample_loss *loss = &q->loss;
	struct optsample_flow *flow = NULL;
	struct optsample_tag *tag;
	int ret;

	optsample_unhold(sch);
	if (filter) {
		ret = optsample_classify(skb, sch, filter, to_free);
		if (unlikely(ret))
			return ret;
	}
	loss->to_free = to_free;
	loss->own = skb;
	loss->own_msg = NULL;
	tag = optsample_tag(skb);
	if (tag)
		flow = optsample_flow_get(q, skb, tag, loss);
	if (flow) {
		optsample_orphan(skb);
		ret = optsample_enqueue_flow(sch, flow, skb, tag, loss);
	} else {
		/* A second instance below must not read it again. */
		if (tag)
			tag->mark = 0;
		ret = optsample_ordinary_enqueue(sch, skb, to_free);
	}
	if (unlikely(q->memory > optsample_flow_memory(q)))
		optsample_flows_relieve(q, loss);
	if (likely(!loss->packets))
		return ret;
	if (optsample_settle_loss(sch, loss))
		ret = NET_XMIT_CN;
	loss->packets = 0;
	loss->bytes = 0;
	loss->own_lost = false;
	return ret;
}

/*
 * Dequeue
 */

/*
 * Ordinary traffic goes first, up to its share while both wait: it pays for
 * its bytes and earns by those of the flows, in percent of a byte.
 */
static __always_inline struct sk_buff *optsample_next(struct optsample_sched *q)
{
	struct optsample_ordinary *o = &q->ordinary;
	bool waits = o->child->q.qlen, flows = optsample_flows_hold(q);
	struct sk_buff *skb;

	if (waits && (o->credit >= 0 || !flows)) {
		skb = optsample_ordinary_dequeue(q);
		if (likely(skb))
			return skb;
		waits = false;	/* for its destination */
	}
	skb = flows ? optsample_flows_dequeue(q) : NULL;
	if (unlikely(!skb))
		return waits ? optsample_ordinary_dequeue(q) : NULL;
	o->credit += qdisc_pkt_len(skb) * q->cfg.share;
	if (o->credit > 0 && !o->child->q.qlen)
		o->credit = 0;
	return skb;
}

static struct sk_buff *optsample_dequeue(struct Qdisc *sch)
{
	struct optsample_sched *q = qdisc_priv(sch);
	struct optsample_stall *st = &q->stall;
	struct sk_buff *skb;

	optsample_unhold(sch);
	if (!sch->q.qlen)
		return NULL;
	if ((st->careful || time_after(jiffies, st->last_jiffies +
						OPTSAMPLE_DRIVER_JIFFIES)) &&
	    optsample_hold_back(sch))
		return NULL;
	if (unlikely(!skb_queue_empty(&st->requeued))) {
		skb = __skb_dequeue(&st->requeued);
	} else {
		skb = optsample_next(q);
		if (unlikely(!skb)) {
			if (st->by_dest)
				optsample_hold_blocked(sch);
			return NULL;
		}
		qdisc_bstats_update(sch, skb);
	}
	sch->q.qlen--;
	sch->qstats.backlog -= qdisc_pkt_len(skb);
	if (st->careful)
		optsample_hold_released(sch, skb);
	st->last_jiffies = jiffies;
	st->backlogged = sch->q.qlen;
	return skb;
}

static void optsample_reset(struct Qdisc *sch)
{
	struct optsample_sched *q = qdisc_priv(sch);

	if (optsample_hold_over_reset(sch))
		return;
	qdisc_watchdog_cancel(&q->stall.watchdog);
	optsample_flows_purge(q);
	optsample_ordinary_reset(q);
	__skb_queue_purge(&q->stall.requeued);
	q->stall.held = false;
	q->stall.cause = TC_OPTSAMPLE_NOT_STALLED;
	q->stall.backlogged = false;
}

/*
 * Begin and end
 */

static int optsample_init_qdisc(struct Qdisc *sch, struct nlattr *opt,
				struct netlink_ext_ack *extack)
{
	struct optsample_sched *q = qdisc_priv(sch);
	struct optsample_config cfg = {
		.limit = 20,
		.memlimit = 64 << 20,
		.flows = 1024,
		.policy = OPTSAMPLE_POLICY_OPTSAMPLE,
		.refill = 50,
		.quantum = clamp_t(u32, psched_mtu(qdisc_dev(sch)),
				   256, 1U << 20),
		.ordinary = 1000,
		.share = 50,
		.settle_ms = 500,
		.gate = TC_OPTSAMPLE_GATE_OPEN,
		.idle_ms = 60000,
	};
	int err;

	optsample_flows_lists(q);
	sch->flags &= ~TCQ_F_CAN_BYPASS;
	if (opt) {
		err = optsample_parse(sch, opt, &cfg, &q->profiles, extack);
		if (err)
			return err;
	}
	q->cfg = cfg;
	err = tcf_block_get(&q->block, &q->filter_list, sch, extack);
	if (err)
		return err;
	err = optsample_flows_init(q);
	if (err)
		return err;
	err = optsample_ordinary_init(sch, extack);
	if (err)
		return err;
	optsample_hold_init(sch);
	return optsample_apply(sch, &cfg, NULL, extack);
}

/* Also after a failed init() */
static void optsample_destroy(struct Qdisc *sch)
{
	struct optsample_sched *q = qdisc_priv(sch);

	tcf_block_put(q->block);
	optsample_hold_destroy(sch);
	optsample_flows_destroy(q);
	optsample_ordinary_destroy(q);
	optsample_profiles_free(q->profiles, NULL);
}

static struct Qdisc_ops optsample_qdisc_ops __read_mostly = {
	.cl_ops		= &optsample_class_ops,
	.id		= "optsample",
	.priv_size	= sizeof(struct optsample_sched),
	.enqueue	= optsample_enqueue,
	.dequeue	= optsample_dequeue,
	.peek		= qdisc_peek_dequeued,
	.init		= optsample_init_qdisc,
	.reset		= optsample_reset,
	.destroy	= optsample_destroy,
	.change		= optsample_change,
	.dump		= optsample_dump,
	.dump_stats	= optsample_dump_stats,
	.owner		= THIS_MODULE,
};

static int __init optsample_module_init(void)
{
	int err;

	err = optsample_msg_cache_init();
	if (err)
		return err;
	err = optsample_link_register();
	if (err)
		goto err_cache;
	err = register_qdisc(&optsample_qdisc_ops);
	if (err)
		goto err_stall;
	return 0;

err_stall:
	optsample_link_unregister();
err_cache:
	optsample_msg_cache_exit();
	return err;
}

static void __exit optsample_module_exit(void)
{
	unregister_qdisc(&optsample_qdisc_ops);
	optsample_link_unregister();
	rcu_barrier();
	optsample_msg_cache_exit();
}

module_init(optsample_module_init);
module_exit(optsample_module_exit);
#ifdef MODULE_ALIAS_NET_SCH
MODULE_ALIAS_NET_SCH("optsample");
#endif
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Uniform sampling of whole messages on a stalling link");
