/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tilecode_model.h - the model of tilecode.c and its reference
 *
 * Values of a block are replaced by their rank in its palette. A context is a
 * hash of the ranks in a neighbourhood; if contexts share a slot, only their
 * estimates get a little worse.
 */
#ifndef CODEC_GRID_TILECODE_MODEL_H
#define CODEC_GRID_TILECODE_MODEL_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "base/wire.h"
#include "codec/core/logistic.h"
#include "codec/core/rangecoder.h"
#include "codec/grid/map.h"

enum {
	CONTEXTS	= 4,
	CONTEXT_BITS	= 13,
	FAR		= 16,
	LIMIT		= 80,		/* adapts fast: blocks vary */
	WEIGHT		= 65536 * 7 / 20,	/* at the start, 1/65536 */
};

enum { PALETTE_ONE, PALETTE_TRINARY, PALETTE_ANY };

static const int8_t tilecode_trinary[3] = {
	MAP_UNKNOWN, MAP_FREE, MAP_OCCUPIED
};

/**
 * struct tilecode_palette - the values of a block, ascending
 * @outside: rank of cells around the block: unknown, if the block has it
 */
struct tilecode_palette {
	unsigned int	kind, count, outside;
	uint8_t		first;
	bool		has[256];
	uint8_t		rank[256];
	int8_t		value[256];
};

static inline void tilecode_palette_rank(struct tilecode_palette *p)
{
	for (int v = INT8_MIN; v <= INT8_MAX; v++) {
		if (!p->has[(uint8_t)v])
			continue;
		p->rank[(uint8_t)v] = p->count;
		p->value[p->count++] = v;
	}
	if (p->has[(uint8_t)MAP_UNKNOWN])
		p->outside = p->rank[(uint8_t)MAP_UNKNOWN];
}

static inline void tilecode_palette_of(struct tilecode_palette *p,
				       const int8_t *cells, size_t stride,
				       unsigned int side)
{
	unsigned int known = 0;

	memset(p, 0, sizeof(*p));
	for (unsigned int y = 0; y < side; y++)
		for (unsigned int x = 0; x < side; x++)
			p->has[(uint8_t)cells[y * stride + x]] = true;
	tilecode_palette_rank(p);
	p->first = p->value[0];
	for (int i = 0; i < 3; i++)
		known += p->has[(uint8_t)tilecode_trinary[i]];
	p->kind = p->count == 1 ? PALETTE_ONE :
		  p->count == known ? PALETTE_TRINARY : PALETTE_ANY;
}

/**
 * struct tilecode_model - state learnt from a block so far
 * @weight:	of each context's estimate, 1/65536, by neighbours tried
 * @same:	whether a cell in a uniform neighbourhood equals it
 * @up, @far:	position of a value unlike the neighbours
 * @stretch:	log odds of a probability, by 1/4096; constant
 */
struct tilecode_model {
	struct rc_bit	context[CONTEXTS][1 << CONTEXT_BITS];
	int32_t		weight[4][CONTEXTS];
	struct rc_bit	same[3], up[4], far[2][FAR];
	int16_t		stretch[LOGISTIC_STEPS];
};

static inline void tilecode_model_create(struct tilecode_model *m)
{
	logistic_stretch(m->stretch);
}

static inline void tilecode_model_reset(struct tilecode_model *m)
{
	rc_bits_init(m->context[0], CONTEXTS << CONTEXT_BITS);
	for (int i = 0; i < 4; i++)
		for (int k = 0; k < CONTEXTS; k++)
			m->weight[i][k] = WEIGHT;
	rc_bits_init(m->up, 4);
	rc_bits_init(m->far[0], 2 * FAR);
	/* a uniform neighbourhood mostly continues */
	for (int i = 0; i < 3; i++)
		m->same[i] = (struct rc_bit){ 65536 / 50, 10 };
}

/**
 * struct tilecode_mix - an estimate and its inputs
 */
struct tilecode_mix {
	struct rc_bit	*bit[CONTEXTS];
	int32_t		*weight;
	int		x[CONTEXTS];
	int		zero;
};

