// SPDX-License-Identifier: GPL-2.0-only
/*
 * ip_addr.c - IPv4 and IPv6 addresses
 */
#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <string.h>
#include "base/ip_addr.h"

unsigned int ip_addr_len(int family)
{
	return family == AF_INET ? 4 : 16;
}

bool ip_addr_same(const struct ip_addr *a, const struct ip_addr *b)
{
	return a->family == b->family &&
	       !memcmp(a->addr, b->addr, sizeof(a->addr));
}

bool ip_addr_same_prefix(const struct ip_addr *a, const struct ip_addr *b,
			 int bits)
{
	uint8_t rest = 0xff00 >> (bits % 8);

	assert(bits >= 0 && bits <= 128);
	return !memcmp(a->addr, b->addr, bits / 8) &&
	       (!rest || !((a->addr[bits / 8] ^ b->addr[bits / 8]) & rest));
}

int ip_addr_parse(const char *text, struct ip_addr *a)
{
	memset(a, 0, sizeof(*a));
	a->family = strchr(text, ':') ? AF_INET6 : AF_INET;
	if (inet_pton(a->family, text, a->addr) == 1)
		return 0;
	memset(a, 0, sizeof(*a));
	return -EINVAL;
}

const char *ip_addr_text(const struct ip_addr *a, char text[IP_ADDR_TEXT])
{
	if (!inet_ntop(a->family, a->addr, text, IP_ADDR_TEXT))
		*text = '\0';
	return text;
}
