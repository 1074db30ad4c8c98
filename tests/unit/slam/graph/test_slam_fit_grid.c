// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_slam_fit_grid - scans of a room: how well they fit in it, and where they
 * fit best, against a search of all places
 */
#include <errno.h>
#include "slam/filter/det_math.h"
#include "slam/graph/fit_grid.h"
#include "slam_fixture.h"

/* Endpoints of the room, a scan of each so many; a visitor sees one of some */
enum { ROOM_POINTS = 1200, ROOM_SCANS = 8, SEEN_EACH = 4 };

/* From one endpoint to the next one along a wall, m */
#define SPACING		0.05
/* As in fit_search.c */
#define GAIN		0.005
#define TURN_LEAST	0.0025
/* Between the walls and the cells, rad */
#define SLANT		0.1

/* fit_grid_search() of all poses that are so near */
static int find_best(struct fit_grid *g, const struct fit_points *scan,
		     struct pose *pose, double reach, double turn, double least)
{
	const struct fit_window w = {
		.reach = reach, .turn = turn, .least = least,
	};

	return fit_grid_search(g, scan, pose, &w);
}

static double point_x[ROOM_POINTS], point_y[ROOM_POINTS];
static uint32_t points;

static struct fit_points part[ROOM_SCANS];
static const struct fit_points *parts[ROOM_SCANS];
static struct pose part_pose[ROOM_SCANS];
static uint32_t part_count;

/* An L of 9 m x 7 m with niches, in the order of its corners; turned by @yaw */
static void make_room(double yaw)
{
	const double c = cos(yaw), s = sin(yaw);

	points = 0;

	static const double corner[][2] = {
		{ 0, 0 }, { 3.1, 0 }, { 3.1, -0.4 }, { 3.9, -0.4 }, { 3.9, 0 },
		{ 9, 0 }, { 9, 1.2 }, { 9.5, 1.2 }, { 9.5, 2.3 }, { 9, 2.3 },
		{ 9, 3.6 }, { 5.2, 3.6 }, { 5.2, 5 }, { 4.8, 5 }, { 4.8, 7 },
		{ 1.9, 7 }, { 1.9, 6.6 }, { 0.7, 6.6 }, { 0.7, 7 }, { 0, 7 },
		{ 0, 0 },
	};

	for (size_t i = 0; i + 1 < sizeof(corner) / sizeof(*corner); i++) {
		const double dx = corner[i + 1][0] - corner[i][0];
		const double dy = corner[i + 1][1] - corner[i][1];
		const double length = hypot(dx, dy);

		for (double at = 0; at < length; at += SPACING) {
			const double x = corner[i][0] + dx * at / length;
			const double y = corner[i][1] + dy * at / length;

			if (points == ROOM_POINTS)
				abort();
			point_x[points] = c * x - s * y;
			point_y[points++] = s * x + c * y;
		}
	}
}

static void add_point(struct fit_points *to, const struct pose *from, double x,
		      double y)
{
	const struct pose at = { x, y, 0 };
	const struct pose p = pose_between(from, &at);

	if (to->count == FIT_POINTS_MAX)
		abort();
	to->x[to->count] = (float)p.x;
	to->y[to->count++] = (float)p.y;
}

/* Scans that have the whole room together, each from a pose of its own */
static void make_parts(void)
{
	memset(part, 0, sizeof(part));
	for (uint32_t i = 0; i < points; i++) {
		const uint32_t scan = i / FIT_POINTS_MAX;

		part_pose[scan] = (struct pose){
			2 + 0.1 * scan, 3, 1.0 * scan,
		};
		add_point(part + scan, part_pose + scan, point_x[i],
			  point_y[i]);
		parts[scan] = part + scan;
		part_count = scan + 1;
	}
}

/* What a robot at @pose sees */
static struct fit_points seen(const struct pose *pose)
{
	struct fit_points p = { .count = 0 };

	for (uint32_t i = 0; i < points; i += SEEN_EACH)
		add_point(&p, pose, point_x[i], point_y[i]);
	return p;
}

static void draw(struct fit_grid *g)
{
	if (fit_grid_draw(g, parts, part_pose, part_count))
		abort();
}

static double fit_at(const struct fit_grid *g, const struct fit_points *p,
		     const struct pose *truth, double x, double y, double yaw)
{
	const struct pose at = { truth->x + x, truth->y + y, truth->yaw + yaw };

	return fit_grid_fit(g, p, &at);
}

