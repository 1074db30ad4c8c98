/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * map_code.h - a particle's map on its way to another worker
 *
 * Only what the receiver lacks: it has a particle with an ancestor in common,
 * and tiles that nobody wrote to since are the same there. Of a tile goes what
 * cannot be drawn again from its cells and those around.
 *
 * A tile, little endian:
 *	i16	x, y
 *	u64	version
 *	...	as the kind of tile has it: field_code.c, gmapping_grid.c
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
 * map_encode() - tiles that changed
 * @since:	those with a version from here on
 * @out:	appended to
 *
 * Return: how many; -ENOMEM.
 */
int map_encode(const struct likelihood_field *f, struct tiles *pool,
	       uint64_t since, struct bytes *out);

/* Likewise, those at these places; where there is none, an empty one */
int map_encode_places(const struct likelihood_field *f, struct tiles *pool,
		      const struct map_place *place, uint32_t count,
		      struct bytes *out);

/**
 * map_decode() - put tiles into a map
 * @f:		is changed; of no use after an error
 *
 * Return: 0; -EBADMSG: no such tiles; -ENOMEM; -ERANGE.
 */
int map_decode(struct likelihood_field *f, struct tiles *pool,
	       const struct field_kernel *k, const void *data, size_t len);

/**
 * map_stale() - where a map has tiles that are not those of the ancestor
 * @since:	versions from here on are not
 * @data:	tiles that come, as map_encode() gave them: not those
 * @place:	gets an array, to be freed
 *
 * Return: how many; -EBADMSG; -ENOMEM.
 */
int map_stale(const struct likelihood_field *f, struct tiles *pool,
	      uint64_t since, const void *data, size_t len,
	      struct map_place **place);

#endif
