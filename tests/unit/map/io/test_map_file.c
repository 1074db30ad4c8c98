// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_map_file - maps as files of map_server: what is written is what
 * map_server reads, what it reads is read alike, and nothing else is
 */
#include <errno.h>
#include <png.h>
#include <zlib.h>
#include "base/error.h"
#include "map/io/map_file.h"
#include "map/io/map_yaml.h"
#include "raster_fixture.h"

static struct error error;

/* Bytes of a file, to be freed */
static uint8_t *slurp(const char *path, size_t *len)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data;

	*len = 0;
	if (!f)
		return NULL;
	fseek(f, 0, SEEK_END);
	*len = ftell(f);
	rewind(f);
	data = calloc(1, *len + 1);
	if (fread(data, 1, *len, f) != *len)
		abort();
	fclose(f);
	return data;
}

static void spill(const char *path, const void *data, size_t len)
{
	FILE *f = fopen(path, "wb");

	if (!f || fwrite(data, 1, len, f) != len || fclose(f))
		abort();
}

static void spill_text(const char *path, const char *text)
{
	spill(path, text, strlen(text));
}

/* Where the pixels of a PGM file of ours begin: behind three lines */
static const uint8_t *pixels_of(const uint8_t *file)
{
	for (int lines = 0; lines < 3; file++)
		lines += *file == '\n';
	return file;
}

/* What map_server makes of known values that were written in a mode */
static int expected(enum map_mode mode, int v, int full)
{
	const int percent = (v * 100 + full / 2) / full;

	if (mode == MAP_SCALE)
		return v < 0 ? 0 : percent;
	if (v < 0 || mode == MAP_RAW)
		return v < 0 ? -1 : percent;
	if (mode == MAP_TRINARY && v * 2 < full)
		return 0;
	return v * 1000L < 196L * full ? 0 : v * 100L >= 65L * full ? 100 : -1;
}

static void round_trip(enum map_mode mode, unsigned int bits)
{
	static const char *const names[] = { "trinary-grey", "trinary",
					     "scale", "raw" };
	struct raster r = new_raster(-37, 12, 101, 53, bits, 0.05);
	const char *pgm = in_folder("m.pgm"), *yaml = in_folder("m.yaml");
	const int full = cells_full(bits);
	struct map_file m;
	uint64_t rng = mode + bits;
	unsigned int wrong = 0;

	draw_any(&r, &rng);
	for (int v = 0; v <= 100; v++)
		r.cells[v] = v * full / 100;
	ok_eq(map_mode_by_name(names[mode]), (int)mode, "%s, %u bits: written",
	      names[mode], bits);
	ok_eq(map_file_write(pgm, &r, mode, &error), 0, "... map file write");
	ok(!map_file_read(yaml, &m, &error), "... and read");
	ok_eq(m.width, 101, "... of the same size, at the same place");
	ok_eq(m.height, 53, "... height");
	ok_near(m.resolution, 0.05, 0, "... resolution");
	ok_range(fabs(m.origin.x + 37 * 0.05), -INFINITY, 1e-12, "... how far off");
	ok_range(fabs(m.origin.y - 12 * 0.05), -INFINITY, 1e-12, "... how far off");
	ok_near(m.origin.yaw, 0, 0, "... yaw");
	for (unsigned int i = 0; m.cells && i < 101 * 53; i++) {
		const int want = expected(mode, r.cells[i], full);
		/* of 16 bits, those at a threshold may go to either side */
		const bool near = mode == MAP_TRINARY_GREY && bits == 16 &&
			(abs(r.cells[i] - 1960) <= 60 ||
			 abs(r.cells[i] - 6500) <= 60);

		wrong += m.cells[i] != want && !near;
	}
	ok(m.cells, "... with the same cells");
	ok_eq(wrong, 0, "... wrong");
	map_file_free(&m);
	free(r.cells);
}

