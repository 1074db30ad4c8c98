// SPDX-License-Identifier: GPL-2.0
/*
 * air0 - a device like that of a Wi-Fi radio, for tests of what is in flight
 *
 * It takes every packet and never stops its queue. When it may send, it takes
 * up to `aggregate` packets at once; they are on the air for `gap_us` and then
 * for their bytes at `kbit`, and are freed together when they have arrived.
 * With 0 kbit nothing is sent any more: the access point is gone.
 */
#include <linux/etherdevice.h>
#include <linux/hrtimer.h>
#include <linux/math64.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <linux/version.h>
#include "air.h"

static struct net_device *air_dev;
static struct hrtimer air_timer;
static struct sk_buff_head air_waiting, air_sending;
static DEFINE_SPINLOCK(air_lock);
static u32 air_kbit, air_aggregate = 1, air_gap_us;
static bool air_busy;

/* Locked */
static void air_begin(void)
{
	struct sk_buff *skb;
	u64 bits = 0;

	while (skb_queue_len(&air_sending) < air_aggregate &&
	       (skb = __skb_dequeue(&air_waiting))) {
		bits += 8 * skb->len;
		__skb_queue_tail(&air_sending, skb);
	}
	air_busy = true;
	hrtimer_start(&air_timer,
		      air_gap_us * (u64)NSEC_PER_USEC +
		      div_u64(bits * NSEC_PER_MSEC, air_kbit),
		      HRTIMER_MODE_REL_SOFT);
}

static enum hrtimer_restart air_sent(struct hrtimer *timer)
{
	struct sk_buff_head done;
	struct sk_buff *skb;

	__skb_queue_head_init(&done);
	spin_lock(&air_lock);
	skb_queue_splice_init(&air_sending, &done);
	air_busy = false;
	if (air_kbit && !skb_queue_empty(&air_waiting))
		air_begin();
	spin_unlock(&air_lock);
	while ((skb = __skb_dequeue(&done))) {
		air_dev->stats.tx_packets++;
		air_dev->stats.tx_bytes += skb->len;
		consume_skb(skb);
	}
	return HRTIMER_NORESTART;
}

static netdev_tx_t air_xmit(struct sk_buff *skb, struct net_device *dev)
{
	spin_lock(&air_lock);
	__skb_queue_tail(&air_waiting, skb);
	if (air_kbit && !air_busy)
		air_begin();
	spin_unlock(&air_lock);
	return NETDEV_TX_OK;
}

static const struct net_device_ops air_ops = {
	.ndo_start_xmit = air_xmit,
};

static void air_setup(struct net_device *dev)
{
	ether_setup(dev);
	dev->netdev_ops = &air_ops;
	eth_hw_addr_random(dev);
}

static int air_make(void)
{
	int err;

	air_dev = alloc_netdev(0, "air0", NET_NAME_UNKNOWN, air_setup);
	if (!air_dev)
		return -ENOMEM;
	__skb_queue_head_init(&air_waiting);
	__skb_queue_head_init(&air_sending);
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	hrtimer_setup(&air_timer, air_sent, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_SOFT);
#else
	hrtimer_init(&air_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_SOFT);
	air_timer.function = air_sent;
#endif
	err = register_netdevice(air_dev);
	if (err) {
		free_netdev(air_dev);
		air_dev = NULL;
	}
	return err;
}

/* RTNL is held. Makes the device if it is not there yet. */
int air_configure(u32 kbit, u32 aggregate, u32 gap_us)
{
	int err = air_dev ? 0 : air_make();

	if (err)
		return err;
	spin_lock_bh(&air_lock);
	air_kbit = kbit;
	air_aggregate = max(aggregate, 1U);
	air_gap_us = gap_us;
	if (air_kbit && !air_busy && !skb_queue_empty(&air_waiting))
		air_begin();
	spin_unlock_bh(&air_lock);
	return 0;
}

/* RTNL is not held. */
void air_exit(void)
{
	if (!air_dev)
		return;
	unregister_netdev(air_dev);
	hrtimer_cancel(&air_timer);
	__skb_queue_purge(&air_waiting);
	__skb_queue_purge(&air_sending);
	free_netdev(air_dev);
}
