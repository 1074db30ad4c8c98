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
#include <net/netlink.h>
#include <net/pkt_cls.h>
#include <net/sock.h>
#include "optsample.h"

/*
 * Enqueue
 */

/* reset() kept the queue, but the core forgot how long it was */
static void optsample_unhold(struct Qdisc *sch)
{
	struct optsample_sched *q = qdisc_priv(sch);
	struct optsample_stall *st = &q->stall;

	if (likely(!st->held))
		return;
	st->held = false;
	sch->q.qlen = st->qlen;
	sch->qstats.backlog = st->backlog;
}

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

/* Packets other than the one being enqueued are gone: tell the parents. */
static int optsample_settle_loss(struct Qdisc *sch,
				 const struct optsample_loss *loss)
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

static int optsample_enqueue(struct sk_buff *skb, struct Qdisc *sch,
			     struct sk_buff **to_free)
{
	struct optsample_sched *q = qdisc_priv(sch);
	struct tcf_proto *filter = rcu_dereference_bh(q->filter_list);
	struct optsample_loss *loss = &q->loss;
	struct optsample_flow *flow = NULL;
	struct optsample_tag *tag;
	bool queued = true;
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
		flow = optsample_flow_get(q, tag->flow);
	if (flow) {
		optsample_orphan(skb);
		queued = optsample_flow_enqueue(q, flow, skb, tag, loss);
	} else {
		optsample_ordinary_enqueue(q, skb);
	}
	/* A second instance below must not read it again. */
	if (tag)
		tag->mark = 0;
	if (queued) {
		sch->q.qlen++;
		sch->qstats.backlog += qdisc_pkt_len(skb);
	} else {
		qdisc_qstats_drop(sch);
	}
	if (unlikely(q->memory > optsample_flow_memory(q)))
		optsample_flows_relieve(q, loss);
	if (!flow)
		optsample_ordinary_relieve(q, loss);
	if (!loss->packets)
		return queued ? NET_XMIT_SUCCESS : NET_XMIT_CN;
	ret = optsample_settle_loss(sch, loss);
	loss->packets = 0;
	loss->bytes = 0;
	loss->own_lost = false;
	return queued ? ret : NET_XMIT_CN;
}

/*
 * Dequeue
 */

/*
 * Ordinary traffic goes first, up to its share while both wait: it pays for
 * every byte (in percent of a byte) and earns by those of the flows.
 */
static struct sk_buff *optsample_next(struct optsample_sched *q)
{
	struct optsample_ordinary *o = &q->ordinary;
	struct sk_buff *skb;

	if (o->qlen && (o->credit >= 0 || !optsample_flows_hold(q))) {
		skb = optsample_ordinary_dequeue(q);
		if (optsample_flows_hold(q))
			o->credit -= qdisc_pkt_len(skb) * (100 - q->cfg.share);
		return skb;
	}
	skb = optsample_flows_dequeue(q);
	if (!skb)
		return NULL;
	o->credit += qdisc_pkt_len(skb) * q->cfg.share;
	if (!o->qlen && o->credit > 0)
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
	if ((st->careful ||
	     time_after(jiffies, st->last_jiffies + OPTSAMPLE_DRIVER_JIFFIES)) &&
	    optsample_stalled(sch))
		return NULL;
	if (unlikely(!skb_queue_empty(&st->requeued))) {
		skb = __skb_dequeue(&st->requeued);
	} else {
		skb = optsample_next(q);
		if (unlikely(!skb))
			return NULL;
		qdisc_bstats_update(sch, skb);
	}
	sch->q.qlen--;
	sch->qstats.backlog -= qdisc_pkt_len(skb);
	if (st->careful)
		optsample_stall_release(sch, skb);
	st->last_jiffies = jiffies;
	st->backlogged = sch->q.qlen;
	return skb;
}

static void optsample_reset(struct Qdisc *sch)
{
	struct optsample_sched *q = qdisc_priv(sch);

	if (optsample_stall_keeps_queue(sch))
		return;
	qdisc_watchdog_cancel(&q->stall.watchdog);
	optsample_flows_purge(q);
	optsample_ordinary_purge(q);
	__skb_queue_purge(&q->stall.requeued);
	q->stall.held = false;
	q->stall.cause = TC_OPTSAMPLE_NOT_STALLED;
	q->stall.backlogged = false;
}

/*
 * Configuration
 */

