/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Packets for the classifier tests: built by hand, or read from a capture.
 */
#ifndef OPTSAMPLE_TEST_PACKET_H
#define OPTSAMPLE_TEST_PACKET_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <optsample/segment.h>

enum { PACKET_MAX = 3400 };	/* what BPF_PROG_TEST_RUN takes */

/**
 * struct packet - one Ethernet frame
 * @data:	its bytes
 * @len:	their number
 * @udp:	offset of the UDP header, 0 if there is none
 * @sub:	offset of the submessage being built
 * @big:	submessages are big endian
 * @gso:	bytes of a datagram of a UDP GSO packet, 0: it is none
 */
struct packet {
	uint8_t		data[PACKET_MAX];
	uint32_t	len;
	uint32_t	udp;
	uint32_t	sub;
	bool		big;
	uint16_t	gso;
};

/**
 * struct frag - what DATA_FRAG says
 * @start:	number of its first fragment, from 1
 * @count:	fragments in the submessage
 * @size:	bytes of one
 * @sample:	bytes of the whole sample
 */
struct frag {
	uint32_t	start;
	uint16_t	count;
	uint16_t	size;
	uint32_t	sample;
};

extern const uint8_t packet_prefix[12];	/* of the participant */
enum {
	PACKET_WRITER	= 0x00000103,	/* as a number, byte by byte */
	PACKET_OTHER	= 0x00000203,
	PACKET_BUILTIN	= 0x000100c2,
	PACKET_READER	= 0x00000104,
};

/* Ethernet, IPv4 and UDP from 10.0.0.1:40000 to 10.0.0.@host:@port */
void packet_udp(struct packet *p, uint8_t host, uint16_t port);
void packet_tcp(struct packet *p);
/* UDP and an RTPS header of @vendor, little endian from here on */
void packet_rtps(struct packet *p, uint8_t host, uint16_t port,
		 uint16_t vendor);

void packet_bytes(struct packet *p, const void *bytes, uint32_t n);
void packet_zero(struct packet *p, uint32_t n);
void packet_u16(struct packet *p, uint16_t v);	/* in p->big order */
void packet_u32(struct packet *p, uint32_t v);

/* A submessage: start, then its body, then end (which sets the length) */
void packet_sub(struct packet *p, uint8_t id, uint8_t flags);
void packet_sub_end(struct packet *p);
void packet_info_ts(struct packet *p);
/* Seconds, and 1/2^32 of them */
void packet_info_ts_at(struct packet *p, uint32_t sec, uint32_t fraction);
void packet_info_dst(struct packet *p);
void packet_data(struct packet *p, uint32_t reader, uint32_t writer,
		 int64_t sn, uint32_t payload);
/* @payload: bytes that this packet holds of it; the rest is further IP
 * fragments, which packet_end() makes room for.
 */
void packet_data_frag(struct packet *p, uint32_t reader, uint32_t writer,
		      int64_t sn, const struct frag *f, uint32_t payload);
void packet_heartbeat(struct packet *p, uint8_t id, uint32_t writer,
		      int64_t sn);

/* RTPS header: one more, of the next datagram of a GSO packet */
void packet_rtps_header(struct packet *p, uint16_t vendor);

/* UDPROS, from @packet_udp's addresses: its header, and that of a segment */
void packet_udpros(struct packet *p, uint8_t op, uint8_t id, uint16_t block);
/* Initializer of a segment's header, and what else is given */
#define PACKET_SEGMENT(...) {						\
	.magic = OPTSAMPLE_SEGMENT_MAGIC,				\
	.version = OPTSAMPLE_SEGMENT_VERSION,				\
	.flags = OPTSAMPLE_SEGMENT_SAMPLE,				\
	.header = sizeof(struct optsample_segment),			\
	__VA_ARGS__							\
}
void packet_segment(struct packet *p, const struct optsample_segment *s,
		    uint32_t payload);

/* Set the lengths. @more: UDP payload in later IP fragments */
void packet_end(struct packet *p, uint32_t more);
/* IP id and fragment field (flags and offset / 8) of a finished packet */
void packet_ip(struct packet *p, uint16_t id, uint16_t frag_off);
/* A later IP fragment of @first, @n bytes */
void packet_ip_frag(struct packet *p, const struct packet *first,
		    uint32_t offset, bool more, uint32_t n);

/*
 * A finished packet of UDP over IPv4, in another frame. Extension headers:
 */
enum {
	PACKET_HOP	= 1,	/* before a fragment header, */
	PACKET_ROUTING	= 2,
	PACKET_DST	= 4,
	PACKET_DST2	= 8,	/* or behind it */
};

/* Over IPv6: addresses become fd00::a.b.c.d, or ff05::; fragments too */
void packet_ipv6(struct packet *p, int exts);
/* To another address of IPv6 that ros_addr6() does not tell from its own */
void packet_ipv6_twin(struct packet *p);
/* @tags: 1 802.1Q, 2 802.1ad and 802.1Q, 3 one more */
void packet_vlan(struct packet *p, int tags);
/*
 * Without link header. Where the type would be, TEST_RUN wants one: a source
 * address of 8.0.x.x, or one with 86dd.
 */
void packet_no_link(struct packet *p);

/**
 * packet_capture_next - next frame of a pcap or pcapng file
 * @f:	at its beginning for the first call
 * @p:	the frame, zeros where the capture was cut, at most 1514 bytes
 *
 * Return: 1, 0 at the end, -1 if it cannot be read
 */
int packet_capture_next(FILE *f, struct packet *p);

#endif
