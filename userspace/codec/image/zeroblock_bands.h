/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * zeroblock_bands.h - what a coder of wavelet coefficients works on: subbands,
 * each a quadtree. For zeroblock*.c alone.
 *
 * Nodes of level 0 are coefficients, a node of level k covers 2x2 of level
 * k - 1. A node is significant from the plane on that is the highest of what
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
	TRUST = 14,		/* decisions that the start is worth */

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
 * struct hit - a coefficient that is significant
 * @size:	encoder: its magnitude; decoder: twice what is known of it
 */
struct hit {
	struct node	at;
	int32_t		size;
};

/**
 * struct level - nodes of one level of a band's quadtree
 * @map:	plane at which a node became significant, 0: is not yet
 * @top:	encoder: plane at which it will
 * @wait:	nodes not significant whose blocks are
 * @parent:	nodes of the next coarser band that cover the same area, by
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
 * @at:		its first coefficient in the channel
 * @weight:	of a squared error, with norms
 * @shift:	planes that it is above its bits
 * @in:		encoder: the coefficients
 * @nodes, @signs, @refines: contexts of its orientation
 * @shown:	encoder: sum of the magnitudes that a pass made significant
 * @sign:	1, -1 of significant coefficients, laid out as a map
 * @list:	significant coefficients, in the order in which they became so
 * @until:	[plane]: entries of the list that came at that plane or before
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
 * struct coder - one of both is used; loops keep it in registers
 * @stop:	of the encoder: enough
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
	double		gain;		/* error that has gone */
	/* maps, tops and signs; nodes */
	uint8_t		*memory;
	struct node	*nodes;
	struct hit	*hits;
};

/* where in a map */
static inline size_t place(const struct level *l, unsigned int x, unsigned int y)
{
	return (y + 1) * l->stride + x + MARGIN;
}

/* Lay out the bands of a shape; all contexts start anew */
void zeroblock_shape_bands(struct zeroblock *z,
			   const struct zeroblock_shape *s);

/* Planes at which the nodes of a band become significant; returns the root's */
unsigned int zeroblock_tops(struct zeroblock *z, struct band *b);

/* Sum of the squares of a band's coefficients, by their weight */
double zeroblock_energy(const struct zeroblock *z, const struct band *b);

#endif
