/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tiles.h - a growing map, lossless, as datagrams that are each decodable alone
 *
 * In: each version of the map. Out: up to a given number of datagrams with
 * whole tiles of 64x64 cells (tilecode.h) from all over the map, each with the
 * map's size, resolution and origin. Changed tiles go first, then the others in
 * turn, so that lost tiles are repeated without a request; even a map without
 * changes uses all datagrams that the caller grants. Tiles that were never
 * known are never sent.
 *
 * Tiles lie on a grid that is fixed by the first map: a map that grows to the
 * left or below, or a window that follows the robot, by whole cells, keeps its
 * tiles. Another resolution or yaw, or a shift by part of a cell, is another
 * grid and all is sent again. A noisy tile that fits no datagram is sent in
 * smaller blocks.
 *
 * Parity: the last datagram of each nine is the exclusive or of up to eight, a
 * Reed-Solomon code with one word of parity: it restores one lost datagram. The
 * groups interleave, so that a burst hits each of them once.
 *
 * Limit: a change is detected by a hash of 64 bits.
 */
#ifndef CODEC_GRID_TILES_H
#define CODEC_GRID_TILES_H

#include <stdbool.h>
#include "codec/core/payload.h"
#include "codec/grid/map.h"

enum {
	TILES_GROUP	= 8,	/* datagrams per datagram of parity */
	TILES_DATAGRAMS	= 256,	/* of a frame, at most */
	TILES_SIZE_MIN	= 256,	/* of a payload, bytes */
};

struct tiles_encoder;
struct tiles_decoder;

/**
 * tiles_encoder_create() - the sender's state of the map
 * @max_width, @max_height: of maps, cells, up to MAP_SIDE_MAX
 *
 * Return: NULL: no memory or wrong sizes; free with tiles_encoder_destroy().
 */
struct tiles_encoder *tiles_encoder_create(unsigned int max_width,
					   unsigned int max_height);

void tiles_encoder_destroy(struct tiles_encoder *e);

/**
 * tiles_encode() - encode the next frame
 * @map: as it is now
 * @max_datagrams: limit, including parity
 * @parity: add it, if there is more than one datagram
 * @out: gets at least one, at most @max_datagrams, its slots or
 *	TILES_DATAGRAMS; fewer if that is the whole map. @out->size is at least
 *	TILES_SIZE_MIN
 *
 * Return: 0; -EINVAL: invalid map or slots, -E2BIG: the map is larger than the
 * encoder's size.
 */
int tiles_encode(struct tiles_encoder *e, const struct map *map,
		 unsigned int max_datagrams, bool parity,
		 struct payloads *out);

/**
 * tiles_pending() - number of changed tiles that were not sent yet
 */
unsigned int tiles_pending(const struct tiles_encoder *e);

/**
 * tiles_decoder_create() - the receiver's map of one stream
 * @max_width, @max_height: of maps, cells; larger ones are refused
 *
 * Uses about two bytes a cell.
 *
 * Return: NULL: no memory or wrong sizes; free with tiles_decoder_destroy().
 */
struct tiles_decoder *tiles_decoder_create(unsigned int max_width,
					   unsigned int max_height);

void tiles_decoder_destroy(struct tiles_decoder *d);

/**
 * tiles_begin() - start a frame
 * @frame: its number; wraps. A frame older than the newest may be repeated
 */
void tiles_begin(struct tiles_decoder *d, uint32_t frame);

/**
 * tiles_add() - add a payload
 *
 * The newest frame of each tile counts. The last missing payload of a group is
 * restored from the others and their parity.
 *
 * Return: 0; -EEXIST: a duplicate; -EINVAL: invalid, -E2BIG: the map is too
 * large, -EPROTO: of an older grid than the newest frame's. After an error
 * nothing changed.
 */
int tiles_add(struct tiles_decoder *d, const void *payload, size_t len);

/* Cells of the map in tiles_finish(); 0: nothing received yet */
size_t tiles_cells(const struct tiles_decoder *d);

/**
 * tiles_finish() - the map as known now
 * @map: of the size and origin of the newest frame; its cells are the
 *	decoder's, valid until the next call. Unknown where nothing was
 *	received
 *
 * Return: 0; -ENODATA: nothing received yet.
 */
int tiles_finish(struct tiles_decoder *d, struct map *map);

/**
 * struct tiles_area - cells of a map
 */
struct tiles_area {
	unsigned int x, y, width, height;
};

/**
 * tiles_changed() - iterate over changes since the last tiles_finish()
 * @cursor: 0 at first, then unchanged between calls
 *
 * If the map's size or origin changed, too, all of it is new to a viewer,
 * whatever this returns.
 *
 * Return: whether there is one more.
 */
bool tiles_changed(const struct tiles_decoder *d, unsigned int *cursor,
		   struct tiles_area *area);

/**
 * tiles_age() - age of a cell's tile, frames
 * @x, @y: cell of the map of tiles_finish()
 *
 * Return: 0: of the newest frame; -1: never received.
 */
int64_t tiles_age(const struct tiles_decoder *d, unsigned int x,
		  unsigned int y);

/**
 * struct tiles_share - received share of the map
 * @known: tiles that the sender knows
 * @received: number of these that were received
 */
struct tiles_share {
	uint32_t known, received;
};

struct tiles_share tiles_share(const struct tiles_decoder *d);

#endif
