/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From the start of a packet to its UDP payload.
 *
 * The link header may be Ethernet or missing (WireGuard, tunnels); the IPv4
 * header must be in the linear part, where the stack and its tunnels put it.
 * Everything above is read with bpf_skb_load_bytes(), which also reaches the
 * pages of large datagrams. VLAN tags in the packet and IPv6: not IPv4 here.
 */
#ifndef OPTSAMPLE_PARSE_H
#define OPTSAMPLE_PARSE_H

#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/udp.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#define IPV4_MF		0x2000
#define IPV4_OFFSET	0x1fff

/**
 * struct parse_ip - what is needed of the IPv4 header
 * @saddr:	addresses and
 * @daddr:
 * @id:		identification, all in network byte order
 * @frag_off:	flags and fragment offset, host byte order
 * @payload:	offset of what follows the header
 */
struct parse_ip {
	__u32 saddr;
	__u32 daddr;
	__u16 id;
	__u16 frag_off;
	__u32 payload;
};

/* Return: 1 if @skb is IPv4 and UDP, and @ip is filled in; else 0 */
static __always_inline int parse_ipv4_udp(struct __sk_buff *skb,
					  struct parse_ip *ip)
{
	void *data = (void *)(long)skb->data;
	void *end = (void *)(long)skb->data_end;
	/* struct ethhdr is packed: it would be loaded byte by byte */
	const __u16 *eth_proto = data + 2 * ETH_ALEN;
	const struct iphdr *iph = data;
	__u32 offset = 0;

	if (skb->protocol != bpf_htons(ETH_P_IP))
		return 0;
	/*
	 * Ethernet, unless it cannot be: too short, or a packet without a link
	 * header and with source address 8.0.x.x, which says its length.
	 */
	if (data + ETH_HLEN + sizeof(*iph) <= end) {
		if (*eth_proto == bpf_htons(ETH_P_IP) &&
		    !(iph->version == 4 &&
		      bpf_ntohs(iph->tot_len) == skb->len)) {
			iph = data + ETH_HLEN;
			offset = ETH_HLEN;
		}
	} else if (data + sizeof(*iph) > end) {
		return 0;
	}
	if (iph->protocol != IPPROTO_UDP || iph->version != 4 ||
	    iph->ihl < 5)
		return 0;
	ip->saddr = iph->saddr;
	ip->daddr = iph->daddr;
	ip->id = iph->id;
	ip->frag_off = bpf_ntohs(iph->frag_off);
	ip->payload = offset + iph->ihl * 4;
	return 1;
}

#endif
