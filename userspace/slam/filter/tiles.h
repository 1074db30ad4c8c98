/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tiles.h - the memory of maps: square tiles, shared until one map writes
 *
 * A tile of a field has the log-likelihood of an endpoint for each of its
 * cells, with one row and one column of its neighbours so that interpolation
 * needs no other tile, and a bit for each occupied cell. Other maps have other
 * tiles; those of a pool are of one kind, in one address range: a tile has a
 * number of 32 bits, and sixteen can be looked up at a time. Their number is
 * limited by memory, see memory.h.
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

/* A tile's number: its offset in TILE_UNIT bytes. 0: unknown area */
typedef uint32_t tile_id;

enum {
	TILE_UNIT_BITS	= 6,
	TILE_UNIT	= 1 << TILE_UNIT_BITS,
	/* from here on an offset in bytes has more than 31 bits */
	TILE_FAR	= 1 << (31 - TILE_UNIT_BITS),
};

/* Address range for the tiles of a pool, bytes: 256 GB */
#define TILES_BYTES_MAX	((uint64_t)TILE_UNIT << 32)

/**
 * struct tile_head - the head of tiles of all kinds
 * @version:	of its contents: equal versions have equal contents. The update
 *		and the particle that wrote last
 * @users:	maps that refer to it
 * @next:	in the free list
 */
struct tile_head {
	uint64_t		version;
	_Atomic uint32_t	users;
	tile_id			next;
};

/**
 * struct tile - a tile of a field
 * @field:	[row * TILE_STRIDE + column], 0..FIELD_MAX; TILE_SIDE + 1 of
 *		each are used
 * @occupied:	of each row, bit c: cell c is occupied
 * @phase:	of each row, bits 2c and 2c + 1: position of the first endpoint
 *		in cell c, in halves of x and y
 */
struct tile {
	struct tile_head	head;
	uint8_t			field[TILE_FIELD];
	uint16_t		occupied[TILE_SIDE];
	uint32_t		phase[TILE_SIDE];
} __attribute__((aligned(64)));

/* Never 0; rises with the update */
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
 * struct tile_kind - a kind of tiles
 * @bytes:	of a tile, a multiple of 64
 * @encode:	the part that cannot be computed, for other workers. Return:
 *		bytes
 * @decode:	the same into a tile of zeros. Return: bytes; 0: invalid
 * @draw:	compute the rest from the cells of a tile and of the eight
 *		around
 *		it, which must be there if they have any. The tile must not be
 *		shared
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
 * @kind: the caller keeps ownership
 * @max: most tiles in it; 0: limited by memory only, up to TILES_BYTES_MAX or
 *	the address space of the process
 *
 * Return: to be freed with tiles_destroy(); NULL: no memory.
 */
struct tiles *tiles_create(const struct tile_kind *kind, size_t max);
void tiles_destroy(struct tiles *pool);

/**
 * tiles_skip() - let new tiles begin here, for tests
 * @bytes: from the first tile
 *
 * Return: whether there are addresses; those before are not written.
 */
bool tiles_skip(struct tiles *pool, uint64_t bytes);

/* The base of all tiles, for lookup; fixed for the life of the pool */
const uint8_t *tiles_base(const struct tiles *pool);

static inline struct tile_head *tile_head_at(const uint8_t *base, tile_id id)
{
	return (struct tile_head *)(base + ((size_t)id << TILE_UNIT_BITS));
}

/* In a pool of fields */
static inline struct tile *tile_at(const uint8_t *base, tile_id id)
{
	return (struct tile *)(base + ((size_t)id << TILE_UNIT_BITS));
}

/* One more map refers to it; any thread. 0 is left as it is */
void tiles_hold(struct tiles *pool, tile_id id);
void tiles_release(struct tiles *pool, tile_id id);

/**
 * tiles_own() - get a tile for writing
 * @id: gets the tile: a new one if it was 0, a copy if it was shared
 *
 * Any thread, but one for each @id.
 *
 * Return: 0; -ENOMEM: nothing changed, see memory_reason().
 */
int tiles_own(struct tiles *pool, tile_id *id);

const struct tile_kind *tiles_kind(const struct tiles *pool);

/* Tiles in use, and their peak */
size_t tiles_used(const struct tiles *pool);
size_t tiles_peak(const struct tiles *pool);

/* Whether maps may use this much more besides tiles, bytes; any thread */
bool tiles_directory_fits(struct tiles *pool, size_t bytes);

/* Change of the memory of maps besides tiles, bytes; any thread */
void tiles_directory_add(struct tiles *pool, ptrdiff_t bytes);

/* Bytes, tiles and the rest: now, and their peak */
size_t tiles_bytes(const struct tiles *pool);
size_t tiles_bytes_peak(const struct tiles *pool);

#endif
