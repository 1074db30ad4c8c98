/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Messages: allocation, queueing and accounting. Functions that run for each
 * packet are forced inline: a call would cost as much as the work
 * (Documentation/benchmarks.md).
 *
 * The ways in which a message is lost. Unless noted, its packets go to
 * optsample_loss.to_free, which the core frees after it drops the lock. Its
 * struct goes back to the spare ones (optsample_msg_free()).
 *
 *	discard	 its first packet is refused: no struct is allocated, and its
 *		 later packets are dropped on arrival (msgs_sampled, late)
 *	evict	 it waits, and the sampler prefers another one (msgs_evicted)
 *	give up	 it waits, and memory is short (msgs_evicted, oversize)
 *	tear	 it has begun to leave, and memory is short: the reader gets a
 *		 part of it (torn)
 *	drop	 the common part of evict, give up and tear: free the struct
 *		 and the packets, optsample_msg_drop()
 *	withdraw it leaves the sampler or its set, but stays in the queue and
 *		 will be sent; nothing is freed
 *	purge	 its whole flow is freed; at a reset the packets go to
 *		 rtnl_kfree_skbs()
 */
#ifndef OPTSAMPLE_MESSAGE_H
#define OPTSAMPLE_MESSAGE_H

#include <linux/etherdevice.h>
#include <linux/jiffies.h>
#include <linux/slab.h>
#include "optsample.h"

/* What becomes of a message */
enum optsample_verdict {
	OPTSAMPLE_KEPT,
	OPTSAMPLE_REPLACED,	/* it waited; another one is preferred */
	OPTSAMPLE_DROPPED,
};

/* Why it is not kept */
enum optsample_why {
	OPTSAMPLE_WHY_NONE,
	OPTSAMPLE_WHY_SAMPLER,	/* the sampler prefers others */
	OPTSAMPLE_WHY_LATEST,	/* newer control of its kind came */
	OPTSAMPLE_WHY_LATE,	/* the rest of a message that was dropped */
	OPTSAMPLE_WHY_AGE,	/* it waited longer than its profile allows */
	OPTSAMPLE_WHY_LIMIT,	/* a new limit, or recall exceeds it */
	OPTSAMPLE_WHY_MEMORY,	/* memory is short */
	OPTSAMPLE_WHY_OVERSIZE,	/* it fills half of the memory */
	OPTSAMPLE_WHY_TORN,	/* memory is short, and part of it has left */
	OPTSAMPLE_WHY_PURGED,	/* its flow ends */
};

/* What recall does with a message that is kept until it has arrived */
enum optsample_recalled {
	OPTSAMPLE_TAKEN_BACK,	/* it failed, and waits in its flow again */
	OPTSAMPLE_FAILS_OFTEN,	/* given up, while others arrive */
	OPTSAMPLE_NOT_COPIED,	/* given up: no memory */
	OPTSAMPLE_FORGOTTEN,	/* its fate stays unknown */
};

extern struct kmem_cache *optsample_msg_cache;
extern struct kmem_cache *optsample_flow_cache;

static inline struct optsample_msg *
optsample_msg_of(struct optsample_node *node)
{
	return container_of(node, struct optsample_msg, node);
}

/*
 * The message of a flow that sends next: the one that has begun to leave while
 * it holds packets, else the one behind it. The flow must hold packets.
 */
static inline struct optsample_msg *
optsample_flow_leaves(const struct optsample_flow *f)
{
	if (f->cur && f->cur->head)
		return f->cur;
	if (f->cur)
		return list_next_entry(f->cur, fifo);
	return list_first_entry(&f->queue, struct optsample_msg, fifo);
}

static inline void optsample_remember(struct optsample_recent *r, u32 id)
{
	r->id[r->next] = id;
	r->next = (r->next + 1) % OPTSAMPLE_RECENT;
	if (r->count < OPTSAMPLE_RECENT)
		r->count++;
}

static inline bool optsample_remembers(const struct optsample_recent *r, u32 id)
{
	int i;

	for (i = 0; i < r->count; i++)
		if (r->id[i] == id)
			return true;
	return false;
}

static inline void optsample_charge(struct optsample_sched *q,
				    struct optsample_flow *f,
				    struct optsample_msg *msg, u32 truesize)
{
	msg->truesize += truesize;
	f->memory += truesize;
	q->memory += truesize;
	optsample_memory_max(q);
}

