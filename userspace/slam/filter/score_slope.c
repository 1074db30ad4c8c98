// SPDX-License-Identifier: GPL-2.0-only
/*
 * score_slope.c - derivatives of the field at the endpoints of a scan
 */
#include <string.h>
#include "base/cpu.h"
#include "slam/filter/score.h"

#define HALF	(FIELD_UNIT / 2)
/* The curvature of the field in the middle of a wall, and the square of the
 * slope below which the position of the wall is undefined; in 1 / sigma^2
 */
#define SHARP	0.4
#define LEAST	0.05

/**
 * struct block - SCORE_LANES endpoints
 * @v:		the field in the four cells around each
 * @wx, @wy:	its position between them, 0..1
 * @x, @y:	of it, from the robot, m
 */
struct block {
	float	v[4][SCORE_LANES];
	float	wx[SCORE_LANES], wy[SCORE_LANES];
	float	x[SCORE_LANES], y[SCORE_LANES];
};

static void score_slope_look_up(struct block *b, const struct field_window *f,
				const uint8_t *base, const struct rotated *p,
				unsigned int first, int x, int y, float unit)
{
	const int shift = TILE_BITS + FIELD_BITS;

	for (int i = 0; i < SCORE_LANES; i++) {
		const int px = p->x[first + i] + x - HALF;
		const int py = p->y[first + i] + y - HALF;
		const struct tile *t = (const struct tile *)
			field_window_tile(f, base, px >> shift, py >> shift);
		const uint8_t *v = t->field +
			(py >> FIELD_BITS & (TILE_SIDE - 1)) * TILE_STRIDE +
			(px >> FIELD_BITS & (TILE_SIDE - 1));

		b->v[0][i] = v[0];
		b->v[1][i] = v[1];
		b->v[2][i] = v[TILE_STRIDE];
		b->v[3][i] = v[TILE_STRIDE + 1];
		b->wx[i] = (float)(px & (FIELD_UNIT - 1)) / FIELD_UNIT;
		b->wy[i] = (float)(py & (FIELD_UNIT - 1)) / FIELD_UNIT;
		b->x[i] = (float)p->x[first + i] * unit;
		b->y[i] = (float)p->y[first + i] * unit;
	}
}

/* @cells: in a metre, of the field's scale */
CPU_CLONES
static void add_up(const struct block *b, float cells, float sharp,
		   float least, float sum[9][SCORE_LANES])
{
	for (int i = 0; i < SCORE_LANES; i++) {
		const float low = b->v[0][i] +
			(b->v[1][i] - b->v[0][i]) * b->wx[i];
		const float high = b->v[2][i] +
			(b->v[3][i] - b->v[2][i]) * b->wx[i];
		const float left = b->v[0][i] +
			(b->v[2][i] - b->v[0][i]) * b->wy[i];
		const float right = b->v[1][i] +
			(b->v[3][i] - b->v[1][i]) * b->wy[i];
		const float jx = (right - left) * cells;
		const float jy = (high - low) * cells;
		const float jt = jy * b->x[i] - jx * b->y[i];
		/* scale of the squared slope that gives 1 for a wall */
		const float w = (low + (high - low) * b->wy[i]) * sharp /
			(jx * jx + jy * jy + least);

		sum[0][i] += jx;
		sum[1][i] += jy;
		sum[2][i] += jt;
		sum[3][i] += w * jx * jx;
		sum[4][i] += w * jx * jy;
		sum[5][i] += w * jx * jt;
		sum[6][i] += w * jy * jy;
		sum[7][i] += w * jy * jt;
		sum[8][i] += w * jt * jt;
	}
}

void score_slope(const struct field_window *f, const uint8_t *base,
		 const struct rotated *p, int x, int y, double units,
		 double sigma, struct score_slope *slope)
{
	const float sharp = (float)(SHARP / (sigma * sigma * FIELD_MAX));
	const float least = (float)(LEAST / (sigma * sigma));
	const float cells = (float)(units / FIELD_UNIT / FIELD_MAX);
	float sum[9][SCORE_LANES] = { { 0 } };
	double total[9] = { 0 };

	for (unsigned int i = 0; i < p->room; i += SCORE_LANES) {
		struct block b;

		score_slope_look_up(&b, f, base, p, i, x, y,
				    (float)(1 / units));
		add_up(&b, cells, sharp, least, sum);
	}
	for (int k = 0; k < 9; k++) {
		for (int i = 0; i < SCORE_LANES; i++)
			total[k] += (double)sum[k][i];
	}
	memcpy(slope->g, total, sizeof(slope->g));
	memcpy(slope->h, total + 3, sizeof(slope->h));
}
