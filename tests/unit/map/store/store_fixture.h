/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * store_fixture.h - stores, what is in them, and what they say
 */
#ifndef UNIT_STORE_FIXTURE_H
#define UNIT_STORE_FIXTURE_H

#include <errno.h>
#include <sqlite3.h>
#include <string.h>
#include "base/error.h"
#include "map/store/store.h"
#include "folder.h"
#include "tap.h"

enum { MANY = 64, FRAMES = 200 };

static struct error error;
static uint64_t seed = 1;

static inline struct store *open_it(const char *path, enum store_mode mode)
{
	struct store *s = NULL;

	if (store_open(&s, path, mode, &error)) {
		printf("# %s\n", error.text);
		return NULL;
	}
	return s;
}

/* One line, which says which file */
static inline bool is_line(const char *line, const char *says)
{
	return strstr(line, says) && !strchr(line, '\n') &&
	       strlen(line) < ERROR_TEXT - 1;
}

static inline bool fails(struct store *s, int err, int want, const char *says)
{
	const bool good = err == want && is_line(store_error(s), says);

	if (!good)
		printf("# %d: %s\n", err, store_error(s));
	return good;
}

static inline void refused(const char *path, enum store_mode mode, int want,
			   const char *says, const char *what)
{
	struct store *s = NULL;
	int err;

	*error.text = '\0';
	err = store_open(&s, path, mode, &error);
	ok(err == want && is_line(error.text, says) && !s, "%s: %s", what, error.text);
	if (!err)
		store_close(s);
}

/* By hand, as any program could */
static inline bool sql(const char *path, const char *text)
{
	sqlite3 *db;
	bool good = !sqlite3_open(path, &db) &&
		    !sqlite3_exec(db, text, NULL, NULL, NULL);

	if (!good)
		printf("# %s: %s\n", text, sqlite3_errmsg(db));
	sqlite3_close(db);
	return good;
}

static inline bool sql_is(const char *path, const char *query, const char *want)
{
	sqlite3_stmt *q = NULL;
	sqlite3 *db;
	bool good = !sqlite3_open(path, &db) &&
		    !sqlite3_prepare_v2(db, query, -1, &q, NULL) &&
		    sqlite3_step(q) == SQLITE_ROW &&
		    !strcmp((const char *)sqlite3_column_text(q, 0), want);

	if (!good)
		printf("# %s: %s, %s\n", query, sqlite3_errmsg(db),
		       q ? (const char *)sqlite3_column_text(q, 0) : "");
	sqlite3_finalize(q);
	sqlite3_close(db);
	return good;
}

static inline struct layer layer_of(const char *name, unsigned int bits)
{
	struct layer l;

	layer_default(&l, name);
	l.bits = bits;
	return l;
}

static inline int64_t add_layer(struct store *s, const char *name,
				unsigned int bits)
{
	const struct layer l = layer_of(name, bits);
	int64_t id = 0;

	return store_layer(s, &l, &id) ? 0 : id;
}

/* Patches of some value in the unknown, and one corner known for sure */
static inline struct cells *make_cells(unsigned int width, unsigned int height,
				       unsigned int bits)
{
	const struct pose origin = { -1.5, -2.25, 0.1 };
	const size_t n = (size_t)width * height;
	int16_t *values = malloc(n * 2);
	int8_t *narrow = (int8_t *)values;
	struct cells *c;

	for (size_t i = 0; i < n; i++) {
		int v = i / 7 % 3 ? (int)rnd(&seed, cells_full(bits) + 1) : -1;

		if (bits == 8)
			narrow[i] = v;
		else
			values[i] = v;
	}
	c = cells_create(width, height, bits, 0.05, &origin, values);
	free(values);
	return c;
}

static inline bool same_cells(const struct cells *a, const struct cells *b)
{
	return a->width == b->width && a->height == b->height &&
	       a->bits == b->bits && a->resolution == b->resolution &&
	       a->origin.x == b->origin.x && a->origin.y == b->origin.y &&
	       a->origin.yaw == b->origin.yaw && a->known == b->known &&
	       !memcmp(a->data, b->data,
		       (size_t)a->width * a->height * a->bits / 8);
}

