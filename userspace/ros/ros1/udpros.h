/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * udpros.h - UDPROS datagrams: header, and reassembly of messages
 *
 * A message is `u32 length, bytes`, cut into blocks of one size; only the last
 * one may be shorter. Block 0 has their number, the others have their index.
 * Blocks may arrive in any order and twice. One message is reassembled at a
 * time: the first block of the next one drops an incomplete one (unlike in
 * roscpp's subscriber, the connection continues).
 *
 * Source: roscpp 1.15, transport_udp.cpp.
 */
#ifndef ROS_ROS1_UDPROS_H
#define ROS_ROS1_UDPROS_H

#include <stdbool.h>
#include "base/bytes.h"

enum {
	UDPROS_HEADER	= 8,
	/* one packet on an Ethernet, unlike roscpp's 1500 */
	UDPROS_DATAGRAM	= 1472,
	UDPROS_BLOCKS	= 65535,
};

enum udpros_op { UDPROS_DATA0, UDPROS_DATAN, UDPROS_PING, UDPROS_ERR };

/**
 * struct udpros_in - reassembly of one connection
 * @message:	length and bytes; complete if udpros_add() returned 1
 * @have:	a bit for each block
 * @block:	bytes of a block
 * @max:	bytes of a message, at most
 * @connection:	its number, from the publisher
 * @total:	number of blocks; 0: unknown yet
 * @got:	number of different blocks
 * @highest:	highest index of them
 * @tail:	index of the shorter block, if @size is not 0
 * @size:	bytes of @message, known from @tail; 0: unknown yet
 * @id:		1 to 255; 0: nothing received yet
 * @done:	complete, or refused: ignore the rest
 * @at:		ms, of the last datagram
 */
struct udpros_in {
	struct bytes	message;
	uint8_t		*have;
	size_t		block;
	size_t		max;
	uint32_t	connection;
	unsigned int	total;
	unsigned int	got;
	unsigned int	highest;
	unsigned int	tail;
	size_t		size;
	uint8_t		id;
	bool		done;
	uint64_t	at;
	uint64_t	refused;
	uint64_t	incomplete;
	uint64_t	missing;
};

/**
 * udpros_open - prepare for a connection
 * @datagram: negotiated size, bytes; more than UDPROS_HEADER
 * Return: 0 or -ENOMEM
 */
int udpros_open(struct udpros_in *u, uint32_t connection, size_t datagram,
		size_t max);
void udpros_close(struct udpros_in *u);

/**
 * udpros_add - add a datagram
 * @now: ms
 *
 * Return: 1: @message is complete (bytes after its 4 of length); 0: not yet;
 * -EEXIST: a duplicate, or of an older message; -EPROTO: invalid, or of another
 * connection; -EMSGSIZE: the message is too large; -ENOMEM
 */
int udpros_add(struct udpros_in *u, const uint8_t *p, size_t len,
	       uint64_t now);

/* The header of block @i of @total, UDPROS_HEADER bytes */
void udpros_put(uint8_t *p, uint32_t connection, uint8_t id, unsigned int i,
		unsigned int total);
/* Return: the number of the next message: 1 to 255 */
static inline uint8_t udpros_next(uint8_t id)
{
	return id == 255 ? 1 : id + 1;
}

#endif
