// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_mappyramid - halving, interleave and reconstruction of maps
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/cpu.h"
#include "codec/grid/mappyramid.h"
#include "tap.h"

enum { MAX = 256 };

static uint8_t data[MAX][PAYLOAD_MAX];
static uint16_t lens[MAX];
static struct payloads out = {
	.data = data[0], .stride = PAYLOAD_MAX, .len = lens,
	.size = PAYLOAD_MAX, .max = MAX,
};

static struct map new_map(unsigned int w, unsigned int h, uint64_t *rng)
{
	static const int8_t values[] = { -1, -1, 0, 0, 0, 100, 57 };
	struct map m = { .width = w, .height = h, .resolution = 0.05f,
			 .x = 1.5, .y = -2.25, .yaw = 0.5 };

	m.cells = malloc((size_t)w * h);
	for (unsigned int i = 0; i < w * h; i++)
		m.cells[i] = values[rnd(rng, sizeof(values))];
	return m;
}

static int8_t highest_of(const struct map *m, unsigned int x, unsigned int y)
{
	int8_t most = INT8_MIN;

	for (unsigned int i = 2 * y; i < 2 * y + 2 && i < m->height; i++)
		for (unsigned int k = 2 * x; k < 2 * x + 2 && k < m->width;
		     k++)
			if (m->cells[i * m->width + k] > most)
				most = m->cells[i * m->width + k];
	return most;
}

static void test_halve(void)
{
	uint64_t rng = 1;
	bool good = true;

	for (unsigned int i = 0; i < 300; i++) {
		struct map m = new_map(1 + rnd(&rng, 300), 1 + rnd(&rng, 9),
				       &rng);
		unsigned int w = (m.width + 1) / 2, h = (m.height + 1) / 2;
		int8_t *fast = malloc(w * h), *plain = malloc(w * h);

		if (i % 3 == 0)
			m.cells[rnd(&rng, m.width)] = INT8_MIN;
		mappyramid_halve(m.cells, m.width, m.height, fast);
		cpu_portable = true;
		mappyramid_halve(m.cells, m.width, m.height, plain);
		cpu_portable = false;
		good &= !memcmp(fast, plain, w * h);
		for (unsigned int k = 0; k < w * h; k++)
			good &= fast[k] == highest_of(&m, k % w, k / w);
		free(fast);
		free(plain);
		free(m.cells);
	}
	ok(good, "the highest of 2x2 cells stays, on both paths");
}

/* D6.3, table 3 */
static void test_pattern(void)
{
	static const uint8_t table[4][4] = {
		{ 0, 8, 2, 10 }, { 12, 4, 14, 6 },
		{ 3, 11, 1, 9 }, { 15, 7, 13, 5 },
	};
	struct mappyramid_encoder *e = mappyramid_encoder_create(144, 144);
	uint64_t rng = 2;
	struct map m = new_map(144, 144, &rng);
	bool good;

	mappyramid_encode(e, &m, 256, &out);
	good = out.count == 16;
	for (unsigned int i = 0; i < 16; i++)
		good &= data[table[i / 4][i % 4]][MAPPYRAMID_HEADER] ==
			(uint8_t)m.cells[i / 4 * 144 + i % 4];
	ok(good, "the pattern is the published one");
	mappyramid_encoder_destroy(e);
	free(m.cells);
}

/* Whether each cell is one of the nearest that came */
static bool is_nearest(const struct map *m, const struct map *got,
		       const bool *came)
{
	int w = m->width, h = m->height;

	for (int i = 0; i < w * h; i++) {
		int least = 1 << 30;
		bool found = false;

		for (int k = 0; k < w * h; k++) {
			int dx = k % w - i % w, dy = k / w - i / w;
			int d = dx * dx + dy * dy;

			if (!came[k] || d > least)
				continue;
			found = (d == least && found) ||
				m->cells[k] == got->cells[i];
			least = d;
		}
		if (!found)
			return false;
	}
	return true;
}

static void test_subsets(void)
{
	uint64_t rng = 3;
	bool good = true, exact = true;

	/* far from the border, where the pattern repeats, by brute force */
	for (unsigned int i = 0; i < 40; i++) {
		unsigned int w = 36 + rnd(&rng, 20), h = 36 + rnd(&rng, 20);
		struct mappyramid_encoder *e = mappyramid_encoder_create(w, h);
		struct mappyramid_decoder *d = mappyramid_decoder_create();
		struct map m = new_map(w, h, &rng), got;
		bool *came = calloc(w * h, 1);
		unsigned int n = 0, lost = 1 + rnd(&rng, 3);

		mappyramid_encode(e, &m, 4, &out);
		mappyramid_begin(d);
		for (unsigned int k = 0; k < out.count; k++) {
			unsigned int x = k == 2 || k == 1, y = k & 1;

			if (k < lost)
				continue;
			n += !mappyramid_add(d, data[k], lens[k]);
			for (unsigned int c = 0; c < w * h; c++)
				came[c] |= c % w % 2 == x && c / w % 2 == y;
		}
		good &= n && !mappyramid_finish(d, &got) &&
			is_nearest(&m, &got, came);
		for (unsigned int k = 0; k < lost; k++)
			mappyramid_add(d, data[k], lens[k]);
		exact &= !mappyramid_finish(d, &got) &&
			 !memcmp(m.cells, got.cells, w * h) &&
			 got.x == m.x && got.y == m.y && got.yaw == m.yaw &&
			 got.resolution == m.resolution;
		mappyramid_encoder_destroy(e);
		mappyramid_decoder_destroy(d);
		free(m.cells);
		free(came);
	}
	ok(good, "what is lost is a copy of the nearest that came");
	ok(exact, "all of them are the map");
}

