// SPDX-License-Identifier: GPL-2.0
/*
 * Which packet leaves next.
 *
 * A message that has begun to leave is finished. Heartbeats of several writers
 * in one packet wait in one queue after the other.
 *
 * Flows take turns by bytes (deficit round robin, Shreedhar and Varghese,
 * 1995). A flow that held nothing goes first for one turn, as in fq_codel, so
 * that small messages need not wait for large ones. A flow that empties keeps
 * its place until its debt is paid.
 */
#include <linux/bitops.h>
#include "message.h"

/*
 * What @msg must not overtake in @to: the last that came before it. Return:
 * NULL if there is none, or others could keep it there for ever
 */
static struct optsample_msg *
optsample_ahead(struct optsample_sched *q, const struct optsample_flow *f,
		const struct optsample_flow *to,
		const struct optsample_msg *msg)
{
	struct optsample_msg *ahead;
	int tries = OPTSAMPLE_FIND;

	if (to == f || !to->backlog_pkts || to->band < f->band ||
	    optsample_pass_full(q, to))
		return NULL;
	list_for_each_entry_reverse(ahead, &to->queue, fifo)
		/* Behind more than it must is better than a long search. */
		if (!time_after(ahead->arrived, msg->arrived) || !--tries)
			return ahead;
	return NULL;
}

/* A message that just passes, from the head of @f to behind @ahead of @to */
static void optsample_move_behind(struct optsample_sched *q,
				  struct optsample_flow *f,
				  struct optsample_flow *to,
				  struct optsample_msg *msg,
				  struct optsample_msg *ahead)
{
	f->memory -= msg->truesize;
	f->pass_memory -= msg->truesize;
	f->pass_pkts -= msg->packets;
	f->backlog_bytes -= msg->bytes;
	f->backlog_pkts -= msg->packets;
	if (!f->backlog_pkts)
		optsample_flow_deactivate(q, f);
	list_move(&msg->fifo, &ahead->fifo);
	list_move_tail(&msg->passes, &to->passes);
	to->memory += msg->truesize;
	to->pass_memory += msg->truesize;
	to->pass_pkts += msg->packets;
	to->backlog_bytes += msg->bytes;
	to->backlog_pkts += msg->packets;
}

/*
 * Control of several flows: what the next of them holds of before it must leave
 * first. Each is waited for once. Return: whether it waits there now
 */
static noinline bool optsample_move_on(struct optsample_sched *q,
				       struct optsample_flow *f,
				       struct optsample_msg *msg)
{
	struct optsample_msg *ahead;
	struct optsample_flow *to;
	u32 *others = msg->others;

	while (others[0]) {
		to = optsample_flow_find(q, others[0]);
		memmove(others, others + 1,
			(OPTSAMPLE_OTHERS - 1) * sizeof(*others));
		others[OPTSAMPLE_OTHERS - 1] = 0;
		ahead = to ? optsample_ahead(q, f, to, msg) : NULL;
		if (ahead) {
			optsample_move_behind(q, f, to, msg, ahead);
			return true;
		}
	}
	return false;
}

/*
 * The flow holds packets, but none of the message on its way. Return: NULL if
 * it was control that waits elsewhere now
 */
static __always_inline struct optsample_msg *
optsample_begin(struct optsample_sched *q, struct optsample_flow *f)
{
	struct optsample_msg *msg;
	u64 gap;

	if (f->cur)
		optsample_finish(q, f);
	msg = list_first_entry(&f->queue, struct optsample_msg, fifo);
	if (unlikely(msg->place == OPTSAMPLE_PASSES && msg->others[0]) &&
	    optsample_move_on(q, f, msg))
		return NULL;
	f->cur = msg;
	if (likely(msg->place == OPTSAMPLE_IN_SAMPLER))
		optsample_depart(&f->sampler);
	else if (msg->place != OPTSAMPLE_PASSES)
		optsample_group_begin(q, f, msg);
	else
		return msg;
	f->c.msgs_out++;
	gap = msg->node.pos - f->sent_pos;
	/* Stamps of partners may step back. */
	if (f->has_sent && (s64)gap > 0 && gap > f->longest_gap) {
		f->longest_gap = gap;
		q->longest_gap = max(q->longest_gap, gap);
	}
	f->sent_pos = msg->node.pos;
	f->has_sent = true;
	return msg;
}

/* May the first flow in turn send? It holds packets and has no debt. */
static __always_inline bool optsample_may_send(const struct optsample_flow *f)
{
	return f->deficit > 0 && f->backlog_pkts &&
	       (likely(!f->group) || optsample_group_turn(f));
}

/*
 * All flows of a band are in debt: as many turns for each as the first of them
 * needs. Return: false if none would send then
 */
