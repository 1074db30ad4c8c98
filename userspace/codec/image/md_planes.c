// SPDX-License-Identifier: GPL-2.0-only
/*
 * md_planes - pixels to coefficients and back
 *
 * Colours are rotated so that the first channel has most of the energy: lossy
 * by an orthonormal matrix, so that an error counts the same in every channel;
 * reversible by YCoCg-R (Malvar and Sullivan, 2003).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "codec/image/dwt.h"
#include "codec/image/md_planes.h"

#define R3	0.57735026919f	/* 1 / sqrt 3 */
#define R2	0.70710678119f
#define R6	0.40824829046f

/* A word of a plane is a float or an integer sample */
static inline float as_float(uint32_t word)
{
	float f;

	memcpy(&f, &word, sizeof(f));
	return f;
}

static inline uint32_t as_word(float f)
{
	uint32_t word;

	memcpy(&word, &f, sizeof(f));
	return word;
}

int md_planes_create(struct md_planes *p, unsigned int width,
		     unsigned int height, unsigned int channels)
{
	size_t size = (size_t)width * height;

	memset(p, 0, sizeof(*p));
	p->scratch = malloc(dwt_scratch(width, height) * sizeof(uint32_t));
	p->words[0] = malloc(size * channels * sizeof(uint32_t));
	if (!p->scratch || !p->words[0]) {
		md_planes_destroy(p);
		return -ENOMEM;
	}
	p->size = size;
	return 0;
}

void md_planes_destroy(struct md_planes *p)
{
	free(p->scratch);
	free(p->words[0]);
}

unsigned int md_middle(const struct image *image)
{
	unsigned int least = 65535, most = 0;

	if (image->depth == 8)
		return 128;
	for (unsigned int y = 0; y < image->height; y++) {
		const uint16_t *row = (const uint16_t *)image_row(image, y);

		for (unsigned int i = 0; i < image->width * image->channels;
		     i++) {
			least = row[i] < least ? row[i] : least;
			most = row[i] > most ? row[i] : most;
		}
	}
	return (least + most) / 2;
}

unsigned int md_levels(unsigned int width, unsigned int height)
{
	unsigned int side = width < height ? width : height, levels = 0;

	while (levels < 6 && side >> levels > 8)
		levels++;
	return levels;
}

/*
 * A row of a channel, between the image and its plane. With a single channel
 * the compiler vectorises it.
 */
#define ROW_BY(n)							\
	for (unsigned int x = 0; x < width; x++)			\
		plane[x] = row[x * (n)] - middle

static void load_row8(int32_t *restrict plane, const uint8_t *restrict row,
		      unsigned int width, unsigned int n, int middle)
{
	if (n == 1)
		ROW_BY(1);
	else
		ROW_BY(n);
}

static void load_row16(int32_t *restrict plane, const uint16_t *restrict row,
		       unsigned int width, unsigned int n, int middle)
{
	if (n == 1)
		ROW_BY(1);
	else
		ROW_BY(n);
}

#undef ROW_BY
#define ROW_BY(n)							\
	for (unsigned int x = 0; x < width; x++) {			\
		int32_t v = plane[x] + middle;				\
									\
		row[x * (n)] = v < 0 ? 0 : v > most ? most : v;		\
	}

static void store_row8(const int32_t *restrict plane, uint8_t *restrict row,
		       unsigned int width, unsigned int n, int middle)
{
	const int32_t most = 255;

	if (n == 1)
		ROW_BY(1)
	else
		ROW_BY(n)
}

static void store_row16(const int32_t *restrict plane, uint16_t *restrict row,
			unsigned int width, unsigned int n, int middle)
{
	const int32_t most = 65535;

	if (n == 1)
		ROW_BY(1)
	else
		ROW_BY(n)
}

static void md_planes_load(struct md_planes *p, const struct image *image,
			   int middle)
{
	unsigned int n = image->channels, w = image->width;

	for (unsigned int y = 0; y < image->height; y++) {
		uint8_t *row = image_row(image, y);

		for (unsigned int c = 0; c < n; c++) {
			int32_t *plane = (int32_t *)p->words[c] +
					 (size_t)y * w;

			if (image->depth == 8)
				load_row8(plane, row + c, w, n, middle);
			else
				load_row16(plane, (uint16_t *)row + c, w, n,
					   middle);
		}
	}
}

static void md_planes_store(const struct md_planes *p,
			    const struct image *image, int middle)
{
	unsigned int n = image->channels, w = image->width;

	for (unsigned int y = 0; y < image->height; y++) {
		uint8_t *row = image_row(image, y);

		for (unsigned int c = 0; c < n; c++) {
			const int32_t *plane = (int32_t *)p->words[c] +
					       (size_t)y * w;

			if (image->depth == 8)
				store_row8(plane, row + c, w, n, middle);
			else
				store_row16(plane, (uint16_t *)row + c, w, n,
					    middle);
		}
	}
}

