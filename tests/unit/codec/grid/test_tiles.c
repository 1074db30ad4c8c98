// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_tiles - maps as tiles: lossless, growing, lost, late, broken
 *
 * Generated rooms and noise; the maps of shared/data where these are.
 */
#include <errno.h>
#include "codec/grid/tiles.h"
#include "map_fixture.h"

#define MAPS "../shared/data/maps/"

enum { MAX = 256, SIDE = 700 };

static uint8_t data[MAX][PAYLOAD_MAX];
static uint16_t lens[MAX];
static struct payloads out = {
	.data = data[0], .stride = PAYLOAD_MAX, .len = lens,
	.size = PAYLOAD_MAX, .max = MAX,
};

static bool same(const struct map *a, const struct map *b)
{
	return a->width == b->width && a->height == b->height &&
	       a->resolution == b->resolution && a->x == b->x &&
	       a->y == b->y && a->yaw == b->yaw &&
	       !memcmp(a->cells, b->cells, (size_t)a->width * a->height);
}

static unsigned int bytes(void)
{
	unsigned int sum = 0;

	for (unsigned int i = 0; i < out.count; i++)
		sum += lens[i];
	return sum;
}

/* All but what @lost of 100 lose */
static void receive(struct tiles_decoder *d, uint32_t frame, uint64_t *rng,
		    unsigned int lost)
{
	tiles_begin(d, frame);
	for (unsigned int i = 0; i < out.count; i++)
		if (rnd(rng, 100) >= lost)
			tiles_add(d, data[i], lens[i]);
}

static void test_identity(void)
{
	static const unsigned int sizes[][2] = {
		{ 1, 1 }, { 1, 300 }, { 65, 64 }, { 63, 2 }, { 512, 130 },
		{ 65535, 1 },
	};
	uint64_t rng = 2;

	for (unsigned int i = 0; i < 6; i++) {
		unsigned int w = sizes[i][0], h = sizes[i][1];
		struct tiles_encoder *e = tiles_encoder_create(w, h);
		struct tiles_decoder *d = tiles_decoder_create(w, h);
		struct map m = new_map(w, h), got;

		draw_noise(&m, &rng, 256);
		m.yaw = i & 1 ? 0.25 : 0;
		tiles_encode(e, &m, MAX, i & 2, &out);
		receive(d, 7, &rng, 0);
		ok(!tiles_finish(d, &got), "%ux%u of any values, %u datagrams",
		   w, h, out.count);
		ok(same(&m, &got), "%ux%u of any values, %u datagrams", w, h,
		   out.count);
		ok(!tiles_pending(e), "%ux%u of any values, %u datagrams", w, h,
		   out.count);
		tiles_encoder_destroy(e);
		tiles_decoder_destroy(d);
		free(m.cells);
	}
}

static void test_alone(void)
{
	struct tiles_encoder *e = tiles_encoder_create(SIDE, SIDE);
	struct map m = new_map(SIDE, SIDE), got;
	bool alone = true, spread = true;
	uint64_t rng = 3;

	draw_rooms(&m, &rng, 25);
	draw_noise(&(struct map){ .width = SIDE, .height = 64,
				  .cells = m.cells }, &rng, 3);
	tiles_encode(e, &m, MAX, false, &out);
	for (unsigned int i = 0; i < out.count; i++) {
		struct tiles_decoder *d = tiles_decoder_create(SIDE, SIDE);
		unsigned int wrong = 0, half[2] = { 0 };

		tiles_begin(d, 1);
		alone &= !tiles_add(d, data[i], lens[i]) &&
			 !tiles_finish(d, &got) && got.width == SIDE &&
			 got.x == m.x && got.y == m.y;
		for (unsigned int k = 0; k < SIDE * SIDE; k++) {
			wrong += got.cells[k] != m.cells[k] &&
				 got.cells[k] != MAP_UNKNOWN;
			half[k % SIDE > SIDE / 2] +=
				got.cells[k] != MAP_UNKNOWN;
		}
		alone &= !wrong && half[0] + half[1];
		spread &= half[0] && half[1];
		tiles_decoder_destroy(d);
	}
	ok(alone, "each of %u datagrams alone is a part of the map",
	   out.count);
	ok(spread, "from all over it");
	tiles_encoder_destroy(e);
	free(m.cells);
}