static void test_sizes(void)
{
	static const unsigned int sizes[][2] = {
		{ 1, 1 }, { 5000, 1 }, { 1, 5000 }, { 3, 700 }, { 520, 640 },
		{ 1116, 1121 }, { 3000, 2999 }, { 65535, 2 },
	};
	uint64_t rng = 4;

	for (unsigned int i = 0; i < 8; i++) {
		unsigned int w = sizes[i][0], h = sizes[i][1];
		struct mappyramid_encoder *e = mappyramid_encoder_create(w, h);
		struct mappyramid_decoder *d = mappyramid_decoder_create();
		struct map m = new_map(w, h, &rng), got, half;
		bool alone = true, fits = true;
		unsigned int times = 0;

		mappyramid_encode(e, &m, 256, &out);
		ok(out.count <= 256, "%ux%u: %u datagrams", w, h, out.count);
		mappyramid_begin(d);
		for (unsigned int k = out.count; k-- > 0;) {
			mappyramid_add(d, data[k], lens[k]);
			fits &= lens[k] <= MAPPYRAMID_HEADER +
				MAPPYRAMID_CELLS;
		}
		ok(!mappyramid_finish(d, &got), "%ux%u arrives", w, h);
		ok(fits, "%ux%u arrives", w, h);
		half = m;
		for (; half.width > got.width; times++) {
			int8_t *p = malloc((size_t)(half.width + 1) / 2 *
					   ((half.height + 1) / 2));

			mappyramid_halve(half.cells, half.width, half.height,
					 p);
			half.width = (half.width + 1) / 2;
			half.height = (half.height + 1) / 2;
			free(half.cells);
			half.cells = p;
		}
		ok_eq(half.height, got.height, "%ux%u: halved %u times, %ux%u",
		      w, h, times, got.width, got.height);
		ok_mem(half.cells, got.cells, (size_t)got.width * got.height,
		       "%ux%u: halved %u times, %ux%u", w, h, times, got.width,
		       got.height);
		ok(got.resolution == m.resolution * (1 << times),
		   "%ux%u: halved %u times, %ux%u", w, h, times, got.width,
		   got.height);
		for (unsigned int k = 0; k < out.count; k++) {
			mappyramid_begin(d);
			alone &= !mappyramid_add(d, data[k], lens[k]);
			alone &= !mappyramid_finish(d, &got) ||
				 lens[k] == MAPPYRAMID_HEADER;
		}
		ok(alone, "%ux%u: each alone shows it all", w, h);
		mappyramid_encoder_destroy(e);
		mappyramid_decoder_destroy(d);
		free(half.cells);
	}
}

static void test_bad(void)
{
	struct mappyramid_encoder *e = mappyramid_encoder_create(100, 100);
	struct mappyramid_decoder *d = mappyramid_decoder_create();
	uint64_t rng = 5;
	struct map m = new_map(100, 100, &rng), got;
	uint8_t copy[PAYLOAD_MAX];
	int8_t first;

	mappyramid_encode(e, &m, 256, &out);
	mappyramid_begin(d);
	ok(mappyramid_finish(d, &got) == -ENODATA, "nothing came");
	ok_eq(mappyramid_add(d, data[0], lens[0] - 1), -EINVAL,
	      "wrong lengths");
	ok_eq(mappyramid_add(d, data[0], lens[0] + 1), -EINVAL,
	      "wrong lengths");
	ok_eq(mappyramid_add(d, data[0], 20), -EINVAL, "wrong lengths");
	ok(!mappyramid_add(d, data[0], lens[0]), "a duplicate");
	ok_eq(mappyramid_add(d, data[0], lens[0]), -EEXIST, "a duplicate");
	memcpy(copy, data[1], lens[1]);
	copy[12] ^= 1;
	ok(mappyramid_add(d, copy, lens[1]) == -EPROTO, "of another map");
	mappyramid_finish(d, &got);
	first = got.cells[0];
	memcpy(copy, data[1], lens[1]);
	copy[0] = 0x2f;
	ok_eq(mappyramid_add(d, copy, lens[1]), -EINVAL,
	      "another version: nothing has changed");
	ok(!mappyramid_finish(d, &got), "another version: nothing has changed");
	ok_eq(got.cells[0], first, "another version: nothing has changed");
	for (unsigned int i = 0; i < 20000; i++) {
		memcpy(copy, data[i % 4], lens[i % 4]);
		for (unsigned int k = 0; k < 1 + i % 3; k++)
			copy[rnd(&rng, MAPPYRAMID_HEADER)] = rnd(&rng, 256);
		mappyramid_begin(d);
		if (!mappyramid_add(d, copy, lens[i % 4]))
			mappyramid_finish(d, &got);
	}
	mappyramid_begin(d);
	ok(!mappyramid_add(d, data[0], lens[0]),
	   "20000 broken ones: the next good one is read");
	ok(!mappyramid_finish(d, &got),
	   "20000 broken ones: the next good one is read");
	ok_eq(got.cells[0], first,
	      "20000 broken ones: the next good one is read");
	m.width = 101;
	ok(mappyramid_encode(e, &m, 256, &out) == -E2BIG, "too wide");
	m.width = 0;
	ok(mappyramid_encode(e, &m, 256, &out) == -EINVAL, "no map");
	mappyramid_encoder_destroy(e);
	mappyramid_decoder_destroy(d);
	free(m.cells);
}

int main(void)
{
	test_halve();
	test_pattern();
	test_subsets();
	test_sizes();
	test_bad();
	return tap_done();
}
