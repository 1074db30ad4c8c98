// SPDX-License-Identifier: GPL-2.0-only
/*
 * cloudblock - encoder of clouds
 *
 * Points are sorted by the Morton code of their voxel, so that those of a block
 * are adjacent. Blocks with too many points for a payload are split into
 * several parts. The number of payloads is found by trial, starting from an
 * estimate.
 */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include "base/wire.h"
#include "codec/cloud/cloudblock_format.h"

/* a point and the Morton code of its voxel */
struct sorted {
	uint64_t	code;
	uint32_t	point;
};

/**
 * struct part - part of a block: every @stride-th of its points
 * @next: next part of the same payload, or NONE
 */
struct part {
	uint32_t	begin, end, stride, next;
};

/**
 * struct load - contents of a payload
 * @weight: points, plus BLOCK_WEIGHT for each block
 */
struct load {
	uint32_t	first, last, weight, points, blocks;
};

enum {
	NONE		= UINT32_MAX,
	BLOCK_WEIGHT	= 2,	/* cost of a block, in points */
};

struct cloudblock_encoder {
	unsigned int		max;
	struct sorted		*sorted, *spare;
	int32_t			(*at)[3];	/* [point], in steps */
	struct part		*part;
	unsigned int		parts;
	struct load		*load;
	uint8_t			header[BLOCK_HEADER_MAX];
	unsigned int		header_len;
	unsigned int		source[CLOUD_FIELDS];	/* of model.field */
	struct block_model	model;
};

struct cloudblock_encoder *cloudblock_encoder_create(unsigned int max)
{
	struct cloudblock_encoder *e = calloc(1, sizeof(*e));
	size_t n = (size_t)max + 1;

	if (!e)
		return NULL;
	e->max = max;
	e->sorted = malloc(n * sizeof(*e->sorted));
	e->spare = malloc(n * sizeof(*e->spare));
	e->at = malloc(n * sizeof(*e->at));
	e->part = malloc(n * sizeof(*e->part));
	e->load = malloc((CLOUDBLOCK_PARTS + 1) * sizeof(*e->load));
	if (!e->sorted || !e->spare || !e->at || !e->part || !e->load) {
		cloudblock_encoder_destroy(e);
		return NULL;
	}
	return e;
}

void cloudblock_encoder_destroy(struct cloudblock_encoder *e)
{
	if (!e)
		return;
	free(e->sorted);
	free(e->spare);
	free(e->at);
	free(e->part);
	free(e->load);
	free(e);
}

/* Spread 21 bits, with two zeros before each */
static uint64_t spread_bits(uint64_t v)
{
	v = (v | v << 32) & 0x001f00000000ffff;
	v = (v | v << 16) & 0x001f0000ff0000ff;
	v = (v | v << 8) & 0x100f00f00f00f00f;
	v = (v | v << 4) & 0x10c30c30c30c30c3;
	return (v | v << 2) & 0x1249249249249249;
}

static int place_points(struct cloudblock_encoder *e, const struct cloud *in,
			const struct cloudblock_params *p)
{
	double scale = ldexp(1, p->bits) / p->leaf;
	double reach = ldexp(VOXEL_REACH, p->bits);

	for (unsigned int i = 0; i < in->count; i++) {
		double at[3] = { in->x[i], in->y[i], in->z[i] };
		uint64_t code = 0;

		for (int a = 0; a < 3; a++) {
			double v = floor(at[a] * scale);

			if (!(v >= -reach && v < reach))
				return -ERANGE;
			e->at[i][a] = v;
			code |= spread_bits((e->at[i][a] >> p->bits) +
					    VOXEL_REACH) << a;
		}
		e->sorted[i] = (struct sorted){ code, i };
	}
	return 0;
}

/* Radix sort: stable, and skips bytes that are equal in all codes */
static void sort_points(struct cloudblock_encoder *e, unsigned int n)
{
	for (int shift = 0; shift < 64; shift += 8) {
		uint32_t start[257] = { 0 };
		struct sorted *swap = e->sorted;

		for (unsigned int i = 0; i < n; i++)
			start[(e->sorted[i].code >> shift & 255) + 1]++;
		if (n && start[(e->sorted[0].code >> shift & 255) + 1] == n)
			continue;
		for (int b = 0; b < 256; b++)
			start[b + 1] += start[b];
		for (unsigned int i = 0; i < n; i++)
			e->spare[start[e->sorted[i].code >> shift & 255]++] =
				e->sorted[i];
		e->sorted = e->spare;
		e->spare = swap;
	}
}

