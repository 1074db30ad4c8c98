// SPDX-License-Identifier: GPL-2.0-only
/*
 * Puts finished packets of UDP over IPv4 into other frames: IPv6, VLAN tags,
 * no link header.
 */
#include <stdlib.h>
#include <string.h>
#include "../../bpf/ros_tag.h"
#include "packet.h"

enum { ETH_LEN = 14, IP_LEN = 20, IP6_LEN = 40, EXT_LEN = 8, VLAN_LEN = 4 };

/* Make room for @n bytes at @at */
static uint8_t *insert(struct packet *p, uint32_t at, uint32_t n)
{
	if (p->len + n > PACKET_MAX)
		abort();
	memmove(p->data + at + n, p->data + at, p->len - at);
	memset(p->data + at, 0, n);
	p->len += n;
	if (p->udp >= at)
		p->udp += n;
	if (p->sub >= at)
		p->sub += n;
	return p->data + at;
}

/* Insert an extension header at *@at, of type @type; *@next: what follows */
static uint8_t *extension(struct packet *p, uint32_t *at, uint32_t *next,
			  uint8_t type)
{
	uint8_t *b = insert(p, *at, EXT_LEN);

	b[0] = p->data[*next];
	p->data[*next] = type;
	*next = *at;
	*at += EXT_LEN;
	return b;
}

static void address6(uint8_t *to, const uint8_t *v4)
{
	to[0] = v4[0] >= 224 ? 0xff : 0xfd;
	to[1] = v4[0] >= 224 ? 5 : 0;
	memcpy(to + 12, v4, 4);
}

void packet_ipv6(struct packet *p, int exts)
{
	uint32_t at = ETH_LEN + IP6_LEN, next = ETH_LEN + 6, n;
	uint8_t v4[IP_LEN], *ip, *b;

	memcpy(v4, p->data + ETH_LEN, IP_LEN);
	insert(p, ETH_LEN, IP6_LEN - IP_LEN);
	ip = p->data + ETH_LEN;
	memset(ip, 0, IP6_LEN);
	memcpy(ip - 2, "\x86\xdd\x60", 3);
	ip[6] = v4[9];
	ip[7] = v4[8];
	address6(ip + 8, v4 + 12);
	address6(ip + 24, v4 + 16);
	if (exts & PACKET_HOP)
		extension(p, &at, &next, 0);
	if (exts & PACKET_ROUTING)
		extension(p, &at, &next, 43);
	if (exts & PACKET_DST)
		extension(p, &at, &next, 60);
	if ((v4[6] & 0x3f) | v4[7]) {
		b = extension(p, &at, &next, 44);
		n = ((v4[6] & 0x1f) << 8 | v4[7]) << 3 | !!(v4[6] & 0x20);
		b[2] = n >> 8;
		b[3] = n;
		memcpy(b + 6, v4 + 4, 2);
	}
	if (exts & PACKET_DST2)
		extension(p, &at, &next, 60);
	n = (v4[2] << 8 | v4[3]) - IP_LEN + at - ETH_LEN - IP6_LEN;
	ip[4] = n >> 8;
	ip[5] = n;
}

void packet_vlan(struct packet *p, int tags)
{
	static const uint8_t type[3][2] = {
		{ 0x81, 0 }, { 0x88, 0xa8 }, { 0x88, 0xa8 },
	};

	for (int i = 0; i < tags; i++) {
		uint8_t *tag = insert(p, ETH_LEN - 2, VLAN_LEN);

		memcpy(tag, type[i], 2);
		tag[3] = 5;
	}
}

void packet_ipv6_twin(struct packet *p)
{
	uint32_t a[4], hash;

	memcpy(a, p->data + 38, sizeof(a));
	hash = ros_addr6(a);
	a[2] ^= 0x5555;
	a[3] += hash - ros_addr6(a);
	if (ros_addr6(a) != hash)
		abort();
	memcpy(p->data + 38, a, sizeof(a));
}

void packet_no_link(struct packet *p)
{
	uint8_t *type = p->data + ETH_LEN - 2;
	uint8_t v6 = type[0] == 0x86;

	p->len -= ETH_LEN;
	memmove(p->data, p->data + ETH_LEN, p->len);
	memcpy(p->data + 12, v6 ? "\x86\xdd" : "\x08\x00", 2);
	p->udp = 0;
}
