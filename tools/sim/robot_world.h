/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * robot_world.h - the building of tools/demo/building.py, with height, light
 * and a fire
 *
 * In: its plan, from map_server's picture. Rays end at walls, lintels of doors,
 * floor and ceiling. Light and smoke of the fire spread where they can: light
 * along straight lines, smoke around corners.
 */
#ifndef SIM_ROBOT_WORLD_H
#define SIM_ROBOT_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#define WORLD_CELL	.1f		/* m */
#define WORLD_HEIGHT	2.6f		/* of rooms, m */
#define WORLD_DOOR	2.1f		/* of doors, m */
#define WORLD_FIRE_X	22.5f		/* as FIRE in building.py */
#define WORLD_FIRE_Y	3.5f

enum {
	WORLD_WIDTH	= 282,		/* cells */
	WORLD_DEPTH	= 202,
	WORLD_LAYERS	= 4,		/* lintels on a ray, and its wall */
	WORLD_LAMPS	= 16,
};

enum world_kind { WORLD_FREE, WORLD_WALL, WORLD_JAMB, WORLD_LINTEL };

enum world_surface { SURFACE_WALL, SURFACE_LINTEL, SURFACE_FLOOR,
		     SURFACE_CEILING };

/**
 * struct world
 * @cell:	enum world_kind, lowest row first
 * @fire:	light of the fire, 0..1
 * @lamp:	light of the emergency lamps, 0..1
 * @smoke:	density, 1/m
 */
struct world {
	uint8_t		cell[WORLD_DEPTH][WORLD_WIDTH];
	float		fire[WORLD_DEPTH][WORLD_WIDTH];
	float		lamp[WORLD_DEPTH][WORLD_WIDTH];
	float		smoke[WORLD_DEPTH][WORLD_WIDTH];
	float		lamps[WORLD_LAMPS][2];
	unsigned int	lamp_count;
};

/**
 * struct world_layer - what a level ray meets
 * @from, @to:	distance, m; of a wall only @from
 * @kind:	WORLD_WALL, WORLD_JAMB or WORLD_LINTEL
 * @across:	the face runs along y
 */
struct world_layer {
	float		from, to;
	enum world_kind	kind;
	bool		across;
};

struct world_ray {
	struct world_layer	layer[WORLD_LAYERS];
	unsigned int		layers;
};

/**
 * struct world_hit - end of a ray
 * @d:		level distance, m
 * @x, @y, @z:	m
 */
struct world_hit {
	float			d, x, y, z;
	enum world_surface	surface;
	enum world_kind		kind;
	bool			across;
};

/* @plan: a PGM, as building.py writes it. Return: 0 or a negative errno */
int world_load(struct world *w, const char *plan);

/* @dx, @dy: of length 1 */
void world_cast(const struct world *w, float x, float y, float dx, float dy,
		struct world_ray *ray);

/* @slope: of the ray, m/m; @z: of its begin */
struct world_hit world_end(const struct world_ray *ray, float x, float y,
			   float z, float dx, float dy, float slope);

/* Of a place; outside that of the nearest cell */
static inline float world_at(const float map[WORLD_DEPTH][WORLD_WIDTH], float x,
			     float y)
{
	int i = x / WORLD_CELL, k = y / WORLD_CELL;

	i = i < 0 ? 0 : i >= WORLD_WIDTH ? WORLD_WIDTH - 1 : i;
	k = k < 0 ? 0 : k >= WORLD_DEPTH ? WORLD_DEPTH - 1 : k;
	return map[k][i];
}

/* Between the four nearest cells */
float world_smooth(const float map[WORLD_DEPTH][WORLD_WIDTH], float x, float y);

#endif
