/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tiles.h - the memory of maps: square tiles that maps share until one of them
 * writes
 *
 * A tile has the log-likelihood of an endpoint for each of its cells, with one
 * row and one column of its neighbours so that interpolation never leaves it,
 * and which cells are occupied. All tiles of a pool are in one range of
 * addresses: a tile is named by a number of 32 bits, and sixteen can be looked
 * up at a time.
 */
#ifndef SLAM_TILES_H
#define SLAM_TILES_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum {
	TILE_BITS	= 4,
	TILE_SIDE	= 1 << TILE_BITS,	/* cells */
	TILE_ROWS	= TILE_SIDE + 1,
	TILE_STRIDE	= TILE_SIDE + 2,	/* of the field */
	TILE_FIELD	= TILE_ROWS * TILE_STRIDE,
	TILE_PHASE_BITS	= 2,
	FIELD_MAX	= 32767,
};

/**
 * struct tile
 * @field:	[row * TILE_STRIDE + column], 0..FIELD_MAX; TILE_SIDE + 1 of
 *		each are used
 * @occupied:	of each row, bit c: cell c is occupied
 * @phase:	of each row, bits 2c and 2c + 1: where in cell c the first
 *		endpoint was, in halves of x and y
 * @version:	of its contents: where this is equal, all is. The reading and
 *		the particle that wrote last
 * @users:	maps that have it
 * @next:	of those that are free
 */
struct tile {
	int16_t			field[TILE_FIELD];
	uint16_t		occupied[TILE_SIDE];
	uint32_t		phase[TILE_SIDE];
	uint64_t		version;
	_Atomic uint32_t	users;
	uint32_t		next;
	uint8_t			pad[40];
};
_Static_assert(sizeof(struct tile) % 64 == 0, "tiles begin at cache lines");

/* A tile's name: where its field begins, in int16_t. 0: nothing is known */
typedef uint32_t tile_id;

#define TILE_UNITS	((tile_id)(sizeof(struct tile) / sizeof(int16_t)))

/* Never 0; in the order of updates */
static inline uint64_t tile_version(uint64_t update, uint32_t particle)
{
	return (update + 1) << 16 | particle;
}

struct tiles;

/**
 * tiles_create() - a pool
 * @max: tiles in it at most; 0: as many as can be named
 *
 * Return: to be freed with tiles_destroy(); NULL: no memory.
 */
struct tiles *tiles_create(size_t max);
void tiles_destroy(struct tiles *pool);

/* All of them, for looking up; fixed as long as the pool is */
const int16_t *tiles_base(const struct tiles *pool);

static inline struct tile *tile_at(const int16_t *base, tile_id id)
{
	return (struct tile *)(base + id);
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
 * Return: 0; -ENOMEM: all is as before.
 */
int tiles_own(struct tiles *pool, tile_id *id);

/* Tiles that are in use, and the most there ever were */
size_t tiles_used(const struct tiles *pool);
size_t tiles_peak(const struct tiles *pool);

#endif
