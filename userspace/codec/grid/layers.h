/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * layers.h - a map of several layers of numbers, as datagrams that are each
 * useful alone
 *
 * A value becomes one of 101 coarse steps of its layer's range, and each of
 * these one of 101 fine ones: two maps of tiles (tiles.h), lossless, what
 * changed first, unknown kept apart. With the coarse one a layer is known to
 * 1 % of its range, with both to 0.01 %. Ranges are 0 .. 1, 0 .. 100, or what
 * the next power of two holds; they only grow.
 *
 * Payload, little endian:
 *	u8	version << 4 | LAYERS_FINE | LAYERS_BASIC
 *	u8	number of the layer
 *	u8	layers
 *	u8	bytes of its name
 *	f32	from, to: its range
 *	the name, and a payload of tiles.h
 */
#ifndef CODEC_GRID_LAYERS_H
#define CODEC_GRID_LAYERS_H

#include <stdbool.h>
#include "codec/core/payload.h"

enum {
	LAYERS_VERSION	= 1,
	LAYERS_FINE	= 1,
	LAYERS_BASIC	= 2,
	LAYERS_MAX	= 32,
	LAYERS_NAME	= 64,		/* bytes, with the final 0 */
	LAYERS_HEADER	= 12,
};

/**
 * struct layers_layer - of a grid
 * @basic:	as grid_map has it: a cell is valid if its basic layers are
 * @cells:	[row * width + column], NAN: not known
 */
struct layers_layer {
	char	name[LAYERS_NAME];
	bool	basic;
	float	*cells;
};

/**
 * struct layers_grid - as struct map, but for its cells
 */
struct layers_grid {
	unsigned int		width, height;
	float			resolution;
	double			x, y, yaw;
	unsigned int		layers;
	struct layers_layer	layer[LAYERS_MAX];
};

struct layers_encoder;

/**
 * layers_encoder_create() - of grids of up to that size
 *
 * Return: to be freed with layers_encoder_destroy(), NULL: no memory.
 */
struct layers_encoder *layers_encoder_create(unsigned int max_width,
					     unsigned int max_height);
void layers_encoder_destroy(struct layers_encoder *e);

/**
 * layers_encode() - the next frame
 * @max_datagrams: to be used; two thirds of them for coarse steps
 * @out: filled with no more than that or its slots. Layers that get none now
 *	have their turn next
 *
 * Return: 0; -EINVAL with a grid that cannot be, -E2BIG with one that is
 * larger than was said; -ENOMEM.
 */
int layers_encode(struct layers_encoder *e, const struct layers_grid *grid,
		  unsigned int max_datagrams, struct payloads *out);

struct layers_decoder;

struct layers_decoder *layers_decoder_create(unsigned int max_width,
					     unsigned int max_height);
void layers_decoder_destroy(struct layers_decoder *d);

/* The payloads that follow are of this frame; its number wraps */
void layers_begin(struct layers_decoder *d, uint32_t frame);

/**
 * layers_add() - take a payload
 *
 * Return: 0; -EEXIST; -EINVAL, -E2BIG, -EPROTO as tiles_add(); -ENOMEM.
 */
int layers_add(struct layers_decoder *d, const void *payload, size_t len);

/* Cells of all layers together that layers_finish() would give */
size_t layers_cells(const struct layers_decoder *d);

/**
 * layers_finish() - the layers as they are known now
 * @grid: of the size and origin of the newest frame; its cells are the
 *	decoder's until the next call
 *
 * Return: 0, -ENODATA: nothing came yet, -ENOMEM.
 */
int layers_finish(struct layers_decoder *d, struct layers_grid *grid);

/* How much of all that the sender knows is here, 0 .. 1 */
double layers_share(const struct layers_decoder *d);

#endif