/* Cut the points into parts of blocks, of up to @most points */
static void cut_parts(struct cloudblock_encoder *e, unsigned int n,
		      unsigned int most)
{
	unsigned int begin, end;

	e->parts = 0;
	for (begin = 0; begin < n; begin = end) {
		uint64_t block = e->sorted[begin].code / BLOCK_VOXELS;
		unsigned int stride;

		for (end = begin + 1; end < n &&
		     e->sorted[end].code / BLOCK_VOXELS == block; end++)
			;
		assert(end > begin && end <= n);
		stride = (end - begin + most - 1) / most;
		for (unsigned int i = 0; i < stride; i++)
			e->part[e->parts++] = (struct part){
				begin + i, end, stride, NONE,
			};
	}
}

/* Each part goes to the payload with the least weight */
static void deal_parts(struct cloudblock_encoder *e, unsigned int payloads)
{
	for (unsigned int k = 0; k < payloads; k++)
		e->load[k] = (struct load){ NONE, NONE, 0, 0, 0 };
	for (unsigned int i = 0; i < e->parts; i++) {
		struct part *p = &e->part[i];
		struct load *l = e->load;

		for (unsigned int k = 1; k < payloads; k++)
			if (e->load[k].weight < l->weight)
				l = &e->load[k];
		p->next = NONE;
		if (l->first == NONE)
			l->first = i;
		else
			e->part[l->last].next = i;
		l->last = i;
		l->blocks++;
		l->points += (p->end - p->begin + p->stride - 1) / p->stride;
		l->weight = l->points + l->blocks * BLOCK_WEIGHT;
	}
}

INLINE void code_field(struct coder *c, struct block_field *f,
		       const struct cloud_field *in, unsigned int i)
{
	static const double most = 1LL << FIELD_MAX;
	uint8_t bytes[8];
	double v;

	if (f->step > 0) {
		v = round(cloud_get(in, i) / f->step);
		v = v > -most ? v < most ? v : most : -most;
		block_code_steps(c, f, isnan(v) ? 0 : (int64_t)v);
		return;
	}
	switch (cloud_type_bytes(f->type)) {
	case 1:
		bytes[0] = ((const uint8_t *)in->data)[i];
		break;
	case 2:
		put_le16(bytes, ((const uint16_t *)in->data)[i]);
		break;
	case 4:
		put_le32(bytes, ((const uint32_t *)in->data)[i]);
		break;
	default:
		put_le64(bytes, ((const uint64_t *)in->data)[i]);
	}
	block_code_bytes(c, f, bytes, cloud_type_bytes(f->type));
}

/* The octree of a part's points, for block_code_occupancy() */
static void mark_points(struct cloudblock_encoder *e, const struct part *p)
{
	for (unsigned int i = p->begin; i < p->end; i += p->stride) {
		unsigned int code = e->sorted[i].code % BLOCK_VOXELS;

		for (int l = BLOCK_LEVELS - 1; l >= 0; l--, code >>= 3)
			e->model.level[l].children[code >> 3] |=
				1 << (code & 7);
	}
}

/* Return: number of points that fit */
INLINE unsigned int cloudblock_encode_part(struct cloudblock_encoder *e,
				     struct coder *c, const struct cloud *in,
				     const struct part *p, unsigned int bits)
{
	struct block_model *m = &e->model;
	struct block_level *voxels = &m->level[BLOCK_LEVELS];
	const int32_t *at = e->at[e->sorted[p->begin].point];
	unsigned int mask = (1U << bits) - 1, i = p->begin, done = 0;
	int corner[3];

	for (int a = 0; a < 3; a++)
		corner[a] = at[a] >> (bits + BLOCK_LEVELS);
	block_code_corner(c, m, corner);
	mark_points(e, p);
	block_code_occupancy(c, m);
	for (unsigned int v = 0; v < voxels->count && !c->e.overflow; v++) {
		const struct block_cell *cell = &voxels->cell[v];
		unsigned int place = grid_at(cell->x, cell->y, cell->z);
		bool more;

		do {
			unsigned int point = e->sorted[i].point;
			uint16_t offset[3];

			for (int a = 0; a < 3; a++)
				offset[a] = e->at[point][a] & mask;
			block_code_offset(c, m, place, bits, offset);
			for (unsigned int f = 0; f < m->fields; f++)
				code_field(c, &m->field[f],
					   &in->field[e->source[f]], point);
			i += p->stride;
			more = i < p->end &&
			       e->sorted[i].code % BLOCK_VOXELS == cell->code;
			code_bit(c, &m->more, more);
			done += !c->e.overflow;
		} while (more && !c->e.overflow);
	}
	block_clear(m);
	return done;
}

/* Return: bytes, or, if they do not fit, -1 - points that fit */
static int encode_load(struct cloudblock_encoder *e, const struct cloud *in,
		       unsigned int bits, const struct load *l, uint8_t *to,
		       size_t size)
{
	struct coder c = code_encoder(to + e->header_len,
				      size - e->header_len);
	unsigned int done = 0;
	int len;

	block_model_init(&e->model);
	for (uint32_t i = l->first; i != NONE; i = e->part[i].next) {
		done += cloudblock_encode_part(e, &c, in, &e->part[i], bits);
		if (c.e.overflow)
			return -1 - (int)done;
	}
	len = code_finish(&c);
	if (len < 0 || l->points > UINT16_MAX)
		return -1 - (int)done;
	put_le16(e->header + 10, l->points);
	put_le16(e->header + 12, l->blocks);
	memcpy(to, e->header, e->header_len);
	return e->header_len + len;
}

