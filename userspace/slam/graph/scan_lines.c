// SPDX-License-Identifier: GPL-2.0-only
/*
 * scan_lines.c - the walls of a scan, and how another scan lies on them
 */
#include <assert.h>
#include <stdlib.h>
#include "slam/filter/det_math.h"
#include "slam/graph/scan_lines.h"

/* Endpoints to either side of one that may be on its wall: how many, and how
 * far from it, m; where beams are sparse, so many times the distance between
 * two of them
 */
enum { ASIDE = 4 };
#define WALL_NEAR	0.15
#define WALL_SPARSE	3.0
/* A wall seen at a small angle: the endpoints of the next beams, and how far
 * they are, likewise
 */
enum { NEXT = 1 };
#define WALL_SLANTED	12.0
/* A wall: its endpoints at least; its thickness at most, m, and as a share of
 * its length (standard deviations)
 */
enum { WALL_LEAST = 3 };
#define WALL_THICK	0.03
#define WALL_SHARE	0.35
/* Cosine of the angle between two views of a wall, at least */
#define PARALLEL	0.8
/* Beams to either side of a direction that are looked at, at most */
enum { LOOK = 6 };
/* Shorter beams hit the robot itself, m */
#define OWN		0.05f
/* An endpoint that is this much in front of another was seen through, m, and m
 * per m
 */
#define THROUGH		0.2
#define THROUGH_PER_M	0.02

/* The angle of a vector, rad, to 1e-5, with the same bits everywhere:
 * Abramowitz and Stegun, Handbook of mathematical functions, 4.4.49
 */
static double angle_of(double x, double y)
{
	const double ax = fabs(x), ay = fabs(y);
	const double t = ax > ay ? ay / ax : ay > 0 ? ax / ay : 0;
	const double s = t * t;
	double a = t * (0.9998660 + s * (-0.3302995 + s * (0.1801410 +
			s * (-0.0851330 + s * 0.0208351))));

	if (ay > ax)
		a = M_PI_2 - a;
	if (x < 0)
		a = M_PI - a;
	return y < 0 ? -a : a;
}

static bool has_echo(const struct scan_line *l)
{
	return !isnan(l->x);
}

/*
 * Walls
 */

/**
 * struct spread - some endpoints
 * @count:	of them; @x, @y: their mean, from one of them, m
 * @xx, @xy, @yy: their covariance, m^2
 */
struct spread {
	double	count, x, y, xx, xy, yy;
};

/* The endpoints within @near of that of beam @i, of @aside beams to either
 * side
 */
static struct spread spread_around(const struct scan_lines *s, uint32_t i,
				   uint32_t aside, double near)
{
	const struct scan_line *l = s->line + i;
	const uint32_t first = i < aside ? 0 : i - aside;
	const uint32_t end = i + aside < s->beams ? i + aside + 1 : s->beams;
	struct spread p = { .count = 0 };

	for (uint32_t k = first; k < end; k++) {
		const double x = (double)s->line[k].x - (double)l->x;
		const double y = (double)s->line[k].y - (double)l->y;

		if (!(x * x + y * y < near * near))
			continue;
		p.count++;
		p.x += x;
		p.y += y;
		p.xx += x * x;
		p.xy += x * y;
		p.yy += y * y;
	}
	p.x /= p.count;
	p.y /= p.count;
	p.xx = p.xx / p.count - p.x * p.x;
	p.xy = p.xy / p.count - p.x * p.y;
	p.yy = p.yy / p.count - p.y * p.y;
	return p;
}

/* The wall of beam @i, if endpoints within @near are on a line: its axes are
 * those of the covariance
 */