static unsigned int changed_tiles(const struct tiles_decoder *d)
{
	unsigned int cursor = 0, n = 0;
	struct tiles_area a;

	while (tiles_changed(d, &cursor, &a))
		n++;
	return n;
}

static void test_changes(void)
{
	struct tiles_encoder *e = tiles_encoder_create(SIDE, SIDE);
	struct tiles_decoder *d = tiles_decoder_create(SIDE, SIDE);
	struct map m = new_map(SIDE, SIDE), got;
	unsigned int most = 0, frames = 0, cursor = 0, all;
	struct tiles_area a;
	uint64_t rng = 4;

	draw_rooms(&m, &rng, 25);
	do {
		tiles_encode(e, &m, 2, false, &out);
		most = out.count > most ? out.count : most;
		receive(d, 0xfffffffe + frames++, &rng, 0);
	} while (tiles_pending(e) && frames < 100);
	tiles_finish(d, &got);
	all = changed_tiles(d);
	ok_eq(most, 2, "%u tiles in %u frames of 2 datagrams, over the wrap",
	      all, frames);
	ok(frames > 2, "%u tiles in %u frames of 2 datagrams, over the wrap",
	   all, frames);
	ok(same(&m, &got),
	   "%u tiles in %u frames of 2 datagrams, over the wrap", all, frames);
	m.cells[500 * SIDE + 400] ^= 1;
	tiles_encode(e, &m, 1, false, &out);
	ok(!tiles_pending(e), "a change goes first");
	receive(d, 200, &rng, 0);
	tiles_finish(d, &got);
	ok_eq(changed_tiles(d), 1, "and is reported to the viewer");
	ok(tiles_changed(d, &cursor, &a), "and is reported to the viewer");
	ok_eq(a.x, 384, "and is reported to the viewer");
	ok_eq(a.y, 448, "and is reported to the viewer");
	ok_eq(a.width, 64, "and is reported to the viewer");
	ok_eq(a.height, 64, "and is reported to the viewer");
	ok(same(&m, &got), "and is reported to the viewer");
	ok(tiles_age(d, 400, 500) == 0, "its tile is new");
	ok_eq(tiles_share(d).received, tiles_share(d).known,
	      "all tiles are here");
	ok_eq(tiles_share(d).known, all, "all tiles are here");
	for (frames = 0; frames < 40; frames++) {
		tiles_encode(e, &m, 1, false, &out);
		receive(d, 201 + frames, &rng, 0);
	}
	most = 0;
	for (unsigned int i = 0; i < SIDE; i += 64)
		for (unsigned int k = 0; k < SIDE; k += 64)
			if (tiles_age(d, i, k) > (int)most)
				most = tiles_age(d, i, k);
	ok(most < 30, "each is sent again by turns (%u)", most);
	ok(most > 2, "each is sent again by turns (%u)", most);
	tiles_encoder_destroy(e);
	tiles_decoder_destroy(d);
	free(m.cells);
}