static struct fit_grid room;
static const struct pose inside = { 2.5, 2, 0.7 };

/*
 * Fit
 */

static void test_fit(void)
{
	const struct fit_points p = seen(&inside);
	static const double far[] = { 0, 0.02, 0.05, 0.1, 0.15, 0.3 };
	static const double turn[] = { 0, 0.005, 0.02, 0.05, 0.1, 0.3 };
	double all = 0, step = 0, last;

	for (uint32_t i = 0; i < part_count; i++)
		all += fit_grid_fit(&room, part + i, part_pose + i);
	all /= part_count;
	ok_range(all, 0.93, 1, "scans at their own poses: %.3f", all);
	ok_range(fit_grid_fit(&room, &p, &inside), 0.93, 1,
		 "a scan of the same room: %.3f",
		 fit_grid_fit(&room, &p, &inside));
	for (uint32_t i = 1; i < 6; i++) {
		ok(fit_at(&room, &p, &inside, far[i], 0, 0) <
		   fit_at(&room, &p, &inside, far[i - 1], 0, 0),
		   "%.2f m ahead it is worse", far[i]);
		ok(fit_at(&room, &p, &inside, 0, -far[i], 0) <
		   fit_at(&room, &p, &inside, 0, -far[i - 1], 0),
		   "... and %.2f m aside", far[i]);
		ok(fit_at(&room, &p, &inside, 0, 0, turn[i]) <
		   fit_at(&room, &p, &inside, 0, 0, turn[i - 1]),
		   "... and turned by %.3f rad", turn[i]);
	}
	last = fit_at(&room, &p, &inside, -0.2, 0, 0);
	for (double x = -0.2; x < 0.2; x += 0.001) {
		const double fit = fit_at(&room, &p, &inside, x, 0, 0);

		step = fmax(step, fabs(fit - last));
		last = fit;
	}
	ok_range(step, 0.001, 0.006, "it is continuous: %.4f in 1 mm", step);
}

/* How near a single endpoint is: a Gaussian */
static void test_splat(void)
{
	struct fit_points p = { .count = 0 };
	const struct fit_points *scan = &p;
	struct fit_grid g = { .width = 0 };
	uint64_t state = 3;
	double off = 0;

	p.count = 1;
	for (int i = 0; i < 200; i++) {
		const double angle = M_PI * rnd_signed(&state);
		const double d = 0.15 * fabs(rnd_signed(&state));
		const struct pose at = { rnd_signed(&state),
					 rnd_signed(&state), 2 };
		const double want = exp(-d * d / (2 * FIT_SIGMA * FIT_SIGMA));

		if (fit_grid_draw(&g, &scan, &at, 1))
			abort();
		off = fmax(off, fabs(fit_at(&g, &p, &at, d * cos(angle),
					    d * sin(angle), 0) - want));
	}
	ok_range(off, 0, 0.15, "an endpoint anywhere: a Gaussian by %.3f", off);
	fit_grid_free(&g);
}

/* Scans partly or wholly beyond the grid */
static void test_beyond(void)
{
	struct fit_points p = seen(&inside);
	struct pose pose = inside, got;
	const double whole = fit_grid_fit(&room, &p, &pose);
	const uint32_t count = p.count;
	static const struct pose away[] = {
		{ 1000, 0, 0 }, { -1000, 0, 0 }, { 0, 1000, 0 },
		{ 0, -1000, 0 }, { 20, 20, 0 }, { 1e6, -1e6, 3 },
	};

	for (uint32_t i = 0; i < sizeof(away) / sizeof(*away); i++)
		ok_near(fit_grid_fit(&room, &p, away + i), 0, 0,
			"at %.0f, %.0f it does not fit at all", away[i].x,
			away[i].y);
	got = away[0];
	ok_near(fit_grid_climb(&room, &p, &got), 0, 0,
		"... and there is nowhere to climb");
	ok_mem(&got, away, sizeof(got), "... it stays there");
	for (uint32_t i = 0; i < 6; i++) {
		got = away[i];
		ok_eq(find_best(&room, &p, &got, 3, 0.1, 0), 0,
		      "... nor to search");
	}
	while (p.count < FIT_POINTS_MAX) {
		const double s = p.count & 1 ? 300 : -300;

		add_point(&p, &inside, p.count & 2 ? s : 1,
			  p.count & 2 ? 2 : s);
	}
	ok_near(fit_grid_fit(&room, &p, &inside), whole * count / p.count,
		1e-9, "%u of %u endpoints are beyond the grid",
		p.count - count, p.count);
	got = (struct pose){ inside.x + 1, inside.y - 1, inside.yaw };
	ok_eq(find_best(&room, &p, &got, 2, 0.02, 0.5), 1,
	      "... it is found still");
	ok_range(pose_distance(&got, &inside, 1), 0, 0.1, "... where it is");
}

