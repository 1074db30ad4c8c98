// SPDX-License-Identifier: GPL-2.0
/*
 * Recall: sent packets are kept until the radio reports whether they were
 * acknowledged. If one of its packets was not acknowledged, the whole message
 * goes back into its flow and is sampled again.
 *
 * mac80211 reports to the socket that owns a packet, here the qdisc's
 * (inflight.c). The kept packet and the report share their data: mac80211
 * clones the packet for the report before it copies it into a frame. So the
 * data of the kept packet has a second user until the report is processed.
 * Without a second user the packet was dropped without a report.
 *
 * After one failure the link is in doubt. The qdisc holds until the fate of all
 * sent packets is known, takes back the messages that failed, and sends one
 * packet at a time. The doubt ends when a packet is acknowledged that is at
 * least half as long as the longest one lost: a weak link may still pass small
 * packets.
 *
 * Reports are only believed after the radio has acknowledged a few packets. A
 * radio that does not report (full MAC) is deaf: nothing is kept until its link
 * comes up again.
 */
#include <linux/if_arp.h>
#include "inflight.h"
#include "message.h"
#include "trace.h"

enum {
	OPTSAMPLE_BELIEVED = 8,		/* acknowledgments to believe it */
	OPTSAMPLE_DEAF = 64,		/* packets in a row without a report */
	OPTSAMPLE_LOST_SECONDS = 10,	/* no report by then: never */
	OPTSAMPLE_LOST_DOUBT = 2,	/* the same in doubt, when all waits */
	OPTSAMPLE_RETURNS = 8,		/* tries of a message on a good link */
	OPTSAMPLE_LOOK_MS = 20,		/* between searches for lost packets */
	OPTSAMPLE_PROBE_MS = 20,	/* in doubt: between two packets */
	OPTSAMPLE_ANSWER_MS = 100,	/* in doubt: wait for a report */
	OPTSAMPLE_CALM_MS = 1000,	/* without a failure the doubt ends */
};

enum optsample_fate {
	OPTSAMPLE_UNDECIDED,
	OPTSAMPLE_ARRIVED,
	OPTSAMPLE_FAILED,
};

/* The fate of a kept packet, stored in place of its tag */
static u8 *optsample_fate(struct sk_buff *kept)
{
	qdisc_cb_private_validate(kept, sizeof(u8));
	return qdisc_skb_cb(kept)->data;
}

static bool optsample_believed(const struct optsample_recall *r)
{
	return r->good == OPTSAMPLE_BELIEVED;
}

/*
 * Messages on the air
 */

/* Free what was kept of a message. */
static void optsample_kept_free(struct optsample_sched *q,
				struct optsample_msg *msg)
{
	struct optsample_recall *r = &q->stall.recall;
	struct sk_buff *skb;

	while ((skb = msg->kept)) {
		msg->kept = skb->next;
		r->waiting -= *optsample_fate(skb) == OPTSAMPLE_UNDECIDED;
		skb_mark_not_on_list(skb);
		consume_skb(skb);
	}
	WARN_ON_ONCE(!r->nmsgs);
	r->failed -= msg->failed;
	r->nmsgs--;
	list_del(&msg->air);
	optsample_uncharge(q, msg->sender, msg, msg->kept_truesize);
	msg->air_place = OPTSAMPLE_NOT_KEPT;
}

/* Free what was kept of a message, and the message itself if it has left. */
static void optsample_air_done(struct optsample_sched *q,
			       struct optsample_msg *msg)
{
	struct optsample_flow *f = msg->sender;
	bool left = msg->air_place == OPTSAMPLE_LEFT;

	optsample_kept_free(q, msg);
	if (!left)
		return;
	if (!msg->complete)
		f->c.incomplete++;
	optsample_msg_release(q, f, msg);
}

static void optsample_recall_give_up(struct optsample_sched *q,
				     struct optsample_msg *msg,
				     enum optsample_recalled why)
{
	bool leaves = msg->air_place == OPTSAMPLE_LEAVES;

