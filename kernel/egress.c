// SPDX-License-Identifier: GPL-2.0
/*
 * The link type optsample: a device that sends by another one, its link.
 *
 *	DEV, clsact egress --> opt-DEV: the qdisc --> DEV's qdisc and driver
 *
 * The qdisc is on a device that never loses its carrier. An ifb is one, too.
 * This one sends at once instead of in a tasklet, and may be redirected to by
 * BPF, which moves a packet with its socket instead of copying it.
 *
 * A packet that comes back to DEV has this device as its ingress interface, as
 * from an ifb, so that a filter there can pass it. The device itself never
 * receives.
 *
 * The link is below the device, as the stack sees it, so that no loop can be
 * made of them. A link that is deleted or moved to another namespace is none
 * any more, and the qdisc holds until there is another one.
 *
 * With a source address the device is keep-DEV: its packets get that address
 * and take the path of DEV's own, through DEV's filters.
 */
#include <linux/etherdevice.h>
#include <linux/if_arp.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <linux/u64_stats_sync.h>
#include <net/net_namespace.h>
#include <net/rtnetlink.h>
#include "optsample.h"

struct optsample_egress_stats {
	u64_stats_t		packets;
	u64_stats_t		bytes;
	u64_stats_t		dropped;
	struct u64_stats_sync	syncp;
};

/**
 * struct optsample_egress - private data of the device
 * @link:	its link, or NULL; RTNL
 * @source:	source address of all packets, as ether_addr_to_u64(), or 0
 * @stats:	for each CPU
 */
struct optsample_egress {
	struct net_device __rcu	*link;
	u64			source;
	struct optsample_egress_stats __percpu *stats;
};

#define OPTSAMPLE_EGRESS_FEATURES \
	(NETIF_F_HW_CSUM | NETIF_F_SG | NETIF_F_FRAGLIST | NETIF_F_HIGHDMA | \
	 NETIF_F_GSO_SOFTWARE | NETIF_F_GSO_ENCAP_ALL)

/* ifindex, 0: none */
static int optsample_egress_iflink(const struct net_device *dev)
{
	const struct optsample_egress *e = netdev_priv(dev);
	const struct net_device *link;
	int ifindex;

	rcu_read_lock();
	link = rcu_dereference(e->link);
	ifindex = link ? link->ifindex : 0;
	rcu_read_unlock();
	return ifindex;
}

static void optsample_egress_count(struct net_device *dev, unsigned int len,
				   bool sent)
{
	struct optsample_egress *e = netdev_priv(dev);
	struct optsample_egress_stats *s = this_cpu_ptr(e->stats);

	u64_stats_update_begin(&s->syncp);
	if (likely(sent)) {
		u64_stats_inc(&s->packets);
		u64_stats_add(&s->bytes, len);
	} else {
		u64_stats_inc(&s->dropped);
	}
	u64_stats_update_end(&s->syncp);
}

/*
 * The packet is the link's own. Return: false if it must be dropped: its
 * neighbour is unknown, for which this device's own address stands
 */
static bool optsample_egress_source(struct sk_buff *skb,
				    const struct net_device *dev, u64 source)
{
	struct ethhdr *eth;

	if (skb->len < ETH_HLEN || skb_ensure_writable(skb, ETH_HLEN))
		return false;
	eth = (struct ethhdr *)skb->data;
	if (ether_addr_equal_unaligned(eth->h_dest, dev->dev_addr))
		return false;
	u64_to_ether_addr(source, eth->h_source);
	return true;
}

/*
 * A packet of this device's own, as of IPv6: its address must not be seen on
 * the link. Packets of others were redirected, and have theirs.
 */
static bool optsample_egress_is_own(const struct sk_buff *skb,
				    const struct net_device *dev)
{
	const struct ethhdr *eth = (const struct ethhdr *)skb->data;

	return skb_headlen(skb) >= ETH_HLEN &&
	       ether_addr_equal_unaligned(eth->h_source, dev->dev_addr);
}

/*
 * Is it ready to be sent? A link that is down still gets the packets of
 * keep-DEV: its filters may hold them.
 */
