// SPDX-License-Identifier: GPL-2.0-only
/*
 * laserscan - planar laser scans as datagrams, each decodable alone
 *
 * A beam is coded relative to the previous one in its datagram: whether it is a
 * range at all, and the difference in steps of the resolution. The size of
 * recent differences predicts that of the next one.
 */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/wire.h"
#include "codec/core/coder.h"
#include "codec/scan/laserscan.h"

enum {
	MOST = 65535,		/* steps of the largest value */
	BREADTHS = CODE_BUCKETS,
};

/* the kind of a beam */
enum kind { RANGE, FAR, NONE, KINDS };

/**
 * struct series - a value that is coded beam by beam
 * @breadth:	16 times the mean bits of recent differences
 */
struct series {
	int		last;
	unsigned int	breadth;
	struct rc_bit	above[BREADTHS][CODE_BUCKETS];
};

struct model {
	struct rc_bit	kind[KINDS][2];
	struct series	range, intensity;
};

struct laserscan_decoder {
	unsigned int	most;
	bool		begun;
	uint8_t		header[LASERSCAN_HEADER];
	float		*range, *intensity;
	uint8_t		seen[(LASERSCAN_PARTS + 7) / 8];
};

static void model_init(struct model *m)
{
	rc_bits_init(m->kind[0], KINDS * 2);
	m->range.last = m->intensity.last = 0;
	m->range.breadth = m->intensity.breadth = 16 * 5;
	rc_bits_init(m->range.above[0], BREADTHS * CODE_BUCKETS);
	rc_bits_init(m->intensity.above[0], BREADTHS * CODE_BUCKETS);
}

static unsigned int bits_of(int v)
{
	return v ? 32 - __builtin_clz(abs(v)) : 0;
}

/* The next value of a series, 0 .. MOST; -1: broken */
INLINE int code_value(struct coder *c, struct series *s, int value)
{
	unsigned int middle = s->breadth / 16;
	int d = code_number(c, s->above[middle], middle, value - s->last);

	s->breadth = (3 * s->breadth + 16 * bits_of(d) + 2) / 4;
	s->last += d;
	return s->last < 0 || s->last > MOST ? -1 : s->last;
}

INLINE enum kind code_kind(struct coder *c, struct rc_bit *b,
				enum kind kind)
{
	if (code_bit(c, &b[0], kind != RANGE))
		return code_bit(c, &b[1], kind != FAR) ? NONE : FAR;
	return RANGE;
}

/* ---- encoder ----------------------------------------------------------- */

static enum kind laserscan_kind_of(float range)
{
	if (isinf(range) && range > 0)
		return FAR;
	return isfinite(range) && range >= 0 ? RANGE : NONE;
}

/* @resolution, or a coarser one with at most MOST steps */
static float laserscan_coarse(const float *values, unsigned int n,
			      float resolution)
{
	float most = 0;

	for (unsigned int i = 0; i < n; i++)
		if (isfinite(values[i]) && values[i] > most)
			most = values[i];
	return most / resolution > MOST - 1 ? most / (MOST - 1) : resolution;
}

static int steps(float value, float resolution)
{
	float s = value / resolution + .5f;

	return s > 0 ? s < MOST ? (int)s : MOST : 0;
}

/* Return: bytes, or -1: too many */
static int laserscan_encode_part(const struct laserscan *in, unsigned int part,
				 unsigned int parts, float resolution,
				 float step, uint8_t *p, size_t size)
{
	struct coder c = code_encoder(p, size);
	enum kind kind = RANGE;
	struct model m;

	model_init(&m);
	for (unsigned int i = part; i < in->beams; i += parts) {
		kind = code_kind(&c, m.kind[kind],
				 laserscan_kind_of(in->range[i]));
		if (kind == RANGE)
			code_value(&c, &m.range,
				   steps(in->range[i], resolution));
		if (in->intensity && step > 0)
			code_value(&c, &m.intensity,
				   steps(isfinite(in->intensity[i]) ?
					 in->intensity[i] : 0, step));
	}
	return code_finish(&c);
}

static void laserscan_put_header(uint8_t *p, const struct laserscan *in,
				 unsigned int parts, float resolution,
				 float step)
{
	const float numbers[] = {
		in->angle_min, in->angle_increment, in->time_increment,
		in->scan_time, in->range_min, in->range_max, resolution, step,
	};

	memset(p, 0, LASERSCAN_HEADER);
	p[0] = LASERSCAN_VERSION << 4 | (step > 0 ? LASERSCAN_INTENSITY : 0);
	p[1] = parts;
	put_le16(p + 4, in->beams);
	for (unsigned int i = 0; i < 8; i++)
		put_lef32(p + 8 + 4 * i, numbers[i]);
}

int laserscan_encode(const struct laserscan *in,
		     const struct laserscan_params *params,
		     struct payloads *out)
{
	float resolution, step = 0;
	unsigned int parts = params->parts;

