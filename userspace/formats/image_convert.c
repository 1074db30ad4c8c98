// SPDX-License-Identifier: GPL-2.0-only
/*
 * image_convert - images to 8 bit and gray, and the similarity of two images
 */
#include <math.h>
#include "codec/image/depthcode.h"
#include "image_convert.h"

static unsigned int image_convert_sample(const struct image *i, unsigned int y,
					 unsigned int n)
{
	const uint8_t *row = image_row(i, y);

	return i->depth == 8 ? row[n] : ((const uint16_t *)row)[n];
}

static void image_convert_set(const struct image *i, unsigned int y,
			      unsigned int n, unsigned int v)
{
	uint8_t *row = image_row(i, y);

	if (i->depth == 8)
		row[n] = v;
	else
		((uint16_t *)row)[n] = v;
}

void convert_gray(struct image *image)
{
	unsigned int n = image->channels;

	for (unsigned int y = 0; y < image->height; y++)
		for (unsigned int x = 0; x < image->width; x++) {
			unsigned int v = image_convert_sample(image, y, x * n);

			if (n >= 3)
				v = lrint(.299 * v +
					  .587 * image_convert_sample(
							 image, y, x * n + 1) +
					  .114 * image_convert_sample(
							 image, y, x * n + 2));
			image_convert_set(image, y, x, v);
		}
	image->channels = 1;
}

static void range(const struct image *image, unsigned int *least,
		  unsigned int *most)
{
	*least = 65535;
	*most = 0;
	for (unsigned int y = 0; y < image->height; y++)
		for (unsigned int i = 0; i < image->width * image->channels;
		     i++) {
			unsigned int v = image_convert_sample(image, y, i);

			*least = v < *least ? v : *least;
			*most = v > *most ? v : *most;
		}
}

void convert_8bit(struct image *image)
{
	unsigned int least, most;

	if (image->depth == 8)
		return;
	range(image, &least, &most);
	for (unsigned int y = 0; y < image->height; y++)
		for (unsigned int i = 0; i < image->width * image->channels;
		     i++)
			image_row(image, y)[i] =
				most == least ?
					0 :
					lrint((image_convert_sample(image, y,
								    i) -
					       least) *
					      255. / (most - least));
	image->depth = 8;
}

double psnr(const struct image *a, const struct image *b)
{
	unsigned int n = a->width * a->channels, least = 0, most = 255;
	double sum = 0;

	if (a->depth == 16)
		range(a, &least, &most);
	/* a constant image has no range of its own */
	if (least == most) {
		least = 0;
		most = UINT16_MAX;
	}
	for (unsigned int y = 0; y < a->height; y++)
		for (unsigned int i = 0; i < n; i++) {
			double d = (double)image_convert_sample(a, y, i) -
				   image_convert_sample(b, y, i);

			sum += d * d;
		}
	if (sum == 0)
		return INFINITY;
	return 10 * log10((double)(most - least) * (most - least) /
			  (sum / ((double)n * a->height)));
}

void depth_match(const struct image *image, const struct image *shown,
		 struct depth_match *m)
{
	double holes = 0, depths = 0, known = 0, ghosts = 0, beyond = 0;

	*m = (struct depth_match){ .exact = true };
	for (unsigned int y = 0; y < image->height; y++)
		for (unsigned int x = 0; x < image->width; x++) {
			unsigned int a = image_convert_sample(image, y, x);
			unsigned int b = image_convert_sample(shown, y, x);
			unsigned int off = a < b ? b - a : a - b;

			m->exact &= !off;
			holes += !a;
			depths += !!a;
			if (!b)
				continue;
			ghosts += !a;
			known += a && off * DEPTHCODE_TOLERANCE <= a;
			beyond += a && off * DEPTHCODE_TOLERANCE > a;
			if (a && off > m->most)
				m->most = off;
		}
	m->known = depths ? known / depths : 1;
	m->off = depths ? beyond / depths : 0;
	m->ghosts = holes ? ghosts / holes : 0;
}
