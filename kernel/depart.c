// SPDX-License-Identifier: GPL-2.0
/*
 * Which packet leaves next.
 *
 * A message that has begun to leave is sent to its end. A packet with
 * heartbeats of several writers waits in the queue of each, one after the
 * other.
 *
 * Flows take turns by bytes (deficit round robin, Shreedhar and Varghese,
 * 1995). A flow that was empty goes first for one turn, as in fq_codel: small
 * messages need not wait for large ones. A flow that becomes empty keeps its
 * place until its debt is paid.
 */
#include <linux/bitops.h>
#include "inflight.h"
#include "message.h"

/*
 * Find the last message of @to that arrived before @msg and must leave before
 * it. Return: NULL if there is none, or if @msg could wait there for ever
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
		/* The search is short: @msg may wait longer than it must. */
		if (!time_after(ahead->arrived, msg->arrived) || !--tries)
			return ahead;
	return NULL;
}

/* Move a message that is not sampled from the head of @f behind @ahead. */
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
 * A control packet of several flows waits until older messages of each have
 * left. Move it behind those of the next flow; it waits for each flow once.
 * Return: true if it was moved
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

/* @msg, the first of its flow and sampled, begins to leave. */
static __always_inline void optsample_begin(struct optsample_sched *q,
					    struct optsample_flow *f,
					    struct optsample_msg *msg)
{
	u64 gap;

	f->cur = msg;
	msg->air_place = OPTSAMPLE_TORN;
	if (unlikely(q->stall.recalls)) {
		msg->air_place = OPTSAMPLE_NOT_KEPT;
		msg->sent_before = f->has_sent ? f->sent_pos : msg->node.pos;
	}
	if (likely(msg->place == OPTSAMPLE_IN_SAMPLER))
		optsample_depart(&f->sampler);
	else
		optsample_group_begin(q, f, msg);
	f->c.msgs_out++;
	gap = msg->node.pos - f->sent_pos;
	/* In a group, positions are stamps, which may step back. */
	if (f->has_sent && (s64)gap > 0 && gap > f->longest_gap) {
		f->longest_gap = gap;
		q->longest_gap = max(q->longest_gap, gap);
	}
	f->sent_pos = msg->node.pos;
	f->has_sent = true;
}

/*
 * Has @msg, the first of its flow, waited too long to begin? Control and
 * repairs as well: they may have data of several messages.
 */
static __always_inline bool optsample_too_old(const struct optsample_flow *f,
					      const struct optsample_msg *msg)
{
	return unlikely(f->age) && !f->group &&
	       msg->place <= OPTSAMPLE_PASSES &&
	       time_after(jiffies, msg->arrived + f->age);
}

static noinline void optsample_drop_old(struct optsample_sched *q,
					struct optsample_flow *f,
					struct optsample_msg *msg)
{
	struct sk_buff *to_free = NULL;
	struct optsample_loss loss = { .to_free = &to_free };

	if (msg->place == OPTSAMPLE_IN_SAMPLER) {
		optsample_depart(&f->sampler);
		f->msgs_aged++;
		q->msgs_aged++;
	} else {
		f->c.ctl_dropped += msg->packets;
	}
	optsample_msg_drop(q, f, msg, OPTSAMPLE_WHY_AGE, &loss);
	optsample_settle_loss(q->stall.watchdog.qdisc, &loss);
	kfree_skb_list_reason(to_free, SKB_DROP_REASON_QDISC_DROP);
}

/* May the first flow in turn send? It holds packets and has no debt. */
static __always_inline bool optsample_may_send(const struct optsample_flow *f)
{
	return f->deficit > 0 && f->backlog_pkts &&
	       (likely(!f->group) || optsample_group_turn(f));
}

/*
 * All flows in this list are in debt. Give each the number of turns after which
 * the first one is out of debt. Return: false if no flow could send then
 */
static noinline bool optsample_turns_skip(struct optsample_sched *q,
					  struct list_head *turns_of)
{
	struct optsample_flow *f;
	u32 turns = U32_MAX, n;

	list_for_each_entry(f, turns_of, list) {
		if (!f->backlog_pkts || (f->group && !optsample_group_turn(f)))
			continue;
		n = f->deficit > 0 ? 0 : -f->deficit / q->cfg.quantum + 1;
		turns = min(turns, n);
	}
	if (turns == U32_MAX)
		return false;
	list_for_each_entry(f, turns_of, list)
		if (f->deficit <= 0)
			f->deficit += turns * q->cfg.quantum;
	return true;
}

/* Park a flow whose destination is full. Return: true if it was parked */
static noinline bool optsample_park(struct optsample_sched *q,
				    struct optsample_flow *f)
{
	struct list_head *parked;

	parked = optsample_inflight_blocks(q, optsample_flow_leaves(f)->head);
	if (!parked)
		return false;
	optsample_list_move(&f->list, parked);
	return true;
}

/**
 * optsample_unpark - let parked flows take turns again
 * @q: private data of the qdisc, locked
 *
 * Unparks flows whose destination may take packets again. Once a second unparks
 * all flows: a destination may never free its packets.
 */
