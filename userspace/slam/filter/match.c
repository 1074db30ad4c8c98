// SPDX-License-Identifier: GPL-2.0-only
/*
 * match.c - shared by all scan matchers
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include "slam/filter/det_math.h"
#include "slam/filter/match.h"

/* Distance of the poses for the curvature, m and rad */
#define PROBE		0.03
#define PROBE_TURN	0.015
/* Odometry that is less certain than this guides no match, m */
#define KEPT		0.33

int matcher_init(struct matcher *m, const struct slam_params *params,
		 const uint8_t *base)
{
	*m = (struct matcher){
		.params = params,
		.base = base,
		.units = FIELD_UNIT / params->resolution,
		.fit = matcher_fit,
		.spare = MATCHER_SPARE,
	};
	if (params->compat != SLAM_GMAPPING)
		return 0;
	m->fit = matcher_score;
	m->decay = malloc(sizeof(*m->decay));
	if (!m->decay)
		return -ENOMEM;
	gmapping_decay_init(m->decay, params->sigma, params->resolution);
	return 0;
}

void matcher_free(struct matcher *m)
{
	free(m->rotated.x);
	free(m->decay);
	field_window_free(&m->window);
	m->decay = NULL;
	m->rotated = m->behind = (struct rotated){ .count = 0 };
}

/* For any rotation of the box, with a row of tiles around it */
static int reserve_window(struct matcher *m)
{
	const double size = hypot((double)m->box.right - (double)m->box.left,
				  (double)m->box.high - (double)m->box.low);
	const size_t side = (size_t)(size / (TILE_SIDE * FIELD_UNIT)) +
			    (size_t)(2 * m->spare) + 6;

	return field_window_reserve(&m->window, side * side);
}

int matcher_begin(struct matcher *m, const struct scan *scan)
{
	const unsigned int room = scan->match.room, apart = room + SCORE_LANES;
	int32_t *memory;

	m->yaw = NAN;
	m->shown = NULL;
	m->box = scan->box;
	m->radius = (double)hypotf(fmaxf(-m->box.left, m->box.right),
				   fmaxf(-m->box.low, m->box.high));
	if (reserve_window(m))
		return -ENOMEM;
	if (room <= m->rotated.room && m->rotated.x)
		return 0;
	memory = aligned_alloc(64, 4 * sizeof(*memory) * apart);
	if (!memory)
		return -ENOMEM;
	free(m->rotated.x);
	m->rotated = (struct rotated){
		.room = room, .x = memory, .y = memory + apart,
	};
	m->behind = (struct rotated){
		.room = room, .x = memory + 2 * apart, .y = memory + 3 * apart,
	};
	return 0;
}

static void turn_to(struct matcher *m, const struct scan *scan, double yaw)
{
	if (yaw == m->yaw)
		return;
	score_rotate(&m->rotated, &scan->match, yaw);
	if (m->decay)
		score_rotate(&m->behind, &scan->behind, yaw);
	m->yaw = yaw;
}

/* The cells to compare with are at most one tile beside the endpoints */
static void fill_window(struct matcher *m, const struct likelihood_field *map)
{
	const double width = ((double)m->box.right - (double)m->box.left) / 2;
	const double height = ((double)m->box.high - (double)m->box.low) / 2;
	const double mx = (double)m->box.left + width;
	const double my = (double)m->box.low + height;
	const int shift = TILE_BITS + FIELD_BITS, more = m->spare + 1;
	double s, c, x, y, wide, tall;

	det_sincos(m->turn, &s, &c);
	x = m->x + c * mx - s * my;
	y = m->y + s * mx + c * my;
	wide = fabs(c) * width + fabs(s) * height;
	tall = fabs(s) * width + fabs(c) * height;
	field_window_fill(&m->window, map,
			  ((int)floor(x - wide) >> shift) - more,
			  ((int)floor(y - tall) >> shift) - more,
			  ((int)ceil(x + wide) >> shift) + more,
			  ((int)ceil(y + tall) >> shift) + more);
}

const struct field_window *matcher_look(struct matcher *m,
					const struct scan *scan,
					const struct likelihood_field *map,
					const struct pose *pose, int *x, int *y)
{
	const double near = m->spare * (TILE_SIDE * FIELD_UNIT);
	int away;

	turn_to(m, scan, pose->yaw);
	*x = (int)lrint(pose->x * m->units);
	*y = (int)lrint(pose->y * m->units);
	away = abs(*x - m->x) > abs(*y - m->y) ? abs(*x - m->x) :
						 abs(*y - m->y);
	if (map == m->shown &&
	    away + m->radius * fabs(pose->yaw - m->turn) <= near)
		return &m->window;
	m->shown = map;
	m->x = *x;
	m->y = *y;
	m->turn = pose->yaw;
	fill_window(m, map);
	return &m->window;
}

void matcher_slope(struct matcher *m, const struct scan *scan,
		   const struct likelihood_field *map, const struct pose *pose,
		   struct score_slope *slope)
{
	int x, y;
	const struct field_window *w = matcher_look(m, scan, map, pose, &x, &y);

	m->evaluations++;
	score_slope(w, m->base, &m->rotated, x, y, m->units, m->params->sigma,
		    slope);
}

