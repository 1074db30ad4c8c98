// SPDX-License-Identifier: GPL-2.0
/*
 * Packets in flight: sent by the qdisc and not yet freed.
 *
 * A socket of the qdisc owns every packet that leaves, so the stack's write
 * accounting (sock_wfree, also across GSO segmentation) counts the bytes below
 * and calls back when a packet is freed. The socket lives until the last packet
 * is freed and holds the module, so neither can go away under a driver.
 *
 * Normally there is one account for all packets. If the radio has several
 * stations (AP, mesh, IBSS), there is one for each destination address, so that
 * a sleeping station does not block the others. The limit is a number of
 * packets or bytes, or adapts (auto): the kernel's dynamic queue limits find
 * the fewest bytes that keep the driver busy.
 */
#include <linux/etherdevice.h>
#include <linux/netdevice.h>
#include "inflight.h"
#include "optsample.h"

enum {
	OPTSAMPLE_STUCK_SECONDS = 10,	/* no completion: reset the count */
};

static struct proto optsample_below_proto = {
	.name		= "OPTSAMPLE",
	.owner		= THIS_MODULE,
	.obj_size	= sizeof(struct optsample_below),
};

/* Called by sock_wfree() for each packet freed; any context */
static void optsample_below_freed(struct sock *sk)
{
	struct optsample_below *below = optsample_below_of(sk);
	struct optsample_sched *q;
	struct Qdisc *sch;

	atomic_dec(&below->packets);
	WRITE_ONCE(below->done, jiffies);
	smp_mb__after_atomic();	/* pairs with optsample_account_full() */
	if (!READ_ONCE(below->waiting))
		return;
	rcu_read_lock();
	sch = rcu_dereference_sk_user_data(sk);
	if (sch) {
		q = qdisc_priv(sch);
		WRITE_ONCE(below->reopened, true);
		smp_wmb();	/* pairs with optsample_inflight_reopen() */
		WRITE_ONCE(q->stall.inflight.reopened, true);
		optsample_kick(sch);
	}
	rcu_read_unlock();
}

/*
 * Queue a report of mac80211, @skb without an owner, for the next dequeue. Any
 * context; RCU.
 */
static void optsample_below_report(struct Qdisc *sch, struct sk_buff *skb)
{
	struct optsample_sched *q = qdisc_priv(sch);
	struct optsample_recall *r = &q->stall.recall;
	bool first, gone;
	unsigned long flags;

	spin_lock_irqsave(&r->reports.lock, flags);
	gone = r->gone;
	first = skb_queue_empty(&r->reports);
	gone |= !READ_ONCE(q->stall.recalls);
	if (!gone)
		__skb_queue_tail(&r->reports, skb);
	spin_unlock_irqrestore(&r->reports.lock, flags);
	if (gone)
		kfree_skb(skb);
	else if (first)
		optsample_kick(sch);
}

/* Reports are clones of packets, owned by the socket; any context */
static void optsample_below_reported(struct sock *sk)
{
	struct sk_buff *skb;
	struct Qdisc *sch;

	rcu_read_lock();
	sch = rcu_dereference_sk_user_data(sk);
	while ((skb = skb_dequeue(&sk->sk_error_queue))) {
		skb_orphan(skb);
		if (sch && optsample_has_status(skb))
			optsample_below_report(sch, skb);
		else
			kfree_skb(skb);
	}
	rcu_read_unlock();
}

/* For kernels where the socket asks, see optsample_ask_status() */
static void optsample_sock_ask(struct sock *sk, bool ask)
{
	sock_valbool_flag(sk, SOCK_WIFI_STATUS, ask);
}

/*
 * In the initial namespace, not the device's: packets may outlive that one.
 */
static struct sock *optsample_below_alloc(struct Qdisc *sch, gfp_t gfp)
{
	struct sock *sk = sk_alloc(&init_net, AF_UNSPEC, gfp,
				   &optsample_below_proto, 1);
	struct optsample_sched *q = qdisc_priv(sch);

	if (!sk)
		return NULL;
	sock_init_data(NULL, sk);
	sk->sk_write_space = optsample_below_freed;
	sk->sk_error_report = optsample_below_reported;
	sk->sk_rcvbuf = INT_MAX / 2;	/* reports are processed at once */
	optsample_sock_ask(sk, q->stall.recalls);
	optsample_below_of(sk)->done = jiffies;
	rcu_assign_sk_user_data(sk, sch);
	return sk;
}

static void optsample_below_release(struct sock *sk)
{
	rcu_assign_sk_user_data(sk, NULL);
	sock_put(sk);	/* netem and time stamps may hold references */
}

/**
 * optsample_account_alloc - allocate an account
 * @sch: the qdisc
 * @gfp: context of the allocation
 *
 * Return: the account, or NULL if there is no memory.
 */