	WARN_ON_ONCE(!leaves && msg->air_place != OPTSAMPLE_LEFT);
	trace_optsample_recall(q, msg, why);
	q->stall.recall.forgotten++;
	optsample_air_done(q, msg);
	if (leaves)	/* the remaining packets cannot be recalled alone */
		msg->air_place = OPTSAMPLE_TORN;
}

/**
 * optsample_recall_forget - free the kept packets of a message
 * @q: private data of the qdisc, locked
 * @msg: a message with kept packets; freed if all of it has left
 */
void optsample_recall_forget(struct optsample_sched *q,
			     struct optsample_msg *msg)
{
	optsample_recall_give_up(q, msg, OPTSAMPLE_FORGOTTEN);
}

/**
 * optsample_recall_forget_flow - free the kept packets of a flow
 * @q: private data of the qdisc, locked
 * @f: the flow
 */
void optsample_recall_forget_flow(struct optsample_sched *q,
				  const struct optsample_flow *f)
{
	struct optsample_msg *msg, *next;

	list_for_each_entry_safe(msg, next, &q->stall.recall.aired, air)
		if (msg->sender == f)
			optsample_recall_forget(q, msg);
}

/**
 * optsample_recall_needs - may messages of a flow come back?
 * @q: private data of the qdisc, locked
 * @f: the flow
 */
bool optsample_recall_needs(const struct optsample_sched *q,
			    const struct optsample_flow *f)
{
	const struct optsample_msg *msg;

	list_for_each_entry(msg, &q->stall.recall.aired, air)
		if (msg->sender == f)
			return true;
	return false;
}

static void optsample_forget_all(struct optsample_sched *q)
{
	struct optsample_msg *msg, *next;

	list_for_each_entry_safe(msg, next, &q->stall.recall.aired, air)
		optsample_recall_forget(q, msg);
}

/**
 * optsample_recall_relieve - memory is short: keep less
 * @q: private data of the qdisc, locked
 * @any: also messages that failed, and those that wait in doubt
 *
 * Return: false if nothing is kept.
 */
bool optsample_recall_relieve(struct optsample_sched *q, bool any)
{
	struct optsample_recall *r = &q->stall.recall;

	if (list_empty(&r->aired) || (r->doubt && !any))
		return false;
	optsample_recall_forget(q, list_first_entry(&r->aired,
						    struct optsample_msg, air));
	return true;
}

/*
 * Keeping
 */

/* Make sure that no layer below copies the data before mac80211 clones it. */
static bool optsample_recall_ready(struct sk_buff *skb)
{
	return !skb_csum_is_sctp(skb) &&
	       !(skb_is_nonlinear(skb) && skb_linearize(skb)) &&
	       !(skb->ip_summed == CHECKSUM_PARTIAL && skb_checksum_help(skb));
}

/*
 * Will mac80211 report on the packet to the qdisc? Note that a packet which a
 * filter redirected here may be a clone of one that is about to be freed.
 */
static bool optsample_recall_askable(struct Qdisc *sch,
				     const struct sk_buff *skb)
{
	return qdisc_dev(sch)->type == ARPHRD_ETHER &&
	       skb_headlen(skb) >= ETH_HLEN &&
	       !is_multicast_ether_addr(skb->data) && !skb_is_gso(skb) &&
	       !skb_vlan_tag_present(skb) && optsample_inflight_may_own(skb);
}

/**
 * optsample_recall_keep - keep a packet that leaves
 * @q: private data of the qdisc, locked, with @recalls set
 * @f: its flow
 * @msg: its message, from which it has been taken
 * @skb: the packet
 */
void optsample_recall_keep(struct optsample_sched *q, struct optsample_flow *f,
			   struct optsample_msg *msg, struct sk_buff *skb)
{
	struct optsample_recall *r = &q->stall.recall;
	struct Qdisc *sch = q->stall.watchdog.qdisc;
	struct sk_buff *kept = NULL;