double matcher_fit(struct matcher *m, const struct scan *scan,
		   const struct likelihood_field *map, const struct pose *pose)
{
	const struct field_window *w;
	int x, y;

	m->evaluations++;
	if (!scan->match.count)
		return 0;
	w = matcher_look(m, scan, map, pose, &x, &y);
	return (double)score_at(w, m->base, &m->rotated, x, y) /
		((double)SCORE_MAX * scan->match.count);
}

/*
 * The weight of odometry along the direction that a scan is blind to, 0..1:
 * by the variances of odometry and of the endpoints that constrain it
 */
static double odometry_share(const struct matcher *m, const struct scan *scan)
{
	const double sigma = m->params->sigma;
	double odometry;

	if (!m->prior || !(m->prior->slip > 0) || m->prior->slip >= KEPT)
		return 0;
	odometry = 1 / (m->prior->slip * m->prior->slip);
	return odometry / (odometry + scan->evidence / (sigma * sigma));
}

/* Move by @part towards @to, but only along the blind direction */
static void move_along(const struct scan *scan, struct pose *pose,
		       const struct pose *to, double part)
{
	double s, c, x, y, along;

	det_sincos(pose->yaw, &s, &c);
	x = c * scan->blind_x - s * scan->blind_y;
	y = s * scan->blind_x + c * scan->blind_y;
	along = part * ((to->x - pose->x) * x + (to->y - pose->y) * y);
	pose->x += along * x;
	pose->y += along * y;
}

double match_keep(struct matcher *m, const struct scan *scan,
		  const struct likelihood_field *map, struct pose *pose,
		  double fit)
{
	const double share = odometry_share(m, scan);

	if (share == 0)
		return fit;
	move_along(scan, pose, &m->prior->at, share);
	return matcher_fit(m, scan, map, pose);
}

static struct pose match_moved(const struct pose *p, const double d[3])
{
	return (struct pose){ p->x + d[0], p->y + d[1], p->yaw + d[2] };
}

/* Minus the second derivatives of the fit */
static void curvature(struct matcher *m, const struct scan *scan,
		      const struct likelihood_field *map,
		      const struct pose *pose, double fit, double h[3][3])
{
	static const double step[3] = { PROBE, PROBE, PROBE_TURN };
	double ahead[3], behind;

	for (int i = 0; i < 3; i++) {
		double d[3] = { 0 };
		struct pose p;

		d[i] = step[i];
		p = match_moved(pose, d);
		ahead[i] = matcher_fit(m, scan, map, &p);
		d[i] = -step[i];
		p = match_moved(pose, d);
		behind = matcher_fit(m, scan, map, &p);
		h[i][i] = (2 * fit - ahead[i] - behind) / (step[i] * step[i]);
	}
	for (int i = 0; i < 3; i++) {
		for (int j = i + 1; j < 3; j++) {
			double d[3] = { 0 };
			struct pose p;

			d[i] = step[i];
			d[j] = step[j];
			p = match_moved(pose, d);
			h[i][j] = h[j][i] = (ahead[i] + ahead[j] - fit -
				matcher_fit(m, scan, map, &p)) /
				(step[i] * step[j]);
		}
	}
}

/* @l: the Cholesky factor of @a. Return: whether @a is positive definite */
static bool factor(const double a[3][3], double l[3][3])
{
	for (int i = 0; i < 3; i++) {
		for (int j = 0; j <= i; j++) {
			double v = a[i][j];

			for (int k = 0; k < j; k++)
				v -= l[i][k] * l[j][k];
			if (i != j)
				l[i][j] = v / l[j][j];
			else if (v > 1e-3 * a[i][i])
				l[i][i] = sqrt(v);
			else
				return false;
		}
	}
	return true;
}

/* The inverse covariance of the pose by the fit and the odometry */
static void information(const double h[3][3], double sharpness, double slip,
			double turn, double l[3][3])
{
	double a[3][3];

	for (int i = 0; i < 3; i++) {
		const double sigma = i < 2 ? slip : turn;

		for (int j = 0; j < 3; j++)
			a[i][j] = h[i][j] * sharpness;
		a[i][i] = fmax(a[i][i], 0) + 1 / (sigma * sigma);
	}
	if (factor((const double (*)[3])a, l))
		return;
	/* no maximum in all directions: use each of the three alone */
	for (int i = 0; i < 3; i++) {
		for (int j = 0; j < 3; j++)
			l[i][j] = i == j ? sqrt(a[i][i]) : 0;
	}
}

double match_draw(struct matcher *m, const struct scan *scan,
		  const struct likelihood_field *map, struct pose *pose,
		  double fit, double slip, double turn, struct random *random)
{
	const double share = odometry_share(m, scan);
	const struct pose best = *pose;
	double h[3][3], l[3][3], x[3];
	struct pose judged;

	if (m->params->sharpness == 0 || slip == 0 || turn == 0)
		return fit;
	curvature(m, scan, map, pose, fit, h);
	information((const double (*)[3])h, m->params->sharpness, slip, turn,
		    l);
	for (int i = 2; i >= 0; i--) {
		x[i] = random_normal(random);
		for (int k = i + 1; k < 3; k++)
			x[i] -= l[k][i] * x[k];
		x[i] /= l[i][i];
	}
	judged = *pose = match_moved(pose, x);
	if (share > 0)
		move_along(scan, &judged, &best, share);
	return matcher_fit(m, scan, map, &judged);
}
