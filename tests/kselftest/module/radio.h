/* SPDX-License-Identifier: GPL-2.0 */
#ifndef OPTSAMPLE_TEST_RADIO_H
#define OPTSAMPLE_TEST_RADIO_H

#include <linux/skbuff.h>

int radio_send(struct sk_buff *skb);
int radio_settle(const char *fate, u32 frames);
void radio_exit(void);

#endif
