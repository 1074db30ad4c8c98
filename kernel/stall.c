// SPDX-License-Identifier: GPL-2.0
/*
 * Is the link stalled? Holding never drops: it only lets the queue fill.
 *
 * In flight: every packet handed down is owned by a socket of the qdisc, so
 * the stack's own write accounting (sock_wfree, also across GSO
 * segmentation) says how much is below and calls back when some of it is
 * gone. The socket lives until the last packet is freed and holds the
 * module, so neither can vanish under a driver.
 *
 * Carrier: of the device below (watch) and of the qdisc's own. What is
 * released the moment a Wi-Fi link comes back is lost, hence the settling
 * time.
 */
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <net/inet_sock.h>
#include "optsample.h"

/* What a late timer may make good at the configured rate. */
#define OPTSAMPLE_RATE_SLACK_NS	NSEC_PER_MSEC

static LIST_HEAD(optsample_instances);	/* protected by RTNL */

/**
 * struct optsample_below - owner of the packets below one qdisc
 * @inet:	the socket; its sk_user_data is the qdisc while that lives (RCU).
 *		An inet socket, because IP output below a tunnel takes the
 *		owner of any packet for one and reads its options: all zero
 * @packets:	in flight
 * @waiting:	the qdisc wants to hear of every packet freed
 */
struct optsample_below {
	struct inet_sock inet;	/* must be first */
	atomic_t	packets;
	bool		waiting;
};

static struct proto optsample_below_proto = {
	.name		= "OPTSAMPLE",
	.owner		= THIS_MODULE,
	.obj_size	= sizeof(struct optsample_below),
};

static struct optsample_below *optsample_below_of(const struct sock *sk)
{
	return container_of(sk, struct optsample_below, inet.sk);
}

/**
 * optsample_kick - have the qdisc asked for packets again
 * @sch: the qdisc; lives at least until the caller's RTNL or RCU section ends
 */
void optsample_kick(struct Qdisc *sch)
{
	rcu_read_lock();
	__netif_schedule(qdisc_root(sch));
	rcu_read_unlock();
}

/* Any context that frees packets; called by sock_wfree() once for each. */
static void optsample_below_freed(struct sock *sk)
{
	struct optsample_below *below = optsample_below_of(sk);
	struct Qdisc *sch;

	atomic_dec(&below->packets);
	smp_mb__after_atomic();	/* pairs with optsample_below_full() */
	if (!READ_ONCE(below->waiting))
		return;
	rcu_read_lock();
	sch = rcu_dereference_sk_user_data(sk);
	if (sch)
		optsample_kick(sch);
	rcu_read_unlock();
}

/**
 * optsample_below_alloc - make the owner of packets in flight
 * @sch: the qdisc
 *
 * The namespace is the initial one whatever the device's is: packets may
 * outlive the latter.
 *
 * Return: a socket for optsample_stall_configure(), NULL without memory.
 */
struct sock *optsample_below_alloc(struct Qdisc *sch)
{
	struct sock *sk = sk_alloc(&init_net, AF_UNSPEC, GFP_KERNEL,
				   &optsample_below_proto, 1);

	if (!sk)
		return NULL;
	sock_init_data(NULL, sk);
	sk->sk_write_space = optsample_below_freed;
	sk->sk_rcvbuf = 0;	/* nobody reads time stamps from it */
	rcu_assign_sk_user_data(sk, sch);
	return sk;
}

static void optsample_below_release(struct sock *sk)
{
	rcu_assign_sk_user_data(sk, NULL);
	sock_put(sk);	/* netem and time stamps below hold references too */
}

u32 optsample_inflight_packets(const struct optsample_sched *q)
{
	const struct sock *sk = q->stall.below;

	/* Fragments made below come back without having been counted. */
	return sk ? max(atomic_read(&optsample_below_of(sk)->packets), 0) : 0;
}

u32 optsample_inflight_bytes(const struct optsample_sched *q)
{
	return q->stall.below ? sk_wmem_alloc_get(q->stall.below) : 0;
}

static bool optsample_over(const struct optsample_sched *q)
{
	const struct optsample_config *cfg = &q->cfg;

	/* The last byte is only given back after optsample_below_freed(). */
	return (cfg->inflight_packets &&
		optsample_inflight_packets(q) >= cfg->inflight_packets) ||
	       (cfg->inflight_bytes &&
		optsample_inflight_bytes(q) > cfg->inflight_bytes);
}

