// SPDX-License-Identifier: GPL-2.0
/*
 * When the qdisc holds packets back, why, and since when. Holding never drops
 * packets: the queue fills up.
 */
#include <linux/netdevice.h>
#include "inflight.h"
#include "ordinary.h"
#include "trace.h"

/* At the configured rate a late timer may catch up by this much. */
#define OPTSAMPLE_RATE_SLACK_NS	NSEC_PER_MSEC

/* If nothing has left below for longer, the link is not busy but stalled. */
#define OPTSAMPLE_BUSY_MS	100

/*
 * Set-up
 */

void optsample_hold_init(struct Qdisc *sch)
{
	struct optsample_sched *q = qdisc_priv(sch);
	struct optsample_stall *st = &q->stall;

	st->cause = TC_OPTSAMPLE_NOT_STALLED;
	INIT_LIST_HEAD(&st->inflight.blocked);
	__skb_queue_head_init(&st->requeued);
	qdisc_watchdog_init(&st->watchdog, sch);
	optsample_recall_init(q);
	optsample_link_init(sch);
}

void optsample_hold_destroy(struct Qdisc *sch)
{
	struct optsample_sched *q = qdisc_priv(sch);
	struct optsample_stall *st = &q->stall;

	optsample_link_destroy(sch);
	qdisc_watchdog_cancel(&st->watchdog);
	__skb_queue_purge(&st->requeued);
	optsample_recall_reset(q);
	optsample_inflight_destroy(q);
	optsample_recall_destroy(q);
}

/* Shorten the current wait to what the new rate requires. */
static void optsample_rate_set(struct optsample_stall *st, u64 rate)
{
	struct tc_ratespec spec = { .linklayer = TC_LINKLAYER_ETHERNET };
	u64 now = ktime_get_ns();

	psched_ratecfg_precompute(&st->rate, &spec, rate);
	if (!rate)
		st->next_ns = 0;
	else if (st->next_ns > now)
		st->next_ns = min(st->next_ns, now +
				  psched_l2t_ns(&st->rate, st->last_len));
}

/**
 * optsample_hold_configure - apply the options that concern stalls
 * @sch: the qdisc, RTNL and tree lock
 * @cfg: the new configuration, not yet in place
 * @all: see optsample_inflight_configure()
 */
void optsample_hold_configure(struct Qdisc *sch,
			      const struct optsample_config *cfg,
			      struct optsample_account *all)
{
	struct optsample_sched *q = qdisc_priv(sch);
	struct optsample_stall *st = &q->stall;

	optsample_inflight_configure(q, cfg, all);
	optsample_link_configure(sch, cfg->watch);
	if (cfg->rate != q->cfg.rate || !st->rate.rate_bytes_ps)
		optsample_rate_set(st, cfg->rate);
}

/**
 * optsample_hold_over_reset - does reset() come from a lost carrier?
 * @sch: the qdisc
 *
 * The core resets the root qdisc of a device that lost its carrier, but the
 * messages of the outage must be kept. Packets that the driver returned are
 * kept too, or a message that has begun to leave would be torn. The core clears
 * qlen and backlog afterwards: they are saved here, see optsample_unhold().
 */
bool optsample_hold_over_reset(struct Qdisc *sch)
{
	struct optsample_sched *q = qdisc_priv(sch);
	struct optsample_stall *st = &q->stall;
	const struct net_device *dev = qdisc_dev(sch);
	struct sk_buff *skb, *next;

	if (sch->parent != TC_H_ROOT || !netif_running(dev) ||
	    netif_carrier_ok(dev))
		return false;
	st->down = true;
	optsample_look_again(st);
	optsample_unhold(sch);
	optsample_ordinary_hold(sch, true);
	st->held = true;
	st->qlen = sch->q.qlen;
	st->backlog = sch->qstats.backlog;
	skb_queue_splice_tail_init(&sch->gso_skb, &st->requeued);
	skb_queue_splice_tail_init(&sch->skb_bad_txq, &st->requeued);
	/* They wait here again and do not count as in flight. */
	skb_queue_walk_safe(&st->requeued, skb, next) {
		optsample_inflight_disown(q, skb);
		if (!optsample_recall_requeued(q, skb))
			continue;
		st->qlen--;
		st->backlog -= qdisc_pkt_len(skb);
		__skb_unlink(skb, &st->requeued);
		consume_skb(skb);
	}
	return true;
}

