// SPDX-License-Identifier: GPL-2.0
/*
 * A tagged packet arrives.
 *
 * The sampler decides on whole messages, so packets are grouped by message
 * first. If a message is dropped, its later packets are dropped too. Control
 * and repair packets of the same writer wait in the same queue: a reader that
 * gets a heartbeat before the data it announces discards the data.
 */
#include "inflight.h"
#include "message.h"
#include "trace.h"

/*
 * Queue a packet that is never sampled: control, repair, or a late packet of a
 * message that has left
 * @others:	see struct optsample_msg
 * @latest:	see struct optsample_msg
 */
static bool optsample_pass(struct optsample_sched *q, struct optsample_flow *f,
			   struct sk_buff *skb, const u32 *others, u32 latest,
			   struct optsample_loss *loss)
{
	struct optsample_msg *msg = NULL;
	bool fresh;

	if (unlikely(optsample_pass_full(q, f)))
		optsample_pass_drop_oldest(q, f, loss);
	if (!list_empty(&f->queue))
		msg = list_last_entry(&f->queue, struct optsample_msg, fifo);
	/* Runs are kept short so that dropping the oldest loses little. */
	fresh = !msg || msg->place != OPTSAMPLE_PASSES || msg->packets >= 16 ||
		others[0] || msg->others[0] || latest || msg->latest;
	if (fresh)
		msg = optsample_msg_alloc(q, f, 0, true);
	if (!msg) {
		trace_optsample_verdict(q, f, 0, OPTSAMPLE_DROPPED,
					OPTSAMPLE_WHY_MEMORY);
		f->c.ctl_dropped++;
		optsample_drop_arrival(f, loss);
		return false;
	}
	if (fresh) {
		memcpy(msg->others, others, sizeof(msg->others));
		msg->latest = latest;
		optsample_msg_add(q, f, msg, skb, true, true);
	} else {
		optsample_msg_add(q, f, msg, skb, false, true);
	}
	loss->own_msg = msg;
	return true;
}

/* Handle the first packet of a message. Return: true if it is kept */
static __always_inline bool
optsample_start(struct optsample_sched *q, struct optsample_flow *f,
		struct sk_buff *skb, const struct optsample_tag *tag,
		struct optsample_loss *loss)
{
	struct optsample_node *evicted, *next;
	u64 pos = (u64)tag->pos_hi << 32 | tag->pos_lo;
	u64 shift = f->sampler.shift;
	struct optsample_msg *msg = NULL;
	bool keep;

	f->started = true;
	f->newest = tag->message;
	f->c.msgs_in++;
	keep = optsample_arrive(&f->sampler, pos, &evicted);
	if (unlikely(f->sampler.shift != shift))
		f->c.restarts++;
	if (keep) {
		msg = optsample_msg_alloc(q, f, tag->message, false);
		if (likely(msg)) {
			optsample_append(&f->sampler, &msg->node, pos);
			msg->complete = tag->mark & OPTSAMPLE_TAG_LAST;
			optsample_msg_add(q, f, msg, skb, true, false);
			f->rx = msg;
			loss->own_msg = msg;
		}
	}
	for (; evicted; evicted = next) {
		next = evicted->next;
		f->c.msgs_evicted++;
		optsample_msg_drop(q, f, optsample_msg_of(evicted),
				   OPTSAMPLE_WHY_SAMPLER, loss);
	}
	if (msg) {
		trace_optsample_verdict(q, f, tag->message, OPTSAMPLE_KEPT,
					OPTSAMPLE_WHY_NONE);
		return true;
	}
	trace_optsample_verdict(q, f, tag->message, OPTSAMPLE_DROPPED, keep ?
				OPTSAMPLE_WHY_MEMORY : OPTSAMPLE_WHY_SAMPLER);
	optsample_discard(f, tag->message, loss);
	return false;
}

/* Drop the waiting control packet that a newer one replaces. */
static void optsample_replace(struct optsample_sched *q,
			      struct optsample_flow *f, u32 latest,
			      struct optsample_loss *loss)
{
	struct optsample_msg *msg;
	int tries = OPTSAMPLE_FIND;

	list_for_each_entry_reverse(msg, &f->passes, passes) {
		if (msg->latest == latest) {
			f->c.ctl_replaced += msg->packets;
			optsample_msg_drop(q, f, msg, OPTSAMPLE_WHY_LATEST,
					   loss);
			return;
		}
		if (!--tries)
			return;
	}
}

/* Not inlined: the stack protector slows down functions with an array. */
static noinline bool optsample_control(struct optsample_sched *q,
				       struct optsample_flow *f,
				       struct sk_buff *skb,
				       const struct optsample_tag *tag,
				       struct optsample_loss *loss)
{
	u32 others[] = { tag->message, tag->pos_lo, tag->pos_hi };
	u32 latest = 0;

	f->c.ctl_in++;
	if (tag->mark & OPTSAMPLE_TAG_LATEST) {
		latest = tag->message;
		memset(others, 0, sizeof(others));
		optsample_replace(q, f, latest, loss);
	}
	return optsample_pass(q, f, skb, others, latest, loss);
}

static struct optsample_msg *optsample_find(struct optsample_flow *f, u32 id)
{
	struct optsample_msg *msg;
	int tries = OPTSAMPLE_FIND;

	if (f->cur && f->cur->id == id)
		return f->cur;
	list_for_each_entry_reverse(msg, &f->queue, fifo) {
		if (msg->place != OPTSAMPLE_PASSES && msg->id == id)
			return msg;
		if (!--tries)
			break;
	}
	return NULL;
}

