// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_site_area - of a site in part, answers are those of the whole one, and
 * cost what is there and not the size of the site
 */
#include "map/site/queries.h"
#include "map/site/room_values.h"
#include "map/store/store_db.h"
#include "site_fixture.h"

enum { SIDE = 16 };		/* nodes in a row; metres of it: STEP */
static unsigned int spots;
static const double STEP = 3;

static const char *const words[] = {
	"", "rule=mean", "role=gas bits=16 resolution=0.5 unit=ppm range=0:50",
	"rule=weighted weights=sure", "", "rule=latest drawing=splat",
	"role=smoke resolution=1.5",
};
static const char *const names[] = {
	"map", "soft", "gas", "heavy", "sure", "drawn", "smoke",
};
enum { LAYERS = sizeof(names) / sizeof(*names) };

/* Submaps of all layers, of another resolution than the first one */
static int add_node(struct site *s, unsigned int x, unsigned int y)
{
	const uint64_t seed = x * 1000 + y + 1;
	const struct pose pose = { x * STEP, y * STEP, x + 0.1 * y };
	struct site_submap m[LAYERS];
	char frame[32];
	int err;

	for (unsigned int i = 0; i < LAYERS; i++) {
		const unsigned int bits = i == 2 ? 16 : 8;

		m[i] = (struct site_submap){ i, seed, 50, patch(80, bits,
			x || y ? 0.05 : 0.1, seed + (i == 4 ? 3 : i), 1,
			bits == 8 ? 90 : 9000) };
	}
	snprintf(frame, sizeof(frame), "n%u_%u", x, y);
	err = site_keyframe(s, frame, seed, &pose, m, LAYERS, &error);
	for (unsigned int i = 0; i < LAYERS; i++)
		cells_put(m[i].cells);
	return err;
}

static void add_rooms(struct site *s)
{
	struct room r = { .size = 9, .name = "office" };

	modality_unknown(r.value);
	for (unsigned int i = 0; i < 20; i++) {
		r.id = i;
		r.x = 3.3 * i;
		r.y = 60 - 2.7 * i;
		store_room(site_store(s), &r);
	}
}

static void make(const char *path, unsigned int side)
{
	struct site *s = open_site(path, STORE_CREATE);
	int err = 0;

	for (unsigned int i = 0; i < LAYERS; i++)
		add_layer(s, names[i], words[i]);
	for (unsigned int i = 0; i < side * side && !err; i++)
		err = add_node(s, i % side, i / side);
	/* a whole map, and one without a place */
	err = err ?: put(s, SITE_ROOT, 5, NULL, 0, patch(60, 8, 0.05, 9, 91,
							 99));
	err = err ?: put(s, "waits", 5, NULL, 0, patch(60, 8, 0.05, 9, 1, 90));
	add_rooms(s);
	ok(!err, "a site of %u nodes", side * side);
	site_close(s);
}

static int want(void *s, unsigned int layer, const struct rect *r)
{
	return site_ensure(s, layer, r);
}

static struct site *open_part(const char *path, const struct site_area *area)
{
	const struct site_config config = { .threads = 1, .in_part = true };
	struct site *s;

	if (site_open(&s, path, STORE_READ, &config, &error) ||
	    site_read_area(s, area, &error)) {
		printf("# %s\n", error.text);
		return NULL;
	}
	site_set_want(s, want, s);
	site_fuse(s, -1, UINT64_MAX, NULL, NULL);
	return s;
}

/* To be freed */
static char *spot(struct site *s, double x, double y)
{
	cJSON *a = cJSON_CreateObject();
	char *text;

	query_spot(s, x, y, a, &error);
	text = cJSON_PrintUnformatted(a);
	cJSON_Delete(a);
	return text;
}

static char *room(struct site *s, unsigned int id)
{
	cJSON *a = cJSON_CreateObject();
	char *text;

	query_room(s, id, a, &error);
	text = cJSON_PrintUnformatted(a);
	cJSON_Delete(a);
	return text;
}

