// SPDX-License-Identifier: GPL-2.0-only
/*
 * bench_fusion - what it costs to fuse 1000 submaps, next to a plain loop
 *
 * usage: bench_fusion [CELLS.i8 POSES.csv]
 *
 * 200 x 200 cells of 0.05 m; those of the file again and again, moved by up to
 * half a metre; without a file, drawn ones. All of it is measured in turns in
 * one run, and the best of each counts: other work on the machine makes them
 * all slower.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/error.h"
#include "map/fusion/fused_map.h"
#include "map/io/poses_file.h"

enum { SUBMAPS = 1000, SIDE = 200, CELLS = SIDE * SIDE, TURNS = 25, SOME = 10 };

static const double resolution = 0.05;

static struct cells *cells[SUBMAPS];
static struct pose pose[SUBMAPS], moved[SUBMAPS];
static int8_t *raw;

static double ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
}

static void keep_best(double *best, double t)
{
	*best = !*best || t < *best ? t : *best;
}

static int fetch(void *arg, int64_t id, struct cells **c, struct cells **w)
{
	(void)arg;
	*c = cells_get(cells[id]);
	*w = NULL;
	return 0;
}

/* Rays of free space that end at walls, as scans leave it */
static void draw(int8_t *to, unsigned int seed)
{
	memset(to, 0xff, CELLS);
	for (int ray = 0; ray < 720; ray++) {
		const double a = ray * M_PI / 360;
		const double end = 30 + 50 * fabs(sin(3 * a + seed));

		for (double r = 0; r < end; r += 0.5)
			to[(int)(100 + r * sin(a)) * SIDE +
			   (int)(100 + r * cos(a))] = r + 1 < end ? 20 : 95;
	}
}

static unsigned int load(const char *path, const char *poses, struct pose *p)
{
	struct poses_file file;
	struct error error;
	unsigned int n;
	FILE *f;

	if (!path || poses_file_read(poses, &file, &error))
		return 0;
	f = fopen(path, "re");
	n = f ? fread(raw, CELLS, file.count < SUBMAPS ? file.count : SUBMAPS,
		      f) : 0;
	if (f)
		fclose(f);
	for (unsigned int i = 0; i < n; i++)
		p[i] = file.line[i].pose;
	poses_file_free(&file);
	return n;
}

static double shift(void)
{
	return rand() / (double)RAND_MAX - 0.5;
}

static void make_site(const char *path, const char *poses)
{
	const struct pose origin = { -5, -5, 0 };
	unsigned int n;

	raw = malloc((size_t)SUBMAPS * CELLS);
	n = load(path, poses, pose);
	printf("%u submaps of %dx%d cells, %s\n", SUBMAPS, SIDE, SIDE,
	       n ? path : "drawn");
	for (unsigned int i = n; i < SUBMAPS && !n; i++) {
		draw(raw + (size_t)i * CELLS, i);
		pose[i] = (struct pose){ 15 * cos(i * 0.1), 15 * sin(i * 0.1),
					 i * 0.37 };
	}
	for (unsigned int i = n; i < SUBMAPS && n; i++) {
		memcpy(raw + (size_t)i * CELLS, raw + (size_t)(i % n) * CELLS,
		       CELLS);
		pose[i] = pose[i % n];
		pose[i].x += shift();
		pose[i].y += shift();
	}
	for (unsigned int i = 0; i < SUBMAPS; i++) {
		cells[i] = cells_create(SIDE, SIDE, 8, resolution, &origin,
					raw + (size_t)i * CELLS);
		moved[i] = pose[i];
		moved[i].x += 0.3;
		moved[i].yaw += 0.02;
	}
}

/*
 * The obvious way: each known cell of each submap into one large array, maximum
 * and mean at once
 */
struct plain {
	int	side, x0, y0;
	int8_t	*max;
	float	*sum;
	int	*count;
};

static void plain_fuse(const struct plain *p, const struct pose *at)
{
	const size_t n = (size_t)p->side * p->side;

	memset(p->max, 0xff, n);
	memset(p->sum, 0, n * sizeof(*p->sum));
	memset(p->count, 0, n * sizeof(*p->count));
	for (unsigned int k = 0; k < SUBMAPS; k++) {
		const int8_t *c = raw + (size_t)k * CELLS;
		const double cs = cos(at[k].yaw), sn = sin(at[k].yaw);

		for (int v = 0; v < SIDE; v++)
			for (int u = 0; u < SIDE; u++) {
				const int value = c[v * SIDE + u];
				const double x = (u + 0.5) * resolution - 5;
				const double y = (v + 0.5) * resolution - 5;
				int mx, my;
				size_t i;

				if (value < 0)
					continue;
				mx = floor((at[k].x + cs * x - sn * y) /
					   resolution) - p->x0;
				my = floor((at[k].y + sn * x + cs * y) /
					   resolution) - p->y0;
				i = (size_t)my * p->side + mx;
				if (value > p->max[i])
					p->max[i] = value;
				p->sum[i] += value;
				p->count[i]++;
			}
	}
}

static struct plain make_plain(void)
{
	struct plain p = { .side = 2000, .x0 = -1000, .y0 = -1200 };
	const size_t n = (size_t)p.side * p.side;

