/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * room_values.h - what the fused maps say of a room (D4.1, section 5.1)
 */
#ifndef MAP_SITE_ROOM_VALUES_H
#define MAP_SITE_ROOM_VALUES_H

#include "map/site/site.h"
#include "map/store/room.h"

enum { ROOM_LAYERS = 64 };

/**
 * struct room_values - of the cells whose centres are in the room
 * @layer:	numbers of @layers of them, in the order of the site
 * @known:	cells of each in which something is known
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
 * room_values() - of all layers whose modality rooms report, see modality.h
 *
 * What was forgotten of a map counts as unknown, see site_want().
 *
 * Return: 0; -EINVAL: an outline that is none or too large; -ENOMEM.
 */
int room_values(struct site *s, const struct room *room,
		struct room_values *v);

/* The outline as corners: that of the room, or a square. Return: how many */
unsigned int room_outline(const struct room *room,
			  double corner[ROOM_CORNERS][2]);

/* What is around the outline */
void room_area(const struct room *room, struct site_area *area);

#endif