struct optsample_account *optsample_account_alloc(struct Qdisc *sch, gfp_t gfp)
{
	struct optsample_account *a = kzalloc(sizeof(*a), gfp | __GFP_NOWARN);

	if (!a)
		return NULL;
	a->sk = optsample_below_alloc(sch, gfp | __GFP_NOWARN);
	if (!a->sk) {
		kfree(a);
		return NULL;
	}
	INIT_LIST_HEAD(&a->blocked);
	INIT_LIST_HEAD(&a->parked);
	if (IS_ENABLED(CONFIG_DQL))
		dql_init(&a->dql, HZ);
	return a;
}

/* Let the flows that waited for this account take turns again. */
static void optsample_account_unpark(struct optsample_sched *q,
				     struct optsample_account *a)
{
	WRITE_ONCE(optsample_below_of(a->sk)->reopened, false);
	list_splice_tail_init(&a->parked, &q->unparked);
	list_del_init(&a->blocked);
}

static void optsample_account_free(struct optsample_sched *q,
				   struct optsample_account *a)
{
	optsample_account_unpark(q, a);
	optsample_below_release(a->sk);
	kfree(a);
}

/*
 * Numbers
 */

/*
 * Fragments made below are freed without having been counted, so the count may
 * be too small, even negative. The bytes give a lower bound.
 */
static u32 optsample_account_packets(const struct optsample_account *a)
{
	int counted = atomic_read(&optsample_below_of(a->sk)->packets);
	int least = a->largest ? optsample_account_bytes(a) / a->largest : 0;

	return max(counted, least);
}

static u32 optsample_sum(const struct optsample_sched *q,
			 u32 (*of)(const struct optsample_account *a))
{
	const struct optsample_inflight *in = &q->stall.inflight;
	const struct optsample_account *a;
	u32 i, sum;

	if (!in->all)
		return 0;
	sum = of(in->all);
	for (i = 0; i < ARRAY_SIZE(in->dests); i++)
		hlist_for_each_entry(a, &in->dests[i], hash)
			sum += of(a);
	return sum;
}

u32 optsample_inflight_packets(const struct optsample_sched *q)
{
	return optsample_sum(q, optsample_account_packets);
}

u32 optsample_inflight_bytes(const struct optsample_sched *q)
{
	return optsample_sum(q, optsample_account_bytes);
}

static u32 optsample_account_used(const struct optsample_account *a)
{
	return optsample_account_bytes(a) != 0;
}

/* Number of destinations with packets in flight */
u32 optsample_inflight_dests(const struct optsample_sched *q)
{
	return q->stall.by_dest ? optsample_sum(q, optsample_account_used) : 0;
}

static u32 optsample_account_limit(const struct optsample_account *a)
{
	return a->dql.limit;
}

/* Bytes that `auto` currently allows, summed over all accounts */
u32 optsample_inflight_limit(const struct optsample_sched *q)
{
	return q->cfg.inflight_auto ?
	       optsample_sum(q, optsample_account_limit) : 0;
}

/*
 * Limits
 */

/* Never complete more bytes than were queued, as fragments would. */
static bool optsample_dql_over(struct optsample_account *a)
{
	u32 out = a->dql.num_queued - a->dql.num_completed;
	u32 below = min(optsample_account_bytes(a), out);

	if (!IS_ENABLED(CONFIG_DQL))
		return false;
	if (below < out)
		dql_completed(&a->dql, out - below);
	return dql_avail(&a->dql) < 0;
}

static void optsample_dql_queued(struct optsample_account *a, u32 bytes)
{
	dql_queued(&a->dql, min_t(u32, bytes, DQL_MAX_OBJECT));
}

static bool optsample_account_over(const struct optsample_sched *q,
				   struct optsample_account *a)
{
	const struct optsample_config *cfg = &q->cfg;
	u32 bytes = optsample_account_bytes(a);

	/* The last byte is only returned after optsample_below_freed(). */
	return (cfg->inflight_packets &&
		optsample_account_reached(a, cfg->inflight_packets, bytes)) ||
	       (cfg->inflight_bytes && bytes > cfg->inflight_bytes) ||
	       (cfg->inflight_auto && optsample_dql_over(a));
}

/* Was no packet freed for so long? */
static bool optsample_account_stuck(const struct optsample_account *a,
				    unsigned long jiffies_long)
{
	unsigned long done = READ_ONCE(optsample_below_of(a->sk)->done);

	return time_after(jiffies, a->since + jiffies_long) &&
	       time_after(jiffies, done + jiffies_long);
}

/*
 * A driver that never completes its packets, or lost some of them, must not
 * stop the link for ever: reset the count.
 */
