// SPDX-License-Identifier: GPL-2.0-only
/*
 * robot_world - the building of tools/demo/building.py, with height, light and
 * a fire
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "robot_world.h"

enum { DOOR = 14 };			/* cells, the widest */

static bool solid(const struct world *w, int x, int y)
{
	return x < 0 || y < 0 || x >= WORLD_WIDTH || y >= WORLD_DEPTH ||
	       w->cell[y][x] == WORLD_WALL || w->cell[y][x] == WORLD_JAMB;
}

/* A gap of a wall that is as wide as a door has jambs, and a lintel */
static void find_doors(struct world *w, bool across)
{
	for (int y = 1; y < WORLD_DEPTH - 1; y++)
		for (int x = 1; x < WORLD_WIDTH - 1; x++) {
			const int sx = !across, sy = across;
			int n = 1;

			if (!solid(w, x, y) || solid(w, x + sx, y + sy))
				continue;
			while (n < DOOR && !solid(w, x + n * sx, y + n * sy))
				n++;
			if (n < 8 || n == DOOR)
				continue;
			for (int i = 1; i < n; i++)
				w->cell[y + i * sy][x + i * sx] = WORLD_LINTEL;
			w->cell[y][x] = WORLD_JAMB;
			w->cell[y + n * sy][x + n * sx] = WORLD_JAMB;
		}
}

static bool sees(const struct world *w, float x, float y, float to_x,
		 float to_y)
{
	const float dx = to_x - x, dy = to_y - y;
	const int steps = hypotf(dx, dy) / (WORLD_CELL / 2) + 1;

	for (int i = 1; i < steps; i++)
		if (solid(w, (x + dx * i / steps) / WORLD_CELL,
			  (y + dy * i / steps) / WORLD_CELL))
			return false;
	return true;
}

/* Soft shadows: the fire is as wide as a place for several lights */
static float light_of_fire(const struct world *w, float x, float y)
{
	static const float at[][2] = { { 0, 0 }, { .4f, .1f }, { -.4f, -.1f },
				       { .1f, -.4f }, { -.1f, .4f } };
	const float dx = WORLD_FIRE_X - x, dy = WORLD_FIRE_Y - y;
	int seen = 0;

	for (unsigned int i = 0; i < 5; i++)
		seen += sees(w, x, y, WORLD_FIRE_X + at[i][0],
			     WORLD_FIRE_Y + at[i][1]);
	return seen / 5.f / (1 + .16f * (dx * dx + dy * dy));
}

static void add_lamp(struct world *w, float x, float y)
{
	float *at = w->lamps[w->lamp_count++];

	at[0] = x;
	at[1] = y;
	for (int k = 0; k < WORLD_DEPTH; k++)
		for (int i = 0; i < WORLD_WIDTH; i++) {
			const float px = (i + .5f) * WORLD_CELL;
			const float py = (k + .5f) * WORLD_CELL;
			const float d = hypotf(px - x, py - y);

			if (d < 6 && sees(w, px, py, x, y))
				w->lamp[k][i] += 1 / (1 + .7f * d * d);
		}
}

/* Way of the smoke from the fire, m, by passes over the map until it is done */
static void spread_smoke(struct world *w)
{
	static const int step[8][2] = { { 1, 0 }, { -1, 0 }, { 0, 1 }, { 0, -1 },
					{ 1, 1 }, { 1, -1 }, { -1, 1 }, { -1, -1 } };
	bool changed = true;

	for (int y = 0; y < WORLD_DEPTH; y++)
		for (int x = 0; x < WORLD_WIDTH; x++)
			w->smoke[y][x] = 1e3f;
	w->smoke[(int)(WORLD_FIRE_Y / WORLD_CELL)]
		[(int)(WORLD_FIRE_X / WORLD_CELL)] = 0;
	while (changed) {
		changed = false;
		for (int i = 0; i < WORLD_DEPTH * WORLD_WIDTH; i++) {
			const int x = i % WORLD_WIDTH, y = i / WORLD_WIDTH;

			if (solid(w, x, y))
				continue;
			for (unsigned int k = 0; k < 8; k++) {
				const int nx = x + step[k][0];
				const int ny = y + step[k][1];
				const float d = k < 4 ? .1f : .1414f;

				if (solid(w, nx, ny) ||
				    w->smoke[ny][nx] + d >= w->smoke[y][x] - 1e-4f)
					continue;
				w->smoke[y][x] = w->smoke[ny][nx] + d;
				changed = true;
			}
		}
	}
	for (int y = 0; y < WORLD_DEPTH; y++)
		for (int x = 0; x < WORLD_WIDTH; x++)
			w->smoke[y][x] = .55f * expf(-w->smoke[y][x] / 4.5f);
}

/* Walls are as light as what is before them */
static void light_walls(const struct world *w,
			float map[WORLD_DEPTH][WORLD_WIDTH])
{
	for (int y = 0; y < WORLD_DEPTH; y++)
		for (int x = 0; x < WORLD_WIDTH; x++) {
			if (!solid(w, x, y))
				continue;
			for (int k = y - 1; k <= y + 1; k++)
				for (int i = x - 1; i <= x + 1; i++)
					if (!solid(w, i, k))
						map[y][x] = fmaxf(map[y][x],
								  map[k][i]);
		}
}

