// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_movement - how fast what a camera sees changes
 */
#include <math.h>
#include "codec/image/movement.h"
#include "images.h"

enum { W = 320, H = 240 };

#define SECOND 1000000000LL

static uint64_t rng = 1;
static struct movement m;
static uint8_t pixels[W * H * 6];

/* A texture, moved by @x pixels */
static struct image view(double x, unsigned int channels, unsigned int depth)
{
	struct image i = { W, H, channels, depth, 0, pixels };

	i.stride = (size_t)W * image_pixel(&i);
	for (unsigned int v = 0; v < H; v++)
		for (unsigned int u = 0; u < W * channels; u++) {
			const double p = u / channels + x;
			const double value = 128 + 50 * sin(p * .31) +
					     40 * sin(p * .07 + v * .2) +
					     rnd(&rng, 3);

			if (depth == 8)
				image_row(&i, v)[u] = value;
			else
				((uint16_t *)image_row(&i, v))[u] = value * 9;
		}
	return i;
}

static void watch(double speed, double hz, unsigned int n,
		  unsigned int channels, unsigned int depth)
{
	m.images = 0;
	for (unsigned int k = 0; k < n; k++) {
		const struct image i = view(k * speed, channels, depth);

		movement_add(&m, &i, 1000 * SECOND +
				     (int64_t)(k * SECOND / hz));
	}
}

/* Mean squared change of all pixels after @t, of what moves with @speed */
static double real(double speed, double hz, double t)
{
	static uint8_t before[W * H];
	double sum = 0;

	view(0, 1, 8);
	for (unsigned int i = 0; i < W * H; i++)
		before[i] = pixels[i];
	view(speed * hz * t, 1, 8);
	for (unsigned int i = 0; i < W * H; i++)
		sum += (pixels[i] - before[i]) * (pixels[i] - before[i]);
	return sum / (W * H);
}

static void test_speeds(void)
{
	static const double speeds[] = { .3, 1, 2 };

	for (unsigned int i = 0; i < 3; i++) {
		const double want = real(speeds[i], 20, .1);
		double got;

		watch(speeds[i], 20, 12, 1, 8);
		got = m.moved * pow(.1 / m.after, m.growth);
		ok(m.known,
		   "%.1f pixels an image: %.0f after 0.1 s, %.0f in truth",
		   speeds[i], got, want);
		ok(got > want / 1.5,
		   "%.1f pixels an image: %.0f after 0.1 s, %.0f in truth",
		   speeds[i], got, want);
		ok(got < want * 1.5,
		   "%.1f pixels an image: %.0f after 0.1 s, %.0f in truth",
		   speeds[i], got, want);
	}
}

static void test_noise(void)
{
	double slow, colour;

	watch(0, 20, 12, 1, 8);
	ok(m.moved < 3, "noise: %.1f, whatever the time", m.moved);
	ok(m.growth < .4, "noise: %.1f, whatever the time", m.moved);
	watch(1, 20, 12, 1, 8);
	slow = m.moved;
	watch(1, 20, 12, 3, 8);
	colour = m.moved;
	ok(colour > slow / 2, "colours likewise");
	ok(colour < slow * 1.5, "colours likewise");
	watch(1, 20, 12, 1, 16);
	ok(m.moved > 60 * slow, "and 16 bit, in its own unit");
	ok(m.moved < 100 * slow, "and 16 bit, in its own unit");
}

static void test_breaks(void)
{
	const struct image i = view(0, 1, 8), wide = { W / 2, H, 2, 8, W,
						       pixels };

	watch(1, 20, 12, 1, 8);
	movement_add(&m, &i, 900 * SECOND);
	ok(!m.known, "the stamps jumped back: it starts again");
	watch(1, 20, 12, 1, 8);
	movement_add(&m, &i, 1500 * SECOND);
	ok(!m.known, "after a pause, too");
	watch(1, 20, 12, 1, 8);
	movement_add(&m, &wide, 1001 * SECOND);
	ok(!m.known, "and with another shape");
	watch(1, 20, 12, 1, 8);
	for (unsigned int k = 0; k < 5; k++)
		movement_add(&m, &i, 1001 * SECOND + k * SECOND / 20);
	ok(m.known, "one that repeats is not one that stands yet");
	ok(m.moved > 1, "one that repeats is not one that stands yet");
	for (unsigned int w = 1; w < 4; w++) {
		const struct image tiny = { w, 1, 1, 8, w, pixels };

		movement_add(&m, &tiny, 1002 * SECOND);
	}
	ok(!m.known, "images of a few pixels: not enough to know");
}

int main(void)
{
	test_speeds();
	test_noise();
	test_breaks();
	return tap_done();
}
