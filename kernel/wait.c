// SPDX-License-Identifier: GPL-2.0
/*
 * Ordinary traffic while the link is stalled.
 *
 * A command that waited through an outage is dangerous: its receiver cannot
 * tell that it is old. So ordinary packets live for optsample_config.age_ms,
 * except those that reliable protocols and the network itself need to recover.
 *
 * Packets wait in two lists instead of the child, whose order is its own
 * affair. @young holds what came within the last age_ms, oldest first. A packet
 * that grows older is dropped, or moves on to @lasting. When the link moves
 * again, @lasting and then @young go to the child: the order is kept.
 *
 * Both lists together hold as many packets as the default child would
 * (ordinary), and a quarter of memlimit.
 */
#include <linux/icmp.h>
#include <linux/icmpv6.h>
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include "inflight.h"
#include "ordinary.h"

/**
 * struct optsample_wait_cb - in the control block of a packet that waits
 * @since:	when it came, jiffies
 * @lasting:	it is not dropped by age
 */
struct optsample_wait_cb {
	unsigned long	since;
	bool		lasting;
};

static struct optsample_wait_cb *optsample_wait_cb(const struct sk_buff *skb)
{
	qdisc_cb_private_validate(skb, sizeof(struct optsample_wait_cb));
	return (void *)qdisc_skb_cb(skb)->data;
}

/*
 * Which packets last
 */

/* DHCP and DHCPv6: the link may come back with another address. */
static bool optsample_is_dhcp(const struct sk_buff *skb, int offset)
{
	struct udphdr buf;
	const struct udphdr *udp;

	udp = skb_header_pointer(skb, offset, sizeof(buf), &buf);
	if (!udp)
		return false;
	switch (ntohs(udp->dest)) {
	case 67:
	case 68:
	case 546:
	case 547:
		return true;
	}
	return false;
}

/* A transport that repairs losses itself, and discards what is too old? */
static bool optsample_is_reliable(u8 protocol)
{
	return protocol == IPPROTO_TCP || protocol == IPPROTO_SCTP;
}

/* Errors, neighbour discovery and multicast listeners, but no echo */
static bool optsample_is_icmp(const struct sk_buff *skb, int offset,
			      u8 request, u8 reply)
{
	u8 buf;
	const u8 *type = skb_header_pointer(skb, offset, sizeof(buf), &buf);

	return type && *type != request && *type != reply;
}

static bool optsample_lasts_ipv4(const struct sk_buff *skb, int offset)
{
	struct iphdr buf;
	const struct iphdr *ip;

	ip = skb_header_pointer(skb, offset, sizeof(buf), &buf);
	if (!ip)
		return false;
	if (optsample_is_reliable(ip->protocol) || ip->protocol == IPPROTO_IGMP)
		return true;
	/* A later fragment has neither type nor ports. */
	if (ip->frag_off & htons(IP_OFFSET))
		return false;
	offset += ip->ihl * 4;
	return ip->protocol == IPPROTO_ICMP ?
		       optsample_is_icmp(skb, offset, ICMP_ECHO,
					 ICMP_ECHOREPLY) :
	       ip->protocol == IPPROTO_UDP && optsample_is_dhcp(skb, offset);
}

static bool optsample_lasts_ipv6(const struct sk_buff *skb, int offset)
{
	struct ipv6hdr buf;
	const struct ipv6hdr *ip;
	__be16 frag = 0;
	u8 protocol;

	ip = skb_header_pointer(skb, offset, sizeof(buf), &buf);
	if (!ip)
		return false;
	protocol = ip->nexthdr;
	offset = ipv6_skip_exthdr(skb, offset + sizeof(buf), &protocol, &frag);
	if (optsample_is_reliable(protocol))
		return true;
	if (offset < 0 || frag & htons(IP6_OFFSET))
		return false;
	return protocol == IPPROTO_ICMPV6 ?
		       optsample_is_icmp(skb, offset, ICMPV6_ECHO_REQUEST,
					 ICMPV6_ECHO_REPLY) :
	       protocol == IPPROTO_UDP && optsample_is_dhcp(skb, offset);
}

