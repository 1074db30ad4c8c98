// SPDX-License-Identifier: GPL-2.0-only
/*
 * cloud80 - small clouds of up to 80 points
 *
 * A payload:
 *	0  version, 4 bits	0  fields, 4 bits
 *	1  points		2  payloads, 16 bits
 *	4  number of this payload, 16 bits
 *	6  each field, see cloud_put_name()
 *	then point by point x, y, z and the fields, little endian.
 */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/wire.h"
#include "codec/cloud/cloud80.h"
#include "codec/cloud/cloud_parts.h"

enum {
	VERSION		= 1,
	HEADER		= 6,
	COORDINATES	= 12,
	HEADER_MAX	= HEADER + CLOUD_FIELDS *
			  (CLOUD_NAME_HEADER + CLOUD_NAME),
};

/*
 * Write the header with the fields that fit.
 *
 * Return: bytes of the header; the first is set, and @step to those of a point.
 */
static unsigned int put_fields(const struct cloud *in, uint8_t *header,
			       unsigned int size, unsigned int *step)
{
	unsigned int at = HEADER, fields = 0;

	*step = COORDINATES;
	for (; fields < in->fields; fields++) {
		const struct cloud_field *f = &in->field[fields];
		unsigned int more = *step + cloud_type_bytes(f->type);

		if (at + CLOUD_NAME_HEADER + strlen(f->name) +
		    CLOUD80_POINTS * more > size)
			break;
		*step = more;
		at += cloud_put_name(f, header + at);
	}
	header[0] = VERSION << 4 | fields;
	return at;
}

/* A value between memory and little endian, in either direction */
static void cloud80_copy_value(uint8_t *to, const uint8_t *from,
			       unsigned int bytes)
{
	for (unsigned int i = 0; i < bytes; i++)
		to[i] = from[__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ?
			     i : bytes - 1 - i];
}

static uint8_t *cloud80_put_point(const struct cloud *in, unsigned int fields,
				  unsigned int i, uint8_t *to)
{
	put_lef32(to, in->x[i]);
	put_lef32(to + 4, in->y[i]);
	put_lef32(to + 8, in->z[i]);
	to += COORDINATES;
	for (unsigned int f = 0; f < fields; f++) {
		unsigned int bytes = cloud_type_bytes(in->field[f].type);

		cloud80_copy_value(to, (const uint8_t *)in->field[f].data +
				   (size_t)i * bytes, bytes);
		to += bytes;
	}
	return to;
}

int cloud80_encode(const struct cloud *in, struct payloads *out)
{
	unsigned int parts = (in->count + CLOUD80_POINTS - 1) / CLOUD80_POINTS;
	unsigned int len, step;
	uint8_t header[HEADER_MAX];

	out->count = 0;
	if (out->size < HEADER + CLOUD80_POINTS * COORDINATES)
		return -EMSGSIZE;
	if (!parts)
		parts = 1;
	if (parts > out->max || parts > CLOUD_PARTS_MAX)
		return -ENOSPC;
	len = put_fields(in, header, out->size, &step);
	put_le16(header + 2, parts);
	for (unsigned int k = 0; k < parts; k++) {
		uint8_t *to = payload_at(out, k), *p = to + len;
		unsigned int points = 0;

		for (unsigned int i = k; i < in->count; i += parts) {
			p = cloud80_put_point(in, header[0] & 15, i, p);
			points++;
		}
		assert(points <= CLOUD80_POINTS);
		header[1] = points;
		put_le16(header + 4, k);
		memcpy(to, header, len);
		out->len[k] = p - to;
	}
	out->count = parts;
	return 0;
}

struct cloud80 {
	struct cloud_parts parts;
	uint8_t		header[HEADER_MAX];
	unsigned int	header_len, step;
};

struct cloud80 *cloud80_create(unsigned int max)
{
	struct cloud80 *d = calloc(1, sizeof(*d));

	if (d && cloud_parts_create(&d->parts, max, max / CLOUD80_POINTS + 1)) {
		cloud80_destroy(d);
		return NULL;
	}
	return d;
}

void cloud80_destroy(struct cloud80 *d)
{
	if (!d)
		return;
	cloud_parts_destroy(&d->parts);
	free(d);
}

void cloud80_begin(struct cloud80 *d)
{
	cloud_parts_begin(&d->parts);
}

/* The first payload defines the fields */
static int cloud80_begin_cloud(struct cloud80 *d, const uint8_t *p, size_t len)
{
	unsigned int fields = p[0] & 15, parts = get_le16(p + 2);
	struct cloud *cloud = d->parts.cloud;
	size_t at = HEADER;

	cloud->fields = 0;
	d->step = COORDINATES;
	if (p[0] >> 4 != VERSION || fields > CLOUD_FIELDS ||
	    !parts)
		return -EPROTO;
	if (parts > d->parts.max)
		return -EFBIG;
	for (unsigned int f = 0; f < fields; f++) {
		int bytes = cloud_get_name(cloud, p + at, len - at);

		if (bytes < 0)
			return -EPROTO;
		at += bytes;
		d->step += cloud_type_bytes(cloud->field[f].type);
	}
	memcpy(d->header, p, at);
	d->header_len = at;
	cloud_parts_expect(&d->parts, parts);
	return 0;
}

static bool cloud80_same_shape(const struct cloud80 *d, const uint8_t *p,
			       size_t len)
{
	return len >= d->header_len && p[0] == d->header[0] &&
	       get_le16(p + 2) == d->parts.count &&
	       !memcmp(p + HEADER, d->header + HEADER, d->header_len - HEADER);
}

/* Return: 0, or -EPROTO if a coordinate is not finite */
static int get_points(struct cloud *c, const uint8_t *p, unsigned int points)
{
	for (unsigned int i = c->count; i < c->count + points; i++) {
		c->x[i] = get_lef32(p);
		c->y[i] = get_lef32(p + 4);
		c->z[i] = get_lef32(p + 8);
		if (!isfinite(c->x[i]) || !isfinite(c->y[i]) ||
		    !isfinite(c->z[i]))
			return -EPROTO;
		p += COORDINATES;
		for (unsigned int f = 0; f < c->fields; f++) {
			unsigned int n = cloud_type_bytes(c->field[f].type);

			cloud80_copy_value((uint8_t *)c->field[f].data +
						   (size_t)i * n,
					   p, n);
			p += n;
		}
	}
	return 0;
}

int cloud80_add(struct cloud80 *d, const void *payload, size_t len)
{
	struct cloud *cloud = d->parts.cloud;
	const uint8_t *p = payload;
	unsigned int points, k;
	int err;

	if (len < HEADER)
		return -EPROTO;
	if (!d->parts.begun) {
		err = cloud80_begin_cloud(d, p, len);
		if (err)
			return err;
	} else if (!cloud80_same_shape(d, p, len)) {
		return p[0] >> 4 == VERSION ? -EINVAL : -EPROTO;
	}
	points = p[1];
	k = get_le16(p + 4);
	if (k >= d->parts.count || points > CLOUD80_POINTS ||
	    len != d->header_len + (size_t)points * d->step)
		return -EPROTO;
	if (cloud_parts_has(&d->parts, k))
		return -EEXIST;
	if (points > cloud->max - cloud->count)
		return -EFBIG;
	err = get_points(cloud, p + d->header_len, points);
	if (err)
		return err;
	cloud->count += points;
	assert(cloud->count <= cloud->max);
	cloud_parts_take(&d->parts, k, cloud->count - points);
	return 0;
}

int cloud80_finish(struct cloud80 *d, struct cloud *out)
{
	return cloud_parts_finish(&d->parts, out);
}