static void test_order(void)
{
	struct tiles_encoder *e = tiles_encoder_create(100, 100);
	struct tiles_decoder *d = tiles_decoder_create(100, 100);
	struct map m = new_map(100, 100), got;
	uint8_t old[PAYLOAD_MAX];
	uint64_t rng = 5;
	size_t len;

	draw_rooms(&m, &rng, 2);
	tiles_encode(e, &m, 9, false, &out);
	memcpy(old, data[0], len = lens[0]);
	memset(m.cells, 50, 100 * 100);
	tiles_encode(e, &m, 9, false, &out);
	receive(d, 1, &rng, 0);
	ok(tiles_add(d, data[0], lens[0]) == -EEXIST, "a duplicate");
	tiles_begin(d, 0xffffffff);
	ok(!tiles_add(d, old, len),
	   "a late frame changes nothing that is newer");
	ok(!tiles_finish(d, &got),
	   "a late frame changes nothing that is newer");
	ok(same(&m, &got), "a late frame changes nothing that is newer");
	m.resolution = 0.1f;
	tiles_encode(e, &m, 9, false, &out);
	tiles_begin(d, 0);
	ok(tiles_add(d, data[0], lens[0]) == -EPROTO,
	   "another grid in an older frame is not");
	receive(d, 2, &rng, 0);
	ok(!tiles_finish(d, &got), "but in a newer one");
	ok(same(&m, &got), "but in a newer one");
	memset(m.cells, MAP_UNKNOWN, 100 * 100);
	tiles_encode(e, &m, 9, false, &out);
	receive(d, 3, &rng, 0);
	ok(!tiles_finish(d, &got), "known, then unknown");
	ok(same(&m, &got), "known, then unknown");
	tiles_encoder_destroy(e);
	tiles_decoder_destroy(d);
	free(m.cells);
}

/* A window of @world, with its corner at @x, @y */
static void cut(const struct map *world, unsigned int x, unsigned int y,
		struct map *m)
{
	m->x = world->x + x * 0.05;
	m->y = world->y + y * 0.05;
	for (unsigned int i = 0; i < m->height; i++)
		memcpy(m->cells + i * m->width, world->cells +
		       (y + i) * world->width + x, m->width);
}

static void test_growth(void)
{
	struct tiles_encoder *e = tiles_encoder_create(SIDE, SIDE);
	struct tiles_decoder *d = tiles_decoder_create(SIDE, SIDE);
	struct map world = new_map(SIDE, SIDE), m, got;
	bool good = true;
	unsigned int first, more;
	uint64_t rng = 6;

	draw_rooms(&world, &rng, 25);
	m = new_map(300, 290);
	cut(&world, 350, 360, &m);
	tiles_encode(e, &m, MAX, false, &out);
	first = bytes();
	receive(d, 1, &rng, 0);
	/* grows to the left and below, and all that was known stays */
	for (unsigned int i = 1; i <= 5; i++) {
		free(m.cells);
		m = new_map(300 + 70 * i, 290 + 66 * i);
		cut(&world, 350 - 70 * i, 360 - 66 * i, &m);
		tiles_encode(e, &m, MAX, false, &out);
		receive(d, 1 + i, &rng, 0);
		good &= !tiles_finish(d, &got) && same(&m, &got);
	}
	ok(good, "a map that grows to the left and below");
	m.x -= 0.05 * 3;
	m.width -= 3;
	for (unsigned int y = 0; y < m.height; y++)
		memmove(m.cells + y * m.width, m.cells + y * (m.width + 3) + 3,
			m.width);
	m.x += 0.05 * 6;
	tiles_encode(e, &m, 1, false, &out);
	ok(!tiles_pending(e), "cells that only moved are no changes");
	m.x += 0.02;
	tiles_encode(e, &m, MAX, false, &out);
	more = bytes();
	ok(more > first, "a shift of part of a cell sends all (%u, %u)",
	   first, more);
	receive(d, 9, &rng, 0);
	ok(!tiles_finish(d, &got), "and it arrives");
	ok(same(&m, &got), "and it arrives");
	tiles_encoder_destroy(e);
	tiles_decoder_destroy(d);
	free(m.cells);
	free(world.cells);
}

/* A window that follows the robot, through the torus of slots */
static void test_window(void)
{
	struct tiles_encoder *e = tiles_encoder_create(200, 200);
	struct tiles_decoder *d = tiles_decoder_create(200, 200);
	struct map world = new_map(SIDE, SIDE), m = new_map(200, 200), got;
	bool good = true;
	uint64_t rng = 7;

	draw_rooms(&world, &rng, 30);
	for (unsigned int i = 0; i < 100; i++) {
		cut(&world, i * 5, abs(250 - (int)i * 7) % 500, &m);
		tiles_encode(e, &m, MAX, true, &out);
		receive(d, i, &rng, 0);
		good &= !tiles_finish(d, &got) && same(&m, &got);
	}
	ok(good, "a window that moves through the world and back");
	tiles_encoder_destroy(e);
	tiles_decoder_destroy(d);
	free(m.cells);
	free(world.cells);
}