/*
 * Climb
 */

/**
 * struct climbs - from 6 cm and 0.02 rad off, in 8 directions at 3 places
 * @off, @turn:	the worst errors after it, m and rad
 * @gain:	the least of fit
 * @yaw:	the largest heading
 * @said:	whether each fit is that of its pose
 */
struct climbs {
	double	off, turn, gain, yaw;
	bool	said;
};

static struct climbs climb_all(void)
{
	static const struct pose truth[] = {
		{ 2.5, 2, 0.7 }, { 1, 5.5, -2 }, { 7.5, 1.8, 3.15 },
	};
	struct climbs all = { .gain = 1, .said = true };

	for (uint32_t i = 0; i < 24; i++) {
		const struct pose *t = truth + i / 8;
		const double angle = M_PI / 4 * i;
		const struct fit_points p = seen(t);
		struct pose pose = {
			t->x + 0.06 * cos(angle), t->y + 0.06 * sin(angle),
			t->yaw + (i & 1 ? 0.02 : -0.02),
		};
		const double before = fit_grid_fit(&room, &p, &pose);
		const double fit = fit_grid_climb(&room, &p, &pose);

		all.off = fmax(all.off, hypot(pose.x - t->x, pose.y - t->y));
		all.turn = fmax(all.turn, fabs(remainder(pose.yaw - t->yaw,
							 2 * M_PI)));
		all.gain = fmin(all.gain, fit - before);
		all.yaw = fmax(all.yaw, fabs(pose.yaw));
		all.said &= fabs(fit - fit_grid_fit(&room, &p, &pose)) < 1e-9;
	}
	return all;
}

static void test_climb(void)
{
	struct climbs all = climb_all();

	ok_range(all.off, 0, 0.01, "climbs from 6 cm off: to %.4f m", all.off);
	ok_range(all.turn, 0, 0.002, "... and to %.4f rad", all.turn);
	ok_range(all.gain, 0.15, 1, "... to a better fit");
	ok(all.said, "... the one it says");
	ok_range(all.yaw, 3, M_PI, "... with a heading of -pi to pi");
}

/* Walls along the cells, and on their borders: the fit is flat there */
static void test_climb_along_cells(void)
{
	struct climbs all;

	make_room(0);
	make_parts();
	draw(&room);
	all = climb_all();
	ok_range(all.off, 0, FIT_CELL, "walls along the cells: to %.4f m",
		 all.off);
	ok_range(all.turn, 0, 0.01, "... and to %.4f rad", all.turn);
	make_room(SLANT);
	make_parts();
	draw(&room);
}

/*
 * Search
 */

static double heading_step(const struct fit_points *p)
{
	double far = 1;

	for (uint32_t k = 0; k < p->count; k++)
		far = fmax(far, hypot((double)p->x[k], (double)p->y[k]));
	return fmax(FIT_CELL / far, TURN_LEAST);
}

static void test_search(void)
{
	static const struct pose off[] = {
		{ 0, 0, 0 }, { 3, 0, 0.2 }, { -3, 3, -0.2 }, { 3, -3, 0.1 },
		{ -3, -3, 0.2 }, { 0, 3, -0.05 }, { 1.37, -2.71, 0.13 },
		{ -0.02, 0.03, 0.001 }, { -1.63, -0.84, -0.19 },
		{ 2.975, 2.975, 0 },
	};
	/* the last one is far from the origin, its window partly beyond */
	static const struct pose truth[] = { { 2.5, 2, 0.7 }, { 8, 3, -2.5 } };

	for (uint32_t i = 0; i < 2 * sizeof(off) / sizeof(*off); i++) {
		const struct pose *t = truth + i % 2, *o = off + i / 2;
		const struct fit_points p = seen(t);
		struct pose pose = {
			t->x - o->x, t->y - o->y, t->yaw - o->yaw,
		};

		ok_eq(find_best(&room, &p, &pose, 3, 0.2, 0.6), 1,
		      "%.2f m, %.2f m and %.2f rad off %.1f, %.1f", o->x, o->y,
		      o->yaw, t->x, t->y);
		ok_near(pose.x, t->x, FIT_CELL + 1e-9, "... found to a cell");
		ok_near(pose.y, t->y, FIT_CELL + 1e-9, "... likewise aside");
		ok_near(pose.yaw, t->yaw, heading_step(&p) + 1e-9,
			"... and to a heading");
	}
}

