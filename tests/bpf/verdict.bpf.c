// SPDX-License-Identifier: GPL-2.0-only
/* verdict - what a program of a qdisc has no use for, by the packet's mark */
#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include <bpf/bpf_helpers.h>

SEC("tc")
int verdict(struct __sk_buff *skb)
{
	switch (skb->mark) {
	case 1:
		return bpf_redirect(skb->ifindex, 0);
	case 2:
		return TC_ACT_QUEUED;
	default:
		return TC_ACT_UNSPEC;
	}
}

char _license[] SEC("license") = "GPL";
