/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * depth_fixture.h - made-up depth images for tests: a room as a sensor of
 * disparity sees it
 *
 * Whole numbers only: the same image on any machine.
 */
#ifndef TEST_DEPTH_FIXTURE_H
#define TEST_DEPTH_FIXTURE_H

#include <stdlib.h>
#include "codec/image/image.h"
#include "tap.h"

enum { DEPTH_FOCUS = 525, DEPTH_BASELINE = 600000 };	/* disparity * mm */

static inline struct image depth_image(unsigned int width, unsigned int height)
{
	struct image i = {
		.width = width, .height = height, .channels = 1, .depth = 16,
		.stride = width * 2,
	};

	i.data = calloc(height, i.stride);
	return i;
}

static inline uint16_t *depth_row(const struct image *i, unsigned int y)
{
	return (uint16_t *)image_row(i, y);
}

/* Disparity of a place in a room of boxes, 640x480; 1/256 */
static inline int depth_place(int x, int y)
{
	/* a wall 4 m away that turns, and the floor 1.2 m below */
	int best = DEPTH_BASELINE / 4000 * 256 + (x - 320) * 24;
	int floor = y > 250 ? (y - 250) * (DEPTH_BASELINE / 1200) * 256 /
			      DEPTH_FOCUS : 0;
	static const struct {
		int x0, y0, x1, y1, z, turn;
	} boxes[] = {
		{ 60, 180, 210, 400, 2200, 40 }, { 250, 120, 330, 300, 3100, 0 },
		{ 400, 260, 600, 470, 1400, -70 }, { 360, 60, 372, 380, 1900, 0 },
	};

	best = floor > best ? floor : best;
	for (unsigned int b = 0; b < sizeof(boxes) / sizeof(*boxes); b++) {
		int d = DEPTH_BASELINE / boxes[b].z * 256 +
			(x - boxes[b].x0) * boxes[b].turn;

		if (x >= boxes[b].x0 && x < boxes[b].x1 &&
		    y >= boxes[b].y0 && y < boxes[b].y1 && d > best)
			best = d;
	}
	return best;
}

/**
 * depth_room() - a room: depths in mm that few disparities give, shadows
 * beside what is near, specks and a window without depth
 */
static inline struct image depth_room(unsigned int width, unsigned int height,
				      uint64_t *rng)
{
	struct image i = depth_image(width, height);

	for (unsigned int y = 0; y < height; y++)
		for (unsigned int x = 0; x < width; x++) {
			int px = x * 640 / width, py = y * 480 / height;
			int d = depth_place(px, py);
			int beside = depth_place(px + 12, py);
			int noise = (int)rnd(rng, 97) - 48;

			if (beside > d + 20 * 256 || rnd(rng, 700) == 0 ||
			    (px > 480 && px < 570 && py > 40 && py < 170))
				continue;
			/* an eighth of a disparity is what it tells */
			d = (d + noise / 2 + 16) / 32;
			depth_row(&i, y)[x] = DEPTH_BASELINE * 8 / d;
		}
	return i;
}

#endif