static bool optsample_below_full(const struct optsample_sched *q)
{
	struct optsample_below *below;

	if (!q->stall.below)
		return false;
	below = optsample_below_of(q->stall.below);
	if (likely(!optsample_over(q))) {
		if (unlikely(below->waiting))
			WRITE_ONCE(below->waiting, false);
		return false;
	}
	WRITE_ONCE(below->waiting, true);
	smp_mb();	/* the last packet may have gone before we waited */
	return optsample_over(q);
}

/*
 * Carrier
 */

static bool optsample_link_up(struct Qdisc *sch)
{
	const struct optsample_sched *q = qdisc_priv(sch);
	const struct net_device *dev = q->stall.watched;

	if (q->cfg.watch[0] &&
	    (!dev || !netif_running(dev) || !netif_carrier_ok(dev) ||
	     !netif_oper_up(dev)))
		return false;
	return netif_carrier_ok(qdisc_dev(sch));
}

static void optsample_watch_put(struct optsample_stall *st)
{
	if (!st->watched)
		return;
	netdev_put(st->watched, &st->tracker);
	st->watched = NULL;
	st->down = true;
}

static void optsample_watch_set(struct optsample_stall *st,
				struct net_device *dev)
{
	if (st->watched == dev)
		return;
	optsample_watch_put(st);
	st->watched = dev;
	netdev_hold(dev, &st->tracker, GFP_ATOMIC);
}

static void optsample_settle(struct optsample_sched *q, u64 now)
{
	q->stall.down = false;
	q->stall.settle_ns = now + (u64)q->cfg.settle_ms * NSEC_PER_MSEC;
}

/**
 * optsample_stall_look - take note of the link
 * @sch: the qdisc, locked
 *
 * The settling time begins when the link is back, not when the next packet
 * wants to leave.
 */
void optsample_stall_look(struct Qdisc *sch)
{
	struct optsample_sched *q = qdisc_priv(sch);

	if (optsample_link_up(sch)) {
		if (q->stall.down)
			optsample_settle(q, ktime_get_ns());
	} else {
		q->stall.down = true;
	}
	q->stall.careful = true;
}

static void optsample_netdev_changed(struct Qdisc *sch, unsigned long event,
				     struct net_device *dev)
{
	struct optsample_sched *q = qdisc_priv(sch);
	struct optsample_stall *st = &q->stall;
	bool watched = dev == st->watched;

	sch_tree_lock(sch);
	if (watched && event == NETDEV_UNREGISTER)
		optsample_watch_put(st);
	else if (watched && event == NETDEV_CHANGENAME)
		strscpy(q->cfg.watch, dev->name, IFNAMSIZ);
	else if (!st->watched && event != NETDEV_UNREGISTER &&
		 !strcmp(dev->name, q->cfg.watch))
		optsample_watch_set(st, dev);
	optsample_stall_look(sch);
	sch_tree_unlock(sch);

	/* Let dequeue see the change. */
	optsample_kick(sch);
}

static int optsample_netdev_event(struct notifier_block *nb,
				  unsigned long event, void *ptr)
{
	struct net_device *dev = netdev_notifier_info_to_dev(ptr);
	struct optsample_stall *st;

	switch (event) {
	case NETDEV_UP:
	case NETDEV_DOWN:
	case NETDEV_CHANGE:
	case NETDEV_REGISTER:
	case NETDEV_UNREGISTER:
	case NETDEV_CHANGENAME:
		break;
	default:
		return NOTIFY_DONE;
	}
	list_for_each_entry(st, &optsample_instances, instances) {
		struct Qdisc *sch = st->watchdog.qdisc;
		struct optsample_sched *q = qdisc_priv(sch);

		if (dev != qdisc_dev(sch) && dev != st->watched &&
		    (strcmp(dev->name, q->cfg.watch) ||
		     !net_eq(dev_net(dev), dev_net(qdisc_dev(sch)))))
			continue;
		/* The own device takes its qdisc along when it goes. */
		if (dev == qdisc_dev(sch) && event == NETDEV_UNREGISTER)
			continue;
		optsample_netdev_changed(sch, event, dev);
	}
	return NOTIFY_DONE;
}

static struct notifier_block optsample_netdev_notifier = {
	.notifier_call = optsample_netdev_event,
};

int optsample_stall_register(void)
{
	return register_netdevice_notifier(&optsample_netdev_notifier);
}

void optsample_stall_unregister(void)
{
	unregister_netdevice_notifier(&optsample_netdev_notifier);
}

/*
 * Set-up
 */