static void md_planes_turn(struct md_planes *p, size_t n)
{
	float *a = (float *)p->words[0], *b = (float *)p->words[1];
	float *c = (float *)p->words[2];

	for (size_t i = 0; i < n; i++) {
		float red = a[i], green = b[i], blue = c[i];

		a[i] = (red + green + blue) * R3;
		b[i] = (red - blue) * R2;
		c[i] = (2 * green - red - blue) * R6;
	}
}

static void turn_back(struct md_planes *p, size_t n)
{
	float *a = (float *)p->words[0], *b = (float *)p->words[1];
	float *c = (float *)p->words[2];

	for (size_t i = 0; i < n; i++) {
		float y = a[i] * R3, u = b[i] * R2, v = c[i] * R6;

		a[i] = y + u - v;
		b[i] = y + 2 * v;
		c[i] = y - u - v;
	}
}

static void turn_reversible(struct md_planes *p, size_t n)
{
	int32_t *a = (int32_t *)p->words[0], *b = (int32_t *)p->words[1];
	int32_t *c = (int32_t *)p->words[2];

	for (size_t i = 0; i < n; i++) {
		int32_t orange = a[i] - c[i];
		int32_t t = c[i] + (orange >> 1);
		int32_t green = b[i] - t;

		a[i] = t + (green >> 1);
		b[i] = orange;
		c[i] = green;
	}
}

static void turn_back_reversible(struct md_planes *p, size_t n)
{
	int32_t *a = (int32_t *)p->words[0], *b = (int32_t *)p->words[1];
	int32_t *c = (int32_t *)p->words[2];

	for (size_t i = 0; i < n; i++) {
		int32_t t = a[i] - (c[i] >> 1);
		int32_t green = c[i] + t;
		int32_t blue = t - (b[i] >> 1);

		a[i] = blue + b[i];
		b[i] = green;
		c[i] = blue;
	}
}

static void md_planes_place(struct md_planes *p, const struct image *image)
{
	size_t n = (size_t)image->width * image->height;

	for (unsigned int c = 1; c < image->channels; c++)
		p->words[c] = p->words[0] + n * c;
}

void md_forward(struct md_planes *p, const struct image *image,
		unsigned int middle, unsigned int levels, bool reversible)
{
	unsigned int w = image->width, h = image->height;
	size_t n = (size_t)w * h, all = n * image->channels;
	uint32_t *words = p->words[0];

	md_planes_place(p, image);
	md_planes_load(p, image, middle);
	if (reversible) {
		if (image->channels >= 3)
			turn_reversible(p, n);
		for (unsigned int c = 0; c < image->channels; c++)
			dwt53_forward((int32_t *)p->words[c], w, h, w, levels,
				      p->scratch);
		return;
	}
	for (size_t i = 0; i < all; i++)
		words[i] = as_word((int32_t)words[i]);
	if (image->channels >= 3)
		md_planes_turn(p, n);
	for (unsigned int c = 0; c < image->channels; c++) {
		uint32_t *v = p->words[c];

		dwt97_forward((float *)v, w, h, w, levels, p->scratch);
		for (size_t i = 0; i < n; i++) {
			float f = as_float(v[i]);

			v[i] = (int32_t)(f * MD_SCALE + (f < 0 ? -.5f : .5f));
		}
	}
}

void md_inverse(struct md_planes *p, const struct image *image,
		unsigned int middle, unsigned int levels, bool reversible)
{
	unsigned int w = image->width, h = image->height;
	size_t n = (size_t)w * h, all = n * image->channels;
	uint32_t *words = p->words[0];

	md_planes_place(p, image);
	if (reversible) {
		for (unsigned int c = 0; c < image->channels; c++) {
			int32_t *v = (int32_t *)p->words[c];

			for (size_t i = 0; i < n; i++)
				v[i] >>= 1;
			dwt53_inverse(v, w, h, w, levels, p->scratch);
		}
		if (image->channels >= 3)
			turn_back_reversible(p, n);
		md_planes_store(p, image, middle);
		return;
	}
	for (unsigned int c = 0; c < image->channels; c++) {
		uint32_t *v = p->words[c];

		for (size_t i = 0; i < n; i++)
			v[i] = as_word((int32_t)v[i] * (.5f / MD_SCALE));
		dwt97_inverse((float *)v, w, h, w, levels, p->scratch);
	}
	if (image->channels >= 3)
		turn_back(p, n);
	/* coefficients of hostile input may have any size */
	for (size_t i = 0; i < all; i++) {
		float f = as_float(words[i]);

		f = f > -1e6f ? f : -1e6f;
		f = f < 1e6f ? f : 1e6f;
		words[i] = (int32_t)(f + (f < 0 ? -.5f : .5f));
	}
	md_planes_store(p, image, middle);
}
