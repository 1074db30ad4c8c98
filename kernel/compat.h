/* SPDX-License-Identifier: GPL-2.0 */
/* Differences between kernels from 6.1 on */
#ifndef OPTSAMPLE_COMPAT_H
#define OPTSAMPLE_COMPAT_H

#include <linux/netlink.h>
#include <net/sch_generic.h>

/**
 * optsample_refuse - report an error to user space
 * @extack: where to store it, may be NULL
 * @attr: the attribute, or NULL
 * @msg: a constant string of one line
 *
 * NL_SET_ERR_MSG_ATTR() needs a literal, and 6.1 has no
 * NL_SET_ERR_MSG_ATTR_FMT(): its struct netlink_ext_ack has no buffer.
 */
static inline void optsample_refuse(struct netlink_ext_ack *extack,
				    const struct nlattr *attr, const char *msg)
{
#ifdef NL_SET_ERR_MSG_ATTR_FMT
	NL_SET_ERR_MSG_ATTR_FMT(extack, attr, "%s", msg);
#else
	do_trace_netlink_extack(msg);
	if (!extack)
		return;
	extack->_msg = msg;
	NL_SET_BAD_ATTR(extack, attr);
#endif
}

/*
 * The drop reason of a packet, for drop_monitor and perf. Older kernels have no
 * reasons for qdiscs and report QDISC_DROP.
 */
#ifdef _LINUX_DROPREASON_QDISC_H
static inline void optsample_reason_limit(struct sk_buff *skb)
{
	tcf_set_qdisc_drop_reason(skb, QDISC_DROP_FLOW_LIMIT);
}

static inline void optsample_reason_memory(struct sk_buff *first,
					   struct sk_buff *end)
{
	for (; first != end; first = first->next)
		tcf_set_qdisc_drop_reason(first, QDISC_DROP_OVERLIMIT);
}
#else
static inline void optsample_reason_limit(struct sk_buff *skb)
{
}

static inline void optsample_reason_memory(struct sk_buff *first,
					   struct sk_buff *end)
{
}
#endif

/* Is it a transmit report? Kernels without Wi-Fi lack the field. */
static inline bool optsample_has_status(const struct sk_buff *skb)
{
#ifdef CONFIG_WIRELESS
	return skb->wifi_acked_valid;
#else
	return false;
#endif
}

static inline bool optsample_acked(const struct sk_buff *skb)
{
#ifdef CONFIG_WIRELESS
	return skb->wifi_acked;
#else
	return false;
#endif
}

/*
 * Request a report from mac80211 to the socket that owns the packet. Since 6.15
 * this is set on the socket; SKBTX_HW_TSTAMP is a macro since then.
 */
static inline void optsample_ask_status(struct sk_buff *skb)
{
#ifndef SKBTX_HW_TSTAMP
	skb_shinfo(skb)->tx_flags |= SKBTX_WIFI_STATUS;
#endif
}

#endif
