// SPDX-License-Identifier: GPL-2.0-only
/*
 * cloudblock_decode - clouds from the payloads that arrived
 *
 * A payload is decoded on arrival, appending to the points of earlier ones.
 */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include "base/wire.h"
#include "codec/cloud/cloud_parts.h"
#include "codec/cloud/cloudblock_format.h"

struct cloudblock_decoder {
	struct cloud_parts	parts;
	uint8_t			shape[BLOCK_HEADER_MAX];
	unsigned int		header_len, bits;
	float			leaf;
	struct block_model	model;
};

struct cloudblock_decoder *cloudblock_decoder_create(unsigned int max,
						     unsigned int parts)
{
	struct cloudblock_decoder *d = calloc(1, sizeof(*d));

	if (d && cloud_parts_create(&d->parts, max, parts)) {
		cloudblock_decoder_destroy(d);
		return NULL;
	}
	return d;
}

void cloudblock_decoder_destroy(struct cloudblock_decoder *d)
{
	if (!d)
		return;
	cloud_parts_destroy(&d->parts);
	free(d);
}

void cloudblock_begin(struct cloudblock_decoder *d)
{
	cloud_parts_begin(&d->parts);
}

static int read_fields(struct cloudblock_decoder *d, const uint8_t *p,
		       size_t len)
{
	unsigned int fields = p[0] & 15;
	size_t at = BLOCK_FIXED;

	d->parts.cloud->fields = 0;
	if (fields > CLOUD_FIELDS)
		return -EPROTO;
	for (unsigned int f = 0; f < fields; f++) {
		struct block_field *field = &d->model.field[f];
		int bytes;

		if (at + BLOCK_STEP > len)
			return -EPROTO;
		field->step = get_lef32(p + at);
		at += BLOCK_STEP;
		bytes = cloud_get_name(d->parts.cloud, p + at, len - at);
		if (bytes < 0 || !(field->step >= 0) || !isfinite(field->step))
			return -EPROTO;
		field->type = d->parts.cloud->field[f].type;
		at += bytes;
	}
	d->model.fields = fields;
	d->header_len = at;
	return 0;
}

/* The first payload defines the fields */
static int cloudblock_decode_begin_cloud(struct cloudblock_decoder *d,
					 const uint8_t *p, size_t len)
{
	unsigned int parts;

	d->bits = p[1];
	d->leaf = get_lef32(p + 2);
	parts = get_le16(p + 6);
	if (p[0] >> 4 != BLOCK_VERSION || d->bits > CLOUDBLOCK_BITS ||
	    !(d->leaf > 0) || !isfinite(d->leaf * VOXEL_REACH) || !parts ||
	    parts > d->parts.max || read_fields(d, p, len))
		return -EPROTO;
	memcpy(d->shape, p, d->header_len);
	cloud_parts_expect(&d->parts, parts);
	return 0;
}

static bool cloudblock_decode_same_shape(const struct cloudblock_decoder *d,
					 const uint8_t *p, size_t len)
{
	return len >= d->header_len && !memcmp(d->shape, p, BLOCK_SHAPE) &&
	       !memcmp(d->shape + BLOCK_FIXED, p + BLOCK_FIXED,
		       d->header_len - BLOCK_FIXED);
}

INLINE int decode_field(struct coder *c, struct block_field *f,
			struct cloud_field *out, unsigned int i)
{
	unsigned int n = cloud_type_bytes(f->type);
	uint8_t bytes[8] = { 0 };
	int64_t steps;

	if (f->step > 0) {
		steps = block_code_steps(c, f, 0);
		if (steps > 1LL << FIELD_MAX || steps < -(1LL << FIELD_MAX))
			return -EPROTO;
		cloud_put(out, i, steps * (double)f->step);
		return 0;
	}
	block_code_bytes(c, f, bytes, n);
	switch (n) {
	case 1:
		((uint8_t *)out->data)[i] = bytes[0];
		break;
	case 2:
		((uint16_t *)out->data)[i] = get_le16(bytes);
		break;
	case 4:
		((uint32_t *)out->data)[i] = get_le32(bytes);
		break;
	default:
		((uint64_t *)out->data)[i] = get_le64(bytes);
	}
	return 0;
}

