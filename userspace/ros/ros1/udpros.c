// SPDX-License-Identifier: GPL-2.0-only
/*
 * udpros.c - UDPROS datagrams: header, and reassembly of messages
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/wire.h"
#include "udpros.h"

enum {
	IDS		= 255,
	/* A message up to this far back is late, not far ahead, ... */
	LATE		= 8,
	/* ... unless there was a pause: then ids may have wrapped. */
	STALE_MS	= 100,
};

int udpros_open(struct udpros_in *u, uint32_t connection, size_t datagram,
		size_t max)
{
	memset(u, 0, sizeof(*u));
	u->have = calloc(UDPROS_BLOCKS / 8 + 1, 1);
	if (!u->have)
		return -ENOMEM;
	u->connection = connection;
	u->block = datagram - UDPROS_HEADER;
	u->max = max;
	return 0;
}

void udpros_close(struct udpros_in *u)
{
	bytes_free(&u->message);
	free(u->have);
	u->have = NULL;
}

static bool udpros_has(const struct udpros_in *u, unsigned int i)
{
	return u->have[i / 8] & 1 << i % 8;
}

/* Drop the current message, start with message @id */
static void udpros_begin(struct udpros_in *u, uint8_t id)
{
	if (u->id && !u->done)
		u->incomplete++;
	if (u->id)
		u->missing += (unsigned int)(id - u->id + IDS - 1) % IDS;
	memset(u->have, 0, u->highest / 8 + 1);
	u->total = u->got = u->highest = u->tail = 0;
	u->size = 0;
	u->id = id;
	u->done = false;
}

/* Is a block of message @id the first one of a new message? */
static bool udpros_is_new(const struct udpros_in *u, uint8_t id,
			  unsigned int i, uint64_t now)
{
	bool stale = now - u->at > STALE_MS;
	unsigned int back = (unsigned int)(u->id - id + IDS) % IDS;

	if (!u->id)
		return true;
	if (!back)
		return stale && (u->done || (!i && udpros_has(u, 0)));
	return stale || back > LATE;
}

/* Ignore the rest of this message. Return: @err */
static int udpros_refuse(struct udpros_in *u, int err)
{
	u->refused++;
	u->done = true;
	return err;
}

/* All blocks have arrived. Return: as udpros_add() */
static int udpros_complete(struct udpros_in *u)
{
	assert(u->total && u->got == u->total && !u->done);
	u->done = true;
	if (!u->size) {
		u->tail = u->total - 1;
		u->size = u->total * u->block;
	}
	if (u->tail != u->total - 1 || u->size < 4 ||
	    get_le32(u->message.data) != u->size - 4)
		return udpros_refuse(u, -EPROTO);
	u->message.len = u->size;
	return 1;
}

/* Block @i of the current message. Return: as udpros_add() */
static int udpros_block(struct udpros_in *u, unsigned int i, const uint8_t *p,
			size_t len)
{
	if (len > u->block || !len)
		return udpros_refuse(u, -EPROTO);
	if (udpros_has(u, i))
		return -EEXIST;
	if (i * u->block + len > u->max + 4)
		return udpros_refuse(u, -EMSGSIZE);
	if (bytes_reserve(&u->message, i * u->block + len))
		return -ENOMEM;
	if (len < u->block) {
		if (u->size)
			return udpros_refuse(u, -EPROTO);
		u->tail = i;
		u->size = i * u->block + len;
	}
	memcpy(u->message.data + i * u->block, p, len);
	u->have[i / 8] |= 1 << i % 8;
	if (i > u->highest)
		u->highest = i;
	u->got++;
	if (u->total && u->highest >= u->total)
		return udpros_refuse(u, -EPROTO);
	return u->got == u->total ? udpros_complete(u) : 0;
}

int udpros_add(struct udpros_in *u, const uint8_t *p, size_t len, uint64_t now)
{
	unsigned int i = 0;
	uint8_t op, id;
	bool is_new;

	if (len < UDPROS_HEADER || get_le32(p) != u->connection)
		return -EPROTO;
	op = p[4];
	id = p[5];
	if (op > UDPROS_DATAN || !id)
		return -EPROTO;
	if (op == UDPROS_DATAN)
		i = get_le16(p + 6);
	if (i == (op == UDPROS_DATA0 ? get_le16(p + 6) : 0))
		return -EPROTO;		/* no blocks, or a second block 0 */
	is_new = udpros_is_new(u, id, i, now);
	if (is_new)
		udpros_begin(u, id);
	else if (id != u->id || u->done)
		return -EEXIST;
	u->at = now;
	if (op == UDPROS_DATA0 && !u->total) {
		u->total = get_le16(p + 6);
		if ((u->total - 1) * u->block >= u->max + 4)
			return udpros_refuse(u, -EMSGSIZE);
	}
	return udpros_block(u, i, p + UDPROS_HEADER, len - UDPROS_HEADER);
}

void udpros_put(uint8_t *p, uint32_t connection, uint8_t id, unsigned int i,
		unsigned int total)
{
	put_le32(p, connection);
	p[4] = i ? UDPROS_DATAN : UDPROS_DATA0;
	p[5] = id;
	put_le16(p + 6, (uint16_t)(i ? i : total));
}
