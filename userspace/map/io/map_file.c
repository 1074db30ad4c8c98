// SPDX-License-Identifier: GPL-2.0-only
/*
 * map_file - ROS map files: a picture and a .yaml
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/atomic_file.h"
#include "base/error.h"
#include "map/fusion/cells.h"
#include "map/io/map_file.h"
#include "map/io/map_image.h"
#include "map/io/map_yaml.h"

enum {
	GREY_FREE	= 254,
	GREY_OCCUPIED	= 0,
	GREY_UNKNOWN	= 205,
	RAW_UNKNOWN	= 255,
};

/* Of 1: cells below are free rather than occupied, see MAP_TRINARY */
static const double free_below = 0.5;

static const struct {
	const char		*name, *comment;
	enum map_reading	reading;
} modes[MAP_MODES] = {
	[MAP_TRINARY_GREY] = { "trinary-grey", "pixel = 254 - 2.54 * value "
		"(0..100), 205 unknown", MAP_READ_TRINARY },
	[MAP_TRINARY] = { "trinary", NULL, MAP_READ_TRINARY },
	[MAP_SCALE] = { "scale", "205 unknown", MAP_READ_SCALE },
	[MAP_RAW] = { "raw", NULL, MAP_READ_RAW },
};

int map_mode_by_name(const char *name)
{
	for (int i = 0; i < MAP_MODES; i++)
		if (!strcmp(name, modes[i].name))
			return i;
	return -ENOENT;
}

const char *map_mode_name(enum map_mode mode)
{
	return modes[mode].name;
}

/* @p: 0..1. A value that would mean unknown is changed to a neighbour */
static uint8_t grey(double p)
{
	const double at = GREY_FREE - GREY_FREE * p;
	const int pixel = (int)lround(at);

	if (pixel == GREY_UNKNOWN)
		return at > GREY_UNKNOWN ? GREY_UNKNOWN + 1 : GREY_UNKNOWN - 1;
	return pixel;
}

int map_file_grey(uint8_t pixel)
{
	if (pixel == GREY_UNKNOWN)
		return CELLS_UNKNOWN;
	return pixel > GREY_FREE ? 0 :
	       (int)lround((GREY_FREE - pixel) * 100.0 / GREY_FREE);
}

/* Pixel of a known value, of @full */
static uint8_t pixel_of(enum map_mode mode, int v, int full,
			const struct map_yaml *y)
{
	const int percent = (v * 100 + full / 2) / full;
	const double p = (double)v / full;

	switch (mode) {
	case MAP_TRINARY_GREY:
		return grey(p);
	case MAP_TRINARY:
		return p >= y->occupied ? GREY_OCCUPIED :
		       p < free_below ? GREY_FREE : GREY_UNKNOWN;
	case MAP_SCALE:
		if (percent == 0 || percent == 100)
			return percent ? GREY_OCCUPIED : GREY_FREE;
		return lround(255 * (1 - y->free - percent / 100.0 *
				     (y->occupied - y->free)));
	default:
		return percent;
	}
}

/* Row by row, from the top, by a table, as there are few values */
static int write_pixels(struct atomic_file *n, const struct raster *r,
			enum map_mode mode, const struct map_yaml *y)
{
	const int full = cells_full(r->bits);
	const size_t width = r->rect.width;
	uint8_t *table = malloc(full + 1 + width);
	uint8_t *row = table + full + 1;
	const uint8_t unknown = mode == MAP_RAW ? RAW_UNKNOWN : GREY_UNKNOWN;
	char header[64];

	if (!table)
		return -ENOMEM;
	for (int v = 0; v <= full; v++)
		table[v] = pixel_of(mode, v, full, y);
	atomic_file_write(n, header, snprintf(header, sizeof(header),
					      "P5\n%u %u\n255\n", r->rect.width,
					      r->rect.height));
	for (size_t left = r->rect.height; left--; ) {
		const int16_t *v = r->cells + left * width;

		for (size_t x = 0; x < width; x++)
			row[x] = v[x] < 0 || v[x] > full ? unknown :
				 table[v[x]];
		atomic_file_write(n, row, width);
	}
	free(table);
	return 0;
}

static int write_yaml(struct atomic_file *n, const struct map_yaml *y,
		      enum map_mode mode)
{
	char text[4 * PATH_MAX];
	int len = map_yaml_print(y, modes[mode].comment, text, sizeof(text));

	if (len > 0)
		atomic_file_write(n, text, len);
	return len < 0 ? len : 0;
}

/* Both are on disk before one of them gets its name */
static int write_both(const char *paths[2], const struct raster *r,
		      enum map_mode mode, const struct map_yaml *y,
		      struct error *error)
{
	struct atomic_file n[2];
	int err = atomic_file_open(&n[0], paths[0], error);