static bool optsample_account_anew(struct optsample_sched *q,
				   struct optsample_account *a)
{
	struct Qdisc *sch = q->stall.watchdog.qdisc;
	struct sock *sk = optsample_below_alloc(sch, GFP_ATOMIC | __GFP_NOWARN);

	if (!sk)
		return false;
	optsample_below_release(a->sk);
	a->sk = sk;
	a->full = false;
	a->largest = 0;
	if (IS_ENABLED(CONFIG_DQL))
		dql_reset(&a->dql);
	q->stall.inflight.recounts++;
	optsample_account_unpark(q, a);
	return true;
}

/* Return: true if full; the qdisc is scheduled when that may change */
static bool optsample_account_full(struct optsample_sched *q,
				   struct optsample_account *a)
{
	struct optsample_below *below = optsample_below_of(a->sk);

	if (likely(!optsample_account_over(q, a))) {
		if (unlikely(below->waiting))
			WRITE_ONCE(below->waiting, false);
		a->full = false;
		return false;
	}
	if (!a->full)
		a->since = jiffies;
	a->full = true;
	WRITE_ONCE(below->waiting, true);
	smp_mb();	/* the last packet may have gone before we waited */
	if (!optsample_account_over(q, a)) {
		a->full = false;
		return false;
	}
	return !(optsample_account_stuck(a, OPTSAMPLE_STUCK_SECONDS * HZ) &&
		 optsample_account_anew(q, a));
}

/**
 * optsample_inflight_full - is the limit reached, with one account for all?
 * @q: private data of the qdisc, locked
 *
 * Return: true if so; the qdisc is scheduled when that may change.
 */
bool optsample_inflight_full(struct optsample_sched *q)
{
	struct optsample_account *all = q->stall.inflight.all;

	return all && optsample_account_full(q, all);
}

/*
 * Destinations
 */

static struct hlist_head *optsample_dest_bucket(struct optsample_inflight *in,
						const u8 *addr)
{
	return &in->dests[(addr[3] ^ addr[4] ^ addr[5]) %
			  ARRAY_SIZE(in->dests)];
}

/* Free the accounts of destinations without packets in flight. */
static void optsample_dests_tidy(struct optsample_sched *q, bool all)
{
	struct optsample_inflight *in = &q->stall.inflight;
	struct optsample_account *a;
	struct hlist_node *next;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(in->dests); i++)
		hlist_for_each_entry_safe(a, next, &in->dests[i], hash) {
			if (!all && optsample_account_bytes(a))
				continue;
			hlist_del(&a->hash);
			optsample_account_free(q, a);
			in->ndests--;
		}
}

static struct optsample_account *
optsample_dest_new(struct optsample_sched *q, const u8 *addr)
{
	struct optsample_inflight *in = &q->stall.inflight;
	struct optsample_account *a;

	if (in->ndests >= OPTSAMPLE_DESTS_MAX)
		optsample_dests_tidy(q, false);
	if (in->ndests >= OPTSAMPLE_DESTS_MAX)
		return in->all;
	a = optsample_account_alloc(q->stall.watchdog.qdisc, GFP_ATOMIC);
	if (!a)
		return in->all;
	ether_addr_copy(a->addr, addr);
	hlist_add_head(&a->hash, optsample_dest_bucket(in, addr));
	in->ndests++;
	return a;
}

/* The account that a packet counts in */
static struct optsample_account *
optsample_account_of(struct optsample_sched *q, const struct sk_buff *skb)
{
	struct optsample_inflight *in = &q->stall.inflight;
	u8 addr[ETH_ALEN] __aligned(2);
	struct optsample_account *a;

	if (likely(!q->stall.by_dest) || skb_headlen(skb) < ETH_HLEN)
		return in->all;
	memcpy(addr, skb->data, ETH_ALEN);
	hlist_for_each_entry(a, optsample_dest_bucket(in, addr), hash)
		if (ether_addr_equal(a->addr, addr))
			return a;
	return optsample_dest_new(q, addr);
}

/**
 * optsample_inflight_blocks - must a packet wait for its destination?
 * @q: private data of the qdisc, locked, with an account for each destination
 * @skb: the packet
 *
 * Return: the list where its flow waits, or NULL. The qdisc is scheduled when
 * that may change.
 */
struct list_head *optsample_inflight_blocks(struct optsample_sched *q,
					    const struct sk_buff *skb)
{
	struct optsample_account *a = optsample_account_of(q, skb);

	if (!optsample_account_full(q, a))
		return NULL;
	if (list_empty(&a->blocked))
		list_add_tail(&a->blocked, &q->stall.inflight.blocked);
	return &a->parked;
}

/**
 * optsample_inflight_parked - does any flow wait for its destination?
 * @q: private data of the qdisc, locked
 */
