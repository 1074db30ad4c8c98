// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_compressed - sensor_msgs/CompressedImage to pixels and back, and what is
 * no image
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "ros/msg/compressed.h"
#include "tap.h"

static struct compressed_buffer out;

static struct message_string text(const char *s)
{
	return message_string(s);
}

/* Smooth, with a little noise: what JPEG is for */
static struct image make(unsigned int w, unsigned int h, unsigned int channels,
			 unsigned int depth)
{
	struct image i = { .width = w, .height = h, .channels = channels,
			   .depth = depth };
	uint64_t seed = w * 31 + h;

	/* rows with gaps: strides are to be kept */
	i.stride = (size_t)w * image_pixel(&i) + 16;
	i.data = calloc(h, i.stride);
	for (unsigned int y = 0; y < h; y++)
		for (unsigned int x = 0; x < w * channels; x++) {
			unsigned int v = 100 + 60 * sin(x * 0.01 + y * 0.03) +
					 rnd(&seed, 3);

			if (depth == 8)
				image_row(&i, y)[x] = v;
			else
				((uint16_t *)image_row(&i, y))[x] =
					v * 251 + rnd(&seed, 200);
		}
	return i;
}

/* Decode @m. Return: 0 with data to be freed, or the error */
static int decode(const struct message_compressed_image *m, struct image *i)
{
	int err = compressed_shape(m, i);

	if (err)
		return err;
	i->data = malloc(i->stride * i->height);
	err = compressed_read(m, i);
	if (err)
		free(i->data);
	return err;
}

/* Largest difference of two images; -1: not of the same shape */
static int difference(const struct image *a, const struct image *b)
{
	int most = 0;

	if (a->width != b->width || a->height != b->height ||
	    a->channels != b->channels || a->depth != b->depth)
		return -1;
	for (unsigned int y = 0; y < a->height; y++)
		for (unsigned int x = 0; x < a->width * a->channels; x++) {
			int d = a->depth == 8 ?
				image_row(a, y)[x] - image_row(b, y)[x] :
				((uint16_t *)image_row(a, y))[x] -
				((uint16_t *)image_row(b, y))[x];

			if (abs(d) > most)
				most = abs(d);
		}
	return most;
}

static void round_trip(const char *format, unsigned int channels,
		       unsigned int depth, int least, int most)
{
	struct image a = make(61, 47, channels, depth), b;
	struct message_compressed_image m = { 0 };
	struct message_string f = text(format);
	int err = compressed_write(&a, &f, 0, &out, &m);
	int d = -2;

	if (!err)
		err = decode(&m, &b);
	if (!err) {
		d = difference(&a, &b);
		free(b.data);
	}
	ok_eq(err, 0, "%s, %u channels of %u bit: differs by %d", format,
	      channels, depth, d);
	ok_range(d, least, most, "... d");
	ok(message_string_is(&m.format, format), "... message string is");
	free(a.data);
}

static void test_formats(void)
{
	round_trip("mono8; jpeg compressed ", 1, 8, 1, 12);
	round_trip("bgr8; jpeg compressed bgr8", 3, 8, 1, 40);
	round_trip("rgb8; jpeg compressed bgr8", 3, 8, 1, 40);
	round_trip("jpeg", 1, 8, 1, 12);
	round_trip("mono8; png compressed ", 1, 8, 0, 0);
	round_trip("mono16; png compressed ", 1, 16, 0, 0);
	round_trip("bgr8; png compressed bgr8", 3, 8, 0, 0);
	round_trip("bgr16; png compressed bgr16", 3, 16, 0, 0);
	round_trip("bgra8; png compressed bgra8", 4, 8, 0, 0);
	round_trip("png", 2, 8, 0, 0);
	round_trip("16UC1; compressedDepth png", 1, 16, 0, 0);
	round_trip("16UC1; compressedDepth", 1, 16, 0, 0);
}