static inline void optsample_uncharge(struct optsample_sched *q,
				      struct optsample_flow *f,
				      struct optsample_msg *msg, u32 truesize)
{
	msg->truesize -= truesize;
	f->memory -= truesize;
	if (msg->place == OPTSAMPLE_PASSES)
		f->pass_memory -= truesize;
	q->memory -= truesize;
}

/*
 * Debian kernels check every list_add() and list_del() (CONFIG_DEBUG_LIST). The
 * checks would cost more than all the rest, so the fast path uses these two and
 * __list_del().
 */
static inline void optsample_list_move(struct list_head *entry,
				       struct list_head *list)
{
	list_bulk_move_tail(list, entry, entry);
}

static inline void optsample_list_append(struct list_head *entry,
					 struct list_head *list)
{
	struct list_head *last = list->prev;

	entry->next = list;
	entry->prev = last;
	last->next = entry;
	list->prev = entry;
}

/* Link address whose sets a flow joins; 0: sets of any destination */
static inline u64 optsample_flow_dest(const struct optsample_sched *q,
				      const struct optsample_flow *f)
{
	return q->stall.by_dest ? ether_addr_to_u64(f->dest) : 0;
}

/*
 * Is a flow in the group of another destination? This happens if there was no
 * room for a group of its own destination.
 */
static inline bool optsample_flow_misplaced(const struct optsample_sched *q,
					    const struct optsample_flow *f)
{
	return f->group && f->group->dest != optsample_flow_dest(q, f);
}

/* message.c */
void optsample_msg_drop(struct optsample_sched *q, struct optsample_flow *f,
			struct optsample_msg *msg, enum optsample_why why,
			struct optsample_loss *loss);

/* group.c */
bool optsample_group_evict(struct optsample_sched *q,
			   struct optsample_group *group,
			   enum optsample_why why, struct optsample_loss *loss);

/* Packets of @msg that are kept until they have arrived, for tracepoints */
static inline u32 optsample_kept_packets(const struct optsample_msg *msg)
{
	const struct sk_buff *skb;
	u32 packets = 0;

	for (skb = msg->kept; skb; skb = skb->next)
		packets++;
	return packets;
}

/* Number of the device, for tracepoints */
static inline int optsample_ifindex(const struct optsample_sched *q)
{
	return qdisc_dev(q->stall.watchdog.qdisc)->ifindex;
}

/* Not accounted yet: optsample_msg_add() follows. */
static __always_inline struct optsample_msg *
optsample_msg_alloc(struct optsample_sched *q, struct optsample_flow *f,
		    u32 id, bool pass)
{
	struct optsample_msg *msg;

	msg = q->spare;
	if (likely(msg)) {
		q->spare = msg->spare;
		q->nspare--;
	} else {
		msg = kmem_cache_alloc(optsample_msg_cache,
				       GFP_ATOMIC | __GFP_NOWARN);
		if (!msg)
			return NULL;
	}
	optsample_list_append(&msg->fifo, &f->queue);
	msg->arrived = jiffies;
	msg->id = id;
	msg->complete = pass;
	if (pass)
		list_add_tail(&msg->passes, &f->passes);
	msg->place = pass ? OPTSAMPLE_PASSES : OPTSAMPLE_IN_SAMPLER;
	msg->air_place = OPTSAMPLE_NOT_KEPT;
	msg->returns = 0;
	return msg;
}

static __always_inline void
optsample_msg_unqueue(struct optsample_flow *f, struct optsample_msg *msg)
{
	if (f->rx == msg)
		f->rx = NULL;
	if (f->cur == msg)
		f->cur = NULL;
	__list_del(msg->fifo.prev, msg->fifo.next);
}

/* @msg is in no list. */
static __always_inline void
optsample_msg_release(struct optsample_sched *q, struct optsample_flow *f,
		      struct optsample_msg *msg)
{
	optsample_uncharge(q, f, msg, msg->truesize);
	if (likely(q->nspare < OPTSAMPLE_SPARE_MAX)) {
		msg->spare = q->spare;
		q->spare = msg;
		q->nspare++;
	} else {
		kmem_cache_free(optsample_msg_cache, msg);
	}
}

static __always_inline void
optsample_msg_free(struct optsample_sched *q, struct optsample_flow *f,
		   struct optsample_msg *msg)
{
	if (unlikely(msg->place == OPTSAMPLE_PASSES))
		list_del(&msg->passes);
	optsample_msg_unqueue(f, msg);
	optsample_msg_release(q, f, msg);
}

static inline void optsample_flow_unlist(struct optsample_sched *q,
					 struct optsample_flow *f)
{
	f->listed = false;
	q->listed--;
	optsample_list_move(&f->list, &q->idle);
}

