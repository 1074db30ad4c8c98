// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_message_images - messages of images, to pixels and back
 */
#include <errno.h>
#include <math.h>
#include <string.h>
#include "base/wire.h"
#include "ros/msg/convert.h"
#include "ros/msg/message.h"
#include "ros/msg/convert_yuv.h"
#include "tap.h"

/* Every encoding: out as it came in */
static void test_images(void)
{
	enum { W = 5, H = 3, STEP = 48 };
	uint8_t in[STEP * H], pixels[W * H * 8], out[W * H * 8];
	uint64_t rng = 1;
	struct image image = { .data = pixels };
	struct message_image m = { .width = W, .height = H, .step = STEP,
				   .data = { in, sizeof(in) } }, w = { 0 };
	int good = 0;

	for (int e = 0; e < IMAGE_UYVY; e++) {
		size_t row = W * message_encoding_pixel(e);
		int bad = 0;

		for (size_t i = 0; i < sizeof(in); i++)
			in[i] = rnd(&rng, 256);
		for (int i = 0; e == IMAGE_32FC1 && i < STEP * H / 4; i++)
			put_lef32(in + 4 * i, (1 + rnd(&rng, 65535)) / 1000.0f);
		m.encoding = message_string(message_encoding_name(e));
		bad += message_image_shape(&m, &image) != e;
		message_image_read(&m, &image);
		bad += message_image_write(&image, e, out, &w) != 0;
		for (int y = 0; y < H; y++)
			bad += memcmp(out + y * row, in + y * STEP, row) != 0;
		good += !bad && w.step == row && w.data.count == row * H;
	}
	ok(good == IMAGE_UYVY, "all encodings that are written");
}

static void test_image_values(void)
{
	uint8_t in[16] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	uint16_t out[8];
	struct image image = { .data = (uint8_t *)out };
	struct message_image m = { .width = 2, .height = 1, .step = 8,
				   .encoding = message_string("bgra8"),
				   .data = { in, 8 } };

	message_image_shape(&m, &image);
	message_image_read(&m, &image);
	ok(!memcmp(out, "\3\2\1\4\7\6\5\10", 8), "bgra8 becomes rgba8");
	m.encoding = message_string("mono16");
	m.is_bigendian = 1;
	message_image_shape(&m, &image);
	message_image_read(&m, &image);
	ok_eq(out[0], 0x102, "big endian pixels");
	ok_eq(out[1], 0x304, "... out");
	m.is_bigendian = 0;
	m.encoding = message_string("32FC1");
	put_lef32(in, 1.2346f);
	put_lef32(in + 4, NAN);
	message_image_shape(&m, &image);
	message_image_read(&m, &image);
	ok_eq(image.depth, 16, "metres become millimetres");
	ok_eq(out[0], 1235, "... out");
	ok_eq(out[1], 0, "... out");
	put_lef32(in, 65.535f);
	put_lef32(in + 4, INFINITY);
	message_image_read(&m, &image);
	ok_eq(out[0], 65535, "infinity is no depth");
	ok_eq(out[1], 0, "... out");
	put_lef32(in, -40);
	put_lef32(in + 4, 2000);
	message_image_read(&m, &image);
	ok_eq(out[0], 1, "other numbers are shown in their range");
	ok_eq(out[1], 65535, "... out");
	out[0] = 0;
	out[1] = 1500;
	ok_eq(message_image_write(&image, IMAGE_32FC1, in, &m), 0,
	      "no depth is NaN in metres");
	ok(isnan(get_lef32(in)), "... get lef32 is unknown");
	ok_near(get_lef32(in + 4), 1.5f, 0, "... get lef32");
	m.encoding = message_string("yuv444");
	ok(message_image_shape(&m, &image) == -EOPNOTSUPP,
	   "another yuv is refused");
	m.encoding = message_string("rgb16");
	ok(message_image_shape(&m, &image) == -EBADMSG, "a step too small");
	m.encoding = message_string("mono8");
	m.step = UINT32_MAX;
	m.height = 60000;
	ok(message_image_shape(&m, &image) == -EBADMSG, "bytes are missing");
	m.width = 0;
	ok(message_image_shape(&m, &image) == -EBADMSG, "no pixels");
}

/* Numbers of each type, in both byte orders */
static void test_numbers(void)
{
	static const struct {
		const char *name;
		double v[3];
	} cases[] = {
		{ "32FC1", { -40.5, 2000, INFINITY } },
		{ "64FC1", { -1e300, 1. / 3, 0 } },
		{ "8SC1", { -128, 127, 0 } },
		{ "16SC1", { -32768, 32767, 1 } },
		{ "32SC1", { INT32_MIN, INT32_MAX, -1 } },
	};
	unsigned int good = 0, big = 0;

	for (unsigned int i = 0; i < 5; i++) {
		const struct message_string name = message_string(cases[i].name);
		const int e = message_encoding_of(&name);
		const unsigned int pixel = message_encoding_pixel(e);
		struct message_image m = { .header = { 0 } };
		uint8_t data[24], turned[24];
		struct image shape;
		double seen[3];

		good += !message_image_write_numbers(cases[i].v, 3, 1, e, data,
						     &m) &&
			message_image_shape(&m, &shape) == e &&
			shape.depth == 16 && shape.channels == 1;
		message_image_numbers(&m, seen);
		good += !memcmp(seen, cases[i].v, sizeof(seen));
		for (unsigned int b = 0; b < 3 * pixel; b++)
			turned[b] = data[b / pixel * pixel + pixel - 1 -
					 b % pixel];
		m.data.data = turned;
		m.is_bigendian = 1;
		message_image_numbers(&m, seen);
		big += !memcmp(seen, cases[i].v, sizeof(seen));
	}
	ok_eq(good, 10, "numbers, in both byte orders");
	ok_eq(big, 5, "... big");
	ok(message_image_write_numbers(cases[0].v, 3, 1, IMAGE_MONO8, NULL,
				       NULL) == -EINVAL,
	   "brightness is no number");
}

