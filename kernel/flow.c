// SPDX-License-Identifier: GPL-2.0
/*
 * Flows of whole messages.
 *
 * The sampler decides by message, so packets are gathered by message first.
 * A message that has begun to leave is finished; one that is given up takes
 * its later packets with it. Control and repair packets of the same writer
 * wait in the same queue, because a reader that sees a heartbeat before the
 * data it announces throws the held data away. Heartbeats of several writers
 * in one packet wait in one queue after the other.
 *
 * Flows take turns by bytes (deficit round robin).
 */
#include <linux/bitops.h>
#include "message.h"

struct kmem_cache *optsample_msg_cache;

int optsample_flow_cache_init(void)
{
	optsample_msg_cache = kmem_cache_create("optsample_msg",
						sizeof(struct optsample_msg),
						0, 0, NULL);
	return optsample_msg_cache ? 0 : -ENOMEM;
}

void optsample_flow_cache_exit(void)
{
	kmem_cache_destroy(optsample_msg_cache);
}

/**
 * optsample_msg_drop - give up a message and all packets that it holds
 * @q: private data of the qdisc, locked
 * @f: its flow
 * @msg: the message, out of the sampler and of its set; freed
 * @loss: where the packets go
 */
void optsample_msg_drop(struct optsample_sched *q, struct optsample_flow *f,
			struct optsample_msg *msg,
			struct optsample_loss *loss)
{
	if (msg->place == OPTSAMPLE_PASSES)
		f->pass_pkts -= msg->packets;
	else
		optsample_remember(&f->gone, msg->id);
	if (msg->place > OPTSAMPLE_PASSES && msg != f->cur) {
		f->waiting--;
		if (msg->place == OPTSAMPLE_COMMITTED)
			optsample_committed(f, -1);
	}
	if (loss->own_msg == msg)
		loss->own_lost = true;
	if (msg->head) {
		msg->tail->next = *loss->to_free;
		*loss->to_free = msg->head;
		loss->packets += msg->packets;
		loss->bytes += msg->bytes;
		f->backlog_bytes -= msg->bytes;
		f->backlog_pkts -= msg->packets;
		if (!f->backlog_pkts)
			optsample_flow_deactivate(q, f);
	}
	f->c.pkts_dropped += msg->packets;
	optsample_msg_free(q, f, msg);
}

/*
 * Arrival
 */

/**
 * optsample_pass_drop_oldest - give up the oldest control packets of a flow
 * @q: private data of the qdisc, locked
 * @f: the flow
 * @loss: where they go
 */
void optsample_pass_drop_oldest(struct optsample_sched *q,
				struct optsample_flow *f,
				struct optsample_loss *loss)
{
	struct optsample_msg *msg;

	list_for_each_entry(msg, &f->queue, fifo) {
		if (msg->place != OPTSAMPLE_PASSES || msg == f->cur)
			continue;
		f->c.ctl_dropped += msg->packets;
		optsample_msg_drop(q, f, msg, loss);
		return;
	}
}

/* Few are never too many; repairs of long messages are many. */
static bool optsample_pass_full(const struct optsample_sched *q,
				const struct optsample_flow *f)
{
	return f->pass_pkts >= OPTSAMPLE_PASS_MAX &&
	       f->pass_memory > optsample_flow_memory(q) / 8;
}

/*
 * In order, never sampled: control, repairs, stragglers of what has left
 * @others:	see struct optsample_msg
 */
static bool optsample_pass(struct optsample_sched *q, struct optsample_flow *f,
			   struct sk_buff *skb, const u32 *others,
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
		others[0] || msg->others[0];
	if (fresh)
		msg = optsample_msg_alloc(q, f, 0, true);
	if (!msg) {
		f->c.ctl_dropped++;
		optsample_drop_arrival(f, loss);
		return false;
	}
	if (fresh) {
		memcpy(msg->others, others, sizeof(msg->others));
		optsample_msg_add(q, f, msg, skb, true, true);
	} else {
		optsample_msg_add(q, f, msg, skb, false, true);
	}
	loss->own_msg = msg;
	return true;
}

/* The first packet of a message: does the message stay? */
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
		optsample_msg_drop(q, f, optsample_msg_of(evicted), loss);
	}
	if (msg)
		return true;
	optsample_discard(f, tag->message, loss);
	return false;
}

static struct optsample_msg *optsample_find(struct optsample_flow *f, u32 id)
{
	struct optsample_msg *msg;
	int tries = OPTSAMPLE_FIND;

	if (f->cur && f->cur->place != OPTSAMPLE_PASSES && f->cur->id == id)
		return f->cur;
	list_for_each_entry_reverse(msg, &f->queue, fifo) {
		if (msg->place == OPTSAMPLE_PASSES)
			continue;
		if (msg->id == id)
			return msg;
		if (!--tries)
			break;
	}
	return NULL;
}

