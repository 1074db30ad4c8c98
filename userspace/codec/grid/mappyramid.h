/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * mappyramid.h - a map as in D6.3: halved until it fits, interleaved
 *
 * In: a map. Out: up to 256 datagrams of up to 1300 plain cells, each an image
 * of the whole map at a fraction of its density, with its size, resolution and
 * origin; and back, from any of them. For overviews, and for receivers of that
 * format; tiles.h is smaller, lossless and has the full resolution.
 *
 * A map that does not fit is halved: the highest value of 2x2 cells is kept, so
 * unknown (-1) yields to free (0), and free to occupied: no wall is lost, and
 * no known area becomes unknown. Cells that did not arrive are copies of the
 * nearest one that did, never averages, so that unknown, free and occupied stay
 * distinct.
 *
 * Method: SmokeBot D6.3, sections 4.1 (tables 2 to 4) and 5.
 */
#ifndef CODEC_GRID_MAPPYRAMID_H
#define CODEC_GRID_MAPPYRAMID_H

#include "codec/core/pattern.h"
#include "codec/core/payload.h"
#include "codec/grid/map.h"

enum {
	MAPPYRAMID_CELLS = 1300,	/* of a datagram, at most */
	MAPPYRAMID_DEPTH = PATTERN_STEPS, /* interleaved up to 4^4 times */
	MAPPYRAMID_HEADER = 36,		/* bytes */
};

struct mappyramid_encoder;
struct mappyramid_decoder;

/**
 * mappyramid_halve() - highest of each 2x2 cells
 * @in: of @width times @height cells; an odd last row or column counts twice
 * @out: of (@width + 1) / 2 times (@height + 1) / 2, not @in
 */
void mappyramid_halve(const int8_t *in, unsigned int width,
		      unsigned int height, int8_t *out);

/**
 * mappyramid_encoder_create() - memory for halving maps
 *
 * Return: NULL: no memory or wrong sizes; free with
 * mappyramid_encoder_destroy().
 */
struct mappyramid_encoder *
mappyramid_encoder_create(unsigned int max_width, unsigned int max_height);

void mappyramid_encoder_destroy(struct mappyramid_encoder *e);

/**
 * mappyramid_encode() - encode a map to datagrams
 * @max_datagrams: 1, 4, 16, 64 or 256; others are rounded down to one of these
 * @out: gets 4^d of them, at most its slots, for the smallest d that holds the
 *	map after the necessary halving
 *
 * Return: 0; -EINVAL: invalid map or slots, -E2BIG: the map is larger than the
 * encoder's size.
 */
int mappyramid_encode(struct mappyramid_encoder *e, const struct map *map,
		      unsigned int max_datagrams, struct payloads *out);

/**
 * mappyramid_decoder_create() - a decoder of one map at a time
 *
 * Return: NULL: no memory; free with mappyramid_decoder_destroy().
 */
struct mappyramid_decoder *mappyramid_decoder_create(void);

void mappyramid_decoder_destroy(struct mappyramid_decoder *d);

/**
 * mappyramid_begin() - start a map
 */
void mappyramid_begin(struct mappyramid_decoder *d);

/**
 * mappyramid_add() - add a payload
 *
 * Return: 0; -EEXIST: a duplicate; -EINVAL: invalid; -EPROTO: of another map
 * than the first one. After an error nothing changed.
 */
int mappyramid_add(struct mappyramid_decoder *d, const void *payload,
		   size_t len);

/**
 * mappyramid_finish() - the map of the received payloads
 * @map: its resolution is that after halving; its cells are the decoder's,
 *	valid until the next call
 *
 * Return: 0; -ENODATA: nothing received.
 */
int mappyramid_finish(struct mappyramid_decoder *d, struct map *map);

#endif
