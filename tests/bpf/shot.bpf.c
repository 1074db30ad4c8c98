// SPDX-License-Identifier: GPL-2.0-only
/* shot - drop packets by their mark: 1 with an error, 2 silently */
#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include <bpf/bpf_helpers.h>

SEC("tc")
int shot(struct __sk_buff *skb)
{
	switch (skb->mark) {
	case 1:
		return TC_ACT_SHOT;
	case 2:
		return TC_ACT_STOLEN;
	default:
		return TC_ACT_UNSPEC;
	}
}

char _license[] SEC("license") = "GPL";
