// SPDX-License-Identifier: GPL-2.0
/*
 * Messages: their memory, and how one is dropped. Code that runs for every
 * packet is in message.h.
 */
#include "inflight.h"
#include "message.h"
#include "trace.h"

struct kmem_cache *optsample_msg_cache;
struct kmem_cache *optsample_flow_cache;

/* Caches of their own: a general one would round up the sizes by half. */
int optsample_caches_init(void)
{
	optsample_msg_cache = kmem_cache_create("optsample_msg",
						sizeof(struct optsample_msg),
						0, 0, NULL);
	optsample_flow_cache = kmem_cache_create("optsample_flow",
						 sizeof(struct optsample_flow),
						 0, 0, NULL);
	if (optsample_msg_cache && optsample_flow_cache)
		return 0;
	optsample_caches_exit();
	return -ENOMEM;
}

void optsample_caches_exit(void)
{
	kmem_cache_destroy(optsample_flow_cache);
	kmem_cache_destroy(optsample_msg_cache);
}

/**
 * optsample_msg_drop - give up a message and all packets that it holds
 * @q: private data of the qdisc, locked
 * @f: its flow
 * @msg: the message, out of the sampler and of its set; freed
 * @why: the reason
 * @loss: where the packets go
 */
void optsample_msg_drop(struct optsample_sched *q, struct optsample_flow *f,
			struct optsample_msg *msg, enum optsample_why why,
			struct optsample_loss *loss)
{
	trace_optsample_verdict(q, f, msg->id, why == OPTSAMPLE_WHY_SAMPLER ||
				why == OPTSAMPLE_WHY_LATEST ?
				OPTSAMPLE_REPLACED : OPTSAMPLE_DROPPED, why);
	if (msg->air_place == OPTSAMPLE_LEAVES)
		optsample_recall_forget(q, msg);
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
		WARN_ON_ONCE(f->backlog_pkts < msg->packets ||
			     f->backlog_bytes < msg->bytes);
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

/**
 * optsample_settle_loss - subtract dropped packets from all parents
 * @sch: the qdisc
 * @loss: the packets; none afterwards
 *
 * Return: NET_XMIT_CN if the packet being enqueued is among them, or 0.
 */
int optsample_settle_loss(struct Qdisc *sch, struct optsample_loss *loss)
{
	u32 packets = loss->packets, bytes = loss->bytes;
	int ret;

	WARN_ON_ONCE(sch->q.qlen < packets || sch->qstats.backlog < bytes);
	sch->q.qlen -= packets;
	sch->qstats.backlog -= bytes;
	sch->qstats.drops += packets;
	if (loss->own_lost) {
		/* The parents have not counted this one yet. */
		packets--;
		bytes -= qdisc_pkt_len(loss->own);
	}
	if (packets)
		qdisc_tree_reduce_backlog(sch, packets, bytes);
	ret = loss->own_lost ? NET_XMIT_CN : NET_XMIT_SUCCESS;
	loss->packets = 0;
	loss->bytes = 0;
	loss->own_lost = false;
	return ret;
}

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

	msg = list_first_entry_or_null(&f->passes, struct optsample_msg,
				       passes);
	if (!msg)
		return;
	f->c.ctl_dropped += msg->packets;
	optsample_msg_drop(q, f, msg, OPTSAMPLE_WHY_MEMORY, loss);
}

/**
 * optsample_pass_full - does a flow hold as much control as it may?
 * @q: private data of the qdisc, locked
 * @f: the flow
 *
 * Both limits must be exceeded: repairs of long messages have many packets.
 */
bool optsample_pass_full(const struct optsample_sched *q,
			 const struct optsample_flow *f)
{
	return f->pass_pkts >= OPTSAMPLE_PASS_MAX &&
	       f->pass_memory > q->flow_memory / 8;
}

/**
 * optsample_flows_orphan - take all messages from their sockets
 * @q: private data of the qdisc, locked
 *
 * The link is stalled: no program may block any longer, see
 * optsample_keeps_sender().
 */
void optsample_flows_orphan(struct optsample_sched *q)
{
	struct optsample_flow *f;
	struct optsample_msg *msg;
	struct sk_buff *skb;
	u32 i;

	for (i = 0; q->may_orphan && i < q->cfg.flows; i++) {
		f = q->slots[i];
		if (!f || !f->backlog_pkts)
			continue;
		list_for_each_entry(msg, &f->queue, fifo)
			for (skb = msg->head; skb; skb = skb->next)
				optsample_orphan(skb);
	}
}

/**
 * optsample_turns_end - no flow holds packets: flows in turn become idle
 * @q: private data of the qdisc, locked
 *
 * Parked flows become idle when they take turns again.
 */
void optsample_turns_end(struct optsample_sched *q)
{
	struct optsample_flow *f, *next;
	u32 at;

	for (; q->turns_mask; q->turns_mask &= ~(1U << at)) {
		at = __fls(q->turns_mask);
		list_for_each_entry_safe(f, next, &q->turns[at], list)
			optsample_flow_unlist(q, f);
	}
}
