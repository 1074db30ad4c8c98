// SPDX-License-Identifier: GPL-2.0
/*
 * gso_tag - tag what rtps-gen sends, UDP GSO included
 *
 * For tests of the qdisc alone: trusts every byte. A GSO packet carries
 * gso_segs datagrams; the header of the first one is enough to know the last.
 */
#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>
#include <optsample/tag.h>

enum { RTPS = 14 + 20 + 8, WRITER = RTPS + 34, SN = RTPS + 40,
       FRAG = RTPS + 44, FRAG_SIZE = RTPS + 50, SIZE = RTPS + 52 };

SEC("tc")
int gso_tag(struct __sk_buff *skb)
{
	__u32 frag, size, magic, sn, segs = skb->gso_segs;
	__u16 frag_size;
	__u8 writer;

	skb->cb[0] = 0;
	if (bpf_skb_load_bytes(skb, RTPS, &magic, 4) ||
	    magic != bpf_htonl(0x52545053) ||
	    bpf_skb_load_bytes(skb, WRITER, &writer, 1) ||
	    bpf_skb_load_bytes(skb, SN, &sn, 4) ||
	    bpf_skb_load_bytes(skb, FRAG, &frag, 4) ||
	    bpf_skb_load_bytes(skb, FRAG_SIZE, &frag_size, 2) ||
	    bpf_skb_load_bytes(skb, SIZE, &size, 4))
		return TC_ACT_UNSPEC;
	if (!segs)
		segs = 1;
	skb->cb[0] = OPTSAMPLE_TAG_MARK |
		     (frag == 1 ? OPTSAMPLE_TAG_FIRST : 0) |
		     ((frag - 1 + segs) * frag_size >= size ?
		      OPTSAMPLE_TAG_LAST : 0);
	skb->cb[1] = writer;
	skb->cb[2] = sn;
	skb->cb[3] = sn;
	skb->cb[4] = 0;
	return TC_ACT_UNSPEC;
}

char _license[] SEC("license") = "GPL";
