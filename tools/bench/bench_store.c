// SPDX-License-Identifier: GPL-2.0-only
/*
 * bench_store - what the store costs, next to SQLite without it
 *
 * Peer: the same tables, settings and bytes, one transaction per keyframe: once
 * with cells that it packs as the store does, once with packed ones at hand.
 * All take turns in small blocks, so that what the disk does hits all.
 * Wall-clock time, as to wait for the disk can be most of it.
 * Submaps: ../shared/data/maps where that is there, else made ones.
 *
 * usage: bench_store [FOLDER]	on the disk to be measured, else /var/tmp
 */
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/error.h"
#include "map/store/cells_blob.h"
#include "map/store/store.h"

#define SUBMAPS "../shared/data/maps/intel_submaps_148x200x200.i8"

enum {
	SIDE = 200, SOURCES = 148, LAYERS = 10, RADIUS = 8,
	KEYFRAMES = 1000, BLOCK = 20, NODES = 1000, UPDATES = 21, READ = 1000,
};

static struct cells *cells[SOURCES];
static void *packed[SOURCES];
static size_t packed_len[SOURCES];
static struct error error;

static void stop(const char *what)
{
	fprintf(stderr, "bench_store: %s\n", what);
	exit(1);
}

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
}

static int by_size(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/**
 * struct times - of many
 * @ms:	each, sorted by sum_up()
 */
struct times {
	unsigned int	n;
	double		ms[KEYFRAMES], sum, p50, p99, max;
};

static void sum_up(struct times *t)
{
	qsort(t->ms, t->n, sizeof(*t->ms), by_size);
	for (unsigned int i = 0; i < t->n; i++)
		t->sum += t->ms[i];
	t->p50 = t->ms[t->n / 2];
	t->p99 = t->ms[t->n * 99 / 100];
	t->max = t->ms[t->n - 1];
}

/* Rooms and a corridor with some noise, a third of it known */
static void make_submap(int8_t *to, unsigned int seed)
{
	srand(seed);
	memset(to, -1, SIDE * SIDE);
	for (int y = 40; y < 150; y++)
		for (int x = 30; x < 160; x++)
			to[y * SIDE + x] = rand() % 40 ? 0 : rand() % 101;
	for (int x = 30; x < 160; x++)
		to[40 * SIDE + x] = to[(60 + seed % 80) * SIDE + x] = 100;
}

static void load_submaps(void)
{
	static const struct pose origin = { -5, -5, 0 };
	struct cells_blob *b = cells_blob_new();
	int8_t data[SIDE * SIDE];
	FILE *f = fopen(SUBMAPS, "r");
	size_t sum = 0;
	const void *p;

	for (unsigned int i = 0; i < SOURCES; i++) {
		if (!f || fread(data, sizeof(data), 1, f) != 1)
			make_submap(data, i);
		cells[i] = cells_create(SIDE, SIDE, 8, 0.05, &origin, data);
		if (!cells[i] || !b ||
		    cells_blob_pack(b, cells[i], &p, &packed_len[i]))
			stop("no memory");
		packed[i] = malloc(packed_len[i]);
		memcpy(packed[i], p, packed_len[i]);
		sum += packed_len[i];
	}
	printf("submaps\t%s\t%zu bytes packed, of %d\n",
	       f ? "recorded" : "made", sum / SOURCES, SIDE * SIDE);
	if (f)
		fclose(f);
	cells_blob_free(b);
}

static struct store *open_store(const char *path, enum store_mode mode)
{
	struct store *s;

	if (store_open(&s, path, mode, &error))
		stop(error.text);
	return s;
}

static void add_layers(struct store *s)
{
	struct layer l;
	char name[LAYER_NAME];
	int64_t id;

	for (int i = 1; i <= LAYERS; i++) {
		snprintf(name, sizeof(name), "layer_%d", i);
		layer_default(&l, name);
		if (store_layer(s, &l, &id) || id != i)
			stop(store_error(s));
	}
}

static struct pose pose_of(unsigned int node, double moved)
{
	return (struct pose){ node % 40 * 3 + moved, node / 40 * 3 - moved,
			      node * 0.01 };
}

static void our_keyframe(struct store *s, unsigned int n)
{
	const struct pose pose = pose_of(n, 0);
	struct store_submap m[LAYERS];
	struct cells *c[LAYERS];
	const struct store_keyframe k = {
		.frame = (char[16]){ 0 }, .stamp = n, .pose = &pose,
		.submaps = LAYERS, .submap = m, .cells = c,
	};

	snprintf((char *)k.frame, 16, "submap_%u", n);
	for (int i = 0; i < LAYERS; i++) {
		m[i] = (struct store_submap){ .layer = i + 1, .stamp = n };
		c[i] = cells[(n + i * 7) % SOURCES];
	}
	if (store_keyframe(s, &k))
		stop(store_error(s));
}

/**
 * struct raw - SQLite without the store
 * @blob:	packs; NULL: they are at hand
 */
struct raw {
	char		path[416];
	struct cells_blob *blob;
	sqlite3		*db;
	sqlite3_stmt	*begin, *commit, *node, *pose, *submap, *extent, *move;
};

static sqlite3_stmt *prepare(struct raw *r, const char *sql)
{
	sqlite3_stmt *q;

	if (sqlite3_prepare_v3(r->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &q,
			       NULL))
		stop(sqlite3_errmsg(r->db));
	return q;
}

static void raw_open(struct raw *r)
{
	struct store *s = open_store(r->path, STORE_CREATE);

	add_layers(s);
	store_close(s);
	if (sqlite3_open(r->path, &r->db) ||
	    sqlite3_exec(r->db, "PRAGMA synchronous = EXTRA;"
			 "PRAGMA foreign_keys = ON;"
			 "PRAGMA secure_delete = OFF;"
			 "PRAGMA cache_size = -8192;"
			 "PRAGMA wal_autocheckpoint = 16384;"
			 "PRAGMA journal_size_limit = 67108864;", NULL, NULL,
			 NULL))
		stop(sqlite3_errmsg(r->db));
	r->begin = prepare(r, "BEGIN IMMEDIATE");
	r->commit = prepare(r, "COMMIT");
	r->node = prepare(r, "INSERT INTO node(id, frame, stamp) "
			  "VALUES (?, ?, ?)");
	r->pose = prepare(r, "INSERT INTO pose(node, x, y, yaw) "
			  "VALUES (?, ?, ?, ?)");
	r->submap = prepare(r, "INSERT INTO submap(node, layer, stamp, width, "
			    "height, bits, resolution, x, y, yaw, weight, "
			    "cells) VALUES (?, ?, ?, 200, 200, 8, 0.05, -5, "
			    "-5, 0, 0, ?)");
	r->extent = prepare(r, "INSERT INTO extent VALUES (?, ?, ?, ?, ?)");
	r->move = prepare(r, "UPDATE pose SET x = ?, y = ?, yaw = ? "
			  "WHERE node = ?");
}

static void run(struct raw *r, sqlite3_stmt *q)
{
	if (sqlite3_step(q) != SQLITE_DONE)
		stop(sqlite3_errmsg(r->db));
	sqlite3_reset(q);
}

static void raw_close(struct raw *r)
{
	sqlite3_stmt *const all[] = {
		r->begin, r->commit, r->node, r->pose, r->submap, r->extent,
		r->move,
	};

	for (int i = 0; i < 7; i++)
		sqlite3_finalize(all[i]);
	sqlite3_close(r->db);
	cells_blob_free(r->blob);
}

static void bind_doubles(sqlite3_stmt *q, int from, int n, const double *v)
{
	for (int i = 0; i < n; i++)
		sqlite3_bind_double(q, from + i, v[i]);
}

static void raw_keyframe(struct raw *r, unsigned int n)
{
	const struct pose p = pose_of(n, 0);
	const double xyz[3] = { p.x, p.y, p.yaw };
	const double box[4] = { p.x - RADIUS, p.x + RADIUS, p.y - RADIUS,
				p.y + RADIUS };
	char frame[16];

	snprintf(frame, sizeof(frame), "submap_%u", n);
	run(r, r->begin);
	sqlite3_bind_int64(r->node, 1, n + 1);
	sqlite3_bind_text(r->node, 2, frame, -1, SQLITE_STATIC);
	sqlite3_bind_int64(r->node, 3, n);
	run(r, r->node);
	for (int i = 0; i < LAYERS; i++) {
		const unsigned int at = (n + i * 7) % SOURCES;
		const void *data = packed[at];
		size_t len = packed_len[at];

		if (r->blob && cells_blob_pack(r->blob, cells[at], &data, &len))
			stop("no memory");
		sqlite3_bind_int64(r->submap, 1, n + 1);
		sqlite3_bind_int64(r->submap, 2, i + 1);
		sqlite3_bind_int64(r->submap, 3, n);
		sqlite3_bind_blob(r->submap, 4, data, len, SQLITE_STATIC);
		run(r, r->submap);
	}
	sqlite3_bind_int64(r->pose, 1, n + 1);
	bind_doubles(r->pose, 2, 3, xyz);
	run(r, r->pose);
	sqlite3_bind_int64(r->extent, 1, n + 1);
	bind_doubles(r->extent, 2, 4, box);
	run(r, r->extent);
	run(r, r->commit);
}

static void show(const char *what, const struct times *t)
{
	printf("%s\t%.0f /s\tp50 %.2f\tp99 %.2f\tmax %.2f ms\n", what,
	       t->n / t->sum * 1e3, t->p50, t->p99, t->max);
}

static void compare(const char *what, const struct times *ours,
		    const struct times *peer)
{
	show(what, peer);
	printf("ratio\t%.2f\tp50 %.2f\tp99 %.2f\n", peer->sum / ours->sum,
	       peer->p50 / ours->p50, peer->p99 / ours->p99);
}

static void raw_block(struct raw *r, unsigned int from, struct times *t)
{
	for (unsigned int i = from; i < from + BLOCK; i++) {
		const double begin = now_ms();

		raw_keyframe(r, i);
		t->ms[t->n++] = now_ms() - begin;
	}
}

static void our_block(struct store *s, unsigned int from, struct times *t)
{
	for (unsigned int i = from; i < from + BLOCK; i++) {
		const double begin = now_ms();

		our_keyframe(s, i);
		t->ms[t->n++] = now_ms() - begin;
	}
}

static void bench_keyframes(struct store *s, struct raw *packs,
			    struct raw *has)
{
	static struct times ours, packing, having;

	for (unsigned int n = 0; n < KEYFRAMES; n += BLOCK) {
		our_block(s, n, &ours);
		raw_block(packs, n, &packing);
		raw_block(has, n, &having);
	}
	sum_up(&ours);
	sum_up(&packing);
	sum_up(&having);
	show("keyframe of 10", &ours);
	compare("SQLite, packs", &ours, &packing);
	compare("SQLite, packed", &ours, &having);
}

static void our_poses(struct store *s, double moved)
{
	static struct store_pose p[NODES];

	for (unsigned int i = 0; i < NODES; i++)
		p[i] = (struct store_pose){ .node = i + 1, .placed = true,
					    .pose = pose_of(i, moved) };
	if (store_poses(s, p, NODES, 1, "bench"))
		stop(store_error(s));
}

static void raw_poses(struct raw *r, double moved)
{
	run(r, r->begin);
	for (unsigned int i = 0; i < NODES; i++) {
		const struct pose p = pose_of(i, moved);
		const double xyz[3] = { p.x, p.y, p.yaw };

		bind_doubles(r->move, 1, 3, xyz);
		sqlite3_bind_int64(r->move, 4, i + 1);
		run(r, r->move);
	}
	run(r, r->commit);
}

/* @step: m, from one update to the next; beyond the margin boxes move too */
static void bench_poses(struct store *s, struct raw *r, double step)
{
	struct times ours = { 0 }, raw = { 0 };
	double begin;

	for (int i = 0; i < UPDATES; i++) {
		const double moved = i % 2 ? step : 0;

		begin = now_ms();
		our_poses(s, moved);
		ours.ms[ours.n++] = now_ms() - begin;
		begin = now_ms();
		raw_poses(r, moved);
		raw.ms[raw.n++] = now_ms() - begin;
	}
	sum_up(&ours);
	sum_up(&raw);
	printf("%d poses by %.1f m\tp50 %.2f\tmax %.2f ms\traw UPDATE %.2f "
	       "ms\n", NODES, step, ours.p50, ours.max, raw.p50);
}

static int64_t ids[READ];
static unsigned int id_count;

static int take_id(void *arg, const struct store_submap *m)
{
	(void)arg;
	ids[id_count++] = m->id;
	return id_count == READ;
}

static void bench_reading(const char *path)
{
	double begin = now_ms(), opened;
	struct store *s = open_store(path, STORE_READ);
	struct cells *c;

	opened = now_ms();
	store_submaps(s, take_id, NULL);
	for (unsigned int i = 0; i < id_count; i++) {
		if (store_cells(s, ids[i], &c))
			stop(store_error(s));
		cells_put(c);
	}
	printf("open\t%.2f ms\tcells of %u submaps\t%.1f ms\n", opened - begin,
	       id_count, now_ms() - opened);
	store_close(s);
}

static void forget(const char *path)
{
	static const char *const ends[] = { "", "-wal", "-shm", "-lock" };
	char name[512];

	for (int i = 0; i < 4; i++) {
		snprintf(name, sizeof(name), "%s%s", path, ends[i]);
		unlink(name);
	}
}

int main(int argc, char **argv)
{
	const char *folder = argc > 1 ? argv[1] : "/var/tmp";
	struct raw packs = { .blob = cells_blob_new() }, has = { 0 };
	char path[400];
	struct store *s;
	double begin;

	snprintf(path, sizeof(path), "%.300s/bench_store.%d", folder, getpid());
	snprintf(packs.path, sizeof(packs.path), "%s.packs", path);
	snprintf(has.path, sizeof(has.path), "%s.has", path);
	load_submaps();
	raw_open(&packs);
	raw_open(&has);
	s = open_store(path, STORE_CREATE);
	add_layers(s);
	bench_keyframes(s, &packs, &has);
	bench_poses(s, &has, 0.5);
	bench_poses(s, &has, 5);
	begin = now_ms();
	if (store_checkpoint(s))
		stop(store_error(s));
	printf("checkpoint\t%.1f ms\n", now_ms() - begin);
	store_close(s);
	raw_close(&packs);
	raw_close(&has);
	bench_reading(path);
	forget(path);
	forget(packs.path);
	forget(has.path);
	for (unsigned int i = 0; i < SOURCES; i++) {
		cells_put(cells[i]);
		free(packed[i]);
	}
	return 0;
}