void optsample_stall_init(struct Qdisc *sch)
{
	struct optsample_sched *q = qdisc_priv(sch);
	struct optsample_stall *st = &q->stall;

	st->cause = TC_OPTSAMPLE_NOT_STALLED;
	__skb_queue_head_init(&st->requeued);
	qdisc_watchdog_init(&st->watchdog, sch);
	list_add_tail(&st->instances, &optsample_instances);
}

void optsample_stall_destroy(struct Qdisc *sch)
{
	struct optsample_sched *q = qdisc_priv(sch);
	struct optsample_stall *st = &q->stall;

	/* init() may have failed before optsample_stall_init() */
	if (!st->watchdog.qdisc)
		return;
	list_del(&st->instances);
	qdisc_watchdog_cancel(&st->watchdog);
	optsample_watch_put(st);
	__skb_queue_purge(&st->requeued);
	if (st->below)
		optsample_below_release(st->below);
}

/* What the last packet still owes: no more than the new rate would ask. */
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
 * optsample_stall_configure - apply what concerns stalls; RTNL and tree lock
 * @sch: the qdisc
 * @cfg: the new configuration, not yet in place
 * @below: from optsample_below_alloc() if a limit is set and there was no
 *	   owner yet, else NULL; belongs to the qdisc from now on
 */
void optsample_stall_configure(struct Qdisc *sch,
			       const struct optsample_config *cfg,
			       struct sock *below)
{
	struct optsample_sched *q = qdisc_priv(sch);
	struct optsample_stall *st = &q->stall;
	struct net_device *dev = NULL;

	if (below) {
		st->below = below;
	} else if (st->below && !cfg->inflight_packets &&
		   !cfg->inflight_bytes) {
		optsample_below_release(st->below);
		st->below = NULL;
	}
	if (cfg->watch[0])
		dev = __dev_get_by_name(dev_net(qdisc_dev(sch)), cfg->watch);
	if (dev != st->watched) {
		if (dev)
			optsample_watch_set(st, dev);
		else
			optsample_watch_put(st);
		st->down = false;
	}
	if (cfg->rate != q->cfg.rate || !st->rate.rate_bytes_ps)
		optsample_rate_set(st, cfg->rate);
}

/**
 * optsample_stall_keeps_queue - does reset() come from a lost carrier?
 * @sch: the qdisc
 *
 * The core resets the root qdisc of a device that lost its carrier; the
 * messages of the outage are just what is wanted then. What the driver had
 * handed back is kept too, or a message begun would be torn. The core zeroes
 * qlen and backlog afterwards: they are saved here, see optsample_unhold().
 */
bool optsample_stall_keeps_queue(struct Qdisc *sch)
{
	struct optsample_sched *q = qdisc_priv(sch);
	struct optsample_stall *st = &q->stall;
	const struct net_device *dev = qdisc_dev(sch);
	struct sk_buff *skb;

	if (sch->parent != TC_H_ROOT || !netif_running(dev) ||
	    netif_carrier_ok(dev))
		return false;
	st->down = true;
	st->careful = true;
	if (!st->held) {
		st->held = true;
		st->qlen = sch->q.qlen;
		st->backlog = sch->qstats.backlog;
	}
	skb_queue_splice_tail_init(&sch->gso_skb, &st->requeued);
	skb_queue_splice_tail_init(&sch->skb_bad_txq, &st->requeued);
	/* They wait here again, so they must not fill the in-flight limit. */
	skb_queue_walk(&st->requeued, skb)
		if (st->below && skb->sk == st->below)
			skb_orphan(skb);
	return true;
}

/*
 * Accounting
 */

/* What was waited since a departure that left a backlog behind */
static void optsample_driver_add(struct optsample_stall *st)
{
	unsigned long waited = jiffies - st->last_jiffies;

	if (!st->backlogged || waited <= OPTSAMPLE_DRIVER_JIFFIES)
		return;
	st->ns[TC_OPTSAMPLE_STALL_DRIVER] += jiffies_to_nsecs(waited);
	st->last_jiffies = jiffies;
}

static void optsample_stall_add(struct optsample_stall *st, u64 now)
{
	if (st->cause == TC_OPTSAMPLE_NOT_STALLED)
		optsample_driver_add(st);
	else
		st->ns[st->cause] += now - st->since_ns;
	st->since_ns = now;
}

/**
 * optsample_stall_account - bring the stall times up to date, for a dump
 * @sch: the qdisc, locked
 *
 * Return: the cause of the stall now, or TC_OPTSAMPLE_NOT_STALLED.
 */