	if (!in->beams || in->beams > LASERSCAN_BEAMS || !parts ||
	    parts > LASERSCAN_PARTS || !(params->resolution > 0) ||
	    !isfinite(params->resolution) || !(params->step >= 0) ||
	    !isfinite(params->step) || out->size <= LASERSCAN_HEADER)
		return -EINVAL;
	resolution = laserscan_coarse(in->range, in->beams, params->resolution);
	if (in->intensity && params->step > 0)
		step = laserscan_coarse(in->intensity, in->beams, params->step);
	for (unsigned int i = 0; i < parts; i++) {
		uint8_t *p = payload_at(out, i);
		int len;

		if (parts > out->max)
			return -ENOSPC;
		laserscan_put_header(p, in, parts, resolution, step);
		p[2] = i;
		len = laserscan_encode_part(in, i, parts, resolution, step,
					    p + LASERSCAN_HEADER,
					    out->size - LASERSCAN_HEADER);
		out->len[i] = LASERSCAN_HEADER + len;
		assert(len <= (int)(out->size - LASERSCAN_HEADER));
		if (len >= 0)
			continue;
		/* one does not fit: start over with more of them */
		if (parts == LASERSCAN_PARTS)
			return -ENOSPC;
		parts += parts / 4 + 1;
		parts = parts < LASERSCAN_PARTS ? parts : LASERSCAN_PARTS;
		i = -1;
	}
	assert(parts <= out->max && parts <= LASERSCAN_PARTS);
	out->count = parts;
	return 0;
}

/* ---- decoder ----------------------------------------------------------- */

struct laserscan_decoder *laserscan_decoder_create(unsigned int beams)
{
	struct laserscan_decoder *d;

	if (!beams || beams > LASERSCAN_BEAMS)
		return NULL;
	d = calloc(1, sizeof(*d));
	if (!d)
		return NULL;
	d->most = beams;
	d->range = malloc(beams * sizeof(*d->range));
	d->intensity = malloc(beams * sizeof(*d->intensity));
	if (!d->range || !d->intensity) {
		laserscan_decoder_destroy(d);
		return NULL;
	}
	return d;
}

void laserscan_decoder_destroy(struct laserscan_decoder *d)
{
	if (!d)
		return;
	free(d->range);
	free(d->intensity);
	free(d);
}

void laserscan_begin(struct laserscan_decoder *d)
{
	d->begun = false;
	memset(d->seen, 0, sizeof(d->seen));
}

static float laserscan_number(const uint8_t *header, unsigned int i)
{
	return get_lef32(header + 8 + 4 * i);
}

static unsigned int beams(const struct laserscan_decoder *d)
{
	return get_le16(d->header + 4);
}

/* First without writing, so that an invalid payload changes nothing */
static bool decode_part(const struct laserscan_decoder *d, const uint8_t *p,
			size_t len, bool write)
{
	struct coder c = code_decoder(p + LASERSCAN_HEADER,
				      len - LASERSCAN_HEADER);
	float resolution = laserscan_number(p, 6),
	      step = laserscan_number(p, 7);
	enum kind kind = RANGE;
	struct model m;

	model_init(&m);
	for (unsigned int i = p[2]; i < get_le16(p + 4); i += p[1]) {
		int range = 0, intensity = 0;

		kind = code_kind(&c, m.kind[kind], RANGE);
		if (kind == RANGE)
			range = code_value(&c, &m.range, 0);
		if (p[0] & LASERSCAN_INTENSITY)
			intensity = code_value(&c, &m.intensity, 0);
		if (range < 0 || intensity < 0)
			return false;
		if (!write)
			continue;
		d->range[i] = kind == RANGE ? range * resolution :
			      kind == FAR ? INFINITY : NAN;
		d->intensity[i] = intensity * step;
	}
	return true;
}

static bool header_ok(const uint8_t *p, size_t len)
{
	if (len < LASERSCAN_HEADER || len > PAYLOAD_MAX ||
	    p[0] >> 4 != LASERSCAN_VERSION ||
	    (p[0] & 15 & ~LASERSCAN_INTENSITY) || !p[1] || p[2] >= p[1] ||
	    p[3] || !get_le16(p + 4) || get_le16(p + 6))
		return false;
	/* refuse NaN, which would propagate */
	for (unsigned int i = 0; i < 8; i++)
		if (isnan(laserscan_number(p, i)))
			return false;
	return laserscan_number(p, 6) > 0 && laserscan_number(p, 7) >= 0;
}

int laserscan_add(struct laserscan_decoder *d, const void *payload, size_t len)
{
	uint8_t header[LASERSCAN_HEADER];
	const uint8_t *p = payload;
	unsigned int n;

	if (!header_ok(p, len))
		return -EINVAL;
	n = get_le16(p + 4);
	if (n > d->most)
		return -EFBIG;
	memcpy(header, p, LASERSCAN_HEADER);
	header[2] = 0;
	if (d->begun && memcmp(header, d->header, LASERSCAN_HEADER))
		return -EPROTO;
	if (d->seen[p[2] / 8] >> p[2] % 8 & 1)
		return -EEXIST;
	if (!decode_part(d, p, len, false))
		return -EPROTO;
	if (!d->begun)
		for (unsigned int i = 0; i < n; i++) {
			d->range[i] = NAN;
			d->intensity[i] = 0;
		}
	d->begun = true;
	memcpy(d->header, header, LASERSCAN_HEADER);
	d->seen[p[2] / 8] |= 1 << p[2] % 8;
	decode_part(d, p, len, true);
	return 0;
}

int laserscan_finish(struct laserscan_decoder *d, struct laserscan *out)
{
	if (!d->begun)
		return -ENODATA;
	*out = (struct laserscan){
		.beams = beams(d),
		.angle_min = laserscan_number(d->header, 0),
		.angle_increment = laserscan_number(d->header, 1),
		.time_increment = laserscan_number(d->header, 2),
		.scan_time = laserscan_number(d->header, 3),
		.range_min = laserscan_number(d->header, 4),
		.range_max = laserscan_number(d->header, 5),
		.range = d->range,
		.intensity = d->header[0] & LASERSCAN_INTENSITY ?
			     d->intensity : NULL,
	};
	return 0;
}
