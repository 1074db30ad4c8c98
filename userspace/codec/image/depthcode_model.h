/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * depthcode_model.h - decisions of depthcode and their contexts
 */
#ifndef CODEC_IMAGE_DEPTHCODE_MODEL_H
#define CODEC_IMAGE_DEPTHCODE_MODEL_H

#include "codec/core/coder.h"
#include "codec/core/logistic.h"
#include "codec/image/depthcode.h"

/* Decisions whose probability is mixed from three contexts, or two */
enum depthcode_kind {
	DEPTHCODE_OFF,		/* differs from the expected rank */
	DEPTHCODE_BELOW,	/* is less */
	DEPTHCODE_TWO,		/* differs by 2 at least */
	DEPTHCODE_TWO_BELOW,
	DEPTHCODE_THREE,	/* differs by 3 at least */
	DEPTHCODE_THREE_BELOW,
	DEPTHCODE_PIXEL,	/* those above share their contexts */
	DEPTHCODE_HOLE = DEPTHCODE_PIXEL, /* a pixel beside a hole is one */
	DEPTHCODE_SIDE,		/* of an edge: that of the second neighbour */
	DEPTHCODE_KINDS,
};

enum {
	DEPTHCODE_CONTEXTS	= 3,
	DEPTHCODE_CONTEXT_BITS	= 13,
	DEPTHCODE_PLACE_BITS	= 12,
	DEPTHCODE_SETS		= 16,		/* of weights */
	DEPTHCODE_WEIGHT	= 65536 * 3 / 10,	/* at the start */
	DEPTHCODE_BITS		= 18,		/* of a number */
	/* the last pass, across and along rows, and earlier ones */
	DEPTHCODE_PASSES	= 4,
};

/* Decisions on a pixel in a context; adjacent, as they are used together */
struct depthcode_context {
	struct rc_bit	kind[8];
};

/* The same in the other context, which is used for fewer decisions */
struct depthcode_bow {
	struct rc_bit	kind[2];	/* DEPTHCODE_OFF, DEPTHCODE_BELOW */
};

/**
 * struct depthcode_model - state learnt from an image so far
 * @stretch, @squash: see logistic.h; constant
 */
struct depthcode_model {
	struct depthcode_context context[1 << DEPTHCODE_CONTEXT_BITS];
	struct depthcode_bow bow[1 << DEPTHCODE_CONTEXT_BITS];
	struct rc_bit	place[2][DEPTHCODE_CONTEXTS]
			     [1 << DEPTHCODE_PLACE_BITS];
	int32_t		weight[DEPTHCODE_KINDS][DEPTHCODE_SETS]
			      [DEPTHCODE_CONTEXTS];
	struct rc_bit	differs[DEPTHCODE_PASSES][4];
	struct rc_bit	hole[DEPTHCODE_PASSES][2];
	struct rc_bit	more[DEPTHCODE_PASSES][2][DEPTHCODE_BITS];
	struct rc_bit	island[DEPTHCODE_BITS], first[2][DEPTHCODE_BITS];
	struct rc_bit	gap[3][DEPTHCODE_BITS];
	struct rc_bit	even[DEPTHCODE_LEVELS][12];
	int16_t		stretch[LOGISTIC_STEPS];
	uint16_t	squash[2 * LOGISTIC_MOST + 1];
};

static inline void depthcode_model_create(struct depthcode_model *m)
{
	logistic_stretch(m->stretch);
	for (int x = -LOGISTIC_MOST; x <= LOGISTIC_MOST; x++)
		m->squash[x + LOGISTIC_MOST] = logistic_squash(x);
}

static inline void depthcode_model_reset(struct depthcode_model *m)
{
	int32_t *weight = m->weight[0][0];
	const struct {
		void	*bits;
		size_t	size;
	} all[] = {
		{ m->context, sizeof(m->context) },
		{ m->bow, sizeof(m->bow) },
		{ m->place, sizeof(m->place) },
		{ m->differs, sizeof(m->differs) },
		{ m->hole, sizeof(m->hole) },
		{ m->more, sizeof(m->more) },
		{ m->island, sizeof(m->island) },
		{ m->first, sizeof(m->first) },
		{ m->gap, sizeof(m->gap) },
		{ m->even, sizeof(m->even) },
	};

	for (unsigned int i = 0; i < sizeof(all) / sizeof(*all); i++)
		rc_bits_init(all[i].bits, all[i].size / sizeof(struct rc_bit));
	for (size_t i = 0; i < sizeof(m->weight) / sizeof(*weight); i++)
		weight[i] = DEPTHCODE_WEIGHT;
}

static inline uint32_t depthcode_slot(uint32_t context, unsigned int bits)
{
	return context * 2654435761U >> (32 - bits);
}

/* A decision whose probability is mixed from @n others. @set: of weights */
INLINE int depthcode_mixed(struct coder *c, struct depthcode_model *m,
			   enum depthcode_kind kind, unsigned int set,
			   struct rc_bit *const b[], int n, int bit)
{
	int32_t *weight = m->weight[kind][set];
	int x[DEPTHCODE_CONTEXTS], error;
	struct rc_bit p = { 0 };
	int64_t sum = 0;

	for (int i = 0; i < n; i++) {
		x[i] = m->stretch[b[i]->zero >> 4];
		sum += (int64_t)weight[i] * x[i];
	}
	sum = (sum >> 16) + LOGISTIC_MOST;
	sum = sum < 0 ? 0 : sum > 2 * LOGISTIC_MOST ? 2 * LOGISTIC_MOST : sum;
	p.zero = m->squash[sum];
	error = 65535 - p.zero;
	bit = code_bit(c, &p, bit);
	error -= -bit & 65535;
	for (int i = 0; i < n; i++) {
		/* 1/128 of the gradient of the code's length */
		weight[i] += (error * x[i] * 4 + (1 << 16)) >> 17;
		rc_learn(b[i], bit, CODE_LIMIT);
	}
	return bit;
}

/* Position of holes and edges, with contexts of their own */
INLINE int depthcode_place(struct coder *c, struct depthcode_model *m,
			   enum depthcode_kind kind, unsigned int set,
			   const uint32_t context[], int bit)
{
	struct rc_bit *b[DEPTHCODE_CONTEXTS];

	for (int i = 0; i < DEPTHCODE_CONTEXTS; i++)
		b[i] = &m->place[kind - DEPTHCODE_HOLE][i][
			depthcode_slot(context[i], DEPTHCODE_PLACE_BITS)];
	return depthcode_mixed(c, m, kind, set, b, DEPTHCODE_CONTEXTS, bit);
}

/* A number below 2^17: the bit length of v + 1, in unary, and its bits */
INLINE unsigned int depthcode_number(struct coder *c, struct rc_bit *bits,
				     unsigned int v)
{
	unsigned int n = c->decode ? 0 : 31 - __builtin_clz(v + 1), k = 0;

	while (k < DEPTHCODE_BITS - 1 && code_bit(c, &bits[k], k < n))
		k++;
	return (1U << k) - 1 + (k ? code_raw(c, v + 1 - (1U << n), k) : 0);
}

/* The same for signed numbers */
INLINE int depthcode_signed(struct coder *c, struct rc_bit *bits, int v)
{
	unsigned int u = v < 0 ? -2 * v - 1 : 2 * v;

	u = depthcode_number(c, bits, u);
	return u & 1 ? -(int)(u / 2) - 1 : (int)(u / 2);
}

#endif