	if (msg->place == OPTSAMPLE_PASSES || msg->air_place == OPTSAMPLE_TORN)
		return;
	/* Before the clone: later, this write would copy the data. */
	if (q->stall.source.nformer)
		optsample_source_put(sch, skb);
	/* Not TCP: it keeps its owner, and resends would inherit our mark. */
	if (!skb->sk && optsample_recall_askable(sch, skb) &&
	    optsample_recall_ready(skb))
		kept = skb_clone(skb, GFP_ATOMIC | __GFP_NOWARN);
	if (!kept) {	/* the message cannot come back as a whole */
		if (msg->air_place == OPTSAMPLE_LEAVES)
			optsample_recall_forget(q, msg);
		msg->air_place = OPTSAMPLE_TORN;
		return;
	}
	optsample_ask_status(skb);
	*optsample_fate(kept) = OPTSAMPLE_UNDECIDED;
	kept->next = NULL;
	if (msg->air_place == OPTSAMPLE_NOT_KEPT) {
		msg->air_place = OPTSAMPLE_LEAVES;
		msg->sender = f;
		msg->kept = kept;
		msg->undecided = NULL;
		msg->kept_truesize = 0;
		msg->failed = false;
		list_add_tail(&msg->air, &r->aired);
		r->nmsgs++;
	} else {
		msg->kept_last->next = kept;
	}
	if (!msg->undecided)
		msg->undecided = kept;
	msg->kept_last = kept;
	msg->kept_at = jiffies;
	msg->kept_truesize += kept->truesize;
	optsample_charge(q, f, msg, kept->truesize);
	r->waiting++;
}

/**
 * optsample_recall_linger - all packets of a message have left
 * @q: private data of the qdisc, locked
 * @f: its flow
 * @msg: the message, with kept packets
 *
 * The message stays until all of its kept packets have arrived.
 */
void optsample_recall_linger(struct optsample_sched *q,
			     struct optsample_flow *f,
			     struct optsample_msg *msg)
{
	optsample_remember(&f->left, msg->id);
	optsample_msg_unqueue(f, msg);
	/* The last packet is still accounted: see optsample_msg_take(). */
	optsample_uncharge(q, f, msg, msg->truesize - msg->kept_truesize -
			   sizeof(*msg));
	msg->air_place = OPTSAMPLE_LEFT;
	if (!msg->undecided && !msg->failed)
		optsample_air_done(q, msg);
}

/*
 * Reports
 */

/* A frame of @len bytes was lost: the link is in doubt. */
static void optsample_doubt(struct optsample_recall *r, u32 len)
{
	u64 now = ktime_get_ns();

	r->doubt = true;
	r->len = max(r->len, len);
	r->failed_ns = now;
	r->next_ns = now + OPTSAMPLE_PROBE_MS * NSEC_PER_MSEC;
}

static void optsample_no_doubt(struct optsample_recall *r)
{
	r->doubt = false;
	r->drained = false;
	r->len = 0;
	r->next_ns = 0;
}

/* optsample_air_settle() must follow; it may free @msg. */
static void optsample_decide(struct optsample_recall *r,
			     struct optsample_msg *msg, struct sk_buff *kept,
			     enum optsample_fate fate)
{
	WARN_ON_ONCE(!r->waiting);
	*optsample_fate(kept) = fate;
	r->waiting--;
	while (msg->undecided &&
	       *optsample_fate(msg->undecided) != OPTSAMPLE_UNDECIDED)
		msg->undecided = msg->undecided->next;
	if (fate != OPTSAMPLE_FAILED)
		return;
	optsample_doubt(r, qdisc_skb_cb(kept)->pkt_len);
	r->failed += !msg->failed;
	msg->failed = true;
}

static void optsample_air_settle(struct optsample_sched *q,
				 struct optsample_msg *msg)
{
	if (msg->air_place == OPTSAMPLE_LEFT && !msg->undecided &&
	    !msg->failed)
		optsample_air_done(q, msg);
}

/* Reports come roughly in the order in which packets left. */
static struct sk_buff *optsample_kept_find(struct optsample_recall *r,
					   const struct sk_buff *like,
					   struct optsample_msg **whose)
{
	struct optsample_msg *msg;
	struct sk_buff *kept;

