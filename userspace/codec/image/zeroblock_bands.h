/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * zeroblock_bands.h - data of a coder of wavelet coefficients: subbands, each a
 * quadtree. Only for zeroblock*.c.
 *
 * Nodes of level 0 are coefficients, a node of level k covers 2x2 of level
 * k - 1. A node becomes significant at the highest plane of any coefficient
 * that it covers.
 * it covers.
 */
#ifndef CODEC_IMAGE_ZEROBLOCK_BANDS_H
#define CODEC_IMAGE_ZEROBLOCK_BANDS_H

#include "codec/core/rangecoder.h"
#include "codec/image/zeroblock.h"

enum {
	BANDS = ZEROBLOCK_CHANNELS * (3 * ZEROBLOCK_LEVELS + 1),
	DEPTH = 17,		/* levels of a quadtree over 65536 */
	MARGIN = 4,		/* bytes around a map that are read */
	LIMIT = 40,		/* decisions that a context remembers */
	TRUST = 14,		/* weight of the start, decisions */

	/* contexts */
	SUMS = 12,		/* of neighbours */
	PARENTS = 3,
	ORIENTS = 3,		/* high across, high down, both; low as both */
	KINDS = 5,		/* of node: waiting, fresh, blocks of level 1.. */
	SIGNS = 9,
	REFINES = 3,		/* a bit's distance from the first one */
};

enum orient { ACROSS, DOWN, BOTH };

struct node {
	uint16_t x, y;
};

/**
 * struct hit - a significant coefficient
 * @size:	encoder: its magnitude; decoder: twice the known part of it
 */
struct hit {
	struct node	at;
	int32_t		size;
};

/**
 * struct level - nodes of one level of a band's quadtree
 * @map:	plane at which a node became significant, 0: not yet
 * @top:	encoder: plane at which it will
 * @wait:	insignificant nodes of opened blocks
 * @parent:	nodes of the next coarser band for the same area, at
 *		x >> @halve
 */
struct level {
	unsigned int	width, height;
	size_t		stride;
	uint8_t		*map, *top;
	struct node	*wait;
	unsigned int	waiting;
	const struct level *parent;
	unsigned int	halve;
};

/**
 * struct band - a subband
 * @at:		offset of its first coefficient in the channel
 * @weight:	of a squared error, with norms
 * @shift:	planes that its bits are shifted up by
 * @in:		encoder: the coefficients
 * @nodes, @signs, @refines: contexts of its orientation
 * @shown:	encoder: sum of magnitudes that became significant in a pass
 * @sign:	1, -1 for significant coefficients, laid out as a map
 * @list:	significant coefficients, in the order in which they became so
 * @until:	[plane]: entries of the list at that plane or earlier
 */
struct band {
	enum orient	orient;
	unsigned int	channel, depth, shift;
	size_t		at;
	double		weight;
	struct level	level[DEPTH];
	const int32_t	*in;
	struct rc_bit	(*nodes)[PARENTS][SUMS];
	struct rc_bit	*signs, *refines;
	int64_t		shown;
	int8_t		*sign;
	struct hit	*list;
	unsigned int	listed;
	unsigned int	until[ZEROBLOCK_PLANES + 2];
};

/* in the order of zeroblock_start */
struct contexts {
	struct rc_bit node[ORIENTS][KINDS][PARENTS][SUMS];
	struct rc_bit sign[ORIENTS][SIGNS];
	struct rc_bit refine[ORIENTS][REFINES];
};

/**
 * struct coder - one of the two is used; loops keep it in registers
 * @stop:	of the encoder: end of the budget
 */
struct coder {
	struct rc_encoder enc;
	struct rc_decoder dec;
	const uint8_t	*stop;
};

struct zeroblock {
	unsigned int	width, height, channels;	/* most of each */
	struct zeroblock_shape shape;
	struct band	band[BANDS];
	unsigned int	bands;
	struct contexts	ctx[2];				/* first, other channels */
	struct coder	coder;
	int32_t		*out[ZEROBLOCK_CHANNELS];
	double		gain;		/* error removed so far */
	/* maps, tops and signs; nodes */
	uint8_t		*memory;
	struct node	*nodes;
	struct hit	*hits;
};

/* index in a map */
static inline size_t place(const struct level *l, unsigned int x, unsigned int y)
{
	return (y + 1) * l->stride + x + MARGIN;
}

/* Lay out the bands of a shape; resets all contexts */
void zeroblock_shape_bands(struct zeroblock *z,
			   const struct zeroblock_shape *s);

/* Planes at which a band's nodes become significant. Return: the root's */
unsigned int zeroblock_tops(struct zeroblock *z, struct band *b);

/* Weighted sum of the squares of a band's coefficients */
double zeroblock_energy(const struct zeroblock *z, const struct band *b);

#endif
