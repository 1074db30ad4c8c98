// SPDX-License-Identifier: GPL-2.0-only
/*
 * Inputs of the fuzzer. Little-endian hosts only.
 */
#include <string.h>
#include "input.h"

#define PREFIX	{ 0x01, 0x10, 0xc8, 0xcf, 0x98, 0xd9, 0xa4, 0x13, 0xd5, \
		  0x6f, 0xb3, 0xa5 }
#define RTPS(n)	{ PREFIX, 0x03000000U | (n) << 16 }
/* 10.0.0.1 (or 8.0.0.1) port 40000 to 10.0.0.2 */
#define UDPROS(net, port) { { net, 0, 0, 1, 10, 0, 0, 2, 0x9c, 0x40,	\
			      (port) >> 8, (port) & 0xff },		\
			    ROS_ENTITY_UDPROS }

const struct input_writer input_writers[] = {
	{ RTPS(1), { .flow = 1 } },
	{ RTPS(2), { .flow = 2, .profile = 9 } },
	{ RTPS(3), { .flow = 3, .by = ROS_BY_SOURCE } },
	{ RTPS(4), { .flow = 4, .by = ROS_BY_HEADER, .profile = 255 } },
	{ RTPS(5), { .flow = 5, .by = ROS_BY_DISTANCE } },
	{ UDPROS(10, 34283), { .flow = 6 } },
	{ UDPROS(10, 34284), { .flow = 7, .by = ROS_BY_HEADER } },
	{ UDPROS(8, 34283), { .flow = 8, .by = ROS_BY_DISTANCE } },
};

const unsigned int input_nwriters = sizeof(input_writers) /
				    sizeof(*input_writers);

static void put16(uint8_t *at, uint32_t v)
{
	at[0] = v >> 8;
	at[1] = v;
}

/* Lengths of IP and UDP as those of the packet, where they are found */
static void fix(struct input_packet *p)
{
	uint32_t ip = 14, udp = 0;

	while (ip < 22 && p->data[ip - 2] == 0x81 && !p->data[ip - 1])
		ip += 4;
	if (p->data[ip - 2] == 8 && !p->data[ip - 1]) {
		put16(p->data + ip + 2, p->len - ip);
		udp = ip + 20;
	} else if (p->data[ip - 2] == 0x86 && p->data[ip - 1] == 0xdd) {
		put16(p->data + ip + 4, p->len - ip - 40);
		udp = ip + 40;
	}
	if (udp && udp < p->len)
		put16(p->data + udp + 4, p->len - udp);
}

int input_next(const uint8_t **at, const uint8_t *end,
	       struct input_packet *p)
{
	const uint8_t *b = *at;
	uint32_t n, linear;

	if (end - b < INPUT_HEADER)
		return 0;
	n = (b[0] | b[1] << 8) & 0xfff;
	p->len = (b[2] | b[3] << 8) & 0xfff;
	linear = b[4] * 16;
	p->gso = b[5] * 8;
	if (n > end - b - INPUT_HEADER)
		n = end - b - INPUT_HEADER;
	if (n > INPUT_PACKET)
		n = INPUT_PACKET;
	if (p->len > INPUT_PACKET)
		p->len = INPUT_PACKET;
	if (p->len < n)
		p->len = n;
	if (p->len < INPUT_LINEAR)
		p->len = INPUT_LINEAR;
	memset(p->data, 0, p->len);
	memcpy(p->data, b + INPUT_HEADER, n);
	if (!linear || linear > p->len)
		linear = p->len;
	p->linear = linear < INPUT_LINEAR ? INPUT_LINEAR : linear;
	if ((b[0] | b[1] << 8) & INPUT_FIX)
		fix(p);
	*at = b + INPUT_HEADER + n;
	return 1;
}

int corpus_next(FILE *f, uint8_t *b)
{
	uint32_t n;

	if (fread(&n, sizeof(n), 1, f) != 1)
		return 0;
	if (!n || n > INPUT_MAX || fread(b, n, 1, f) != 1)
		return -1;
	return n;
}
