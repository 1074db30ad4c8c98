// SPDX-License-Identifier: GPL-2.0
/*
 * Statistics: the qdisc as a whole, and a class for every flow
 */
#include <net/pkt_cls.h>
#include <net/sch_generic.h>
#include "inflight.h"
#include "ordinary.h"

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
	st->memory = q->memory;
	st->memory_max = q->memory_max;
	st->ordinary_sent = q->ordinary.sent;
	st->ordinary_dropped = q->ordinary.child->qstats.drops +
			       q->ordinary.crowded;
	st->ordinary_aged = q->ordinary.aged;
	st->msgs_aged = q->msgs_aged;
	st->flows_new = q->flows_new;
	st->flows_reclaimed = q->flows_reclaimed;
	st->flows_refused = q->flows_refused;
	st->flows_displaced = q->flows_displaced;
	st->flows = q->nflows;
	st->ordinary_qlen = optsample_ordinary_qlen(q);
	st->inflight_packets = optsample_inflight_packets(q);
	st->inflight_bytes = optsample_inflight_bytes(q);
	st->inflight_recounts = q->stall.inflight.recounts;
	st->inflight_limit_bytes = optsample_inflight_limit(q);
	st->destinations = optsample_inflight_dests(q);
	st->recall_state = optsample_recall_state(q);
	st->recall_msgs = q->stall.recall.nmsgs;
	st->recall_forgotten = q->stall.recall.forgotten;
	st->watched = q->stall.watched ? q->stall.watched->ifindex : 0;
}

int optsample_dump_stats(struct Qdisc *sch, struct gnet_dump *d)
{
	struct tc_optsample_xstats st = {
		.type = TC_OPTSAMPLE_XSTATS_QDISC,
		.size = sizeof(st.qdisc),
	};

	sch_tree_lock(sch);
	optsample_unhold(sch);
	st.qdisc.stalled = optsample_hold_account(sch);
	optsample_fill_qdisc(sch, &st.qdisc);
	sch_tree_unlock(sch);
	return gnet_stats_copy_app(d, &st, sizeof(st));
}

static int optsample_graft(struct Qdisc *sch, unsigned long cl,
			   struct Qdisc *new, struct Qdisc **old,
			   struct netlink_ext_ack *extack)
{
	if (cl != OPTSAMPLE_ORDINARY) {
		NL_SET_ERR_MSG(extack,
			       "optsample: only class ffff, ordinary traffic, has a qdisc");
		return -EOPNOTSUPP;
	}
	return optsample_ordinary_graft(sch, new, old, extack);
}

static struct Qdisc *optsample_leaf(struct Qdisc *sch, unsigned long cl)
{
	struct optsample_sched *q = qdisc_priv(sch);

	return cl == OPTSAMPLE_ORDINARY ? q->ordinary.child : NULL;
}

/*
 * Not locked: flows come and go with packets. Callers that need the flow lock
 * the qdisc and check again.
 */
static bool optsample_slot_used(const struct optsample_sched *q, u32 slot)
{
	return READ_ONCE(q->slots[slot]);
}

static unsigned long optsample_find_class(struct Qdisc *sch, u32 classid)
{
	struct optsample_sched *q = qdisc_priv(sch);
	u32 minor = TC_H_MIN(classid);

	if (minor == OPTSAMPLE_ORDINARY)
		return minor;
	if (!minor || minor > q->cfg.flows ||
	    !optsample_slot_used(q, minor - 1))
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
	struct optsample_sched *q = qdisc_priv(sch);

	tcm->tcm_handle |= TC_H_MIN(cl);
	if (cl == OPTSAMPLE_ORDINARY)
		tcm->tcm_info = q->ordinary.child->handle;
	return 0;
}

static void optsample_fill_class(const struct optsample_sched *q,
				 const struct optsample_flow *f,
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
	st->profile = optsample_flow_profile(q, f);
	st->msgs_aged = f->msgs_aged;
}

static int optsample_dump_ordinary_stats(struct Qdisc *child,
					 struct gnet_dump *d)
{
	if (gnet_stats_copy_basic(d, child->cpu_bstats, &child->bstats,
				  true) < 0 ||
	    qdisc_qstats_copy(d, child) < 0)
		return -1;
	return 0;
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

	if (cl == OPTSAMPLE_ORDINARY)
		return optsample_dump_ordinary_stats(q->ordinary.child, d);
	gnet_stats_basic_sync_init(&bs);
	sch_tree_lock(sch);
	f = q->slots[cl - 1];
	if (f) {
		optsample_fill_class(q, f, &st.cl);
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

static bool optsample_visit(struct Qdisc *sch, unsigned long cl,
			    struct qdisc_walker *arg)
{
	if (arg->count >= arg->skip && arg->fn(sch, cl, arg) < 0) {
		arg->stop = 1;
		return false;
	}
	arg->count++;
	return true;
}

static void optsample_walk(struct Qdisc *sch, struct qdisc_walker *arg)
{
	struct optsample_sched *q = qdisc_priv(sch);
	u32 i;

	if (arg->stop)
		return;
	for (i = 0; i < q->cfg.flows; i++) {
		if (!optsample_slot_used(q, i))
			arg->count++;
		else if (!optsample_visit(sch, i + 1, arg))
			return;
	}
	optsample_visit(sch, OPTSAMPLE_ORDINARY, arg);
}

const struct Qdisc_class_ops optsample_class_ops = {
	.graft		= optsample_graft,
	.leaf		= optsample_leaf,
	.find		= optsample_find_class,
	.tcf_block	= optsample_tcf_block,
	.bind_tcf	= optsample_bind,
	.unbind_tcf	= optsample_unbind,
	.dump		= optsample_dump_class,
	.dump_stats	= optsample_dump_class_stats,
	.walk		= optsample_walk,
};
