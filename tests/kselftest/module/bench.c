// SPDX-License-Identifier: GPL-2.0
/*
 * What a packet costs: under -icount a nanosecond is an instruction. Packets
 * are made and freed outside of what is timed; what reading the clock costs
 * is measured first and taken off.
 */
#include <linux/jhash.h>
#include <linux/ktime.h>
#include <net/sch_generic.h>
#include <optsample/tag.h>
#include "bench.h"
#include "drive.h"
#include "packet.h"

enum { BATCH = 128 };

u32 bench_id_step = 1;

struct bench {
	const char	*mode;
	u32		flows;
	u32		per_message;
	u32		control;	/* flags from packet @from on, or 0 */
	u32		from;
	bool		straggler;
	u32		base;	/* message numbers never step back */
	u32		sent;
	u64		enqueue_ns;
	u64		dequeue_ns;
	u64		free_ns;
	u64		enqueued;
	u64		dequeued;
	u64		dropped;
	u64		clock_ns;	/* 1000 pairs of readings */
};

static u64 bench_clock(void)
{
	u64 start, sum = 0;
	int i;

	for (i = 0; i < 1000; i++) {
		start = ktime_get_ns();
		barrier();
		sum += ktime_get_ns() - start;
	}
	return sum;
}

static u32 bench_id(u32 f)
{
	return bench_id_step ? (f + 1) * bench_id_step : jhash_1word(f, 0) | 1;
}

static struct sk_buff *bench_make(struct bench *b)
{
	/* whole messages, flow after flow */
	u32 f = b->sent / b->per_message % b->flows;
	u32 k = b->sent % b->per_message;
	u32 flags = (k ? 0 : OPTSAMPLE_TAG_FIRST) |
		    (k == b->per_message - 1 ? OPTSAMPLE_TAG_LAST : 0);
	u32 msg = b->base + b->sent / b->per_message / b->flows;
	struct sk_buff *skb;

	drive_message = msg;
	if (b->straggler && b->sent >= b->from)
		skb = packet_make(bench_id(f), msg, msg, 1, 0, PAYLOAD);
	else if (b->control && (b->straggler || b->sent >= b->from))
		skb = packet_make(bench_id(f),
				  b->control & OPTSAMPLE_TAG_LATEST ?
				  msg + 1 : 0, 0, k, b->control, PAYLOAD);
	else
		skb = packet_make(bench_id(f), msg, msg, k, flags, PAYLOAD);
	if (!skb)
		return NULL;
	packet_tag(skb, !strncmp(b->mode, "tagged", 6));
	b->sent++;
	return skb;
}

static u32 bench_batch(struct bench *b, struct sk_buff **batch, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++) {
		batch[i] = bench_make(b);
		if (!batch[i])
			n = i;
	}
	return n;
}

static void bench_lost(struct bench *b, struct sk_buff *to_free)
{
	struct sk_buff *skb;

	for (skb = to_free; skb; skb = skb->next)
		b->dropped++;
	kfree_skb_list(to_free);
}

/*
 * @pair: in and out at once, packet after packet; all of it counts as
 * enqueue. Inlined, so that @pair is not tested while the clock runs.
 */
static __always_inline void bench_in(struct bench *b, u32 n, bool pair)
{
	struct sk_buff *batch[BATCH], *to_free = NULL;
	struct Qdisc *q = drive_root();
	u64 start;
	u32 i;

	n = bench_batch(b, batch, n);
	spin_lock_bh(qdisc_lock(q));
	start = ktime_get_ns();
	for (i = 0; i < n; i++) {
		q->enqueue(batch[i], q, &to_free);
		if (pair)
			batch[i] = q->dequeue(q);
	}
	b->enqueue_ns += ktime_get_ns() - start;
	spin_unlock_bh(qdisc_lock(q));
	b->enqueued += n;
	for (i = 0; pair && i < n; i++) {
		b->dequeued += !!batch[i];
		kfree_skb(batch[i]);
	}
	bench_lost(b, to_free);
}

static u32 bench_out(struct bench *b, u32 n)
{
	struct sk_buff *batch[BATCH];
	struct Qdisc *q = drive_root();
	u32 i, got;
	u64 start;

	spin_lock_bh(qdisc_lock(q));
	start = ktime_get_ns();
	for (got = 0; got < n; got++) {
		batch[got] = q->dequeue(q);
		if (!batch[got])
			break;
	}
	b->dequeue_ns += ktime_get_ns() - start;
	spin_unlock_bh(qdisc_lock(q));
	b->dequeued += got;
	start = ktime_get_ns();
	for (i = 0; i < got; i++)
		kfree_skb(batch[i]);
	b->free_ns += ktime_get_ns() - start;
	return got;
}