static void draw_wall(struct scan_lines *s, uint32_t i, const struct spread *p,
		      double near)
{
	struct scan_line *l = s->line + i;
	const double mean = (p->xx + p->yy) / 2, half = (p->xx - p->yy) / 2;
	const double span = sqrt(half * half + p->xy * p->xy);
	const double thick = fmax(mean - span, 0);
	double nx, ny, side;

	if (!(span > 0) || thick > WALL_THICK * WALL_THICK ||
	    thick > WALL_SHARE * WALL_SHARE * (mean + span))
		return;
	/* the wall is at half of the angle of (half, xy) */
	nx = -copysign(sqrt(fmax(1 - half / span, 0) / 2), p->xy);
	ny = sqrt(fmax(1 + half / span, 0) / 2);
	side = copysign(1, nx * (s->laser.x - (double)l->x) +
			   ny * (s->laser.y - (double)l->y));
	l->at_x = (float)((double)l->x + p->x);
	l->at_y = (float)((double)l->y + p->y);
	l->nx = (float)(side * nx);
	l->ny = (float)(side * ny);
	l->reach = (float)near;
}

static void find_wall(struct scan_lines *s, uint32_t i)
{
	const double beside = fabs(s->step) * (double)s->line[i].range;
	double near = fmax(WALL_NEAR, WALL_SPARSE * beside);
	struct spread p = spread_around(s, i, ASIDE, near);

	if (p.count < WALL_LEAST) {
		near = fmax(WALL_NEAR, WALL_SLANTED * beside);
		p = spread_around(s, i, NEXT, near);
	}
	if (p.count >= WALL_LEAST)
		draw_wall(s, i, &p, near);
}

/* The endpoint of a beam */
static struct scan_line end_of(const struct reading *r, uint32_t beam,
			       double limit)
{
	const double range = (double)r->range[beam];
	struct scan_line l = { .x = NAN, .y = NAN };
	struct pose laser = r->laser;
	double s, c;

	if (!(range > (double)OWN && range < limit))
		return l;
	if (reading_sweeps(r)) {
		const struct pose swept = reading_swept(r, beam);

		laser = det_compose(&swept, &r->laser);
	}
	det_sincos(laser.yaw + (double)r->angle_min +
		   beam * (double)r->angle_increment, &s, &c);
	l.range = (float)range;
	l.x = (float)(laser.x + c * range);
	l.y = (float)(laser.y + s * range);
	return l;
}

struct scan_lines *scan_lines_make(const struct reading *r, double reach)
{
	const uint32_t every = (r->beams + SCAN_LINES_MAX) /
			       (SCAN_LINES_MAX + 1) + !r->beams;
	const uint32_t beams = (r->beams + every - 1) / every;
	const double limit = fmin((double)r->range_max, reach);
	struct scan_lines *s = malloc(sizeof(*s) + beams * sizeof(*s->line));

	if (!s)
		return NULL;
	*s = (struct scan_lines){
		.laser = r->laser, .beams = beams,
		.step = (double)r->angle_increment * every,
	};
	s->middle = remainder((double)r->angle_min +
			      s->step * (beams - 1.0) / 2, 2 * M_PI);
	for (uint32_t i = 0; i < beams; i++)
		s->line[i] = end_of(r, i * every, limit);
	for (uint32_t i = 0; i < beams; i++) {
		if (has_echo(s->line + i))
			find_wall(s, i);
	}
	return s;
}

/*
 * Comparison
 */

/**
 * struct view - from the walls of a scan
 * @sine, @c:	of the heading of its laser
 * @at_sine, @at_c: of the heading of the other robot
 */
struct view {
	const struct scan_lines		*walls;
	const struct line_match		*m;
	double				sine, c, at_sine, at_c;
};

/* What is in the direction of a point: the nearest endpoint with a wall, if
 * there is one, and whether all beams end behind it
 */
struct sight {
	const struct scan_line	*wall;
	bool			through;
};

/* The beam towards a point in the frame of the robot, from its laser; below 0
 * or beyond the last one: outside of what it sees
 */
static double beam_towards(const struct view *v, double x, double y)
{
	const struct scan_lines *s = v->walls;
	double angle = angle_of(v->c * x + v->sine * y,
				v->c * y - v->sine * x) - s->middle;

	/* both were within half a turn */
	if (angle > M_PI)
		angle -= 2 * M_PI;
	else if (angle < -M_PI)
		angle += 2 * M_PI;
	return (s->beams - 1) / 2.0 + angle / s->step;
}

/* How far in front of a wall a point is */
static double distance_from(const struct scan_line *wall, double x, double y)
{
	return (double)wall->nx * (x - (double)wall->at_x) +
	       (double)wall->ny * (y - (double)wall->at_y);
}

