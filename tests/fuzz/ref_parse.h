/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The reference's parsers: from a packet to a list of what it holds.
 */
#ifndef OPTSAMPLE_FUZZ_REF_PARSE_H
#define OPTSAMPLE_FUZZ_REF_PARSE_H

#include <stdbool.h>
#include <stdint.h>
#include "input.h"

enum { REF_ITEMS = 1024, REF_BEAT = 2 + 12 + 4 + 8 };

/**
 * struct ref_ip - link and IP header
 * @v6:		IPv6
 * @saddr:	4 or 16 bytes, the rest is 0
 * @daddr:
 * @id:		of the datagram that this is a fragment of
 * @more:	more fragments follow
 * @later:	not the first fragment
 * @udp:	offset of the UDP header
 */
struct ref_ip {
	bool		v6;
	uint8_t		saddr[16];
	uint8_t		daddr[16];
	uint32_t	id;
	bool		more;
	bool		later;
	uint32_t	udp;
};

enum ref_what {
	REF_DATA,	/* of a writer */
	REF_CONTROL,	/* of a writer */
	REF_MORE,	/* of no writer, but it must arrive */
	REF_STRANGE,	/* cannot be read; GSO: a datagram unlike the first */
	REF_BROKEN,
};

/**
 * struct ref_item - something in a packet that counts
 * @kind:	enum ros_kind, as over IPv4
 * @guid:	of the writer
 * @number:	of the message; UDPROS: its id
 * @first:	it begins here,
 * @last:	it ends here; UDPROS: not known
 * @block:	UDPROS
 * @repair:	sent for one reader
 * @sampled:	segments: by its flag
 * @profile:	segments
 * @position:	segments
 * @source:	ns, 0: none
 * @header:	ns, 0: none
 * @is_beat:	a whole HEARTBEAT or HEARTBEAT_FRAG,
 * @beat:	what it is about: its kind and flags, INFO_DST, reader, sample
 */
struct ref_item {
	enum ref_what	what;
	enum ros_kind	kind;
	struct ros_guid	guid;
	uint64_t	number;
	bool		first;
	bool		last;
	uint16_t	block;
	bool		repair;
	bool		sampled;
	uint8_t		profile;
	uint64_t	position;
	uint64_t	source;
	uint64_t	header;
	bool		is_beat;
	uint8_t		beat[REF_BEAT];
};

/* Return: true if it is UDP over IP, by an intact header */
bool ref_ip(const struct input_packet *p, struct ref_ip *ip);

/* Return: items in @v, REF_ITEMS at most */
int ref_items(const struct input_packet *p, const struct ref_ip *ip,
	      struct ref_item *v);

#endif