/* The header of all payloads, and the fields of the model */
static int make_header(struct cloudblock_encoder *e, const struct cloud *in,
		       const struct cloudblock_params *p)
{
	uint8_t *to = e->header + BLOCK_FIXED;

	e->model.fields = 0;
	for (unsigned int f = 0; f < in->fields; f++) {
		const struct cloud_field *field = &in->field[f];

		if (!isfinite(p->step[f]))
			return -EINVAL;
		if (p->step[f] < 0)
			continue;
		assert(e->model.fields <= f);
		e->source[e->model.fields] = f;
		e->model.field[e->model.fields].step = p->step[f];
		e->model.field[e->model.fields++].type = field->type;
		put_lef32(to, p->step[f]);
		to += BLOCK_STEP;
		to += cloud_put_name(field, to);
	}
	e->header[0] = BLOCK_VERSION << 4 | e->model.fields;
	e->header[1] = p->bits;
	put_lef32(e->header + 2, p->leaf);
	e->header_len = to - e->header;
	return 0;
}

/* A low estimate of the bytes of a point */
static float bytes_of_point(const struct cloudblock_encoder *e,
			    unsigned int bits)
{
	float sum = 0.45f + bits * 3 / 8.0f * 0.92f;

	for (unsigned int f = 0; f < e->model.fields; f++)
		sum += e->model.field[f].step > 0 ? 0.2f :
			0.3f * cloud_type_bytes(e->model.field[f].type);
	return sum;
}

/*
 * Consecutive loads are neighbours in space: send them far apart, so that a
 * burst of losses makes no large hole. Return: a step coprime to @n.
 */
static unsigned int cloudblock_stride_of(unsigned int n)
{
	unsigned int step = n * 0.618, a, b;

	for (;; step++) {
		for (a = step, b = n; b; ) {
			unsigned int rest = a % b;

			a = b;
			b = rest;
		}
		if (a == 1)
			return step;
	}
}

/*
 * Encode into @payloads payloads.
 *
 * Return: 0, or a better number of payloads.
 */
static unsigned int encode_all(struct cloudblock_encoder *e,
			       const struct cloud *in, unsigned int bits,
			       unsigned int payloads, struct payloads *out)
{
	uint64_t step = cloudblock_stride_of(payloads);

	put_le16(e->header + 6, payloads);
	for (unsigned int k = 0; k < payloads; k++) {
		const struct load *l = &e->load[k * step % payloads];
		uint64_t more = payloads;
		unsigned int least;
		int len;

		put_le16(e->header + 8, k);
		len = encode_load(e, in, bits, l, payload_at(out, k),
				  out->size);
		if (len >= 0) {
			out->len[k] = len;
			continue;
		}
		len = -1 - len;
		if (len)
			more = more * l->points / len;
		else
			more *= 2;
		/* loads differ: slightly more than the average */
		least = payloads + payloads / 32 + 1;
		return more > least ? more : least;
	}
	return 0;
}

int cloudblock_encode(struct cloudblock_encoder *e, const struct cloud *in,
		      const struct cloudblock_params *p, struct payloads *out)
{
	unsigned int payloads, most;
	float room, bytes;
	int err;

	out->count = 0;
	if (!(p->leaf > 0) || !isfinite(p->leaf * VOXEL_REACH) ||
	    p->bits > CLOUDBLOCK_BITS)
		return -EINVAL;
	if (in->count > e->max)
		return -ENOSPC;
	err = make_header(e, in, p);
	if (!err)
		err = place_points(e, in, p);
	if (err)
		return err;
	if (out->size < e->header_len + 16)
		return -EMSGSIZE;
	sort_points(e, in->count);
	room = out->size - e->header_len;
	bytes = bytes_of_point(e, p->bits);
	payloads = 1 + in->count * bytes / room;
	for (most = 1 + room / bytes / 3; most; most /= 2) {
		cut_parts(e, in->count, most);
		while (payloads) {
			if (payloads > e->parts)
				payloads = e->parts ? e->parts : 1;
			if (payloads > out->max || payloads > CLOUDBLOCK_PARTS)
				return -ENOSPC;
			deal_parts(e, payloads);
			out->count = payloads;
			payloads = encode_all(e, in, p->bits, payloads, out);
			/* a single part does not fit */
			if (payloads > e->parts && out->count == e->parts)
				break;
		}
		if (!payloads)
			return 0;
	}
	out->count = 0;
	return -EMSGSIZE;
}