static void test_loss(void)
{
	struct tiles_encoder *e = tiles_encoder_create(SIDE, SIDE);
	struct tiles_decoder *d = tiles_decoder_create(SIDE, SIDE);
	struct map m = new_map(SIDE, SIDE), got;
	unsigned int frame = 0, back = 0, tries = 0, step = tap_rounds(7, 1);
	uint64_t rng = 8;

	draw_rooms(&m, &rng, 25);
	draw_noise(&(struct map){ .width = SIDE, .height = tap_rounds(12, 130),
				  .cells = m.cells }, &rng, 100);
	do {
		tiles_encode(e, &m, 40, true, &out);
		receive(d, frame++, &rng, 70);
		tiles_finish(d, &got);
	} while (!same(&m, &got) && frame < 200);
	ok(same(&m, &got), "70 %% of loss: all is there after %u frames",
	   frame);
	tiles_decoder_destroy(d);
	for (unsigned int lost = 0; lost < out.count; lost += step) {
		struct tiles_share s;

		d = tiles_decoder_create(SIDE, SIDE);
		tiles_begin(d, 1);
		for (unsigned int i = out.count; i-- > 0;)
			if (i != lost)
				tiles_add(d, data[i], lens[i]);
		s = tiles_share(d);
		back += s.received;
		tries++;
		tiles_decoder_destroy(d);
	}
	d = tiles_decoder_create(SIDE, SIDE);
	receive(d, 1, &rng, 0);
	ok_eq(back, tries * tiles_share(d).received,
	      "parity: any one of %u datagrams comes back", out.count);
	tiles_encoder_destroy(e);
	tiles_decoder_destroy(d);
	free(m.cells);
}

static void test_small(void)
{
	const unsigned int side = tap_rounds(110, 200);
	struct tiles_encoder *e = tiles_encoder_create(side, side);
	struct tiles_decoder *d = tiles_decoder_create(side, side);
	struct map m = new_map(side, side), got;
	unsigned int frame = 0;
	uint64_t rng = 9;
	bool fits = true;

	draw_noise(&m, &rng, 256);
	out.size = TILES_SIZE_MIN;
	do {
		tiles_encode(e, &m, 1, false, &out);
		fits &= lens[0] <= out.size;
		receive(d, frame++, &rng, 0);
		tiles_finish(d, &got);
	} while (tiles_pending(e) && frame < 2000);
	ok(same(&m, &got),
	   "noise in one datagram of %u bytes a frame: %u frames", out.size,
	   frame);
	ok(fits, "noise in one datagram of %u bytes a frame: %u frames",
	   out.size, frame);
	out.size = PAYLOAD_MAX;
	memset(m.cells, MAP_UNKNOWN, side * side);
	tiles_encoder_destroy(e);
	e = tiles_encoder_create(side, side);
	tiles_encode(e, &m, MAX, true, &out);
	ok_eq(out.count, 1, "an unknown map: %u bytes", lens[0]);
	ok(lens[0] < 40, "an unknown map: %u bytes", lens[0]);
	tiles_encoder_destroy(e);
	tiles_decoder_destroy(d);
	free(m.cells);
}