/* Fit in cells, as the search counts: @yaw, and @x, @y cells from the middle */
static uint32_t cells_at(const struct fit_grid *g, const struct fit_points *p,
			 const struct pose *middle, double yaw, int x, int y)
{
	const double cells = 1 / FIT_CELL;
	uint32_t sum = 0;
	double s, c;

	det_sincos(yaw, &s, &c);
	for (uint32_t k = 0; k < p->count; k++) {
		const double px = (double)p->x[k], py = (double)p->y[k];
		const double ax = cells * (middle->x + c * px - s * py -
					   g->left);
		const double ay = cells * (middle->y + s * px + c * py -
					   g->low);
		const int column = (int)floor(ax) + x;
		const int row = (int)floor(ay) + y;

		if (column >= 0 && row >= 0 && column < (int)g->width &&
		    row < (int)g->height)
			sum += g->level[0][0][(size_t)row * g->width + column];
	}
	return sum;
}

/* The best of all places and headings */
static uint32_t best_of_all(const struct fit_grid *g,
			    const struct fit_points *p,
			    const struct pose *middle, int reach, int headings,
			    double step)
{
	uint32_t best = 0;

	for (int h = -headings; h <= headings; h++) {
		for (int y = -reach; y <= reach; y++) {
			for (int x = -reach; x <= reach; x++) {
				const uint32_t sum = cells_at(g, p, middle,
					middle->yaw + h * step, x, y);

				best = sum > best ? sum : best;
			}
		}
	}
	return best;
}

/* A search of a window, and of all its places */
static void compare(const struct pose *middle, const struct fit_points *p,
		    int reach, int headings)
{
	const double step = heading_step(p), whole = 255.0 * p->count;
	const double wide = reach * FIT_CELL - 0.001;
	const double turn = (headings - 0.1) * step;
	const double best = best_of_all(&room, p, middle, reach, headings,
					step) / whole;
	struct pose pose = *middle;
	double x, y;
	uint32_t sum;

	ok_eq(find_best(&room, p, &pose, wide, turn, 0), 1,
	      "%d cells, %d headings around %.2f, %.2f", reach, headings,
	      middle->x, middle->y);
	x = (pose.x - middle->x) / FIT_CELL;
	y = (pose.y - middle->y) / FIT_CELL;
	ok(fabs(x - rint(x)) < 1e-6 && fabs(x) < reach + 0.1 &&
	   fabs(y - rint(y)) < 1e-6 && fabs(y) < reach + 0.1 &&
	   fabs(pose.yaw - middle->yaw) < (headings + 0.1) * step,
	   "... a cell of the window: %.3f, %.3f", x, y);
	sum = cells_at(&room, p, middle, pose.yaw, (int)rint(x), (int)rint(y));
	ok_range(sum / whole, best - GAIN, best,
		 "... as good as the best of all, %.3f", best);
	pose = *middle;
	ok_eq(find_best(&room, p, &pose, wide, turn, best - 1e-4), 1,
	      "... found if that is enough");
	pose = *middle;
	ok_eq(find_best(&room, p, &pose, wide, turn, best + 1e-4), 0,
	      "... not if it is not");
	ok_mem(&pose, middle, sizeof(pose), "... and the pose stays");
}

