// SPDX-License-Identifier: GPL-2.0-only
/*
 * fit_grid.c - drawing scans, and climbing to the best pose nearby
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "slam/filter/det_math.h"
#include "slam/graph/fit_grid.h"

/* Cells to either side of an endpoint, and its places within a cell */
enum { SPLAT = 4, PHASES = 16 };

/* Steps of a climb: m and rad; they are halved this often */
#define CLIMB_STEP	0.03
#define CLIMB_TURN	0.003
enum { CLIMB_HALVINGS = 4, CLIMB_MAX = 200 };

struct fit_box {
	double	left, low, right, high;
};

static struct fit_box around(const struct pose *at, uint32_t count)
{
	struct fit_box box = { INFINITY, INFINITY, -INFINITY, -INFINITY };

	for (uint32_t i = 0; i < count; i++) {
		box.left = fmin(box.left, at[i].x);
		box.right = fmax(box.right, at[i].x);
		box.low = fmin(box.low, at[i].y);
		box.high = fmax(box.high, at[i].y);
	}
	return box;
}

/* Where all endpoints are. Return: how many, into @at */
static uint32_t place(const struct fit_points *const *scan,
		      const struct pose *pose, uint32_t count, struct pose *at)
{
	uint32_t points = 0;

	for (uint32_t i = 0; i < count; i++) {
		double s, c;

		det_sincos(pose[i].yaw, &s, &c);
		for (uint32_t k = 0; k < scan[i]->count; k++)
			at[points++] = fit_point_at(scan[i], k, pose + i, s, c);
	}
	return points;
}

int fit_grid_make_level(struct fit_grid *g, bool wide, unsigned int level)
{
	const uint32_t pad = wide ? FIT_PAD_WIDE : 0;
	const size_t need = (size_t)(g->width + pad) * (g->height + pad);
	uint8_t **cells = g->level[wide] + level;

	if (need > g->room[wide][level]) {
		free(*cells);
		*cells = malloc(need);
		g->room[wide][level] = *cells ? need : 0;
	}
	return *cells ? 0 : -ENOMEM;
}

/* How near the cells along an axis are, for an endpoint at each phase of its
 * cell; over both axes it is the product
 */
struct splat {
	float	near[PHASES][2 * SPLAT + 1];
};

static void splat_init(struct splat *t)
{
	for (int phase = 0; phase < PHASES; phase++) {
		for (int i = -SPLAT; i <= SPLAT; i++) {
			const double d = (i + 0.5 - (phase + 0.5) / PHASES) *
					 FIT_CELL / FIT_SIGMA;

			t->near[phase][i + SPLAT] = (float)exp(-d * d / 2);
		}
	}
}

static void hit(struct fit_grid *g, const struct splat *t, double x, double y)
{
	const double cx = (x - g->left) / FIT_CELL;
	const double cy = (y - g->low) / FIT_CELL;
	const uint32_t column = (uint32_t)cx, row = (uint32_t)cy;
	const float *across = t->near[(int)((cx - column) * PHASES)];
	const float *along = t->near[(int)((cy - row) * PHASES)];

	assert(column >= SPLAT && column + SPLAT < g->width);
	assert(row >= SPLAT && row + SPLAT < g->height);
	for (uint32_t i = 0; i <= 2 * SPLAT; i++) {
		const float strength = 255 * along[i];
		uint8_t *cell = g->level[0][0] + column - SPLAT +
				(size_t)(row + i - SPLAT) * g->width;

		for (int k = 0; k <= 2 * SPLAT; k++) {
			const uint8_t near = (uint8_t)(strength * across[k]);

			cell[k] = near > cell[k] ? near : cell[k];
		}
	}
}

