// SPDX-License-Identifier: GPL-2.0-only
/*
 * Builds and reads packets for the classifier tests. Checksums stay zero:
 * the classifier does not look at them. Little-endian hosts only.
 */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <optsample/segment.h>
#include "packet.h"

enum {
	ETH_LEN		= 14,
	IP_LEN		= 20,
	UDP_LEN		= 8,
};

const uint8_t packet_prefix[12] = {
	0x01, 0x10, 0xc8, 0xcf, 0x98, 0xd9, 0xa4, 0x13, 0xd5, 0x6f, 0xb3, 0xa5
};

static void put16(uint8_t *at, uint16_t v)
{
	at[0] = v >> 8;
	at[1] = v;
}

void packet_bytes(struct packet *p, const void *bytes, uint32_t n)
{
	if (p->len + n > PACKET_MAX)
		abort();
	memcpy(p->data + p->len, bytes, n);
	p->len += n;
}

void packet_zero(struct packet *p, uint32_t n)
{
	if (p->len + n > PACKET_MAX)
		abort();
	memset(p->data + p->len, 0, n);
	p->len += n;
}

void packet_u16(struct packet *p, uint16_t v)
{
	if (p->big)
		v = htons(v);
	packet_bytes(p, &v, sizeof(v));
}

void packet_u32(struct packet *p, uint32_t v)
{
	if (p->big)
		v = htonl(v);
	packet_bytes(p, &v, sizeof(v));
}

static void entity(struct packet *p, uint32_t v)
{
	v = htonl(v);
	packet_bytes(p, &v, sizeof(v));
}

static void ipv4(struct packet *p, uint8_t proto, uint8_t host)
{
	uint8_t eth[ETH_LEN] = { 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0 };
	uint8_t ip[IP_LEN] = { 0x45, 0, 0, 0, 0, 0, 0, 0, 64, proto, 0, 0,
			       10, 0, 0, 1, 10, 0, 0, host };

	memset(p, 0, sizeof(*p));
	packet_bytes(p, eth, sizeof(eth));
	packet_bytes(p, ip, sizeof(ip));
}

void packet_udp(struct packet *p, uint8_t host, uint16_t port)
{
	ipv4(p, 17, host);
	p->udp = p->len;
	packet_zero(p, UDP_LEN);
	put16(p->data + p->udp, 40000);
	put16(p->data + p->udp + 2, port);
}

void packet_tcp(struct packet *p)
{
	ipv4(p, 6, 2);
	packet_zero(p, 1480);
	p->data[p->len - 1480 + 12] = 0x50;
	packet_end(p, 0);
}

void packet_rtps_header(struct packet *p, uint16_t vendor)
{
	uint8_t head[8] = { 'R', 'T', 'P', 'S', 2, 1, vendor >> 8, vendor };

	packet_bytes(p, head, sizeof(head));
	packet_bytes(p, packet_prefix, sizeof(packet_prefix));
}

void packet_rtps(struct packet *p, uint8_t host, uint16_t port,
		 uint16_t vendor)
{
	packet_udp(p, host, port);
	packet_rtps_header(p, vendor);
}

void packet_udpros(struct packet *p, uint8_t op, uint8_t id, uint16_t block)
{
	uint8_t head[8] = { 7, 0, 0, 0, op, id, block, block >> 8 };

	packet_bytes(p, head, sizeof(head));
}

void packet_segment(struct packet *p, const struct optsample_segment *s,
		    uint32_t payload)
{
	packet_bytes(p, s, sizeof(*s));
	packet_zero(p, payload);
}

void packet_sub(struct packet *p, uint8_t id, uint8_t flags)
{
	uint8_t b[4] = { id, flags | !p->big };

	p->sub = p->len;
	packet_bytes(p, b, sizeof(b));
}

static void sub_length(struct packet *p, uint32_t n)
{
	uint32_t len = p->len;

	p->len = p->sub + 2;
	packet_u16(p, n);
	p->len = len;
}

void packet_sub_end(struct packet *p)
{
	sub_length(p, p->len - p->sub - 4);
}

void packet_info_ts_at(struct packet *p, uint32_t sec, uint32_t fraction)
{
	packet_sub(p, 0x09, 0);
	packet_u32(p, sec);
	packet_u32(p, fraction);
	packet_sub_end(p);
}

void packet_info_ts(struct packet *p)
{
	packet_info_ts_at(p, 0, 0);
}

void packet_info_dst(struct packet *p)
{
	packet_sub(p, 0x0e, 0);
	packet_zero(p, 12);
	packet_sub_end(p);
}

static void sample(struct packet *p, uint8_t id, uint16_t to_qos,
		   uint32_t reader, uint32_t writer, int64_t sn)
{
	packet_sub(p, id, id == 0x15 ? 0x04 : 0);
	packet_u16(p, 0);
	packet_u16(p, to_qos);
	entity(p, reader);
	entity(p, writer);
	packet_u32(p, (uint64_t)sn >> 32);
	packet_u32(p, sn);
}

void packet_data(struct packet *p, uint32_t reader, uint32_t writer,
		 int64_t sn, uint32_t payload)
{
	sample(p, 0x15, 16, reader, writer, sn);
	packet_zero(p, payload);
	packet_sub_end(p);
}

void packet_data_frag(struct packet *p, uint32_t reader, uint32_t writer,
		      int64_t sn, const struct frag *f, uint32_t payload)
{
	uint32_t n = (uint32_t)f->count * f->size;
	uint32_t left = f->sample - (f->start - 1) * f->size;

	sample(p, 0x16, 28, reader, writer, sn);
	packet_u32(p, f->start);
	packet_u16(p, f->count);
	packet_u16(p, f->size);
	packet_u32(p, f->sample);
	packet_zero(p, payload);
	sub_length(p, 32 + (n < left ? n : left));
}

void packet_heartbeat(struct packet *p, uint8_t id, uint32_t writer,
		      int64_t sn)
{
	packet_sub(p, id, 0);
	entity(p, 0);
	entity(p, writer);
	packet_u32(p, (uint64_t)sn >> 32);
	packet_u32(p, sn);
	packet_zero(p, id == 0x13 ? 8 : 12);
	packet_sub_end(p);
}

void packet_end(struct packet *p, uint32_t more)
{
	put16(p->data + ETH_LEN + 2, p->len - ETH_LEN);
	if (p->udp)
		put16(p->data + p->udp + 4, p->len - p->udp + more);
}

void packet_ip(struct packet *p, uint16_t id, uint16_t frag_off)
{
	put16(p->data + ETH_LEN + 4, id);
	put16(p->data + ETH_LEN + 6, frag_off);
}

void packet_ip_frag(struct packet *p, const struct packet *first,
		    uint32_t offset, bool more, uint32_t n)
{
	memset(p, 0, sizeof(*p));
	packet_bytes(p, first->data, ETH_LEN + IP_LEN);
	put16(p->data + ETH_LEN + 6, offset / 8 | (more ? 0x2000 : 0));
	packet_zero(p, n);
	packet_end(p, 0);
}
