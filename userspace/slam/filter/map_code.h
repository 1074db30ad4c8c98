/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * map_code.h - encode a particle's map for another worker
 *
 * Only what the receiver lacks: it has a particle with a common ancestor, and
 * tiles that were not written since then are the same there. A tile is sent
 * without what can be computed from its cells and those around.
 *
 * A tile, little endian:
 *	i16	x, y
 *	u64	version
 *	...	as the kind of tile has it: likelihood_field_code.c,
 *		gmapping_grid.c
 */
#ifndef SLAM_FILTER_MAP_CODE_H
#define SLAM_FILTER_MAP_CODE_H

#include "base/bytes.h"
#include "slam/filter/likelihood_field.h"

/* A position of a tile */
struct map_place {
	int16_t		x, y;
};

/**
 * map_encode() - encode tiles that changed
 * @since:	those with this version or later
 * @out:	appended to
 *
 * Return: how many; -ENOMEM.
 */
int map_encode(const struct likelihood_field *f, struct tiles *pool,
	       uint64_t since, struct bytes *out);

/* Likewise, the tiles at these places; an empty one where there is none */
int map_encode_places(const struct likelihood_field *f, struct tiles *pool,
		      const struct map_place *place, uint32_t count,
		      struct bytes *out);

/**
 * map_decode() - put tiles into a map
 * @f:		changed; unusable after an error
 *
 * Return: 0; -EBADMSG: invalid tiles; -ENOMEM; -ERANGE.
 */
int map_decode(struct likelihood_field *f, struct tiles *pool,
	       const struct field_kernel *k, const void *data, size_t len);

/**
 * map_stale() - where the tiles of a map differ from those of the ancestor
 * @since:	this version or later differs
 * @data:	tiles that come with the message of map_encode(): left out
 * @place:	gets an array; the caller frees it
 *
 * Return: how many; -EBADMSG; -ENOMEM.
 */
int map_stale(const struct likelihood_field *f, struct tiles *pool,
	      uint64_t since, const void *data, size_t len,
	      struct map_place **place);

#endif