static const struct nla_policy optsample_policy[TCA_OPTSAMPLE_MAX + 1] = {
	[TCA_OPTSAMPLE_LIMIT]		= { .type = NLA_U32 },
	[TCA_OPTSAMPLE_MEMLIMIT]	= { .type = NLA_U32 },
	[TCA_OPTSAMPLE_FLOWS]		= { .type = NLA_U32 },
	[TCA_OPTSAMPLE_POLICY]		= { .type = NLA_U32 },
	[TCA_OPTSAMPLE_REFILL]		= { .type = NLA_U32 },
	[TCA_OPTSAMPLE_QUANTUM]		= { .type = NLA_U32 },
	[TCA_OPTSAMPLE_ORDINARY]	= { .type = NLA_U32 },
	[TCA_OPTSAMPLE_SHARE]		= { .type = NLA_U32 },
	[TCA_OPTSAMPLE_INFLIGHT_PACKETS] = { .type = NLA_U32 },
	[TCA_OPTSAMPLE_INFLIGHT_BYTES]	= { .type = NLA_U32 },
	[TCA_OPTSAMPLE_WATCH]		= { .type = NLA_NUL_STRING,
					    .len = IFNAMSIZ - 1 },
	[TCA_OPTSAMPLE_SETTLE]		= { .type = NLA_U32 },
	[TCA_OPTSAMPLE_RATE64]		= { .type = NLA_U64 },
	[TCA_OPTSAMPLE_GATE]		= { .type = NLA_U32 },
	[TCA_OPTSAMPLE_IDLE]		= { .type = NLA_U32 },
	[TCA_OPTSAMPLE_PROFILES]	= { .type = NLA_BINARY },
};

/**
 * struct optsample_option - a number that netlink may set
 * @attr:	TCA_OPTSAMPLE_*
 * @offset:	in struct optsample_config
 * @min:	smallest,
 * @max:	largest value, and
 * @error:	what to say otherwise
 */
struct optsample_option {
	u16		attr;
	u16		offset;
	u32		min;
	u32		max;
	const char	*error;
};

#define OPTSAMPLE_OPTION(_attr, _field, _min, _max, _error)		\
	{ TCA_OPTSAMPLE_##_attr,					\
	  offsetof(struct optsample_config, _field), _min, _max,	\
	  "optsample: " _error }

static const struct optsample_option optsample_options[] = {
	OPTSAMPLE_OPTION(LIMIT, limit, 1, 65535, "limit must be 1..65535"),
	OPTSAMPLE_OPTION(MEMLIMIT, memlimit, 65536, 1U << 31,
			 "memlimit must be 64K..2G"),
	OPTSAMPLE_OPTION(FLOWS, flows, 1, OPTSAMPLE_FLOWS_MAX,
			 "flows must be 1..65534"),
	OPTSAMPLE_OPTION(POLICY, policy, 0, OPTSAMPLE_POLICY_MAX - 1,
			 "unknown policy"),
	OPTSAMPLE_OPTION(REFILL, refill, 0, 100, "refill must be 0..100"),
	OPTSAMPLE_OPTION(QUANTUM, quantum, 256, 1U << 20,
			 "quantum must be 256..1M"),
	OPTSAMPLE_OPTION(ORDINARY, ordinary, 1, 1U << 20,
			 "ordinary must be 1..1048576"),
	OPTSAMPLE_OPTION(SHARE, share, 1, 99, "share must be 1..99"),
	OPTSAMPLE_OPTION(INFLIGHT_PACKETS, inflight_packets, 0, 1U << 20,
			 "inflight must be at most 1048576 packets"),
	OPTSAMPLE_OPTION(INFLIGHT_BYTES, inflight_bytes, 0, 1U << 30,
			 "inflight must be at most 1G"),
	OPTSAMPLE_OPTION(SETTLE, settle_ms, 0, 60000,
			 "settle must be 0..60s"),
	OPTSAMPLE_OPTION(GATE, gate, TC_OPTSAMPLE_GATE_CLOSED,
			 TC_OPTSAMPLE_GATE_OPEN,
			 "gate must be open or closed"),
	OPTSAMPLE_OPTION(IDLE, idle_ms, 1, 86400000,
			 "idle must be 1ms..24h"),
};

