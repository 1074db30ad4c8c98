/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cloudblock_format.h - format of a payload of cloudblock.h
 *
 *	0  version, 4 bits	0  fields, 4 bits
 *	1  bits per axis	2  leaf, metres, float
 *	6  payloads, 16 bits	8  number of this payload, 16 bits
 *	10 points, 16 bits	12 blocks, 16 bits
 *	14 for each field: step, float; then see cloud_put_name()
 *	then one arithmetic code of all blocks: corner (differences to the last
 *	block), occupancy level by level, and in Morton order for each voxel
 *	its points: offsets, fields, whether one more follows.
 */
#ifndef CODEC_CLOUD_CLOUDBLOCK_FORMAT_H
#define CODEC_CLOUD_CLOUDBLOCK_FORMAT_H

#include <string.h>
#include "codec/core/coder.h"
#include "codec/cloud/cloud_parts.h"
#include "codec/cloud/cloudblock.h"
#include "codec/cloud/cloudblock_prior.h"
#include "codec/cloud/voxel.h"

enum {
	BLOCK_VERSION	= 1,
	BLOCK_SHAPE	= 8,	/* bytes that are the same in all payloads, */
	BLOCK_FIXED	= 14,	/* as are those of the fields after these */
	BLOCK_STEP	= 4,	/* of a field, before its name */
	BLOCK_HEADER_MAX = BLOCK_FIXED + CLOUD_FIELDS *
			  (BLOCK_STEP + CLOUD_NAME_HEADER + CLOUD_NAME - 1),
	BLOCK_LEVELS	= 4,
	BLOCK_SIDE	= 1 << BLOCK_LEVELS,
	BLOCK_VOXELS	= BLOCK_SIDE * BLOCK_SIDE * BLOCK_SIDE,
	GRID_SIDE	= BLOCK_SIDE + 2,	/* with an empty border */
	GRID_CELLS	= GRID_SIDE * GRID_SIDE * GRID_SIDE,
	AROUND		= 5,	/* unknown, or a quarter of the voxel */
	WIDE		= 56,	/* buckets of a field's differences */
	FIELD_MAX	= 53,	/* bits of its multiples of a step */
};

/* a cell of a level, counted from 0, in the grid */
static inline unsigned int grid_at(unsigned int x, unsigned int y,
				   unsigned int z)
{
	return ((z + 1) * GRID_SIDE + y + 1) * GRID_SIDE + x + 1;
}

enum { GRID_X = 1, GRID_Y = GRID_SIDE, GRID_Z = GRID_SIDE * GRID_SIDE };

/**
 * struct block_field - how a field is coded
 * @step: 0: byte by byte
 * @last: of the previous point: in steps, or its bytes
 * @bytes: trees of the differences of each byte
 */
struct block_field {
	float		step;
	unsigned int	type;
	int64_t		last;
	uint8_t		last_bytes[8];
	unsigned int	spread;
	struct rc_bit	above[4][WIDE];
	struct rc_bit	bytes[8][256];
};

/* a cell by its coordinates in its level, and by their Morton code */
struct block_cell {
	uint8_t		x, y, z;
	uint16_t	code;
};

/**
 * struct block_level - level of the octree
 * @count: occupied cells
 * @cell: these, in Morton order
 * @grid: whether a cell is occupied
 * @children: [code]: which are occupied; for the encoder
 */
struct block_level {
	unsigned int		count;
	struct block_cell	cell[BLOCK_VOXELS];
	uint8_t			grid[GRID_CELLS];
	uint8_t			children[BLOCK_VOXELS / 8];
};

/**
 * struct block_model - state learnt in a payload, and the current block
 * @corner: of the last block, in blocks
 * @offset: [axis][place in the grid]: of a voxel's last point
 */
struct block_model {
	struct rc_bit		corner_above[3][CODE_BUCKETS];
	struct rc_bit		occupied[PRIOR_OCCUPIED];
	struct rc_bit		offset_first[2][4][AROUND];
	struct rc_bit		offset_second[2][2][AROUND];
	struct rc_bit		more;
	int			corner[3];
	unsigned int		fields;
	struct block_field	field[CLOUD_FIELDS];
	uint16_t		offset[3][GRID_CELLS];
	struct block_level	level[BLOCK_LEVELS + 1];
};

/* Reset for another payload; keeps the fields */
static inline void block_model_init(struct block_model *m)
{
	rc_bits_init(m->corner_above[0], 3 * CODE_BUCKETS);
	code_trained(m->occupied, prior_occupied, PRIOR_OCCUPIED);
	code_trained(m->offset_first[0][0], prior_first, PRIOR_FIRST);
	code_trained(m->offset_second[0][0], prior_second, PRIOR_SECOND);
	m->more = (struct rc_bit){ 60000, CODE_TRUST };
	memset(m->corner, 0, sizeof(m->corner));
	for (unsigned int f = 0; f < m->fields; f++) {
		struct block_field *field = &m->field[f];

		field->last = 0;
		field->spread = 0;
		memset(field->last_bytes, 0, sizeof(field->last_bytes));
		rc_bits_init(field->above[0], 4 * WIDE);
		rc_bits_init(field->bytes[0], 8 * 256);
	}
}

INLINE void block_code_corner(struct coder *c, struct block_model *m,
				   const int corner[3])
{
	for (int a = 0; a < 3; a++)
		m->corner[a] += code_number(c, m->corner_above[a], 1,
					    corner[a] - m->corner[a]);
}

/*
 * The cells of level @l + 1 in those of level @l. Of a cell's neighbours, those
 * at lower coordinates are known. Of those at higher ones only the parent at
 * level @l is known, if it is another one.
 */
