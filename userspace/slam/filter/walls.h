/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * walls.h - a known map: where its walls are
 */
#ifndef SLAM_FILTER_WALLS_H
#define SLAM_FILTER_WALLS_H

#include <stdint.h>

/* A cell of a map, 0..100, is a wall from this value on: more likely than not */
enum { WALL_LEAST = 50 };

/**
 * struct walls - points on walls, in the map, m
 * @x, @y: [@count]
 */
struct walls {
	float		*x, *y;
	uint32_t	count;
};

#endif
