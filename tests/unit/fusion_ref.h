/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fusion_ref.h - fusion as a reader of D4.1 would write it down, slowly: in
 * double precision, cell by cell, without tiles, runs or fixed point
 *
 * A sample that lies within REF_DOUBT cells of the border between two cells
 * may belong to either: such cells of the map are marked as doubtful.
 */
#ifndef FUSION_REF_H
#define FUSION_REF_H

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include "map/fusion/cells.h"
#include "map/fusion/raster.h"
#include "map/fusion/rule.h"

#define REF_DOUBT 2e-4
/* Of log-odds: those of 0.99 */
#define REF_MOST (nearbyint(log(0.99 / 0.01) * 4096) / 4096)

struct ref_submap {
	const struct cells	*cells;
	const struct cells	*weights;
	struct pose		pose;
	struct rule_source	source;
};

/* One cell of the map: what was added to it, in order */
struct ref_cell {
	double	sum, weight, logit;
	int	best, least, latest, count;
	int64_t	stamp;
	bool	doubt;
};

static bool ref_border(double v)
{
	return fabs(v - nearbyint(v)) < REF_DOUBT;
}

static void ref_add(struct ref_cell *c, int v, int w, int64_t stamp, int full)
{
	const double p = (double)v / full;
	const double most = REF_MOST - (v > 0 && v < full ? 1 / 4096.0 : 0);

	if (v < 0)
		return;
	if (!c->count || v > c->best)
		c->best = v;
	if (!c->count || v < c->least)
		c->least = v;
	stamp = stamp < 0 ? 0 : stamp / 1000000;
	if (!c->count || stamp > c->stamp ||
	    (stamp == c->stamp && v > c->latest)) {
		c->latest = v;
		c->stamp = stamp;
	}
	c->count++;
	c->sum += w < 0 ? v : (double)w * v;
	c->weight += w < 0 ? 1 : w;
	c->logit += fmin(fmax(nearbyint(log(p / (1 - p)) * 4096) / 4096, -most),
			 most);
}

static int ref_value(const struct ref_cell *c, enum rule_id rule, int full)
{
	if (!c->count)
		return -1;
	switch (rule) {
	case RULE_MAX:
		return c->best;
	case RULE_MIN:
		return c->least;
	case RULE_LATEST:
		return c->latest;
	case RULE_LOG_ODDS:
		return c->logit <= -REF_MOST ? 0 : c->logit >= REF_MOST ? full :
		       floor(full / (1 + exp(-c->logit)) + 0.5);
	default:
		return c->weight > 0 ? floor(c->sum / c->weight + 0.5) : -1;
	}
}

/* What a submap has at a point of its grid, in cells */
static int ref_at(const struct cells *c, double u, double v, bool *doubt)
{
	*doubt |= ref_border(u) || ref_border(v);
	u = floor(u);
	v = floor(v);
	if (u < 0 || v < 0 || u >= c->width || v >= c->height)
		return -1;
	return cells_at(c, u, v);
}

/* The centre of a map cell in the grid of a submap */
static int ref_sample(const struct cells *c, const struct pose *at, double res,
		      int x, int y, bool *doubt)
{
	const double cs = cos(at->yaw), sn = sin(at->yaw);
	const double dx = (x + 0.5) * res - at->x, dy = (y + 0.5) * res - at->y;

	return ref_at(c, (cs * dx + sn * dy) / c->resolution,
		      (cs * dy - sn * dx) / c->resolution, doubt);
}

/* All cells of a submap into the map; @hit: -1 where none came */
static void ref_splat(const struct cells *c, const struct pose *at, double res,
		      const struct rect *r, int *hit, bool *doubt)
{
	const double cs = cos(at->yaw), sn = sin(at->yaw);

	for (unsigned int v = 0; v < c->height; v++)
		for (unsigned int u = 0; u < c->width; u++) {
			const double gx = (u + 0.5) * c->resolution;
			const double gy = (v + 0.5) * c->resolution;
			const double mx = (at->x + cs * gx - sn * gy) / res;
			const double my = (at->y + sn * gx + cs * gy) / res;
			const bool unsure = ref_border(mx) || ref_border(my);
			const int value = cells_at(c, u, v);

			if (value < 0)
				continue;
			for (int dy = -unsure; dy <= unsure; dy++)
				for (int dx = -unsure; dx <= unsure; dx++) {
					const int x = floor(mx) - r->x + dx;
					const int y = floor(my) - r->y + dy;
					const size_t i = (size_t)y * r->width +
							 x;

					if (x < 0 || y < 0 ||
					    x >= (int)r->width ||
					    y >= (int)r->height)
						continue;
					doubt[i] |= unsure;
					if (!dx && !dy && value > hit[i])
						hit[i] = value;
				}
		}
}

/**
 * ref_fuse() - values of @r, -2 where it is in doubt
 */
__attribute__((unused))
static void ref_fuse(const struct ref_submap *s, unsigned int n,
		     enum rule_id rule, bool splat, double res,
		     const struct rect *r, int *value)
{
	const size_t cells = (size_t)r->width * r->height;
	struct ref_cell *acc = calloc(cells, sizeof(*acc));
	int *hit = malloc(cells * sizeof(*hit));
	bool *doubt = malloc(cells);
	const int full = cells_full(s->cells->bits);

	for (unsigned int k = 0; k < n; k++) {
		const struct cells *c = s[k].cells;
		const struct pose at = pose_compose(&s[k].pose, &c->origin);

		for (size_t i = 0; i < cells; i++) {
			hit[i] = -1;
			doubt[i] = false;
		}
		if (splat)
			ref_splat(c, &at, res, r, hit, doubt);
		for (size_t i = 0; i < cells; i++) {
			const int x = r->x + (int)(i % r->width);
			const int y = r->y + (int)(i / r->width);
			int w = rule == RULE_WEIGHTED ?
				(int)s[k].source.weight : -1;
			int v = hit[i];

			if (v < 0)
				v = ref_sample(c, &at, res, x, y, &doubt[i]);
			if (s[k].weights)
				w = ref_sample(s[k].weights, &at, res, x, y,
					       &doubt[i]);
			if (s[k].weights && w < 0)
				w = 0;
			acc[i].doubt |= doubt[i];
			ref_add(&acc[i], v, w, s[k].source.stamp, full);
		}
	}
	for (size_t i = 0; i < cells; i++)
		value[i] = acc[i].doubt ? -2 : ref_value(&acc[i], rule, full);
	free(acc);
	free(hit);
	free(doubt);
}

#endif
