// SPDX-License-Identifier: GPL-2.0
/*
 * The flow table: flows by id and by class number. A flow is freed when it has
 * been idle for a while.
 */
#include <linux/random.h>
#include <net/dsfield.h>
#include "message.h"
#include "trace.h"

/**
 * optsample_flows_lists - initialise the lists of flows
 * @q: private data of the qdisc
 */
void optsample_flows_lists(struct optsample_sched *q)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(q->turns); i++)
		INIT_LIST_HEAD(&q->turns[i]);
	INIT_LIST_HEAD(&q->idle);
	INIT_LIST_HEAD(&q->unparked);
}

int optsample_flows_init(struct optsample_sched *q)
{
	u32 i, n = q->cfg.flows;
	u32 bits = max(1, fls(n - 1));

	q->tidy = jiffies;
	get_random_bytes(&q->hash, sizeof(q->hash));
	q->table_shift = 64 - bits;
	q->table = kvcalloc(1U << bits, sizeof(*q->table), GFP_KERNEL);
	q->slots = kvcalloc(n, sizeof(*q->slots), GFP_KERNEL);
	q->free_slots = kvcalloc(n, sizeof(*q->free_slots), GFP_KERNEL);
	if (!q->table || !q->slots || !q->free_slots)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		q->free_slots[i] = n - 1 - i;
	return 0;
}

/* The flow holds no packets, but @cur may still be set. */
static void optsample_flow_free(struct optsample_sched *q,
				struct optsample_flow *f)
{
	struct optsample_msg *msg, *next;

	optsample_recall_forget_flow(q, f);
	if (f->cur && !f->cur->complete)
		f->c.incomplete++;
	if (f->group)
		optsample_group_leave(q, f);
	list_for_each_entry_safe(msg, next, &f->queue, fifo)
		optsample_msg_free(q, f, msg);
	WARN_ON_ONCE(f->memory || f->pass_memory || f->backlog_pkts);
	WARN_ON_ONCE(q->slots[f->slot] != f);
	optsample_counters_add(&q->retired, &f->c);
	hlist_del(&f->hash);
	list_del(&f->list);
	if (f->listed)
		q->listed--;
	if (q->alone == f)
		q->alone = NULL;
	if (q->fattest == f)
		q->fattest = NULL;
	WRITE_ONCE(q->slots[f->slot], NULL);	/* optsample_slot_used() */
	q->free_slots[q->cfg.flows - q->nflows--] = f->slot;
	q->nself -= f->self;
	q->flows_reclaimed++;
	optsample_overhead(q, -(int)sizeof(*f));
	kmem_cache_free(optsample_flow_cache, f);
}

/**
 * optsample_flows_reclaim - free the flows that were idle long enough
 * @q: private data of the qdisc, locked
 */
void optsample_flows_reclaim(struct optsample_sched *q)
{
	struct optsample_flow *f, *next;

	optsample_alone_idle(q);
	list_for_each_entry_safe(f, next, &q->idle, list) {
		if (time_before32((u32)jiffies, f->idle_since +
				  (u32)msecs_to_jiffies(q->cfg.idle_ms)))
			break;
		if (!optsample_recall_needs(q, f))
			optsample_flow_free(q, f);
	}
}

/* Drop all packets of a flow. @loss: NULL if the parents need no report */
static void optsample_flow_purge(struct optsample_sched *q,
				 struct optsample_flow *f,
				 struct optsample_loss *loss)
{
	struct optsample_msg *msg;

	f->c.msgs_evicted += optsample_flow_waiting(f);
	f->c.pkts_dropped += f->backlog_pkts;
	if (loss) {
		loss->packets += f->backlog_pkts;
		loss->bytes += f->backlog_bytes;
	}
	if (f->backlog_pkts)
		optsample_flow_deactivate(q, f);
	f->backlog_pkts = 0;
	list_for_each_entry(msg, &f->queue, fifo) {
		if (!msg->head)
			continue;
		trace_optsample_verdict(q, f, msg->id, OPTSAMPLE_DROPPED,
					OPTSAMPLE_WHY_PURGED);
		if (loss) {
			msg->tail->next = *loss->to_free;
			*loss->to_free = msg->head;
		} else {
			rtnl_kfree_skbs(msg->head, msg->tail);
		}
	}
	optsample_flow_free(q, f);
}

/**
 * optsample_idle_free - free the flow that has been idle for longest
 * @q: private data of the qdisc, locked
 *
 * Return: false if no flow is idle.
 */
bool optsample_idle_free(struct optsample_sched *q)
{
	struct optsample_flow *f;
	int tries = OPTSAMPLE_FIND;

	optsample_alone_idle(q);
	/* Prefer one without messages that may come back. */
	list_for_each_entry(f, &q->idle, list)
		if (!optsample_recall_needs(q, f) || !--tries)
			goto found;
	f = list_first_entry_or_null(&q->idle, struct optsample_flow, list);
	if (!f)
		return false;
found:
	optsample_flow_free(q, f);
	return true;
}

/*
 * Make room in a full table: free an idle flow. For a flow that the operator
 * declared, also purge the oldest one that only its sender declared.
 */
static bool optsample_flow_room(struct optsample_sched *q, bool self,
				struct optsample_loss *loss)
{
	struct optsample_flow *f, *oldest = NULL;
	u32 i;