/*
 * Accounting
 */

/* Add the time since the last departure if packets waited after it. */
static void optsample_hold_add_driver(struct optsample_stall *st)
{
	unsigned long waited = jiffies - st->last_jiffies;

	if (!st->backlogged || waited <= OPTSAMPLE_DRIVER_JIFFIES)
		return;
	st->ns[TC_OPTSAMPLE_STALL_DRIVER] += jiffies64_to_nsecs(waited);
	st->last_jiffies = jiffies;
}

static void optsample_hold_add(struct optsample_stall *st, u64 now)
{
	if (st->cause == TC_OPTSAMPLE_NOT_STALLED)
		optsample_hold_add_driver(st);
	else
		st->ns[st->cause] += now - st->since_ns;
	st->since_ns = now;
}

/* @now: 0 if the clock was not read */
static void optsample_hold_for(struct optsample_sched *q, u32 cause, u64 now)
{
	struct optsample_stall *st = &q->stall;

	if (cause == st->cause)
		return;
	WARN_ON_ONCE(cause >= TC_OPTSAMPLE_STALLS &&
		     cause != TC_OPTSAMPLE_NOT_STALLED);
	now = now ?: ktime_get_ns();
	trace_optsample_hold(q, cause, now - st->began_ns);
	optsample_hold_add(st, now);
	st->cause = cause;
	st->began_ns = now;
}

/**
 * optsample_hold_nothing - the queue is empty: no stall
 * @q: private data of the qdisc, locked
 */
void optsample_hold_nothing(struct optsample_sched *q)
{
	optsample_hold_for(q, TC_OPTSAMPLE_NOT_STALLED, 0);
	q->stall.backlogged = false;
}

/**
 * optsample_hold_account - update the stall times for a dump
 * @sch: the qdisc, locked
 *
 * Return: the cause of the stall now, or TC_OPTSAMPLE_NOT_STALLED.
 */
u32 optsample_hold_account(struct Qdisc *sch)
{
	struct optsample_sched *q = qdisc_priv(sch);
	struct optsample_stall *st = &q->stall;
	u64 driver_ns = st->ns[TC_OPTSAMPLE_STALL_DRIVER];

	optsample_hold_add(st, ktime_get_ns());
	if (!sch->q.qlen)
		optsample_hold_nothing(q);
	if (st->ns[TC_OPTSAMPLE_STALL_DRIVER] != driver_ns && st->backlogged)
		return TC_OPTSAMPLE_STALL_DRIVER;
	return st->cause;
}

/**
 * optsample_hold_reset - the queue is emptied
 * @q: private data of the qdisc, locked
 *
 * Packets in flight still count. The state of the link and its settling time
 * stay.
 */
void optsample_hold_reset(struct optsample_sched *q)
{
	struct optsample_stall *st = &q->stall;

	qdisc_watchdog_cancel(&st->watchdog);
	__skb_queue_purge(&st->requeued);
	optsample_recall_reset(q);
	st->held = false;
	st->next_ns = 0;
	optsample_hold_nothing(q);
}

/**
 * optsample_hold_flush - drop the packets that the driver returned
 * @q: private data of the qdisc, locked
 * @loss: where the packets go
 */
void optsample_hold_flush(struct optsample_sched *q,
			  struct optsample_loss *loss)
{
	struct sk_buff *skb;

	while ((skb = __skb_dequeue(&q->stall.requeued))) {
		loss->packets++;
		loss->bytes += qdisc_pkt_len(skb);
		__qdisc_drop(skb, loss->to_free);
	}
}

/**
 * optsample_hold_pause - hold the flows, but not ordinary traffic
 * @sch: the qdisc
 * @ms: milliseconds from now on, 0: end the pause
 *
 * The pause ends by itself, even if the program that requested it has died. A
 * caller that ends it knows that the network works: a radio that reports
 * acknowledgments then needs no settling time.
 */