float world_smooth(const float map[WORLD_DEPTH][WORLD_WIDTH], float x, float y)
{
	const float h = WORLD_CELL / 2;
	const float u = (x - h) / WORLD_CELL, v = (y - h) / WORLD_CELL;
	const float a = u - (int)u, b = v - (int)v;
	const float low = world_at(map, x - h, y - h) * (1 - a) +
			  world_at(map, x + h, y - h) * a;
	const float high = world_at(map, x - h, y + h) * (1 - a) +
			   world_at(map, x + h, y + h) * a;

	return low + (high - low) * b;
}

static int load_plan(struct world *w, const char *path)
{
	FILE *f = fopen(path, "r");
	uint8_t row[WORLD_WIDTH];
	int width, depth, err = 0;

	if (!f)
		return -errno;
	if (fscanf(f, "P5 %d %d 255%*c", &width, &depth) != 2 ||
	    width != WORLD_WIDTH || depth != WORLD_DEPTH)
		err = -EBADMSG;
	for (int y = WORLD_DEPTH - 1; !err && y >= 0; y--) {
		if (fread(row, 1, sizeof(row), f) != sizeof(row))
			err = -EBADMSG;
		for (int x = 0; x < WORLD_WIDTH; x++)
			w->cell[y][x] = row[x] < 128 ? WORLD_WALL : WORLD_FREE;
	}
	fclose(f);
	return err;
}

int world_load(struct world *w, const char *plan)
{
	int err;

	memset(w, 0, sizeof(*w));
	err = load_plan(w, plan);
	if (err)
		return err;
	find_doors(w, false);
	find_doors(w, true);
	for (int y = 0; y < WORLD_DEPTH; y++)
		for (int x = 0; x < WORLD_WIDTH; x++)
			w->fire[y][x] = light_of_fire(w, (x + .5f) * WORLD_CELL,
						      (y + .5f) * WORLD_CELL);
	for (unsigned int i = 0; i < 4; i++) {
		add_lamp(w, 6.2f + 5.2f * i, 6.2f);
		add_lamp(w, 6.2f + 5.2f * i, 14);
	}
	add_lamp(w, 6.2f, 10.1f);
	add_lamp(w, 21.8f, 10.1f);
	light_walls(w, w->fire);
	light_walls(w, w->lamp);
	spread_smoke(w);
	return 0;
}

/* Cell by cell (Amanatides and Woo, 1987) */
void world_cast(const struct world *w, float x, float y, float dx, float dy,
		struct world_ray *ray)
{
	int cx = x / WORLD_CELL, cy = y / WORLD_CELL;
	const int sx = dx < 0 ? -1 : 1, sy = dy < 0 ? -1 : 1;
	const float step_x = dx ? WORLD_CELL / fabsf(dx) : 1e9f;
	const float step_y = dy ? WORLD_CELL / fabsf(dy) : 1e9f;
	float next_x = dx ? ((cx + (sx > 0)) * WORLD_CELL - x) / dx : 1e9f;
	float next_y = dy ? ((cy + (sy > 0)) * WORLD_CELL - y) / dy : 1e9f;
	bool inside = false;

	ray->layers = 0;
	for (;;) {
		const bool across = next_x < next_y;
		const float d = across ? next_x : next_y;
		struct world_layer *l = &ray->layer[ray->layers];
		enum world_kind kind;

		if (across) {
			cx += sx;
			next_x += step_x;
		} else {
			cy += sy;
			next_y += step_y;
		}
		kind = cx < 0 || cy < 0 || cx >= WORLD_WIDTH ||
		       cy >= WORLD_DEPTH ? WORLD_WALL : w->cell[cy][cx];
		if (inside && kind != WORLD_LINTEL) {
			ray->layer[ray->layers - 1].to = d;
			inside = false;
		}
		if (kind == WORLD_FREE || inside ||
		    (kind == WORLD_LINTEL && ray->layers == WORLD_LAYERS - 1))
			continue;
		*l = (struct world_layer){ d, d, kind, across };
		ray->layers++;
		if (kind != WORLD_LINTEL)
			return;
		inside = true;
	}
}

struct world_hit world_end(const struct world_ray *ray, float x, float y,
			   float z, float dx, float dy, float slope)
{
	struct world_hit h = { .surface = SURFACE_WALL };

	for (unsigned int i = 0; i < ray->layers; i++) {
		const struct world_layer *l = &ray->layer[i];
		float at = z + slope * l->from;

		h.d = l->from;
		h.kind = l->kind;
		h.across = l->across;
		if (at < 0 || at > WORLD_HEIGHT)
			break;
		if (l->kind != WORLD_LINTEL) {
			h.z = at;
			goto end;
		}
		if (at > WORLD_DOOR || z + slope * l->to > WORLD_DOOR) {
			h.surface = SURFACE_LINTEL;
			if (at < WORLD_DOOR)	/* from below */
				h.d = (WORLD_DOOR - z) / slope;
			h.z = fmaxf(at, WORLD_DOOR);
			goto end;
		}
	}
	h.surface = slope < 0 ? SURFACE_FLOOR : SURFACE_CEILING;
	h.z = slope < 0 ? 0 : WORLD_HEIGHT;
	h.d = (h.z - z) / slope;
end:
	h.x = x + h.d * dx;
	h.y = y + h.d * dy;
	return h;
}