	list_for_each_entry(msg, &r->aired, air)
		for (kept = msg->undecided; kept; kept = kept->next)
			if (kept->head == like->head &&
			    *optsample_fate(kept) == OPTSAMPLE_UNDECIDED) {
				*whose = msg;
				return kept;
			}
	return NULL;
}

/* A packet of @len bytes was acknowledged in doubt: end the doubt? */
static void optsample_proof(struct optsample_recall *r, u32 len)
{
	if (!r->drained)
		return;
	if (2 * len >= r->len)
		optsample_no_doubt(r);
	else
		r->next_ns = 0;
}

static void optsample_hear_one(struct optsample_sched *q,
			       const struct sk_buff *report)
{
	struct optsample_recall *r = &q->stall.recall;
	bool acked = optsample_acked(report);
	struct optsample_msg *msg;
	struct sk_buff *kept;

	kept = optsample_kept_find(r, report, &msg);
	if (kept) {
		r->silent = 0;
		r->good = min(r->good + acked, OPTSAMPLE_BELIEVED);
		r->acked += acked;
		/* Some radios report a failure for every packet. */
		acked |= !optsample_believed(r);
		optsample_decide(r, msg, kept, acked ? OPTSAMPLE_ARRIVED :
						       OPTSAMPLE_FAILED);
		optsample_air_settle(q, msg);
	} else if (r->doubt && !acked) {
		optsample_doubt(r, report->len);
	}
	if (r->doubt && acked)
		optsample_proof(r, report->len);
}

static void optsample_hear(struct optsample_sched *q)
{
	struct optsample_recall *r = &q->stall.recall;
	struct sk_buff_head heard;
	struct sk_buff *skb;
	unsigned long flags;

	if (skb_queue_empty_lockless(&r->reports))
		return;
	__skb_queue_head_init(&heard);
	spin_lock_irqsave(&r->reports.lock, flags);
	skb_queue_splice_init(&r->reports, &heard);
	spin_unlock_irqrestore(&r->reports.lock, flags);
	while ((skb = __skb_dequeue(&heard))) {
		optsample_hear_one(q, skb);
		consume_skb(skb);
	}
}

/* Find packets of @msg that were dropped without a report. */
static void optsample_look_at(struct optsample_sched *q,
			      struct optsample_msg *msg)
{
	struct optsample_recall *r = &q->stall.recall;
	unsigned long lost_at = msg->kept_at + HZ *
		(r->doubt ? OPTSAMPLE_LOST_DOUBT : OPTSAMPLE_LOST_SECONDS);
	bool believed = optsample_believed(r);
	struct sk_buff *kept;
	u32 vanished = 0;

	for (kept = msg->undecided; kept; kept = kept->next) {
		if (*optsample_fate(kept) != OPTSAMPLE_UNDECIDED)
			continue;
		if (!skb_cloned(kept)) {
			vanished++;
			optsample_decide(r, msg, kept, believed ?
					 OPTSAMPLE_FAILED : OPTSAMPLE_ARRIVED);
		} else if (time_after(jiffies, lost_at)) {
			q->stall.inflight.recounts++;
			r->silent += OPTSAMPLE_DEAF / 8;
			optsample_decide(r, msg, kept, r->doubt ?
					 OPTSAMPLE_FAILED : OPTSAMPLE_ARRIVED);
		}
	}
	/* Count one: even a radio that reports may purge a whole queue. */
	r->silent += believed ? !!vanished : vanished;
	optsample_air_settle(q, msg);
}

/* Checks all messages in @aired, so not for each packet */
static void optsample_look(struct optsample_sched *q)
{
	struct optsample_recall *r = &q->stall.recall;
	struct optsample_msg *msg, *next;

	if (time_before(jiffies, r->looked + (r->doubt ? 1 :
			msecs_to_jiffies(OPTSAMPLE_LOOK_MS))))
		return;
	r->looked = jiffies;
	list_for_each_entry_safe(msg, next, &r->aired, air)
		optsample_look_at(q, msg);
}

/*
 * Taking back
 */

/* Copy the data of kept packets that a lower layer may still use. */
static bool optsample_kept_own(struct optsample_sched *q,
			       struct optsample_msg *msg)
{
	struct sk_buff *skb;
	u32 more;

