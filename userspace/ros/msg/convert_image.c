// SPDX-License-Identifier: GPL-2.0-only
/*
 * convert_image - sensor_msgs/Image from and to struct image
 */
#include <ctype.h>
#include <endian.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/wire.h"
#include "ros/msg/convert.h"
#include "ros/msg/convert_yuv.h"

/*
 * Layout of luminance and chroma: two pixels in four bytes, or a plane of
 * luminance followed by a plane of chroma, half as high, whose two parts are in
 * turn, or follow each other in rows half as wide.
 */
enum yuv {
	YUV_NONE, YUV_UYVY, YUV_YUYV, YUV_NV12, YUV_NV21, YUV_I420, YUV_YV12,
};

/*
 * Depth in bits; order and numbers (their bytes) only matter in messages.
 * @bits: a pixel has one
 */
static const struct encoding {
	const char	*name;
	uint8_t		channels, depth;
	bool		bgr;
	uint8_t		number;
	enum yuv	yuv;
	bool		bits;
} encodings[IMAGE_ENCODINGS] = {
	[IMAGE_MONO8] = { "mono8", 1, 8, 0, 0, 0 },
	[IMAGE_MONO16] = { "mono16", 1, 16, 0, 0, 0 },
	[IMAGE_8UC1] = { "8UC1", 1, 8, 0, 0, 0 },
	[IMAGE_16UC1] = { "16UC1", 1, 16, 0, 0, 0 },
	[IMAGE_RGB8] = { "rgb8", 3, 8, 0, 0, 0 },
	[IMAGE_BGR8] = { "bgr8", 3, 8, 1, 0, 0 },
	[IMAGE_RGBA8] = { "rgba8", 4, 8, 0, 0, 0 },
	[IMAGE_BGRA8] = { "bgra8", 4, 8, 1, 0, 0 },
	[IMAGE_RGB16] = { "rgb16", 3, 16, 0, 0, 0 },
	[IMAGE_BGR16] = { "bgr16", 3, 16, 1, 0, 0 },
	[IMAGE_RGBA16] = { "rgba16", 4, 16, 0, 0, 0 },
	[IMAGE_BGRA16] = { "bgra16", 4, 16, 1, 0, 0 },
	[IMAGE_8UC2] = { "8UC2", 2, 8, 0, 0, 0 },
	[IMAGE_8UC3] = { "8UC3", 3, 8, 0, 0, 0 },
	[IMAGE_8UC4] = { "8UC4", 4, 8, 0, 0, 0 },
	[IMAGE_16UC2] = { "16UC2", 2, 16, 0, 0, 0 },
	[IMAGE_16UC3] = { "16UC3", 3, 16, 0, 0, 0 },
	[IMAGE_16UC4] = { "16UC4", 4, 16, 0, 0, 0 },
	[IMAGE_32FC1] = { "32FC1", 1, 16, 0, 4, 0 },
	[IMAGE_BAYER_RGGB8] = { "bayer_rggb8", 1, 8, 0, 0, 0 },
	[IMAGE_BAYER_BGGR8] = { "bayer_bggr8", 1, 8, 0, 0, 0 },
	[IMAGE_BAYER_GBRG8] = { "bayer_gbrg8", 1, 8, 0, 0, 0 },
	[IMAGE_BAYER_GRBG8] = { "bayer_grbg8", 1, 8, 0, 0, 0 },
	[IMAGE_BAYER_RGGB16] = { "bayer_rggb16", 1, 16, 0, 0, 0 },
	[IMAGE_BAYER_BGGR16] = { "bayer_bggr16", 1, 16, 0, 0, 0 },
	[IMAGE_BAYER_GBRG16] = { "bayer_gbrg16", 1, 16, 0, 0, 0 },
	[IMAGE_BAYER_GRBG16] = { "bayer_grbg16", 1, 16, 0, 0, 0 },
	[IMAGE_UYVY] = { "uyvy", 3, 8, 0, 0, YUV_UYVY },
	[IMAGE_YUV422] = { "yuv422", 3, 8, 0, 0, YUV_UYVY },
	[IMAGE_YUYV] = { "yuyv", 3, 8, 0, 0, YUV_YUYV },
	[IMAGE_YUV422_YUY2] = { "yuv422_yuy2", 3, 8, 0, 0, YUV_YUYV },
	[IMAGE_NV12] = { "nv12", 3, 8, 0, 0, YUV_NV12 },
	[IMAGE_NV21] = { "nv21", 3, 8, 0, 0, YUV_NV21 },
	[IMAGE_64FC1] = { "64FC1", 1, 16, 0, 8, 0 },
	[IMAGE_8SC1] = { "8SC1", 1, 16, 0, 1, 0 },
	[IMAGE_16SC1] = { "16SC1", 1, 16, 0, 2, 0 },
	[IMAGE_32SC1] = { "32SC1", 1, 16, 0, 4, 0 },
	[IMAGE_I420] = { "i420", 3, 8, 0, 0, YUV_I420 },
	[IMAGE_YUV420] = { "yuv420", 3, 8, 0, 0, YUV_I420 },
	[IMAGE_YUV420P] = { "yuv420p", 3, 8, 0, 0, YUV_I420 },
	[IMAGE_YV12] = { "yv12", 3, 8, 0, 0, YUV_YV12 },
	[IMAGE_MONO1] = { "mono1", 1, 8, 0, 0, 0, 1 },
};