static int optsample_parse_numbers(struct optsample_config *cfg,
				   struct nlattr **tb,
				   struct netlink_ext_ack *extack)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(optsample_options); i++) {
		const struct optsample_option *o = &optsample_options[i];
		struct nlattr *attr = tb[o->attr];
		u32 value;

		if (!attr)
			continue;
		value = nla_get_u32(attr);
		if (value < o->min || value > o->max) {
			NL_SET_BAD_ATTR(extack, attr);
			if (extack)
				extack->_msg = o->error;
			return -EINVAL;
		}
		*(u32 *)((char *)cfg + o->offset) = value;
	}
	return 0;
}

/*
 * What is not named in @opt keeps the value in @cfg. @profiles: a new table,
 * if there is one, the caller's to free
 */
static int optsample_parse(struct Qdisc *sch, struct nlattr *opt,
			   struct optsample_config *cfg,
			   struct optsample_profile **profiles,
			   struct netlink_ext_ack *extack)
{
	struct nlattr *tb[TCA_OPTSAMPLE_MAX + 1];
	int err;

	err = nla_parse_nested_deprecated(tb, TCA_OPTSAMPLE_MAX, opt,
					  optsample_policy, extack);
	if (err)
		return err;
	err = optsample_parse_numbers(cfg, tb, extack);
	if (err)
		return err;
	if (tb[TCA_OPTSAMPLE_RATE64])
		cfg->rate = nla_get_u64(tb[TCA_OPTSAMPLE_RATE64]);
	if (tb[TCA_OPTSAMPLE_WATCH])
		nla_strscpy(cfg->watch, tb[TCA_OPTSAMPLE_WATCH], IFNAMSIZ);
	if (tb[TCA_OPTSAMPLE_WATCH] && cfg->watch[0] &&
	    !__dev_get_by_name(dev_net(qdisc_dev(sch)), cfg->watch)) {
		NL_SET_ERR_MSG_ATTR(extack, tb[TCA_OPTSAMPLE_WATCH],
				    "optsample: no such device to watch");
		return -ENODEV;
	}
	return optsample_profiles_parse(qdisc_priv(sch),
					tb[TCA_OPTSAMPLE_PROFILES], profiles,
					extack);
}

/*
 * Everything that can fail comes first; the queue is kept. @profiles: the new
 * table or NULL, freed on failure
 */
static int optsample_apply(struct Qdisc *sch,
			   const struct optsample_config *cfg,
			   struct optsample_profile *profiles,
			   struct netlink_ext_ack *extack)
{
	struct optsample_sched *q = qdisc_priv(sch);
	struct sk_buff *to_free = NULL;
	struct optsample_loss loss = { .to_free = &to_free };
	struct sock *below = NULL;

	if ((cfg->inflight_packets || cfg->inflight_bytes) &&
	    !q->stall.below) {
		below = optsample_below_alloc(sch);
		if (!below) {
			optsample_profiles_free(profiles, q->profiles);
			return -ENOMEM;
		}
	}
	sch_tree_lock(sch);
	optsample_unhold(sch);
	optsample_stall_configure(sch, cfg, below);
	q->cfg = *cfg;
	q->flow_memory = cfg->memlimit - cfg->memlimit / 4;
	if (profiles)
		swap(q->profiles, profiles);
	optsample_stall_look(sch);
	optsample_flows_reconfigure(q, &loss);
	optsample_ordinary_relieve(q, &loss);
	if (loss.packets)
		optsample_settle_loss(sch, &loss);
	sch_tree_unlock(sch);
	kfree_skb_list(to_free);
	optsample_profiles_free(profiles, q->profiles);	/* the old ones */

	/* A gate that opened, or a limit that grew, may set packets free. */
	optsample_kick(sch);
	return 0;
}

static int optsample_change(struct Qdisc *sch, struct nlattr *opt,
			    struct netlink_ext_ack *extack)
{
	struct optsample_sched *q = qdisc_priv(sch);
	struct optsample_config cfg = q->cfg;
	struct optsample_profile *profiles;
	int err;

	err = optsample_parse(sch, opt, &cfg, &profiles, extack);
	if (err)
		return err;
	if (cfg.flows != q->cfg.flows) {
		NL_SET_ERR_MSG(extack, "optsample: flows cannot be changed");
		optsample_profiles_free(profiles, q->profiles);
		return -EOPNOTSUPP;
	}
	return optsample_apply(sch, &cfg, profiles, extack);
}

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
	err = optsample_ordinary_init(q);
	if (err)
		return err;
	optsample_stall_init(sch);
	return optsample_apply(sch, &cfg, NULL, extack);
}