	assert(strcmp(paths[0], paths[1]));
	if (err)
		return err;
	err = atomic_file_open(&n[1], paths[1], error);
	if (err) {
		atomic_file_abandon(&n[0]);
		return err;
	}
	err = write_pixels(&n[0], r, mode, y);
	if (!err)
		err = write_yaml(&n[1], y, mode);
	if (err) {
		atomic_file_error(error, paths[0], err, err == -EINVAL ?
				  "file name contains control characters" : NULL);
	} else {
		err = atomic_file_sync(&n[0], error);
		if (!err)
			err = atomic_file_sync(&n[1], error);
		if (!err)
			err = atomic_file_finish(&n[0], error);
		if (!err)
			return atomic_file_finish(&n[1], error);
	}
	atomic_file_abandon(&n[0]);
	atomic_file_abandon(&n[1]);
	return err;
}

int map_file_write(const char *path, const struct raster *r,
		   enum map_mode mode, struct error *error)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	const size_t len = strlen(path);
	struct map_yaml y;
	char yaml[PATH_MAX];
	const char *paths[] = { path, yaml };

	if (len < 4 || strcmp(path + len - 4, ".pgm") || strlen(base) < 5)
		return atomic_file_error(error, path, -EINVAL,
					 "map file name must end in .pgm");
	if (len + 2 > PATH_MAX)
		return atomic_file_error(error, path, -ENAMETOOLONG, NULL);
	if (rect_is_empty(&r->rect))
		return atomic_file_error(error, path, -EINVAL,
					 "map has no cells");
	assert(r->cells && r->resolution > 0);
	map_yaml_default(&y);
	snprintf(y.image, sizeof(y.image), "%s", base);
	snprintf(yaml, sizeof(yaml), "%.*s.yaml", (int)len - 4, path);
	y.resolution = r->resolution;
	y.origin.x = r->rect.x * r->resolution;
	y.origin.y = r->rect.y * r->resolution;
	y.mode = modes[mode].reading;
	return write_both(paths, r, mode, &y, error);
}

/* As nav2's map_server: @occupied of 1 */
static int8_t map_file_cell_of(const struct map_yaml *y, double shade,
			       uint8_t alpha)
{
	const double occupied = y->negate ? shade : 1 - shade;
	const long raw = lround(shade * 255);

	if (!alpha)
		return CELLS_UNKNOWN;
	if (y->mode == MAP_READ_RAW)
		return raw <= CELLS_FULL_8 ? raw : CELLS_UNKNOWN;
	if (y->mode == MAP_READ_SCALE && alpha < 255)
		return CELLS_UNKNOWN;
	if (occupied > y->occupied)
		return CELLS_FULL_8;
	if (occupied < y->free)
		return 0;
	if (y->mode == MAP_READ_TRINARY)
		return CELLS_UNKNOWN;
	return lrint((occupied - y->free) / (y->occupied - y->free) * 100);
}

double map_file_undecided(const struct raster *r, enum map_mode mode)
{
	const int full = cells_full(r->bits);
	const size_t n = (size_t)r->rect.width * r->rect.height;
	size_t known = 0, undecided = 0;
	struct map_yaml y;

	map_yaml_default(&y);
	for (size_t i = 0; i < n && modes[mode].reading == MAP_READ_TRINARY;
	     i++) {
		const int v = r->cells[i];

		if (v < 0 || v > full)
			continue;
		known++;
		undecided += map_file_cell_of(
				     &y, pixel_of(mode, v, full, &y) / 255.0,
				     255) == CELLS_UNKNOWN;
	}
	return known ? (double)undecided / known : 0;
}

/* Invert map_file_write() */
static int8_t written_cell(const struct map_yaml *y, enum map_mode mode,
			   uint8_t pixel)
{
	if (pixel == GREY_UNKNOWN)
		return CELLS_UNKNOWN;
	return mode == MAP_TRINARY_GREY ?
		       map_file_grey(pixel) :
		       map_file_cell_of(y, pixel / 255.0, 255);
}

static int8_t pixel_cell(const struct map_yaml *y, const struct map_image *m,
			 int written, const uint8_t *pixel)
{
	const bool has_alpha = m->channels % 2 == 0;
	const unsigned int colours = m->channels - has_alpha;
	const uint8_t alpha = has_alpha ? pixel[colours] : 255;
	unsigned int sum = 0, n = 3;

	assert(colours == 1 || colours == 3);
	/* grey is three equal channels */
	for (unsigned int c = 0; c < 3; c++)
		sum += pixel[colours == 3 ? c : 0];
	if (written >= 0)
		return alpha < 255 ? CELLS_UNKNOWN :
		       written_cell(y, written, sum / 3);
	/* alpha counts as one of four channels */
	if (has_alpha && y->mode == MAP_READ_TRINARY) {
		sum += alpha;
		n++;
	}
	return map_file_cell_of(y, sum / (255.0 * n), alpha);
}

