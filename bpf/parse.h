/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From the start of a packet to its UDP header.
 *
 * The link header may be Ethernet, with up to two VLAN tags in the packet, or
 * missing (WireGuard, tunnels). Everything up to the IPv4 header, or the fixed
 * one of IPv6, must be in the linear part; the stack and its tunnels put it
 * there. The rest is read with bpf_skb_load_bytes(), which also reaches the
 * pages of large datagrams.
 */
#ifndef OPTSAMPLE_PARSE_H
#define OPTSAMPLE_PARSE_H

#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>
#include <stddef.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>
#include "global.h"
#include "ros_tag.h"

/* libbpf has it since 0.4: the compiler must not guess what is in @var */
#ifndef barrier_var
#define barrier_var(var) asm volatile("" : "+r"(var))
#endif

#define IPV4_MF		0x2000
#define IPV4_OFFSET	0x1fff

enum {
	PARSE_VLAN	= 4,
	PARSE_EXT	= 8,	/* bytes read of an IPv6 extension header */
	PARSE_EXTS	= 6,	/* extension headers followed at most */
	PARSE_MAX	= 1024,	/* the UDP header begins before this offset */
};

/**
 * struct parse_ip - what is needed of the IP header
 * @daddr:	destination, network byte order; IPv6: ros_addr6() of it
 * @id:		IPv6: identification in the fragment header, network byte order
 * @frag_off:	flags and fragment offset, as in IPv4, host byte order
 * @header:	offset of the IP header
 * @payload:	offset of what follows the IP headers
 * @v6:		the packet is IPv6
 */
struct parse_ip {
	__u32 daddr;
	__u32 id;
	__u16 frag_off;
	__u16 header;
	__u32 payload;
	__u32 v6;
};

/* Does the IP header at @offset give the length of the rest of @skb? */
static __always_inline int parse_fits(const struct __sk_buff *skb,
				      __u32 offset, __u16 type)
{
	const __u8 *p = (void *)(long)skb->data + offset;
	const __u16 *word = (const __u16 *)p;
	__u32 len = skb->len - offset;

	if ((void *)(p + 6) > (void *)(long)skb->data_end)
		return 0;
	if (type == bpf_htons(ETH_P_IP))
		return p[0] >> 4 == 4 && bpf_ntohs(word[1]) == len;
	return p[0] >> 4 == 6 &&
	       bpf_ntohs(word[2]) + sizeof(struct ipv6hdr) == len;
}

static __always_inline int parse_ipv4_header(const struct iphdr *iph,
					     __u32 offset,
					     struct parse_ip *ip)
{
	if (iph->protocol != IPPROTO_UDP || iph->version != 4 ||
	    iph->ihl < 5)
		return 0;
	ip->daddr = iph->daddr;
	ip->id = 0;
	ip->frag_off = bpf_ntohs(iph->frag_off);
	ip->header = offset;
	ip->v6 = 0;
	ip->payload = offset + iph->ihl * 4;
	return 1;
}

/*
 * The common case, IPv4 without VLAN tag.
 * Return: 1 if @skb is that and UDP, and @ip is filled in; else 0
 */
static __always_inline int parse_ipv4_udp(struct __sk_buff *skb,
					  struct parse_ip *ip)
{
	void *data = (void *)(long)skb->data;
	void *end = (void *)(long)skb->data_end;
	/* Not struct ethhdr: it is packed, so it is loaded byte by byte. */
	const __u16 *eth_proto = data + 2 * ETH_ALEN;
	const struct iphdr *iph = data;
	__u32 offset = 0;

	/*
	 * Ethernet, unless it is too short, or a packet without a link header
	 * and with source address 8.0.x.x: then its length fits.
	 */
	if (data + ETH_HLEN + sizeof(*iph) <= end) {
		if (*eth_proto == bpf_htons(ETH_P_IP) &&
		    (!(iph->version == 4 &&
		       bpf_ntohs(iph->tot_len) == skb->len) ||
		     parse_fits(skb, ETH_HLEN, bpf_htons(ETH_P_IP)))) {
			iph = data + ETH_HLEN;
			offset = ETH_HLEN;
		}
	} else if (data + sizeof(*iph) > end) {
		return 0;
	}
	return parse_ipv4_header(iph, offset, ip);
}

static __always_inline int parse_is_vlan(__u16 type)
{
	return type == bpf_htons(ETH_P_8021Q) ||
	       type == bpf_htons(ETH_P_8021AD);
}

/*
 * Return: offset of what follows the link header; *@type is its EtherType. The
 * bytes read are in the linear part of every packet with an IP header.
 */
static __always_inline __u32 parse_link(struct __sk_buff *skb, __u16 *type)
{
	const void *data = (void *)(long)skb->data;
	const __u16 *eth = data + 2 * ETH_ALEN;

	*type = 0;
	if (data + ETH_HLEN + 2 * PARSE_VLAN > (void *)(long)skb->data_end)
		return 0;
	*type = skb->protocol;
	if (parse_is_vlan(*type)) {
		*type = eth[2];
		if (eth[0] != skb->protocol || !parse_is_vlan(*type))
			return ETH_HLEN + PARSE_VLAN;
		*type = eth[4];
		return ETH_HLEN + 2 * PARSE_VLAN;
	}
	return eth[0] == *type && (!parse_fits(skb, 0, *type) ||
				   parse_fits(skb, ETH_HLEN, *type)) ?
	       ETH_HLEN : 0;
}