static bool has_planes(const struct encoding *e)
{
	return e->yuv >= YUV_NV12;
}

/* Chroma in two planes */
static bool has_halves(const struct encoding *e)
{
	return e->yuv >= YUV_I420;
}

int message_encoding_of(const struct message_string *name)
{
	for (int e = 0; e < IMAGE_ENCODINGS; e++)
		if (message_string_is(name, encodings[e].name))
			return e;
	return -EOPNOTSUPP;
}

const char *message_encoding_name(enum message_encoding encoding)
{
	return encodings[encoding].name;
}

bool message_encoding_is_number(enum message_encoding encoding)
{
	return encodings[encoding].number;
}

unsigned int message_encoding_pixel(enum message_encoding encoding)
{
	const struct encoding *e = &encodings[encoding];

	if (e->yuv)
		return has_planes(e) ? 1 : 2;
	return e->number ? e->number : e->channels * e->depth / 8u;
}

enum message_encoding message_encoding_shown(enum message_encoding encoding)
{
	return encodings[encoding].yuv	? IMAGE_RGB8 :
	       encodings[encoding].bits ? IMAGE_MONO8 :
					  encoding;
}

/* Eight pixels in a byte, or one, as some drivers have them */
static bool is_packed(const struct message_image *m, const struct encoding *e)
{
	return e->bits && m->step < m->width;
}

/* Least bytes of a row */
static uint64_t convert_image_row_of(const struct message_image *m,
				     const struct encoding *e)
{
	return is_packed(m, e) ? (m->width + 7ULL) / 8 :
	       (uint64_t)m->width * message_encoding_pixel(e - encodings);
}

/* Least bytes of a message's rows; the last may end with its last pixel */
static uint64_t convert_image_bytes_of(const struct message_image *m,
				       const struct encoding *e, uint64_t row)
{
	uint64_t rows = has_planes(e) ? m->height * 3ULL / 2 : m->height;

	if (has_halves(e))
		return (uint64_t)m->step * m->height +
		       m->step / 2 * (m->height - 1ULL) + row / 2;
	return rows ? m->step * (rows - 1) + row : 0;
}

static bool is_odd(const struct message_image *m, const struct encoding *e)
{
	return e->yuv && (m->width % 2 || (has_planes(e) && m->height % 2));
}

static bool is_size(uint32_t side)
{
	return side && side <= IMAGE_SIDE;
}

int message_image_shape(const struct message_image *m, struct image *image)
{
	int encoding = message_encoding_of(&m->encoding);
	const struct encoding *e;
	uint64_t row;

	if (encoding < 0)
		return encoding;
	e = &encodings[encoding];
	row = convert_image_row_of(m, e);
	if (!is_size(m->width) || !is_size(m->height) || is_odd(m, e) ||
	    m->step < row || convert_image_bytes_of(m, e, row) > m->data.count)
		return -EBADMSG;
	image->width = m->width;
	image->height = m->height;
	image->channels = e->channels;
	image->depth = e->depth;
	image->stride = (size_t)m->width * image_pixel(image);
	return encoding;
}

void message_image_fault(const struct message_image *m, char *text, size_t size)
{
	int encoding = message_encoding_of(&m->encoding);
	const struct encoding *e;
	uint64_t row;

	*text = '\0';
	if (encoding < 0) {
		snprintf(text, size, "encoding \"%.*s\" is not supported",
			 m->encoding.len < 32 ? (int)m->encoding.len : 32,
			 m->encoding.text);
		for (; *text; text++)
			*text = isprint((unsigned char)*text) ? *text : '?';
		return;
	}
	e = &encodings[encoding];
	row = convert_image_row_of(m, e);
	if (!is_size(m->width) || !is_size(m->height))
		snprintf(text, size, "%u x %u pixels, sides must be 1..%d",
			 m->width, m->height, IMAGE_SIDE);
	else if (is_odd(m, e))
		snprintf(text, size, "%u x %u pixels: %s needs even %s",
			 m->width, m->height, e->name,
			 has_planes(e) ? "sides" : "widths");
	else if (m->step < row)
		snprintf(text, size, "a step of %u bytes, a row has %llu",
			 m->step, (unsigned long long)row);
	else if (convert_image_bytes_of(m, e, row) > m->data.count)
		snprintf(text, size, "%u bytes, %u x %u pixels of %s have %llu",
			 m->data.count, m->width, m->height, e->name,
			 (unsigned long long)convert_image_bytes_of(m, e, row));
}

/* The highest bit is the first pixel, as in PBM */
static void read_bits(uint8_t *out, const uint8_t *in, unsigned int n,
		      bool packed)
{
	for (unsigned int x = 0; x < n; x++) {
		const bool set = packed ? in[x / 8] >> (7 - x % 8) & 1 :
					  in[x] != 0;

		out[x] = set ? 255 : 0;
	}
}

