// SPDX-License-Identifier: GPL-2.0
/*
 * sch_optsample - keep a uniform sample of whole messages while the link
 * is stalled
 *
 * A classifier tags packets of message flows (include/optsample/tag.h).
 * Each flow has a bounded queue of whole messages. When it is full, the
 * sampler (include/optsample/sampler.h) drops messages so that the rest is
 * evenly spread over the outage. Everything without a tag is ordinary traffic:
 * it has its own child qdisc, and goes first up to its share of the link.
 *
 * Method: Y.-P. Wang et al., "OptSample: A Resilient Buffer Management
 * Policy for Robotic Systems based on Optimal Message Sampling".
 */
#include <linux/errno.h>
#include <linux/filter.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/skbuff.h>
#include <linux/user_namespace.h>
#include <net/pkt_cls.h>
#include "inflight.h"
#include "ordinary.h"

/*
 * Enqueue
 */

/*
 * What a classifier says besides the tag. Return: 0, or the return value of
 * enqueue() if the packet was consumed.
 */
static noinline int optsample_verdict(struct sk_buff *skb, struct Qdisc *sch,
				      struct sk_buff **to_free, int verdict)
{
	switch (verdict) {
	case TC_ACT_STOLEN:
	case TC_ACT_QUEUED:
	case TC_ACT_TRAP:
		__qdisc_drop(skb, to_free);
		return NET_XMIT_SUCCESS | __NET_XMIT_STOLEN;
	case TC_ACT_REDIRECT:	/* nothing here follows it */
	case TC_ACT_SHOT:
		qdisc_qstats_drop(sch);
		__qdisc_drop(skb, to_free);
		return NET_XMIT_SUCCESS | __NET_XMIT_BYPASS;
	}
	return 0;
}

/* Run the filters. Return: as optsample_verdict() */
static noinline int optsample_filter(struct sk_buff *skb, struct Qdisc *sch,
				     struct sk_buff **to_free,
				     const struct tcf_proto *filter)
{
	struct bpf_net_context store, *ctx;
	struct tcf_result res;
	int verdict;

	ctx = bpf_net_ctx_set(&store);
	verdict = tcf_classify(skb, NULL, filter, &res, false);
	bpf_net_ctx_clear(ctx);
	/* Without actions the result is a class. */
	if (!IS_ENABLED(CONFIG_NET_CLS_ACT))
		return 0;
	return optsample_verdict(skb, sch, to_free, verdict);
}

/*
 * Run the program as at clsact egress. The pointers to its data lie where other
 * layers keep the reason of a drop, and helpers that redirect need a context.
 * Return: its verdict
 */
static __always_inline int optsample_prog_run(const struct bpf_prog *prog,
					      struct sk_buff *skb)
{
	struct bpf_skb_data_end *cb = (struct bpf_skb_data_end *)skb->cb;
	void *meta = cb->data_meta, *end = cb->data_end;
	struct bpf_net_context store, *ctx;
	int verdict;

	ctx = bpf_net_ctx_set(&store);
	bpf_compute_data_pointers(skb);
	verdict = bpf_prog_run(prog, skb);
	bpf_net_ctx_clear(ctx);
	cb->data_meta = meta;
	cb->data_end = end;
	return verdict;
}

/* A tag whose flow is not in the table, or of flow 0: ordinary traffic */
static noinline int optsample_enqueue_new(struct sk_buff *skb,
					  struct Qdisc *sch,
					  struct sk_buff **to_free)
{
	struct optsample_sched *q = qdisc_priv(sch);
	struct optsample_tag *tag = optsample_skb_tag(skb);
	struct optsample_loss *loss = &q->loss;
	bool lasting = tag->mark & OPTSAMPLE_TAG_CONTROL;
	struct optsample_flow *f;
	int ret;

