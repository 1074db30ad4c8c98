// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_site - layers, keyframes and fused maps of a site, and that memory and
 * disk always say the same. Its pose graph: test_site_graph; little memory, and
 * threads: test_site_memory
 */
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include "site_fixture.h"

enum { SIDE = 60 };

static void test_open(void)
{
	const struct site_config config = { 0 };
	const char *path = in_folder("open");
	struct site *s = NULL;
	int err;

	err = site_open(&s, path, STORE_READ, &config, &error);
	ok_eq(err, -ENOENT, "no store: %s", error.text);
	ok(!s, "... s");
	ok(*error.text, "... error");
	ok(!strchr(error.text, '\n'), "... error is one line");
	s = open_site(path, STORE_CREATE);
	ok(s, "a new one is empty");
	ok_eq(site_layers(s), 0, "... site layers");
	ok_eq(site_counts(s).nodes, 0, "... nodes");
	ok_eq(site_fuse(s, -1, UINT64_MAX, NULL, NULL), 0, "... site fuse");
	ok_eq(site_is_stale(s), 0, "... site is stale");
	err = site_open(&s, path, STORE_WRITE, &config, &error);
	ok(err == -EBUSY, "it is written by one: %s", error.text);
	site_close(s);
	s = open_site(path, STORE_WRITE);
	ok(s, "opened again");
	ok_eq(site_layers(s), 0, "... site layers");
	site_close(s);
	site_close(NULL);
}

/* Three submaps that overlap */
static void put_three(struct site *s, unsigned int layer, unsigned int bits,
		      double resolution)
{
	const int full = cells_full(bits);

	for (unsigned int i = 0; i < 3; i++) {
		const struct pose p = { 0.7 * i, -0.4 * i, 0.5 * i };
		char frame[16];

		snprintf(frame, sizeof(frame), "f%u", i);
		if (put(s, frame, 10 + i, &p, layer,
			patch(SIDE, bits, resolution, i + 1, 0, full)))
			printf("# %s\n", error.text);
	}
}

static void test_rules(void)
{
	const char *path = in_folder("rules");
	struct site *s = open_site(path, STORE_CREATE);
	static const char *const rule[] = { "rule=mean", "rule=min",
		"rule=latest", "rule=log-odds", "rule=max", "rule=mean" };
	const unsigned int layer = add_layer(s, "m", "");
	unsigned int good = 0, kept = 0;
	struct raster a, b;

	put_three(s, layer, 8, 0.05);
	site_fuse(s, -1, UINT64_MAX, NULL, NULL);
	for (unsigned int i = 0; i < 6; i++) {
		char words[64];

		snprintf(words, sizeof(words), "%s drawing=splat", rule[i]);
		/* what the layer was made with draws by its own rule */
		add_layer(s, "m", words);
		site_fuse(s, layer, UINT64_MAX, NULL, NULL);
		site_raster(s, layer, -1, &a);
		site_raster(s, layer, (i + 1) % RULES, &b);
		free(b.cells);
		good += is_on_disk(s, path, true);
		add_layer(s, "m", "rule=min drawing=splat");
		site_fuse(s, layer, UINT64_MAX, NULL, NULL);
		site_raster(s, layer, rule_by_name(rule[i] + 5), &b);
		kept += same_raster(&a, &b);
		free(a.cells);
		free(b.cells);
	}
	ok(good == 6, "its rule changes: the map follows");
	ok(kept == 6, "and another rule, once, gives the map of that rule");
	ok_eq(site_is_stale(s), 0,
	      "what its values mean changes: nothing is fused again");
	ok_eq(add_layer(s, "m",
			"rule=min drawing=splat "
			"unit=ppm range=-2:2 role=gas"),
	      0, "... add layer");
	ok_eq(site_is_stale(s), 0, "... site is stale");
	ok(is_on_disk(s, path, true), "... is on disk");
	site_close(s);
}

static void count_tile(void *arg, const struct rect *tile)
{
	(void)tile;
	++*(unsigned int *)arg;
}

/* Free but for what @wall says of column and row: 100, -1 or 0 */
static struct cells *room_of(int (*wall)(int x, int y))
{
	const struct pose origin = { 0, 0, 0 };
	int8_t v[SIDE * SIDE];

