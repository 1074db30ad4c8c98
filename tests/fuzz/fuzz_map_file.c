// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_map_file - hostile images of maps, PGM and PNG, read as maps
 *
 * Input: a byte of how the .yaml reads it, one of what the picture is, and the
 * picture: as it is; a PNG of a header and rows that are packed and summed up
 * here, as guessing does not get through either; or cells, which are written
 * as a map and must come back.
 */
#include <math.h>
#include <png.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include "base/error.h"
#include "map/fusion/cells.h"
#include "map/io/map_file.h"
#include "map/io/map_image.h"
#include "memory_file.h"
#include "odd.h"

enum { CHUNK = 12, SIDE = 64 };

static char folder[64], yaml_path[96], picture_path[96], written_path[96],
	    written_yaml[96];

static void forget(void)
{
	unlink(yaml_path);
	unlink(picture_path);
	unlink(written_path);
	unlink(written_yaml);
	rmdir(folder);
}

static void begin(void)
{
	if (*folder)
		return;
	strcpy(folder, memory_folder(forget));
	sprintf(yaml_path, "%s/map.yaml", folder);
	sprintf(picture_path, "%s/picture", folder);
	sprintf(written_path, "%s/new.pgm", folder);
	sprintf(written_yaml, "%s/new.yaml", folder);
}

static void save(const char *path, const void *data, size_t size)
{
	FILE *f = fopen(path, "w");

	if (!f || fwrite(data, 1, size, f) != size || fclose(f))
		abort();
}

static void describe(uint8_t how)
{
	static const char *const modes[] = { "trinary", "scale", "raw" };
	char text[512];
	const int n = sprintf(text, "%simage: picture\nresolution: 0.05\n"
		"origin: [-1, 2, 0.5]\nmode: %s\nnegate: %d\n"
		"occupied_thresh: %g\nfree_thresh: %g\n",
		how & 4 ? "# trinary-grey\n" : "", modes[how % 3],
		how >> 3 & 1, how & 16 ? 1 : 0.65, how & 32 ? 0 : 0.196);

	save(yaml_path, text, n);
}

/* Return: its end */
static uint8_t *put_chunk(uint8_t *to, const char *type, const void *data,
			  uint32_t len)
{
	const uint32_t size = htobe32(len);
	uint32_t sum;

	memcpy(to, &size, 4);
	memcpy(to + 4, type, 4);
	memcpy(to + 8, data, len);
	sum = htobe32(crc32(0, to + 4, len + 4));
	memcpy(to + 8 + len, &sum, 4);
	return to + CHUNK + len;
}

/* Bytes of a row, with its filter's */
static size_t row_bytes(unsigned int width, unsigned int depth,
			unsigned int kind)
{
	static const uint8_t samples[] = { 1, 1, 3, 1, 2, 1, 4 };

	return 1 + ((size_t)width * depth * samples[kind] + 7) / 8;
}

/*
 * Bytes: width, height, bits and kind of colour, flags; then what rows are
 * made of, the rest of which are zeros; or what is said to be packed
 */