static bool optsample_egress_prepare(struct sk_buff *skb,
				     const struct net_device *dev,
				     const struct net_device *link)
{
	const struct optsample_egress *e = netdev_priv(dev);
	u64 source = READ_ONCE(e->source);

	if (unlikely(!link))
		return false;
	if (unlikely(source))
		return optsample_egress_source(skb, dev, source);
	if (unlikely(!netif_running(link) || optsample_egress_is_own(skb, dev)))
		return false;
	/* Hooks at the link's egress saw it before: not a second time. */
	nf_skip_egress(skb, true);
	/* mirred names where it redirected from */
	if (skb->skb_iif == link->ifindex)
		skb->tc_skip_classify = 1;
	skb_reset_redirect(skb);
	return true;
}

static netdev_tx_t optsample_egress_xmit(struct sk_buff *skb,
					 struct net_device *dev)
{
	const struct optsample_egress *e = netdev_priv(dev);
	unsigned int len = skb->len;
	struct net_device *link;
	int ret = NET_XMIT_DROP;

	rcu_read_lock();
	link = rcu_dereference(e->link);
	if (likely(optsample_egress_prepare(skb, dev, link))) {
		skb->skb_iif = dev->ifindex;
		skb->dev = link;
		ret = dev_queue_xmit(skb);
	} else {
		kfree_skb(skb);
	}
	rcu_read_unlock();
	/* NET_XMIT_CN is a drop, too: of this packet or of another one */
	optsample_egress_count(dev, len, ret == NET_XMIT_SUCCESS);
	return NETDEV_TX_OK;
}

static void optsample_egress_stats64(struct net_device *dev,
				     struct rtnl_link_stats64 *stats)
{
	const struct optsample_egress *e = netdev_priv(dev);
	u64 packets, bytes, dropped;
	unsigned int start;
	int cpu;

	for_each_possible_cpu(cpu) {
		const struct optsample_egress_stats *s;

		s = per_cpu_ptr(e->stats, cpu);
		do {
			start = u64_stats_fetch_begin(&s->syncp);
			packets = u64_stats_read(&s->packets);
			bytes = u64_stats_read(&s->bytes);
			dropped = u64_stats_read(&s->dropped);
		} while (u64_stats_fetch_retry(&s->syncp, start));
		stats->tx_packets += packets;
		stats->tx_bytes += bytes;
		stats->tx_dropped += dropped;
	}
}

static int optsample_egress_init(struct net_device *dev)
{
	struct optsample_egress *e = netdev_priv(dev);

	e->stats = netdev_alloc_pcpu_stats(struct optsample_egress_stats);
	if (!e->stats)
		return -ENOMEM;
	netdev_lockdep_set_classes(dev);
	return 0;
}

static void optsample_egress_free(struct net_device *dev)
{
	struct optsample_egress *e = netdev_priv(dev);

	free_percpu(e->stats);
}

static const struct net_device_ops optsample_egress_netdev_ops = {
	.ndo_init		= optsample_egress_init,
	.ndo_start_xmit		= optsample_egress_xmit,
	.ndo_get_stats64	= optsample_egress_stats64,
	.ndo_get_iflink		= optsample_egress_iflink,
	.ndo_validate_addr	= eth_validate_addr,
	.ndo_set_mac_address	= eth_mac_addr,
};

/* Is it a device of this link type? */
bool optsample_is_egress(const struct net_device *dev)
{
	return dev->netdev_ops == &optsample_egress_netdev_ops;
}

/* Is it one of this link type that has no link now? */
bool optsample_egress_unlinked(const struct net_device *dev)
{
	const struct optsample_egress *e = netdev_priv(dev);

	return optsample_is_egress(dev) && !rcu_access_pointer(e->link);
}

static void optsample_egress_setup(struct net_device *dev)
{
	ether_setup(dev);
	dev->netdev_ops = &optsample_egress_netdev_ops;
	dev->needs_free_netdev = true;
	dev->priv_destructor = optsample_egress_free;
	dev->flags |= IFF_NOARP;
	dev->flags &= ~IFF_MULTICAST;
	dev->priv_flags |= IFF_NO_QUEUE;
	dev->priv_flags &= ~IFF_TX_SKB_SHARING;
	netif_keep_dst(dev);
	/* NETIF_F_LRO: without it the link would lose it */
	dev->features |= OPTSAMPLE_EGRESS_FEATURES | NETIF_F_HW_VLAN_CTAG_TX |
			 NETIF_F_HW_VLAN_STAG_TX | NETIF_F_LRO;
	dev->hw_features |= dev->features;
	dev->hw_enc_features |= dev->features;
	dev->vlan_features |= OPTSAMPLE_EGRESS_FEATURES;
	optsample_set_lltx(dev);
	dev->min_mtu = 0;
	dev->max_mtu = ETH_MAX_MTU;
	eth_hw_addr_random(dev);
}