/* A start with the number of a message that is complete: a new message */
static bool optsample_again(const struct optsample_msg *msg,
			    const struct optsample_tag *tag)
{
	return msg->complete && tag->mark & OPTSAMPLE_TAG_FIRST;
}

/**
 * optsample_flow_enqueue - take in one tagged packet
 * @q: private data of the qdisc, locked
 * @f: its flow
 * @skb: the packet, orphaned
 * @tag: what the classifier said
 * @loss: in: where to put what is dropped; out: what was taken out
 *
 * The sampler is asked once for each message, at its first packet. A packet
 * of an older message joins it while it is held or has just left, so that
 * reordering or two writers behind one flow id never tear a message.
 *
 * Return: true if @skb is queued, false if it was put on the drop list.
 */
bool optsample_flow_enqueue(struct optsample_sched *q,
			    struct optsample_flow *f, struct sk_buff *skb,
			    const struct optsample_tag *tag,
			    struct optsample_loss *loss)
{
	static const u32 alone[OPTSAMPLE_OTHERS];
	struct optsample_msg *msg = f->rx;
	u32 id = tag->message;
	bool newer;

	f->c.pkts_in++;
	if (tag->mark & OPTSAMPLE_TAG_CONTROL) {
		const u32 others[] = { id, tag->pos_lo, tag->pos_hi };

		f->c.ctl_in++;
		return optsample_pass(q, f, skb, others, loss);
	}
	if (likely(msg && msg->id == id && !optsample_again(msg, tag)))
		goto append;
	if (tag->mark & OPTSAMPLE_TAG_REPAIR) {
		f->c.repair_in++;
		return optsample_pass(q, f, skb, alone, loss);
	}
	newer = !f->started || (s32)(id - f->newest) > 0;
	if (newer && tag->mark & OPTSAMPLE_TAG_FIRST)
		goto start;

	if (optsample_recalls(&f->gone, id) &&
	    (id == f->newest || !(tag->mark & OPTSAMPLE_TAG_FIRST)))
		goto late;
	msg = optsample_find(f, id);
	if (msg && !optsample_again(msg, tag)) {
		f->c.reordered++;
		goto append;
	}
	if (optsample_recalls(&f->left, id)) {
		f->c.reordered++;
		return optsample_pass(q, f, skb, alone, loss);
	}
	if (newer || tag->mark & OPTSAMPLE_TAG_FIRST)
		goto start;
late:
	f->c.late++;
	optsample_drop_arrival(f, loss);
	return false;

start:	/* the one call: it is inlined */
	if (unlikely(f->profile != (u8)(tag->mark >> 8)))
		optsample_flow_follow(q, f, tag->mark >> 8, loss);
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

/*
 * Departure
 */

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

	if (to == f || !to->backlog_pkts || to->priority < f->priority ||
	    optsample_pass_full(q, to))
		return NULL;
	list_for_each_entry_reverse(ahead, &to->queue, fifo)
		if (!time_after(ahead->arrived, msg->arrived))
			return ahead;
	return NULL;
}

/* A message that just passes, from the head of @f to behind @ahead of @to */
static void optsample_pass_over(struct optsample_sched *q,
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
static noinline bool optsample_waits(struct optsample_sched *q,
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
			optsample_pass_over(q, f, to, msg, ahead);
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
	    optsample_waits(q, f, msg))
		return NULL;
	f->cur = msg;
	if (likely(msg->place == OPTSAMPLE_IN_SAMPLER))
		optsample_depart(&f->sampler);
	else if (msg->place == OPTSAMPLE_PASSES)
		return msg;
	else
		optsample_group_begin(f, msg);
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

/**
 * optsample_flows_dequeue - next packet of the flow whose turn it is
 * @q: private data of the qdisc, locked
 *
 * Deficit round robin by bytes among the flows that hold packets, those of
 * the highest priority only. Of flows with partners one that holds part of
 * the oldest set has its turn, so this ends.
 *
 * Return: the packet, or NULL when no flow holds any.
 */
struct sk_buff *optsample_flows_dequeue(struct optsample_sched *q)
{
	struct list_head *active;
	struct optsample_msg *msg;
	struct optsample_flow *f;
	struct sk_buff *skb;

next:
	active = &q->active[0];
	if (unlikely(q->priorities))
		active += fls(q->priorities) - 1;
	for (;;) {
		if (list_empty(active))
			return NULL;
		f = list_first_entry(active, struct optsample_flow, list);
		if (f->deficit <= 0)
			f->deficit += q->cfg.quantum;
		else if (likely(!f->group) || optsample_group_turn(f))
			break;
		optsample_list_move(&f->list, active);
	}
	msg = f->cur;
	if (!msg || !msg->head)
		msg = optsample_begin(q, f);
	if (unlikely(!msg))
		goto next;
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