static int refused_of(unsigned int width, const char *format,
		      unsigned int channels, unsigned int depth)
{
	struct image a = make(width, 8, channels, depth);
	struct message_compressed_image m;
	struct message_string f = text(format);
	int err = compressed_write(&a, &f, 0, &out, &m);

	free(a.data);
	return err;
}

static int refused(const char *format, unsigned int channels,
		   unsigned int depth)
{
	return refused_of(8, format, channels, depth);
}

static void test_refusals(void)
{
	ok(refused("jpeg", 1, 16) == -EINVAL, "no JPEG of 16 bit");
	ok(refused("jpeg", 4, 8) == -EINVAL, "no JPEG with alpha");
	ok(refused("16UC1; compressedDepth png", 3, 8) == -EINVAL,
	   "no depth of colours");
	ok(refused("16UC1; compressedDepth rvl", 1, 16) == -EOPNOTSUPP,
	   "no rvl");
	ok(refused("", 1, 8) == -EOPNOTSUPP, "no format");
	ok(refused("h264", 1, 8) == -EOPNOTSUPP, "another format");
	ok_eq(refused_of(65501, "jpeg", 1, 8), -EINVAL,
	      "no JPEG of more than 65500 columns");
}

static void test_quality(void)
{
	struct image a = make(320, 240, 3, 8), b;
	struct message_string f = text("jpeg");
	struct message_compressed_image m;
	size_t small;
	int good;

	compressed_write(&a, &f, 20, &out, &m);
	small = m.data.count;
	compressed_write(&a, &f, 95, &out, &m);
	good = decode(&m, &b) ? 999 : difference(&a, &b);
	ok_range(m.data.count, 2 * small, INFINITY,
		 "quality: %zu bytes of 20, %u of 95", small, m.data.count);
	ok_range(good, -INFINITY, 19, "... good");
	free(b.data);
	free(a.data);
}

/* Metres are inverted and rounded: near is fine, far is coarse */
static void test_metres(void)
{
	struct image a = { .width = 4, .height = 1, .channels = 1, .depth = 16,
			   .stride = 8 }, b;
	uint16_t mm[4] = { 0, 500, 2000, 9000 };
	struct message_string f = text("32FC1; compressedDepth png");
	struct message_compressed_image m;
	const uint16_t *got;
	int err;

	a.data = (uint8_t *)mm;
	err = compressed_write(&a, &f, 0, &out, &m);
	if (!err)
		err = decode(&m, &b);
	got = err ? mm : (uint16_t *)b.data;
	ok_eq(err, 0, "32FC1: 0, 500, 2000, 9000 mm become %u, %u, %u, %u",
	      got[0], got[1], got[2], got[3]);
	ok_eq(got[0], 0, "... got");
	ok_range(abs(got[1] - 500), -INFINITY, 1, "... how far off");
	ok_range(abs(got[2] - 2000), -INFINITY, 2 + 2000 * 2000 / 10100 / 100,
		 "... how far off");
	ok_range(abs(got[3] - 9000), -INFINITY, 44, "... how far off");
	if (!err)
		free(b.data);
}

/*
 * What is no image: every prefix, and bytes changed
 */

static unsigned int attack(const char *format, unsigned int channels,
			   unsigned int depth)
{
	struct image a = make(33, 21, channels, depth), b;
	struct message_string f = text(format);
	struct message_compressed_image m, bad;
	unsigned int good = 0;
	uint64_t seed = 5;
	uint8_t *copy;

	if (compressed_write(&a, &f, 0, &out, &m))
		abort();
	bad = m;
	copy = malloc(m.data.count);
	for (uint32_t n = 0; n < m.data.count; n++) {
		/* at the end of its memory, for the sanitizer to see */
		uint8_t *part = malloc(n ? n : 1);

		memcpy(part, m.data.data, n);
		bad.data = (struct message_bytes){ part, n };
		if (!decode(&bad, &b)) {
			good++;
			free(b.data);
		}
		free(part);
	}
	for (int i = 0; i < 3000; i++) {
		memcpy(copy, m.data.data, m.data.count);
		for (int j = 0; j < 3; j++)
			copy[rnd(&seed, m.data.count)] = rnd(&seed, 256);
		bad.data = (struct message_bytes){ copy, m.data.count };
		if (!decode(&bad, &b))
			free(b.data);
	}
	free(copy);
	free(a.data);
	return good;
}