/*
 * Netlink
 */

static const struct nla_policy
optsample_egress_policy[IFLA_OPTSAMPLE_MAX + 1] = {
	[IFLA_OPTSAMPLE_LINK] = { .type = NLA_U32 },
	[IFLA_OPTSAMPLE_SOURCE] = NLA_POLICY_EXACT_LEN(ETH_ALEN),
};

static int optsample_egress_validate(struct nlattr *tb[], struct nlattr *data[],
				     struct netlink_ext_ack *extack)
{
	const struct nlattr *addr = tb[IFLA_ADDRESS];

	if (!addr)
		return 0;
	if (nla_len(addr) != ETH_ALEN || !is_valid_ether_addr(nla_data(addr))) {
		NL_SET_ERR_MSG_ATTR(extack, addr,
				    "optsample: not an Ethernet address");
		return -EADDRNOTAVAIL;
	}
	return 0;
}

/* The qdisc looks whether it has a link. */
static void optsample_egress_changed(struct net_device *dev)
{
	if (dev->reg_state == NETREG_REGISTERED)
		netdev_state_change(dev);
}

/* Give @dev another link, or NULL. RTNL; @dev and @link are registered. */
static int optsample_egress_join(struct net_device *dev,
				 struct net_device *link,
				 struct netlink_ext_ack *extack)
{
	struct optsample_egress *e = netdev_priv(dev);
	struct net_device *old = rtnl_dereference(e->link);
	int err;

	if (link == old)
		return 0;
	if (link) {
		err = netdev_upper_dev_link(link, dev, extack);
		if (err) {
			NL_SET_ERR_MSG(extack,
				       "optsample: the link is above this device, or above too many");
			return err;
		}
		dev->needed_headroom = link->needed_headroom;
		dev->needed_tailroom = link->needed_tailroom;
	}
	rcu_assign_pointer(e->link, link);
	if (old)
		netdev_upper_dev_unlink(old, dev);
	return 0;
}

/*
 * Find the device with the number in @attr. Return: NULL for 0, or an
 * ERR_PTR()
 */
static struct net_device *
optsample_egress_find(struct net *net, const struct nlattr *attr,
		      struct netlink_ext_ack *extack)
{
	u32 ifindex = nla_get_u32(attr);
	struct net_device *link = __dev_get_by_index(net, ifindex);

	if (ifindex && !link) {
		NL_SET_ERR_MSG_ATTR(extack, attr,
				    "optsample: no such link in its namespace");
		return ERR_PTR(-ENODEV);
	}
	if (link && optsample_is_egress(link)) {
		NL_SET_ERR_MSG_ATTR(extack, attr,
				    "optsample: the link must not be an optsample device");
		return ERR_PTR(-ELOOP);
	}
	return link;
}

/* @addr: out: the source address of @attr, 0: none */
static int optsample_egress_source_of(const struct nlattr *attr, u64 *addr,
				      struct netlink_ext_ack *extack)
{
	*addr = attr ? ether_addr_to_u64(nla_data(attr)) : 0;
	if (!*addr || is_valid_ether_addr(nla_data(attr)))
		return 0;
	NL_SET_ERR_MSG_ATTR(extack, attr, "optsample: not a source address");
	return -EADDRNOTAVAIL;
}

static int optsample_egress_changelink(struct net_device *dev,
				       struct nlattr *tb[],
				       struct nlattr *data[],
				       struct netlink_ext_ack *extack)
{
	struct optsample_egress *e = netdev_priv(dev);
	u64 source, before = e->source;
	struct net_device *link;
	int err;

	if (!data)
		return 0;
	err = optsample_egress_source_of(data[IFLA_OPTSAMPLE_SOURCE], &source,
					 extack);
	if (err)
		return err;
	link = rtnl_dereference(e->link);
	if (data[IFLA_OPTSAMPLE_LINK])
		link = optsample_egress_find(dev_net(dev),
					     data[IFLA_OPTSAMPLE_LINK], extack);
	if (IS_ERR(link))
		return PTR_ERR(link);
	/* before the link: without it packets would have another address */
	if (data[IFLA_OPTSAMPLE_SOURCE])
		WRITE_ONCE(e->source, source);
	err = optsample_egress_join(dev, link, extack);
	if (err)
		WRITE_ONCE(e->source, before);
	else if (data[IFLA_OPTSAMPLE_LINK])
		optsample_egress_changed(dev);
	return err;
}