/* Pixels of MAP_TRINARY_GREY give values back, and none is 205 */
static void test_grey(void)
{
	struct raster r = new_raster(0, 0, 101, 1, 8, 0.1);
	const char *pgm = in_folder("grey.pgm");
	unsigned int same = 0, unknown = 0, near = 0;
	const uint8_t *p;
	uint8_t *file;
	size_t len;
	int last = 255;

	for (int v = 0; v <= 100; v++)
		r.cells[v] = v;
	map_file_write(pgm, &r, MAP_TRINARY_GREY, &error);
	file = slurp(pgm, &len);
	p = pixels_of(file);
	for (int v = 0; v <= 100; v++) {
		same += map_file_grey(p[v]) == v &&
			p[v] == lround(254 - 2.54 * v);
		unknown += p[v] == 205;
	}
	ok_eq(same, 101, "grey: 0..100 come back, none is 205");
	ok_eq(unknown, 0, "... unknown");
	free(file);
	free(r.cells);

	r = new_raster(0, 0, 10001, 1, 16, 0.1);
	for (int v = 0; v <= 10000; v++)
		r.cells[v] = v;
	map_file_write(pgm, &r, MAP_TRINARY_GREY, &error);
	file = slurp(pgm, &len);
	p = pixels_of(file);
	unknown = 0;
	for (int v = 0; v <= 10000; v++) {
		unknown += p[v] == 205 || p[v] > last;
		near += abs(map_file_grey(p[v]) * 100 - v) <= 70;
		last = p[v];
	}
	ok_eq(unknown, 0, "grey: so do 16 bits, to one in 100");
	ok_eq(near, 10001, "... is near");
	ok_eq(map_file_grey(205), -1, "grey: 205 is unknown");
	ok_eq(map_file_grey(255), 0, "... map file grey");
	free(file);
	free(r.cells);
}

static void test_undecided(void)
{
	struct raster r = new_raster(0, 0, 10, 1, 8, 0.1);
	/* unknown, free, between, occupied */
	static const int16_t cell[] = { -1, -1, 0, 19, 20, 41, 49, 64, 66, 100 };

	memcpy(r.cells, cell, sizeof(cell));
	ok(fabs(map_file_undecided(&r, MAP_TRINARY_GREY) - 4 / 8.0) < 1e-9,
	   "undecided: what map_server takes for unknown of trinary-grey");
	ok(fabs(map_file_undecided(&r, MAP_TRINARY) - 1 / 8.0) < 1e-9,
	   "undecided: of trinary only what is between half and 0.65");
	ok_near(map_file_undecided(&r, MAP_SCALE), 0, 0,
		"undecided: none of others");
	ok_near(map_file_undecided(&r, MAP_RAW), 0, 0,
		"... map file undecided");
	for (int i = 0; i < 10; i++)
		r.cells[i] = -1;
	ok(map_file_undecided(&r, MAP_TRINARY) == 0,
	   "undecided: nothing known");
	free(r.cells);
}

static void test_upright(void)
{
	struct raster r = new_raster(5, 5, 3, 2, 8, 1);
	uint8_t *file;
	size_t len;

	r.cells[0] = 100;
	map_file_write(in_folder("up.pgm"), &r, MAP_RAW, &error);
	file = slurp(in_folder("up.pgm"), &len);
	ok_eq(len, 11 + 6, "the first cell is at the lower left");
	ok_mem(file,
	       "P5\n3 2\n255\n\xff\xff\xff\x64"
	       "\xff\xff",
	       len, "... file");
	free(file);
	file = slurp(in_folder("up.yaml"), &len);
	ok(file, "the .yaml says where");
	ok(strstr((char *)file, "image: up.pgm\nmode: raw\n"
				"resolution: 1\norigin: [5, 5, 0]\nnegate: 0\n"
				"occupied_thresh: 0.65\nfree_thresh: 0.196\n"),
	   "... char says it");
	free(file);
	free(r.cells);
}

static int parse(const char *text, struct map_yaml *y)
{
	char why[ERROR_REASON] = "";
	int err = map_yaml_parse(y, text, strlen(text), why);

	return err && !one_line(why) ? 1 : err;
}

#define GOOD "image: a.pgm\nresolution: 0.05\norigin: [-1.5, 2e1, 0.5]\n"

static void test_yaml_good(void)
{
	static const char *const good[] = {
		GOOD,
		"# map\r\n---\r\nimage: a.pgm # of a site\r\n"
		"resolution: 0.05\r\norigin: [-1.5,20 , 0.5]  #\r\n",
		"%YAML 1.2\n---\nimage: \"a.pgm\"\nresolution:   +.05\n\n"
		"origin:\n- -1.5\n- 20.0 # m\n- 0.5\nnegate: 0\n...\n",
		"origin: [ -1.5 , 20, 0.5 ]\nresolution: 5e-2\nx: {a: b}\n"
		"cost:\n  image: b.pgm\n  - 3\nimage: 'a.pgm'",
		GOOD "negate: false\nmode: trinary\noccupied_thresh: 0.65\n"
		"free_thresh: 0.196\n",
	};
	struct map_yaml y;

	for (unsigned int i = 0; i < sizeof(good) / sizeof(*good); i++) {
		ok_eq(parse(good[i], &y), 0, "yaml: good, %u", i);
		ok_str(y.image, "a.pgm", "... image");
		ok_near(y.resolution, 0.05, 0, "... resolution");
		ok_near(y.origin.x, -1.5, 0, "... x");
		ok_near(y.origin.y, 20, 0, "... y");
		ok_near(y.origin.yaw, 0.5, 0, "... yaw");
		ok_eq(y.negate, 0, "... negate");
		ok_eq(y.mode, MAP_READ_TRINARY, "... mode");
		ok_near(y.occupied, 0.65, 0, "... occupied");
		ok_near(y.free, 0.196, 0, "... free");
	}
	ok_eq(parse("image: \"a\\\"b # c.pgm\"\nresolution: 1\n"
		    "origin: [0,0,0]\nnegate: 1\nmode: raw",
		    &y),
	      0, "yaml: quotes");
	ok_str(y.image, "a\"b # c.pgm", "... image");
	ok(y.negate, "... negate");
	ok_eq(y.mode, MAP_READ_RAW, "... mode");
	ok_eq(parse("image: 'it''s.pgm'\nresolution: 1\norigin: [0,0,0]\n", &y),
	      0, "yaml: single quotes");
	ok_str(y.image, "it's.pgm", "... image");
}

