/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * mappyramid.h - a map as D6.3 sends it: coarser until it fits, interleaved
 *
 * In: a map. Out: up to 256 datagrams of up to 1300 plain cells, each a
 * picture of the whole map at a fraction of its density, with its size,
 * resolution and origin; and back, from any of them. For overviews and for
 * receivers of that format; tiles.h is smaller, lossless and at the full
 * resolution.
 *
 * A map that does not fit is halved: of 2x2 cells the highest value stays, so
 * unknown (-1) gives way to free (0) and that to anything occupied: no wall is
 * lost, and what was seen at all is not unknown. Cells that did not arrive
 * are copies of the nearest that did, never mixtures, so that unknown, free
 * and occupied stay apart.
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
 * mappyramid_encoder_create() - room to halve maps in
 *
 * Return: it, or NULL when out of memory or with wrong sizes;
 * mappyramid_encoder_destroy() frees it.
 */
struct mappyramid_encoder *
mappyramid_encoder_create(unsigned int max_width, unsigned int max_height);

void mappyramid_encoder_destroy(struct mappyramid_encoder *e);

/**
 * mappyramid_encode() - a map as datagrams
 * @max_datagrams: 1, 4, 16, 64 or 256; numbers between count as the lower
 * @out: filled with 4^d of them, no more than it has slots, for the smallest
 *	d that holds the map when it is halved as often as needed
 *
 * Return: 0; -EINVAL with a map or slots that cannot be, -E2BIG with a map
 * that is larger than was said.
 */
int mappyramid_encode(struct mappyramid_encoder *e, const struct map *map,
		      unsigned int max_datagrams, struct payloads *out);

/**
 * mappyramid_decoder_create() - a receiver of one map at a time
 *
 * Return: it, or NULL when out of memory; mappyramid_decoder_destroy() frees
 * it.
 */
struct mappyramid_decoder *mappyramid_decoder_create(void);

void mappyramid_decoder_destroy(struct mappyramid_decoder *d);

/**
 * mappyramid_begin() - the payloads that follow are of another map
 */
void mappyramid_begin(struct mappyramid_decoder *d);

/**
 * mappyramid_add() - take a payload
 *
 * Return: 0; -EEXIST if it was there already; -EINVAL if it is broken,
 * -EPROTO if it is of another map than the first one: nothing has changed
 * then.
 */
int mappyramid_add(struct mappyramid_decoder *d, const void *payload,
		   size_t len);

/**
 * mappyramid_finish() - the map from what came
 * @map: its resolution is that after halving; its cells are the decoder's
 *	and stay as they are until the next call
 *
 * Return: 0; -ENODATA if nothing came.
 */
int mappyramid_finish(struct mappyramid_decoder *d, struct map *map);

#endif
