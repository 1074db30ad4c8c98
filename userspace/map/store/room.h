/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * room.h - data of a room (D4.1, tables 2 and 3)
 */
#ifndef MAP_STORE_ROOM_H
#define MAP_STORE_ROOM_H

#include <stdbool.h>
#include <stdint.h>
#include "map/layer/modality.h"

enum {
	ROOM_NAME	= 64,		/* bytes, with the final 0 */
	ROOM_CORNERS	= 64,
	ROOM_GASES	= 16,
	ROOM_ID_MAX	= 255,
};

/**
 * struct room
 * @stamp:	of the report, ns
 * @x, @y:	of its middle, in the map's frame, m
 * @size:	m^2
 * @corners:	of its outline, 0: a square of @size around the middle
 * @corner:	in the map's frame, m, in order
 * @reported:	the sender reported averages
 * @value:	averages, by modality: physical, or 0..100, see
 *		modality_value_valid(); NAN: unknown
 * @gas:	@gases of them, physical, NAN: unknown
 * @gas_name:	of each, as of layers; empty: in the order of the gas layers
 */
struct room {
	unsigned int	id;
	char		name[ROOM_NAME];
	int64_t		stamp;
	double		x, y, size;
	unsigned int	corners;
	double		corner[ROOM_CORNERS][2];
	bool		reported;
	double		value[MODALITIES];
	unsigned int	gases;
	double		gas[ROOM_GASES];
	char		gas_name[ROOM_GASES][ROOM_NAME];
};

#endif