static void test_damage(void)
{
	/* all that a JPEG may miss is its last marker */
	ok(attack("jpeg", 3, 8) <= 2, "JPEG: no part of one is an image");
	ok(attack("png", 3, 8) == 0, "PNG: no part of one is an image");
	ok(attack("16UC1; compressedDepth png", 1, 16) == 0,
	   "compressedDepth: no part of one is an image");
}

/* A PNG's header that says what it likes, with a right checksum or not */
static int shape_of(uint32_t w, uint32_t h, const char *format)
{
	struct image a = make(8, 8, 1, 8), i;
	struct message_string f = text(format);
	struct message_compressed_image m;
	int err = compressed_write(&a, &f, 0, &out, &m);
	uint8_t *p = out.data;

	if (err)
		abort();
	if (strstr(format, "png")) {
		for (int k = 0; k < 4; k++) {
			p[16 + k] = w >> (24 - 8 * k);
			p[20 + k] = h >> (24 - 8 * k);
		}
	} else {
		/* SOF0: marker, length, precision, height, width */
		while (p[0] != 0xff || p[1] != 0xc0)
			p++;
		p[5] = h >> 8;
		p[6] = h;
		p[7] = w >> 8;
		p[8] = w;
	}
	err = decode(&m, &i);
	if (!err)
		free(i.data);
	free(a.data);
	return err;
}

static void test_sizes(void)
{
	struct message_compressed_image m = { .format = text("jpeg") };
	struct image i;

	ok(shape_of(65500, 65500, "jpeg") == -E2BIG,
	   "JPEG of 65500 x 65500: before anything is allocated");
	ok_range(shape_of(0, 8, "jpeg"), -INFINITY, -1, "JPEG without pixels");
	ok_range(shape_of(8, 0, "jpeg"), -INFINITY, -1, "... shape of");
	ok(shape_of(60, 90, "jpeg") == -EBADMSG,
	   "JPEG larger than what is in it");
	ok_range(shape_of(0x7fffffff, 0x7fffffff, "png"), -INFINITY, -1,
		 "PNG of impossible size");
	ok_range(shape_of(60000, 60000, "png"), -INFINITY, -1, "... shape of");
	ok_range(shape_of(0, 0, "png"), -INFINITY, -1, "... shape of");
	ok(compressed_shape(&m, &i) == -EOPNOTSUPP, "no data");
	m.data = (struct message_bytes){ (const uint8_t *)"GIF89a", 6 };
	ok(compressed_shape(&m, &i) == -EOPNOTSUPP, "neither JPEG nor PNG");
}

/* compressed_read() with the shape of another message */
static void test_other_shape(void)
{
	struct message_string f = text("jpeg");
	struct compressed_buffer other = { 0 };
	struct message_compressed_image m, n;
	struct image a = make(16, 16, 1, 8), b = make(16, 15, 1, 8), i;

	compressed_write(&a, &f, 0, &out, &m);
	compressed_write(&b, &f, 0, &other, &n);
	compressed_shape(&n, &i);
	i.data = malloc(i.stride * i.height);
	ok_eq(compressed_read(&m, &i), -EBADMSG,
	      "pixels go only where they fit");
	ok_eq(compressed_read(&n, &i), 0, "... compressed read");
	free(i.data);
	free(other.data);
	free(a.data);
	free(b.data);
}

int main(void)
{
	test_formats();
	test_refusals();
	test_quality();
	test_metres();
	test_damage();
	test_sizes();
	test_other_shape();
	free(out.data);
	return tap_done();
}
