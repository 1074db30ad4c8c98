// SPDX-License-Identifier: GPL-2.0-only
/*
 * compressed_png - PNG in memory, by libpng
 *
 * Palettes and low depths become 8 bit; alpha is kept.
 */
#include <assert.h>
#include <errno.h>
#include <png.h>
#include <string.h>
#include "ros/msg/compressed_codec.h"

enum {
	CHUNK	= 8 << 20,	/* limit of a chunk in libpng, bytes */
	CHUNKS	= 64,		/* limit of chunks other than pixels */
	LEVEL	= 1,		/* of zlib: time matters more than size */
};

/* Input of libpng and its error; outlives longjmp() */
struct input {
	const uint8_t	*data;
	size_t		len, at;
};

static void compressed_png_on_error(png_structp png, png_const_charp text)
{
	(void)text;
	longjmp(png_jmpbuf(png), 1);
}

static void on_warning(png_structp png, png_const_charp text)
{
	(void)png;
	(void)text;
}

static void on_read(png_structp png, png_bytep to, size_t n)
{
	struct input *in = png_get_io_ptr(png);

	if (in->len - in->at < n)
		png_error(png, "ends early");
	memcpy(to, in->data + in->at, n);
	in->at += n;
}

static int compressed_png_read_header(png_structp png, png_infop info,
				      struct image *shape)
{
	unsigned int type;

	png_set_user_limits(png, IMAGE_SIDE, IMAGE_SIDE);
	png_set_chunk_malloc_max(png, CHUNK);
	png_set_chunk_cache_max(png, CHUNKS);
	png_read_info(png, info);
	type = png_get_color_type(png, info);
	if (type == PNG_COLOR_TYPE_PALETTE)
		png_set_palette_to_rgb(png);
	if (type == PNG_COLOR_TYPE_GRAY && png_get_bit_depth(png, info) < 8)
		png_set_expand_gray_1_2_4_to_8(png);
	if (png_get_valid(png, info, PNG_INFO_tRNS))
		png_set_tRNS_to_alpha(png);
	if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
		png_set_swap(png);
	png_set_interlace_handling(png);
	png_read_update_info(png, info);
	shape->width = png_get_image_width(png, info);
	shape->height = png_get_image_height(png, info);
	shape->channels = png_get_channels(png, info);
	shape->depth = png_get_bit_depth(png, info);
	return compressed_fits(shape) ? 0 : -E2BIG;
}

static bool compressed_png_same_shape(const struct image *a,
				      const struct image *b)
{
	return a->width == b->width && a->height == b->height &&
	       a->channels == b->channels && a->depth == b->depth;
}

static void compressed_png_read_rows(png_structp png, png_infop info,
				     struct image *image)
{
	int passes = png_get_interlace_type(png, info) ==
		     PNG_INTERLACE_ADAM7 ? PNG_INTERLACE_ADAM7_PASSES : 1;

	while (passes--)
		for (unsigned int y = 0; y < image->height; y++)
			png_read_row(png, image_row(image, y), NULL);
	png_read_end(png, NULL);
}

int compressed_png_read(const uint8_t *data, size_t len, struct image *image)
{
	png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL,
						 compressed_png_on_error,
						 on_warning);
	png_infop info = png ? png_create_info_struct(png) : NULL;
	struct input in = { .data = data, .len = len };
	struct image shape = { 0 };
	int ret = -ENOMEM;

	if (!info)
		goto out;
	if (setjmp(png_jmpbuf(png))) {
		png_destroy_read_struct(&png, &info, NULL);
		return -EBADMSG;
	}
	png_set_read_fn(png, &in, on_read);
	ret = compressed_png_read_header(png, info, &shape);
	if (!ret && !image->data)
		*image = shape;
	else if (!ret && !compressed_png_same_shape(&shape, image))
		ret = -EBADMSG;
	else if (!ret)
		compressed_png_read_rows(png, info, image);
out:
	png_destroy_read_struct(&png, &info, NULL);
	return ret;
}

static void on_write(png_structp png, png_bytep from, size_t n)
{
	struct compressed_buffer *out = png_get_io_ptr(png);

	if (compressed_buffer_reserve(out, n))
		png_error(png, "no memory");
	assert(out->len + n <= out->size);
	memcpy(out->data + out->len, from, n);
	out->len += n;
}

static void compressed_png_on_flush(png_structp png)
{
	(void)png;
}

static void compressed_png_write_rows(png_structp png, png_infop info,
				      const struct image *image)
{
	static const int types[] = {
		0, PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA,
		PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA,
	};

	png_set_IHDR(png, info, image->width, image->height, image->depth,
		     types[image->channels], PNG_INTERLACE_NONE,
		     PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
	png_set_compression_level(png, LEVEL);
	png_write_info(png, info);
	if (image->depth == 16 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
		png_set_swap(png);
	for (unsigned int y = 0; y < image->height; y++)
		png_write_row(png, image_row(image, y));
	png_write_end(png, info);
}

int compressed_png_write(const struct image *image,
			 struct compressed_buffer *out)
{
	png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL,
						  compressed_png_on_error,
						  on_warning);
	png_infop info = png ? png_create_info_struct(png) : NULL;

	if (!info || setjmp(png_jmpbuf(png))) {
		png_destroy_write_struct(&png, &info);
		return -ENOMEM;
	}
	png_set_write_fn(png, out, on_write, compressed_png_on_flush);
	compressed_png_write_rows(png, info, image);
	png_destroy_write_struct(&png, &info);
	return 0;
}
