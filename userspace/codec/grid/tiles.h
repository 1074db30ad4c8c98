/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tiles.h - a growing map, lossless, as datagrams that are each useful alone
 *
 * In: the whole map, each time that there is a new one. Out: as many
 * datagrams as one may send, of whole tiles of 64x64 cells (tilecode.h) from
 * all over the map, each with the map's size, resolution and origin. Tiles
 * that changed go first, then the others once again by turns, so that what
 * was lost comes again without anybody asking; a map that is known everywhere
 * already costs as many datagrams as the caller grants it. What was never
 * known is never sent.
 *
 * Tiles lie on a grid that stays where the first map began: one that grows to
 * the left or below, or whose window follows the robot, by whole cells, keeps
 * its tiles. Another resolution or yaw, or a shift of part of a cell, is
 * another grid and all is sent anew. A tile of noise that no datagram holds
 * goes in smaller blocks.
 *
 * Parity: the last datagram of each nine is the exclusive or of up to eight,
 * which is their Reed-Solomon code with one word of parity: one that is lost
 * comes back. The groups interleave, so that a burst hits each of them once.
 *
 * Limit: tiles are told from changed ones by 64 bits of hash.
 */
#ifndef CODEC_GRID_TILES_H
#define CODEC_GRID_TILES_H

#include <stdbool.h>
#include "codec/core/payload.h"
#include "codec/grid/map.h"

enum {
	TILES_GROUP	= 8,	/* datagrams to one of parity */
	TILES_DATAGRAMS	= 256,	/* of a frame, at most */
	TILES_SIZE_MIN	= 256,	/* of a payload, bytes */
};

struct tiles_encoder;
struct tiles_decoder;

/**
 * tiles_encoder_create() - the sender's memory of what it sent
 * @max_width, @max_height: of maps, cells, up to MAP_SIDE_MAX
 *
 * Return: it, or NULL when out of memory or with wrong sizes;
 * tiles_encoder_destroy() frees it.
 */
struct tiles_encoder *tiles_encoder_create(unsigned int max_width,
					   unsigned int max_height);

void tiles_encoder_destroy(struct tiles_encoder *e);

/**
 * tiles_encode() - the next frame
 * @map: as it is now
 * @max_datagrams: to be used; with parity these are among them
 * @parity: add it, where there is more than one datagram
 * @out: filled with one at least and no more than @max_datagrams, its slots
 *	or TILES_DATAGRAMS; fewer if that is all of the map. @out->size is at
 *	least TILES_SIZE_MIN
 *
 * Return: 0; -EINVAL with a map or slots that cannot be, -E2BIG with a map
 * that is larger than was said.
 */
int tiles_encode(struct tiles_encoder *e, const struct map *map,
		 unsigned int max_datagrams, bool parity,
		 struct payloads *out);

/**
 * tiles_pending() - tiles that changed and were not sent yet
 */
unsigned int tiles_pending(const struct tiles_encoder *e);

/**
 * tiles_decoder_create() - the receiver's map of one stream
 * @max_width, @max_height: of maps, cells; larger ones are refused
 *
 * It takes about two bytes a cell.
 *
 * Return: it, or NULL when out of memory or with wrong sizes;
 * tiles_decoder_destroy() frees it.
 */
struct tiles_decoder *tiles_decoder_create(unsigned int max_width,
					   unsigned int max_height);

void tiles_decoder_destroy(struct tiles_decoder *d);

/**
 * tiles_begin() - the payloads that follow are of this frame
 * @frame: number of it; wraps. An older one than the newest may come again
 */
void tiles_begin(struct tiles_decoder *d, uint32_t frame);

/**
 * tiles_add() - take a payload
 *
 * Of each tile the newest frame's wins. A payload of the frame that is the
 * last missing one of its group is made from the others and their parity.
 *
 * Return: 0; -EEXIST if it was there already; -EINVAL if it is broken,
 * -E2BIG of a map that is too large, -EPROTO of a grid before the newest
 * frame's: nothing has changed then.
 */
int tiles_add(struct tiles_decoder *d, const void *payload, size_t len);

/* Cells of the map that tiles_finish() would give; 0: nothing came yet */
size_t tiles_cells(const struct tiles_decoder *d);

/**
 * tiles_finish() - the map as it is known now
 * @map: of the size and origin of the newest frame; its cells are the
 *	decoder's and stay as they are until the next call. Unknown where
 *	nothing came yet
 *
 * Return: 0; -ENODATA if nothing came yet.
 */
int tiles_finish(struct tiles_decoder *d, struct map *map);

/**
 * struct tiles_area - cells of a map
 */
struct tiles_area {
	unsigned int x, y, width, height;
};

/**
 * tiles_changed() - what is not as it was before the last tiles_finish()
 * @cursor: 0 for the first tile, left as it is for the next
 *
 * Where the map's size or origin changed as well, all of it is new to a
 * viewer, whatever this says.
 *
 * Return: whether there is one more.
 */
bool tiles_changed(const struct tiles_decoder *d, unsigned int *cursor,
		   struct tiles_area *area);

/**
 * tiles_age() - how many frames ago the tile of a cell came
 * @x, @y: cell of the map of tiles_finish()
 *
 * Return: 0 for the newest frame; -1: never.
 */
int64_t tiles_age(const struct tiles_decoder *d, unsigned int x,
		  unsigned int y);

/**
 * struct tiles_share - how much of the map is here
 * @known: tiles that the sender knows something of
 * @received: of those
 */
struct tiles_share {
	uint32_t known, received;
};

struct tiles_share tiles_share(const struct tiles_decoder *d);

#endif
