// SPDX-License-Identifier: GPL-2.0
/*
 * What is in flight: handed down by the qdisc and not yet freed.
 *
 * Every packet handed down is owned by a socket of the qdisc, so the stack's
 * own write accounting (sock_wfree, also across GSO segmentation) says how
 * much is below and calls back when some of it is gone. The socket lives until
 * the last packet is freed and holds the module, so neither can vanish under
 * a driver.
 */
#include <linux/netdevice.h>
#include <net/inet_sock.h>
#include "optsample.h"

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

/* Any context that frees packets; called by sock_wfree() once for each. */
static void optsample_below_freed(struct sock *sk)
{
	struct optsample_below *below = optsample_below_of(sk);
	struct Qdisc *sch;

	atomic_dec(&below->packets);
	smp_mb__after_atomic();	/* pairs with optsample_inflight_full() */
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

/**
 * optsample_below_release - the qdisc is done with the owner of its packets
 * @sk: from optsample_below_alloc()
 */
void optsample_below_release(struct sock *sk)
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

/**
 * optsample_inflight_full - is as much in flight as may be?
 * @q: private data of the qdisc, locked
 *
 * Return: true if so; the qdisc is scheduled when that may have changed.
 */
bool optsample_inflight_full(const struct optsample_sched *q)
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
 * optsample_inflight_own - a packet leaves: count it until it is freed
 * @q: private data of the qdisc, locked
 * @skb: the packet
 */
void optsample_inflight_own(struct optsample_sched *q, struct sk_buff *skb)
{
	struct sock *sk = q->stall.below;

	if (!sk || !optsample_may_own(skb))
		return;
	/* Nothing is left below: what was miscounted is settled. */
	if (!sk_wmem_alloc_get(sk))
		atomic_set(&optsample_below_of(sk)->packets, 0);
	skb_set_owner_w(skb, sk);
	atomic_inc(&optsample_below_of(sk)->packets);
}