	for (int i = 0; i < SIDE * SIDE; i++)
		v[i] = wall(i % SIDE, i / SIDE);
	return cells_create(SIDE, SIDE, 8, 0.05, &origin, v);
}

/* A wall, a cell thick; who walks by; what is not seen */
static int with_person(int x, int y)
{
	return y == 55 ? -1 : x == 30 || (y == 10 && x < 3) ? 100 : 0;
}

static int without_person(int x, int y)
{
	return y == 55 ? -1 : x == 30 ? 100 : 0;
}

static int with_wall_beside(int x, int y)
{
	return y == 55 ? -1 : x == 31 ? 100 : 0;
}

/* Cells of column @x up to row 50 that are at least @least */
static unsigned int count_wall(struct site *s, int layer, int x, int least)
{
	unsigned int n = 0;

	for (int y = 0; y < 50; y++)
		n += site_value(s, layer, (x + 0.5) * 0.05,
				(y + 0.5) * 0.05) >= least;
	return n;
}

/* What a layer of obstacles does by itself */
static void test_obstacles(void)
{
	struct site *s = open_site(in_folder("obstacles"), STORE_CREATE);
	const int layer = add_layer(s, "m", "role=obstacle");
	const int hazard = add_layer(s, "h", "role=hazard");
	const struct pose at = { 0 };
	unsigned int i;

	put(s, "f0", 1, &at, layer, room_of(with_person));
	put(s, "h0", 1, &at, hazard, room_of(with_person));
	site_fuse(s, -1, UINT64_MAX, NULL, NULL);
	ok_eq(site_value(s, layer, 2, 2), 0,
	      "free and occupied come out as they went in");
	ok_eq(site_value(s, layer, 1.525, 2), 100, "... site value");
	ok_eq(site_value(s, layer, 1.625, 2), 15,
	      "two cells beside a wall are less sure");
	ok_eq(site_value(s, layer, 1.675, 2), 0, "... site value");
	put(s, "f1", 2, &at, layer, room_of(without_person));
	put(s, "f2", 3, &at, layer, room_of(without_person));
	put(s, "h1", 2, &at, hazard, room_of(without_person));
	site_fuse(s, -1, UINT64_MAX, NULL, NULL);
	ok_eq(site_value(s, layer, 0.025, 0.525), 0,
	      "who walked by is not there");
	ok_eq(site_value(s, layer, 2, 2), 0, "... site value");
	ok(site_value(s, hazard, 0.025, 0.525) == 100, "but a hazard is");
	ok(site_value(s, layer, 1, 2.775) == -1, "what was not seen is unknown");
	/* as many see the wall a cell further as where it is */
	for (i = 3; i < 6; i++) {
		char frame[8];

		snprintf(frame, sizeof(frame), "f%u", i);
		put(s, frame, 10 + i, &at, layer, room_of(with_wall_beside));
	}
	site_fuse(s, -1, UINT64_MAX, NULL, NULL);
	i = count_wall(s, layer, 30, 65);
	ok(i + count_wall(s, layer, 31, 65) >= 50,
	   "a wall that half of them see a cell further stays: %u", i);
	ok_eq(count_wall(s, layer, 28, 50), 0, "and is no thicker than that");
	ok_eq(count_wall(s, layer, 33, 50), 0, "... count wall");
	site_close(s);
}

/* A whole map lies where it is said to be */
static void test_whole_obstacles(void)
{
	struct site *s = open_site(in_folder("whole"), STORE_CREATE);
	const int layer = add_layer(s, "m", "role=obstacle");

	put(s, SITE_ROOT, 1, NULL, layer, room_of(without_person));
	site_fuse(s, -1, UINT64_MAX, NULL, NULL);
	ok_eq(site_value(s, layer, 1.575, 2), 0,
	      "of a whole map nothing is less sure");
	ok_eq(site_value(s, layer, 1.525, 2), 100, "... site value");
	site_close(s);
}