static void test_yaml_bad(void)
{
	static const char *const bad[] = {
		"", "\n\n", "image", "image: a.pgm\n", ": x\n", "P5\n3 3\n",
		"image: a.pgm\nresolution: 1\n",
		"resolution: 1\norigin: [0, 0, 0]\n",
		"image:\nresolution: 1\norigin: [0, 0, 0]\n",
		"image: \"\"\nresolution: 1\norigin: [0, 0, 0]\n",
		"image: \"a\nresolution: 1\norigin: [0, 0, 0]\n",
		"image: \"a\\n\"\nresolution: 1\norigin: [0, 0, 0]\n",
		"image: a\nresolution: 0\norigin: [0, 0, 0]\n",
		"image: a\nresolution: -1\norigin: [0, 0, 0]\n",
		"image: a\nresolution: nan\norigin: [0, 0, 0]\n",
		"image: a\nresolution: 1e400\norigin: [0, 0, 0]\n",
		"image: a\nresolution: 1 m\norigin: [0, 0, 0]\n",
		"image: a\nresolution: 1\norigin: [0, 0]\n",
		"image: a\nresolution: 1\norigin: [0, 0, 0, 0]\n",
		"image: a\nresolution: 1\norigin: [0, 0, inf]\n",
		"image: a\nresolution: 1\norigin: [0, , 0]\n",
		"image: a\nresolution: 1\norigin: [0, 0, 0\n",
		"image: a\nresolution: 1\norigin: [0, 0, 1e9]\n",
		"image: a\nresolution: 1\norigin:\n- 0\n- 0\n",
		GOOD "image: b.pgm\n", GOOD "negate: 2\n", GOOD "negate:\n",
		GOOD "mode: Trinary\n", GOOD "occupied_thresh: 1.5\n",
		GOOD "occupied_thresh: 0.1\n", GOOD "free_thresh: x\n",
		GOOD "what is this\n", GOOD "image:b\n",
	};
	const size_t n = MAP_YAML_MAX + 1;
	char *text = calloc(1, n + 1), why[ERROR_REASON];
	struct map_yaml y;

	for (unsigned int i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		ok(parse(bad[i], &y) == -EINVAL, "yaml: bad, %u", i);
	memset(text, '#', n);
	ok(parse(text, &y) == -EINVAL, "yaml: too long");
	ok(map_yaml_parse(&y, "a\0b", 3, why) == -EINVAL, "yaml: with a 0");
	memset(text, 'x', 30000);
	memcpy(text, "image: ", 7);
	strcpy(text + 30000, "\nresolution: 1\norigin: [0,0,0]\n");
	ok(parse(text, &y) == -EINVAL, "yaml: a name that is too long");
	free(text);
}

static void mutate_yaml(void)
{
	static const char text[] = GOOD "negate: 0\nmode: 'scale' # x\n"
		"occupied_thresh: 0.65\norigin:\n- 1\n";
	static const char some[] = "\n'\"[],:#-\\ \t0.e\r\xff";
	char copy[sizeof(text)], why[ERROR_REASON];
	unsigned int good = 0, silent = 0;
	struct map_yaml y;
	uint64_t rng = 7;

	for (int i = 0; i < 20000; i++) {
		memcpy(copy, text, sizeof(text));
		for (unsigned int k = rnd(&rng, 4); k < 5; k++)
			copy[rnd(&rng, sizeof(text) - 1)] =
				some[rnd(&rng, sizeof(some) - 1)];
		*why = '\0';
		if (!map_yaml_parse(&y, copy, strlen(copy), why))
			good += y.resolution > 0 && pose_valid(&y.origin);
		else
			silent += !one_line(why);
	}
	ok(!silent, "yaml: %u of 20000 damaged ones are good, none hurts",
	   good);
}

/* A map of one picture, read. Return: as map_file_read() */
static int read_as(const char *image, const char *more, struct map_file *m)
{
	char text[512];

	snprintf(text, sizeof(text), "image: %s\nresolution: 0.1\n"
		 "origin: [1, 2, 0.25]\n%s", image, more);
	spill_text(in_folder("r.yaml"), text);
	*error.text = '\0';
	return map_file_read(in_folder("r.yaml"), m, &error);
}

/* The cells are those of @want, the picture's first row first */
static bool cells_are(struct map_file *m, unsigned int w, unsigned int h,
		      const int *want)
{
	bool same = m->cells && m->width == w && m->height == h;

	for (unsigned int y = h; y-- && same; )
		for (unsigned int x = 0; x < w; x++)
			same &= m->cells[(h - 1 - y) * w + x] ==
				want[y * w + x];
	map_file_free(m);
	return same;
}

static void test_pgm(void)
{
	/* 205/255 is 0.1961 occupied, 206: 0.1922; 89: 0.6510, 90: 0.6471 */
	static const uint8_t p5[] = "P5 # a comment\n# and\n 4 2\n255\n"
				    "\xfe\xce\xcd\x5a\x59\x00\x64\xff";
	const int trinary[] = { 0, 0, -1, -1, 100, 100, -1, 0 };
	const int negate[] = { 100, 100, 100, -1, -1, 0, -1, 100 };
	const int scale[] = { 0, 0, 0, 99, 100, 100, 91, 0 };
	const int raw[] = { -1, -1, -1, 90, 89, 0, 100, -1 };
	const int fifteen[] = { 0, 100, -1, 0 };
	struct map_file m;

	spill(in_folder("a.pgm"), p5, sizeof(p5) - 1);
	ok_eq(read_as("a.pgm", "", &m), 0, "pgm: trinary");
	ok_near(m.resolution, 0.1, 0, "... resolution");
	ok_near(m.origin.x, 1, 0, "... x");
	ok_near(m.origin.y, 2, 0, "... y");
	ok_near(m.origin.yaw, 0.25, 0, "... yaw");
	ok(cells_are(&m, 4, 2, trinary), "... cells are");
	ok_eq(read_as("a.pgm", "negate: 1\n", &m), 0, "pgm: negated");
	ok(cells_are(&m, 4, 2, negate), "... cells are");
	ok_eq(read_as("a.pgm", "mode: scale\n", &m), 0, "pgm: scale");
	ok(cells_are(&m, 4, 2, scale), "... cells are");
	ok_eq(read_as("a.pgm", "mode: raw\n", &m), 0, "pgm: raw");
	ok(cells_are(&m, 4, 2, raw), "... cells are");
	spill_text(in_folder("b.pgm"), "P2\n#x\n2 2 15\n15 0\n#y\n9   15\n");
	ok_eq(read_as("b.pgm", "", &m), 0, "pgm: plain, 15 for white");
	ok(cells_are(&m, 2, 2, fifteen), "... cells are");
	ok_eq(read_as(in_folder("b.pgm"), "", &m), 0, "an absolute path");
	ok(cells_are(&m, 2, 2, fifteen), "... cells are");
}

static void test_pgm_bad(void)
{
	static const struct {
		const char *text;
		int err;
	} bad[] = {
		{ "", -EBADMSG }, { "P", -EBADMSG }, { "P5", -EBADMSG },
		{ "P6\n1 1\n255\nabc", -EBADMSG }, { "GIF89a", -EBADMSG },
		{ "P5\n1 1\n255\n", -EBADMSG },
		{ "P5\n2 2\n255\nabc", -EBADMSG },
		{ "P5\n0 2\n255\nabc", -EBADMSG },
		{ "P5\n-2 2\n255\n", -EBADMSG },
		{ "P5\n16385 1\n255\n", -EFBIG },
		{ "P5\n16384 16384\n255\n", -EFBIG },
		{ "P5\n99999999999999999999 1\n255\n", -EBADMSG },
		{ "P5\n1 1\n65535\nab", -EBADMSG },
		{ "P5\n1 1\n0\na", -EBADMSG },
		{ "P2\n1 1\n15\n16\n", -EBADMSG },
		{ "P2\n2 1\n15\n1", -EBADMSG },
		{ "P5\n1 1\n9\n\x0a", -EBADMSG }, { "P5\n1 1\n255#", -EBADMSG },
		{ "P5\n4096 4096\n255\n", -EBADMSG },
		{ "P2\n1 1\n15\n-1\n", -EBADMSG }, { "P2 1x 1 1 1", -EBADMSG },
	};
	struct map_file m;

	for (unsigned int i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		spill_text(in_folder("bad.pgm"), bad[i].text);
		ok_eq(read_as("bad.pgm", "", &m), bad[i].err,
		      "pgm: bad, %u: %s", i, error.text);
		ok(one_line(error.text), "... one line");
		ok(!m.cells, "... cells");
	}
}

static void write_png(const char *path, int type, int depth, bool interlaced,
		      const uint8_t *pixels, unsigned int w, unsigned int h)
{
	static const png_color palette[3] = { { 254, 254, 254 }, { 0, 0, 0 },
					      { 10, 20, 30 } };
	static const png_byte alpha[3] = { 255, 255, 0 };
	png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL,
						  NULL, NULL);
	png_infop info = png_create_info_struct(png);
	FILE *f = fopen(path, "wb");
	png_bytep rows[64];

	png_init_io(png, f);
	png_set_IHDR(png, info, w, h, depth, type, interlaced ?
		     PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
		     PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
	if (type == PNG_COLOR_TYPE_PALETTE) {
		png_set_PLTE(png, info, palette, 3);
		png_set_tRNS(png, info, alpha, 3, NULL);
	}
	png_write_info(png, info);
	for (unsigned int y = 0; y < h; y++)
		rows[y] = (png_bytep)pixels +
			  y * png_get_rowbytes(png, info);
	png_write_image(png, rows);
	png_write_end(png, NULL);
	png_destroy_write_struct(&png, &info);
	fclose(f);
}

static void test_png(void)
{
	static const uint8_t grey[] = { 254, 205, 0, 100 };
	static const uint8_t index[] = { 0, 1, 2, 0 };
	static const uint8_t rgb[] = { 255, 255, 252, 255, 205, 155,
				       0, 0, 0, 90, 10, 0 };
	static const uint8_t grey_alpha[] = { 254, 255, 254, 0, 0, 255, 0, 0,
					      254, 128, 0, 128 };
	static const uint8_t deep[] = { 0xfe, 0xfe, 0, 0, 0xce, 0, 0xce,
					0xce };
	static const uint8_t bits[] = { 0x80, 0x40 };
	const int want[] = { 0, -1, 100, -1 }, of_rgb[] = { 0, -1, 100, 100 };
	const int of_index[] = { 0, 100, -1, 0 };
	/* of opaque black, alpha leaves 0.75; of half black, 0.87 */
	const int of_alpha[] = { 0, -1, 100, -1, 0, 100 };
	const int scale[] = { 0, -1, 100, -1, -1, -1 };
	const int of_deep[] = { 0, 100, -1, 0 };	/* ce00 is 205.2 */
	const int of_bits[] = { 0, 100, 100, 0 };
	struct map_file m;
	char png[160];

	/* in_folder() does not keep it */
	strcpy(png, in_folder("a.png"));
	write_png(png, PNG_COLOR_TYPE_GRAY, 8, false, grey, 2, 2);
	ok_eq(read_as("a.png", "", &m), 0, "png: grey");
	ok(cells_are(&m, 2, 2, want), "... cells are");
	write_png(png, PNG_COLOR_TYPE_GRAY, 8, true, grey, 2, 2);
	ok_eq(read_as("a.png", "", &m), 0, "png: interlaced");
	ok(cells_are(&m, 2, 2, want), "... cells are");
	write_png(png, PNG_COLOR_TYPE_PALETTE, 8, false, index, 2, 2);
	ok_eq(read_as("a.png", "", &m), 0,
	      "png: palette, with a transparent colour");
	ok(cells_are(&m, 2, 2, of_index), "... cells are");
	write_png(png, PNG_COLOR_TYPE_RGB, 8, false, rgb, 2, 2);
	ok_eq(read_as("a.png", "", &m), 0, "png: colours");
	ok(cells_are(&m, 2, 2, of_rgb), "... cells are");
	write_png(png, PNG_COLOR_TYPE_GRAY_ALPHA, 8, false, grey_alpha, 2, 3);
	ok_eq(read_as("a.png", "free_thresh: 0.25\n", &m), 0,
	      "png: alpha, trinary");
	ok(cells_are(&m, 2, 3, of_alpha), "... cells are");
	ok_eq(read_as("a.png", "mode: scale\n", &m), 0, "png: alpha, scale");
	ok(cells_are(&m, 2, 3, scale), "... cells are");
	write_png(png, PNG_COLOR_TYPE_GRAY, 16, false, deep, 2, 2);
	ok_eq(read_as("a.png", "", &m), 0, "png: 16 bits");
	ok(cells_are(&m, 2, 2, of_deep), "... cells are");
	write_png(png, PNG_COLOR_TYPE_GRAY, 1, false, bits, 2, 2);
	ok_eq(read_as("a.png", "", &m), 0, "png: 1 bit");
	ok(cells_are(&m, 2, 2, of_bits), "... cells are");
}

/* The beginning of a PNG file whose header says it is large */
static int read_large_png(uint32_t w, uint32_t h)
{
	uint8_t file[33] = "\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR";
	struct map_file m;

	for (int i = 0; i < 4; i++) {
		file[16 + i] = w >> (24 - 8 * i);
		file[20 + i] = h >> (24 - 8 * i);
	}
	file[24] = 8;
	w = crc32(0, file + 12, 17);
	for (int i = 0; i < 4; i++)
		file[29 + i] = w >> (24 - 8 * i);
	spill(in_folder("large.png"), file, sizeof(file));
	return read_as("large.png", "", &m);
}

static void test_png_large(void)
{
	ok_eq(read_large_png(100000, 1), -EBADMSG,
	      "png: a side that is too long: %s", error.text);
	ok(one_line(error.text), "... one line");
	ok_range(read_large_png(16384, 16384), -INFINITY, -1,
		 "png: too many pixels: %s", error.text);
	ok(one_line(error.text), "... one line");
	ok_range(read_large_png(4096, 4096), -INFINITY, -1,
		 "png: without what it promises: %s", error.text);
	ok(one_line(error.text), "... one line");
}

/* Each beginning of a file, and damaged ones: refused or read, never worse */
static void test_damage(const char *name)
{
	unsigned int good = 0, silent = 0;
	uint64_t rng = 11;
	struct map_file m;
	char path[160];
	uint8_t *file;
	size_t len;

	strcpy(path, in_folder("damaged"));
	file = slurp(in_folder(name), &len);
	for (size_t n = 0; n < len; n++) {
		spill(path, file, n);
		silent += read_as("damaged", "", &m) ? !one_line(error.text) : 0;
		good += !!m.cells;
		map_file_free(&m);
	}
	/* a PNG file may miss its end, which says nothing */
	ok_eq(silent, 0, "%s: beginnings are refused", name);
	ok_range(good, -INFINITY, 12, "... good");
	for (int i = 0; i < 2000; i++) {
		uint8_t *copy = malloc(len);

		memcpy(copy, file, len);
		for (unsigned int k = rnd(&rng, 3); k < 4; k++)
			copy[rnd(&rng, len)] = rnd(&rng, 256);
		spill(path, copy, len);
		free(copy);
		silent += read_as("damaged", "", &m) ? !one_line(error.text) : 0;
		map_file_free(&m);
	}
	ok(!silent, "%s: damage hurts no one", name);
	free(file);
}

static void test_unreadable(void)
{
	struct map_file m;

	ok_eq(map_file_read(in_folder("none.yaml"), &m, &error), -ENOENT,
	      "no .yaml: %s", error.text);
	ok(strstr(error.text, "none.yaml: No such file"), "... error says it");
	ok_eq(map_file_read(folder, &m, &error), -EISDIR, "a folder: %s", error.text);
	ok(one_line(error.text), "... one line");
	spill_text(in_folder("empty.yaml"), "");
	*error.text = '\0';
	ok_eq(map_file_read(in_folder("empty.yaml"), &m, &error), -EINVAL,
	      "a text without a line");
	ok(strstr(error.text, "empty.yaml: "), "is named: %s", error.text);
	ok_eq(read_as("none.pgm", "", &m), -ENOENT, "no picture: %s", error.text);
	ok(strstr(error.text, "none.pgm: No such file"), "... error says it");
	mkfifo(in_folder("pipe"), 0600);
	ok_eq(read_as("pipe", "", &m), -EINVAL, "a pipe is not waited for: %s",
	      error.text);
	ok(one_line(error.text), "... one line");
	ok(map_file_read(in_folder("pipe"), &m, &error) == -EINVAL,
	   "... not for text either");
	ok_eq(read_as("a.pgm", "mode: what\n", &m), -EINVAL,
	      "the error names the line");
	ok(strstr(error.text, "line 4: invalid value of mode"), "... error says it");
}

/* The limit of the text also holds for what follows a good one */
static void test_long_text(void)
{
	char *text = malloc(MAP_YAML_MAX + 1);
	const int n = sprintf(text, "image: a.pgm\nresolution: 0.1\n"
			      "origin: [1, 2, 0.25]\n");
	struct map_file m;

	memset(text + n, '#', MAP_YAML_MAX + 1 - n);
	spill(in_folder("r.yaml"), text, MAP_YAML_MAX);
	ok_eq(map_file_read(in_folder("r.yaml"), &m, &error), 0,
	      "the longest text");
	map_file_free(&m);
	spill(in_folder("r.yaml"), text, MAP_YAML_MAX + 1);
	ok_eq(map_file_read(in_folder("r.yaml"), &m, &error), -EINVAL,
	      "one that is too long");
	free(text);
}

static void test_unwritable(void)
{
	struct raster r = new_raster(0, 0, 300, 300, 8, 0.05), none = r;
	uint8_t *before, *after;
	uint64_t rng = 3;
	char disk[160];
	size_t len[2];
	int err;

	strcpy(disk, in_folder("disk"));
	draw_any(&r, &rng);
	none.rect.width = 0;
	ok_eq(map_file_write(in_folder("no/x.pgm"), &r, MAP_RAW, &error),
	      -ENOENT, "a missing folder: %s", error.text);
	ok(strstr(error.text, "no/x.pgm: No such file"), "... error says it");
	ok_eq(map_file_write(in_folder("x.png"), &r, MAP_RAW, &error), -EINVAL,
	      "names that are none");
	ok_eq(map_file_write(in_folder(".pgm"), &r, MAP_RAW, &error), -EINVAL,
	      "... map file write");
	ok_eq(map_file_write(in_folder("a\nb.pgm"), &r, MAP_RAW, &error),
	      -EINVAL, "... map file write");
	ok_eq(map_file_write("", &r, MAP_RAW, &error), -EINVAL,
	      "... map file write");
	ok_eq(map_file_write(in_folder("x.pgm"), &none, MAP_RAW, &error),
	      -EINVAL, "no cells: %s", error.text);
	ok(one_line(error.text), "... one line");
	mkdir(in_folder("small"), 0755);
	map_file_write(in_folder("small/x.pgm"), &r, MAP_RAW, &error);
	before = slurp(in_folder("small/x.pgm"), &len[0]);
	limit_files(50000);
	err = map_file_write(in_folder("small/x.pgm"), &r, MAP_TRINARY, &error);
	limit_files(RLIM_INFINITY);
	after = slurp(in_folder("small/x.pgm"), &len[1]);
	ok_eq(err, -EFBIG, "what was there stays, and nothing else: %s", error.text);
	ok(one_line(error.text), "... one line");
	ok_eq(len[0], len[1], "... len");
	ok_mem(before, after, len[0], "... before");
	ok_eq(files_in(in_folder("small")), 2, "... files in");
	free(before);
	free(after);
	if (!small_disk(disk)) {
		ok(true, "a full disk # SKIP not allowed to mount");
	} else {
		err = map_file_write(in_folder("disk/x.pgm"), &r, MAP_RAW,
				     &error);
		ok_eq(err, -ENOSPC, "a full disk: %s", error.text);
		ok(strstr(error.text, "No space left"), "... error says it");
		ok_eq(files_in(disk), 0, "... files in");
		umount(disk);
	}
	free(r.cells);
}

/* What was written comes back, by modes that map_server cannot tell it of */
static void test_values(enum map_mode mode, const char *name)
{
	struct raster r = new_raster(-37, 12, 101, 53, 8, 0.05);
	const char *yaml = in_folder("m.yaml");
	uint64_t rng = 3 + mode;
	unsigned int wrong = 0;
	struct map_file m;
	uint8_t *text;
	size_t len;

	draw_any(&r, &rng);
	for (int v = 0; v <= 100; v++)
		r.cells[v] = v;
	ok_eq(map_file_write(in_folder("m.pgm"), &r, mode, &error), 0,
	      "%s: values: read", name);
	ok_eq(map_file_values(yaml, -1, &m, &error), 0, "... map file values");
	for (unsigned int i = 0; i < 101 * 53; i++)
		wrong += m.cells[i] != (r.cells[i] < 0 ? -1 : r.cells[i]);
	ok(!wrong, "%s: values: all of them", name);
	map_file_free(&m);
	free(r.cells);
	if (mode == MAP_RAW)
		return;
	/* without the comment it is anybody's */
	text = slurp(yaml, &len);
	text[0] = '\n';
	text[1] = '#';
	spill(yaml, text, len);
	free(text);
	ok_eq(map_file_values(yaml, -1, &m, &error), 0,
	      "%s: values: not without the comment", name);
	ok_eq(m.cells[50], (mode == MAP_SCALE ? 50 : -1), "... cells");
	map_file_free(&m);
	ok_eq(map_file_values(yaml, MAP_TRINARY_GREY, &m, &error), 0,
	      "%s: values: unless asked for", name);
	ok((mode == MAP_SCALE || m.cells[50] == 50), "... mode");
	map_file_free(&m);
}

static void test_values_mode(void)
{
	struct map_file m;

	spill_text(in_folder("v.pgm"), "P2\n3 1\n255\n0 127 255\n");
	ok_eq(read_as("v.pgm", "mode: raw\n", &m), 0, "values: raw as it says");
	ok_eq(m.cells[0], 0, "... cells");
	ok_eq(m.cells[1], -1, "... cells");
	map_file_free(&m);
	ok_eq(map_file_values(in_folder("r.yaml"), MAP_TRINARY, &m, &error), 0,
	      "values: another mode");
	ok_eq(m.cells[0], 100, "... cells");
	ok_eq(m.cells[1], -1, "... cells");
	ok_eq(m.cells[2], 0, "... cells");
	map_file_free(&m);
	read_as("v.pgm", "mode: raw\nfree_thresh: 0.7\n", &m);
	map_file_free(&m);
	ok_eq(map_file_values(in_folder("r.yaml"), MAP_SCALE, &m, &error),
	      -EINVAL, "values: thresholds that go with raw only: %s", error.text);
	ok(one_line(error.text), "... one line");
	ok(!m.cells, "... cells");
}

/* Maps of real places: all cells, counted by their pixels */
static void test_real(const char *name)
{
	char yaml[256], pgm[256];
	long count[256] = { 0 }, cells[3] = { 0 };
	const char *copy = in_folder("copy.pgm");
	struct map_file m, again;
	struct raster r;
	uint8_t *file;
	size_t len;

	snprintf(yaml, sizeof(yaml), "../shared/data/maps/%s.yaml", name);
	snprintf(pgm, sizeof(pgm), "../shared/data/maps/%s.pgm", name);
	file = slurp(pgm, &len);
	if (!file) {
		ok(true, "%s # SKIP no such data", name);
		return;
	}
	ok(!map_file_read(yaml, &m, &error), "%s: read", name);
	for (size_t i = len - (size_t)m.width * m.height; i < len; i++)
		count[file[i]]++;
	free(file);
	for (int i = 206; i < 256; i++)
		cells[1] += count[i];
	for (int i = 0; i < 90; i++)
		cells[2] += count[i];
	for (int i = 90; i < 206; i++)
		cells[0] += count[i];
	r = new_raster(lround(m.origin.x / m.resolution),
		       lround(m.origin.y / m.resolution), m.width, m.height, 8,
		       m.resolution);
	for (size_t i = 0; i < (size_t)m.width * m.height; i++) {
		r.cells[i] = m.cells[i];
		cells[m.cells[i] < 0 ? 0 : m.cells[i] ? 2 : 1]--;
	}
	ok_eq(cells[0], 0, "%s: as many cells of each kind as pixels", name);
	ok_eq(cells[1], 0, "... cells");
	ok_eq(cells[2], 0, "... cells");
	ok_range(m.width, 501, INFINITY, "... width");
	ok_eq(map_file_write(copy, &r, MAP_TRINARY_GREY, &error), 0,
	      "%s: written and read again", name);
	ok_eq(map_file_read(in_folder("copy.yaml"), &again, &error), 0,
	      "... map file read");
	ok_eq(again.width, m.width, "... width");
	ok_eq(again.height, m.height, "... height");
	ok_mem(again.cells, m.cells, (size_t)m.width * m.height, "... cells");
	map_file_free(&again);
	map_file_free(&m);
	free(r.cells);
}

int main(void)
{
	make_folder();
	for (int mode = 0; mode < MAP_MODES; mode++) {
		round_trip(mode, 8);
		round_trip(mode, 16);
	}
	ok(map_mode_by_name("grey") == -ENOENT, "no mode of that name");
	test_grey();
	test_undecided();
	test_upright();
	test_yaml_good();
	test_yaml_bad();
	mutate_yaml();
	test_pgm();
	test_pgm_bad();
	test_png();
	test_png_large();
	test_damage("a.pgm");
	test_damage("b.pgm");
	test_damage("a.png");
	test_unreadable();
	test_long_text();
	test_values(MAP_TRINARY_GREY, "trinary-grey");
	test_values(MAP_SCALE, "scale");
	test_values(MAP_RAW, "raw");
	test_values_mode();
	test_real("intel_0.05");
	test_real("willow-2010-02-18-0.10");
	test_unwritable();
	remove_folder();
	return tap_done();
}