static void test_same(const char *path)
{
	struct site *whole = open_site(path, STORE_READ);
	unsigned int same = 0, known = 0, rooms = 0, most = 0;
	uint64_t seed = 1;

	site_set_want(whole, want, whole);
	site_fuse(whole, -1, UINT64_MAX, NULL, NULL);
	for (unsigned int i = 0; i < spots; i++) {
		const double x = rnd(&seed, 1000 * (SIDE + 2) * STEP) / 1000. -
				 STEP;
		const double y = rnd(&seed, 1000 * (SIDE + 2) * STEP) / 1000. -
				 STEP;
		const struct site_area area = { x, y, x, y };
		struct site *part = open_part(path, &area);
		const unsigned int submaps = site_counts(part).submaps;

		known += site_value(part, 0, x, y) >= 0;
		same += same_text(spot(whole, x, y), spot(part, x, y));
		most = submaps > most ? submaps : most;
		site_close(part);
	}
	ok_eq(same, spots,
	      "%u of %u spots are as in the whole, %u of them known", same,
	      spots, known);
	ok_range(known, spots / 2, INFINITY, "... known");
	/*
	 * 5 x 5, 3 m apart, in circles of 2.83 m, boxes of 1 m more and two
	 * cells of 1.5 m; the first one of 5.66 m, and the root
	 */
	ok(most <= 26 * LAYERS + 1, "of %u submaps %u are read at most",
	   SIDE * SIDE * LAYERS + 2, most);
	for (unsigned int i = 0; i < 20; i++) {
		struct site_area area;
		struct site *part;
		struct room r;

		query_find_room(whole, i, &r, &error);
		room_area(&r, &area);
		part = open_part(path, &area);
		rooms += same_text(room(whole, i), room(part, i));
		site_close(part);
	}
	ok(rooms == 20, "%u of 20 rooms are as in the whole", rooms);
	site_close(whole);
}

static int count_wants(void *arg, unsigned int layer, const struct rect *r)
{
	unsigned int *wants = arg;

	(void)layer;
	(void)r;
	++*wants;
	return -EAGAIN;
}

/* As in a daemon that has just begun, and fuses when there is time */
static void test_unfused(const char *path)
{
	struct site *whole = open_site(path, STORE_READ);
	struct site *s = open_site(path, STORE_READ);
	unsigned int wants = 0, same = 0, rooms = 0;
	uint64_t seed = 7;

	site_set_want(whole, want, whole);
	site_fuse(whole, -1, UINT64_MAX, NULL, NULL);
	site_set_want(s, count_wants, &wants);
	for (unsigned int i = 0; i < spots / 3; i++) {
		const double x = rnd(&seed, 1000 * (SIDE + 2) * STEP) / 1000. -
				 STEP;
		const double y = rnd(&seed, 1000 * (SIDE + 2) * STEP) / 1000. -
				 STEP;

		same += same_text(spot(whole, x, y), spot(s, x, y));
	}
	for (unsigned int i = 0; i < 20; i++)
		rooms += same_text(room(whole, i), room(s, i));
	ok_eq(same, spots / 3,
	      "before anything is fused: %u of %u spots, %u of 20 rooms, %u times "
	      "fused for one",
	      same, spots / 3, rooms, wants);
	ok_eq(rooms, 20, "... rooms");
	ok_eq(wants, 0, "... wants");
	ok_eq(site_counts(s).tile_bytes, 0, "... tile bytes");
	/* a little of it: most of what others see is not there yet */
	site_fuse(s, -1, 1, NULL, NULL);
	ok(same_text(spot(whole, 10, 10), spot(s, 10, 10)),
	   "nor while it is fused");
	ok_eq(wants, 0, "... wants");
	site_fuse(s, -1, UINT64_MAX, NULL, NULL);
	ok(same_text(spot(whole, 10, 10), spot(s, 10, 10)),
	   "and then the fused map is asked");
	ok_eq(wants, 0, "... wants");
	ok(site_counts(s).tile_bytes, "... tile bytes");
	site_close(s);
	site_close(whole);
}

/* Of the file, for one spot by both connections */
static int pages_read(const char *path, double at)
{
	const struct site_area area = { at, at, at, at };
	struct site *part = open_part(path, &area);
	int now, high, pages = 0;

	sqlite3_db_status(site_store(part)->db, SQLITE_DBSTATUS_CACHE_MISS,
			  &now, &high, 0);
	pages = now;
	free(spot(part, at, at));
	site_close(part);
	return pages;
}

static void test_cost(const char *small, const char *large)
{
	const int few = pages_read(small, 6.2), more = pages_read(large, 6.2);

	/* a level more of a tree, for nodes, poses, links, submaps, boxes */
	ok_range(few, 1, INFINITY,
		 "pages read for a spot: %d of a site "
		 "of 36 nodes, %d of one of %d",
		 few, more, SIDE * SIDE);
	ok_range(more, -INFINITY, few + 30, "... more");
}

int main(void)
{
	const char *path, *small;

	spots = thorough() ? 300 : 36;
	make_folder();
	path = in_folder("site");
	small = in_folder("small");
	make(path, SIDE);
	make(small, 6);
	test_same(path);
	test_unfused(path);
	test_cost(small, path);
	remove_folder();
	return tap_done();
}