/* @written: enum map_mode, or -1: as map_server reads it */
static int map_file_cells_of(struct map_file *map, const struct map_yaml *y,
			     const struct map_image *m, int written)
{
	int8_t *to;

	to = map->cells = malloc((size_t)m->width * m->height);
	if (!to)
		return -ENOMEM;
	assert(m->channels >= 1 && m->channels <= 4);
	map->width = m->width;
	map->height = m->height;
	map->resolution = y->resolution;
	map->origin = y->origin;
	for (size_t row = m->height; row--; ) {
		const uint8_t *from = m->pixels + row * m->width * m->channels;

		for (unsigned int x = 0; x < m->width; x++)
			*to++ = pixel_cell(y, m, written,
					   from + x * m->channels);
	}
	return 0;
}

/* The mode that map_file_write() used for this .yaml; -1: not ours */
static int written_mode(const struct map_yaml *y, const char *text)
{
	for (int i = 0; i < MAP_MODES; i++) {
		const char *comment = modes[i].comment;
		const size_t len = comment ? strlen(comment) : 0;

		if (len && y->mode == modes[i].reading && !y->negate &&
		    !strncmp(text, "# ", 2) &&
		    !strncmp(text + 2, comment, len) &&
		    strchr("\r\n", text[2 + len]))
			return i;
	}
	return -1;
}

/* @written: out: result of written_mode() */
static int read_yaml(const char *path, struct map_yaml *y, int *written,
		     struct error *error)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), err;
	char why[ERROR_REASON];
	struct stat st;
	ssize_t n = -1;
	char *text;

	if (fd < 0)
		return atomic_file_error(error, path, -errno, NULL);
	text = calloc(1, MAP_YAML_MAX + 2);
	if (text && !fstat(fd, &st)) {
		errno = S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
		if (S_ISREG(st.st_mode))
			n = read(fd, text, MAP_YAML_MAX + 1);
	}
	err = n < 0 ? -errno : 0;
	close(fd);
	if (err)
		atomic_file_error(error, path, err, NULL);
	else
		err = map_yaml_parse(y, text, n, why);
	if (err && n >= 0)
		atomic_file_error(error, path, err, why);
	*written = err ? -1 : written_mode(y, text);
	free(text);
	return err;
}

/* @image: as in the .yaml at @path; out: its path from here */
static int image_path(const char *path, char image[PATH_MAX])
{
	const char *slash = strrchr(path, '/');
	const size_t folder = slash ? slash + 1 - path : 0;
	const size_t len = strlen(image);

	if (*image == '/')
		return 0;
	if (folder + len >= PATH_MAX)
		return -ENAMETOOLONG;
	assert(folder + len < PATH_MAX);
	memmove(image + folder, image, len + 1);
	memcpy(image, path, folder);
	return 0;
}

/* Override the mode of the .yaml. Return: whether that is possible */
static bool set_mode(struct map_yaml *y, enum map_mode mode, int *written)
{
	y->mode = modes[mode].reading;
	*written = mode == MAP_TRINARY_GREY || (mode == MAP_SCALE &&
		   *written == MAP_SCALE) ? (int)mode : -1;
	return y->mode == MAP_READ_RAW || y->occupied > y->free;
}

static int map_file_read_image(struct map_yaml *y, int written,
			       const char *path, struct map_file *map,
			       struct error *error)
{
	char why[ERROR_REASON];
	struct map_image m = { 0 };
	int err = image_path(path, y->image);

	if (err)
		return atomic_file_error(error, path, err, NULL);
	err = map_image_load(y->image, &m, why);
	if (err)
		return atomic_file_error(error, y->image, err, why);
	err = map_file_cells_of(map, y, &m, written);
	free(m.pixels);
	return err ? atomic_file_error(error, path, err, NULL) : 0;
}

int map_file_read(const char *path, struct map_file *map,
		  struct error *error)
{
	struct map_yaml y;
	int err, written;

	*map = (struct map_file){ 0 };
	err = read_yaml(path, &y, &written, error);
	return err ? err : map_file_read_image(&y, -1, path, map, error);
}

int map_file_values(const char *path, int mode, struct map_file *map,
		    struct error *error)
{
	struct map_yaml y;
	int err, written;

	*map = (struct map_file){ 0 };
	err = read_yaml(path, &y, &written, error);
	if (err)
		return err;
	if (mode >= 0 && !set_mode(&y, mode, &written))
		return atomic_file_error(error, path, -EINVAL,
			"free_thresh must be less than occupied_thresh");
	return map_file_read_image(&y, written, path, map, error);
}

void map_file_free(struct map_file *map)
{
	free(map->cells);
	*map = (struct map_file){ 0 };
}