static void test_all_places(void)
{
	static const struct pose middle[] = {
		{ 2.6, 2.1, 0.72 }, { 2.3, 1.7, 0.65 }, { 4.4, 3.1, -1 },
		{ -2, 0.3, 2 }, { 2.75, 2.25, 0.67 },
	};
	const struct fit_points p = seen(&inside);
	struct fit_points few = { .count = 0 };

	for (uint32_t i = 0; i < 5; i++)
		compare(middle + i, &p, 7 + (int)i, 4);
	compare(middle, &p, 0, 3);
	compare(middle, &p, 1, 0);
	compare(middle, &p, 40, 0);
	for (uint32_t i = 0; i < p.count; i += 7) {
		few.x[few.count] = p.x[i];
		few.y[few.count++] = p.y[i];
	}
	compare(middle, &few, 25, 5);
	compare(middle + 2, &few, 20, 5);
	/* wide ones: blocks of several headings, up to a whole turn */
	for (uint32_t i = 0; i < 5; i++)
		compare(middle + i, &few, 5 + (int)i, 150);
	compare(middle + 1, &few, 40, 130);
	compare(middle + 3, &few, 9, (int)(M_PI / heading_step(&few)));
}

static unsigned int asks;

/* The third time that it is asked */
static bool is_enough(void *arg)
{
	(void)arg;
	return ++asks >= 3;
}

static void test_interrupted(struct fit_grid *g, const struct fit_points *scan,
			     const struct fit_window *w)
{
	const struct pose from = { 0.1, 0.2, 0.3 };
	struct pose pose = from;

	g->interrupted = is_enough;
	ok_eq(fit_grid_search(g, scan, &pose, w), -EINTR, "interrupted");
	ok(!memcmp(&pose, &from, sizeof(pose)), "... without a place");
	ok_eq(asks, 3, "... at once");
	g->interrupted = NULL;
}

/* The best place, and the best one elsewhere: in a room that is the same when it
 * is turned by half a turn
 */
static void test_apart(void)
{
	static const double corner[][2] = {
		{ -4, -2 }, { 1, -2 }, { 1, -3 }, { 4, -3 }, { 4, 2 },
		{ -1, 2 }, { -1, 3 }, { -4, 3 }, { -4, -2 },
	};
	const struct pose origin = { 0, 0, 0 }, truth = { 1.5, 0.5, 0.8 };
	struct fit_window w = { .reach = 4, .turn = M_PI, .least = 0.6 };
	struct fit_points all = { .count = 0 }, scan = { .count = 0 };
	const struct fit_points *list = &all;
	struct fit_grid g = { .width = 0 };
	struct pose first = origin, other = origin, half;

	for (int i = 0; i < 8; i++) {
		for (int k = 0; k < 24; k++) {
			const double at = k / 24.0;
			const double x = corner[i][0] + at *
					 (corner[i + 1][0] - corner[i][0]);
			const double y = corner[i][1] + at *
					 (corner[i + 1][1] - corner[i][1]);

			add_point(&all, &origin, x, y);
			if (k % 2)
				add_point(&scan, &truth, x, y);
		}
	}
	if (fit_grid_draw(&g, &list, &origin, 1))
		abort();
	ok_eq(fit_grid_search(&g, &scan, &first, &w), 1, "the best place");
	test_interrupted(&g, &scan, &w);
	half = (struct pose){ -first.x, -first.y, first.yaw + M_PI };
	w.apart = &first;
	ok_eq(fit_grid_search(&g, &scan, &other, &w), 1, "another one");
	other.yaw = half.yaw + remainder(other.yaw - half.yaw, 2 * M_PI);
	ok_range(pose_distance(&other, &half, 1), 0, 0.2,
		 "... half a turn from it");
	ok(pose_distance(&first, &truth, 1) < 0.2 ||
	   pose_distance(&other, &truth, 1) < 0.2 ||
	   fabs(pose_distance(&other, &truth, 1) - 2 * M_PI) < 0.2,
	   "... and one of them is true");
	w.reach = 0.9;
	w.turn = 0.4;
	other = first;
	ok_eq(fit_grid_search(&g, &scan, &other, &w), 0,
	      "none elsewhere near the first one");
	fit_grid_free(&g);
}

/* Blocks of places may begin where the whole scan is beyond the grid */
static void test_edges(void)
{
	static const double off[] = { -1.1, -0.5, 0.5, 1.1 };
	const struct pose truth = { 0, 0, 0.5 };
	struct fit_grid g = { .width = 0 };
	struct fit_points p = { .count = 0 };
	const struct fit_points *scan = &p;

	for (int i = 0; i < 12; i++)
		add_point(&p, &truth, 0.05 * i, i & 1 ? 0.3 : 0.02 * i);
	if (fit_grid_draw(&g, &scan, &truth, 1))
		abort();
	for (uint32_t i = 0; i < 16; i++) {
		struct pose pose = {
			truth.x + off[i % 4], truth.y + off[i / 4], truth.yaw,
		};

		ok_eq(find_best(&g, &p, &pose, 3.2, 0, 0.8), 1,
		      "a small scan, %.1f m and %.1f m off", off[i % 4],
		      off[i / 4]);
		ok_range(pose_distance(&pose, &truth, 1), 0, 1e-6,
			 "... where it is");
	}
	fit_grid_free(&g);
}