/* Unlist the flow that kept its place although it holds no packets. */
static inline void optsample_alone_idle(struct optsample_sched *q)
{
	if (!q->alone)
		return;
	optsample_flow_unlist(q, q->alone);
	q->alone = NULL;
	q->turns_mask = 0;
}

static inline void optsample_turns_add(struct optsample_sched *q,
				       struct optsample_flow *f,
				       enum optsample_turns which)
{
	u32 at = 2 * f->band + which;

	optsample_list_move(&f->list, &q->turns[at]);
	q->turns_mask |= 1U << at;
}

/*
 * A flow that held no packets gets one. A flow that is still listed keeps its
 * place, and also its debt unless it is the only one.
 */
static inline void optsample_flow_activate(struct optsample_sched *q,
					   struct optsample_flow *f)
{
	if (!q->holding++) {
		if (likely(q->alone == f)) {
			q->alone = NULL;
			f->deficit = q->cfg.quantum;
			return;
		}
		optsample_alone_idle(q);
	}
	if (f->listed)
		return;
	f->listed = true;
	f->deficit = q->cfg.quantum;
	q->listed++;
	optsample_turns_add(q, f, OPTSAMPLE_FRESH);
}

/*
 * A flow has no packets left. If no other flow has any, debts are void. A flow
 * that sends alone keeps its place for its next packet.
 */
static inline void optsample_flow_deactivate(struct optsample_sched *q,
					     struct optsample_flow *f)
{
	f->idle_since = jiffies;
	if (--q->holding)
		return;
	if (likely(q->listed == 1))
		q->alone = f;
	else
		optsample_turns_end(q);
}

/* @fresh: @msg was just allocated and is accounted together with @skb */
static __always_inline void
optsample_msg_add(struct optsample_sched *q, struct optsample_flow *f,
		  struct optsample_msg *msg, struct sk_buff *skb, bool fresh,
		  bool pass)
{
	u32 truesize = skb->truesize + (fresh ? sizeof(*msg) : 0);
	u32 len = qdisc_pkt_len(skb);

	skb->next = NULL;
	if (!fresh && msg->head)
		msg->tail->next = skb;
	else
		msg->head = skb;
	msg->tail = skb;
	if (fresh) {
		msg->packets = 1;
		msg->bytes = len;
		msg->truesize = truesize;
	} else {
		msg->packets++;
		msg->bytes += len;
		msg->truesize += truesize;
	}
	f->memory += truesize;
	q->memory += truesize;
	optsample_memory_max(q);
	if (pass) {
		f->pass_memory += truesize;
		f->pass_pkts++;
	}
	f->backlog_bytes += len;
	if (!f->backlog_pkts++)
		optsample_flow_activate(q, f);
}

static __always_inline struct sk_buff *
optsample_msg_take(struct optsample_sched *q, struct optsample_flow *f,
		   struct optsample_msg *msg)
{
	struct sk_buff *skb = msg->head;

	msg->head = skb->next;
	skb_mark_not_on_list(skb);
	if (msg->place == OPTSAMPLE_PASSES)
		f->pass_pkts--;
	/* The last packet is uncharged together with the message. */
	if (msg->head || !msg->complete) {
		msg->packets--;
		msg->bytes -= qdisc_pkt_len(skb);
		optsample_uncharge(q, f, msg, skb->truesize);
	}
	f->backlog_bytes -= qdisc_pkt_len(skb);
	f->backlog_pkts--;
	return skb;
}

/* All packets of @msg that arrived have left. */
static __always_inline void optsample_finish(struct optsample_sched *q,
					     struct optsample_flow *f,
					     struct optsample_msg *msg)
{
	if (unlikely(msg->air_place == OPTSAMPLE_LEAVES)) {
		optsample_recall_linger(q, f, msg);
		return;
	}
	if (msg->place != OPTSAMPLE_PASSES) {
		if (!msg->complete)
			f->c.incomplete++;
		optsample_remember(&f->left, msg->id);
	}
	optsample_msg_free(q, f, msg);
}

static inline void optsample_drop_arrival(struct optsample_flow *f,
					  struct optsample_loss *loss)
{
	f->c.pkts_dropped++;
	__qdisc_drop(loss->own, loss->to_free);
}

/* The message that begins with the arrival is discarded. */
static inline void optsample_discard(struct optsample_flow *f, u32 id,
				     struct optsample_loss *loss)
{
	optsample_remember(&f->gone, id);
	f->c.msgs_sampled++;
	optsample_drop_arrival(f, loss);
}

#endif
