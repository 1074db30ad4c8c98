// SPDX-License-Identifier: GPL-2.0
/*
 * What mac80211 does with a packet, for tests of what comes back from the air:
 * it clones one whose owner asks for its status, makes the frame in a copy,
 * and sends the clone to the owner as a report when the frame is done with.
 */
#include <linux/bottom_half.h>
#include <linux/string.h>
#include <net/sock.h>
#include "radio.h"

static struct sk_buff_head radio_air;	/* frames, oldest first */
static struct sk_buff_head radio_leaked;
static bool radio_on;

struct radio_frame {
	struct sk_buff *report;		/* or NULL */
};

static struct radio_frame *radio_frame(struct sk_buff *frame)
{
	return (struct radio_frame *)frame->cb;
}

static bool radio_asked(const struct sk_buff *skb)
{
#ifdef SKBTX_HW_TSTAMP	/* a macro since 6.15 */
	return skb->sk && sock_flag(skb->sk, SOCK_WIFI_STATUS);
#else
	return skb->sk && skb_shinfo(skb)->tx_flags & SKBTX_WIFI_STATUS;
#endif
}

/* @skb is consumed. */
int radio_send(struct sk_buff *skb)
{
	struct sk_buff *report = NULL;

	if (!radio_on) {
		skb_queue_head_init(&radio_air);
		skb_queue_head_init(&radio_leaked);
		radio_on = true;
	}
	if (radio_asked(skb))
		report = skb_clone_sk(skb);
	if (pskb_expand_head(skb, 32, 0, GFP_ATOMIC)) {
		kfree_skb(report);
		kfree_skb(skb);
		return -ENOMEM;
	}
	radio_frame(skb)->report = report;
	skb_queue_tail(&radio_air, skb);
	return 0;
}

/*
 * @fate of the oldest frames: ack, nack; mute: freed without a report;
 * leak: never freed, nor reported
 */
int radio_settle(const char *fate, u32 frames)
{
	struct sk_buff *frame, *report;

	while (radio_on && frames-- && (frame = skb_dequeue(&radio_air))) {
		report = radio_frame(frame)->report;
		local_bh_disable();
		if (!strcmp(fate, "leak")) {
			skb_queue_tail(&radio_leaked, frame);
			local_bh_enable();
			continue;
		}
		if (report && strcmp(fate, "mute"))
			skb_complete_wifi_ack(report, !strcmp(fate, "ack"));
		else
			kfree_skb(report);
		consume_skb(frame);
		local_bh_enable();
	}
	return 0;
}

static void radio_purge(struct sk_buff_head *list)
{
	struct sk_buff *frame;

	while ((frame = skb_dequeue(list))) {
		kfree_skb(radio_frame(frame)->report);
		kfree_skb(frame);
	}
}

void radio_exit(void)
{
	if (!radio_on)
		return;
	radio_purge(&radio_air);
	radio_purge(&radio_leaked);
}
