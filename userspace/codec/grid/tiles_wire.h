/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tiles_wire.h - payload format of tiles.h, shared by sender and receiver
 *
 *   0 version (4 bits), flags   1 group   2 member, or members   3 grid
 *
 * then, for a payload of parity, the exclusive or of the others' lengths (16
 * bits) and bytes; for any other
 *
 *   4 width   6 height   8 resolution   12 x   20 y   [28 yaw, if not 0]
 *
 * and as numbers of 7 bits a byte: the map's corner in cells of the grid, x and
 * y, and the number of known tiles. Then tiles, by their number in the map, row
 * by row:
 *
 *   distance from the previous tile (modulo the number of tiles), times 2, plus
 *   1 for a block of a tile
 *   [its level, 2 bits; its number in the tile, 6]
 *   bytes of code plus 1, or 0 for plain cells; these
 */
#ifndef CODEC_GRID_TILES_WIRE_H
#define CODEC_GRID_TILES_WIRE_H

#include <errno.h>
#include <math.h>
#include "base/wire.h"
#include "codec/grid/tilecode.h"
#include "codec/grid/tiles.h"

enum {
	TILES_VERSION	= 1,
	TILES_PARITY	= 1,		/* flags */
	TILES_YAW	= 2,
	TILES_COMMON	= 4,		/* bytes common to all payloads */
	TILES_PARITY_HEADER = 6,
	TILES_HEADER_MAX = 54,
	TILES_LEVELS	= 3,		/* blocks of 32, 16, 8 cells */
	TILES_GROUPS	= TILES_DATAGRAMS / TILES_GROUP,
	TILES_BYTES	= PAYLOAD_MAX,
	TILES_CELLS	= TILECODE_SIDE * TILECODE_SIDE,
};

/* limit of the map's corner, in cells from the start of the grid */
#define TILES_CORNER_MAX	(1 << 30)

/**
 * struct tiles_header - header of a payload of tiles
 * @map: without cells
 * @left, @bottom: the map's corner in cells of the grid
 */
struct tiles_header {
	uint8_t		group, member, grid;
	struct map	map;
	int32_t		left, bottom;
	uint32_t	known;
};

/**
 * struct tiles_range - tiles that a map touches
 * @x, @y: of the first, in tiles of the grid
 */
struct tiles_range {
	int32_t		x, y;
	unsigned int	nx, ny;
};

/* @cells / TILECODE_SIDE, rounded down */
static inline int32_t tiles_of(int32_t cells)
{
	return cells >> 6;
}

static inline struct tiles_range tiles_range(const struct tiles_header *h)
{
	struct tiles_range r = {
		.x = tiles_of(h->left), .y = tiles_of(h->bottom),
	};

	r.nx = tiles_of(h->left + (int)h->map.width - 1) - r.x + 1;
	r.ny = tiles_of(h->bottom + (int)h->map.height - 1) - r.y + 1;
	return r;
}

/* Most tiles that @cells in a row can touch */
static inline unsigned int tiles_across(unsigned int cells)
{
	return (cells + 2 * TILECODE_SIDE - 2) / TILECODE_SIDE;
}

/* The slot of a tile in a torus of @nx times @ny: it never changes */
static inline size_t tiles_slot(int32_t x, int32_t y, unsigned int nx,
				unsigned int ny)
{
	/* made positive, with the same remainder */
	uint64_t px = (int64_t)x + ((uint64_t)nx << 32);
	uint64_t py = (int64_t)y + ((uint64_t)ny << 32);

	return py % ny * nx + px % nx;
}

static inline bool tiles_map_valid(const struct map *m, unsigned int max_width,
				   unsigned int max_height)
{
	return m->width && m->width <= max_width && m->height &&
	       m->height <= max_height && isfinite(m->resolution) &&
	       m->resolution > 0 && isfinite(m->x) && isfinite(m->y) &&
	       isfinite(m->yaw);
}

static inline uint8_t *tiles_put(uint8_t *p, uint32_t n)
{
	for (; n >= 128; n >>= 7)
		*p++ = n | 128;
	*p++ = n;
	return p;
}

/* Return: the end of the number; NULL: it is not complete before @end */
static inline const uint8_t *tiles_get(const uint8_t *p, const uint8_t *end,
				       uint32_t *n)
{
	*n = 0;
	for (unsigned int shift = 0; p && p < end && shift < 32; shift += 7) {
		*n |= (uint32_t)(*p & 127) << shift;
		if (!(*p++ & 128))
			return p;
	}
	return NULL;
}

/* Signed to unsigned: 0, -1, 1, -2, ... */
static inline uint32_t tiles_fold(int32_t n)
{
	return (uint32_t)n << 1 ^ -(uint32_t)(n < 0);
}

static inline int32_t tiles_unfold(uint32_t n)
{
	return n >> 1 ^ -(n & 1);
}

/* Return: the end of the header, at most TILES_HEADER_MAX bytes */
static inline uint8_t *tiles_put_header(uint8_t *p,
					const struct tiles_header *h)
{
	bool yaw = h->map.yaw != 0;

	p[0] = TILES_VERSION << 4 | (yaw ? TILES_YAW : 0);
	p[1] = h->group;
	p[2] = h->member;
	p[3] = h->grid;
	put_le16(p + 4, h->map.width);
	put_le16(p + 6, h->map.height);
	put_lef32(p + 8, h->map.resolution);
	put_lef64(p + 12, h->map.x);
	put_lef64(p + 20, h->map.y);
	p += 28;
	if (yaw) {
		put_lef64(p, h->map.yaw);
		p += 8;
	}
	p = tiles_put(p, tiles_fold(h->left));
	p = tiles_put(p, tiles_fold(h->bottom));
	return tiles_put(p, h->known);
}

/* Return: the end of the header; NULL: invalid */
static inline const uint8_t *tiles_get_header(const uint8_t *p, size_t len,
					      struct tiles_header *h)
{
	const uint8_t *end = p + len;
	bool yaw = len && p[0] & TILES_YAW;
	uint32_t left, bottom;

	if (len < (yaw ? 36 : 28))
		return NULL;
	h->group = p[1];
	h->member = p[2];
	h->grid = p[3];
	h->map = (struct map){
		.width = get_le16(p + 4),
		.height = get_le16(p + 6),
		.resolution = get_lef32(p + 8),
		.x = get_lef64(p + 12),
		.y = get_lef64(p + 20),
		.yaw = yaw ? get_lef64(p + 28) : 0,
	};
	p = tiles_get(p + (yaw ? 36 : 28), end, &left);
	p = tiles_get(p, end, &bottom);
	p = tiles_get(p, end, &h->known);
	h->left = tiles_unfold(left);
	h->bottom = tiles_unfold(bottom);
	if (h->left <= -TILES_CORNER_MAX || h->left >= TILES_CORNER_MAX ||
	    h->bottom <= -TILES_CORNER_MAX || h->bottom >= TILES_CORNER_MAX)
		return NULL;
	return p;
}

#endif
