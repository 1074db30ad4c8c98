// SPDX-License-Identifier: GPL-2.0-only
/*
 * bench_map - what maps cost: bytes and time, next to peers in the same run
 *
 * Tiles next to zlib (level 9) of the same 64x64 tiles, each alone; halving
 * next to memcpy() of the map. Thread CPU time, best of many. Maps:
 * ../shared/data/maps where that is there, else a made one.
 *
 * usage: bench_map
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include "base/cpu.h"
#include "best.h"
#include "codec/grid/mappyramid.h"
#include "codec/grid/tilecode.h"
#include "codec/grid/tiles.h"

#define MAPS "../shared/data/maps/"

enum {
	MAX = 256, ROUNDS = 20, SIDE = TILECODE_SIDE,
	FILE_MAX = 8 << 20, CELLS = SIDE * SIDE,
	SUBMAP = 200,
};

static uint8_t data[MAX][PAYLOAD_MAX];
static uint16_t lens[MAX];
static struct payloads out = {
	.data = data[0], .stride = PAYLOAD_MAX, .len = lens,
	.size = PAYLOAD_MAX, .max = MAX,
};

static unsigned int bytes(void)
{
	unsigned int sum = 0;

	for (unsigned int i = 0; i < out.count; i++)
		sum += lens[i];
	return sum;
}

static bool cut(const struct map *m, unsigned int x0, unsigned int y0,
		int8_t cells[CELLS])
{
	bool known = false;

	memset(cells, MAP_UNKNOWN, CELLS);
	for (unsigned int y = 0; y < SIDE && y0 + y < m->height; y++)
		for (unsigned int x = 0; x < SIDE && x0 + x < m->width; x++) {
			cells[y * SIDE + x] = m->cells[(size_t)(y0 + y) *
						       m->width + x0 + x];
			known |= cells[y * SIDE + x] != MAP_UNKNOWN;
		}
	return known;
}

/**
 * struct cost - of the tiles of a map that have something known
 */
struct cost {
	unsigned int	tiles, ours, zlib;
	double		ours_us, decode_us, zlib_us;
};

static void add_tile(struct tilecode *code, const int8_t cells[CELLS],
		     struct cost *c)
{
	uint8_t coded[2 * CELLS], packed[2 * CELLS];
	int8_t back[CELLS];
	uLongf n = sizeof(packed);
	int len = 0;

	c->ours_us += BEST(3, len = tilecode_encode(code, cells, SIDE, SIDE,
						    coded, sizeof(coded)));
	c->decode_us += BEST(3, tilecode_decode(code, back, SIDE, SIDE, coded,
						len));
	if (memcmp(back, cells, CELLS))
		abort();
	c->zlib_us += BEST(3, (n = sizeof(packed), compress2(packed, &n,
				(const uint8_t *)cells, CELLS, 9)));
	c->tiles++;
	c->ours += len;
	c->zlib += n;
}

static void bench_tiles(const char *name, const struct map *maps,
			unsigned int n)
{
	struct tilecode *code = tilecode_create();
	struct cost c = { 0 };
	int8_t cells[CELLS];

	for (unsigned int i = 0; i < n; i++)
		for (unsigned int y = 0; y < maps[i].height; y += SIDE)
			for (unsigned int x = 0; x < maps[i].width; x += SIDE)
				if (cut(&maps[i], x, y, cells))
					add_tile(code, cells, &c);
	tilecode_destroy(code);
	printf("%s: %u tiles, %.0f bytes a map; zlib %.0f, ratio %.2f\n",
	       name, c.tiles, (double)c.ours / n, (double)c.zlib / n,
	       (double)c.ours / c.zlib);
	printf("%s: %.1f us a tile, decoded in %.1f; zlib %.1f, ratio %.2f\n",
	       name, c.ours_us / c.tiles, c.decode_us / c.tiles,
	       c.zlib_us / c.tiles, c.ours_us / c.zlib_us);
}

