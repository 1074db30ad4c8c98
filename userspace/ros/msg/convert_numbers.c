// SPDX-License-Identifier: GPL-2.0-only
/*
 * convert_numbers - sensor_msgs/Image whose pixels are numbers: metres, degrees,
 * disparities
 */
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/wire.h"
#include "ros/msg/convert.h"

static const double MILLIMETRES = 1000;

enum values_type message_encoding_values(enum message_encoding encoding)
{
	return encoding == IMAGE_32FC1 ? VALUES_FLOAT :
	       encoding == IMAGE_64FC1 ? VALUES_DOUBLE : VALUES_INTEGER;
}

static double read_number(const uint8_t *p, enum message_encoding encoding,
			  bool big)
{
	const uint32_t word = encoding == IMAGE_32FC1 ||
			      encoding == IMAGE_32SC1 ? get_le32(p) : 0;

	switch ((int)encoding) {
	case IMAGE_32FC1: {
		const uint32_t bits = big ? __builtin_bswap32(word) : word;
		float v;

		memcpy(&v, &bits, sizeof(v));
		return v;
	}
	case IMAGE_64FC1: {
		uint64_t bits = get_le64(p);
		double v;

		bits = big ? __builtin_bswap64(bits) : bits;
		memcpy(&v, &bits, sizeof(v));
		return v;
	}
	case IMAGE_8SC1:
		return (int8_t)*p;
	case IMAGE_16SC1:
		return (int16_t)(big ? p[0] << 8 | p[1] : p[1] << 8 | p[0]);
	default:
		return (int32_t)(big ? __builtin_bswap32(word) : word);
	}
}

void message_image_numbers(const struct message_image *m, double *v)
{
	const enum message_encoding e = message_encoding_of(&m->encoding);
	const unsigned int pixel = message_encoding_pixel(e);

	for (uint32_t y = 0; y < m->height; y++) {
		const uint8_t *in = m->data.data + (size_t)m->step * y;

		for (uint32_t x = 0; x < m->width; x++, in += pixel)
			*v++ = read_number(in, e, m->is_bigendian);
	}
}

bool message_numbers_are_depths(const struct values_range *r)
{
	/* as the codecs of depth have them */
	return r->max > 0 && r->min * MILLIMETRES >= .5 &&
	       r->max * MILLIMETRES < 65535.5;
}

/* Depths in mm; else the range of the numbers in 65535 steps from 1 */
static void convert_numbers(const double *v, const struct values_range *r,
			    bool depths, struct image *image)
{
	const double range = r->max - r->min;

	for (unsigned int y = 0; y < image->height; y++) {
		uint16_t *out = (uint16_t *)image_row(image, y);

		for (unsigned int x = 0; x < image->width; x++, v++) {
			const double part = range > 0 ? (*v - r->min) / range :
							0;

			out[x] = depths ? message_millimetres((float)*v *
							      1000) :
				 !isfinite(*v) ? 0 :
				 1 + lrint(fmin(fmax(part, 0), 1) * 65534);
		}
	}
}

/* Return: to be freed; NULL: no memory */
static double *all_numbers(const struct message_image *m,
			   struct values_range *r)
{
	const size_t n = (size_t)m->width * m->height;
	double *v = malloc(n * sizeof(*v));

	if (!v)
		return NULL;
	message_image_numbers(m, v);
	*r = values_range(v, n);
	return v;
}

static bool is_metres(const struct message_image *m,
		      const struct values_range *r)
{
	return message_encoding_values(message_encoding_of(&m->encoding)) !=
		       VALUES_INTEGER && message_numbers_are_depths(r);
}

bool message_image_has_depths(const struct message_image *m)
{
	struct values_range r = { 0 };
	double *v = all_numbers(m, &r);
	bool depths = v && is_metres(m, &r);

	free(v);
	return depths;
}

void message_image_read_numbers(const struct message_image *m,
				struct image *image)
{
	struct values_range r = { 0 };
	double *v = all_numbers(m, &r);

	/* better a black picture than none */
	if (!v) {
		memset(image->data, 0, image->stride * image->height);
		return;
	}
	convert_numbers(v, &r, is_metres(m, &r), image);
	free(v);
}

static void write_number(uint8_t *out, enum message_encoding encoding, double v)
{
	switch ((int)encoding) {
	case IMAGE_32FC1:
		put_lef32(out, v > FLT_MAX ? INFINITY :
			       v < -FLT_MAX ? -INFINITY : v);
		break;
	case IMAGE_64FC1:
		put_lef64(out, v);
		break;
	case IMAGE_8SC1:
		*out = v >= INT8_MIN && v <= INT8_MAX ? (int8_t)v : 0;
		break;
	case IMAGE_16SC1:
		put_le16(out, v >= INT16_MIN && v <= INT16_MAX ? (int16_t)v :
								 0);
		break;
	default:
		put_le32(out, v >= INT32_MIN && v <= INT32_MAX ? (int32_t)v :
								 0);
	}
}

int message_image_write_numbers(const double *v, unsigned int width,
				unsigned int height,
				enum message_encoding encoding, void *data,
				struct message_image *m)
{
	const unsigned int pixel = message_encoding_pixel(encoding);
	const size_t n = (size_t)width * height;
	uint8_t *out = data;

	if (!message_encoding_is_number(encoding))
		return -EINVAL;
	for (size_t i = 0; i < n; i++, out += pixel)
		write_number(out, encoding, v[i]);
	m->width = width;
	m->height = height;
	m->encoding = message_string(message_encoding_name(encoding));
	m->is_bigendian = 0;
	m->step = width * pixel;
	m->data = (struct message_bytes){ data, m->step * height };
	return 0;
}
