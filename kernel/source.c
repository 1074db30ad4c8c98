// SPDX-License-Identifier: GPL-2.0
/*
 * The source address of packets: that of the device when they leave, which may
 * be another one than when they came.
 */
#include <linux/etherdevice.h>
#include "optsample.h"

/* Forget @addr, or the oldest one if there is no room for another one. */
static void optsample_former_remove(struct optsample_source *s, const u8 *addr)
{
	u8 i = 0;

	while (i < s->nformer && !ether_addr_equal(s->former[i], addr))
		i++;
	if (i == s->nformer) {
		if (s->nformer < OPTSAMPLE_FORMER)
			return;
		i = 0;
	}
	s->nformer--;
	memmove(s->former[i], s->former[i + 1],
		(s->nformer - i) * sizeof(s->former[0]));
}

/**
 * optsample_source_look - store the link address of the device
 * @q: private data of the qdisc, locked
 * @dev: the device whose link counts, of Ethernet
 *
 * Waiting packets may have the former one.
 */
void optsample_source_look(struct optsample_sched *q,
			   const struct net_device *dev)
{
	struct optsample_source *s = &q->stall.source;

	if (s->known && ether_addr_equal(s->addr, dev->dev_addr))
		return;
	optsample_former_remove(s, dev->dev_addr);
	if (s->known)
		ether_addr_copy(s->former[s->nformer++], s->addr);
	ether_addr_copy(s->addr, dev->dev_addr);
	s->known = true;
}

/**
 * optsample_source_put - put the device's address into a packet that leaves
 * @sch: the qdisc, locked
 * @skb: the packet
 *
 * A network manager gives an interface a random address while it scans. An
 * access point drops frames whose source is not the station's address. Other
 * sources, such as those of a bridge, stay.
 */
void optsample_source_put(struct Qdisc *sch, struct sk_buff *skb)
{
	struct optsample_sched *q = qdisc_priv(sch);
	const struct optsample_source *s = &q->stall.source;
	const struct ethhdr *eth = (const struct ethhdr *)skb->data;
	u8 i = 0;

	/* ARP also has the address in its body: let it be dropped. */
	if (skb_headlen(skb) < ETH_HLEN || eth->h_proto == htons(ETH_P_ARP) ||
	    ether_addr_equal_unaligned(eth->h_source, s->addr))
		return;
	while (i < s->nformer &&
	       !ether_addr_equal_unaligned(eth->h_source, s->former[i]))
		i++;
	if (i == s->nformer || skb_ensure_writable(skb, ETH_HLEN))
		return;
	memcpy(((struct ethhdr *)skb->data)->h_source, s->addr, ETH_ALEN);
}