/* Is it a FIRST packet that reuses the number of a complete message? */
static bool optsample_again(const struct optsample_msg *msg,
			    const struct optsample_tag *tag)
{
	return msg->complete && tag->mark & OPTSAMPLE_TAG_FIRST;
}

/*
 * The sampler decides once for each message, at its first packet. A packet of
 * an older message joins that message if it is held or has just left. So
 * neither reordering nor two writers with one flow id tear a message. Return:
 * true if @skb is queued, false if it is on the drop list
 */
static __always_inline bool
optsample_take_in(struct optsample_sched *q, struct optsample_flow *f,
		  struct sk_buff *skb, const struct optsample_tag *tag,
		  struct optsample_loss *loss)
{
	static const u32 alone[OPTSAMPLE_OTHERS];
	struct optsample_msg *msg = f->rx;
	u32 id = tag->message;
	bool newer;

	f->c.pkts_in++;
	if (tag->mark & OPTSAMPLE_TAG_CONTROL)
		return optsample_control(q, f, skb, tag, loss);
	if (likely(msg && msg->id == id && !optsample_again(msg, tag)))
		goto append;
	if (tag->mark & OPTSAMPLE_TAG_REPAIR) {
		f->c.repair_in++;
		return optsample_pass(q, f, skb, alone, 0, loss);
	}
	newer = !f->started || (s32)(id - f->newest) > 0;
	if (newer && tag->mark & OPTSAMPLE_TAG_FIRST)
		goto start;

	if (optsample_remembers(&f->gone, id) &&
	    (id == f->newest || !(tag->mark & OPTSAMPLE_TAG_FIRST)))
		goto late;
	msg = optsample_find(f, id);
	if (msg && !optsample_again(msg, tag)) {
		f->c.reordered++;
		goto append;
	}
	if (optsample_remembers(&f->left, id)) {
		f->c.reordered++;
		return optsample_pass(q, f, skb, alone, 0, loss);
	}
	if (newer || tag->mark & OPTSAMPLE_TAG_FIRST)
		goto start;
late:
	trace_optsample_verdict(q, f, id, OPTSAMPLE_DROPPED,
				OPTSAMPLE_WHY_LATE);
	f->c.late++;
	optsample_drop_arrival(f, loss);
	return false;

start:	/* called in one place only, so that it is inlined */
	if (unlikely(f->profile != (u8)(tag->mark >> 8) ||
		     optsample_flow_misplaced(q, f)))
		optsample_flow_switch(q, f, tag->mark >> 8, loss);
	if (unlikely(f->group))
		return optsample_group_start(q, f, skb, tag, loss);
	return optsample_start(q, f, skb, tag, loss);

append:
	if (tag->mark & OPTSAMPLE_TAG_LAST)
		msg->complete = true;
	optsample_msg_add(q, f, msg, skb, false, false);
	f->rx = msg;
	loss->own_msg = msg;
	return true;
}

/* Does the packet continue a message that leaves, or one that is large? */
static __always_inline bool
optsample_is_long(const struct optsample_sched *q,
		  const struct optsample_flow *f,
		  const struct optsample_tag *tag)
{
	const struct optsample_msg *rx = f->rx;

	if (likely(!rx || rx->id != tag->message))
		return false;
	return rx == f->cur ||
	       rx->truesize > q->flow_memory / OPTSAMPLE_LONG_PART;
}

/*
 * The rest of a message that leaves, or is large, keeps its socket while the
 * link moves: its sender waits as with any other qdisc, or a message larger
 * than memlimit could never be whole. Others must not fill their senders'
 * buffers, or there would be nothing to choose from.
 */
static __always_inline bool
optsample_keeps_sender(const struct optsample_sched *q,
		       const struct optsample_flow *f,
		       const struct optsample_tag *tag)
{
	return optsample_is_long(q, f, tag) &&
	       !(tag->mark & (OPTSAMPLE_TAG_CONTROL | OPTSAMPLE_TAG_REPAIR)) &&
	       !q->ordinary.held && !q->stall.pause_ns && !q->stall.by_dest;
}

/**
 * optsample_flow_enqueue - enqueue one tagged packet
 * @skb: the packet
 * @sch: the qdisc, locked
 * @to_free: list of packets that are dropped
 * @f: its flow
 *
 * Return: NET_XMIT_SUCCESS if it is queued, else NET_XMIT_CN.
 */
int optsample_flow_enqueue(struct sk_buff *skb, struct Qdisc *sch,
			   struct sk_buff **to_free, struct optsample_flow *f)
{
	struct optsample_sched *q = qdisc_priv(sch);
	struct optsample_tag *tag = optsample_skb_tag(skb);
	struct optsample_loss *loss = &q->loss;
	int ret = NET_XMIT_CN;

	optsample_loss_begin(loss, skb, to_free);
	if (likely(q->may_orphan) && !optsample_keeps_sender(q, f, tag))
		optsample_orphan(skb);
	tcf_set_qdisc_drop_reason(skb, QDISC_DROP_FLOW_LIMIT);
	if (likely(optsample_take_in(q, f, skb, tag, loss))) {
		sch->q.qlen++;
		sch->qstats.backlog += qdisc_pkt_len(skb);
		ret = NET_XMIT_SUCCESS;
	} else {
		qdisc_qstats_drop(sch);
	}
	/* A second optsample qdisc below must not read the tag again. */
	tag->mark = 0;
	if (unlikely(q->memory > q->flow_memory))
		optsample_flows_relieve(q, loss);
	if (likely(!loss->packets))
		return ret;
	return optsample_settle_loss(sch, loss) ?: ret;
}
