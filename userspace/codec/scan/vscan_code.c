// SPDX-License-Identifier: GPL-2.0-only
/*
 * vscan_code - a pair of virtual scans as datagrams, each decodable alone
 *
 * One function for both directions: a decision is written if there is an
 * encoder, else read. Most of a scan is walls, whose bins differ by little;
 * recent differences predict how much.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "codec/core/coder.h"
#include "codec/scan/vscan_code.h"

enum {
	VERSION		= 1,
	ACTIVITIES	= 6,
	LENGTHS		= 17,	/* of a number of 16 bits, plus 1 */
	START		= 300,	/* cm: a room */
};

/**
 * struct model - state learnt from a scan
 * @there:	non-empty, by the last two bins and the other scan's bin
 * @same:	equal to the previous one, by activity
 * @less:	smaller, by the sign of the last difference
 * @length:	bits of a difference, by activity
 * @top:	the second of these bits, by their number
 */
struct model {
	struct rc_bit there[2][4], same[ACTIVITIES], less[2];
	struct rc_bit length[ACTIVITIES][LENGTHS], top[LENGTHS];
};

/* a pair of scans, being coded in either direction */
struct pair {
	struct coder	coder;
	bool		broken;
	struct model	model;
};

/* A number from 1 on: its length in bits, then the bits */
static uint32_t code_length(struct pair *p, unsigned int activity,
			    uint32_t value)
{
	struct coder *c = &p->coder;
	struct model *m = &p->model;
	unsigned int more = 0;

	while (more < LENGTHS - 1 &&
	       code_bit(c, &m->length[activity][more], value >> more > 1))
		more++;
	if (!more)
		return 1;
	value = code_bit(c, &m->top[more], value >> (more - 1) & 1) <<
		(more - 1) |
		code_raw(c, value & ((1U << (more - 1)) - 1), more - 1);
	return 1U << more | value;
}

static unsigned int activity_of(unsigned int size)
{
	static const uint8_t above[ACTIVITIES - 1] = { 2, 6, 12, 30, 100 };
	unsigned int i = 0;

	while (i < ACTIVITIES - 1 && size >= above[i])
		i++;
	return i;
}

static void code_scan(struct pair *p, uint16_t *scan, const uint16_t *other,
		      unsigned int part, unsigned int parts)
{
	struct coder *c = &p->coder;
	struct model *m = &p->model;
	unsigned int before = 0, size = 20, less = 0;
	int last = START;

	rc_bits_init((struct rc_bit *)m, sizeof(*m) / sizeof(struct rc_bit));
	for (unsigned int i = part; i < VSCAN_BINS; i += parts) {
		int there = code_bit(c, &m->there[other && other[i]][before],
				 scan[i] > 0);
		unsigned int activity = activity_of(size);
		int d = scan[i] - last;

		before = (before << 1 & 2) | there;
		if (!there) {
			scan[i] = 0;
			continue;
		}
		if (code_bit(c, &m->same[activity], !d)) {
			d = 0;
		} else {
			less = code_bit(c, &m->less[less], d < 0);
			d = code_length(p, activity, abs(d));
			d = less ? -d : d;
		}
		last += d;
		if (last < 1 || last > UINT16_MAX) {
			p->broken = true;
			return;
		}
		scan[i] = last;
		/* twice the mean of recent ones */
		size = (size + 2 * abs(d)) / 2;
	}
}

static void code_scans(struct pair *p, struct vscan_scans *s,
		       unsigned int part, unsigned int parts)
{
	code_scan(p, s->landmark, NULL, part, parts);
	if (!p->broken)
		code_scan(p, s->obstacle, s->landmark, part, parts);
}

/* Return: whether all parts fit */
static bool encode_parts(const struct vscan_scans *in, unsigned int log_parts,
			 struct payloads *out)
{
	unsigned int parts = 1 << log_parts;
	struct vscan_scans copy = *in;

	for (unsigned int i = 0; i < parts; i++) {
		uint8_t *p = payload_at(out, i);
		struct pair pair = {
			.coder = code_encoder(p + 2, out->size - 2),
		};
		int len;

		p[0] = VERSION << 4 | log_parts;
		p[1] = i;
		code_scans(&pair, &copy, i, parts);
		len = code_finish(&pair.coder);
		if (len < 0)
			return false;
		out->len[i] = 2 + len;
	}
	return true;
}

int vscan_encode(const struct vscan_scans *in, unsigned int parts,
		 unsigned int copies, struct payloads *out)
{
	unsigned int log_parts = parts - 1;

	if (parts < 1 || parts > 2 || !copies ||
	    out->size < VSCAN_PAYLOAD_MIN || copies > out->max)
		return -EINVAL;
	do {
		parts = 1 << log_parts;
		if (parts > VSCAN_PARTS_MAX || parts * copies > out->max)
			return -EINVAL;
	} while (!encode_parts(in, log_parts++, out));
	out->count = parts * copies;
	assert(out->count <= out->max);
	for (unsigned int i = parts; i < out->count; i++) {
		out->len[i] = out->len[i - parts];
		assert(out->len[i] <= out->size);
		memcpy(payload_at(out, i), payload_at(out, i - parts),
		       out->len[i]);
	}
	return 0;
}

void vscan_begin(struct vscan_decoder *d)
{
	memset(d, 0, sizeof(*d));
}

int vscan_add(struct vscan_decoder *d, const void *payload, size_t len)
{
	const uint8_t *p = payload;
	struct vscan_scans scans;
	unsigned int parts, part;
	struct pair pair = { .broken = false };

	if (len < 2 || p[0] >> 4 != VERSION || (p[0] & 15) > 3)
		return -EINVAL;
	parts = 1 << (p[0] & 15);
	part = p[1];
	if (part >= parts)
		return -EINVAL;
	if (d->parts && parts != d->parts)
		return -EPROTO;
	if (d->seen >> part & 1)
		return -EEXIST;
	scans = d->scans;
	pair.coder = code_decoder(p + 2, len - 2);
	code_scans(&pair, &scans, part, parts);
	if (pair.broken)
		return -EINVAL;
	d->scans = scans;
	d->parts = parts;
	d->seen |= 1 << part;
	return 0;
}

int vscan_finish(const struct vscan_decoder *d, struct vscan_scans *out)
{
	*out = d->scans;
	return d->parts ? 0 : -ENODATA;
}