static noinline bool optsample_turns_skip(struct optsample_sched *q,
					  struct optsample_band *band)
{
	struct optsample_flow *f;
	u32 turns = U32_MAX, n;

	list_for_each_entry(f, &band->turns, list) {
		if (!f->backlog_pkts || (f->group && !optsample_group_turn(f)))
			continue;
		n = f->deficit > 0 ? 0 : -f->deficit / q->cfg.quantum + 1;
		turns = min(turns, n);
	}
	if (turns == U32_MAX)
		return false;
	list_for_each_entry(f, &band->turns, list)
		if (f->deficit <= 0)
			f->deficit += turns * q->cfg.quantum;
	return true;
}

/* Its destination is full: the flow takes no turns. Return: whether it is so */
static noinline bool optsample_park(struct optsample_sched *q,
				    struct optsample_flow *f)
{
	if (!optsample_inflight_blocks(q, optsample_flow_leaves(f)->head))
		return false;
	optsample_list_move(&f->list, &q->parked);
	q->parked_at = jiffies;
	return true;
}

/* All parked flows take turns again; some will be parked once more. */
static noinline void optsample_unpark(struct optsample_sched *q)
{
	struct optsample_flow *f, *next;

	if (q->stall.by_dest && !READ_ONCE(q->stall.inflight.reopened) &&
	    time_before(jiffies, q->parked_at + HZ))
		return;
	WRITE_ONCE(q->stall.inflight.reopened, false);
	list_for_each_entry_safe(f, next, &q->parked, list) {
		q->bands |= 1U << f->band;
		optsample_list_move(&f->list, &q->band[f->band].turns);
	}
}

/*
 * The flow of a band whose turn it is. Of flows with partners one that holds
 * part of the oldest set has its turn, so there always is one; the WARN is for
 * what we have not thought of. Return: NULL if none holds packets
 */
static __always_inline struct optsample_flow *
optsample_band_next(struct optsample_sched *q, struct optsample_band *band)
{
	struct optsample_flow *f;
	struct list_head *head;
	u32 steps = 0;

	for (;;) {
		head = list_empty(&band->fresh) ? &band->turns : &band->fresh;
		if (unlikely(list_empty(head)))
			return NULL;
		f = list_first_entry(head, struct optsample_flow, list);
		if (likely(optsample_may_send(f))) {
			if (likely(!q->stall.by_dest) || !optsample_park(q, f))
				return f;
			continue;
		}
		if (!f->backlog_pkts && f->deficit > 0 &&
		    (head == &band->turns || list_empty(&band->turns))) {
			optsample_flow_unlist(q, f);
			continue;
		}
		if (f->deficit <= 0)
			f->deficit += q->cfg.quantum;
		optsample_list_move(&f->list, &band->turns);
		steps++;
		if (unlikely(steps == 2 * q->listed + 1) &&
		    !optsample_turns_skip(q, band))
			return NULL;
		if (WARN_ON_ONCE(steps > 4 * q->listed + 4))
			return NULL;
	}
}

/* The same of all bands, the highest first */
static __always_inline struct optsample_flow *
optsample_flow_next(struct optsample_sched *q)
{
	struct optsample_flow *f;
	struct optsample_band *band;
	u32 bands, bit;

	for (bands = q->bands; bands; bands &= ~bit) {
		bit = 1U << __fls(bands);
		band = &q->band[__fls(bands)];
		f = optsample_band_next(q, band);
		if (likely(f))
			return f;
		if (list_empty(&band->fresh) && list_empty(&band->turns))
			q->bands &= ~bit;
	}
	return NULL;
}

/**
 * optsample_flows_dequeue - next packet of the flow whose turn it is
 * @q: private data of the qdisc, locked
 *
 * Return: the packet, or NULL when no flow holds any.
 */
struct sk_buff *optsample_flows_dequeue(struct optsample_sched *q)
{
	struct optsample_msg *msg;
	struct optsample_flow *f;
	struct sk_buff *skb;

	if (unlikely(!list_empty(&q->parked)))
		optsample_unpark(q);
	do {
		f = optsample_flow_next(q);
		if (unlikely(!f))
			return NULL;
		msg = f->cur;
		if (!msg || !msg->head)
			msg = optsample_begin(q, f);
	} while (unlikely(!msg));
	skb = optsample_msg_take(q, f, msg);
	f->deficit -= qdisc_pkt_len(skb);
	f->c.pkts_out++;
	f->c.bytes_out += qdisc_pkt_len(skb);
	if (!msg->head && msg->complete)
		optsample_finish(q, f);
	if (!f->backlog_pkts)
		optsample_flow_deactivate(q, f);
	return skb;
}
