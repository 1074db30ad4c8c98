/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * depthcode_cells.h - cells of an image that their corners show well enough
 */
#ifndef CODEC_IMAGE_DEPTHCODE_CELLS_H
#define CODEC_IMAGE_DEPTHCODE_CELLS_H

#include "codec/image/depthcode.h"

enum depthcode_even {
	DEPTHCODE_UNEVEN,
	DEPTHCODE_IS_EVEN,
	DEPTHCODE_IN_EVEN,	/* part of a larger one */
};

/**
 * struct depthcode_cells - what is known of cells, level by level
 * @even:	[level][row * @columns + column], enum depthcode_even
 */
struct depthcode_cells {
	uint8_t		*even[DEPTHCODE_LEVELS];
	unsigned int	columns[DEPTHCODE_LEVELS], rows[DEPTHCODE_LEVELS];
};

/**
 * struct depthcode_cell - one of them
 * @x, @y:	of its first pixel
 * @side:	pixels, a power of two; at the image's sides there are fewer
 * @corner:	depths at the first pixel, right of the last one, and so below;
 *		at the image's sides those before again; 0: not even
 */
struct depthcode_cell {
	unsigned int	x, y, side;
	uint16_t	corner[4];
};

static inline unsigned int depthcode_cell_side(unsigned int level)
{
	return DEPTHCODE_STEP >> level;
}

/* Return: 0, -ENOMEM */
int depthcode_cells_create(struct depthcode_cells *c, unsigned int width,
			   unsigned int height);
void depthcode_cells_destroy(struct depthcode_cells *c);

/* For an image of that size: no cell is even */
void depthcode_cells_begin(struct depthcode_cells *c, unsigned int width,
			   unsigned int height);

/**
 * depthcode_cell_is_even() - whether all pixels are as its corners show them
 */
bool depthcode_cell_is_even(const struct depthcode_cell *c,
			    const struct image *image);

/**
 * depthcode_cell_show() - pixels as its corners show them
 *
 * Return: how many.
 */
unsigned int depthcode_cell_show(const struct depthcode_cell *c,
				 struct image *image);

/**
 * depthcode_cell_context() - how likely it is even, by its corners: 0 .. 3
 */
unsigned int depthcode_cell_context(const struct depthcode_cell *c);

#endif