static size_t make_png(struct odd *o, uint8_t *to)
{
	static const uint8_t depths[] = { 8, 1, 2, 4, 16, 3 };
	static const uint8_t kinds[] = { 0, 2, 3, 4, 6, 5 };
	const unsigned int width = odd_byte(o) % SIDE + 1;
	const unsigned int height = odd_byte(o) % SIDE + 1;
	const uint8_t shape = odd_byte(o), flags = odd_byte(o);
	const uint8_t many = flags & 8 ? odd_byte(o) : 255;
	uint8_t header[13] = { 0 }, *begin = to, colours[768] = { 0 };
	size_t n, len = o->size;
	uint8_t *rows;
	uLongf packed;

	memcpy(to, "\x89PNG\r\n\x1a\n", 8);
	to += 8;
	header[3] = width;
	header[7] = height;
	if ((flags & 3) == 3)
		header[2] = header[6] = odd_byte(o);
	header[8] = depths[(shape & 15) % sizeof(depths)];
	header[9] = kinds[(shape >> 4) % sizeof(kinds)];
	header[12] = flags >> 2 & 1;
	to = put_chunk(to, "IHDR", header, sizeof(header));
	if (flags & 8 || header[9] == 3)
		to = put_chunk(to, "PLTE", colours, many * 3);
	if (flags & 16)
		to = put_chunk(to, "tRNS", colours, 1 + many % 6);
	if (flags & 32)
		to = put_chunk(to, "gAMA", header, 4);
	n = height * row_bytes(width, header[8], header[9]);
	/* passes have rows of their own */
	n = flags & 4 ? 2 * n + 64 : n;
	n = n > len ? n : len;
	rows = calloc(1, n);
	odd_bytes(o, rows, len);
	packed = compressBound(n);
	if ((flags & 192) == 192)
		to = put_chunk(to, "IDAT", rows, len);
	else {
		compress2(to + 8, &packed, rows, n, 1);
		memmove(rows = realloc(rows, packed), to + 8, packed);
		to = put_chunk(to, "IDAT", rows, packed);
	}
	free(rows);
	if ((flags & 192) != 128)
		to = put_chunk(to, "IEND", "", 0);
	return to - begin;
}

static void check(const struct map_file *m)
{
	const size_t n = (size_t)m->width * m->height;

	if (!n || n > MAP_PIXELS_MAX || m->width > CELLS_SIDE_MAX ||
	    m->height > CELLS_SIDE_MAX || !pose_valid(&m->origin))
		abort();
	for (size_t i = 0; i < n; i++)
		if (m->cells[i] < -1 || m->cells[i] > CELLS_FULL_8)
			abort();
}

/* @mode: as of map_file_values(), or -2: as map_server reads it */
static void read_it(int mode)
{
	struct error error = { "" };
	struct map_file m;
	const int err = mode < -1 ? map_file_read(yaml_path, &m, &error) :
			map_file_values(yaml_path, mode, &m, &error);

	if (!err) {
		check(&m);
		map_file_free(&m);
	} else if (!*error.text || strchr(error.text, '\n')) {
		abort();
	}
}

/* Cells as a map and back */
static void write_it(struct odd *o, enum map_mode mode)
{
	static int16_t cells[SIDE * SIDE];
	struct raster r = { .bits = 8, .resolution = 0.05, .cells = cells };
	struct error error;
	struct map_file m;
	unsigned int n;

	r.rect.x = (int8_t)odd_byte(o);
	r.rect.y = (int8_t)odd_byte(o);
	r.rect.width = odd_byte(o) % SIDE + 1;
	r.rect.height = odd_byte(o) % SIDE + 1;
	n = r.rect.width * r.rect.height;
	for (unsigned int i = 0; i < n; i++)
		cells[i] = (odd_byte(o) + (o->size ? 0 : i)) % 102 - 1;
	if (map_file_write(written_path, &r, mode, &error) ||
	    map_file_values(written_yaml, -1, &m, &error))
		abort();
	check(&m);
	if (m.width != r.rect.width || m.height != r.rect.height ||
	    m.resolution != r.resolution ||
	    fabs(m.origin.x - r.rect.x * r.resolution) > 1e-9 ||
	    fabs(m.origin.y - r.rect.y * r.resolution) > 1e-9)
		abort();
	for (unsigned int i = 0; i < n && mode != MAP_TRINARY; i++)
		if (m.cells[i] != cells[i])
			abort();
	map_file_free(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct odd o = { data, size, 0, 0 };
	const uint8_t how = odd_byte(&o), what = odd_byte(&o);
	uint8_t *png;

	begin();
	if (what % 4 == 3) {
		write_it(&o, how % MAP_MODES);
		return 0;
	}
	describe(how);
	if (what % 4 == 1) {
		save(picture_path, o.data, o.size);
	} else {
		png = malloc(2 * size + 20 * SIDE * SIDE + 4096);
		save(picture_path, png, make_png(&o, png));
		free(png);
	}
	read_it(what / 4 % (MAP_MODES + 2) - 2);
	return 0;
}
