// SPDX-License-Identifier: GPL-2.0-only
/*
 * port_tag.bpf.c - every UDP datagram to port 5555 is a message of flow 7
 */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/udp.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>
#include <optsample/tag.h>

static __u32 count;

SEC("tc")
int tag(struct __sk_buff *skb)
{
	struct udphdr udp = {};

	bpf_skb_load_bytes(skb, ETH_HLEN + sizeof(struct iphdr), &udp,
			   sizeof(udp));
	if (skb->protocol != bpf_htons(ETH_P_IP) ||
	    udp.dest != bpf_htons(5555))
		return -1;
	skb->cb[0] = OPTSAMPLE_TAG_MARK | OPTSAMPLE_TAG_FIRST |
		     OPTSAMPLE_TAG_LAST;
	skb->cb[1] = 7;
	skb->cb[2] = ++count;
	skb->cb[3] = count;
	skb->cb[4] = 0;
	return -1;
}

char _license[] SEC("license") = "GPL";