static inline bool has_cells(struct store *s, int64_t id,
			     const struct cells *want)
{
	struct cells *c;
	bool same;

	if (store_cells(s, id, &c)) {
		printf("# %s\n", store_error(s));
		return false;
	}
	same = same_cells(c, want);
	cells_put(c);
	return same;
}

/* What a store has, as far as there is room for it */
struct all {
	unsigned int		layers, nodes, submaps, rooms, points, notes;
	int64_t			layer_id[MANY];
	struct layer		layer[MANY];
	struct store_node	node[MANY];
	struct store_submap	submap[MANY];
	struct room		room[MANY];
	double			point[MANY][2];
	char			note[MANY][160];
};

static struct all *all;

static inline int on_layer(void *arg, int64_t id, const struct layer *l)
{
	(void)arg;
	all->layer_id[all->layers] = id;
	all->layer[all->layers++] = *l;
	return 0;
}

static inline int on_node(void *arg, const struct store_node *n)
{
	(void)arg;
	if (all->nodes < MANY)
		all->node[all->nodes] = *n;
	all->nodes++;
	return 0;
}

static inline int on_submap(void *arg, const struct store_submap *m)
{
	(void)arg;
	if (all->submaps < MANY)
		all->submap[all->submaps] = *m;
	all->submaps++;
	return 0;
}

static inline int on_room(void *arg, const struct room *r)
{
	(void)arg;
	all->room[all->rooms++] = *r;
	return 0;
}

static inline int on_point(void *arg, double x, double y)
{
	(void)arg;
	all->point[all->points][0] = x;
	all->point[all->points++][1] = y;
	return 0;
}

static inline int on_note(void *arg, int64_t stamp, const char *text,
			  const char *path)
{
	(void)arg;
	snprintf(all->note[all->notes++], sizeof(all->note[0]), "%lld %s %s",
		 (long long)stamp, text, path ?: "-");
	return 0;
}

static inline bool read_all(struct store *s)
{
	memset(all, 0, sizeof(*all));
	return !store_layers(s, on_layer, NULL) &&
	       !store_nodes(s, on_node, NULL) &&
	       !store_submaps(s, on_submap, NULL) &&
	       !store_rooms(s, on_room, NULL) &&
	       !store_each_repeater(s, on_point, NULL);
}

static inline void on_found(void *arg, const char *line)
{
	(void)arg;
	printf("# found: %s\n", line);
}

static inline void is_sound(struct store *s, const char *what)
{
	ok(store_verify(s, on_found, NULL) == 0, "%s: verified", what);
}

static inline int put(struct store *s, const char *frame,
		      const struct pose *pose, struct store_submap *m,
		      struct cells **c, unsigned int n)
{
	const struct store_keyframe k = {
		.frame = frame, .stamp = 1234567890123456789, .pose = pose,
		.submaps = n, .submap = m, .cells = c,
	};

	return store_keyframe(s, &k);
}

static inline struct room make_room(unsigned int id, unsigned int corners,
				    unsigned int gases)
{
	struct room r = {
		.id = id, .stamp = id * 1000, .x = 0.1, .y = 1e5 / 3,
		.size = 12.5, .corners = corners, .reported = id & 1,
		.value = {
			[MODALITY_TEMPERATURE] = id & 1 ? 21.7 : NAN,
			[MODALITY_SMOKE] = NAN, [MODALITY_SIGNAL] = 100,
			[MODALITY_HAZARD] = 3,
		}, .gases = gases,
	};

	snprintf(r.name, sizeof(r.name), "Küche %u", id);
	for (unsigned int i = 0; i < corners; i++) {
		r.corner[i][0] = i / 3.0;
		r.corner[i][1] = 1.0 - i;
	}
	for (unsigned int i = 0; i < gases; i++)
		r.gas[i] = i == 1 ? NAN : i * 0.1;
	return r;
}

static uint8_t is_near[FRAMES + MANY];

static inline int on_near(void *arg, int64_t node)
{
	(*(unsigned int *)arg)++;
	is_near[node] = 1;
	return 0;
}

#endif