/* A first packet of every flow, so that none is made in what is timed */
static void bench_warm(struct bench *b)
{
	u32 i, per_message = b->per_message;

	b->per_message = 1;
	for (i = 0; i < b->flows; i++) {
		bench_in(b, 1, false);
		bench_out(b, 1);
	}
	b->per_message = per_message;
	b->base = drive_message + 1;
	b->sent = 0;
}

/* In tenths of a nanosecond for each of @n, which took @batches readings */
static u64 bench_tenths(const struct bench *b, u64 ns, u64 n, u64 batches)
{
	u64 clock = div64_u64(batches * b->clock_ns, 1000);

	if (!n || ns < clock)
		return 0;
	return div64_u64((ns - clock) * 10, n);
}

/*
 * MODE tagged: the tag is there; plain: none; filter: none, but a filter on
 * the qdisc may write it. BACKLOG 0: each packet leaves at once. A mode that
 * ends in "-full": nothing leaves; in "-pair": each packet leaves at once, and
 * the clock, too coarse for one, is read around a batch of such pairs. With
 * "-control" in it, what comes on top of the backlog is control; "-latest":
 * each packet looks for an older one of its kind, and there is none;
 * "-straggler": the backlog is such control, and behind it each packet looks
 * for its message, and there is none.
 */
int bench_run(const char *mode, u32 flows, u32 per_message, u32 backlog,
	      u32 count)
{
	struct bench b = {
		.mode = mode,
		.flows = flows,
		.per_message = per_message,
		.base = drive_message + 1,
	};
	bool full = strstr(mode, "-full"), pair = strstr(mode, "-pair");
	u32 i, step = pair ? BATCH : clamp_t(u32, backlog, 1, BATCH);
	u64 batches = 0;

	if (!flows || !per_message || !drive_root()->enqueue)
		return -EINVAL;
	b.clock_ns = bench_clock();
	bench_warm(&b);
	b.from = backlog;
	if (strstr(mode, "-control"))
		b.control = OPTSAMPLE_TAG_CONTROL;
	b.straggler = strstr(mode, "-straggler");
	if (strstr(mode, "-latest") || b.straggler)
		b.control = OPTSAMPLE_TAG_CONTROL | OPTSAMPLE_TAG_LATEST;
	for (i = 0; i < backlog; i += step) {
		bench_in(&b, min(step, backlog - i), false);
		cond_resched();
	}
	/* once for nothing: what is allocated for the most packets held */
	bench_in(&b, step, false);
	if (!full)
		bench_out(&b, step);
	b.enqueue_ns = b.dequeue_ns = b.free_ns = 0;
	b.enqueued = b.dequeued = b.dropped = 0;
	for (i = 0; i < count; i += step, batches++) {
		if (pair)
			bench_in(&b, step, true);
		else
			bench_in(&b, step, false);
		if (!pair && !full)
			bench_out(&b, step);
		cond_resched();
	}
	drive_say("bench %s flows %u packets %u backlog %u: enqueue %llu dequeue %llu free %llu in %llu out %llu dropped %llu clock %llu\n",
		  mode, flows, per_message, backlog,
		  bench_tenths(&b, b.enqueue_ns, b.enqueued, batches),
		  bench_tenths(&b, b.dequeue_ns, b.dequeued, batches),
		  bench_tenths(&b, b.free_ns, b.dequeued, batches),
		  b.enqueued, b.dequeued, b.dropped, div_u64(b.clock_ns, 100));
	while (bench_out(&b, BATCH))
		cond_resched();
	return 0;
}

/* @skb, or NULL, is tagged and waits. */
static int bench_put(struct sk_buff *skb)
{
	struct sk_buff *to_free = NULL;

	if (!skb)
		return -ENOMEM;
	packet_tag(skb, true);
	drive_put(skb, &to_free);
	kfree_skb_list(to_free);
	return 0;
}

/* A message of @f of one packet waits. */
static int bench_put_message(u32 f)
{
	drive_message++;
	return bench_put(packet_make(f, drive_message, drive_message, 0,
				     OPTSAMPLE_TAG_FIRST | OPTSAMPLE_TAG_LAST,
				     PAYLOAD));
}

/* The same, to link address @dest */
static int wake_put(u32 f, u32 dest)
{
	packet_kind.to = dest;
	return bench_put_message(f);
}