/* Is this a packet without which connections or the network do not recover? */
static bool optsample_lasts(const struct sk_buff *skb)
{
	int offset = skb_network_offset(skb), depth = offset;
	__be16 type = skb->protocol;

	if (eth_type_vlan(type)) {
		type = __vlan_get_protocol(skb, type, &depth);
		offset = max(offset, depth);
	}
	switch (type) {
	case htons(ETH_P_IP):
		return optsample_lasts_ipv4(skb, offset);
	case htons(ETH_P_IPV6):
		return optsample_lasts_ipv6(skb, offset);
	case htons(ETH_P_ARP):
	case htons(ETH_P_RARP):
	case htons(ETH_P_PAE):
	case htons(ETH_P_PREAUTH):
	case htons(ETH_P_TDLS):
		return true;
	}
	return false;
}

/*
 * The lists
 */

static void optsample_wait_drop(struct optsample_sched *q,
				struct sk_buff_head *from, struct sk_buff *skb,
				struct optsample_loss *loss)
{
	__skb_unlink(skb, from);
	q->ordinary.memory -= skb->truesize;
	loss->packets++;
	loss->bytes += qdisc_pkt_len(skb);
	if (skb == loss->own)
		loss->own_lost = true;
	__qdisc_drop(skb, loss->to_free);
}

/* What has become too old is dropped, or lasts. */
static void optsample_wait_expire(struct optsample_sched *q,
				  struct optsample_loss *loss)
{
	unsigned long age = msecs_to_jiffies(q->cfg.age_ms);
	struct optsample_ordinary *o = &q->ordinary;
	struct optsample_wait_cb *cb;
	struct sk_buff *skb;

	if (!age)
		return;
	while ((skb = skb_peek(&o->young))) {
		cb = optsample_wait_cb(skb);
		if (!time_after(jiffies, cb->since + age))
			break;
		if (cb->lasting) {
			__skb_unlink(skb, &o->young);
			__skb_queue_tail(&o->lasting, skb);
		} else {
			tcf_set_qdisc_drop_reason(skb, QDISC_DROP_OVERLIMIT);
			o->aged++;
			optsample_wait_drop(q, &o->young, skb, loss);
		}
	}
}

static bool optsample_wait_over(const struct optsample_sched *q)
{
	const struct optsample_ordinary *o = &q->ordinary;

	return o->young.qlen + o->lasting.qlen > q->cfg.ordinary ||
	       o->memory > q->cfg.memlimit / 4;
}

/* Make room: the oldest packets that need not last go first. */
static void optsample_wait_trim(struct optsample_sched *q,
				struct optsample_loss *loss)
{
	struct optsample_ordinary *o = &q->ordinary;
	struct sk_buff_head *from;
	struct sk_buff *skb;

	while (optsample_wait_over(q)) {
		from = o->young.qlen > 1 || !o->lasting.qlen ? &o->young :
							       &o->lasting;
		skb = skb_peek(from);
		if (from == &o->young && o->young.qlen > 1 &&
		    optsample_wait_cb(skb)->lasting) {
			__skb_unlink(skb, from);
			__skb_queue_tail(&o->lasting, skb);
			continue;
		}
		o->crowded++;
		optsample_wait_drop(q, from, skb, loss);
	}
}

/* @lasting: its classifier says so */
static void optsample_wait_add(struct optsample_sched *q, struct sk_buff *skb,
			       bool lasting)
{
	struct optsample_ordinary *o = &q->ordinary;
	struct optsample_wait_cb *cb = optsample_wait_cb(skb);

	if (o->may_orphan)
		optsample_orphan(skb);
	cb->since = jiffies;
	cb->lasting = lasting || optsample_lasts(skb);
	o->memory += skb->truesize;
	__skb_queue_tail(&o->young, skb);
}

