/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * room_values.h - values of a room in the fused maps (D4.1, section 5.1)
 */
#ifndef MAP_SITE_ROOM_VALUES_H
#define MAP_SITE_ROOM_VALUES_H

#include "map/site/site.h"
#include "map/store/room.h"

enum { ROOM_LAYERS = 64 };

/**
 * struct room_values - statistics of the cells whose centres are in the room
 * @layer:	numbers of @layers of them, in the order of the site
 * @known:	known cells of each
 * @mean:	of the values, 0..full; NAN: nothing is known
 * @max:	-1: nothing is known
 */
struct room_values {
	unsigned int		layers;
	struct {
		unsigned int	layer;
		uint64_t	known;
		double		mean;
		int		max;
	} of[ROOM_LAYERS];
};

/**
 * room_values() - values of all layers whose modality rooms report, see
 * modality.h
 *
 * Evicted parts of a map count as unknown, see site_ensure().
 *
 * Return: 0; -EINVAL: the outline is invalid or too large; -ENOMEM.
 */
int room_values(struct site *s, const struct room *room,
		struct room_values *v);

/* Corners of the outline: that of the room, or a square. Return: how many */
unsigned int room_outline(const struct room *room,
			  double corner[ROOM_CORNERS][2]);

/* Bounding box of the outline */
void room_area(const struct room *room, struct site_area *area);

#endif