	for (skb = msg->kept; skb; skb = skb->next) {
		more = -skb->truesize;
		if (skb_unclone(skb, GFP_ATOMIC | __GFP_NOWARN))
			return false;
		more += skb->truesize;
		msg->kept_truesize += more;
		optsample_charge(q, msg->sender, msg, more);
	}
	return true;
}

/* Did the message fail too often while other packets arrived? */
static bool optsample_returns_often(const struct optsample_recall *r,
				    struct optsample_msg *msg)
{
	if (msg->acked != r->acked)
		msg->returns++;
	msg->acked = r->acked;
	return msg->returns > OPTSAMPLE_RETURNS;
}

/* Put @msg at the head of its flow, behind one that has begun to leave. */
static void optsample_requeue(struct optsample_flow *f,
			      struct optsample_msg *msg)
{
	WARN_ON_ONCE(msg->place == OPTSAMPLE_PASSES);
	if (f->cur == msg)
		f->cur = NULL;
	else if (f->cur)
		list_add(&msg->fifo, &f->cur->fifo);
	else
		list_add(&msg->fifo, &f->queue);
	if (f->group || msg->place != OPTSAMPLE_IN_SAMPLER) {
		msg->place = OPTSAMPLE_COMMITTED;
		f->waiting++;
		optsample_committed(f, 1);
	} else {
		optsample_return(&f->sampler, &msg->node, msg->sent_before);
	}
	f->sent_pos = msg->sent_before;
}

static void optsample_take_back(struct Qdisc *sch, struct optsample_msg *msg)
{
	struct optsample_sched *q = qdisc_priv(sch);
	struct optsample_recall *r = &q->stall.recall;
	struct optsample_flow *f = msg->sender;
	u32 packets = 0, bytes = 0;
	struct sk_buff *skb;

	if (optsample_returns_often(r, msg)) {
		optsample_recall_give_up(q, msg, OPTSAMPLE_FAILS_OFTEN);
		return;
	}
	if (!optsample_kept_own(q, msg)) {
		optsample_recall_give_up(q, msg, OPTSAMPLE_NOT_COPIED);
		return;
	}
	/* A newer message must not leave before @msg. */
	if (f->cur && f->cur != msg && f->cur->air_place == OPTSAMPLE_LEAVES)
		optsample_take_back(sch, f->cur);
	trace_optsample_recall(q, msg, OPTSAMPLE_TAKEN_BACK);
	for (skb = msg->kept; skb; skb = skb->next) {
		packets++;
		bytes += qdisc_pkt_len(skb);
	}
	r->failed -= msg->failed;
	r->nmsgs--;
	list_del(&msg->air);
	if (msg->air_place == OPTSAMPLE_LEFT) {
		msg->head = NULL;
		msg->packets = 0;
		msg->bytes = 0;
	}
	msg->kept_last->next = msg->head;
	if (!msg->head)
		msg->tail = msg->kept_last;
	msg->head = msg->kept;
	msg->packets += packets;
	msg->bytes += bytes;
	msg->air_place = OPTSAMPLE_NOT_KEPT;
	optsample_requeue(f, msg);
	f->c.msgs_recalled++;
	f->c.pkts_recalled += packets;
	f->backlog_bytes += bytes;
	if (!f->backlog_pkts)
		optsample_flow_activate(q, f);
	f->backlog_pkts += packets;
	sch->q.qlen += packets;
	sch->qstats.backlog += bytes;
}

/* Recalled messages may push flows above their limits: evict. */
static void optsample_flows_fit(struct Qdisc *sch)
{
	struct optsample_sched *q = qdisc_priv(sch);
	struct sk_buff *to_free = NULL;
	struct optsample_loss loss = { .to_free = &to_free };
	struct optsample_msg *msg;
	struct optsample_flow *f;
	u32 i;

	for (i = 0; i < q->cfg.flows; i++) {
		f = q->slots[i];
		while (f && f->sampler.len > f->sampler.limit) {
			msg = optsample_msg_of(optsample_evict(&f->sampler));
			f->c.msgs_evicted++;
			optsample_msg_drop(q, f, msg, OPTSAMPLE_WHY_LIMIT,
					   &loss);
		}
	}
	if (loss.packets)
		optsample_settle_loss(sch, &loss);
	kfree_skb_list_reason(to_free, SKB_DROP_REASON_QDISC_DROP);
}