static void swap_bytes(uint8_t *row, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += 2) {
		uint8_t b = row[i];

		row[i] = row[i + 1];
		row[i + 1] = b;
	}
}

static void swap_red_blue(uint8_t *row, unsigned int width,
			  unsigned int channels, unsigned int bytes)
{
	unsigned int pixel = channels * bytes;

	for (unsigned int x = 0; x < width; x++, row += pixel)
		for (unsigned int b = 0; b < bytes; b++) {
			uint8_t red = row[b];

			row[b] = row[2 * bytes + b];
			row[2 * bytes + b] = red;
		}
}

/* Rows of a half's plane are half as far apart as those of luminance */
static void read_halves(const struct message_image *m, enum yuv yuv,
			const struct image *image)
{
	const size_t step = m->step / 2, plane = step * (m->height / 2);
	const uint8_t *first = m->data.data + (size_t)m->step * m->height;

	for (unsigned int y = 0; y < image->height; y++) {
		const uint8_t *chroma = first + step * (y / 2);
		const struct yuv_row row = {
			.y = m->data.data + (size_t)m->step * y,
			.u = chroma + (yuv == YUV_I420 ? 0 : plane),
			.v = chroma + (yuv == YUV_I420 ? plane : 0),
			.step_y = 1,
			.step_uv = 1,
		};

		yuv_to_rgb(image_row(image, y), &row, image->width);
	}
}

static void read_yuv(const struct message_image *m, enum yuv yuv,
		     const struct image *image)
{
	/* positions of y, u and v, in two pixels or in their planes */
	static const uint8_t place[][3] = {
		[YUV_UYVY] = { 1, 0, 2 }, [YUV_YUYV] = { 0, 1, 3 },
		[YUV_NV12] = { 0, 0, 1 }, [YUV_NV21] = { 0, 1, 0 },
	};
	bool planes = yuv >= YUV_NV12;
	const uint8_t *first = m->data.data;

	if (yuv >= YUV_I420) {
		read_halves(m, yuv, image);
		return;
	}

	for (unsigned int y = 0; y < image->height; y++) {
		const uint8_t *luma = first + (size_t)m->step * y;
		const uint8_t *chroma = planes ?
			first + (size_t)m->step * (m->height + y / 2) : luma;
		const struct yuv_row row = {
			.y = luma + place[yuv][0],
			.u = chroma + place[yuv][1],
			.v = chroma + place[yuv][2],
			.step_y = planes ? 1 : 2,
			.step_uv = planes ? 2 : 4,
		};

		yuv_to_rgb(image_row(image, y), &row, image->width);
	}
}

void message_image_read(const struct message_image *m, struct image *image)
{
	int encoding = message_encoding_of(&m->encoding);
	const struct encoding *e = &encodings[encoding];
	bool big = m->is_bigendian;
	bool swap = e->depth == 16 && big != (BYTE_ORDER == BIG_ENDIAN);
	size_t row = (size_t)image->width * image_pixel(image);

	if (e->number) {
		message_image_read_numbers(m, image);
		return;
	}
	if (e->yuv) {
		read_yuv(m, e->yuv, image);
		return;
	}
	for (unsigned int y = 0; y < image->height; y++) {
		const uint8_t *in = m->data.data + (size_t)m->step * y;
		uint8_t *out = image_row(image, y);

		if (e->bits) {
			read_bits(out, in, image->width, is_packed(m, e));
			continue;
		}
		memcpy(out, in, row);
		if (swap)
			swap_bytes(out, row);
		if (e->bgr)
			swap_red_blue(out, image->width, e->channels,
				      e->depth / 8);
	}
}

static void write_metres(uint8_t *out, const uint16_t *in, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++, out += 4)
		put_lef32(out, in[i] ? in[i] / 1000.0f : NAN);
}

int message_image_write(const struct image *image,
			enum message_encoding encoding, void *data,
			struct message_image *m)
{
	const struct encoding *e = &encodings[encoding];
	size_t row = (size_t)image->width * message_encoding_pixel(encoding);

	if (image->channels != e->channels || image->depth != e->depth ||
	    e->yuv || e->bits || (e->number && encoding != IMAGE_32FC1))
		return -EINVAL;
	for (unsigned int y = 0; y < image->height; y++) {
		uint8_t *out = (uint8_t *)data + row * y;
		const uint8_t *in = image_row(image, y);

		if (e->number) {
			write_metres(out, (const uint16_t *)in, image->width);
			continue;
		}
		memcpy(out, in, row);
		if (e->bgr)
			swap_red_blue(out, image->width, e->channels,
				      e->depth / 8);
	}
	m->width = image->width;
	m->height = image->height;
	m->encoding = message_string(e->name);
	/* floats are written little endian, pixels in the CPU's order */
	m->is_bigendian = !e->number && e->depth == 16 &&
			  BYTE_ORDER == BIG_ENDIAN;
	m->step = row;
	m->data = (struct message_bytes){ data, row * image->height };
	return 0;
}
