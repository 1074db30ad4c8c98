// SPDX-License-Identifier: GPL-2.0-only
/*
 * depthcode_cells - cells of an image that are interpolated from their corners
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "codec/image/depthcode_cells.h"

/* Columns of cells; a partial one counts */
static unsigned int depthcode_cells_cells_of(unsigned int pixels,
					     unsigned int level)
{
	unsigned int side = depthcode_cell_side(level);

	return (pixels + side - 1) / side;
}

int depthcode_cells_create(struct depthcode_cells *c, unsigned int width,
			   unsigned int height)
{
	for (unsigned int l = 0; l < DEPTHCODE_LEVELS; l++) {
		c->even[l] = calloc(depthcode_cells_cells_of(width, l),
				    depthcode_cells_cells_of(height, l));
		if (!c->even[l])
			return -ENOMEM;
	}
	return 0;
}

void depthcode_cells_destroy(struct depthcode_cells *c)
{
	for (unsigned int l = 0; l < DEPTHCODE_LEVELS; l++)
		free(c->even[l]);
}

void depthcode_cells_begin(struct depthcode_cells *c, unsigned int width,
			   unsigned int height)
{
	for (unsigned int l = 0; l < DEPTHCODE_LEVELS; l++) {
		c->columns[l] = depthcode_cells_cells_of(width, l);
		c->rows[l] = depthcode_cells_cells_of(height, l);
		memset(c->even[l], DEPTHCODE_UNEVEN,
		       (size_t)c->columns[l] * c->rows[l]);
	}
}

/* A row of an interpolated cell: from @left on, @step more each, 1/side^2 */
struct slope {
	int	left, step;
};

static unsigned int log2_of(unsigned int side)
{
	return 31 - __builtin_clz(side);
}

/* Depths are 16 bit and a side 32: 26 bits */
static struct slope slope_of(const struct depthcode_cell *c, unsigned int dy)
{
	int side = c->side, y = dy;
	int left = c->corner[0] * (side - y) + c->corner[2] * y;
	int right = c->corner[1] * (side - y) + c->corner[3] * y;

	return (struct slope){ left * side + side * side / 2, right - left };
}

static unsigned int depthcode_cells_within(unsigned int from, unsigned int side,
					   unsigned int end)
{
	return from + side < end ? side : end - from;
}

bool depthcode_cell_is_even(const struct depthcode_cell *c,
			    const struct image *image)
{
	unsigned int width =
		depthcode_cells_within(c->x, c->side, image->width);
	unsigned int height =
		depthcode_cells_within(c->y, c->side, image->height);
	unsigned int shift = 2 * log2_of(c->side);

	for (unsigned int y = 0; y < height; y++) {
		const uint16_t *p = (const uint16_t *)image_row(image,
							c->y + y) + c->x;
		struct slope s = slope_of(c, y);
		int bad = 0;

		for (unsigned int x = 0; x < width; x++) {
			int depth = p[x];
			int off = ((s.left + (int)x * s.step) >> shift) - depth;

			/* a hole is out of the tolerance of any depth */
			off = off < 0 ? -off : off;
			bad |= off * DEPTHCODE_TOLERANCE > depth;
		}
		if (bad)
			return false;
	}
	return true;
}

unsigned int depthcode_cell_show(const struct depthcode_cell *c,
				 struct image *image)
{
	unsigned int width =
		depthcode_cells_within(c->x, c->side, image->width);
	unsigned int height =
		depthcode_cells_within(c->y, c->side, image->height);
	unsigned int shift = 2 * log2_of(c->side);

	for (unsigned int y = 0; y < height; y++) {
		uint16_t *p = (uint16_t *)image_row(image, c->y + y) + c->x;
		struct slope s = slope_of(c, y);

		for (unsigned int x = 0; x < width; x++)
			p[x] = (s.left + (int)x * s.step) >> shift;
	}
	return width * height;
}

unsigned int depthcode_cell_context(const struct depthcode_cell *c)
{
	unsigned int least = c->corner[0], most = least, apart;

	for (int i = 1; i < 4; i++) {
		least = c->corner[i] < least ? c->corner[i] : least;
		most = c->corner[i] > most ? c->corner[i] : most;
	}
	apart = (most - least) * (DEPTHCODE_TOLERANCE / 2);
	return apart <= least ? 0 : apart <= 4 * least ? 1 :
	       apart <= 16 * least ? 2 : 3;
}
