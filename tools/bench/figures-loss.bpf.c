// SPDX-License-Identifier: GPL-2.0-only
/*
 * figures-loss - loses packets at random, where the kernel has no netem
 *
 * For the ingress of an interface: LOSS of 1000 packets are dropped,
 * independently of each other. ARP is spared, as netem at the other end's
 * egress would not do: without an address nothing at all is measured.
 */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/pkt_cls.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

SEC("tc")
int figures_loss(struct __sk_buff *skb)
{
	if (skb->protocol == bpf_htons(ETH_P_ARP))
		return TC_ACT_OK;
	return bpf_get_prandom_u32() % 1000 < LOSS ? TC_ACT_SHOT : TC_ACT_OK;
}

char figures_license[] SEC("license") = "GPL";
