// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_grid_layers - maps of several layers of numbers
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "codec/grid/layers.h"
#include "tap.h"

enum { SIDE = 200, LAYERS = 4, SLOTS = 256 };

static uint64_t rng = 1;
static float cells[LAYERS][SIDE * SIDE];
static struct layers_grid grid;
static struct payloads sent;
static struct layers_encoder *encoder;
static struct layers_decoder *decoder;
static uint32_t frame;

static void make(void)
{
	static const char *const names[LAYERS] = {
		"elevation", "hazard", "gas", "temperature",
	};

	grid = (struct layers_grid){
		.width = SIDE, .height = SIDE - 10, .resolution = .05f,
		.x = -3, .y = 2, .yaw = 0, .layers = LAYERS,
	};
	for (unsigned int l = 0; l < LAYERS; l++) {
		strcpy(grid.layer[l].name, names[l]);
		grid.layer[l].basic = l == 1;
		grid.layer[l].cells = cells[l];
	}
	for (unsigned int i = 0; i < SIDE * SIDE; i++) {
		unsigned int x = i % SIDE, y = i / SIDE;
		bool out = hypot(x - 100., y - 90.) > 80;

		cells[0][i] = out ? NAN : sinf(x * .05f) * 1.5f;
		cells[1][i] = out ? NAN : x % 50 < 5 ? 1 : .25f;
		cells[2][i] = x < 30 ? NAN : y * .5f;
		cells[3][i] = out ? NAN : 280 + cosf(y * .02f) * 20;
	}
	cells[3][100 * SIDE + 100] = INFINITY;
}

/* Return: the largest error of a layer, of its range; -1: unknown differs */
static double worst(const struct layers_grid *back, unsigned int l, double range)
{
	double most = 0;

	for (unsigned int y = 0; y < grid.height; y++)
		for (unsigned int x = 0; x < grid.width; x++) {
			float a = grid.layer[l].cells[y * grid.width + x];
			float b = back->layer[l].cells[y * grid.width + x];

			if (!isfinite(a) != !isfinite(b))
				return -1;
			if (isfinite(a) && fabs(a - b) / range > most)
				most = fabs(a - b) / range;
		}
	return most;
}

/* A frame over a link that loses */
static int pass(unsigned int most, unsigned int loss)
{
	int ret = layers_encode(encoder, &grid, most, &sent);

	layers_begin(decoder, frame++);
	for (unsigned int i = 0; !ret && i < sent.count; i++)
		if (rnd(&rng, 100) >= loss)
			layers_add(decoder, payload_at(&sent, i), sent.len[i]);
	return ret;
}

static bool shape_is(const struct layers_grid *g)
{
	return g->width == grid.width && g->height == grid.height &&
	       g->resolution == grid.resolution && g->x == grid.x &&
	       g->y == grid.y && g->yaw == grid.yaw;
}

static void test_whole(void)
{
	static const double ranges[LAYERS] = { 4, 1, 100, 512 };
	struct layers_grid back;
	double most = 0;

	ok(layers_finish(decoder, &back) == -ENODATA, "nothing came yet");
	pass(SLOTS, 0);
	ok(sent.count, "a grid in %u datagrams", sent.count);
	ok(sent.count <= SLOTS, "a grid in %u datagrams", sent.count);
	ok(!layers_finish(decoder, &back), "a grid in %u datagrams",
	   sent.count);
	for (unsigned int i = 0; i < tap_rounds(5, 20); i++)
		pass(SLOTS, 0);
	layers_finish(decoder, &back);
	ok(shape_is(&back), "with all it is");
	ok_eq(back.layers, LAYERS, "with all it is");
	ok_str(back.layer[3].name, "temperature", "with all it is");
	ok(back.layer[1].basic, "with all it is");
	ok(!back.layer[0].basic, "with all it is");
	for (unsigned int l = 0; l < LAYERS; l++) {
		double w = worst(&back, l, ranges[l]);

		most = w < 0 || w > most ? fabs(w) : most;
	}
	ok(most <= .5 / 10200 + 1e-6, "to 0.005 %% of its range: %f", most);
	ok(layers_share(decoder) == 1, "all is here");
}

