/* SPDX-License-Identifier: GPL-2.0 */
/* Packets in flight: their accounts, and what dequeue does for each packet */
#ifndef OPTSAMPLE_INFLIGHT_H
#define OPTSAMPLE_INFLIGHT_H

#include <net/inet_sock.h>
#include "optsample.h"

/**
 * struct optsample_below - owner of packets below one qdisc
 * @inet:	the socket; its sk_user_data is the qdisc while alive (RCU).
 *		An inet socket, because IP output below a tunnel takes the
 *		owner of any packet for one and reads its options: all zero
 * @packets:	packets in flight; too few if a layer below makes fragments
 * @done:	when a packet was last freed, jiffies
 * @waiting:	schedule the qdisc when a packet is freed
 * @reopened:	a packet was freed while @waiting; written in any context
 */
struct optsample_below {
	struct inet_sock	inet;	/* must be first */
	atomic_t		packets;
	unsigned long		done;
	bool			waiting;
	bool			reopened;
};

/**
 * struct optsample_account - packets in flight to one destination, or to all
 * @hash:	entry in optsample_inflight.dests
 * @blocked:	entry in optsample_inflight.blocked while @parked has flows
 * @parked:	flows that wait for this account
 * @sk:		owner of the packets
 * @addr:	link address of the destination
 * @full:	the limit was reached
 * @since:	when the limit was reached, jiffies
 * @largest:	truesize of the largest packet since nothing was in flight
 * @dql:	limit of `auto`, bytes of truesize
 */
struct optsample_account {
	struct hlist_node	hash;
	struct list_head	blocked;
	struct list_head	parked;
	struct sock		*sk;
	u8			addr[ETH_ALEN];
	bool			full;
	unsigned long		since;
	u32			largest;
	struct dql		dql;
};

struct optsample_account *optsample_account_alloc(struct Qdisc *sch, gfp_t gfp);
void optsample_inflight_configure(struct optsample_sched *q,
				  const struct optsample_config *cfg,
				  struct optsample_account *all);
void optsample_inflight_destroy(struct optsample_sched *q);
bool optsample_inflight_full(struct optsample_sched *q);
struct list_head *optsample_inflight_blocks(struct optsample_sched *q,
					    const struct sk_buff *skb);
bool optsample_inflight_parked(const struct optsample_sched *q);
void optsample_inflight_reopen(struct optsample_sched *q, bool all);
bool optsample_inflight_busy(struct optsample_sched *q,
			     const struct sk_buff *skb);
void optsample_inflight_ask(struct optsample_sched *q, bool ask);
bool optsample_inflight_may_own(const struct sk_buff *skb);
void optsample_inflight_own(struct optsample_sched *q, struct sk_buff *skb);
void optsample_inflight_disown(struct optsample_sched *q, struct sk_buff *skb);
u32 optsample_inflight_packets(const struct optsample_sched *q);
u32 optsample_inflight_bytes(const struct optsample_sched *q);
u32 optsample_inflight_dests(const struct optsample_sched *q);
u32 optsample_inflight_limit(const struct optsample_sched *q);

/* Is there a limit on packets in flight? */
static inline bool optsample_inflight_wanted(const struct optsample_config *cfg)
{
	return cfg->inflight_packets || cfg->inflight_bytes ||
	       cfg->inflight_auto;
}

/* May packets have to be owned below, to be counted or reported? */
static inline bool optsample_inflight_owns(const struct optsample_config *cfg)
{
	return optsample_inflight_wanted(cfg) || cfg->recall;
}

/* Are packets owned below now? */
static inline bool optsample_inflight_owning(const struct optsample_sched *q)
{
	return optsample_inflight_wanted(&q->cfg) || q->stall.recalls;
}

static inline struct optsample_below *optsample_below_of(const struct sock *sk)
{
	return container_of(sk, struct optsample_below, inet.sk);
}

static inline u32 optsample_account_bytes(const struct optsample_account *a)
{
	return sk_wmem_alloc_get(a->sk);
}

/*
 * Are so many packets in flight? Without a division, and not too late if the
 * count is too small, see optsample_account_packets()
 */
static inline bool optsample_account_reached(const struct optsample_account *a,
					     u32 limit, u32 bytes)
{
	return atomic_read(&optsample_below_of(a->sk)->packets) >= (int)limit ||
	       (bytes && bytes >= (u64)limit * a->largest);
}

/*
 * Count a packet without owner until it is freed. It is what skb_set_owner_w()
 * does for a socket without options, without a call for each packet.
 */
static inline void optsample_account_add(struct optsample_account *a,
					 struct sk_buff *skb)
{
	struct optsample_below *below = optsample_below_of(a->sk);

	/* Nothing is in flight: reset a count that fragments falsified. */
	if (!optsample_account_bytes(a)) {
		atomic_set(&below->packets, 0);
		a->largest = 0;
	}
	a->largest = max(a->largest, skb->truesize);
	skb->sk = a->sk;
	skb->destructor = sock_wfree;
	refcount_add(skb->truesize, &a->sk->sk_wmem_alloc);
	atomic_inc(&below->packets);
}

/**
 * optsample_inflight_steady - may a packet leave without a closer look?
 * @q: private data of the qdisc, locked, steady
 */
static inline bool optsample_inflight_steady(const struct optsample_sched *q)
{
	const struct optsample_account *a = q->stall.inflight.all;
	u32 limit = q->cfg.inflight_packets;

	return !limit ||
	       !optsample_account_reached(a, limit, optsample_account_bytes(a));
}

/**
 * optsample_inflight_steady_own - optsample_inflight_own(), mostly inlined
 * @q: private data of the qdisc, locked, steady
 * @skb: the packet
 */
static inline void optsample_inflight_steady_own(struct optsample_sched *q,
						 struct sk_buff *skb)
{
	if (!q->cfg.inflight_packets)
		return;
	if (likely(!skb->destructor && !skb->sk))
		optsample_account_add(q->stall.inflight.all, skb);
	else
		optsample_inflight_own(q, skb);
}

/*
 * Do lower layers need the sender's socket? Time stamps and Wi-Fi status are
 * delivered to it, and etf reads the clock of the transmit time from it.
 */
static inline bool optsample_needs_sender(const struct sk_buff *skb)
{
	const struct sock *sk = skb->sk;

	if (!sk)
		return false;
	return skb_shinfo(skb)->tx_flags & SKBTX_ANY_TSTAMP ||
	       (sk_fullsock(sk) && (sock_flag(sk, SOCK_TXTIME) ||
				    sock_flag(sk, SOCK_WIFI_STATUS)));
}

/*
 * Held packets must not count in the sender's socket buffer: the sender would
 * block, and the sampler would have nothing to choose from. TCP needs this
 * accounting for its small queues, and packet rings own the packet's memory;
 * both have other destructors.
 */
static inline void optsample_orphan(struct sk_buff *skb)
{
	if (skb->destructor == sock_wfree && !optsample_needs_sender(skb))
		skb_orphan(skb);
}

#endif
