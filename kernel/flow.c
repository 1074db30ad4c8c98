// SPDX-License-Identifier: GPL-2.0
/*
 * Flows of whole messages.
 *
 * The sampler decides by message, so packets are gathered by message first.
 * A message that has begun to leave is finished; one that is given up takes
 * its later packets with it. Control and repair packets of the same writer
 * wait in the same queue, because a reader that sees a heartbeat before the
 * data it announces throws the held data away.
 *
 * Flows take turns by bytes (deficit round robin). A flow is freed when it
 * has held nothing for a while.
 */
#include <linux/jiffies.h>
#include <linux/slab.h>
#include "optsample.h"

static struct kmem_cache *optsample_msg_cache;

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

static struct optsample_msg *optsample_msg_of(struct optsample_node *node)
{
	return container_of(node, struct optsample_msg, node);
}

static void optsample_remember(struct optsample_recent *r, u32 id)
{
	r->id[r->next] = id;
	r->next = (r->next + 1) % OPTSAMPLE_RECENT;
	if (r->count < OPTSAMPLE_RECENT)
		r->count++;
}

static bool optsample_recalls(const struct optsample_recent *r, u32 id)
{
	int i;

	for (i = 0; i < r->count; i++)
		if (r->id[i] == id)
			return true;
	return false;
}

/*
 * Messages. What runs for each of them is inlined by force: the calls would
 * cost as much as the work (Documentation/benchmarks.md).
 */

static void optsample_uncharge(struct optsample_sched *q,
			       struct optsample_flow *f,
			       struct optsample_msg *msg, u32 truesize)
{
	msg->truesize -= truesize;
	f->memory -= truesize;
	if (msg->pass)
		f->pass_memory -= truesize;
	q->memory -= truesize;
}

/*
 * Lists are changed by list_bulk_move_tail(): Debian checks every list_add()
 * and list_del() (CONFIG_DEBUG_LIST), which would cost more than the rest.
 */
static void optsample_list_move(struct list_head *entry,
				struct list_head *list)
{
	list_bulk_move_tail(list, entry, entry);
}

/* Not accounted yet: optsample_msg_add() follows. */
static __always_inline struct optsample_msg *
optsample_msg_alloc(struct optsample_sched *q, struct optsample_flow *f,
		    u32 id, bool pass)
{
	struct optsample_msg *msg;

	if (likely(q->nspare)) {
		msg = list_first_entry(&q->spare, struct optsample_msg, fifo);
		optsample_list_move(&msg->fifo, &f->queue);
		q->nspare--;
	} else {
		msg = kmem_cache_alloc(optsample_msg_cache,
				       GFP_ATOMIC | __GFP_NOWARN);
		if (!msg)
			return NULL;
		list_add_tail(&msg->fifo, &f->queue);
	}
	msg->arrived = jiffies;
	msg->id = id;
	msg->pass = pass;
	msg->complete = pass;
	return msg;
}

static __always_inline void
optsample_msg_free(struct optsample_sched *q, struct optsample_flow *f,
		   struct optsample_msg *msg)
{
	if (f->rx == msg)
		f->rx = NULL;
	if (f->cur == msg)
		f->cur = NULL;
	optsample_uncharge(q, f, msg, msg->truesize);
	if (likely(q->nspare < OPTSAMPLE_SPARE_MAX)) {
		optsample_list_move(&msg->fifo, &q->spare);
		q->nspare++;
	} else {
		list_del(&msg->fifo);
		kmem_cache_free(optsample_msg_cache, msg);
	}
}

static void optsample_flow_activate(struct optsample_sched *q,
				    struct optsample_flow *f)
{
	f->deficit = q->cfg.quantum;
	optsample_list_move(&f->list, &q->active);
	q->nactive++;
}

static void optsample_flow_deactivate(struct optsample_sched *q,
				      struct optsample_flow *f)
{
	f->idle_since = jiffies;
	optsample_list_move(&f->list, &q->idle);
	q->nactive--;
}

/* @fresh: @msg has just been made and is accounted along with @skb */
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
	msg->packets--;
	msg->bytes -= qdisc_pkt_len(skb);
	if (msg->pass)
		f->pass_pkts--;
	/* The last one leaves the accounting together with the message. */
	if (msg->head || !msg->complete)
		optsample_uncharge(q, f, msg, skb->truesize);
	f->backlog_bytes -= qdisc_pkt_len(skb);
	f->backlog_pkts--;
	return skb;
}