/* What leaves; nothing else may until it is freed. */
static struct sk_buff *wake_take(u64 *ns, u32 *alone)
{
	struct Qdisc *q = drive_root();
	struct sk_buff *skb, *more;
	u64 start;

	spin_lock_bh(qdisc_lock(q));
	start = ktime_get_ns();
	skb = q->dequeue(q);
	more = q->dequeue(q);
	*ns += ktime_get_ns() - start;
	spin_unlock_bh(qdisc_lock(q));
	*alone += skb && !more;
	kfree_skb(more);
	return skb;
}

int bench_wake(u32 flows, u32 count)
{
	u64 ns = 0, clock_ns = div_u64(bench_clock() * count, 1000);
	struct sk_buff *busy;
	u32 i, alone = 0;
	int err;

	err = wake_put(1, 2);
	busy = wake_take(&ns, &alone);
	for (i = 0; i < flows && !err; i++)
		err = wake_put(3 + i, 2);
	/* One is always left, which waits for the one that is below. */
	for (i = 0; i < 2 && !err; i++)
		err = wake_put(2, 1);
	kfree_skb(wake_take(&ns, &alone));
	alone = 0;
	ns = 0;
	for (i = 0; i < count && !err; i++) {
		err = wake_put(2, 1);
		kfree_skb(wake_take(&ns, &alone));
		cond_resched();
	}
	packet_kind.to = 0;
	kfree_skb(busy);
	drive_say("wake flows %u: dequeue %llu out %u\n", flows,
		  div_u64(ns > clock_ns ? (ns - clock_ns) * 10 : 0, max(count, 1U)),
		  alone);
	return err;
}

/* Control of flows 1 and 2 waits in the first, for data of the second. */
int bench_moves(u32 count)
{
	struct Qdisc *q = drive_root();
	u64 start, ns, most = 0;
	struct sk_buff *skb;
	u32 i, out = 0;
	int err = 0;

	for (i = 0; i < 4 && !err; i++)
		err = bench_put_message(2);
	for (i = 0; i < count && !err; i++)
		err = bench_put(packet_make(1, 2, 0, 0, OPTSAMPLE_TAG_CONTROL,
					    64));
	for (i = 0; i < 2 * count + 4 && q->q.qlen; i++) {
		spin_lock_bh(qdisc_lock(q));
		start = ktime_get_ns();
		skb = q->dequeue(q);
		ns = ktime_get_ns() - start;
		spin_unlock_bh(qdisc_lock(q));
		most = max(most, ns);
		out += !!skb;
		kfree_skb(skb);
		cond_resched();
	}
	drive_say("moves %u: dequeue %llu out %u\n", count, most * 10, out);
	return err;
}

/* Packets that the device has sent */
static u64 way_sent(void)
{
	struct rtnl_link_stats64 stats;

	return dev_get_stats(drive_dev, &stats)->tx_packets;
}

/*
 * COUNT packets of FLOWS go all the way that the stack's packets go: filters,
 * queue and driver, and what softirq has to do for them.
 */
int bench_way(const char *mode, u32 flows, u32 count)
{
	struct bench b = {
		.mode = mode,
		.flows = flows,
		.per_message = 1,
		.base = drive_message + 1,
	};
	u64 start, ns = 0, sent, batches = 0;
	struct sk_buff *batch[BATCH];
	u32 i, n;

	b.clock_ns = bench_clock();
	netif_tx_wake_all_queues(drive_dev);
	for (i = 0; i < flows; i++) {	/* so that no flow is made below */
		if (!bench_batch(&b, batch, 1))
			return -ENOMEM;
		dev_queue_xmit(batch[0]);
	}
	sent = way_sent();
	while (b.enqueued < count) {
		n = bench_batch(&b, batch, BATCH);
		if (!n)
			return -ENOMEM;
		start = ktime_get_ns();
		for (i = 0; i < n; i++)
			dev_queue_xmit(batch[i]);
		ns += ktime_get_ns() - start;
		b.enqueued += n;
		batches++;
		cond_resched();
	}
	sent = way_sent() - sent;
	netif_tx_stop_all_queues(drive_dev);
	drive_say("bench %s flows %u packets 1 backlog 0: enqueue %llu dequeue 0 free 0 in %llu out %llu dropped 0 clock %llu\n",
		  mode, flows, bench_tenths(&b, ns, b.enqueued, batches),
		  b.enqueued, sent, div_u64(b.clock_ns, 100));
	return 0;
}
