/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hwsim.h - the netlink protocol between mac80211_hwsim and a medium
 *
 * The kernel does not export its drivers/net/wireless/.../mac80211_hwsim.h;
 * these are the numbers of it that a medium needs. They never change.
 */
#ifndef OPTSAMPLE_HWSIM_H
#define OPTSAMPLE_HWSIM_H

#include <stdint.h>

#define HWSIM_FAMILY	"MAC80211_HWSIM"

enum {
	HWSIM_CMD_REGISTER = 1,
	HWSIM_CMD_FRAME = 2,
	HWSIM_CMD_TX_INFO_FRAME = 3,
};

enum {
	HWSIM_ATTR_ADDR_RECEIVER = 1,
	HWSIM_ATTR_ADDR_TRANSMITTER = 2,
	HWSIM_ATTR_FRAME = 3,
	HWSIM_ATTR_FLAGS = 4,
	HWSIM_ATTR_RX_RATE = 5,
	HWSIM_ATTR_SIGNAL = 6,
	HWSIM_ATTR_TX_INFO = 7,
	HWSIM_ATTR_COOKIE = 8,
	HWSIM_ATTR_FREQ = 19,
	HWSIM_ATTR_LAST = 31,
};

#define HWSIM_TX_CTL_NO_ACK	(1U << 1)
#define HWSIM_TX_STAT_ACK	(1U << 2)

struct hwsim_tx_rate {
	int8_t	idx;
	uint8_t	count;
} __attribute__((packed));

#define HWSIM_RATES	4

#endif /* OPTSAMPLE_HWSIM_H */