/* A map as it is sent: at first, when a little changed, when nothing did */
static void bench_sending(const char *name, struct map *m)
{
	struct tiles_encoder *e = tiles_encoder_create(m->width, m->height);
	struct tiles_decoder *d = tiles_decoder_create(m->width, m->height);
	struct map got;
	double us, back;

	us = BEST(1, tiles_encode(e, m, MAX, false, &out));
	back = BEST(1, ({
		tiles_begin(d, 1);
		for (unsigned int i = 0; i < out.count; i++)
			tiles_add(d, data[i], lens[i]);
		tiles_finish(d, &got);
	}));
	if (memcmp(got.cells, m->cells, (size_t)m->width * m->height))
		abort();
	printf("%s: the whole map: %u datagrams, %u bytes, %.0f us, back in "
	       "%.0f us\n", name, out.count, bytes(), us, back);
	tiles_encode(e, m, MAX, true, &out);
	printf("%s: with parity: %u datagrams, %u bytes\n", name, out.count,
	       bytes());
	us = BEST(ROUNDS, tiles_encode(e, m, 1, false, &out));
	printf("%s: one datagram of a map that stays: %.0f us\n", name, us);
	tiles_encoder_destroy(e);
	tiles_decoder_destroy(d);
}

static void bench_pyramid(const char *name, const struct map *m)
{
	struct mappyramid_encoder *e =
		mappyramid_encoder_create(m->width, m->height);
	size_t n = (size_t)m->width * m->height;
	int8_t *half = malloc(n);
	double fast, plain, copy;

	mappyramid_encode(e, m, MAX, &out);
	printf("%s: D6.3: %u datagrams, %u bytes\n", name, out.count,
	       bytes());
	copy = BEST(ROUNDS, ({ memcpy(half, m->cells, n);
			       __asm__ volatile("" : : "r"(half) : "memory");
			    }));
	fast = BEST(ROUNDS, mappyramid_halve(m->cells, m->width, m->height,
					     half));
	cpu_portable = true;
	plain = BEST(ROUNDS, mappyramid_halve(m->cells, m->width, m->height,
					      half));
	cpu_portable = false;
	printf("%s: halving: %.0f us, %.1f Gcell/s, %.2f of memcpy(), "
	       "portable %.0f us\n", name, fast, n / fast / 1000, copy / fast,
	       plain);
	mappyramid_encoder_destroy(e);
	free(half);
}

/* Rooms within walls, somewhat ragged */
static void draw(struct map *m)
{
	srand(1);
	memset(m->cells, MAP_UNKNOWN, (size_t)m->width * m->height);
	for (int i = 0; i < 30; i++) {
		unsigned int w = 20 + rand() % 200, h = 20 + rand() % 200;
		unsigned int x0 = rand() % (m->width - w);
		unsigned int y0 = rand() % (m->height - h);

		for (unsigned int y = 0; y < h; y++)
			for (unsigned int x = 0; x < w; x++)
				m->cells[(y0 + y) * m->width + x0 + x] =
					!x || !y || x == w - 1 || y == h - 1 ?
					100 : rand() % 30 ? 0 : -1;
	}
}

static size_t load(const char *name, uint8_t *file)
{
	char path[256];
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), MAPS "%s", name);
	f = fopen(path, "rb");
	if (!f)
		return 0;
	n = fread(file, 1, FILE_MAX, f);
	fclose(f);
	return n;
}

static void bench_file(const char *name, uint8_t *file, int8_t *cells)
{
	struct map m = { .resolution = 0.05f };
	size_t n = load(name, file);

	if (!n || map_from_pgm(&m, cells, FILE_MAX, file, n))
		return;
	bench_tiles(name, &m, 1);
	bench_sending(name, &m);
	bench_pyramid(name, &m);
}

static void bench_submaps(const char *name, uint8_t *file)
{
	size_t n = load(name, file) / (SUBMAP * SUBMAP);
	struct map *maps = calloc(n + 1, sizeof(*maps));

	for (size_t i = 0; i < n; i++)
		maps[i] = (struct map){
			.width = SUBMAP, .height = SUBMAP,
			.resolution = 0.05f,
			.cells = (int8_t *)file + i * SUBMAP * SUBMAP,
		};
	if (n)
		bench_tiles(name, maps, n);
	free(maps);
}

int main(void)
{
	uint8_t *file = malloc(FILE_MAX);
	int8_t *cells = malloc(FILE_MAX);
	struct map made = { .width = 1000, .height = 900, .resolution = 0.05f,
			    .cells = cells };

	draw(&made);
	bench_tiles("made", &made, 1);
	bench_sending("made", &made);
	bench_pyramid("made", &made);
	bench_file("intel_0.05.pgm", file, cells);
	bench_file("willow-2010-02-18-0.10.pgm", file, cells);
	bench_submaps("intel_submaps_148x200x200.i8", file);
	free(file);
	free(cells);
	return 0;
}