static void optsample_take_all_back(struct Qdisc *sch)
{
	struct optsample_sched *q = qdisc_priv(sch);
	struct optsample_msg *msg, *prev;

	/* Newest first: each one goes to the head of its flow. */
	list_for_each_entry_safe_reverse(msg, prev, &q->stall.recall.aired, air)
		if (msg->failed)
			optsample_take_back(sch, msg);
	optsample_flows_fit(sch);
}

static void optsample_wake(struct optsample_sched *q, u32 ms)
{
	u64 ns = (u64)ms * NSEC_PER_MSEC;

	qdisc_watchdog_schedule_range_ns(&q->stall.watchdog,
					 ktime_get_ns() + ns, ns / 4);
}

/* The radio does not report, or no longer does. */
static void optsample_deafen(struct optsample_sched *q)
{
	q->stall.recall.deaf = true;
	if (q->stall.recall.failed)
		optsample_take_all_back(q->stall.watchdog.qdisc);
	optsample_recall_configure(q->stall.watchdog.qdisc);
}

/**
 * optsample_recall_hear - process reports, take back messages that failed
 * @sch: the qdisc, locked, with @recalls set
 */
void optsample_recall_hear(struct Qdisc *sch)
{
	struct optsample_sched *q = qdisc_priv(sch);
	struct optsample_recall *r = &q->stall.recall;

	/* Reports first: a packet without one was dropped. */
	optsample_hear(q);
	if (r->waiting)
		optsample_look(q);
	if (r->silent >= OPTSAMPLE_DEAF) {
		optsample_deafen(q);
		return;
	}
	if (unlikely(r->failed) && !r->waiting)
		optsample_take_all_back(sch);
	if (unlikely(r->doubt) && !r->waiting)
		r->drained = true;
	if (r->waiting && !sch->q.qlen)
		optsample_wake(q, OPTSAMPLE_LOOK_MS);
}

/**
 * optsample_recall_holds - must the next packet wait?
 * @q: private data of the qdisc, locked, in doubt
 * @now: the time, ns
 * @wake_ns: out: when to check again, ns
 *
 * Ordinary traffic waits too: it would also be lost.
 */
bool optsample_recall_holds(struct optsample_sched *q, u64 now, u64 *wake_ns)
{
	struct optsample_recall *r = &q->stall.recall;

	if (r->waiting) {
		*wake_ns = now + OPTSAMPLE_LOOK_MS * NSEC_PER_MSEC;
		return true;
	}
	if (now > r->failed_ns + OPTSAMPLE_CALM_MS * NSEC_PER_MSEC) {
		optsample_no_doubt(r);
		return false;
	}
	if (now >= r->next_ns)
		return false;
	*wake_ns = r->next_ns;
	return true;
}

/**
 * optsample_recall_try - probe the link with the next packet
 * @q: private data of the qdisc, locked
 * @now: the time, ns
 *
 * Return: false if the radio does not report acknowledgments.
 */
bool optsample_recall_try(struct optsample_sched *q, u64 now)
{
	struct optsample_recall *r = &q->stall.recall;

	if (!q->stall.recalls || !optsample_believed(r))
		return false;
	r->doubt = true;
	r->failed_ns = now;
	r->next_ns = 0;
	return true;
}

/**
 * optsample_recall_probe - a packet leaves in doubt
 * @sch: the qdisc, locked, in doubt
 * @skb: the packet; a report is requested even if it is not kept
 */
void optsample_recall_probe(struct Qdisc *sch, struct sk_buff *skb)
{
	struct optsample_sched *q = qdisc_priv(sch);
	u32 ms = OPTSAMPLE_PROBE_MS;

	/* No report for a clone: it may be TCP's, which expects none. */
	if (!skb_cloned(skb) && optsample_recall_askable(sch, skb)) {
		optsample_ask_status(skb);
		ms = OPTSAMPLE_ANSWER_MS;
	}
	q->stall.recall.next_ns = ktime_get_ns() + (u64)ms * NSEC_PER_MSEC;
}

