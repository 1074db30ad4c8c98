// SPDX-License-Identifier: GPL-2.0-only
/*
 * png_file - images in PNG files
 */
#include <errno.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "png_file.h"

static char message[160];

static void png_file_failed(png_structp png, png_const_charp text)
{
	snprintf(message, sizeof(message), "%s", text);
	longjmp(png_jmpbuf(png), 1);
}

static void png_file_warned(png_structp png, png_const_charp text)
{
	(void)png;
	(void)text;
}

static int png_file_read_rows(png_structp png, png_infop info,
			      struct image *image)
{
	unsigned int type = png_get_color_type(png, info);
	int passes;

	if (type == PNG_COLOR_TYPE_PALETTE)
		png_set_palette_to_rgb(png);
	if (type == PNG_COLOR_TYPE_GRAY && png_get_bit_depth(png, info) < 8)
		png_set_expand_gray_1_2_4_to_8(png);
	if (png_get_valid(png, info, PNG_INFO_tRNS))
		png_set_tRNS_to_alpha(png);
	if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
		png_set_swap(png);
	passes = png_set_interlace_handling(png);
	png_read_update_info(png, info);
	image->width = png_get_image_width(png, info);
	image->height = png_get_image_height(png, info);
	image->channels = png_get_channels(png, info);
	image->depth = png_get_bit_depth(png, info);
	image->stride = png_get_rowbytes(png, info);
	image->data = malloc(image->stride * image->height);
	if (!image->data)
		return -ENOMEM;
	while (passes--)
		for (unsigned int y = 0; y < image->height; y++)
			png_read_row(png, image_row(image, y), NULL);
	return 0;
}

int png_load(const char *path, struct image *image, const char **error)
{
	png_structp png = png_create_read_struct(
		PNG_LIBPNG_VER_STRING, NULL, png_file_failed, png_file_warned);
	png_infop info = png ? png_create_info_struct(png) : NULL;
	FILE *f = fopen(path, "rb");
	int ret;

	memset(image, 0, sizeof(*image));
	*error = message;
	if (!f || !info) {
		ret = f ? -ENOMEM : -errno;
		snprintf(message, sizeof(message), "%s", strerror(-ret));
		goto out;
	}
	if (setjmp(png_jmpbuf(png))) {
		free(image->data);
		image->data = NULL;
		ret = -EINVAL;
		goto out;
	}
	png_init_io(png, f);
	png_set_user_limits(png, IMAGE_SIDE, IMAGE_SIDE);
	png_read_info(png, info);
	ret = png_file_read_rows(png, info, image);
	if (ret)
		snprintf(message, sizeof(message), "%s", strerror(-ret));
out:
	if (f)
		fclose(f);
	png_destroy_read_struct(&png, &info, NULL);
	return ret;
}

int png_save(const char *path, const struct image *image, const char **error)
{
	static const int types[] = {
		0, PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA,
		PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA,
	};
	png_structp png = png_create_write_struct(
		PNG_LIBPNG_VER_STRING, NULL, png_file_failed, png_file_warned);
	png_infop info = png ? png_create_info_struct(png) : NULL;
	FILE *f = fopen(path, "wb");
	int ret = 0;

	*error = message;
	if (!f || !info) {
		ret = f ? -ENOMEM : -errno;
		snprintf(message, sizeof(message), "%s", strerror(-ret));
		goto out;
	}
	if (setjmp(png_jmpbuf(png))) {
		ret = -EIO;
		goto out;
	}
	png_init_io(png, f);
	png_set_IHDR(png, info, image->width, image->height, image->depth,
		     types[image->channels], PNG_INTERLACE_NONE,
		     PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
	png_write_info(png, info);
	if (image->depth == 16 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
		png_set_swap(png);
	for (unsigned int y = 0; y < image->height; y++)
		png_write_row(png, image_row(image, y));
	png_write_end(png, info);
out:
	if (f && fclose(f) && !ret) {
		ret = -errno;
		snprintf(message, sizeof(message), "%s", strerror(-ret));
	}
	png_destroy_write_struct(&png, &info);
	return ret;
}
