// SPDX-License-Identifier: GPL-2.0
/*
 * The link: carrier, operational state and link address of the watched device
 * and of the qdisc's own. Packets sent at the moment a Wi-Fi link comes back
 * are lost, hence the settling time.
 */
#include <linux/if_arp.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include "optsample.h"

static LIST_HEAD(optsample_instances);	/* protected by RTNL */

static void optsample_watch_put(struct optsample_stall *st)
{
	if (!st->watched)
		return;
	netdev_put(st->watched, &st->tracker);
	st->watched = NULL;
	st->source = (struct optsample_source){ 0 };
	st->down = true;
}

static void optsample_watch_set(struct optsample_stall *st,
				struct net_device *dev)
{
	if (st->watched == dev)
		return;
	optsample_watch_put(st);
	st->watched = dev;
	st->source = (struct optsample_source){ 0 };
	optsample_recall_another(container_of(st, struct optsample_sched,
					      stall));
	netdev_hold(dev, &st->tracker, GFP_ATOMIC);
}

/* The link is back: the settling time begins. */
void optsample_link_settle(struct optsample_sched *q, u64 now)
{
	q->stall.down = false;
	optsample_recall_again(q);
	q->stall.settle_ns = now + (u64)q->cfg.settle_ms * NSEC_PER_MSEC;
}

/* Does the radio of a device send to several stations, each at its own pace? */
static bool optsample_link_many(const struct net_device *dev)
{
	switch (optsample_iftype(dev)) {
	case NL80211_IFTYPE_ADHOC:
	case NL80211_IFTYPE_AP:
	case NL80211_IFTYPE_AP_VLAN:
	case NL80211_IFTYPE_MESH_POINT:
	case NL80211_IFTYPE_P2P_GO:
		return true;
	default:
		return false;
	}
}

/* Does mac80211 report for each packet whether the access point has it? */
static bool optsample_link_station(const struct net_device *dev)
{
	enum nl80211_iftype type = optsample_iftype(dev);

	return type == NL80211_IFTYPE_STATION ||
	       type == NL80211_IFTYPE_P2P_CLIENT;
}

/* The device whose link counts; NULL if the watched one does not exist */
static struct net_device *optsample_link_dev(struct Qdisc *sch)
{
	struct optsample_sched *q = qdisc_priv(sch);

	return q->cfg.watch[0] ? q->stall.watched : qdisc_dev(sch);
}

/**
 * optsample_link_is_ethernet - do packets begin with an Ethernet header?
 * @sch: the qdisc, locked
 *
 * An optsample device is of Ethernet, but the one below may be a tunnel of IP.
 */
bool optsample_link_is_ethernet(struct Qdisc *sch)
{
	const struct net_device *dev = optsample_link_dev(sch);

	return qdisc_dev(sch)->type == ARPHRD_ETHER &&
	       (!dev || dev->type == ARPHRD_ETHER);
}

/**
 * optsample_link_look - update the state of the link
 * @sch: the qdisc, locked
 *
 * The settling time begins when the link is back, not at the next departure.
 */
void optsample_link_look(struct Qdisc *sch)
{
	struct optsample_sched *q = qdisc_priv(sch);
	struct optsample_stall *st = &q->stall;
	const struct net_device *dev = optsample_link_dev(sch);
	bool many = dev && optsample_link_many(dev);

	st->unlinked = optsample_egress_unlinked(qdisc_dev(sch));
	st->linked |= !st->unlinked;
	if (optsample_link_up(sch)) {
		if (st->down)
			optsample_link_settle(q, ktime_get_ns());
		st->many = many;
	} else {
		/* A new device gets its link after its qdisc. */
		st->down |= st->linked;
		/* A radio that was just plugged in has no mode yet. */
		st->many |= many;
	}
	/* Without a device keep the value: it may be plugged in again. */
	if (dev)
		st->station = optsample_link_station(dev);
	optsample_recall_configure(sch);
	if (dev && optsample_link_is_ethernet(sch))
		optsample_source_look(q, dev);
	optsample_look_again(st);
}

/* Find a device by name or altname; NULL if there is none, or for "" */
static struct net_device *optsample_link_named(struct Qdisc *sch,
					       const char *name)
{
	if (!name[0])
		return NULL;
	return __dev_get_by_name(dev_net(qdisc_dev(sch)), name);
}

/*
 * Watch the device that has the configured name. A device that was renamed is
 * watched until another one gets the name: after a re-plug another radio may
 * have it for a moment.
 */
static void optsample_netdev_changed(struct Qdisc *sch, unsigned long event,
				     struct net_device *dev)
{
	struct optsample_sched *q = qdisc_priv(sch);
	struct net_device *named = optsample_link_named(sch, q->cfg.watch);
	struct optsample_stall *st = &q->stall;
	bool gone = event == NETDEV_UNREGISTER;

	sch_tree_lock(sch);
	if (gone && dev == st->watched)
		optsample_watch_put(st);
	if (named && !(gone && named == dev))
		optsample_watch_set(st, named);
	optsample_link_look(sch);
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
	case NETDEV_CHANGEADDR:
		break;
	default:
		return NOTIFY_DONE;
	}
	list_for_each_entry(st, &optsample_instances, instances) {
		struct Qdisc *sch = st->watchdog.qdisc;
		struct optsample_sched *q = qdisc_priv(sch);

		if (dev != qdisc_dev(sch) && dev != st->watched &&
		    dev != optsample_link_named(sch, q->cfg.watch))
			continue;
		/* The qdisc is destroyed together with its own device. */
		if (dev == qdisc_dev(sch) && event == NETDEV_UNREGISTER)
			continue;
		optsample_netdev_changed(sch, event, dev);
	}
	return NOTIFY_DONE;
}

static struct notifier_block optsample_netdev_notifier = {
	.notifier_call = optsample_netdev_event,
};

int optsample_link_register(void)
{
	return register_netdevice_notifier(&optsample_netdev_notifier);
}

void optsample_link_unregister(void)
{
	unregister_netdevice_notifier(&optsample_netdev_notifier);
}

void optsample_link_init(struct Qdisc *sch)
{
	struct optsample_sched *q = qdisc_priv(sch);

	list_add_tail(&q->stall.instances, &optsample_instances);
}

void optsample_link_destroy(struct Qdisc *sch)
{
	struct optsample_sched *q = qdisc_priv(sch);

	list_del(&q->stall.instances);
	optsample_watch_put(&q->stall);
}

/**
 * optsample_link_configure - watch a device
 * @sch: the qdisc, RTNL and tree lock
 * @name: name of the device, "" for none
 */
void optsample_link_configure(struct Qdisc *sch, const char *name)
{
	struct optsample_sched *q = qdisc_priv(sch);
	struct optsample_stall *st = &q->stall;
	struct net_device *dev = optsample_link_named(sch, name);

	if (dev == st->watched)
		return;
	/* Renamed, and still watched, see optsample_netdev_changed() */
	if (!dev && !strcmp(name, q->cfg.watch))
		return;
	if (dev)
		optsample_watch_set(st, dev);
	else
		optsample_watch_put(st);
	st->down = false;
}