static int optsample_egress_newlink(struct net_device *dev,
				    struct rtnl_newlink_params *params,
				    struct netlink_ext_ack *extack)
{
	const struct nlattr *attr = params->tb[IFLA_LINK];
	struct net_device *link;
	int err;

	if (attr && !net_eq(rtnl_newlink_link_net(params), dev_net(dev))) {
		NL_SET_ERR_MSG_ATTR(extack, attr,
				    "optsample: the link must be in the same namespace");
		return -EXDEV;
	}
	link = attr ? optsample_egress_find(dev_net(dev), attr, extack) : NULL;
	if (IS_ERR(link))
		return PTR_ERR(link);
	err = register_netdevice(dev);
	if (err)
		return err;
	err = optsample_egress_join(dev, link, extack) ?:
	      optsample_egress_changelink(dev, params->tb, params->data,
					  extack);
	if (err)
		unregister_netdevice(dev);
	return err;
}

/* A device that is deleted or moved has no link, and is none. */
static int optsample_egress_event(struct notifier_block *nb,
				  unsigned long event, void *ptr)
{
	struct net_device *dev = netdev_notifier_info_to_dev(ptr);
	struct net_device *upper;
	struct list_head *i;

	if (event != NETDEV_UNREGISTER)
		return NOTIFY_DONE;
	if (optsample_is_egress(dev))
		optsample_egress_join(dev, NULL, NULL);
again:
	netdev_for_each_upper_dev_rcu(dev, upper, i) {
		if (!optsample_is_egress(upper))
			continue;
		optsample_egress_join(upper, NULL, NULL);
		optsample_egress_changed(upper);
		goto again;
	}
	return NOTIFY_DONE;
}

static struct notifier_block optsample_egress_notifier = {
	.notifier_call = optsample_egress_event,
};

static size_t optsample_egress_get_size(const struct net_device *dev)
{
	return nla_total_size(sizeof(u32)) +	/* IFLA_OPTSAMPLE_LINK */
	       nla_total_size(ETH_ALEN);	/* IFLA_OPTSAMPLE_SOURCE */
}

static int optsample_egress_fill_info(struct sk_buff *skb,
				      const struct net_device *dev)
{
	const struct optsample_egress *e = netdev_priv(dev);
	u8 source[ETH_ALEN];

	u64_to_ether_addr(READ_ONCE(e->source), source);
	if (nla_put_u32(skb, IFLA_OPTSAMPLE_LINK,
			optsample_egress_iflink(dev)) ||
	    nla_put(skb, IFLA_OPTSAMPLE_SOURCE, ETH_ALEN, source))
		return -EMSGSIZE;
	return 0;
}

OPTSAMPLE_NEWLINK(optsample_egress_newlink);

static struct rtnl_link_ops optsample_egress_link_ops __read_mostly = {
	.kind		= "optsample",
	.priv_size	= sizeof(struct optsample_egress),
	.setup		= optsample_egress_setup,
	.maxtype	= IFLA_OPTSAMPLE_MAX,
	.policy		= optsample_egress_policy,
	.validate	= optsample_egress_validate,
	.newlink	= OPTSAMPLE_NEWLINK_OP(optsample_egress_newlink),
	.changelink	= optsample_egress_changelink,
	.get_size	= optsample_egress_get_size,
	.fill_info	= optsample_egress_fill_info,
};

int optsample_egress_register(void)
{
	int err = register_netdevice_notifier(&optsample_egress_notifier);

	if (err)
		return err;
	err = rtnl_link_register(&optsample_egress_link_ops);
	if (err)
		unregister_netdevice_notifier(&optsample_egress_notifier);
	return err;
}

/* Deletes all devices of this type */
void optsample_egress_unregister(void)
{
	rtnl_link_unregister(&optsample_egress_link_ops);
	unregister_netdevice_notifier(&optsample_egress_notifier);
}

MODULE_ALIAS_RTNL_LINK("optsample");
