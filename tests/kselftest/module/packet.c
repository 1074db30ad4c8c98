// SPDX-License-Identifier: GPL-2.0
/* The packets that are driven: real RTPS DATA_FRAG datagrams with a label */
#include <linux/etherdevice.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <net/sch_generic.h>
#include <net/sock.h>
#include <net/tcp_states.h>
#include <optsample/tag.h>
#include "drive.h"
#include "packet.h"

struct packet_kind packet_kind = { .version = 4 };

static const char label_magic[8] = "drive-1";

struct rtps {
	u8	magic[4], version[2], vendor[2], prefix[12];
	u8	id, flags;
	__le16	length, extra, to_qos;
	u8	reader[4], writer[4];
	__le32	sn_high, sn_low, frag;
	__le16	nfrags, frag_size;
	__le32	size;
} __packed;

static u32 ip_len(__be16 protocol)
{
	return protocol == htons(ETH_P_IPV6) ? sizeof(struct ipv6hdr) :
					       sizeof(struct iphdr);
}

static void put_ip(struct sk_buff *skb, u32 len)
{
	struct iphdr *ip = skb_put_zero(skb, sizeof(*ip));

	ip->version = 4;
	ip->ihl = 5;
	ip->ttl = 64;
	ip->tos = packet_kind.tos;
	ip->protocol = IPPROTO_UDP;
	ip->saddr = htonl(0x0a000001);
	ip->daddr = htonl(0x0a000002);
	ip->tot_len = htons(sizeof(*ip) + len);
	ip->frag_off = htons(IP_DF);
}

static void put_ipv6(struct sk_buff *skb, u32 len)
{
	struct ipv6hdr *ip = skb_put_zero(skb, sizeof(*ip));

	ip6_flow_hdr(ip, packet_kind.tos, 0);
	ip->payload_len = htons(len);
	ip->nexthdr = IPPROTO_UDP;
	ip->hop_limit = 64;
	ip->saddr.s6_addr[0] = 0xfd;
	ip->saddr.s6_addr[15] = 1;
	ip->daddr.s6_addr[0] = 0xfd;
	ip->daddr.s6_addr[15] = 2;
}

/* What the kernel takes for no full socket, with nothing behind it */
static struct sock *mini_alloc(void)
{
	struct sock_common *mini = kzalloc(sizeof(*mini), GFP_ATOMIC);

	if (mini)
		mini->skc_state = TCP_NEW_SYN_RECV;
	return (struct sock *)mini;
}

static void mini_free(struct sk_buff *skb)
{
	kfree(skb->sk);
	skb->sk = NULL;
}

struct sk_buff *packet_make(u32 flow_id, u32 msg, u64 pos, u32 seq, u32 flags,
			    u32 len)
{
	__be16 protocol = htons(packet_kind.version == 6 ? ETH_P_IPV6 : ETH_P_IP);
	u32 inner, head = ETH_HLEN + ip_len(protocol) +
			  sizeof(struct udphdr) + sizeof(struct rtps);
	struct sk_buff *skb;
	struct label *label;
	struct udphdr *udp;
	struct rtps *rtps;

	len = max_t(u32, len, sizeof(*label));
	inner = sizeof(*udp) + sizeof(*rtps) + len;
	skb = alloc_skb(head + len + 16, GFP_ATOMIC);
	if (!skb)
		return NULL;
	skb_reserve(skb, 16);
	eth_zero_addr(skb_put(skb, ETH_HLEN));
	skb_reset_mac_header(skb);
	eth_hdr(skb)->h_dest[ETH_ALEN - 1] = packet_kind.to;
	if (packet_kind.from) {
		eth_hdr(skb)->h_source[0] = 2;
		eth_hdr(skb)->h_source[ETH_ALEN - 1] = packet_kind.from;
	}
	eth_hdr(skb)->h_proto = protocol;
	skb_set_network_header(skb, ETH_HLEN);
	if (packet_kind.version == 6)
		put_ipv6(skb, inner);
	else
		put_ip(skb, inner);
	skb_set_transport_header(skb, ETH_HLEN + ip_len(protocol));
	udp = skb_put_zero(skb, sizeof(*udp));
	udp->source = htons(20000 + (flow_id & 0x7fff));
	udp->dest = htons(7411);
	udp->len = htons(inner);
	rtps = skb_put_zero(skb, sizeof(*rtps));
	memcpy(rtps->magic, "RTPS", 4);
	rtps->version[0] = 2;
	rtps->version[1] = 1;
	rtps->vendor[0] = 1;
	rtps->vendor[1] = 0x10;
	memset(rtps->prefix, 0x11, sizeof(rtps->prefix));
	rtps->id = 0x16;
	rtps->flags = 1;
	rtps->to_qos = cpu_to_le16(28);
	rtps->writer[0] = flow_id >> 16;
	rtps->writer[1] = flow_id >> 8;
	rtps->writer[2] = flow_id;
	rtps->writer[3] = 3;
	rtps->sn_low = cpu_to_le32(msg);
	rtps->frag = cpu_to_le32(seq + 1);
	rtps->nfrags = cpu_to_le16(1);
	rtps->frag_size = cpu_to_le16(len);
	rtps->size = cpu_to_le32(flags & OPTSAMPLE_TAG_LAST ?
				 (seq + 1) * len : (seq + 2) * len);
	label = skb_put_zero(skb, len);
	memcpy(label->magic, label_magic, sizeof(label->magic));
	label->flow = flow_id;
	label->msg = msg;
	label->seq = seq;
	label->flags = flags;
	label->pos = pos;
	if (packet_kind.mini) {
		skb->sk = mini_alloc();
		skb->destructor = skb->sk ? mini_free : NULL;
	}
	skb->protocol = protocol;
	skb->priority = packet_kind.priority;
	skb->dev = drive_dev;
	qdisc_skb_cb(skb)->pkt_len = skb->len;
	return skb;
}

const struct label *packet_label(const struct sk_buff *skb)
{
	u32 at = ETH_HLEN + ip_len(skb->protocol) + sizeof(struct udphdr) +
		 sizeof(struct rtps);
	const struct label *label = (void *)(skb->data + at);

	if (skb_headlen(skb) < at + sizeof(*label))
		return NULL;
	return memcmp(label->magic, label_magic, sizeof(label->magic)) ?
		NULL : label;
}

void packet_tag(struct sk_buff *skb, bool tagged)
{
	const struct label *label = packet_label(skb);
	struct optsample_tag *cb = (void *)qdisc_skb_cb(skb)->data;

	memset(cb, 0, sizeof(*cb));
	if (!tagged || !label->flow)
		return;
	cb->mark = OPTSAMPLE_TAG_MARK | label->flags;
	cb->flow = label->flow;
	cb->message = label->msg;
	cb->pos_lo = label->pos;
	cb->pos_hi = label->pos >> 32;
}
