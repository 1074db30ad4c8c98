/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ip_addr.h - IPv4 and IPv6 addresses
 */
#ifndef BASE_IP_ADDR_H
#define BASE_IP_ADDR_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct ip_addr - an address
 * @family: AF_INET, AF_INET6; 0: none
 * @addr: in network byte order; unused bytes are 0
 */
struct ip_addr {
	int	family;
	uint8_t	addr[16];
};

enum { IP_ADDR_TEXT = 64 };

/* Bytes of an address of @family */
unsigned int ip_addr_len(int family);
bool ip_addr_same(const struct ip_addr *a, const struct ip_addr *b);
/* Do the first @bits of two addresses of one family agree? */
bool ip_addr_same_prefix(const struct ip_addr *a, const struct ip_addr *b,
			 int bits);

/* Return: 0, or -EINVAL: @text is not an address */
int ip_addr_parse(const char *text, struct ip_addr *a);
/* "" for no address. Return: @text */
const char *ip_addr_text(const struct ip_addr *a, char text[IP_ADDR_TEXT]);

#endif
