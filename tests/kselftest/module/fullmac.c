// SPDX-License-Identifier: GPL-2.0
/*
 * full0 - a device like that of a full-MAC radio (brcmfmac, say): its firmware
 * has a copy of each packet, which is freed at once, so the host does not learn
 * what became of it
 *
 * While the access point is there, what the firmware has arrives. When it is
 * gone, the firmware keeps as many packets as it has room for. Then it stops
 * the device's queue, or loses what else comes: both exist. An access point
 * takes nothing from an address that is not the station's.
 */
#include <linux/etherdevice.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include "drive.h"
#include "fullmac.h"
#include "packet.h"

static struct net_device *full_dev;
static struct sk_buff_head full_firmware, full_arrived;
static u32 full_room;
static bool full_stops, full_gone;

static void full_send(void)
{
	struct sk_buff *skb;

	while ((skb = skb_dequeue(&full_firmware))) {
		if (ether_addr_equal(eth_hdr(skb)->h_source,
				     full_dev->dev_addr) && packet_label(skb))
			skb_queue_tail(&full_arrived, skb);
		else
			kfree_skb(skb);
	}
}

static netdev_tx_t full_xmit(struct sk_buff *skb, struct net_device *dev)
{
	struct sk_buff *copy = NULL;

	if (skb_queue_len(&full_firmware) < full_room)
		copy = skb_copy(skb, GFP_ATOMIC);
	consume_skb(skb);
	if (copy) {
		skb_reset_mac_header(copy);
		skb_queue_tail(&full_firmware, copy);
	}
	if (!full_gone)
		full_send();
	else if (full_stops && skb_queue_len(&full_firmware) == full_room)
		netif_stop_queue(dev);
	return NETDEV_TX_OK;
}

static const struct net_device_ops full_ops = {
	.ndo_start_xmit = full_xmit,
	.ndo_set_mac_address = eth_mac_addr,
};

static void full_setup(struct net_device *dev)
{
	ether_setup(dev);
	dev->netdev_ops = &full_ops;
	dev->priv_flags |= IFF_LIVE_ADDR_CHANGE;
	eth_hw_addr_random(dev);
}

/* RTNL is held. @room: packets; @stops: the queue when they are there */
int fullmac_make(u32 room, bool stops)
{
	int err = 0;

	full_room = room;
	full_stops = stops;
	if (full_dev)
		return 0;
	full_dev = alloc_netdev(0, "full0", NET_NAME_UNKNOWN, full_setup);
	if (!full_dev)
		return -ENOMEM;
	skb_queue_head_init(&full_firmware);
	skb_queue_head_init(&full_arrived);
	err = register_netdevice(full_dev);
	if (err) {
		free_netdev(full_dev);
		full_dev = NULL;
	}
	return err;
}

/*
 * RTNL is held. @what: the access point is `gone` or `back`; `noticed`: the
 * firmware drops what it has, and its carrier goes
 */
int fullmac_do(const char *what)
{
	if (!full_dev)
		return -ENODEV;
	full_gone = strcmp(what, "back");
	local_bh_disable();
	if (!strcmp(what, "noticed")) {
		skb_queue_purge(&full_firmware);
		netif_carrier_off(full_dev);
	} else if (!full_gone) {
		full_send();
		netif_carrier_on(full_dev);
		netif_wake_queue(full_dev);
	}
	local_bh_enable();
	return 0;
}

/* FLOW/POSITION/SEQUENCE of what has arrived since */
void fullmac_say(void)
{
	const struct label *label;
	struct sk_buff *skb;

	while (full_dev && (skb = skb_dequeue(&full_arrived))) {
		label = packet_label(skb);
		drive_say("%u/%llu/%u ", label->flow, label->pos, label->seq);
		consume_skb(skb);
	}
	drive_say("-\n");
}

/* RTNL is not held. */
void fullmac_exit(void)
{
	if (!full_dev)
		return;
	unregister_netdev(full_dev);
	skb_queue_purge(&full_firmware);
	skb_queue_purge(&full_arrived);
	free_netdev(full_dev);
}