static void test_lossy(void)
{
	struct layers_grid back;
	unsigned int few = 0;

	layers_decoder_destroy(decoder);
	decoder = layers_decoder_create(SIDE + 100, SIDE + 100);
	while (layers_share(decoder) < 1 && few < 2000) {
		pass(6, 50);
		few++;
	}
	layers_finish(decoder, &back);
	ok(layers_share(decoder) == 1,
	   "six datagrams at a time, half of them lost: whole after %u", few);
	ok_eq(back.layers, LAYERS,
	      "six datagrams at a time, half of them lost: whole after %u",
	      few);
	ok(worst(&back, 2, 100) >= 0,
	   "six datagrams at a time, half of them lost: whole after %u", few);
	ok(worst(&back, 2, 100) < 1e-4,
	   "six datagrams at a time, half of them lost: whole after %u", few);
}

/* The window follows the robot, by whole cells */
static void test_moves(void)
{
	struct layers_grid back;

	grid.x += 10 * grid.resolution;
	for (unsigned int l = 0; l < LAYERS; l++)
		memmove(cells[l], cells[l] + 10,
			(SIDE * SIDE - 10) * sizeof(float));
	for (unsigned int i = 0; i < tap_rounds(15, 40); i++)
		pass(40, 20);
	layers_finish(decoder, &back);
	ok(shape_is(&back), "a window that moves");
	ok(worst(&back, 0, 4) >= 0, "a window that moves");
	ok(worst(&back, 0, 4) < 1e-4, "a window that moves");
	cells[0][50 * SIDE + 100] = 30;
	for (unsigned int i = 0; i < tap_rounds(20, 60); i++)
		pass(40, 20);
	layers_finish(decoder, &back);
	ok(worst(&back, 0, 64) >= 0, "a range that grows");
	ok(worst(&back, 0, 64) < 1e-4, "a range that grows");
}

static void test_bad(void)
{
	struct layers_grid other = grid;
	unsigned int taken = 0;
	uint8_t p[PAYLOAD_MAX];

	other.layers = 0;
	ok(layers_encode(encoder, &other, 10, &sent) == -EINVAL, "no layers");
	other = grid;
	other.width = SIDE + 200;
	ok(layers_encode(encoder, &other, 10, &sent) == -E2BIG, "too large");
	pass(10, 100);
	for (size_t n = 0; n < LAYERS_HEADER + 7; n++)
		taken += !layers_add(decoder, payload_at(&sent, 0), n);
	ok(!taken, "one that was cut is refused");
	for (unsigned int i = 0; i < 20000; i++) {
		unsigned int k = rnd(&rng, sent.count);

		memcpy(p, payload_at(&sent, k), sent.len[k]);
		p[rnd(&rng, rnd(&rng, 2) ? 40 : sent.len[k])] = rnd(&rng, 256);
		layers_add(decoder, p, sent.len[k]);
		if (!(i % 1000)) {
			struct layers_grid back;

			layers_finish(decoder, &back);
		}
	}
	pass(SLOTS, 0);
	ok(!layers_finish(decoder, &other),
	   "bytes changed on the way: the next is read");
	ok(shape_is(&other), "bytes changed on the way: the next is read");
	ok_eq(other.layers, LAYERS,
	      "bytes changed on the way: the next is read");
}

int main(void)
{
	make();
	payloads_create(&sent, SLOTS);
	encoder = layers_encoder_create(SIDE + 100, SIDE + 100);
	decoder = layers_decoder_create(SIDE + 100, SIDE + 100);
	test_whole();
	test_lossy();
	test_moves();
	test_bad();
	layers_encoder_destroy(encoder);
	layers_decoder_destroy(decoder);
	payloads_destroy(&sent);
	return tap_done();
}