static void test_not_found(void)
{
	const struct fit_points p = seen(&inside), none = { .count = 0 };
	struct pose near = { inside.x + 2, inside.y, inside.yaw }, got = near;
	struct pose again = near, turned = inside;

	ok_eq(find_best(&room, &p, &got, 1.5, 0.2, 0.6), 0,
	      "a window beside the place");
	ok_mem(&got, &near, sizeof(got), "... the pose stays");
	turned.yaw += 0.5;
	got = turned;
	ok_eq(find_best(&room, &p, &got, 3, 0.2, 0.6), 0,
	      "headings beside that of the scan");
	ok_mem(&got, &turned, sizeof(got), "... the pose stays");
	got = inside;
	ok_eq(find_best(&room, &p, &got, 1, 0.1, 1), 0,
	      "nothing fits better than 1");
	ok_eq(find_best(&room, &none, &got, 1, 0.1, 0), 0,
	      "a scan without endpoints");
	ok_near(fit_grid_fit(&room, &none, &got), 0, 0, "... does not fit");
	ok_near(fit_grid_climb(&room, &none, &got), 0, 0, "... nor climb");
	ok_mem(&got, &inside, sizeof(got), "... the pose stays");
	got = near;
	ok(find_best(&room, &p, &got, 3, 0.2, 0) == 1 &&
	   find_best(&room, &p, &again, 3, 0.2, 0) == 1,
	   "searched twice");
	ok_mem(&got, &again, sizeof(got), "... the same bits");
}

/*
 * Levels
 */

/* The maximum of a block of the finest level */
static uint8_t block_most(const struct fit_grid *g, uint32_t left, uint32_t low,
			  uint32_t side)
{
	uint8_t most = 0;

	for (uint32_t y = low; y < low + side && y < g->height; y++) {
		const uint8_t *row = g->level[0][0] + (size_t)y * g->width;

		for (uint32_t x = left; x < left + side && x < g->width; x++)
			most = row[x] > most ? row[x] : most;
	}
	return most;
}

/* Cells of a level that are not the maximum of their block: of every third
 * column and row
 */
static uint32_t wrong_cells(const struct fit_grid *g, unsigned int level)
{
	const uint8_t *cell = g->level[0][level];
	uint32_t wrong = 0;

	for (uint32_t y = level % 3; y < g->height; y += 3) {
		for (uint32_t x = level / 2; x < g->width; x += 3)
			wrong += cell[(size_t)y * g->width + x] !=
				 block_most(g, x, y, 1U << level);
	}
	return wrong;
}

static void test_levels(void)
{
	const struct fit_points p = seen(&inside);
	struct pose pose = inside;
	struct fit_grid g = { .width = 0 };

	draw(&g);
	ok_eq(g.levels[0], 1, "drawn: the finest level");
	ok_eq(find_best(&g, &p, &pose, 0.3, 0.01, 0.5), 1,
	      "a search of 0.3 m");
	ok_eq(g.levels[0], 3, "... needs blocks of four cells");
	pose = inside;
	ok_eq(find_best(&g, &p, &pose, 3.5, 0.01, 0.5), 1,
	      "a search of 3.5 m");
	ok_eq(g.levels[0], FIT_LEVELS, "... needs all levels");
	for (unsigned int i = 1; i < FIT_LEVELS; i++)
		ok_eq(wrong_cells(&g, i), 0,
		      "... level %u has the maximum of each block", i);
	fit_grid_free(&g);
	ok(!g.levels[0] && !g.level[0][0] && !g.level[0][3], "freed");
	fit_grid_free(&g);
}