static void test_changes(void)
{
	struct site *s = open_site(in_folder("changes"), STORE_CREATE);
	const unsigned int layer = add_layer(s, "m", "");
	unsigned int first = 0, none = 0, all = 0, last = 0;
	uint64_t since;

	put_three(s, layer, 8, 0.05);
	site_fuse(s, -1, UINT64_MAX, NULL, NULL);
	/* more revisions than the next map will have */
	for (unsigned int i = 0; i < 20; i++) {
		put_three(s, layer, 8, 0.05);
		site_fuse(s, -1, UINT64_MAX, NULL, NULL);
	}
	since = site_changes(s, layer, 0, count_tile, &first);
	since = site_changes(s, layer, since, count_tile, &none);
	add_layer(s, "m", "rule=mean");
	site_fuse(s, -1, UINT64_MAX, NULL, NULL);
	since = site_changes(s, layer, since, count_tile, &all);
	site_changes(s, layer, since, count_tile, &last);
	ok_range(
		first, 4, INFINITY,
		"all of a map that is fused again has changed: %u tiles, %u, %u, %u",
		first, none, all, last);
	ok_eq(none, 0, "... none");
	ok_eq(all, first, "... all");
	ok_eq(last, 0, "... last");
	site_close(s);
}

static void test_layers(void)
{
	const char *path = in_folder("layers");
	struct site *s = open_site(path, STORE_CREATE);
	struct layer l;

	ok_eq(add_layer(s, "a", ""), 0, "layers keep their numbers");
	ok_eq(add_layer(s, "b", "bits=16"), 1, "... add layer");
	ok_eq(add_layer(s, "a", "unit=m"), 0, "... add layer");
	ok_eq(site_layers(s), 2, "... site layers");
	ok_eq(site_find_layer(s, "b"), 1, "... site find layer");
	ok_eq(site_find_layer(s, "c"), -ENOENT, "... site find layer");
	ok_eq(add_layer(s, "a", "bits=16"), 0,
	      "bits change while there is nothing");
	ok_eq(add_layer(s, "a", ""), 0, "... add layer");
	ok(is_on_disk(s, path, true), "... is on disk");
	put_three(s, 0, 8, 0.05);
	ok(refuses(s, path, -EINVAL, add_layer(s, "a", "bits=16")),
	   "not any more: %s", error.text);
	layer_default(&l, "a b");
	ok(refuses(s, path, -EINVAL, site_set_layer(s, &l, &error)),
	   "a name that is not valid: %s", error.text);
	layer_default(&l, "c");
	l.low = NAN;
	ok(refuses(s, path, -EINVAL, site_set_layer(s, &l, &error)),
	   "a range that is not valid: %s", error.text);
	for (unsigned int i = site_layers(s); i < SITE_LAYERS; i++) {
		char name[16];

		snprintf(name, sizeof(name), "l%u", i);
		add_layer(s, name, "");
	}
	ok_eq(site_layers(s), SITE_LAYERS, "as many as there can be: %s",
	      error.text);
	ok(refuses(s, path, -ENOSPC, add_layer(s, "more", "")), "... refuses");
	site_close(s);
}