void optsample_hold_pause(struct Qdisc *sch, u32 ms)
{
	struct optsample_sched *q = qdisc_priv(sch);
	u64 now;

	sch_tree_lock(sch);
	now = ktime_get_ns();
	q->stall.pause_ns = ms ? now + (u64)ms * NSEC_PER_MSEC : 0;
	optsample_look_again(&q->stall);
	if (ms)
		optsample_flows_orphan(q);
	if (!ms && now < q->stall.settle_ns && optsample_recall_try(q, now))
		q->stall.settle_ns = 0;
	sch_tree_unlock(sch);
	optsample_kick(sch);
}

/*
 * Hold only if no ordinary traffic waits. The timer for the end of the pause is
 * needed in any case: the child qdisc may have dropped its packets.
 */
static bool optsample_hold_paused(struct Qdisc *sch, u64 now, u64 *wake_ns)
{
	struct optsample_sched *q = qdisc_priv(sch);
	struct optsample_stall *st = &q->stall;

	if (now >= st->pause_ns) {
		st->pause_ns = 0;
		return false;
	}
	*wake_ns = st->pause_ns;
	return !optsample_ordinary_qlen(q) && skb_queue_empty(&st->requeued);
}

/* @now: 0 until the clock had to be read; @wake_ns: when to look again */
static u32 optsample_hold_cause(struct Qdisc *sch, u64 *now, u64 *wake_ns)
{
	struct optsample_sched *q = qdisc_priv(sch);
	struct optsample_stall *st = &q->stall;

	if (unlikely(q->cfg.gate == TC_OPTSAMPLE_GATE_CLOSED))
		return TC_OPTSAMPLE_STALL_GATE;
	if (unlikely(!optsample_link_up(sch))) {
		st->down = true;
		return TC_OPTSAMPLE_STALL_CARRIER;
	}
	if (q->cfg.rate || unlikely(st->down || st->settle_ns || st->pause_ns ||
				    st->recall.doubt))
		*now = ktime_get_ns();
	if (unlikely(st->down))
		optsample_link_settle(q, *now);
	if (unlikely(*now < st->settle_ns)) {
		*wake_ns = st->settle_ns;
		return TC_OPTSAMPLE_STALL_SETTLE;
	}
	st->settle_ns = 0;
	if (unlikely(st->pause_ns) && optsample_hold_paused(sch, *now, wake_ns))
		return TC_OPTSAMPLE_STALL_GATE;
	if (unlikely(st->recall.doubt) &&
	    optsample_recall_holds(q, *now, wake_ns))
		return TC_OPTSAMPLE_STALL_UNACKED;
	if (!st->by_dest && optsample_inflight_full(q))
		return TC_OPTSAMPLE_STALL_INFLIGHT;
	if (q->cfg.rate && *now < st->next_ns) {
		*wake_ns = st->next_ns;
		return TC_OPTSAMPLE_STALL_RATE;
	}
	return TC_OPTSAMPLE_NOT_STALLED;
}

/*
 * A freed packet schedules the qdisc. The timer serves drivers that never free
 * packets.
 */
static void optsample_hold_look_again(struct optsample_stall *st, u32 ms)
{
	u64 ns = (u64)ms * NSEC_PER_MSEC;

	qdisc_watchdog_schedule_range_ns(&st->watchdog, ktime_get_ns() + ns,
					 ns);
}

/**
 * optsample_hold_by_dest - update optsample_stall.by_dest
 * @sch: the qdisc, locked
 *
 * Each destination has a limit only on devices with Ethernet headers.
 */
void optsample_hold_by_dest(struct Qdisc *sch)
{
	struct optsample_sched *q = qdisc_priv(sch);
	u32 per = q->cfg.inflight_per;
	bool by_dest = optsample_inflight_wanted(&q->cfg) &&
		       optsample_link_is_ethernet(sch) &&
		       (per == TC_OPTSAMPLE_INFLIGHT_PER_AUTO ?
			q->stall.many :
			per == TC_OPTSAMPLE_INFLIGHT_PER_DESTINATION);

	/* A destination that is full must not block senders to others. */
	if (by_dest && !q->stall.by_dest)
		optsample_flows_orphan(q);
	q->stall.by_dest = by_dest;
}

/* Has nothing left for so long that the link is not just busy? */
static bool optsample_hold_is_stalled(const struct optsample_stall *st)
{
	return ktime_get_ns() - st->began_ns >=
	       (u64)OPTSAMPLE_BUSY_MS * NSEC_PER_MSEC;
}

