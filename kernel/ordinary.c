// SPDX-License-Identifier: GPL-2.0
/*
 * Ordinary traffic: everything without a tag (ssh, TCP, discovery, topics
 * that nobody asked to sample). Never sampled: a bounded fair queue, deficit
 * round robin over hashed 5-tuples, head drop from the fattest one.
 */
#include "optsample.h"

int optsample_ordinary_init(struct optsample_sched *q)
{
	struct optsample_ordinary *o = &q->ordinary;
	int i;

	INIT_LIST_HEAD(&o->active);
	o->buckets = kvcalloc(OPTSAMPLE_BUCKETS, sizeof(*o->buckets),
			      GFP_KERNEL);
	if (!o->buckets)
		return -ENOMEM;
	for (i = 0; i < OPTSAMPLE_BUCKETS; i++)
		INIT_LIST_HEAD(&o->buckets[i].list);
	return 0;
}

static struct sk_buff *optsample_bucket_take(struct optsample_sched *q,
					     struct optsample_bucket *b)
{
	struct optsample_ordinary *o = &q->ordinary;
	struct sk_buff *skb = b->head;

	b->head = skb->next;
	skb_mark_not_on_list(skb);
	b->memory -= skb->truesize;
	o->memory -= skb->truesize;
	o->qlen--;
	if (!b->head)
		list_del_init(&b->list);
	return skb;
}

static void optsample_bucket_drop(struct optsample_sched *q,
				  struct optsample_bucket *b,
				  struct optsample_loss *loss)
{
	struct sk_buff *skb = optsample_bucket_take(q, b);

	if (skb == loss->own)
		loss->own_lost = true;
	loss->packets++;
	loss->bytes += qdisc_pkt_len(skb);
	q->ordinary.dropped++;
	__qdisc_drop(skb, loss->to_free);
}

/**
 * optsample_ordinary_enqueue - queue a packet without a tag
 * @q: private data of the qdisc, locked
 * @skb: the packet; always queued, the limit is applied by
 *	 optsample_ordinary_relieve()
 */
void optsample_ordinary_enqueue(struct optsample_sched *q,
				struct sk_buff *skb)
{
	struct optsample_ordinary *o = &q->ordinary;
	struct optsample_bucket *b;

	b = &o->buckets[reciprocal_scale(skb_get_hash(skb),
					 OPTSAMPLE_BUCKETS)];
	skb->next = NULL;
	if (b->head) {
		b->tail->next = skb;
	} else {
		b->head = skb;
		b->deficit = q->cfg.quantum;
		list_add_tail(&b->list, &o->active);
	}
	b->tail = skb;
	b->memory += skb->truesize;
	o->memory += skb->truesize;
	optsample_memory_max(q);
	o->qlen++;
}

/**
 * optsample_ordinary_relieve - drop from the fattest 5-tuple until all fits
 * @q: private data of the qdisc, locked
 * @loss: what was taken out
 */
void optsample_ordinary_relieve(struct optsample_sched *q,
				struct optsample_loss *loss)
{
	struct optsample_ordinary *o = &q->ordinary;

	while (o->qlen > q->cfg.ordinary ||
	       (o->memory > optsample_ordinary_memory(q) && o->qlen)) {
		struct optsample_bucket *b, *fattest = NULL;

		list_for_each_entry(b, &o->active, list)
			if (!fattest || b->memory > fattest->memory)
				fattest = b;
		optsample_bucket_drop(q, fattest, loss);
	}
}

struct sk_buff *optsample_ordinary_dequeue(struct optsample_sched *q)
{
	struct optsample_ordinary *o = &q->ordinary;
	struct optsample_bucket *b;
	struct sk_buff *skb;

	for (;;) {
		b = list_first_entry_or_null(&o->active,
					     struct optsample_bucket, list);
		if (!b)
			return NULL;
		if (b->deficit > 0)
			break;
		b->deficit += q->cfg.quantum;
		list_move_tail(&b->list, &o->active);
	}
	skb = optsample_bucket_take(q, b);
	b->deficit -= qdisc_pkt_len(skb);
	o->sent++;
	return skb;
}

void optsample_ordinary_purge(struct optsample_sched *q)
{
	struct optsample_ordinary *o = &q->ordinary;
	struct sk_buff *skb;

	if (!o->buckets)
		return;
	while ((skb = optsample_ordinary_dequeue(q)) != NULL) {
		o->sent--;
		rtnl_kfree_skbs(skb, skb);
	}
}

void optsample_ordinary_destroy(struct optsample_sched *q)
{
	optsample_ordinary_purge(q);
	kvfree(q->ordinary.buckets);
}