	if (optsample_idle_free(q))
		return true;
	if (self || !q->nself)
		return false;
	for (i = 0; i < q->cfg.flows; i++) {
		f = q->slots[i];
		if (f && f->self &&
		    (!oldest || time_before32(f->born, oldest->born)))
			oldest = f;
	}
	if (!oldest)
		return false;
	q->flows_displaced++;
	optsample_flow_purge(q, oldest, loss);
	return true;
}

/*
 * The band of a flow without a configured priority. It is chosen as mac80211
 * chooses an access category (802.1d user priority from skb->priority, else
 * from the DS field): background, best effort, video, voice.
 */
static u8 optsample_own_band(const struct sk_buff *skb)
{
	static const u8 band[8] = { 1, 0, 0, 1, 1 + 4, 1 + 4, 1 + 6, 1 + 6 };
	u32 up = skb->priority - 256;
	int at = skb_network_offset(skb);
	u8 buf[sizeof(struct iphdr)];
	const void *ip;

	if (up < 8)
		return band[up];
	ip = skb_header_pointer(skb, at, sizeof(buf), buf);
	if (!ip)
		return band[0];
	switch (skb_protocol(skb, true)) {
	case htons(ETH_P_IP):
		return band[ipv4_get_dsfield(ip) >> 5];
	case htons(ETH_P_IPV6):
		return band[ipv6_get_dsfield(ip) >> 5];
	}
	return band[0];
}

static struct optsample_flow *
optsample_flow_new(struct optsample_sched *q, const struct sk_buff *skb,
		   const struct optsample_tag *tag, struct optsample_loss *loss)
{
	bool self = tag->mark & OPTSAMPLE_TAG_SELF;
	struct optsample_flow *f;

	optsample_flows_reclaim(q);
	while (q->nflows == q->cfg.flows || sizeof(*f) > q->flow_memory)
		if (!optsample_flow_room(q, self, loss))
			return NULL;
	f = kmem_cache_zalloc(optsample_flow_cache,
			      GFP_ATOMIC | __GFP_NOWARN);
	if (!f)
		return NULL;
	optsample_overhead(q, sizeof(*f));
	INIT_LIST_HEAD(&f->queue);
	INIT_LIST_HEAD(&f->passes);
	f->id = tag->flow;
	f->self = self;
	q->nself += self;
	f->born = jiffies;
	f->own_band = optsample_own_band(skb);
	f->band = f->own_band;
	f->slot = q->free_slots[q->cfg.flows - ++q->nflows];
	WARN_ON_ONCE(f->slot >= q->cfg.flows || q->slots[f->slot]);
	f->idle_since = jiffies;
	if (skb_headlen(skb) >= ETH_HLEN)
		memcpy(f->dest, skb->data, ETH_ALEN);
	WRITE_ONCE(q->slots[f->slot], f);	/* optsample_slot_used() */
	optsample_init(&f->sampler, q->cfg.policy, q->cfg.limit,
		       q->cfg.refill);
	hlist_add_head(&f->hash, optsample_flow_bucket(q, f->id));
	list_add_tail(&f->list, &q->idle);
	q->flows_new++;
	return f;
}

/**
 * optsample_flow_make - create the flow of a tag
 * @q: private data of the qdisc, locked
 * @skb: its first packet
 * @tag: tag of a flow that is not in the table
 * @loss: out: messages that were dropped
 *
 * Return: the flow, or NULL when the table is full of busy flows or memory
 * is short.
 */
struct optsample_flow *optsample_flow_make(struct optsample_sched *q,
					   const struct sk_buff *skb,
					   const struct optsample_tag *tag,
					   struct optsample_loss *loss)
{
	struct optsample_flow *f = optsample_flow_new(q, skb, tag, loss);

	if (!f)
		q->flows_refused++;
	return f;
}

/**
 * optsample_flows_purge - drop all packets and all flows
 * @q: private data of the qdisc, locked
 * @loss: where the packets go; NULL if the parents need no report
 */
void optsample_flows_purge(struct optsample_sched *q,
			   struct optsample_loss *loss)
{
	u32 i;

	if (!q->slots)
		return;
	for (i = 0; i < q->cfg.flows; i++)
		if (q->slots[i])
			optsample_flow_purge(q, q->slots[i], loss);
}

void optsample_flows_destroy(struct optsample_sched *q)
{
	struct optsample_msg *msg, *next;

	optsample_flows_purge(q, NULL);
	for (msg = q->spare; msg; msg = next) {
		next = msg->spare;
		kmem_cache_free(optsample_msg_cache, msg);
	}
	kvfree(q->free_slots);
	kvfree(q->slots);
	kvfree(q->table);
}

/**
 * optsample_flow_age_ns - age of the oldest message held
 * @f: the flow
 *
 * Return: nanoseconds since it arrived, in steps of a jiffy; 0: none is held.
 */
u64 optsample_flow_age_ns(const struct optsample_flow *f)
{
	const struct optsample_msg *msg;

	/* The first message may be leaving and hold no packet now. */
	list_for_each_entry(msg, &f->queue, fifo)
		if (msg->head)
			return jiffies64_to_nsecs(jiffies - msg->arrived);
	return 0;
}
