// SPDX-License-Identifier: GPL-2.0-only
/*
 * map_image - read the picture of a map: PGM or PNG
 *
 * Pictures are not trusted: sizes are checked before memory is allocated, and
 * incomplete or invalid ones are rejected as a whole.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <png.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/error.h"
#include "map/fusion/cells.h"
#include "map/io/map_image.h"

static int map_image_fail(char *why, int err, const char *text)
{
	snprintf(why, ERROR_REASON, "%s", text ? text : strerror(-err));
	return err;
}

static int allocate(struct map_image *m, char *why)
{
	_Static_assert(MAP_PIXELS_MAX == 1 << 27 && CELLS_SIDE_MAX == 16384,
		       "limits named in the error text");
	if (!m->width || !m->height)
		return map_image_fail(why, -EBADMSG,
				      "picture has no pixels");
	if (m->width > CELLS_SIDE_MAX || m->height > CELLS_SIDE_MAX ||
	    (uint64_t)m->width * m->height > MAP_PIXELS_MAX)
		return map_image_fail(why, -EFBIG,
				      "picture too large: at most 2^27 pixels "
				      "and 16384 per side");
	m->pixels = calloc((size_t)m->width * m->height, m->channels);
	return m->pixels ? 0 : map_image_fail(why, -ENOMEM, NULL);
}

/* A number after spaces and comments; -1: none, or too large */
static long pgm_number(FILE *f)
{
	long n = 0;
	int c;

	while ((c = getc(f)) == '#' || isspace(c))
		while (c == '#' && (c = getc(f)) != '\n' && c != EOF)
			c = '#';
	if (!isdigit(c))
		return -1;
	for (; isdigit(c) && n < 1000000; c = getc(f))
		n = 10 * n + c - '0';
	ungetc(c, f);
	return c == EOF || isspace(c) || c == '#' ? n : -1;
}

static bool plain_pixels(FILE *f, uint8_t *to, size_t n, long most)
{
	while (n--) {
		const long v = pgm_number(f);

		if (v < 0 || v > most)
			return false;
		*to++ = (v * 255 + most / 2) / most;
	}
	return true;
}

static bool raw_pixels(FILE *f, uint8_t *to, size_t n, long most)
{
	if (fread(to, 1, n, f) != n)
		return false;
	for (; n-- && most < 255; to++) {
		if (*to > most)
			return false;
		*to = (*to * 255 + most / 2) / most;
	}
	return true;
}

static int load_pgm(FILE *f, struct map_image *m, bool plain, char *why)
{
	const long width = pgm_number(f), height = pgm_number(f);
	const long most = pgm_number(f);
	bool good;
	int err;

	if (width < 0 || height < 0 || most < 1)
		return map_image_fail(why, -EBADMSG,
				      "invalid PGM header");
	if (most > 255)
		return map_image_fail(why, -EBADMSG,
				      "PGM with more than 8 bits is not "
				      "supported");
	m->width = width;
	m->height = height;
	m->channels = 1;
	err = allocate(m, why);
	if (err)
		return err;
	if (plain)
		good = plain_pixels(f, m->pixels, (size_t)width * height, most);
	else
		good = isspace(getc(f)) &&
		       raw_pixels(f, m->pixels, (size_t)width * height, most);
	if (good)
		return 0;
	if (ferror(f))
		return map_image_fail(why, -EIO, NULL);
	return map_image_fail(why, -EBADMSG,
			      feof(f) ? "unexpected end of file" :
					"invalid pixel value");
}

static void png_failed(png_structp png, png_const_charp text)
{
	snprintf(png_get_error_ptr(png), ERROR_REASON, "PNG: %s", text);
	longjmp(png_jmpbuf(png), 1);
}

static void png_warned(png_structp png, png_const_charp text)
{
	(void)png;
	(void)text;
}

static int read_png(png_structp png, png_infop info, struct map_image *m,
		    char *why)
{
	int passes, err;

	png_read_info(png, info);
	png_set_scale_16(png);
	png_set_expand(png);
	passes = png_set_interlace_handling(png);
	png_read_update_info(png, info);
	m->width = png_get_image_width(png, info);
	m->height = png_get_image_height(png, info);
	m->channels = png_get_channels(png, info);
	err = allocate(m, why);
	while (!err && passes--)
		for (unsigned int y = 0; y < m->height; y++)
			png_read_row(png, m->pixels + (size_t)y * m->width *
				     m->channels, NULL);
	if (!err)
		png_read_end(png, NULL);
	return err;
}

static int load_png(FILE *f, struct map_image *m, char *why)
{
	png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, why,
						 png_failed, png_warned);
	png_infop info = png ? png_create_info_struct(png) : NULL;
	int err;

	if (!info) {
		err = map_image_fail(why, -ENOMEM, NULL);
	} else if (setjmp(png_jmpbuf(png))) {
		err = -EBADMSG;
	} else {
		png_init_io(png, f);
		png_set_user_limits(png, CELLS_SIDE_MAX, CELLS_SIDE_MAX);
		err = read_png(png, info, m, why);
	}
	png_destroy_read_struct(&png, &info, NULL);
	return err;
}

static int load(FILE *f, struct map_image *m, char *why)
{
	uint8_t magic[2] = { 0 };

	if (fread(magic, 1, 2, f) != 2)
		return map_image_fail(why, -EBADMSG, "neither PGM nor PNG");
	if (magic[0] == 'P' && (magic[1] == '5' || magic[1] == '2'))
		return load_pgm(f, m, magic[1] == '2', why);
	if (magic[0] != 0x89 || magic[1] != 'P')
		return map_image_fail(why, -EBADMSG, "neither PGM nor PNG");
	rewind(f);
	return load_png(f, m, why);
}

int map_image_load(const char *path, struct map_image *image,
		   char why[ERROR_REASON])
{
	/* do not block on a pipe */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), err;
	struct stat st;
	FILE *f;

	*image = (struct map_image){ 0 };
	if (fd < 0)
		return map_image_fail(why, -errno, NULL);
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		return map_image_fail(why, -EINVAL, "not a regular file");
	}
	f = fdopen(fd, "rb");
	if (!f) {
		err = map_image_fail(why, -errno, NULL);
		close(fd);
		return err;
	}
	err = load(f, image, why);
	fclose(f);
	if (err) {
		free(image->pixels);
		image->pixels = NULL;
	}
	return err;
}