void optsample_unpark(struct optsample_sched *q)
{
	bool all = !q->stall.by_dest ||
		   time_after(jiffies, q->unparked_at + HZ);
	struct optsample_flow *f, *next;

	if (all)
		q->unparked_at = jiffies;
	optsample_inflight_reopen(q, all);
	list_for_each_entry_safe(f, next, &q->unparked, list)
		optsample_turns_add(q, f, OPTSAMPLE_TURNS);
}

/*
 * End the turn of @f, the first in list @at: it is empty, in debt or waits for
 * its partners. Return: true if it stays listed
 */
static bool optsample_turn_over(struct optsample_sched *q,
				struct optsample_flow *f, u32 at)
{
	bool fresh = at & OPTSAMPLE_FRESH;

	if (!f->backlog_pkts && f->deficit > 0 &&
	    (!fresh || list_empty(&q->turns[at - OPTSAMPLE_FRESH]))) {
		optsample_flow_unlist(q, f);
		return false;
	}
	if (f->deficit <= 0)
		f->deficit += q->cfg.quantum;
	optsample_turns_add(q, f, OPTSAMPLE_TURNS);
	return true;
}

/*
 * Find the flow whose turn it is. In a group, a flow with a message of the
 * oldest set may send, so a band is only closed if that flow is parked. The
 * WARN guards against an endless loop. Return: false if no flow can send
 */
static __always_inline bool optsample_flow_next(struct optsample_sched *q,
						struct optsample_flow **next)
{
	u32 at, mask, steps = 0, closed = 0;
	struct optsample_flow *f;
	struct list_head *head;
	bool skipped = false;

	while (likely((mask = q->turns_mask & ~closed))) {
		at = __fls(mask);
		head = &q->turns[at];
		f = list_first_entry(head, struct optsample_flow, list);
		if (unlikely(&f->list == head)) {
			q->turns_mask &= ~(1U << at);
			steps = 0;
			continue;
		}
		if (likely(optsample_may_send(f))) {
			if (likely(!q->stall.by_dest) ||
			    !optsample_park(q, f)) {
				*next = f;
				return true;
			}
			/* The remaining flows may need more turns. */
			skipped = false;
			steps = 0;
			continue;
		}
		/*
		 * After this many steps no fresh flow is left and each flow has
		 * had a turn.
		 */
		if (!optsample_turn_over(q, f, at) ||
		    likely(++steps <= 2 * q->listed))
			continue;
		at &= ~OPTSAMPLE_FRESH;
		if (WARN_ON_ONCE(skipped) ||
		    !optsample_turns_skip(q, &q->turns[at]))
			closed |= 3U << at;	/* none of this band can send */
		else
			skipped = true;
		steps = 0;
	}
	return false;
}

/* Unlist an empty flow without debt if no other flow of its band waits. */
static __always_inline void optsample_place_give_up(struct optsample_sched *q,
						    struct optsample_flow *f)
{
	u32 turns = 2 * f->band + OPTSAMPLE_TURNS;

	if (q->holding && f->deficit > 0 && !(q->turns_mask & 1U << turns))
		optsample_flow_unlist(q, f);
}

/**
 * optsample_flows_dequeue - next packet of the flow whose turn it is
 * @q: private data of the qdisc, locked
 *
 * Drops messages that are older than their profile allows.
 *
 * Return: the packet. NULL if no flow holds a packet that may leave, or after
 * OPTSAMPLE_MOVES moves of control packets: then the qdisc is scheduled again.
 */
struct sk_buff *optsample_flows_dequeue(struct optsample_sched *q)
{
	struct optsample_msg *msg;
	struct optsample_flow *f;
	struct sk_buff *skb;
	u32 moves = 0;

	/* Control moves on OPTSAMPLE_OTHERS times at most, then leaves. */
	for (;;) {
		if (unlikely(!optsample_flow_next(q, &f)))
			return NULL;
		msg = optsample_flow_leaves(f);
		if (msg == f->cur)
			break;
		if (optsample_too_old(f, msg)) {
			optsample_drop_old(q, f, msg);
			if (!q->holding)
				return NULL;
			continue;
		}
		if (unlikely(msg->place == OPTSAMPLE_PASSES)) {
			if (msg->others[0] && optsample_move_on(q, f, msg)) {
				if (++moves < OPTSAMPLE_MOVES)
					continue;
				optsample_kick(q->stall.watchdog.qdisc);
				return NULL;
			}
			break;	/* even if f->cur is still incomplete */
		}
		if (f->cur)
			optsample_finish(q, f, f->cur);
		optsample_begin(q, f, msg);
		break;
	}
	skb = optsample_msg_take(q, f, msg);
	/* Its sender waits for the queue, not for what is below it. */
	if (likely(q->may_orphan))
		optsample_orphan(skb);
	f->deficit -= qdisc_pkt_len(skb);
	f->c.pkts_out++;
	f->c.bytes_out += qdisc_pkt_len(skb);
	if (unlikely(q->stall.recalls))
		optsample_recall_keep(q, f, msg, skb);
	if (!msg->head && msg->complete)
		optsample_finish(q, f, msg);
	if (!f->backlog_pkts) {
		optsample_flow_deactivate(q, f);
		optsample_place_give_up(q, f);
	}
	return skb;
}