static struct sight look(const struct view *v, double x, double y, int beam,
			 double far)
{
	const struct scan_lines *s = v->walls;
	const double behind = far + THROUGH + THROUGH_PER_M * far;
	const double beams = v->m->near / (far * fabs(s->step) + 0.01) + 1;
	const int aside = beams < LOOK ? (int)beams : LOOK;
	const int first = beam < aside ? 0 : beam - aside;
	const int last = beam + aside < (int)s->beams ? beam + aside :
							(int)s->beams - 1;
	struct sight found = { NULL, true };
	double least = INFINITY;

	for (int i = first; i <= last; i++) {
		const struct scan_line *l = s->line + i;
		const double dx = (double)l->x - x, dy = (double)l->y - y;
		const double most = v->m->near + (double)l->reach;
		const double d = dx * dx + dy * dy;

		/* a beam without an echo may have met glass */
		found.through &= (double)l->range > behind;
		if (d < least && l->reach > 0 && d < most * most &&
		    fabs(distance_from(l, x, y)) < v->m->near) {
			least = d;
			found.wall = l;
		}
	}
	return found;
}

/* An endpoint at (@x, @y) from its robot is @off from a wall */
static void add_distance(struct line_fit *f, const struct scan_line *wall,
			 double x, double y, double off, double scale)
{
	const double nx = (double)wall->nx, ny = (double)wall->ny;
	const double nt = ny * x - nx * y;
	/* Cauchy's weight */
	const double w = 1 / (1 + off * off / (scale * scale));

	f->weight.xx += w * nx * nx;
	f->weight.xy += w * nx * ny;
	f->weight.xt += w * nx * nt;
	f->weight.yy += w * ny * ny;
	f->weight.yt += w * ny * nt;
	f->weight.tt += w * nt * nt;
	f->pull[0] += w * off * nx;
	f->pull[1] += w * off * ny;
	f->pull[2] += w * off * nt;
	f->sum += w * off * off;
	f->weights += w;
	f->hits++;
}

/* Whether two scans see a wall from the same side */
static bool is_parallel(const struct view *v, const struct scan_line *l,
			const struct scan_line *wall)
{
	const double nx = v->at_c * (double)l->nx - v->at_sine * (double)l->ny;
	const double ny = v->at_sine * (double)l->nx + v->at_c * (double)l->ny;

	return nx * (double)wall->nx + ny * (double)wall->ny > PARALLEL;
}

static void compare_endpoint(const struct view *v, const struct scan_line *l,
			     const struct pose *at, struct line_fit *fit)
{
	const struct scan_lines *s = v->walls;
	const double rx = v->at_c * (double)l->x - v->at_sine * (double)l->y;
	const double ry = v->at_sine * (double)l->x + v->at_c * (double)l->y;
	const double x = rx + at->x, y = ry + at->y;
	const double lx = x - s->laser.x, ly = y - s->laser.y;
	const double beam = beam_towards(v, lx, ly);
	struct sight found;

	if (!(beam >= 0 && beam <= s->beams - 1))
		return;
	fit->seen++;
	found = look(v, x, y, (int)(beam + 0.5), sqrt(lx * lx + ly * ly));
	if (!found.wall)
		fit->through += found.through;
	else if (is_parallel(v, l, found.wall))
		add_distance(fit, found.wall, rx, ry,
			     distance_from(found.wall, x, y), v->m->scale);
}

void scan_lines_fit(const struct scan_lines *walls,
		    const struct scan_lines *scan, const struct pose *at,
		    const struct line_match *m, struct line_fit *fit)
{
	const uint32_t every = (scan->beams + m->points - 1) / m->points;
	struct view v = { .walls = walls, .m = m };

	assert(m->points);
	*fit = (struct line_fit){ .seen = 0 };
	if (!walls->beams || walls->step == 0)
		return;
	det_sincos(walls->laser.yaw, &v.sine, &v.c);
	det_sincos(at->yaw, &v.at_sine, &v.at_c);
	for (uint32_t i = every / 2; i < scan->beams; i += every) {
		if (has_echo(scan->line + i))
			compare_endpoint(&v, scan->line + i, at, fit);
	}
}