static int draw(struct fit_grid *g, const struct pose *at, uint32_t points)
{
	const struct fit_box box = around(at, points);
	/* endpoints of a wall along the border are in the middle of cells */
	const double margin = (FIT_PAD - 0.5) * FIT_CELL;
	struct splat splat;

	if (!(box.right >= box.left))
		return 0;
	if (box.right - box.left > FIT_SIDE_MAX * FIT_CELL - 2 * margin ||
	    box.high - box.low > FIT_SIDE_MAX * FIT_CELL - 2 * margin)
		return -E2BIG;
	g->left = box.left - margin;
	g->low = box.low - margin;
	g->width = (uint32_t)((box.right - g->left) / FIT_CELL) + SPLAT + 2;
	g->height = (uint32_t)((box.high - g->low) / FIT_CELL) + SPLAT + 2;
	if (fit_grid_make_level(g, false, 0))
		return -ENOMEM;
	memset(g->level[0][0], 0, (size_t)g->width * g->height);
	splat_init(&splat);
	for (uint32_t i = 0; i < points; i++)
		hit(g, &splat, at[i].x, at[i].y);
	g->levels[0] = 1;
	return 0;
}

int fit_grid_draw(struct fit_grid *g, const struct fit_points *const *scan,
		  const struct pose *pose, uint32_t count)
{
	uint32_t points = 0;
	struct pose *at;
	int err;

	g->levels[0] = g->levels[1] = 0;
	for (uint32_t i = 0; i < count; i++)
		points += scan[i]->count;
	at = malloc((points + 1) * sizeof(*at));
	if (!at)
		return -ENOMEM;
	err = draw(g, at, place(scan, pose, count, at));
	free(at);
	return err;
}

void fit_grid_free(struct fit_grid *g)
{
	for (int i = 0; i < FIT_LEVELS; i++) {
		free(g->level[0][i]);
		free(g->level[1][i]);
	}
	*g = (struct fit_grid){ .width = 0 };
}

double fit_grid_fit(const struct fit_grid *g, const struct fit_points *scan,
		    const struct pose *pose)
{
	const double cells = 1 / FIT_CELL;
	double s, c, sum = 0;

	if (!g->levels[0] || !scan->count)
		return 0;
	det_sincos(pose->yaw, &s, &c);
	for (uint32_t k = 0; k < scan->count; k++) {
		const struct pose at = fit_point_at(scan, k, pose, s, c);
		const double x = (at.x - g->left) * cells - 0.5;
		const double y = (at.y - g->low) * cells - 0.5;
		const uint8_t *cell;
		double u, v;

		if (!(x >= 0 && y >= 0 && x < g->width - 1 &&
		      y < g->height - 1))
			continue;
		u = x - (uint32_t)x;
		v = y - (uint32_t)y;
		cell = g->level[0][0] + (size_t)(uint32_t)y * g->width +
		       (uint32_t)x;
		sum += (1 - v) * ((1 - u) * cell[0] + u * cell[1]) +
		       v * ((1 - u) * cell[g->width] +
			    u * cell[g->width + 1]);
	}
	return sum / (255.0 * scan->count);
}

/* One step in a direction of 6, as long as it helps. Return: whether it did */
static bool climb_along(const struct fit_grid *g, const struct fit_points *scan,
			int direction, double scale, struct pose *pose,
			double *fit)
{
	const double step = direction & 1 ? -scale : scale;
	struct pose next = *pose;
	double there;

	if (direction < 2)
		next.x += step * CLIMB_STEP;
	else if (direction < 4)
		next.y += step * CLIMB_STEP;
	else
		next.yaw += step * CLIMB_TURN;
	there = fit_grid_fit(g, scan, &next);
	if (there <= *fit)
		return false;
	*pose = next;
	*fit = there;
	return true;
}

double fit_grid_climb(const struct fit_grid *g, const struct fit_points *scan,
		      struct pose *pose)
{
	double fit = fit_grid_fit(g, scan, pose), scale = 1;
	int left = CLIMB_MAX;

	for (int i = 0; i <= CLIMB_HALVINGS; i++, scale /= 2) {
		bool better = true;

		while (better && left-- > 0) {
			better = false;
			for (int d = 0; d < 6; d++)
				better |= climb_along(g, scan, d, scale, pose,
						      &fit);
		}
	}
	pose->yaw = remainder(pose->yaw, 2 * M_PI);
	return fit;
}