/**
 * optsample_recall_requeued - the core took a packet back from the driver
 * @q: private data of the qdisc, locked
 * @skb: the packet
 *
 * Return: true if it is not needed: its message comes back as a whole.
 */
bool optsample_recall_requeued(struct optsample_sched *q,
			       const struct sk_buff *skb)
{
	struct optsample_recall *r = &q->stall.recall;
	struct optsample_msg *msg;
	struct sk_buff *kept;

	kept = optsample_kept_find(r, skb, &msg);
	if (!kept)
		return false;
	optsample_decide(r, msg, kept, optsample_believed(r) ?
			 OPTSAMPLE_FAILED : OPTSAMPLE_ARRIVED);
	optsample_air_settle(q, msg);
	return optsample_believed(r);
}

/*
 * Set-up
 */

void optsample_recall_init(struct optsample_sched *q)
{
	struct optsample_recall *r = &q->stall.recall;

	skb_queue_head_init(&r->reports);
	INIT_LIST_HEAD(&r->aired);
}

/* Called after the flows are freed. More reports may still come. */
void optsample_recall_destroy(struct optsample_sched *q)
{
	struct optsample_recall *r = &q->stall.recall;
	unsigned long flags;

	spin_lock_irqsave(&r->reports.lock, flags);
	r->gone = true;
	spin_unlock_irqrestore(&r->reports.lock, flags);
	skb_queue_purge(&r->reports);
}

/**
 * optsample_recall_reset - free all kept packets and end the doubt
 * @q: private data of the qdisc, locked
 */
void optsample_recall_reset(struct optsample_sched *q)
{
	optsample_forget_all(q);
	optsample_no_doubt(&q->stall.recall);
}

/**
 * optsample_recall_again - the link is up: expect reports again
 * @q: private data of the qdisc, locked
 */
void optsample_recall_again(struct optsample_sched *q)
{
	q->stall.recall.silent = 0;
	q->stall.recall.deaf = false;
}

/**
 * optsample_recall_another - another radio: forget what was learned
 * @q: private data of the qdisc, locked
 */
void optsample_recall_another(struct optsample_sched *q)
{
	struct optsample_recall *r = &q->stall.recall;

	r->good = 0;
	optsample_recall_again(q);
}

/**
 * optsample_recall_configure - start or stop recall, by options and device
 * @sch: the qdisc, locked
 */
void optsample_recall_configure(struct Qdisc *sch)
{
	struct optsample_sched *q = qdisc_priv(sch);
	struct optsample_stall *st = &q->stall;
	bool on = !st->recall.deaf &&
		  (q->cfg.recall == TC_OPTSAMPLE_RECALL_ON ||
		   (q->cfg.recall == TC_OPTSAMPLE_RECALL_AUTO && st->station &&
		    sch->parent == TC_H_ROOT));

	if (on == st->recalls)
		return;
	WRITE_ONCE(st->recalls, on);
	optsample_inflight_ask(q, on);
	if (on)
		return;
	optsample_recall_reset(q);
	skb_queue_purge(&st->recall.reports);
}

/**
 * optsample_recall_state - state of recall, for statistics
 * @q: private data of the qdisc, locked
 *
 * Return: enum tc_optsample_recall_state.
 */
u32 optsample_recall_state(const struct optsample_sched *q)
{
	const struct optsample_recall *r = &q->stall.recall;

	if (r->deaf)
		return TC_OPTSAMPLE_RECALL_DEAF;
	if (!q->stall.recalls)
		return TC_OPTSAMPLE_RECALL_IDLE;
	if (r->doubt)
		return TC_OPTSAMPLE_RECALL_DOUBT;
	return optsample_believed(r) ? TC_OPTSAMPLE_RECALL_ACTIVE :
				       TC_OPTSAMPLE_RECALL_LEARNING;
}
