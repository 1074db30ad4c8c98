/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * layers.h - a map of several layers of values, as datagrams that are each
 * decodable alone
 *
 * A value becomes one of 101 coarse steps of its layer's range, and each of
 * these has 101 fine ones: two maps of tiles (tiles.h), lossless, changes
 * first, unknown kept apart. Coarse steps resolve 1 % of a layer's range, fine
 * ones 0.01 %. Ranges are 0 .. 1, 0 .. 100, or the next power of two that holds
 * the values; they only grow.
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
 * struct layers_layer - a layer of a grid
 * @basic:	as in grid_map: a cell is valid if its basic layers are
 * @cells:	[row * width + column], NAN: unknown
 */
struct layers_layer {
	char	name[LAYERS_NAME];
	bool	basic;
	float	*cells;
};

/**
 * struct layers_grid - as struct map, except for its cells
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
 * layers_encoder_create() - an encoder of grids up to that size
 *
 * Return: free with layers_encoder_destroy(), NULL: no memory.
 */
struct layers_encoder *layers_encoder_create(unsigned int max_width,
					     unsigned int max_height);
void layers_encoder_destroy(struct layers_encoder *e);

/**
 * layers_encode() - encode the next frame
 * @max_datagrams: limit; two thirds of them for coarse steps
 * @out: filled up to that limit or its slots. Layers without a datagram now are
 *	the first next time
 *
 * Return: 0; -EINVAL: an invalid grid, -E2BIG: larger than the encoder's size;
 * -ENOMEM.
 */
int layers_encode(struct layers_encoder *e, const struct layers_grid *grid,
		  unsigned int max_datagrams, struct payloads *out);

struct layers_decoder;

struct layers_decoder *layers_decoder_create(unsigned int max_width,
					     unsigned int max_height);
void layers_decoder_destroy(struct layers_decoder *d);

/* Start a frame; the number of @frame wraps */
void layers_begin(struct layers_decoder *d, uint32_t frame);

/**
 * layers_add() - add a payload
 *
 * Return: 0; -EEXIST; -EINVAL, -E2BIG, -EPROTO as tiles_add(); -ENOMEM.
 */
int layers_add(struct layers_decoder *d, const void *payload, size_t len);

/* Cells of all layers together in layers_finish() */
size_t layers_cells(const struct layers_decoder *d);

/**
 * layers_finish() - the layers as known now
 * @grid: of the size and origin of the newest frame; its cells are the
 *	decoder's until the next call
 *
 * Return: 0, -ENODATA: nothing received yet, -ENOMEM.
 */
int layers_finish(struct layers_decoder *d, struct layers_grid *grid);

/* Received share of the sender's map, 0 .. 1 */
double layers_share(const struct layers_decoder *d);

#endif