	optsample_loss_begin(loss, skb, to_free);
	f = tag->flow ? optsample_flow_make(q, skb, tag, loss) : NULL;
	if (f)
		return optsample_flow_enqueue(skb, sch, to_free, f);
	tag->mark = 0;
	ret = optsample_ordinary_enqueue(skb, sch, to_free, lasting);
	if (loss->packets)
		optsample_settle_loss(sch, loss);
	return ret;
}

/* Ends in tail calls, so that the fast path needs no stack frame */
static __always_inline int optsample_enqueue_tagged(struct sk_buff *skb,
						    struct Qdisc *sch,
						    struct sk_buff **to_free)
{
	struct optsample_sched *q = qdisc_priv(sch);
	const struct optsample_tag *tag = optsample_skb_tag(skb);
	struct optsample_flow *f;

	if ((tag->mark & OPTSAMPLE_TAG_MARK_MASK) != OPTSAMPLE_TAG_MARK)
		return optsample_ordinary_enqueue(skb, sch, to_free, false);
	f = optsample_flow_find(q, tag->flow);
	if (unlikely(!f))
		return optsample_enqueue_new(skb, sch, to_free);
	return optsample_flow_enqueue(skb, sch, to_free, f);
}

/* The program runs first; usually it has no opinion. */
static noinline int optsample_enqueue_classified(struct sk_buff *skb,
						 struct Qdisc *sch,
						 struct sk_buff **to_free)
{
	struct optsample_sched *q = qdisc_priv(sch);
	struct tcf_proto *filter;
	int verdict, ret;

	if (likely(q->prog)) {
		verdict = optsample_prog_run(q->prog, skb);
		/* as a filter of type bpf has it, TC_ACT_QUEUED is none */
		ret = unlikely(verdict != TC_ACT_UNSPEC &&
			       verdict != TC_ACT_QUEUED) ?
		      optsample_verdict(skb, sch, to_free, verdict) : 0;
		if (unlikely(ret))
			return ret;
	}
	filter = rcu_dereference_bh(q->filter_list);
	if (unlikely(filter)) {
		ret = optsample_filter(skb, sch, to_free, filter);
		if (unlikely(ret))
			return ret;
	}
	return optsample_enqueue_tagged(skb, sch, to_free);
}

static int optsample_enqueue(struct sk_buff *skb, struct Qdisc *sch,
			     struct sk_buff **to_free)
{
	struct optsample_sched *q = qdisc_priv(sch);

	optsample_unhold(sch);
	/* one branch for both */
	if ((unsigned long)q->prog |
	    (unsigned long)rcu_access_pointer(q->filter_list))
		return optsample_enqueue_classified(skb, sch, to_free);
	return optsample_enqueue_tagged(skb, sch, to_free);
}

/*
 * Dequeue
 */

/* Free idle flows, at most once a second. */
static noinline void optsample_tidy(struct optsample_sched *q)
{
	if (time_before(jiffies, q->tidy))
		return;
	q->tidy = jiffies + HZ;
	optsample_flows_reclaim(q);
}

/*
 * While flows wait, ordinary traffic loses credit for its bytes and gains
 * credit for theirs, in 1/100 bytes.
 */
static __always_inline struct sk_buff *
optsample_ordinary_next(struct optsample_sched *q, bool careful, bool flows)
{
	struct optsample_ordinary *o = &q->ordinary;
	struct sk_buff *skb;

	if (careful && q->stall.by_dest && optsample_ordinary_waits(q))
		return NULL;
	skb = qdisc_dequeue_peeked(o->child);
	if (unlikely(!skb))
		return NULL;
	if (unlikely(!(++o->sent % OPTSAMPLE_TIDY_PACKETS)))
		optsample_tidy(q);
	/* No charge if it leaves only because no flow can send. */
	if (flows && o->credit >= 0)
		o->credit -= qdisc_pkt_len(skb) * (100 - q->cfg.share);
	return skb;
}

static noinline struct sk_buff *
optsample_ordinary_instead(struct optsample_sched *q)
{
	return optsample_ordinary_next(q, true, optsample_flows_hold(q));
}