INLINE int decode_point(struct cloudblock_decoder *d, struct coder *c,
			const struct block_cell *cell)
{
	unsigned int place = grid_at(cell->x, cell->y, cell->z);
	const uint8_t in_block[3] = { cell->x, cell->y, cell->z };
	double step = ldexp(d->leaf, -(int)d->bits), at[3];
	struct cloud *out = d->parts.cloud;
	struct block_model *m = &d->model;
	uint16_t offset[3] = { 0 };

	block_code_offset(c, m, place, d->bits, offset);
	for (int a = 0; a < 3; a++) {
		double voxel = m->corner[a] * (double)BLOCK_SIDE + in_block[a];

		at[a] = (ldexp(voxel, d->bits) + offset[a] + 0.5) * step;
	}
	assert(out->count < out->max);
	out->x[out->count] = at[0];
	out->y[out->count] = at[1];
	out->z[out->count] = at[2];
	for (unsigned int f = 0; f < m->fields; f++)
		if (decode_field(c, &m->field[f], &out->field[f], out->count))
			return -EPROTO;
	out->count++;
	return 0;
}

/* Return: 0, or -EPROTO: invalid, or more than @end points */
INLINE int decode_block(struct cloudblock_decoder *d, struct coder *c,
			unsigned int end)
{
	static const int nowhere[3];
	struct block_model *m = &d->model;
	const struct block_level *voxels = &m->level[BLOCK_LEVELS];
	const int reach = VOXEL_REACH / BLOCK_SIDE;
	int err = 0;

	block_code_corner(c, m, nowhere);
	for (int a = 0; a < 3; a++)
		if (m->corner[a] < -reach || m->corner[a] >= reach)
			return -EPROTO;
	block_code_occupancy(c, m);
	for (unsigned int v = 0; v < voxels->count && !err; v++) {
		do {
			if (d->parts.cloud->count >= end)
				err = -EPROTO;
			else
				err = decode_point(d, c, &voxels->cell[v]);
		} while (!err && code_bit(c, &m->more, 0));
	}
	block_clear(m);
	return err;
}

static int cloudblock_decode_decode(struct cloudblock_decoder *d,
				    const uint8_t *p, size_t len)
{
	unsigned int points = get_le16(p + 10), blocks = get_le16(p + 12);
	struct cloud *cloud = d->parts.cloud;
	unsigned int begin = cloud->count, end = begin + points;
	struct coder c = code_decoder(p + d->header_len, len - d->header_len);

	if (points > cloud->max - begin)
		return -EFBIG;
	block_model_init(&d->model);
	while (blocks--)
		if (decode_block(d, &c, end))
			return -EPROTO;
	/* an encoder never writes extra bytes */
	if (cloud->count != end || c.d.p != c.d.end)
		return -EPROTO;
	cloud_parts_take(&d->parts, get_le16(p + 8), begin);
	return 0;
}

int cloudblock_add(struct cloudblock_decoder *d, const void *payload,
		   size_t len)
{
	unsigned int before = d->parts.cloud->count, number;
	const uint8_t *p = payload;
	int err;

	if (len < BLOCK_FIXED)
		return -EPROTO;
	if (!d->parts.begun) {
		err = cloudblock_decode_begin_cloud(d, p, len);
		if (err)
			return err;
	} else if (!cloudblock_decode_same_shape(d, p, len)) {
		return p[0] >> 4 == BLOCK_VERSION ? -EINVAL : -EPROTO;
	}
	number = get_le16(p + 8);
	if (number >= d->parts.count)
		return -EPROTO;
	if (cloud_parts_has(&d->parts, number))
		return -EEXIST;
	err = cloudblock_decode_decode(d, p, len);
	if (err)
		d->parts.cloud->count = before;
	return err;
}

int cloudblock_finish(struct cloudblock_decoder *d, struct cloud *out)
{
	return cloud_parts_finish(&d->parts, out);
}
