// SPDX-License-Identifier: GPL-2.0
/*
 * redirect - give what leaves DEV to the queue, an optsample device
 *
 * Attached to clsact egress of DEV. mirred would copy each packet, and the copy
 * has no socket; bpf_redirect() moves the packet itself.
 *
 * What comes back from the queue has the queue as its ingress interface. The
 * queue never receives, so nothing else does, whatever a program sends.
 *
 * EAPOL passes, or the link could never come up.
 */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/pkt_cls.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

const volatile __u32 redirect_queue;	/* ifindex */

SEC("tc")
int redirect(struct __sk_buff *skb)
{
	if (skb->ingress_ifindex == redirect_queue ||
	    skb->protocol == bpf_htons(ETH_P_PAE))
		return TC_ACT_UNSPEC;
	return bpf_redirect(redirect_queue, 0);
}

char _license[] SEC("license") = "GPL";
