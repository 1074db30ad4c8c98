// SPDX-License-Identifier: GPL-2.0-only
/*
 * lose - a link that loses packets by chance, where there is no netem
 *
 * Sections by the loss in percent. At ingress, so that who sends does not know.
 */
#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include <bpf/bpf_helpers.h>

static __always_inline int lose(unsigned int percent)
{
	return bpf_get_prandom_u32() % 100 < percent ? TC_ACT_SHOT : TC_ACT_OK;
}

#define LOSE(percent)							\
SEC("lose" #percent)							\
int drop##percent(struct __sk_buff *skb)				\
{									\
	(void)skb;							\
	return lose(percent);						\
}
LOSE(1)
LOSE(5)
LOSE(20)

char _license[] SEC("license") = "GPL";
