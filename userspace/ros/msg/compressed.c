// SPDX-License-Identifier: GPL-2.0-only
/*
 * compressed - codec of a compressed image, and depth in metres
 */
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/wire.h"
#include "ros/msg/compressed_codec.h"
#include "ros/msg/convert.h"

/*
 * compressedDepth's header: an int32 that is always 0, and two floats. The
 * defaults are the plugin's: 100 steps at a metre, at most 10 m.
 */
enum { DEPTH_HEADER = 12 };
static const float depth_a = 100 * (100 + 1), depth_far = 10;

/* Contents of `format` */
struct wish {
	bool	jpeg, png, depth, metres;
};

static bool contains(const struct message_string *s, const char *word)
{
	return s->len && memmem(s->text, s->len, word, strlen(word));
}

bool compressed_is_depth(const struct message_string *format)
{
	return contains(format, "compressedDepth");
}

static struct wish wish_of(const struct message_string *format)
{
	struct wish w = {
		.depth = compressed_is_depth(format),
		.png = contains(format, "png"),
		.metres = format->len >= 5 && !memcmp(format->text, "32FC1", 5),
	};

	w.jpeg = !w.png && !w.depth && (contains(format, "jpeg") ||
					contains(format, "jpg"));
	/* older writers omit "png" */
	w.png |= w.depth && !contains(format, "rvl");
	return w;
}

bool compressed_fits(struct image *i)
{
	if (!i->width || i->width > IMAGE_SIDE || !i->height ||
	    i->height > IMAGE_SIDE)
		return false;
	i->stride = (size_t)i->width * image_pixel(i);
	return i->stride * i->height <= COMPRESSED_BYTES;
}

int compressed_buffer_reserve(struct compressed_buffer *b, size_t more)
{
	size_t size = b->len + more;
	uint8_t *data;

	if (size <= b->size)
		return 0;
	size += size / 2;
	data = realloc(b->data, size);
	if (!data)
		return -ENOMEM;
	assert(b->len <= b->size && size >= b->len + more);
	b->data = data;
	b->size = size;
	return 0;
}

static bool is_png(const uint8_t *data, size_t len)
{
	static const uint8_t magic[] = "\x89PNG\r\n\x1a\n";

	return len >= 8 && !memcmp(data, magic, 8);
}

/* Read the shape or the pixels, see compressed_codec.h */
static int compressed_decode(const struct message_compressed_image *m,
			     const struct wish *w, struct image *image)
{
	const uint8_t *data = m->data.data;
	size_t len = m->data.count;
	size_t skip = w->depth && len > DEPTH_HEADER ? DEPTH_HEADER : 0;

	if (!len)
		return -EOPNOTSUPP;
	if (is_png(data + skip, len - skip))
		return compressed_png_read(data + skip, len - skip, image);
	if (!w->depth && len > 2 && data[0] == 0xff && data[1] == 0xd8)
		return compressed_jpeg_read(data, len, image);
	return -EOPNOTSUPP;
}

static bool is_gray16(const struct image *i)
{
	return i->channels == 1 && i->depth == 16;
}

int compressed_shape(const struct message_compressed_image *m,
		     struct image *image)
{
	struct wish w = wish_of(&m->format);
	int err;

	memset(image, 0, sizeof(*image));
	err = compressed_decode(m, &w, image);
	if (!err && w.depth && w.metres && !is_gray16(image))
		return -EBADMSG;
	return err;
}

static void to_millimetres(const struct message_compressed_image *m,
			   struct image *image)
{
	float a = get_lef32(m->data.data + 4), b = get_lef32(m->data.data + 8);

	for (unsigned int y = 0; y < image->height; y++) {
		uint16_t *row = (uint16_t *)image_row(image, y);

		for (unsigned int x = 0; x < image->width; x++) {
			float mm = row[x] ? 1000 * a / (row[x] - b) : 0;

			row[x] = message_millimetres(mm);
		}
	}
}

int compressed_read(const struct message_compressed_image *m,
		    struct image *image)
{
	struct wish w = wish_of(&m->format);
	int err = compressed_decode(m, &w, image);

	if (!err && w.depth && w.metres)
		to_millimetres(m, image);
	return err;
}

void compressed_fault(const struct message_compressed_image *m, int err,
		      char *text, size_t size)
{
	const char *why = err == -EOPNOTSUPP ? "is not supported" :
			  err == -EBADMSG ? "is damaged" : strerror(-err);

	snprintf(text, size, "format \"%.*s\" %s",
		 m->format.len < 48 ? (int)m->format.len : 48,
		 m->format.len ? m->format.text : "", why);
	for (; *text; text++)
		*text = isprint((unsigned char)*text) ? *text : '?';
}

/* Inverse depth, as the receiver inverts it. Return: NULL: no memory */
static uint16_t *from_millimetres(const struct image *image, float a, float b)
{
	uint16_t *all = malloc((size_t)image->width * image->height * 2);
	uint16_t *out = all;

	if (!all)
		return NULL;
	for (unsigned int y = 0; y < image->height; y++) {
		const uint16_t *row = (uint16_t *)image_row(image, y);

		for (unsigned int x = 0; x < image->width; x++) {
			float v = row[x] ? 1000 * a / row[x] + b : 0;

			*out++ = v < 1 ? 0 : v > 65535 ? 65535 :
				 (uint16_t)(v + 0.5f);
		}
	}
	return all;
}

static int write_depth(const struct image *image, bool metres,
		       struct compressed_buffer *out)
{
	float b = 1 - depth_a / depth_far;
	struct image inverse = *image;
	int err;

	if (!is_gray16(image))
		return -EINVAL;
	if (compressed_buffer_reserve(out, DEPTH_HEADER))
		return -ENOMEM;
	memset(out->data, 0, DEPTH_HEADER);
	out->len = DEPTH_HEADER;
	if (!metres)
		return compressed_png_write(image, out);
	put_lef32(out->data + 4, depth_a);
	put_lef32(out->data + 8, b);
	inverse.stride = image->width * 2;
	inverse.data = (uint8_t *)from_millimetres(image, depth_a, b);
	if (!inverse.data)
		return -ENOMEM;
	err = compressed_png_write(&inverse, out);
	free(inverse.data);
	return err;
}

int compressed_write(const struct image *image,
		     const struct message_string *format, int quality,
		     struct compressed_buffer *out,
		     struct message_compressed_image *m)
{
	struct wish w = wish_of(format);
	int err = -EOPNOTSUPP;

	out->len = 0;
	if (w.jpeg && (image->depth != 8 || image->channels % 2 == 0))
		err = -EINVAL;
	else if (w.jpeg)
		err = compressed_jpeg_write(image, quality ? quality :
					    COMPRESSED_QUALITY, out);
	else if (w.depth && w.png)
		err = write_depth(image, w.metres, out);
	else if (w.png)
		err = compressed_png_write(image, out);
	if (err)
		return err;
	m->format = *format;
	m->data = (struct message_bytes){ out->data, (uint32_t)out->len };
	return 0;
}
