// SPDX-License-Identifier: GPL-2.0
/*
 * The flow table: flows by id, their class numbers, their ends. A flow is
 * freed when it has held nothing for a while.
 */
#include "message.h"

/**
 * optsample_flows_lists - no flows yet; optsample_flows_destroy() may follow
 * @q: private data of the qdisc
 */
void optsample_flows_lists(struct optsample_sched *q)
{
	int i;

	for (i = 0; i < OPTSAMPLE_PRIORITIES; i++)
		INIT_LIST_HEAD(&q->active[i]);
	INIT_LIST_HEAD(&q->idle);
	INIT_LIST_HEAD(&q->spare);
}

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
	if (f->group)
		optsample_group_leave(f);
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

static void optsample_flow_purge(struct optsample_sched *q,
				 struct optsample_flow *f)
{
	struct optsample_msg *msg;

	f->c.msgs_evicted += optsample_flow_waiting(f);
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
