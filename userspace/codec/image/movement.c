// SPDX-License-Identifier: GPL-2.0-only
/*
 * movement - how fast what a camera sees changes
 */
#include <math.h>
#include <string.h>
#include "codec/image/movement.h"

static const double PAUSE = 2;		/* s; older images are not compared */
static const double WEIGHT = 0.2;	/* of an image in the means */
static const double GROWTH_LEAST = 0.1, GROWTH_MOST = 2;
static const double LEAST = 1e-3;	/* of the values' square: no change */

static double movement_pixel(const struct image *i, const uint8_t *row,
			     unsigned int x)
{
	const unsigned int at = x * i->channels, colours = i->channels > 2;
	const uint16_t *deep = (const uint16_t *)row;

	if (i->depth == 16)
		return colours ? (deep[at] + 2. * deep[at + 1] +
				  deep[at + 2]) / 4 : deep[at];
	return colours ? (row[at] + 2. * row[at + 1] + row[at + 2]) / 4 :
			 row[at];
}

/* Pixels of an even grid. Return: their variance */
static double movement_take(const struct image *i, float *to)
{
	double sum = 0, squares = 0;

	for (unsigned int y = 0; y < MOVEMENT_HEIGHT; y++) {
		const uint8_t *row = image_row(
			i, (2 * y + 1) * (uint64_t)i->height /
				   (2 * MOVEMENT_HEIGHT));

		for (unsigned int x = 0; x < MOVEMENT_WIDTH; x++) {
			const double v = movement_pixel(
				i, row, (2 * x + 1) * (uint64_t)i->width /
						(2 * MOVEMENT_WIDTH));

			*to++ = (float)v;
			sum += v;
			squares += v * v;
		}
	}
	sum /= MOVEMENT_PIXELS;
	return fmax(squares / MOVEMENT_PIXELS - sum * sum, 0);
}

static double movement_change(const float *a, const float *b)
{
	double sum = 0;

	for (unsigned int i = 0; i < MOVEMENT_PIXELS; i++)
		sum += ((double)a[i] - b[i]) * ((double)a[i] - b[i]);
	return fmax(sum / MOVEMENT_PIXELS, LEAST);
}

static bool is_same_shape(const struct movement *m, const struct image *i)
{
	return m->width == i->width && m->height == i->height &&
	       m->depth == i->depth && m->channels == i->channels;
}

static void movement_begin(struct movement *m, const struct image *i)
{
	m->known = false;
	m->images = 0;
	m->width = i->width;
	m->height = i->height;
	m->depth = i->depth;
	m->channels = i->channels;
}

/* s since the image before the newest by @ago */
static double movement_lag(const struct movement *m, unsigned int ago)
{
	const unsigned int n = (m->newest + MOVEMENT_IMAGES - ago) %
			       MOVEMENT_IMAGES;

	return (m->stamp[m->newest] - m->stamp[n]) / 1e9;
}

static double movement_since(const struct movement *m, unsigned int ago)
{
	const unsigned int n = (m->newest + MOVEMENT_IMAGES - ago) %
			       MOVEMENT_IMAGES;

	return movement_change(m->pixel[m->newest], m->pixel[n]);
}

static void movement_learn(struct movement *m)
{
	const unsigned int far = m->images - 1;
	const double after = movement_lag(m, 1), long_after =
		movement_lag(m, far);
	const double moved = movement_since(m, 1);
	double growth = m->known ? m->growth : 1;

	/* cameras repeat images, too */
	if (far > 1 && moved > LEAST)
		growth = log(movement_since(m, far) / moved) /
			 log(long_after / after);
	growth = fmin(fmax(growth, GROWTH_LEAST), GROWTH_MOST);
	if (!m->known) {
		m->moved = moved;
		m->after = after;
		m->growth = growth;
		m->known = far > 1;
		return;
	}
	/* the mean is for a time that may have changed with the frame rate */
	m->moved *= pow(after / m->after, m->growth);
	m->after = after;
	m->moved += WEIGHT * (moved - m->moved);
	m->growth += WEIGHT * (growth - m->growth);
}

void movement_add(struct movement *m, const struct image *image, int64_t stamp)
{
	const unsigned int next = (m->newest + 1) % MOVEMENT_IMAGES;
	const double lag = (stamp - m->stamp[m->newest]) / 1e9;

	if (m->images && (!is_same_shape(m, image) || lag <= 0 || lag > PAUSE))
		m->images = 0;
	if (!m->images)
		movement_begin(m, image);
	m->newest = next;
	m->stamp[next] = stamp;
	m->contrast = movement_take(image, m->pixel[next]);
	if (m->images < MOVEMENT_IMAGES)
		m->images++;
	if (m->images > 1)
		movement_learn(m);
}
