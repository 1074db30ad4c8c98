/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the newest kernel has, for those from 5.10 on and all configurations
 */
#ifndef OPTSAMPLE_COMPAT_H
#define OPTSAMPLE_COMPAT_H

#include <linux/module.h>
#include <linux/nl80211.h>
#include <linux/version.h>
#include <net/pkt_cls.h>
#include <net/sock.h>
#if IS_ENABLED(CONFIG_CFG80211)
#include <net/cfg80211.h>
#endif
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 15, 0)
#define skb_csum_is_sctp(skb)	((skb)->csum_not_inet)
#define bpf_prog_run	BPF_PROG_RUN
#define tcf_classify(skb, block, tp, res, compat) \
	tcf_classify(skb, tp, res, compat)
#endif
/* On the stack, or of a 64 bit kernel: no need to read it twice. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 16, 0)
#define gnet_stats_basic_sync		gnet_stats_basic_packed
#define gnet_stats_basic_sync_init(b)	memset(b, 0, sizeof(*(b)))
#define gnet_stats_copy_basic(d, cpu, b, running) \
	gnet_stats_copy_basic(NULL, d, cpu, b)
#define u64_stats_set(p, value)		(*(p) = (value))
#endif
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 17, 0)
#define nf_skip_egress(skb, skip)	do { } while (0)
#define sk_is_tcp(sk) \
	((sk)->sk_type == SOCK_STREAM && (sk)->sk_protocol == IPPROTO_TCP)
typedef struct { } netdevice_tracker;
#else
#include <linux/netfilter_netdev.h>
#endif
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 18, 0)
#define kfree_skb_list_reason(skb, reason)	kfree_skb_list(skb)
#endif
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 0, 0)
#define netdev_hold(dev, tracker, gfp)	dev_hold(dev)
#define netdev_put(dev, tracker)	dev_put(dev)
#endif
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 11, 0)
struct bpf_net_context { };
#define bpf_net_ctx_set(ctx)		(ctx)
#define bpf_net_ctx_clear(ctx)		((void)(ctx))
#endif
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
#define optsample_set_lltx(dev)		((dev)->features |= NETIF_F_LLTX)
#else
#define optsample_set_lltx(dev)		((dev)->lltx = true)
#endif
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 15, 0)
struct rtnl_newlink_params { struct net *net; struct nlattr **tb, **data; };
#define rtnl_newlink_link_net(params)	((params)->net)
#define OPTSAMPLE_NEWLINK_OP(f)		f##_old
#define OPTSAMPLE_NEWLINK(f) \
static int f##_old(struct net *net, struct net_device *dev, struct nlattr **tb,\
		   struct nlattr **data, struct netlink_ext_ack *extack) \
{ return f(dev, &(struct rtnl_newlink_params){ net, tb, data }, extack); }
#else
#include <net/netdev_lock.h>
#define OPTSAMPLE_NEWLINK_OP(f)		f
#define OPTSAMPLE_NEWLINK(f)
#endif
/* Kernels without drop reasons for qdiscs report QDISC_DROP. */
#ifndef _LINUX_DROPREASON_QDISC_H
#define tcf_set_qdisc_drop_reason(skb, reason)	do { } while (0)
#endif

/* NL80211_IFTYPE_UNSPECIFIED: not Wi-Fi */
static inline enum nl80211_iftype optsample_iftype(const struct net_device *dev)
{
#if IS_ENABLED(CONFIG_CFG80211)
	if (dev->ieee80211_ptr)
		return dev->ieee80211_ptr->iftype;
#endif
	return NL80211_IFTYPE_UNSPECIFIED;
}

/* Transmit reports of mac80211; kernels without Wi-Fi lack the fields. */
#ifdef CONFIG_WIRELESS
#define optsample_has_status(skb)	((skb)->wifi_acked_valid)
#define optsample_acked(skb)		((skb)->wifi_acked)
#else
#define optsample_has_status(skb)	false
#define optsample_acked(skb)		false
#endif

/* Since 6.15 the socket asks; SKBTX_HW_TSTAMP is a macro since then. */
#ifdef SKBTX_HW_TSTAMP
#define optsample_ask_status(skb)	do { } while (0)
#else
#define optsample_ask_status(skb) \
	(skb_shinfo(skb)->tx_flags |= SKBTX_WIFI_STATUS)
#endif

#endif