/* Smaller and larger scans take turns in a grid */
static void test_redrawn(void)
{
	static const uint32_t count[] = { 1, 4, 2, 3, 1 };
	struct fit_grid g = { .width = 0 };

	for (uint32_t i = 0; i < sizeof(count) / sizeof(*count); i++) {
		struct fit_grid fresh = { .width = 0 };
		struct pose got = part_pose[0], want = got;
		const struct fit_points *p = part;

		got.x = want.x += 1.2;
		got.yaw = want.yaw -= 0.1;
		if (fit_grid_draw(&g, parts, part_pose, count[i]) ||
		    fit_grid_draw(&fresh, parts, part_pose, count[i]))
			abort();
		ok_eq(g.levels[0], 1, "%u scans are drawn instead", count[i]);
		ok_eq(find_best(&g, p, &got, 3.5, 0.2, 0.5),
		      find_best(&fresh, p, &want, 3.5, 0.2, 0.5),
		      "... a scan is found");
		ok_mem(&got, &want, sizeof(got), "... as in a new grid");
		ok_range(pose_distance(&got, part_pose, 1), 0, 0.12,
			 "... where it is");
		for (unsigned int k = 0; k < FIT_LEVELS; k++)
			ok_mem(g.level[0][k], fresh.level[0][k],
			       (size_t)g.width * g.height,
			       "... level %u is the same", k);
		fit_grid_free(&fresh);
	}
	fit_grid_free(&g);
}

/*
 * Sizes
 */

static void test_wide(void)
{
	const double widest = (FIT_SIDE_MAX - 2 * FIT_PAD) * FIT_CELL;
	const struct fit_points p = seen(&inside);
	struct fit_points ends = { .count = 2 };
	const struct fit_points *scan = &ends;
	struct pose at = { 3, -5, 0 }, up = { 3, -5, M_PI / 2 }, pose;
	struct fit_grid g = { .width = 0 };

	ends.x[1] = (float)(widest - 0.1);
	ok_eq(fit_grid_draw(&g, &scan, &at, 1), 0, "as wide as can be");
	ok(g.width <= FIT_SIDE_MAX && g.height < 200, "... %u x %u cells",
	   g.width, g.height);
	ok_range(fit_grid_fit(&g, &ends, &at), 0.8, 1, "... it fits");
	ok_eq(fit_grid_draw(&g, &scan, &up, 1), 0, "... and as high");
	ok_range(fit_grid_fit(&g, &ends, &up), 0.8, 1, "... it fits");
	ends.x[1] = (float)(widest + 0.1);
	ok_eq(fit_grid_draw(&g, &scan, &at, 1), -E2BIG, "wider");
	ok_near(fit_grid_fit(&g, &ends, &at), 0, 0, "... nothing is left");
	ok_eq(fit_grid_draw(&g, &scan, &up, 1), -E2BIG, "... and higher");
	pose = inside;
	ok_eq(find_best(&g, &p, &pose, 1, 0.1, 0), 0,
	      "... nothing is found");
	ends.x[1] = INFINITY;
	ok_eq(fit_grid_draw(&g, &scan, &at, 1), -E2BIG, "... nor infinity");
	draw(&g);
	ok_eq(find_best(&g, &p, &pose, 1, 0.1, 0.6), 1,
	      "... but in the room that is drawn next");
	fit_grid_free(&g);
}

static void test_empty(void)
{
	const struct fit_points p = seen(&inside), none = { .count = 0 };
	const struct fit_points *scan = &none;
	struct fit_grid g = { .width = 0 };
	struct pose pose = inside;

	for (int i = 0; i < 3; i++) {
		static const char *const name[] = {
			"a grid that is not drawn", "no scans",
			"a scan without endpoints",
		};

		if (i)
			draw(&g);
		if (i)
			ok_eq(fit_grid_draw(&g, &scan, &inside, i == 2), 0,
			      "drawn: %s", name[i]);
		ok_near(fit_grid_fit(&g, &p, &inside), 0, 0,
			"%s: nothing fits", name[i]);
		ok_eq(find_best(&g, &p, &pose, 1, 0.1, 0), 0,
		      "... nothing is found");
		ok_near(fit_grid_climb(&g, &p, &pose), 0, 0,
			"... there is nowhere to climb");
		ok_mem(&pose, &inside, sizeof(pose), "... the pose stays");
	}
	fit_grid_free(&g);
}

int main(void)
{
	make_room(SLANT);
	make_parts();
	draw(&room);
	test_fit();
	test_splat();
	test_beyond();
	test_climb();
	test_climb_along_cells();
	test_search();
	test_all_places();
	test_apart();
	test_edges();
	test_not_found();
	test_levels();
	test_redrawn();
	test_wide();
	test_empty();
	fit_grid_free(&room);
	return tap_done();
}