INLINE void block_code_level(struct coder *c, struct block_model *m,
				  unsigned int l)
{
	struct block_level *up = &m->level[l], *down = &m->level[l + 1];

	down->count = 0;
	for (unsigned int i = 0; i < up->count; i++) {
		const struct block_cell *p = &up->cell[i];
		const uint8_t *above = up->grid + grid_at(p->x, p->y, p->z);
		bool none = true;

		for (unsigned int k = 0; k < 8; k++) {
			unsigned int x = k & 1, y = k >> 1 & 1, z = k >> 2;
			unsigned int at = grid_at(2 * p->x + x, 2 * p->y + y,
						  2 * p->z + z);
			uint8_t *g = down->grid + at;
			unsigned int before, behind, context;
			int bit = 1;

			before = g[-GRID_X] + g[-GRID_Y] + g[-GRID_Z];
			behind = (x & above[GRID_X]) + (y & above[GRID_Y]) +
				 (z & above[GRID_Z]);
			context = (((l * 8 + k) * 4 + before) * 4 + behind) *
				  2 + none;
			if (k < 7 || !none)
				bit = code_bit(c, &m->occupied[context],
					       up->children[p->code] >> k & 1);
			if (!bit)
				continue;
			none = false;
			*g = 1;
			down->cell[down->count++] = (struct block_cell){
				2 * p->x + x, 2 * p->y + y, 2 * p->z + z,
				p->code << 3 | k,
			};
		}
	}
}

INLINE void block_code_occupancy(struct coder *c, struct block_model *m)
{
	m->level[0].count = 1;
	m->level[0].cell[0] = (struct block_cell){ 0, 0, 0, 0 };
	m->level[0].grid[grid_at(0, 0, 0)] = 1;
	for (unsigned int l = 0; l < BLOCK_LEVELS; l++)
		block_code_level(c, m, l);
}

/* Clear the current block */
static inline void block_clear(struct block_model *m)
{
	for (unsigned int l = 0; l <= BLOCK_LEVELS; l++) {
		struct block_level *level = &m->level[l];

		for (unsigned int i = 0; i < level->count; i++) {
			const struct block_cell *p = &level->cell[i];

			level->grid[grid_at(p->x, p->y, p->z)] = 0;
			if (l < BLOCK_LEVELS)
				level->children[p->code] = 0;
		}
		level->count = 0;
	}
}

/*
 * Position of the surface along axis @a in earlier neighbour voxels: 0:
 * unknown, else the upper two bits plus 1
 */
static inline unsigned int block_around(const struct block_model *m,
					unsigned int at, int a,
					unsigned int bits)
{
	static const int stride[5] = { GRID_X, GRID_Y, GRID_Z, GRID_X, GRID_Y };
	const uint8_t *g = m->level[BLOCK_LEVELS].grid;
	unsigned int sum = 0, n = 0;

	for (int other = a + 1; other <= a + 2; other++) {
		unsigned int beside = at - stride[other];

		if (g[beside]) {
			sum += m->offset[a][beside];
			n++;
		}
	}
	return n ? 1 + (sum * 4 >> (bits + n - 1)) : 0;
}

/* Position of a point in its voxel, in 2^bits steps along each axis */
INLINE void block_code_offset(struct coder *c, struct block_model *m,
				   unsigned int at, unsigned int bits,
				   uint16_t offset[3])
{
	static const int stride[3] = { GRID_X, GRID_Y, GRID_Z };
	const uint8_t *g = m->level[BLOCK_LEVELS].grid + at;

	for (int a = 0; bits && a < 3; a++) {
		unsigned int around = block_around(m, at, a, bits);
		unsigned int ends = g[-stride[a]] | g[stride[a]] << 1;
		unsigned int v = offset[a], left = bits - 1, top;

		top = code_bit(c, &m->offset_first[a == 2][ends][around],
			       v >> left & 1);
		if (left) {
			left--;
			top = top << 1 |
			      code_bit(c,
				       &m->offset_second[a == 2][top][around],
				       v >> left & 1);
		}
		if (left)
			top = top << left |
			      code_raw(c, v & ((1U << left) - 1), left);
		offset[a] = top;
		m->offset[a][at] = top;
	}
}

/* Return: number of steps; more than 2^FIELD_MAX: damaged */
INLINE int64_t block_code_steps(struct coder *c, struct block_field *f,
				     int64_t value)
{
	int64_t d = value - f->last;
	uint64_t v = d < 0 ? -d : d, top = 1;
	unsigned int bits = v ? 64 - __builtin_clzll(v) : 0, left;

	bits = code_bucket(c, f->above[f->spread], 2 * f->spread, WIDE - 1,
			   bits);
	f->spread = bits < 6 ? bits / 2 : 3;
	if (!bits)
		return f->last;
	left = bits - 1;
	while (left) {
		unsigned int n = left < 16 ? left : 16;

		left -= n;
		top = top << n | code_raw(c, v >> left & ((1U << n) - 1), n);
	}
	f->last += code_raw(c, d < 0, 1) ? -(int64_t)top : (int64_t)top;
	return f->last;
}

/* A value byte by byte, each as the difference to the previous point's */
INLINE void block_code_bytes(struct coder *c, struct block_field *f,
				  uint8_t *value, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		unsigned int d = (value[i] - f->last_bytes[i]) & 255, node = 1;

		for (int b = 7; b >= 0; b--)
			node = node << 1 | code_bit(c, &f->bytes[i][node],
						    d >> b & 1);
		value[i] = f->last_bytes[i] + node;
		f->last_bytes[i] = value[i];
	}
}

#endif
