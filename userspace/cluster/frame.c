// SPDX-License-Identifier: GPL-2.0-only
/*
 * Headers as bytes, little-endian.
 */
#include <endian.h>
#include <errno.h>
#include <string.h>
#include "cluster/frame.h"

/* Changes with the layout */
static const uint8_t magic[3] = { 'O', 'E', 1 };

static void put16(uint8_t *p, uint16_t v)
{
	v = htole16(v);
	memcpy(p, &v, sizeof(v));
}

static void put32(uint8_t *p, uint32_t v)
{
	v = htole32(v);
	memcpy(p, &v, sizeof(v));
}

static void put64(uint8_t *p, uint64_t v)
{
	v = htole64(v);
	memcpy(p, &v, sizeof(v));
}

static uint16_t get16(const uint8_t *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return le16toh(v);
}

static uint32_t get32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return le32toh(v);
}

static uint64_t get64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return le64toh(v);
}

void frame_write(uint8_t out[FRAME_SIZE], const struct frame *f)
{
	memcpy(out, magic, sizeof(magic));
	out[3] = f->kind;
	put16(out + 4, f->type);
	put16(out + 6, 0);
	put32(out + 8, f->from);
	put32(out + 12, f->to);
	put64(out + 16, f->epoch);
	put64(out + 24, f->value);
}

int frame_read(const uint8_t *in, size_t len, struct frame *f)
{
	if (len < FRAME_SIZE || memcmp(in, magic, sizeof(magic)) ||
	    in[3] >= FRAME_KINDS)
		return -EBADMSG;
	f->kind = in[3];
	f->type = get16(in + 4);
	f->from = get32(in + 8);
	f->to = get32(in + 12);
	f->epoch = get64(in + 16);
	f->value = get64(in + 24);
	return 0;
}

void frame_write_hello(uint8_t out[FRAME_HELLO_SIZE], const struct hello *h)
{
	put32(out, h->protocol);
	put32(out + 4, h->id);
	put64(out + 8, h->old_epoch);
	put32(out + 16, h->old_id);
	memcpy(out + 20, h->build, sizeof(h->build));
	memcpy(out + 20 + sizeof(h->build), h->name, sizeof(h->name));
}

int frame_read_hello(const uint8_t *in, size_t len, struct hello *h)
{
	if (len != FRAME_HELLO_SIZE)
		return -EBADMSG;
	h->protocol = get32(in);
	h->id = get32(in + 4);
	h->old_epoch = get64(in + 8);
	h->old_id = get32(in + 16);
	frame_text(h->build, sizeof(h->build), in + 20, sizeof(h->build));
	frame_text(h->name, sizeof(h->name), in + 20 + sizeof(h->build),
		   sizeof(h->name));
	return 0;
}

void frame_text(char *out, size_t size, const void *in, size_t len)
{
	const unsigned char *c = in;
	size_t i;

	for (i = 0; i + 1 < size && i < len && c[i]; i++)
		out[i] = c[i] >= ' ' && c[i] < 0x7f ? c[i] : '?';
	out[i] = '\0';
}