static inline void tilecode_mix(struct tilecode_model *m,
				const uint32_t context[CONTEXTS],
				unsigned int tried, struct tilecode_mix *mix)
{
	int64_t sum = 0;
	int x;

	mix->weight = m->weight[tried];
	for (int i = 0; i < CONTEXTS; i++) {
		uint32_t slot = (context[i] + tried * 0x3c6ef35f) *
				2654435761U >> (32 - CONTEXT_BITS);

		mix->bit[i] = &m->context[i][slot];
		mix->x[i] = m->stretch[mix->bit[i]->zero >> 4];
		sum += (int64_t)mix->weight[i] * mix->x[i];
	}
	x = sum > 2047 * 65536LL ? 2047 : sum < -2047 * 65536LL ? -2047 :
	    (int)(sum >> 16);
	mix->zero = logistic_squash(x);
}

static inline void tilecode_mix_learn(struct tilecode_mix *mix, int bit)
{
	int error = (bit ? 0 : 65535) - mix->zero;

	for (int i = 0; i < CONTEXTS; i++) {
		/* a hundredth of the gradient of the code's length */
		mix->weight[i] += (error * mix->x[i] * 5 + (1 << 16)) >> 17;
		rc_learn(mix->bit[i], bit, LIMIT);
	}
}

static inline uint32_t tilecode_hash(uint64_t a, uint64_t b)
{
	return (a * 0x9e3779b97f4a7c15 + b * 0xc2b2ae3d27d4eb4f) >> 32;
}

/*
 * The four neighbourhoods: the nearest 4 cells; the nearest 2 and those a
 * knight's move away; the nearest 16; some far ones. @up1 and @up2 are the 8
 * ranks from 3 columns to the left on, one and two rows above @p, in rows of
 * @row.
 */
static inline void tilecode_contexts(uint64_t up1, uint64_t up2,
				     const uint8_t *p, unsigned int row,
				     uint32_t context[CONTEXTS])
{
	uint64_t w = p[-1], ww = p[-2], n = p[-(int)row];
	uint64_t knights = (up1 >> 8 & 0xff000000ff) << 16 |
			   (up2 >> 16 & 0xff00ff) << 24;
	const uint8_t *up3 = p - 3 * row, *up4 = p - 4 * row;

	context[0] = tilecode_hash((up1 >> 16 & 0xffffff) | w << 24, 0);
	context[1] = tilecode_hash(w | n << 8, knights);
	context[2] = tilecode_hash((up1 & 0xffffffffffffff) | w << 56,
				   (up2 >> 8 & 0xffffffffff) | ww << 40 |
				   (uint64_t)p[-3] << 48 |
				   (uint64_t)up3[0] << 56);
	context[3] = tilecode_hash(w | n << 8 | (uint64_t)p[-6] << 16 |
				   (uint64_t)p[-6 * (int)row] << 24,
				   up4[4] | up4[-4] << 8);
}

/**
 * struct tilecode_tried - neighbours' ranks that a cell does not have
 */
struct tilecode_tried {
	unsigned int	n;
	uint8_t		rank[4];
};

static inline bool tilecode_was_tried(const struct tilecode_tried *t,
				      unsigned int rank)
{
	for (unsigned int i = 0; i < t->n; i++)
		if (t->rank[i] == rank)
			return true;
	return false;
}

/**
 * struct tilecode_rest - number of ranks left below and above the upper one's
 */
struct tilecode_rest {
	int below, above;
};

static inline void tilecode_rest(const struct tilecode_tried *t,
				 unsigned int count, unsigned int n,
				 struct tilecode_rest *rest)
{
	rest->below = n;
	rest->above = count - 1 - n;
	for (unsigned int i = 0; i < t->n; i++) {
		rest->below -= t->rank[i] < n;
		rest->above -= t->rank[i] > n;
	}
}

static inline unsigned int tilecode_up_context(unsigned int w, unsigned int n)
{
	return !n ? 0 : n > w ? 1 : n < w ? 2 : 3;
}

static inline unsigned int tilecode_same_context(unsigned int n,
						 unsigned int count)
{
	return !n ? 0 : n + 1 == count ? 1 : 2;
}

#endif