u32 optsample_stall_account(struct Qdisc *sch)
{
	struct optsample_sched *q = qdisc_priv(sch);
	struct optsample_stall *st = &q->stall;
	u64 driver_ns = st->ns[TC_OPTSAMPLE_STALL_DRIVER];

	optsample_stall_add(st, ktime_get_ns());
	if (!sch->q.qlen) {
		st->cause = TC_OPTSAMPLE_NOT_STALLED;
		st->backlogged = false;
	}
	if (st->ns[TC_OPTSAMPLE_STALL_DRIVER] != driver_ns && st->backlogged)
		return TC_OPTSAMPLE_STALL_DRIVER;
	return st->cause;
}

/* @now: 0 until the clock had to be read; @wake_ns: when to look again */
static u32 optsample_cause(struct Qdisc *sch, u64 *now, u64 *wake_ns)
{
	struct optsample_sched *q = qdisc_priv(sch);
	struct optsample_stall *st = &q->stall;

	if (unlikely(q->cfg.gate == TC_OPTSAMPLE_GATE_CLOSED))
		return TC_OPTSAMPLE_STALL_GATE;
	if (unlikely(!optsample_link_up(sch))) {
		st->down = true;
		return TC_OPTSAMPLE_STALL_CARRIER;
	}
	if (q->cfg.rate || unlikely(st->down || st->settle_ns))
		*now = ktime_get_ns();
	if (unlikely(st->down))
		optsample_settle(q, *now);
	if (unlikely(*now < st->settle_ns)) {
		*wake_ns = st->settle_ns;
		return TC_OPTSAMPLE_STALL_SETTLE;
	}
	st->settle_ns = 0;
	if (optsample_below_full(q))
		return TC_OPTSAMPLE_STALL_INFLIGHT;
	if (q->cfg.rate && *now < st->next_ns) {
		*wake_ns = st->next_ns;
		return TC_OPTSAMPLE_STALL_RATE;
	}
	return TC_OPTSAMPLE_NOT_STALLED;
}

/**
 * optsample_stalled - must dequeue hold back?
 * @sch: the qdisc, locked, with packets waiting
 *
 * Asked for every packet while something is configured that may hold, so
 * the clock is only read when it matters.
 *
 * Return: true to hold; the qdisc will be scheduled when that may change.
 */
bool optsample_stalled(struct Qdisc *sch)
{
	struct optsample_sched *q = qdisc_priv(sch);
	struct optsample_stall *st = &q->stall;
	u64 now = 0, wake_ns = 0;
	u32 cause = optsample_cause(sch, &now, &wake_ns);

	if (cause != st->cause) {
		optsample_stall_add(st, now ?: ktime_get_ns());
		st->cause = cause;
	} else if (cause == TC_OPTSAMPLE_NOT_STALLED) {
		optsample_driver_add(st);
	}
	st->careful = cause != TC_OPTSAMPLE_NOT_STALLED || st->below ||
		      q->cfg.rate || q->cfg.watch[0];
	if (cause == TC_OPTSAMPLE_NOT_STALLED)
		return false;
	st->backlogged = false;
	if (wake_ns)
		qdisc_watchdog_schedule_ns(&st->watchdog, wake_ns);
	return true;
}

/*
 * Destructors of others must run when they are due (packet rings), and
 * transmit time stamps go to the sender's socket.
 */
static bool optsample_may_own(const struct sk_buff *skb)
{
	if (optsample_wants_stamp(skb))
		return false;
	return !skb->destructor || skb->destructor == sock_wfree ||
	       (skb->sk && sk_fullsock(skb->sk) && sk_is_tcp(skb->sk));
}

/**
 * optsample_stall_release - account a packet that leaves a careful qdisc
 * @sch: the qdisc, locked
 * @skb: the packet
 */
void optsample_stall_release(struct Qdisc *sch, struct sk_buff *skb)
{
	struct optsample_sched *q = qdisc_priv(sch);
	struct optsample_stall *st = &q->stall;

	if (st->below && optsample_may_own(skb)) {
		/* Nothing is left below: what was miscounted is settled. */
		if (!sk_wmem_alloc_get(st->below))
			atomic_set(&optsample_below_of(st->below)->packets, 0);
		skb_set_owner_w(skb, st->below);
		atomic_inc(&optsample_below_of(st->below)->packets);
	}
	if (q->cfg.rate) {
		u64 from = max(st->next_ns,
			       ktime_get_ns() - OPTSAMPLE_RATE_SLACK_NS);

		st->last_len = qdisc_pkt_len(skb);
		st->next_ns = from + psched_l2t_ns(&st->rate, st->last_len);
	}
}