static void test_keyframes(void)
{
	const char *path = in_folder("keyframes");
	struct site *s = open_site(path, STORE_CREATE);
	const struct pose at = { 1, 2, 0.3 }, there = { -3, 2, 1 };
	const struct pose whole = { 0 };
	struct site_submap m[3];
	int value;

	add_layer(s, "slam", "");
	add_layer(s, "gas", "bits=16 role=gas rule=mean");
	add_layer(s, "temp", "rule=latest");
	m[0] = (struct site_submap){ 0, 5, 100, patch(SIDE, 8, 0.05, 1, 0,
						      100) };
	m[1] = (struct site_submap){ 1, 5, 100, patch(SIDE, 16, 0.1, 2, 0,
						      10000) };
	m[2] = (struct site_submap){ 2, 5, 30, patch(20, 8, 0.2, 3, 50, 50) };
	ok_eq(site_keyframe(s, "a", 5, &at, m, 3, &error), 0,
	      "one of three layers, of 8 and 16 bits");
	ok_eq(site_counts(s).submaps, 3, "... submaps");
	ok(is_on_disk(s, path, true), "... is on disk");
	value = site_value(s, 2, 1, 2);
	ok(value == -1 || value == 50, "it is not known before it is fused");
	site_fuse(s, -1, UINT64_MAX, NULL, NULL);
	ok_eq(site_value(s, 2, 1, 2), 50, "it is where its node is");
	ok_eq(site_value(s, 2, -9, 2), -1, "... site value");
	ok_eq(site_value(s, 2, NAN, 1e300), -1, "... site value");
	ok_eq(put(s, "a", 6, NULL, 2, patch(20, 8, 0.2, 3, 70, 70)), 0,
	      "replaced by a newer one");
	ok_eq(site_counts(s).submaps, 3, "... submaps");
	ok(is_on_disk(s, path, true), "... is on disk");
	ok_eq(site_value(s, 2, 1, 2), 70, "... site value");
	ok_eq(put(s, "a", 6, &there, 2, patch(20, 8, 0.2, 3, 60, 60)), 0,
	      "by one of the same time, which has another place: all are there");
	ok(is_on_disk(s, path, true), "... is on disk");
	ok_eq(site_value(s, 2, -3, 2), 60, "... site value");
	ok_eq(site_value(s, 2, 1, 2), -1, "... site value");
	ok_eq(put(s, "b", 1, NULL, 0, patch(9, 8, 0.05, 3, 1, 1)), 0,
	      "one without a place waits");
	ok_eq(site_counts(s).waiting, 1, "... waiting");
	ok(is_on_disk(s, path, true), "... is on disk");
	ok_eq(put(s, SITE_ROOT, 8, NULL, 2, patch(5, 8, 0.2, 3, 10, 10)), 0,
	      "whole maps lie where the map begins, and nowhere else: %s",
	      error.text);
	ok(is_on_disk(s, path, true), "... is on disk");
	ok_eq(site_value(s, 2, 0, 0), 10, "... site value");
	ok(refuses(s, path, -EINVAL,
		   put(s, SITE_ROOT, 9, &whole, 2, patch(5, 8, 0.2, 3, 9, 9))),
	   "... refuses");
	for (unsigned int i = 0; i < 3; i++)
		cells_put(m[i].cells);
	site_close(s);
}

static int put_weight(struct site *s, unsigned int weight)
{
	const struct pose at = { 0 };
	struct site_submap m = { 0, 9, weight, patch(9, 8, 0.05, 3, 1, 1) };
	const int err = site_keyframe(s, "w", 1, &at, &m, 1, &error);

	cells_put(m.cells);
	return err;
}

static int put_twice(struct site *s, const char *frame, const struct pose *at)
{
	const struct site_submap one = { 0, 99, 1, patch(9, 8, 0.05, 3, 1, 1) };
	const struct site_submap m[2] = { one, one };
	const int err = site_keyframe(s, frame, 1, at, m, 2, &error);

	cells_put(one.cells);
	return err;
}