/* Also after a failed init() */
static void optsample_destroy(struct Qdisc *sch)
{
	struct optsample_sched *q = qdisc_priv(sch);

	tcf_block_put(q->block);
	optsample_stall_destroy(sch);
	optsample_flows_destroy(q);
	optsample_ordinary_destroy(q);
	optsample_profiles_free(q->profiles, NULL);
}

static int optsample_dump(struct Qdisc *sch, struct sk_buff *skb)
{
	struct optsample_sched *q = qdisc_priv(sch);
	struct nlattr *opts;
	int i;

	/* The caller reads the length of the queue next. */
	sch_tree_lock(sch);
	optsample_unhold(sch);
	sch_tree_unlock(sch);

	opts = nla_nest_start_noflag(skb, TCA_OPTIONS);
	if (!opts)
		return -EMSGSIZE;
	for (i = 0; i < ARRAY_SIZE(optsample_options); i++) {
		const struct optsample_option *o = &optsample_options[i];

		if (nla_put_u32(skb, o->attr,
				*(u32 *)((char *)&q->cfg + o->offset)))
			goto cancel;
	}
	if (nla_put_u64_64bit(skb, TCA_OPTSAMPLE_RATE64, q->cfg.rate,
			      TCA_OPTSAMPLE_PAD) ||
	    nla_put_string(skb, TCA_OPTSAMPLE_WATCH, q->cfg.watch) ||
	    optsample_profiles_dump(q, skb))
		goto cancel;
	return nla_nest_end(skb, opts);

cancel:
	nla_nest_cancel(skb, opts);
	return -EMSGSIZE;
}

/*
 * Statistics: the qdisc as a whole, and a class for every flow
 */

static void optsample_fill_qdisc(struct Qdisc *sch,
				 struct tc_optsample_qd_stats *st)
{
	struct optsample_sched *q = qdisc_priv(sch);
	struct optsample_flow *f;
	u32 i;

	st->c = q->retired;
	for (i = 0; i < q->cfg.flows; i++) {
		f = q->slots[i];
		if (!f)
			continue;
		optsample_counters_add(&st->c, &f->c);
		st->oldest_ns = max(st->oldest_ns, optsample_flow_age_ns(f));
		st->backlog_msgs += optsample_flow_waiting(f);
		st->flows_active += !!f->backlog_pkts;
	}
	memcpy(st->stall_ns, q->stall.ns, sizeof(st->stall_ns));
	st->longest_gap = q->longest_gap;
	st->memory = q->memory + q->ordinary.memory;
	st->memory_max = q->memory_max;
	st->ordinary_sent = q->ordinary.sent;
	st->ordinary_dropped = q->ordinary.dropped;
	st->flows_new = q->flows_new;
	st->flows_reclaimed = q->flows_reclaimed;
	st->flows_refused = q->flows_refused;
	st->flows = q->nflows;
	st->ordinary_qlen = q->ordinary.qlen;
	st->inflight_packets = optsample_inflight_packets(q);
	st->inflight_bytes = optsample_inflight_bytes(q);
}

static int optsample_dump_stats(struct Qdisc *sch, struct gnet_dump *d)
{
	struct optsample_sched *q = qdisc_priv(sch);
	struct tc_optsample_xstats st = {
		.type = TC_OPTSAMPLE_XSTATS_QDISC,
		.size = sizeof(st.qdisc),
	};

	sch_tree_lock(sch);
	optsample_unhold(sch);
	optsample_flows_reclaim(q);
	st.qdisc.stalled = optsample_stall_account(sch);
	optsample_fill_qdisc(sch, &st.qdisc);
	sch_tree_unlock(sch);
	return gnet_stats_copy_app(d, &st, sizeof(st));
}

static struct Qdisc *optsample_leaf(struct Qdisc *sch, unsigned long cl)
{
	return NULL;
}

static unsigned long optsample_find_class(struct Qdisc *sch, u32 classid)
{
	struct optsample_sched *q = qdisc_priv(sch);
	u32 minor = TC_H_MIN(classid);

	if (!minor || minor > q->cfg.flows || !q->slots[minor - 1])
		return 0;
	return minor;
}

static unsigned long optsample_bind(struct Qdisc *sch, unsigned long parent,
				    u32 classid)
{
	return 0;
}

