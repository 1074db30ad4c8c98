/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * depthcode_cells.h - cells of an image that are interpolated from their
 * corners
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
 * struct depthcode_cells - state of cells, level by level
 * @even:	[level][row * @columns + column], enum depthcode_even
 */
struct depthcode_cells {
	uint8_t		*even[DEPTHCODE_LEVELS];
	unsigned int	columns[DEPTHCODE_LEVELS], rows[DEPTHCODE_LEVELS];
};

/**
 * struct depthcode_cell - a cell
 * @x, @y:	of its first pixel
 * @side:	pixels, a power of two; at the image's border there are fewer
 * @corner:	depths at the first pixel, right of the last one, and the same
 *		below; beyond the border those before; 0: cannot be even
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

/* Reset for an image of that size: no cell is even */
void depthcode_cells_begin(struct depthcode_cells *c, unsigned int width,
			   unsigned int height);

/**
 * depthcode_cell_is_even() - whether interpolation is within the tolerance
 */
bool depthcode_cell_is_even(const struct depthcode_cell *c,
			    const struct image *image);

/**
 * depthcode_cell_show() - interpolate the pixels
 *
 * Return: their number.
 */
unsigned int depthcode_cell_show(const struct depthcode_cell *c,
				 struct image *image);

/**
 * depthcode_cell_context() - context of evenness, from the corners: 0 .. 3
 */
unsigned int depthcode_cell_context(const struct depthcode_cell *c);

#endif