/*
 * Skip the extension headers of IPv6 up to UDP, or to the payload of a later
 * fragment, of which only the fragment header is known. External linkage: see
 * walk.h.
 * @payload: offset of the first header
 * @next: its type
 * Return: 0 if it is not UDP, else struct parse_ip's id, frag_off and payload,
 * in 32, 16 and 16 bits: 5.10 takes no pointers here
 */
GLOBAL __u64 parse_ipv6_exts(struct __sk_buff *skb, __u32 payload,
				 __u8 next)
{
	__u8 b[PARSE_EXT] __attribute__((aligned(4)));
	__u32 field, frag_off = 0;
	__u64 id = 0;

	for (int i = 0; i < PARSE_EXTS && next != IPPROTO_UDP; i++) {
		if (next != IPPROTO_HOPOPTS && next != IPPROTO_DSTOPTS &&
		    next != IPPROTO_ROUTING && next != IPPROTO_FRAGMENT)
			return 0;
		if (bpf_skb_load_bytes(skb, payload, b, sizeof(b)))
			return 0;
		if (next != IPPROTO_FRAGMENT) {
			payload += (b[1] + 1) * 8;
			next = b[0];
			continue;
		}
		field = b[2] << 8 | b[3];
		frag_off = field >> 3 | (field & 1 ? IPV4_MF : 0);
		id = *(__u32 *)(b + 4);
		payload += sizeof(b);
		next = b[0];
		if (frag_off & IPV4_OFFSET) {
			if (next == IPPROTO_DSTOPTS)
				next = IPPROTO_UDP;
			break;
		}
	}
	if (next != IPPROTO_UDP)
		return 0;
	return id << 32 | frag_off << 16 | (payload & 0xffff);
}

static __always_inline int parse_ipv6(struct __sk_buff *skb, __u32 offset,
				      struct parse_ip *ip)
{
	const struct ipv6hdr *h = (void *)(long)skb->data + offset;
	const __u32 *daddr = (const __u32 *)&h->daddr;
	__u64 exts;

	if ((void *)(h + 1) > (void *)(long)skb->data_end)
		return 0;
	/* No length: a jumbogram, which no message is sent in */
	if (h->version != 6 || !h->payload_len)
		return 0;
	ip->daddr = ros_addr6(daddr);
	ip->header = offset;
	ip->v6 = 1;
	exts = parse_ipv6_exts(skb, offset + sizeof(*h), h->nexthdr);
	ip->id = exts >> 32;
	ip->frag_off = exts >> 16;
	ip->payload = exts & 0xffff;
	return exts != 0;
}

/* IPv4 addresses and identification. Return: 0, or negative */
static __always_inline int parse_addrs4(struct __sk_buff *skb,
					const struct parse_ip *ip,
					__u32 addrs[2], __u32 *id)
{
	/* The mask is for the verifier: the offset is below PARSE_MAX. */
	const struct iphdr *iph = (void *)(long)skb->data +
				  (ip->header & (PARSE_MAX - 1));

	if ((void *)(iph + 1) > (void *)(long)skb->data_end)
		return -1;
	addrs[0] = iph->saddr;
	addrs[1] = iph->daddr;
	*id = iph->id;
	return 0;
}

/* Both addresses of IPv6. Return: 0, or negative */
static __always_inline int parse_addrs6(struct __sk_buff *skb,
					const struct parse_ip *ip,
					void *addrs)
{
	return bpf_skb_load_bytes(skb, ip->header +
				  offsetof(struct ipv6hdr, saddr), addrs, 32);
}

/* The full destination address of IPv6; IPv4: @daddr6 is not written */
static __always_inline void parse_daddr6(struct __sk_buff *skb,
					 const struct parse_ip *ip,
					 __u8 *daddr6)
{
	if (ip->v6)
		bpf_skb_load_bytes(skb, ip->header +
				   offsetof(struct ipv6hdr, daddr), daddr6,
				   16);
}

/**
 * parse_udp - find the UDP header
 * @skb:	any packet
 * @ip:		out
 *
 * Return: 1 if the packet is UDP over IPv4 or IPv6, else 0
 */
static __always_inline int parse_udp(struct __sk_buff *skb,
				     struct parse_ip *ip)
{
	const struct iphdr *iph;
	__u32 offset;
	__u16 type;

	offset = parse_link(skb, &type);
	if (type == bpf_htons(ETH_P_IPV6))
		return parse_ipv6(skb, offset, ip);
	iph = (void *)(long)skb->data + offset;
	return type == bpf_htons(ETH_P_IP) &&
	       (void *)(iph + 1) <= (void *)(long)skb->data_end &&
	       parse_ipv4_header(iph, offset, ip);
}

#endif