static void test_refused(void)
{
	const char *path = in_folder("refused");
	struct site *s = open_site(path, STORE_CREATE);
	static const struct pose bad[] = { { NAN, 0, 0 }, { 0, 2e6, 0 },
					   { 0, 0, INFINITY } };
	const struct pose at = { 1, 2, 0.3 };
	char longest[STORE_FRAME + 1];
	unsigned int good = 0;

	memset(longest, 'x', sizeof(longest));
	longest[STORE_FRAME] = '\0';
	add_layer(s, "a", "");
	add_layer(s, "b", "bits=16");
	put_three(s, 0, 8, 0.05);
	move(s, "f1", "f0", 1, 1, 0);
	site_fuse(s, -1, UINT64_MAX, NULL, NULL);
#define NO(want, frame, stamp, pose, layer, bits)			\
	(refuses(s, path, want, put(s, frame, stamp, pose, layer,	\
				    patch(9, bits, 0.05, 1, 1, 1))) &&	\
	 !site_is_stale(s))
	ok(NO(-ESTALE, "f1", 10, NULL, 0, 8), "older: %s", error.text);
	ok(NO(-ESTALE, "f1", 10, &at, 0, 8),
	   "older, of a node that has moved: %s", error.text);
	ok(NO(-EINVAL, "f1", 20, &at, 0, 16), "other bits: %s", error.text);
	ok(NO(-EINVAL, "new", 20, &at, 1, 8), "other bits: %s", error.text);
	ok(NO(-EINVAL, "new", 20, &at, 2, 8), "no such layer: %s", error.text);
	ok(NO(-EINVAL, "", 20, &at, 0, 8), "no name: %s", error.text);
	ok(NO(-EINVAL, "a\nb", 20, &at, 0, 8), "two lines: %s", error.text);
	ok(NO(-EINVAL, "a\xff", 20, &at, 0, 8), "not UTF-8: %s", error.text);
	ok(NO(-EINVAL, longest, 20, &at, 0, 8), "too long: %.40s...", error.text);
	longest[STORE_FRAME - 1] = '\0';
	for (unsigned int i = 0; i < 3; i++)
		good += NO(-EINVAL, "new", 20, &bad[i], 0, 8) &&
			NO(-EINVAL, "f1", 20, &bad[i], 0, 8);
	ok(good == 3, "poses that is not valid: %s", error.text);
	ok(refuses(s, path, -EINVAL, put_weight(s, RULE_WEIGHT_FULL + 1)),
	   "a confidence that is not valid: %s", error.text);
	ok(refuses(s, path, -EINVAL, put_twice(s, "new", &at)),
	   "a layer twice, its node does not move either: %s", error.text);
	ok(refuses(s, path, -EINVAL, put_twice(s, "f0", &at)), "... refuses");
	ok(refuses(s, path, -EINVAL, put_twice(s, "f1", &at)), "... refuses");
	ok(refuses(s, path, -EINVAL, site_keyframe(s, "new", 1, &at, NULL, 0,
						   &error)),
	   "nothing in it: %s", error.text);
	ok_eq(put(s, longest, 20, &at, 0, patch(9, 8, 0.05, 1, 1, 1)), 0,
	      "the longest name");
	ok(is_on_disk(s, path, true), "... is on disk");
	site_close(s);
}

static int fail_all(struct site *s, unsigned int n, int want)
{
	const struct pose at = { n, 2, 0.3 };
	struct site_transform t[2];

	t[0] = transform("f0", "", n, 1, 1);
	t[1] = transform("f1", "f7", 3, 1, n);
	if (site_transforms(s, t, 2, "test", &error) != want)
		return 1;
	if (put(s, "f1", 1000 + n, &at, 0, patch(200, 8, 0.05, n, 0, 100)) !=
	    want)
		return 2;
	if (put(s, "f1", 1000 + n, NULL, 0, patch(200, 8, 0.05, n, 0, 100)) !=
	    want)
		return 3;
	return add_layer(s, "another", "") == want ? 0 : 4;
}

static void test_read_only(void)
{
	const char *path = in_folder("read");
	struct site *s = open_site(path, STORE_CREATE);

	add_layer(s, "a", "");
	put_three(s, 0, 8, 0.05);
	move(s, "f2", "f1", 1, 1, 0);
	site_close(s);
	s = open_site(path, STORE_READ);
	ok(refuses(s, path, 0, fail_all(s, 1, -EROFS)),
	   "opened for reading, nothing changes: %s", error.text);
	ok(is_on_disk(s, path, true), "... is on disk");
	site_close(s);
}

static void test_full(void)
{
	char disk[80];
	const char *path;
	struct site *s;
	unsigned int n = 0;
	char *before;
	int err = 0, later;

	snprintf(disk, sizeof(disk), "%s", in_folder("disk"));
	mkdir(disk, 0700);
	if (mount("tmpfs", disk, "tmpfs", 0, "size=1500k")) {
		ok(true, "disk full # SKIP no mounts here");
		return;
	}
	path = in_folder("disk/store");
	s = open_site(path, STORE_CREATE);
	add_layer(s, "a", "");
	put_three(s, 0, 8, 0.05);
	move(s, "f2", "f1", 1, 1, 0);
	for (; !err && n < 1000; n++) {
		const struct pose at = { n, 0, 0 };
		char frame[16];

		snprintf(frame, sizeof(frame), "n%u", n);
		err = put(s, frame, n, &at, 0, patch(200, 8, 0.05, n, 0, 100));
	}
	ok_eq(err, -ENOSPC, "disk full after %u: %s", n, error.text);
	ok_range(n, 4, INFINITY, "... number");
	ok(*error.text, "... error");
	ok(!strchr(error.text, '\n'), "... error is one line");
	before = know(s, true);
	/* what little there is left is gone some time */
	for (n = 0; n < 300 && fail_all(s, n, -ENOSPC) != 0; n++) {
		free(before);
		before = know(s, true);
	}
	later = fail_all(s, n, -ENOSPC);
	ok_eq(later, 0,
	      "whatever does not fit is neither on disk nor in memory");
	ok(same_text(before, know(s, true)), "... same text");
	ok(is_on_disk(s, path, true), "... is on disk");
	site_close(s);
	s = open_site(path, STORE_READ);
	ok(s, "it opens again");
	ok_range(site_counts(s).submaps, 4, INFINITY, "... submaps");
	site_close(s);
	umount2(disk, MNT_DETACH);
}