/* Give up all packets that @msg holds, and @msg, already out of the sampler */
static void optsample_msg_drop(struct optsample_sched *q,
			       struct optsample_flow *f,
			       struct optsample_msg *msg,
			       struct optsample_loss *loss)
{
	if (!msg->pass) {
		optsample_remember(&f->gone, msg->id);
	} else {
		f->pass_pkts -= msg->packets;
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
 * Flow table
 */

int optsample_flows_init(struct optsample_sched *q)
{
	u32 i, n = q->cfg.flows;

	q->table_bits = max(1, ilog2(roundup_pow_of_two(n)));
	q->table = kvcalloc(1U << q->table_bits, sizeof(*q->table),
			    GFP_KERNEL);
	q->slots = kvcalloc(n, sizeof(*q->slots), GFP_KERNEL);
	q->free_slots = kvcalloc(n, sizeof(*q->free_slots), GFP_KERNEL);
	if (!q->table || !q->slots || !q->free_slots)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		q->free_slots[i] = n - 1 - i;
	return 0;
}

/* The flow holds no packets; a message begun may still be remembered. */
static void optsample_flow_free(struct optsample_sched *q,
				struct optsample_flow *f)
{
	struct optsample_msg *msg, *next;

	if (f->cur && !f->cur->complete)
		f->c.incomplete++;
	list_for_each_entry_safe(msg, next, &f->queue, fifo)
		optsample_msg_free(q, f, msg);
	optsample_counters_add(&q->retired, &f->c);
	hlist_del(&f->hash);
	list_del(&f->list);
	q->slots[f->slot] = NULL;
	q->free_slots[q->cfg.flows - q->nflows--] = f->slot;
	q->flows_reclaimed++;
	kfree(f);
}

/**
 * optsample_flows_reclaim - free the flows that were idle long enough
 * @q: private data of the qdisc, locked
 */
void optsample_flows_reclaim(struct optsample_sched *q)
{
	struct optsample_flow *f, *next;

	list_for_each_entry_safe(f, next, &q->idle, list) {
		if (time_before(jiffies, f->idle_since +
				msecs_to_jiffies(q->cfg.idle_ms)))
			break;
		optsample_flow_free(q, f);
	}
}

static struct optsample_flow *optsample_flow_new(struct optsample_sched *q,
						 u32 id)
{
	struct optsample_flow *f;

	optsample_flows_reclaim(q);
	if (q->nflows == q->cfg.flows) {
		f = list_first_entry_or_null(&q->idle, struct optsample_flow,
					     list);
		if (!f)
			return NULL;
		optsample_flow_free(q, f);
	}
	f = kzalloc(sizeof(*f), GFP_ATOMIC | __GFP_NOWARN);
	if (!f)
		return NULL;
	INIT_LIST_HEAD(&f->queue);
	f->id = id;
	f->slot = q->free_slots[q->cfg.flows - ++q->nflows];
	f->idle_since = jiffies;
	q->slots[f->slot] = f;
	optsample_init(&f->sampler, q->cfg.policy, q->cfg.limit,
		       q->cfg.refill);
	hlist_add_head(&f->hash, &q->table[hash_32(id, q->table_bits)]);
	list_add_tail(&f->list, &q->idle);
	q->flows_new++;
	return f;
}

/**
 * optsample_flow_make - make the flow of a tag
 * @q: private data of the qdisc, locked
 * @id: flow id of the tag, not in the table
 *
 * Return: the flow, or NULL when the table is full of busy flows or memory
 * is short.
 */
struct optsample_flow *optsample_flow_make(struct optsample_sched *q, u32 id)
{
	struct optsample_flow *f = optsample_flow_new(q, id);

	if (!f)
		q->flows_refused++;
	return f;
}

/*
 * Arrival
 */

static void optsample_drop_arrival(struct optsample_flow *f,
				   struct optsample_loss *loss)
{
	f->c.pkts_dropped++;
	__qdisc_drop(loss->own, loss->to_free);
}

static void optsample_pass_drop_oldest(struct optsample_sched *q,
				       struct optsample_flow *f,
				       struct optsample_loss *loss)
{
	struct optsample_msg *msg;

	list_for_each_entry(msg, &f->queue, fifo) {
		if (!msg->pass || msg == f->cur)
			continue;
		f->c.ctl_dropped += msg->packets;
		optsample_msg_drop(q, f, msg, loss);
		return;
	}
}

/* In order, never sampled: control, repairs, stragglers of what has left */
static bool optsample_pass(struct optsample_sched *q, struct optsample_flow *f,
			   struct sk_buff *skb, struct optsample_loss *loss)
{
	struct optsample_msg *msg = NULL;
	bool fresh;

	if (unlikely(f->pass_pkts >= OPTSAMPLE_PASS_MAX))
		optsample_pass_drop_oldest(q, f, loss);
	if (!list_empty(&f->queue))
		msg = list_last_entry(&f->queue, struct optsample_msg, fifo);
	/* Runs are kept short so that dropping the oldest loses little. */
	fresh = !msg || !msg->pass || msg->packets >= 16;
	if (fresh)
		msg = optsample_msg_alloc(q, f, 0, true);
	if (!msg) {
		f->c.ctl_dropped++;
		optsample_drop_arrival(f, loss);
		return false;
	}
	if (fresh)
		optsample_msg_add(q, f, msg, skb, true, true);
	else
		optsample_msg_add(q, f, msg, skb, false, true);
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
	optsample_remember(&f->gone, tag->message);
	f->c.msgs_sampled++;
	optsample_drop_arrival(f, loss);
	return false;
}

static struct optsample_msg *optsample_find(struct optsample_flow *f, u32 id)
{
	struct optsample_msg *msg;
	int tries = OPTSAMPLE_FIND;

	if (f->cur && !f->cur->pass && f->cur->id == id)
		return f->cur;
	list_for_each_entry_reverse(msg, &f->queue, fifo) {
		if (msg->pass)
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
	struct optsample_msg *msg = f->rx;
	u32 id = tag->message;
	bool newer;

	f->c.pkts_in++;
	if (tag->mark & OPTSAMPLE_TAG_CONTROL) {
		f->c.ctl_in++;
		return optsample_pass(q, f, skb, loss);
	}
	if (likely(msg && msg->id == id && !optsample_again(msg, tag)))
		goto append;
	if (tag->mark & OPTSAMPLE_TAG_REPAIR) {
		f->c.repair_in++;
		return optsample_pass(q, f, skb, loss);
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
		return optsample_pass(q, f, skb, loss);
	}
	if (newer || tag->mark & OPTSAMPLE_TAG_FIRST)
		goto start;
late:
	f->c.late++;
	optsample_drop_arrival(f, loss);
	return false;

start:	/* the one call: it is inlined */
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

static __always_inline void optsample_finish(struct optsample_sched *q,
					     struct optsample_flow *f)
{
	struct optsample_msg *msg = f->cur;

	if (!msg->pass) {
		if (!msg->complete)
			f->c.incomplete++;
		optsample_remember(&f->left, msg->id);
	}
	optsample_msg_free(q, f, msg);
}

/* The flow holds packets, but none of the message on its way */
static __always_inline struct optsample_msg *
optsample_begin(struct optsample_sched *q, struct optsample_flow *f)
{
	struct optsample_msg *msg;
	u64 gap;

	if (f->cur)
		optsample_finish(q, f);
	msg = list_first_entry(&f->queue, struct optsample_msg, fifo);
	f->cur = msg;
	if (msg->pass)
		return msg;
	optsample_depart(&f->sampler);
	f->c.msgs_out++;
	gap = msg->node.pos - f->sent_pos;
	if (f->has_sent && gap > f->longest_gap) {
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
 * Deficit round robin by bytes among the flows that hold packets.
 *
 * Return: the packet, or NULL when no flow holds any.
 */
struct sk_buff *optsample_flows_dequeue(struct optsample_sched *q)
{
	struct optsample_msg *msg;
	struct optsample_flow *f;
	struct sk_buff *skb;

	for (;;) {
		f = list_first_entry_or_null(&q->active, struct optsample_flow,
					     list);
		if (!f)
			return NULL;
		if (f->deficit > 0)
			break;
		f->deficit += q->cfg.quantum;
		optsample_list_move(&f->list, &q->active);
	}
	msg = f->cur;
	if (!msg || !msg->head)
		msg = optsample_begin(q, f);
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

/*
 * Memory pressure, changes, the end
 */

/* The rest of a message on its way: the reader gets it in part. */
static void optsample_tear(struct optsample_sched *q, struct optsample_flow *f,
			   struct optsample_loss *loss)
{
	struct optsample_msg *msg = f->cur;

	if (msg->pass)
		f->c.ctl_dropped += msg->packets;
	else
		f->c.torn++;
	optsample_msg_drop(q, f, msg, loss);
}

static void optsample_flow_give_up(struct optsample_sched *q,
				   struct optsample_flow *f,
				   struct optsample_loss *loss)
{
	struct optsample_msg *msg = f->rx;

	/* One that will not fit must not push out all the others first. */
	if (f->cur && f->cur->head &&
	    f->cur->truesize > optsample_flow_memory(q) / 2) {
		optsample_tear(q, f, loss);
		return;
	}
	if (msg && !msg->complete && msg != f->cur &&
	    msg->truesize > optsample_flow_memory(q) / 2) {
		f->c.oversize++;
		optsample_remove(&f->sampler, &msg->node);
		optsample_msg_drop(q, f, msg, loss);
		return;
	}
	if (f->pass_memory > f->memory / 2 && f->pass_pkts &&
	    !(f->cur && f->cur->pass)) {
		optsample_pass_drop_oldest(q, f, loss);
		return;
	}
	if (!f->sampler.len) {
		if (f->cur && f->cur->head)
			optsample_tear(q, f, loss);
		else
			optsample_pass_drop_oldest(q, f, loss);
		return;
	}
	f->c.msgs_evicted++;
	optsample_msg_drop(q, f, optsample_msg_of(optsample_evict(&f->sampler)),
			   loss);
}

/* What idle flows remember of unfinished messages is memory, too. */
static bool optsample_forget(struct optsample_sched *q)
{
	struct optsample_flow *f;

	list_for_each_entry(f, &q->idle, list) {
		if (f->cur) {
			optsample_finish(q, f);
			return true;
		}
	}
	return false;
}

/**
 * optsample_flows_relieve - sample the fattest flows until memory fits
 * @q: private data of the qdisc, locked
 * @loss: what was taken out
 *
 * Scans the flows that hold packets; only done beyond the memory limit, and
 * every scan frees a whole message.
 */
void optsample_flows_relieve(struct optsample_sched *q,
			     struct optsample_loss *loss)
{
	while (q->memory > optsample_flow_memory(q)) {
		struct optsample_flow *f, *fattest = NULL;

		if (optsample_forget(q))
			continue;
		list_for_each_entry(f, &q->active, list)
			if (!fattest || f->memory > fattest->memory)
				fattest = f;
		if (!fattest)
			break;
		optsample_flow_give_up(q, fattest, loss);
	}
}

/**
 * optsample_flows_reconfigure - apply a new limit, policy or memory limit
 * @q: private data of the qdisc, locked, with the new configuration
 * @loss: what had to go
 */
void optsample_flows_reconfigure(struct optsample_sched *q,
				 struct optsample_loss *loss)
{
	u32 i;

	for (i = 0; i < q->cfg.flows; i++) {
		struct optsample_flow *f = q->slots[i];

		if (!f)
			continue;
		optsample_set_policy(&f->sampler, q->cfg.policy,
				     q->cfg.refill);
		optsample_set_limit(&f->sampler, q->cfg.limit);
		while (f->sampler.len > q->cfg.limit) {
			struct optsample_node *n = optsample_evict(&f->sampler);

			f->c.msgs_evicted++;
			optsample_msg_drop(q, f, optsample_msg_of(n), loss);
		}
	}
	optsample_flows_relieve(q, loss);
}

static void optsample_flow_purge(struct optsample_sched *q,
				 struct optsample_flow *f)
{
	struct optsample_msg *msg;

	f->c.msgs_evicted += f->sampler.len;
	f->c.pkts_dropped += f->backlog_pkts;
	if (f->backlog_pkts)
		optsample_flow_deactivate(q, f);
	f->backlog_pkts = 0;
	list_for_each_entry(msg, &f->queue, fifo)
		if (msg->head)
			rtnl_kfree_skbs(msg->head, msg->tail);
	optsample_flow_free(q, f);
}

/**
 * optsample_flows_purge - drop all packets and all flows
 * @q: private data of the qdisc, locked
 */
void optsample_flows_purge(struct optsample_sched *q)
{
	u32 i;

	if (!q->slots)
		return;
	for (i = 0; i < q->cfg.flows; i++)
		if (q->slots[i])
			optsample_flow_purge(q, q->slots[i]);
}

void optsample_flows_destroy(struct optsample_sched *q)
{
	struct optsample_msg *msg, *next;

	optsample_flows_purge(q);
	list_for_each_entry_safe(msg, next, &q->spare, fifo)
		kmem_cache_free(optsample_msg_cache, msg);
	kvfree(q->free_slots);
	kvfree(q->slots);
	kvfree(q->table);
}

/**
 * optsample_flow_age_ns - age of the oldest message held
 * @f: the flow
 *
 * Return: nanoseconds since it arrived, to a tick; 0 when nothing is held.
 */
u64 optsample_flow_age_ns(const struct optsample_flow *f)
{
	const struct optsample_msg *msg;

	/* The message on its way comes first, and may hold nothing just now. */
	list_for_each_entry(msg, &f->queue, fifo)
		if (msg->head)
			return jiffies64_to_nsecs(jiffies - msg->arrived);
	return 0;
}