static void optsample_unbind(struct Qdisc *sch, unsigned long cl)
{
}

static struct tcf_block *optsample_tcf_block(struct Qdisc *sch,
					     unsigned long cl,
					     struct netlink_ext_ack *extack)
{
	struct optsample_sched *q = qdisc_priv(sch);

	return cl ? NULL : q->block;
}

static int optsample_dump_class(struct Qdisc *sch, unsigned long cl,
				struct sk_buff *skb, struct tcmsg *tcm)
{
	tcm->tcm_handle |= TC_H_MIN(cl);
	return 0;
}

static void optsample_fill_class(const struct optsample_flow *f,
				 struct tc_optsample_cl_stats *st)
{
	st->c = f->c;
	st->oldest_ns = optsample_flow_age_ns(f);
	st->longest_gap = f->longest_gap;
	st->last_position = f->sent_pos;
	st->memory = f->memory;
	st->flow = f->id;
	st->backlog_msgs = optsample_flow_waiting(f);
	st->backlog_pkts = f->backlog_pkts;
	st->backlog_bytes = f->backlog_bytes;
	st->distance = optsample_distance(f->group ? &f->group->sync.sampler :
						     &f->sampler);
	st->deficit = f->deficit;
	st->profile = f->profile & ~OPTSAMPLE_ALONE;
}

static int optsample_dump_class_stats(struct Qdisc *sch, unsigned long cl,
				      struct gnet_dump *d)
{
	struct optsample_sched *q = qdisc_priv(sch);
	struct gnet_stats_queue qs = {};
	struct tc_optsample_xstats st = {
		.type = TC_OPTSAMPLE_XSTATS_CLASS,
		.size = sizeof(st.cl),
	};
	struct gnet_stats_basic_sync bs;
	const struct optsample_flow *f;

	gnet_stats_basic_sync_init(&bs);
	sch_tree_lock(sch);
	f = q->slots[cl - 1];
	if (f) {
		optsample_fill_class(f, &st.cl);
		u64_stats_set(&bs.bytes, f->c.bytes_out);
		u64_stats_set(&bs.packets, f->c.pkts_out);
		qs.backlog = f->backlog_bytes;
		qs.drops = f->c.pkts_dropped;
	}
	sch_tree_unlock(sch);
	if (!f)
		return 0;
	if (gnet_stats_copy_basic(d, NULL, &bs, false) < 0 ||
	    gnet_stats_copy_queue(d, NULL, &qs, st.cl.backlog_pkts) < 0)
		return -1;
	return gnet_stats_copy_app(d, &st, sizeof(st));
}

static void optsample_walk(struct Qdisc *sch, struct qdisc_walker *arg)
{
	struct optsample_sched *q = qdisc_priv(sch);
	u32 i;

	if (arg->stop)
		return;
	for (i = 0; i < q->cfg.flows; i++) {
		if (!q->slots[i] || arg->count < arg->skip) {
			arg->count++;
			continue;
		}
		if (arg->fn(sch, i + 1, arg) < 0) {
			arg->stop = 1;
			break;
		}
		arg->count++;
	}
}

static const struct Qdisc_class_ops optsample_class_ops = {
	.leaf		= optsample_leaf,
	.find		= optsample_find_class,
	.tcf_block	= optsample_tcf_block,
	.bind_tcf	= optsample_bind,
	.unbind_tcf	= optsample_unbind,
	.dump		= optsample_dump_class,
	.dump_stats	= optsample_dump_class_stats,
	.walk		= optsample_walk,
};

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

	err = optsample_flow_cache_init();
	if (err)
		return err;
	err = optsample_stall_register();
	if (err)
		goto err_cache;
	err = register_qdisc(&optsample_qdisc_ops);
	if (err)
		goto err_stall;
	return 0;

err_stall:
	optsample_stall_unregister();
err_cache:
	optsample_flow_cache_exit();
	return err;
}

static void __exit optsample_module_exit(void)
{
	unregister_qdisc(&optsample_qdisc_ops);
	optsample_stall_unregister();
	rcu_barrier();
	optsample_flow_cache_exit();
}

module_init(optsample_module_init);
module_exit(optsample_module_exit);
#ifdef MODULE_ALIAS_NET_SCH
MODULE_ALIAS_NET_SCH("optsample");
#endif
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Uniform sampling of whole messages on a stalling link");