static void test_weights(unsigned int bits)
{
	const char *path = in_folder(bits == 8 ? "w8" : "w16");
	struct site *s = open_site(path, STORE_CREATE);
	const struct pose at = { 0 };
	const int one = bits == 8 ? 1 : 100;
	unsigned int gas, sure;

	gas = add_layer(s, "gas", "rule=weighted weights=sure");
	put(s, "f0", 1, &at, gas, patch(20, 8, 0.1, 1, 80, 80));
	put(s, "f1", 1, &at, gas, patch(20, 8, 0.1, 1, 0, 0));
	site_fuse(s, -1, UINT64_MAX, NULL, NULL);
	ok(site_value(s, gas, 0, 0) == 40,
	   "%u bits: no weights: the submaps' (%d)", bits,
	   site_value(s, gas, 0, 0));
	sure = add_layer(s, "sure", bits == 8 ? "" : "bits=16");
	put(s, "f0", 1, NULL, sure, patch(20, bits, 0.1, 1, 75 * one,
					  75 * one));
	put(s, "f1", 1, NULL, sure, patch(20, bits, 0.1, 1, 25 * one,
					  25 * one));
	ok(is_on_disk(s, path, true), "%u bits: weights that come later count",
	   bits);
	ok_eq(site_value(s, gas, 0, 0), 60, "... site value");
	put(s, "f0", 2, NULL, sure, patch(20, bits, 0.1, 1, 25 * one,
					  25 * one));
	ok(is_on_disk(s, path, true), "%u bits: and those that are replaced",
	   bits);
	ok_eq(site_value(s, gas, 0, 0), 40, "... site value");
	put(s, "f0", 3, NULL, sure, patch(21, bits, 0.1, 1, 0, 0));
	ok(is_on_disk(s, path, true), "%u bits: not those that do not fit",
	   bits);
	ok_eq(site_value(s, gas, 0, 0), (80 * 50 + 37) / 75, "... site value");
	add_layer(s, "gas", "rule=weighted weights=sure resolution=0.3");
	put(s, "f0", 4, NULL, sure, patch(20, bits, 0.1, 1, 75 * one,
					  75 * one));
	ok(is_on_disk(s, path, true), "%u bits: in larger cells, too", bits);
	ok_eq(site_value(s, gas, 0, 0), 60, "... site value");
	site_close(s);
}

static void test_resolutions(void)
{
	const char *path = in_folder("resolutions");
	struct site *s = open_site(path, STORE_CREATE);
	const struct pose at = { 0.05, 0.05, 0 }, beside = { 3, 0, M_PI / 2 };
	unsigned int coarse = add_layer(s, "coarse",
					"rule=mean resolution=0.1");
	unsigned int own = add_layer(s, "own", "rule=mean");
	struct raster r;

	put(s, "f0", 1, &at, coarse, patch(40, 8, 0.02, 1, 33, 33));
	put(s, "f1", 1, &beside, coarse, patch(40, 8, 0.01, 9, 0, 100));
	put(s, "f0", 1, NULL, own, patch(20, 8, 0.1, 1, 33, 33));
	ok(is_on_disk(s, path, true), "cells that are finer than the map's");
	ok_eq(site_value(s, coarse, 0, 0), 33, "... site value");
	ok_near(site_resolution(s, coarse), 0.1, 0, "... site resolution");
	ok_near(site_resolution(s, own), 0.1, 0, "... site resolution");
	r = (struct raster){ .rect = { 29, -1, 2, 2 } };
	r.cells = malloc(4 * sizeof(*r.cells));
	site_read(s, coarse, &r);
	ok_range(r.cells[0], 26, 74, "of which the mean is sampled: %d, %d",
		 r.cells[0], r.cells[1]);
	ok_range(r.cells[1], 26, 74, "... cells");
	free(r.cells);
	put(s, "f0", 2, NULL, coarse, patch(40, 8, 0.02, 1, 55, 55));
	ok(is_on_disk(s, path, true),
	   "which is another one when the submap is replaced");
	ok_eq(site_value(s, coarse, 0, 0), 55, "... site value");
	put(s, "f0", 2, NULL, own, patch(40, 8, 0.05, 1, 44, 44));
	ok(is_on_disk(s, path, true),
	   "the first one, which decides, is replaced");
	ok_near(site_resolution(s, own), 0.05, 0, "... site resolution");
	ok_eq(site_value(s, own, 0, 0), 44, "... site value");
	put(s, "huge", 2, &at, own, patch(4000, 8, 400, 1, 1, 1));
	ok(is_on_disk(s, path, true),
	   "one of 1600 km is stored, but in no map of 5 cm");
	ok_eq(site_value(s, own, 0, 0), 44, "... site value");
	site_close(s);
}