/* Ordinary traffic is in debt: a packet of a flow gives it credit. */
static noinline void optsample_ordinary_earn(struct optsample_sched *q,
					     const struct sk_buff *skb)
{
	struct optsample_ordinary *o = &q->ordinary;

	o->credit += qdisc_pkt_len(skb) * q->cfg.share;
	if (o->credit > 0 && !o->child->q.qlen)
		o->credit = 0;
}

/*
 * Ordinary traffic goes first, up to its share while both wait. Packets wait
 * for their destination only if @careful.
 */
static __always_inline struct sk_buff *optsample_next(struct optsample_sched *q,
						      bool careful)
{
	struct optsample_ordinary *o = &q->ordinary;
	bool waits = o->child->q.qlen, flows = optsample_flows_hold(q);
	struct sk_buff *skb;

	if (careful && unlikely(q->stall.pause_ns))
		flows = false;
	if (waits && (o->credit >= 0 || !flows)) {
		skb = optsample_ordinary_next(q, careful, flows);
		if (likely(skb))
			return skb;
		waits = false;	/* its destination is full, or it is shaped */
	}
	skb = flows ? optsample_flows_dequeue(q) : NULL;
	if (unlikely(!skb))
		return waits ? optsample_ordinary_instead(q) : NULL;
	if (unlikely(o->credit < 0))
		optsample_ordinary_earn(q, skb);
	return skb;
}

static __always_inline void optsample_left(struct Qdisc *sch,
					   const struct sk_buff *skb)
{
	struct optsample_sched *q = qdisc_priv(sch);

	sch->q.qlen--;
	sch->qstats.backlog -= qdisc_pkt_len(skb);
	q->stall.last_jiffies = jiffies;
	q->stall.backlogged = sch->q.qlen;
}

/* Nothing can leave: is it because destinations are full? */
static bool optsample_blocked(struct optsample_sched *q)
{
	return q->stall.by_dest &&
	       (optsample_inflight_parked(q) || optsample_ordinary_waits(q));
}

/* Used if something may hold packets, or if none has left for a while. */
static noinline struct sk_buff *optsample_dequeue_careful(struct Qdisc *sch)
{
	struct optsample_sched *q = qdisc_priv(sch);
	struct optsample_stall *st = &q->stall;
	struct sk_buff *skb;

	optsample_unhold(sch);
	/* Needed by later arrivals even if nothing waits now. */
	optsample_hold_by_dest(sch);
	if (st->recalls)
		optsample_recall_hear(sch);
	if (!sch->q.qlen) {
		WARN_ON_ONCE(q->holding);
		optsample_hold_nothing(q);
		return NULL;
	}
	if (optsample_hold_back(sch))
		return NULL;
	optsample_unpark(q);
	optsample_tidy(q);
	skb = __skb_dequeue(&st->requeued);
	if (likely(!skb)) {
		skb = optsample_next(q, true);
		if (unlikely(!skb)) {
			if (optsample_blocked(q))
				optsample_hold_blocked(sch);
			return NULL;
		}
		qdisc_bstats_update(sch, skb);
	}
	optsample_left(sch, skb);
	if (unlikely(st->source.nformer))
		optsample_source_put(sch, skb);
	if (st->careful)
		optsample_hold_released(sch, skb);
	return skb;
}

static __always_inline struct sk_buff *
optsample_dequeue_freely(struct Qdisc *sch)
{
	struct optsample_sched *q = qdisc_priv(sch);
	struct sk_buff *skb;

	if (!sch->q.qlen)
		return NULL;
	skb = optsample_next(q, false);
	if (unlikely(!skb))
		return NULL;
	qdisc_bstats_update(sch, skb);
	optsample_left(sch, skb);
	return skb;
}

/* Has no packet left for so long that the driver may have stopped? */
static __always_inline bool optsample_paused(const struct optsample_stall *st)
{
	return time_after(jiffies, st->last_jiffies + OPTSAMPLE_DRIVER_JIFFIES);
}