static void test_bad(void)
{
	struct tiles_encoder *e = tiles_encoder_create(200, 200);
	struct tiles_decoder *d = tiles_decoder_create(200, 200);
	struct tiles_decoder *tiny = tiles_decoder_create(199, 200);
	struct map m = new_map(200, 200), got, wrong;
	unsigned int broken = tap_rounds(500, 20000);
	uint64_t rng = 10;

	draw_rooms(&m, &rng, 5);
	wrong = m;
	wrong.width = 201;
	ok(tiles_encode(e, &wrong, 1, 0, &out) == -E2BIG, "too wide");
	wrong = m;
	wrong.resolution = 0;
	ok(tiles_encode(e, &wrong, 1, 0, &out) == -EINVAL, "no resolution");
	wrong = m;
	wrong.yaw = NAN;
	ok(tiles_encode(e, &wrong, 1, 0, &out) == -EINVAL, "no yaw");
	ok(!tiles_encoder_create(0, 1), "sizes of none");
	ok(!tiles_decoder_create(1, 65536), "sizes of none");
	ok(tiles_finish(d, &got) == -ENODATA, "nothing came yet");
	tiles_encode(e, &m, 1, 0, &out);
	tiles_begin(tiny, 1);
	ok(tiles_add(tiny, data[0], lens[0]) == -E2BIG, "more than expected");
	tiles_begin(d, 1);
	ok_eq(tiles_add(d, data[0], 40), -EINVAL, "cut off: nothing of it");
	ok_eq(tiles_add(d, data[0], lens[0] - 1), -EINVAL,
	      "cut off: nothing of it");
	ok_eq(tiles_finish(d, &got), -ENODATA, "cut off: nothing of it");
	data[0][0] ^= 0x10;
	ok(tiles_add(d, data[0], lens[0]) == -EINVAL, "another version");
	data[0][0] ^= 0x10;
	ok(!tiles_add(d, data[0], lens[0]), "and the right one");
	for (unsigned int i = 0; i < broken; i++) {
		uint8_t copy[PAYLOAD_MAX];

		memcpy(copy, data[0], lens[0]);
		for (unsigned int k = 0; k < 1 + i % 5; k++)
			copy[rnd(&rng, i & 1 ? 60 : lens[0])] = rnd(&rng, 256);
		tiles_begin(d, i);
		tiles_add(d, copy, lens[0] - rnd(&rng, 3));
	}
	ok(!tiles_finish(d, &got), "%u broken ones", broken);
	tiles_encoder_destroy(e);
	tiles_decoder_destroy(d);
	tiles_decoder_destroy(tiny);
	free(m.cells);
}

static void test_real(const char *name, unsigned int most_bytes)
{
	static uint8_t file[4 << 20];
	static int8_t cells[4 << 20];
	struct map m = { .resolution = 0.05f, .x = -24.227, .y = -37.125 };
	struct tiles_encoder *e;
	struct tiles_decoder *d;
	struct map got;
	FILE *f = fopen(name, "rb");
	size_t n;
	uint64_t rng = 11;

	if (!f) {
		ok(true, "%s # SKIP no shared data", name);
		return;
	}
	n = fread(file, 1, sizeof(file), f);
	fclose(f);
	if (map_from_pgm(&m, cells, sizeof(cells), file, n)) {
		ok(false, "%s", name);
		return;
	}
	e = tiles_encoder_create(m.width, m.height);
	d = tiles_decoder_create(m.width, m.height);
	tiles_encode(e, &m, MAX, false, &out);
	receive(d, 1, &rng, 0);
	ok(!tiles_finish(d, &got), "%s: lossless, %u bytes, %u datagrams", name,
	   bytes(), out.count);
	ok(same(&m, &got), "%s: lossless, %u bytes, %u datagrams", name,
	   bytes(), out.count);
	ok(bytes() <= most_bytes, "%s: lossless, %u bytes, %u datagrams", name,
	   bytes(), out.count);
	tiles_encoder_destroy(e);
	tiles_decoder_destroy(d);
}

int main(void)
{
	test_identity();
	test_alone();
	test_changes();
	test_order();
	test_growth();
	test_window();
	test_loss();
	test_small();
	test_bad();
	if (tap_rounds(0, 1))
		test_real(MAPS "intel_0.05.pgm", 24000);
	test_real(MAPS "willow-2010-02-18-0.10.pgm", 6500);
	return tap_done();
}