/* The confidence of a layer is removed, and comes back */
static void test_removed(void)
{
	struct site *s = open_site(in_folder("removed"), STORE_CREATE);
	unsigned int gas = add_layer(s, "gas", "rule=weighted weights=sure");
	const struct pose at = { 0 };
	unsigned int sure, n;
	int with, without;

	put(s, "f0", 1, &at, gas, patch(20, 8, 0.1, 1, 80, 80));
	put(s, "f1", 1, &at, gas, patch(20, 8, 0.1, 1, 0, 0));
	for (int turn = 0; turn < 2; turn++) {
		sure = add_layer(s, "sure", "");
		put(s, "f0", 1, NULL, sure, patch(20, 8, 0.1, 1, 75, 75));
		put(s, "f1", 1, NULL, sure, patch(20, 8, 0.1, 1, 25, 25));
		site_fuse(s, -1, UINT64_MAX, NULL, NULL);
		with = site_value(s, gas, 0, 0);
		site_remove_layer(s, sure, &n, &error);
		site_fuse(s, -1, UINT64_MAX, NULL, NULL);
		without = site_value(s, gas, 0, 0);
		ok_eq(with, 60,
		      "weights that are removed and come back: %d, %d", with,
		      without);
		ok_eq(without, 40, "... without");
		ok_eq(n, 2, "... number");
	}
	site_close(s);
}

/* Cells that are stored, but of which the map does not know yet */
static void test_replaced(void)
{
	const char *path = in_folder("replaced");
	struct site *s = open_site_of(path, STORE_CREATE, 1 << 20);
	const struct rect all = { 0, 0, 1600, 600 };
	struct pose at = { 10, 10, 0.3 };
	int err = 0;

	add_layer(s, "m", "rule=max");
	put(s, "f0", 1, &at, 0, patch(400, 8, 0.05, 1, 5, 90));
	for (unsigned int i = 1; i < 20; i++) {
		char frame[16];

		at = (struct pose){ 10 + 3 * i, 10, 0.1 * i };
		snprintf(frame, sizeof(frame), "f%u", i);
		put(s, frame, 1, &at, 0, patch(200, 8, 0.05, i, 5, 90));
	}
	site_fuse(s, -1, UINT64_MAX, NULL, NULL);
	put(s, "f0", 2, NULL, 0, patch(40, 8, 0.05, 2, 5, 90));
	err |= site_ensure(s, 0, &all);
	put(s, "f0", 3, NULL, 0, patch(500, 8, 0.05, 3, 5, 90));
	err |= site_ensure(s, 0, &all);
	ok_eq(err, 0,
	      "a submap is replaced when its resampled one was evicted");
	ok(is_on_disk(s, path, true), "... is on disk");
	site_close(s);
}

int main(void)
{
	make_folder();
	test_open();
	test_layers();
	test_rules();
	test_obstacles();
	test_whole_obstacles();
	test_changes();
	test_keyframes();
	test_refused();
	test_read_only();
	test_full();
	test_weights(8);
	test_weights(16);
	test_resolutions();
	test_replaced();
	test_removed();
	remove_folder();
	return tap_done();
}