static void test_bits(void)
{
	uint8_t in[24] = { 0xa1, 0x80, 0x40, 0 }, out[18];
	struct image image = { .data = out };
	struct message_image m = { .width = 9, .height = 2, .step = 2,
				   .encoding = message_string("mono1"),
				   .data = { in, 4 } };
	static const uint8_t want[] = { 255, 0, 255, 0, 0, 0, 0, 255, 255,
					0, 255, 0, 0, 0, 0, 0, 0, 0 };

	ok_eq(message_image_shape(&m, &image), IMAGE_MONO1, "one bit");
	ok_eq(image.depth, 8, "... depth");
	ok_eq(message_encoding_shown(IMAGE_MONO1), IMAGE_MONO8,
	      "... message encoding shown");
	message_image_read(&m, &image);
	ok(!memcmp(out, want, sizeof(want)), "the highest is the first");
	m.step = 12;
	m.data.count = 21;
	memset(in, 0, sizeof(in));
	in[1] = in[20] = 1;
	ok(message_image_shape(&m, &image) == IMAGE_MONO1, "or a byte");
	message_image_read(&m, &image);
	ok_eq(out[0], 0, "that is not 0");
	ok_eq(out[1], 255, "... out");
	ok_eq(out[9], 0, "... out");
	ok_eq(out[17], 255, "... out");
	m.data.count = 20;
	ok(message_image_shape(&m, &image) == -EBADMSG, "one is missing");
}

/* The same picture in three planes, and in two */
static void test_planes(void)
{
	static const char *const names[] = { "i420", "yuv420", "yuv420p" };
	uint8_t nv12[36], i420[36], yv12[36], a[72], b[72];
	struct image image = { .data = a };
	struct message_image m = { .width = 4, .height = 6, .step = 4,
				   .encoding = message_string("nv12"),
				   .data = { nv12, 36 } };
	unsigned int same = 0;

	for (unsigned int i = 0; i < 36; i++)
		nv12[i] = i < 24 ? 40 + 7 * i : 60 + 11 * (i - 24);
	memcpy(i420, nv12, 24);
	memcpy(yv12, nv12, 24);
	for (unsigned int i = 0; i < 6; i++) {
		i420[24 + i] = yv12[30 + i] = nv12[24 + 2 * i];
		i420[30 + i] = yv12[24 + i] = nv12[25 + 2 * i];
	}
	message_image_shape(&m, &image);
	message_image_read(&m, &image);
	image.data = b;
	for (unsigned int i = 0; i < 3; i++) {
		m.encoding = message_string(names[i]);
		m.data.data = i420;
		memset(b, 0, sizeof(b));
		if (message_image_shape(&m, &image) < 0)
			continue;
		message_image_read(&m, &image);
		same += !memcmp(a, b, sizeof(a));
	}
	m.encoding = message_string("yv12");
	m.data.data = yv12;
	memset(b, 0, sizeof(b));
	message_image_shape(&m, &image);
	message_image_read(&m, &image);
	ok_eq(same, 3, "chroma in two planes");
	ok_mem(a, b, sizeof(a), "... a");
	m.data.count = 35;
	ok(message_image_shape(&m, &image) == -EBADMSG, "a byte is missing");
}

/* By BT.601: 255 / 219 (Y - 16) + 255 / 112 * .701 (V - 128) for red ... */
static void test_colours(void)
{
	static const struct {
		uint8_t	y, u, v, rgb[3];
	} want[] = {
		{ 16, 128, 128, { 0, 0, 0 } }, { 15, 128, 128, { 0, 0, 0 } },
		{ 0, 128, 128, { 0, 0, 0 } }, { 17, 128, 128, { 1, 1, 1 } },
		{ 235, 128, 128, { 255, 255, 255 } },
		{ 255, 128, 128, { 255, 255, 255 } },
		{ 126, 128, 128, { 128, 128, 128 } },
		{ 126, 128, 168, { 192, 96, 128 } },
		{ 126, 168, 128, { 128, 112, 209 } },
		{ 126, 88, 88, { 64, 176, 47 } },
		{ 16, 128, 255, { 203, 0, 0 } },
	};

	for (unsigned int i = 0; i < sizeof(want) / sizeof(*want); i++) {
		const uint8_t y[2] = { want[i].y, want[i].y };
		const struct yuv_row row = { y, &want[i].u, &want[i].v, 1, 1 };
		uint8_t rgb[6];

		yuv_to_rgb(rgb, &row, 2);
		for (int k = 0; k < 6; k++)
			ok_eq(rgb[k], want[i].rgb[k % 3],
			      "YUV %u %u %u: number %d", want[i].y, want[i].u,
			      want[i].v, k);
	}
}

int main(void)
{
	test_colours();
	test_images();
	test_image_values();
	test_numbers();
	test_bits();
	test_planes();
	return tap_done();
}
