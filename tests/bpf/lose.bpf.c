// SPDX-License-Identifier: GPL-2.0-only
/*
 * lose - a link that loses packets by chance, where there is no netem
 *
 * Sections are named by the loss in percent. At ingress, so that the sender
 * does not notice. In one section only the greetings of Fast DDS's writers are
 * lost: heartbeats that say that nothing was written yet.
 */
#include <stdbool.h>
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

/* Their offset in a packet of Fast DDS: after a participant's address */
enum {
	RTPS		= 14 + 20 + 8,
	INFO_DST	= RTPS + 20,
	HEARTBEAT	= INFO_DST + 16,
};

/* From a writer's id on, little-endian; high halves are 0 */
struct heartbeat {
	__u8	id, flags, length[2], reader[4], writer[4];
	__u32	first[2], last[2];
};

static __always_inline bool is_greeting(struct __sk_buff *skb)
{
	struct heartbeat h;
	__u8 info;

	if (bpf_skb_load_bytes(skb, INFO_DST, &info, 1) || info != 0x0e ||
	    bpf_skb_load_bytes(skb, HEARTBEAT, &h, sizeof(h)))
		return false;
	/* the last byte of a writer's id: 3 is one of a program, without a key */
	return h.id == 0x07 && h.writer[3] == 0x03 && h.last[1] < h.first[1];
}

SEC("lose_greetings")
int drop_greetings(struct __sk_buff *skb)
{
	return is_greeting(skb) ? TC_ACT_SHOT : TC_ACT_OK;
}

char _license[] SEC("license") = "GPL";
