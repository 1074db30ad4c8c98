/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which Wi-Fi network an interface is in, from nl80211.
 */
#ifndef NETDEV_NETWORK_H
#define NETDEV_NETWORK_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct network - a Wi-Fi network
 * @ssid:	its name, any bytes
 * @ssid_len:	0: none
 */
struct network {
	uint8_t	ssid[32];
	uint8_t	ssid_len;
};

/* Return: whether @dev is associated with a network; @n gets it */
bool network_read(const char *dev, struct network *n);
bool network_same(const struct network *a, const struct network *b);

#endif