/* Packets may be held: if nothing has changed, they leave as the last did. */
static noinline struct sk_buff *optsample_dequeue_steady(struct Qdisc *sch)
{
	struct optsample_sched *q = qdisc_priv(sch);
	struct sk_buff *skb;

	if (!q->stall.steady || optsample_paused(&q->stall) ||
	    !optsample_link_up(sch) || !optsample_inflight_steady(q))
		return optsample_dequeue_careful(sch);
	skb = optsample_dequeue_freely(sch);
	if (likely(skb))
		optsample_inflight_steady_own(q, skb);
	return skb;
}

static struct sk_buff *optsample_dequeue(struct Qdisc *sch)
{
	struct optsample_sched *q = qdisc_priv(sch);

	if (q->stall.careful)
		return optsample_dequeue_steady(sch);
	if (optsample_paused(&q->stall))
		return optsample_dequeue_careful(sch);
	return optsample_dequeue_freely(sch);
}

static void optsample_reset(struct Qdisc *sch)
{
	struct optsample_sched *q = qdisc_priv(sch);

	if (optsample_hold_over_reset(sch))
		return;
	optsample_hold_reset(q);
	optsample_flows_purge(q, NULL);
	optsample_ordinary_reset(q);
}

/*
 * Begin and end
 */

static int optsample_init_qdisc(struct Qdisc *sch, struct nlattr *opt,
				struct netlink_ext_ack *extack)
{
	struct optsample_sched *q = qdisc_priv(sch);
	struct optsample_request r = { .cfg = {
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
		.age_ms = 250,
	} };
	int err;

	q->may_orphan = dev_net(qdisc_dev(sch))->user_ns == &init_user_ns;
	optsample_flows_lists(q);
	optsample_ordinary_lists(q);
	optsample_hold_init(sch);
	/* A default qdisc has no handle, which the child needs as parent. */
	if (!sch->handle) {
		pr_warn_once("optsample: cannot be net.core.default_qdisc\n");
		return -EOPNOTSUPP;
	}
	if (opt) {
		err = optsample_parse(sch, opt, &r, extack);
		if (err)
			return err;
	}
	/* destroy() frees them if what follows fails */
	q->profiles = r.profiles;
	q->prog = r.prog;
	q->cfg = r.cfg;
	r = (struct optsample_request){ .cfg = r.cfg };
	err = tcf_block_get(&q->block, &q->filter_list, sch, extack);
	if (err)
		return err;
	err = optsample_flows_init(q);
	if (err)
		return err;
	err = optsample_ordinary_init(sch, extack);
	if (err)
		return err;
	return optsample_apply(sch, &r, extack);
}

/* Also after a failed init(), as is optsample_reset() */
static void optsample_destroy(struct Qdisc *sch)
{
	struct optsample_sched *q = qdisc_priv(sch);

	tcf_block_put(q->block);
	optsample_hold_destroy(sch);
	optsample_flows_destroy(q);
	optsample_ordinary_destroy(q);
	optsample_profiles_free(q->profiles, NULL);
	optsample_prog_put(q->prog);
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

	err = optsample_caches_init();
	if (err)
		return err;
	err = optsample_link_register();
	if (err)
		goto err_cache;
	err = optsample_egress_register();
	if (err)
		goto err_link;
	/* Last: a qdisc cannot be taken back once it is used. */
	err = register_qdisc(&optsample_qdisc_ops);
	if (err)
		goto err_egress;
	return 0;

err_egress:
	optsample_egress_unregister();
err_link:
	optsample_link_unregister();
err_cache:
	optsample_caches_exit();
	return err;
}

static void __exit optsample_module_exit(void)
{
	optsample_egress_unregister();
	unregister_qdisc(&optsample_qdisc_ops);
	optsample_link_unregister();
	optsample_caches_exit();
}

module_init(optsample_module_init);
module_exit(optsample_module_exit);
MODULE_ALIAS("net-sch-optsample");
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Uniform sampling of whole messages on a stalling link");