	p.max = malloc(n);
	p.sum = malloc(n * sizeof(*p.sum));
	p.count = malloc(n * sizeof(*p.count));
	return p;
}

/*
 * Ours
 */

static struct fused_map *make_fused_map(enum rule_id rule, unsigned int threads)
{
	const struct fused_map_config config = {
		.resolution = resolution, .bits = 8, .splat = rule != RULE_MEAN,
		.rule = rule, .threads = threads,
		.memory = SIZE_MAX, .fetch = fetch,
	};
	struct fused_map *m = fused_map_create(&config);

	for (unsigned int i = 0; m && i < SUBMAPS; i++) {
		const struct fused_map_submap s = { i, pose[i], { 0, 0 } };

		fused_map_put(m, &s);
	}
	fused_map_update(m, UINT64_MAX, NULL);
	return m;
}

static double fuse_all(struct fused_map *m)
{
	const double begin = ms();

	fused_map_invalidate(m);
	fused_map_update(m, UINT64_MAX, NULL);
	return ms() - begin;
}

/* The last ones of a run are where the loop closed */
static double move_some(struct fused_map *m, const struct pose *to)
{
	const double begin = ms();

	for (unsigned int i = SUBMAPS - SOME; i < SUBMAPS; i++)
		fused_map_move(m, i, &to[i]);
	fused_map_update(m, UINT64_MAX, NULL);
	return ms() - begin;
}

static double add_one(struct fused_map *m)
{
	const struct fused_map_submap s = { SUBMAPS - 1, pose[SUBMAPS - 1],
					 { 0, 0 } };
	double begin;

	fused_map_remove(m, s.id);
	fused_map_update(m, UINT64_MAX, NULL);
	begin = ms();
	fused_map_put(m, &s);
	fused_map_update(m, UINT64_MAX, NULL);
	return ms() - begin;
}

static double spots(struct fused_map **m, unsigned int layers)
{
	enum { SPOTS = 100000 };
	const struct rect r = fused_map_bounds(m[0]);
	const double begin = ms();
	volatile int last;

	for (unsigned int i = 0; i < SPOTS; i++) {
		const int x = r.x + (int)(i * 7919U % r.width);
		const int y = r.y + (int)(i * 104729U % r.height);

		for (unsigned int k = 0; k < layers; k++)
			last = fused_map_value(m[k % 2], x, y);
	}
	(void)last;
	return (ms() - begin) * 1e3 / SPOTS;
}

static void print(const char *what, double ours, const char *unit, double goal)
{
	printf("%-52s %8.2f %s  (goal %g) %s\n", what, ours, unit, goal,
	       ours <= goal ? "ok" : "MISSED");
}

int main(int argc, char **argv)
{
	double all[2][3] = { { 0 } }, some[2] = { 0 }, one[2] = { 0 };
	double plain = 0, copy = 0, voted = 0, t;
	struct fused_map *m[2][3], *odds;
	struct plain p = make_plain();
	char *to = malloc((size_t)SUBMAPS * CELLS);

	make_site(argc > 1 ? argv[1] : NULL, argc > 2 ? argv[2] : NULL);
	for (int s = 0; s < 2; s++)
		for (int n = 1; n <= 2; n++)
			m[s][n] = make_fused_map(s ? RULE_MAX : RULE_MEAN, n);
	odds = make_fused_map(RULE_LOG_ODDS, 1);
	for (int turn = 0; turn < TURNS; turn++) {
		t = ms();
		memcpy(to, raw, (size_t)SUBMAPS * CELLS);
		keep_best(&copy, ms() - t);
		if (turn % 3 == 0) {
			t = ms();
			plain_fuse(&p, pose);
			keep_best(&plain, ms() - t);
		}
		for (int s = 0; s < 2; s++) {
			for (int n = 1; n <= 2; n++)
				keep_best(&all[s][n], fuse_all(m[s][n]));
			if (s)
				keep_best(&voted, fuse_all(odds));
			keep_best(&some[s], move_some(m[s][1], turn & 1 ?
						      pose : moved));
			keep_best(&one[s], add_one(m[s][1]));
		}
	}
	print("all, two layers (max splatted, mean sampled), 1 core",
	      all[1][1] + all[0][1], "ms", 40);
	printf("  splatted %.1f ms, sampled %.1f ms; 2 threads %.1f and %.1f ms: "
	       "%.2fx\n", all[1][1], all[0][1], all[1][2], all[0][2],
	       (all[1][1] + all[0][1]) / (all[1][2] + all[0][2]));
	printf("  log-odds splatted %.1f ms: %.2f times max\n", voted,
	       voted / all[1][1]);
	printf("  a plain loop, both at once, holes left: %.0f ms, %.1fx\n",
	       plain, plain / (all[1][1] + all[0][1]));
	printf("  memcpy of the same cells: %.1f ms, twice: 1/%.1f\n", copy,
	       (all[1][1] + all[0][1]) / (2 * copy));
	print("10 of them move, both layers", some[0] + some[1], "ms", 5);
	print("a new one, both layers", one[0] + one[1], "ms", 5);
	print("a spot in 10 layers", spots((struct fused_map *[]){ m[0][1],
	      m[1][1] }, 10), "us", 1);
	return 0;
}