/* What senders are to know of @cause. */
static void optsample_hold_senders(struct Qdisc *sch, u32 cause)
{
	struct optsample_sched *q = qdisc_priv(sch);

	switch (cause) {
	case TC_OPTSAMPLE_NOT_STALLED:
	case TC_OPTSAMPLE_STALL_RATE:
		optsample_ordinary_hold(sch, false);
		break;
	case TC_OPTSAMPLE_STALL_INFLIGHT:
		/* A stall that began otherwise goes on. */
		if (optsample_hold_is_stalled(&q->stall))
			optsample_ordinary_hold(sch, true);
		break;
	case TC_OPTSAMPLE_STALL_GATE:
		/* A pause lets ordinary traffic leave. */
		optsample_ordinary_hold(sch, q->cfg.gate ==
					TC_OPTSAMPLE_GATE_CLOSED);
		break;
	default:
		optsample_ordinary_hold(sch, true);
	}
}

/**
 * optsample_hold_back - must dequeue hold back?
 * @sch: the qdisc, locked, with packets waiting
 *
 * Called for every packet while the configuration may hold packets, so the
 * clock is only read when needed.
 *
 * Return: true to hold; the qdisc will be scheduled when that may change.
 */
bool optsample_hold_back(struct Qdisc *sch)
{
	struct optsample_sched *q = qdisc_priv(sch);
	struct optsample_stall *st = &q->stall;
	u64 now = 0, wake_ns = 0;
	bool closely;
	u32 cause;

	cause = optsample_hold_cause(sch, &now, &wake_ns);
	if (cause == st->cause && cause == TC_OPTSAMPLE_NOT_STALLED)
		optsample_hold_add_driver(st);
	optsample_hold_for(q, cause, now);
	closely = cause != TC_OPTSAMPLE_NOT_STALLED || q->cfg.rate ||
		  st->source.nformer || st->pause_ns ||
		  !skb_queue_empty(&st->requeued);
	st->careful = closely || optsample_inflight_owning(q) ||
		      q->cfg.watch[0];
	st->steady = !closely && !st->by_dest && !st->recalls &&
		     !q->cfg.inflight_bytes && !q->cfg.inflight_auto;
	optsample_hold_senders(sch, cause);
	if (cause == TC_OPTSAMPLE_STALL_INFLIGHT)
		optsample_hold_look_again(st, q->ordinary.held ?
					  MSEC_PER_SEC : OPTSAMPLE_BUSY_MS);
	else if (wake_ns)
		qdisc_watchdog_schedule_ns(&st->watchdog, wake_ns);
	if (cause == TC_OPTSAMPLE_NOT_STALLED)
		return false;
	st->backlogged = false;
	return true;
}

/**
 * optsample_hold_blocked - all destinations of waiting packets are full
 * @sch: the qdisc, locked
 *
 * Ordinary traffic waits only until its destination counts as asleep.
 */
void optsample_hold_blocked(struct Qdisc *sch)
{
	struct optsample_sched *q = qdisc_priv(sch);
	struct optsample_stall *st = &q->stall;

	optsample_hold_for(q, TC_OPTSAMPLE_STALL_INFLIGHT, 0);
	st->backlogged = false;
	optsample_hold_look_again(st, q->ordinary.child->q.qlen ?
				  OPTSAMPLE_ASLEEP_MS / 2 : MSEC_PER_SEC);
}

/**
 * optsample_hold_released - account a packet that leaves a careful qdisc
 * @sch: the qdisc, locked
 * @skb: the packet
 */
void optsample_hold_released(struct Qdisc *sch, struct sk_buff *skb)
{
	struct optsample_sched *q = qdisc_priv(sch);
	struct optsample_stall *st = &q->stall;

	if (unlikely(st->recall.doubt))
		optsample_recall_probe(sch, skb);
	optsample_inflight_own(q, skb);
	if (q->cfg.rate) {
		u64 from = max(st->next_ns,
			       ktime_get_ns() - OPTSAMPLE_RATE_SLACK_NS);

		st->last_len = qdisc_pkt_len(skb);
		st->next_ns = from + psched_l2t_ns(&st->rate, st->last_len);
	}
}
