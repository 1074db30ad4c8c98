/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tiles.h - the memory of maps: square tiles that maps share until one of them
 * writes
 *
 * A tile of a field has the log-likelihood of an endpoint for each of its
 * cells, with one row and one column of its neighbours so that interpolation
 * never leaves it, and which cells are occupied. Other maps have other tiles;
 * those of a pool are of one kind, and in one range of addresses: a tile is
 * named by a number of 32 bits, and sixteen can be looked up at a time. They
 * are as many as there is memory for, see memory.h.
 */
#ifndef SLAM_FILTER_TILES_H
#define SLAM_FILTER_TILES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	TILE_BITS	= 4,
	TILE_SIDE	= 1 << TILE_BITS,	/* cells */
	TILE_ROWS	= TILE_SIDE + 1,
	TILE_STRIDE	= TILE_SIDE + 2,	/* of the field */
	TILE_FIELD	= TILE_ROWS * TILE_STRIDE,
	TILE_PHASE_BITS	= 2,
	FIELD_MAX	= 255,
};

/* A tile's name: where it begins, TILE_UNIT bytes. 0: nothing is known */
typedef uint32_t tile_id;

enum {
	TILE_UNIT_BITS	= 6,
	TILE_UNIT	= 1 << TILE_UNIT_BITS,
	/* from here on an offset in bytes has more than 31 bits */
	TILE_FAR	= 1 << (31 - TILE_UNIT_BITS),
};

/* Of addresses for the tiles of a pool, bytes: 256 GB */
#define TILES_BYTES_MAX	((uint64_t)TILE_UNIT << 32)

/**
 * struct tile_head - what tiles of all kinds begin with
 * @version:	of its contents: where this is equal, all is. The reading and
 *		the particle that wrote last
 * @users:	maps that have it
 * @next:	of those that are free
 */
struct tile_head {
	uint64_t		version;
	_Atomic uint32_t	users;
	tile_id			next;
};

/**
 * struct tile - of a field
 * @field:	[row * TILE_STRIDE + column], 0..FIELD_MAX; TILE_SIDE + 1 of
 *		each are used
 * @occupied:	of each row, bit c: cell c is occupied
 * @phase:	of each row, bits 2c and 2c + 1: where in cell c the first
 *		endpoint was, in halves of x and y
 */
struct tile {
	struct tile_head	head;
	uint8_t			field[TILE_FIELD];
	uint16_t		occupied[TILE_SIDE];
	uint32_t		phase[TILE_SIDE];
} __attribute__((aligned(64)));

/* Never 0; in the order of updates */
static inline uint64_t tile_version(uint64_t update, uint32_t particle)
{
	return (update + 1) << 16 | particle;
}

struct likelihood_field;
struct field_kernel;
struct tiles;

enum {
	TILE_BYTES_MAX	= 4160,
	TILE_CODE_MAX	= 3104,
};

/**
 * struct tile_kind - what the tiles of a pool are
 * @bytes:	of a tile, a multiple of 64
 * @encode:	what cannot be drawn, for other workers. Return: bytes
 * @decode:	the same into a tile of zeros. Return: bytes; 0: no such code
 * @draw:	what follows from the cells of a tile and of the eight around it,
 *		which must be there if they have any. The tile is the map's own
 */
struct tile_kind {
	size_t	bytes;
	size_t	(*encode)(const struct tile_head *t, uint8_t *out);
	size_t	(*decode)(struct tile_head *t, const uint8_t *data,
			  size_t len);
	void	(*draw)(struct likelihood_field *f, struct tiles *pool,
			const struct field_kernel *k, int tx, int ty);
};

extern const struct tile_kind field_tiles;

/**
 * tiles_create() - a pool
 * @kind: stays the caller's
 * @max: tiles in it at most; 0: as many as there is memory for, up to
 *	TILES_BYTES_MAX or what addresses the process has
 *
 * Return: to be freed with tiles_destroy(); NULL: no memory.
 */
struct tiles *tiles_create(const struct tile_kind *kind, size_t max);
void tiles_destroy(struct tiles *pool);

/**
 * tiles_skip() - new tiles are made from here on, for tests
 * @bytes: from the first tile
 *
 * Return: whether there are addresses; nothing is written to those before.
 */
bool tiles_skip(struct tiles *pool, uint64_t bytes);

/* All of them, for looking up; fixed as long as the pool is */
const uint8_t *tiles_base(const struct tiles *pool);

static inline struct tile_head *tile_head_at(const uint8_t *base, tile_id id)
{
	return (struct tile_head *)(base + ((size_t)id << TILE_UNIT_BITS));
}

/* Of a pool of fields */
static inline struct tile *tile_at(const uint8_t *base, tile_id id)
{
	return (struct tile *)(base + ((size_t)id << TILE_UNIT_BITS));
}

/* One more map has it; any thread. 0 is left as it is */
void tiles_hold(struct tiles *pool, tile_id id);
void tiles_release(struct tiles *pool, tile_id id);

/**
 * tiles_own() - a tile to write to
 * @id: gets the tile: a new one if it was 0, a copy if others have it
 *
 * Any thread, but one for each @id.
 *
 * Return: 0; -ENOMEM: all is as before, see memory_reason().
 */
int tiles_own(struct tiles *pool, tile_id *id);

const struct tile_kind *tiles_kind(const struct tiles *pool);

/* Tiles that are in use, and the most there ever were */
size_t tiles_used(const struct tiles *pool);
size_t tiles_peak(const struct tiles *pool);

/* Whether maps may take so much more beside their tiles, bytes; any thread */
bool tiles_directory_fits(struct tiles *pool, size_t bytes);

/* What maps take beside their tiles became more or less, bytes; any thread */
void tiles_directory_add(struct tiles *pool, ptrdiff_t bytes);

/* Bytes, tiles and what is beside them: now, and the most there ever were */
size_t tiles_bytes(const struct tiles *pool);
size_t tiles_bytes_peak(const struct tiles *pool);

#endif
