// SPDX-License-Identifier: GPL-2.0-only
/*
 * cloudblock_decode - clouds from the payloads that arrived
 *
 * A payload is decoded behind the points of those before, as it comes; in the
 * end they are put in the order of the payloads' numbers.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include "lib/cloudblock_format.h"
#include "lib/wire.h"

/* the points of a payload in cloud */
struct span {
	uint32_t	begin, count;
	bool		received;
};

struct cloudblock_decoder {
	unsigned int		parts_max;
	bool			begun;
	uint8_t			shape[BLOCK_HEADER_MAX];
	unsigned int		header_len, parts, bits;
	float			leaf;
	struct span		*span;		/* [number of a payload] */
	struct cloud		*cloud;
	struct block_model	model;
};

struct cloudblock_decoder *cloudblock_decoder_create(unsigned int max,
						     unsigned int parts)
{
	struct cloudblock_decoder *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->parts_max = parts < CLOUDBLOCK_PARTS ? parts : CLOUDBLOCK_PARTS;
	d->span = calloc(d->parts_max + 1, sizeof(*d->span));
	d->cloud = cloud_create(max);
	if (!d->span || !d->cloud) {
		cloudblock_decoder_destroy(d);
		return NULL;
	}
	return d;
}

void cloudblock_decoder_destroy(struct cloudblock_decoder *d)
{
	if (!d)
		return;
	free(d->span);
	cloud_destroy(d->cloud);
	free(d);
}

void cloudblock_begin(struct cloudblock_decoder *d)
{
	d->begun = false;
	d->cloud->count = 0;
	d->cloud->fields = 0;
}

static int read_fields(struct cloudblock_decoder *d, const uint8_t *p,
		       size_t len)
{
	unsigned int fields = p[0] & 15;
	size_t at = BLOCK_FIXED;

	d->cloud->fields = 0;
	if (fields > CLOUD_FIELDS)
		return -EPROTO;
	for (unsigned int f = 0; f < fields; f++) {
		struct block_field *field = &d->model.field[f];
		char name[CLOUD_NAME] = "";
		unsigned int bytes;

		if (at + BLOCK_FIELD > len)
			return -EPROTO;
		field->step = get_lef32(p + at);
		field->type = get_le16(p + at + 4) & 15;
		bytes = (get_le16(p + at + 4) >> 4) + 1;
		at += BLOCK_FIELD;
		if (bytes >= CLOUD_NAME || bytes > len - at ||
		    !(field->step >= 0) || !isfinite(field->step))
			return -EPROTO;
		memcpy(name, p + at, bytes);
		if (strlen(name) != bytes ||
		    cloud_add_field(d->cloud, name, field->type))
			return -EPROTO;
		at += bytes;
	}
	d->model.fields = fields;
	d->header_len = at;
	return 0;
}

/* The first payload says what the cloud is like */
static int begin_cloud(struct cloudblock_decoder *d, const uint8_t *p,
		       size_t len)
{
	d->bits = p[1];
	d->leaf = get_lef32(p + 2);
	d->parts = get_le16(p + 6);
	if (p[0] >> 4 != BLOCK_VERSION || d->bits > CLOUDBLOCK_BITS ||
	    !(d->leaf > 0) || !isfinite(d->leaf * VOXEL_REACH) || !d->parts ||
	    d->parts > d->parts_max || read_fields(d, p, len))
		return -EPROTO;
	memcpy(d->shape, p, d->header_len);
	memset(d->span, 0, d->parts * sizeof(*d->span));
	return 0;
}

static bool same_shape(const struct cloudblock_decoder *d, const uint8_t *p,
		       size_t len)
{
	return len >= d->header_len && !memcmp(d->shape, p, BLOCK_SHAPE) &&
	       !memcmp(d->shape + BLOCK_FIXED, p + BLOCK_FIXED,
		       d->header_len - BLOCK_FIXED);
}

CODE_INLINE int decode_field(struct coder *c, struct block_field *f,
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

CODE_INLINE int decode_point(struct cloudblock_decoder *d, struct coder *c,
			const struct block_cell *cell)
{
	unsigned int place = grid_at(cell->x, cell->y, cell->z);
	const uint8_t in_block[3] = { cell->x, cell->y, cell->z };
	double step = ldexp(d->leaf, -(int)d->bits), at[3];
	struct cloud *out = d->cloud;
	struct block_model *m = &d->model;
	uint16_t offset[3] = { 0 };

	block_code_offset(c, m, place, d->bits, offset);
	for (int a = 0; a < 3; a++) {
		double voxel = m->corner[a] * (double)BLOCK_SIDE + in_block[a];

		at[a] = (ldexp(voxel, d->bits) + offset[a] + 0.5) * step;
	}
	out->x[out->count] = at[0];
	out->y[out->count] = at[1];
	out->z[out->count] = at[2];
	for (unsigned int f = 0; f < m->fields; f++)
		if (decode_field(c, &m->field[f], &out->field[f], out->count))
			return -EPROTO;
	out->count++;
	return 0;
}

/* Return: 0, or -EPROTO if it is no block, or of more than @end points */
CODE_INLINE int decode_block(struct cloudblock_decoder *d, struct coder *c,
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
			if (d->cloud->count >= end)
				err = -EPROTO;
			else
				err = decode_point(d, c, &voxels->cell[v]);
		} while (!err && code_bit(c, &m->more, 0));
	}
	block_clear(m);
	return err;
}

static int decode(struct cloudblock_decoder *d, const uint8_t *p, size_t len)
{
	unsigned int points = get_le16(p + 10), blocks = get_le16(p + 12);
	unsigned int begin = d->cloud->count, end = begin + points;
	struct coder c = code_decoder(p + d->header_len, len - d->header_len);

	if (points > d->cloud->max - begin)
		return -EPROTO;
	block_model_init(&d->model);
	while (blocks--)
		if (decode_block(d, &c, end))
			return -EPROTO;
	/* what is longer than it need be was not made by the encoder */
	if (d->cloud->count != end || c.d.p != c.d.end)
		return -EPROTO;
	d->span[get_le16(p + 8)] = (struct span){ begin, points, true };
	return 0;
}

int cloudblock_add(struct cloudblock_decoder *d, const void *payload,
		   size_t len)
{
	unsigned int before = d->cloud->count, number;
	const uint8_t *p = payload;
	int err;

	if (len < BLOCK_FIXED)
		return -EPROTO;
	if (!d->begun) {
		err = begin_cloud(d, p, len);
		if (err)
			return err;
	} else if (!same_shape(d, p, len)) {
		return p[0] >> 4 == BLOCK_VERSION ? -EINVAL : -EPROTO;
	}
	number = get_le16(p + 8);
	if (number >= d->parts)
		return -EPROTO;
	if (d->begun && d->span[number].received)
		return -EEXIST;
	err = decode(d, p, len);
	if (err)
		d->cloud->count = before;
	else
		d->begun = true;
	return err;
}

int cloudblock_finish(struct cloudblock_decoder *d, struct cloud *out)
{
	cloud_like(out, d->cloud);
	if (!d->begun)
		out->fields = 0;
	if (d->cloud->count > out->max)
		return -ENOSPC;
	for (unsigned int k = 0; d->begun && k < d->parts; k++)
		if (d->span[k].received)
			cloud_append(out, d->cloud, d->span[k].begin,
				     d->span[k].count);
	return 0;
}