bool optsample_inflight_parked(const struct optsample_sched *q)
{
	const struct optsample_account *a;

	list_for_each_entry(a, &q->stall.inflight.blocked, blocked)
		if (!list_empty(&a->parked))
			return true;
	return false;
}

/**
 * optsample_inflight_reopen - unpark flows whose destination is not full
 * @q: private data of the qdisc, locked; the flows go to @unparked
 * @all: unpark all flows, whatever their destination
 */
void optsample_inflight_reopen(struct optsample_sched *q, bool all)
{
	struct optsample_inflight *in = &q->stall.inflight;
	struct optsample_account *a, *next;

	if (!all && !READ_ONCE(in->reopened))
		return;
	WRITE_ONCE(in->reopened, false);
	smp_mb();	/* pairs with optsample_below_freed() */
	list_for_each_entry_safe(a, next, &in->blocked, blocked)
		if (all || READ_ONCE(optsample_below_of(a->sk)->reopened))
			optsample_account_unpark(q, a);
}

/**
 * optsample_inflight_busy - must a packet wait for an awake destination?
 * @q: private data of the qdisc, locked, with an account for each destination
 * @skb: the packet
 *
 * Return: true if its destination is full and not asleep.
 */
bool optsample_inflight_busy(struct optsample_sched *q,
			     const struct sk_buff *skb)
{
	struct optsample_account *a = optsample_account_of(q, skb);

	return optsample_account_full(q, a) &&
	       !optsample_account_stuck(a,
					msecs_to_jiffies(OPTSAMPLE_ASLEEP_MS));
}

/* May the qdisc own the packet? Not if a packet ring owns its memory. */
bool optsample_inflight_may_own(const struct sk_buff *skb)
{
	if (optsample_needs_sender(skb))
		return false;
	return !skb->destructor || skb->destructor == sock_wfree ||
	       (skb->sk && sk_fullsock(skb->sk) && sk_is_tcp(skb->sk));
}

/**
 * optsample_inflight_ask - request reports from mac80211
 * @q: private data of the qdisc, locked
 * @ask: false: stop it
 */
void optsample_inflight_ask(struct optsample_sched *q, bool ask)
{
	struct optsample_inflight *in = &q->stall.inflight;
	struct optsample_account *a;
	u32 i;

	if (!in->all)
		return;
	optsample_sock_ask(in->all->sk, ask);
	for (i = 0; i < ARRAY_SIZE(in->dests); i++)
		hlist_for_each_entry(a, &in->dests[i], hash)
			optsample_sock_ask(a->sk, ask);
}

/**
 * optsample_inflight_own - a packet leaves: count it until it is freed
 * @q: private data of the qdisc, locked
 * @skb: the packet
 */
void optsample_inflight_own(struct optsample_sched *q, struct sk_buff *skb)
{
	struct optsample_account *a;

	if (!optsample_inflight_owning(q) || !optsample_inflight_may_own(skb))
		return;
	a = optsample_account_of(q, skb);
	if (unlikely(a->full && q->stall.by_dest))
		return;		/* ordinary traffic to a sleeping station */
	skb_orphan(skb);
	optsample_account_add(a, skb);
	if (q->cfg.inflight_auto)
		optsample_dql_queued(a, skb->truesize);
}

/**
 * optsample_inflight_disown - stop to count a packet that was requeued
 * @q: private data of the qdisc, locked
 * @skb: the packet
 */
void optsample_inflight_disown(struct optsample_sched *q, struct sk_buff *skb)
{
	/* Only a full socket has a write space; others are shorter. */
	if (q->stall.inflight.all && skb->destructor == sock_wfree &&
	    skb->sk->sk_write_space == optsample_below_freed)
		skb_orphan(skb);
}

/**
 * optsample_inflight_configure - apply a new limit
 * @q: private data of the qdisc; RTNL and tree lock
 * @cfg: the new configuration, not yet in place
 * @all: from optsample_account_alloc() if there is a limit and was none, else
 *	 NULL; belongs to the qdisc from now on
 */
void optsample_inflight_configure(struct optsample_sched *q,
				  const struct optsample_config *cfg,
				  struct optsample_account *all)
{
	struct optsample_inflight *in = &q->stall.inflight;

	if (all)
		in->all = all;
	else if (in->all && !optsample_inflight_owns(cfg))
		optsample_inflight_destroy(q);
	optsample_inflight_reopen(q, true);
}

void optsample_inflight_destroy(struct optsample_sched *q)
{
	struct optsample_inflight *in = &q->stall.inflight;

	if (!in->all)
		return;
	optsample_dests_tidy(q, true);
	optsample_account_free(q, in->all);
	in->all = NULL;
}