/**
 * optsample_wait_enqueue - an ordinary packet comes while the link is stalled
 * @skb: the packet
 * @sch: the qdisc, locked
 * @to_free: list of packets that are dropped
 * @lasting: the packet must not be dropped by age, whatever it is
 *
 * Return: NET_XMIT_SUCCESS, or NET_XMIT_CN if it is dropped.
 */
int optsample_wait_enqueue(struct sk_buff *skb, struct Qdisc *sch,
			   struct sk_buff **to_free, bool lasting)
{
	struct optsample_sched *q = qdisc_priv(sch);
	struct optsample_loss loss = { .to_free = to_free, .own = skb };

	sch->q.qlen++;
	sch->qstats.backlog += qdisc_pkt_len(skb);
	optsample_wait_add(q, skb, lasting);
	optsample_wait_expire(q, &loss);
	optsample_wait_trim(q, &loss);
	return loss.packets ? optsample_settle_loss(sch, &loss) :
			      NET_XMIT_SUCCESS;
}

/**
 * optsample_wait_begin - the link is stalled: take all packets of the child
 * @sch: the qdisc, locked
 *
 * A child that shapes may keep some.
 */
void optsample_wait_begin(struct Qdisc *sch)
{
	struct optsample_sched *q = qdisc_priv(sch);
	struct Qdisc *child = q->ordinary.child;
	struct sk_buff *skb, *to_free = NULL;
	struct optsample_loss loss = { .to_free = &to_free };
	/* nothing has left */
	typeof(child->bstats) sent = child->bstats;
	u32 left = child->q.qlen;

	while (left-- && (skb = qdisc_dequeue_peeked(child)))
		optsample_wait_add(q, skb, false);
	child->bstats = sent;
	optsample_wait_trim(q, &loss);
	if (loss.packets)
		optsample_settle_loss(sch, &loss);
	kfree_skb_list(to_free);
}

/* Give a packet to the child, which may refuse it. */
static void optsample_wait_give(struct optsample_sched *q, struct sk_buff *skb,
				struct optsample_loss *loss)
{
	u32 len = qdisc_pkt_len(skb);

	q->ordinary.memory -= skb->truesize;
	if (qdisc_enqueue(skb, q->ordinary.child, loss->to_free) ==
	    NET_XMIT_SUCCESS)
		return;
	loss->packets++;
	loss->bytes += len;
}

/**
 * optsample_wait_end - the link moves: all that waits goes to the child
 * @sch: the qdisc, locked
 */
void optsample_wait_end(struct Qdisc *sch)
{
	struct optsample_sched *q = qdisc_priv(sch);
	struct optsample_ordinary *o = &q->ordinary;
	struct sk_buff *skb, *to_free = NULL;
	struct optsample_loss loss = { .to_free = &to_free };

	optsample_wait_expire(q, &loss);
	while ((skb = __skb_dequeue(&o->lasting)) ||
	       (skb = __skb_dequeue(&o->young)))
		optsample_wait_give(q, skb, &loss);
	if (loss.packets)
		optsample_settle_loss(sch, &loss);
	kfree_skb_list(to_free);
}

/**
 * optsample_wait_flush - drop all that waits, and count it
 * @q: private data of the qdisc, locked
 * @loss: where the packets go
 */
void optsample_wait_flush(struct optsample_sched *q,
			  struct optsample_loss *loss)
{
	struct optsample_ordinary *o = &q->ordinary;
	struct sk_buff *skb;

	o->crowded += o->young.qlen + o->lasting.qlen;
	while ((skb = skb_peek(&o->lasting)))
		optsample_wait_drop(q, &o->lasting, skb, loss);
	while ((skb = skb_peek(&o->young)))
		optsample_wait_drop(q, &o->young, skb, loss);
}

/* Free all that waits, without counting. */
void optsample_wait_purge(struct optsample_sched *q)
{
	__skb_queue_purge(&q->ordinary.lasting);
	__skb_queue_purge(&q->ordinary.young);
	q->ordinary.memory = 0;
}
