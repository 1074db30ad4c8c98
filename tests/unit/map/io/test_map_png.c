// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_map_png - pictures of fused maps: colours, tiles, figures
 */
#include <errno.h>
#include <png.h>
#include "base/error.h"
#include "base/utf8.h"
#include "map/io/map_figure.h"
#include "map/io/map_png.h"
#include "map/layer/colours.h"
#include "map/site/reduce.h"
#include "raster_fixture.h"

/* Lightness as an eye has it, roughly (BT.709 luminance) */
static double luminance(const uint8_t c[3])
{
	static const double weight[3] = { 0.2126, 0.7152, 0.0722 };
	double y = 0;

	for (int i = 0; i < 3; i++)
		y += weight[i] * pow(c[i] / 255.0, 2.2);
	return y;
}

static void test_colours(void)
{
	uint8_t rgb[COLOURS_STEPS][3], two[2][3];

	for (int c = 0; c < COLOURS; c++) {
		unsigned int turns = 0, jumps = 0;
		double way;

		colours_table(c, COLOURS_STEPS, rgb);
		colours_table(c, 2, two);
		way = luminance(rgb[255]) - luminance(rgb[0]);
		for (int i = 1; i < COLOURS_STEPS; i++) {
			const double step = luminance(rgb[i]) -
					    luminance(rgb[i - 1]);

			/* but for rounding */
			turns += step * way < -1e-3;
			for (int k = 0; k < 3; k++)
				jumps += abs(rgb[i][k] - rgb[i - 1][k]) > 8;
		}
		ok_eq(turns, 0,
		      "colours %s: lightness goes one way, without jumps",
		      colours_name(c));
		ok_eq(jumps, 0, "... jumps");
		ok_range(fabs(way), 0.4, INFINITY, "... how far off");
		ok_mem(two[0], rgb[0], 3, "... two");
		ok_mem(two[1], rgb[255], 3, "... two");
		ok_eq(colours_by_name(colours_name(c)), c,
		      "... colours by name");
	}
	ok(colours_by_name("x") == -ENOENT, "no colours of that name");
	/* 20 of 0..100 degrees; walls are drawn black over it */
	colours_table(COLOURS_HEAT, COLOURS_STEPS, rgb);
	ok_range(luminance(rgb[51]), 0.75, INFINITY,
		 "colours heat: a room is light, a fire is dark: %.2f %.2f",
		 luminance(rgb[51]), luminance(rgb[255]));
	ok_range(luminance(rgb[255]), -INFINITY, 0.06, "... luminance");
	ok_eq(modality_get(MODALITY_OBSTACLE)->colours, COLOURS_GREY,
	      "colours: those of the modality");
	ok_eq(modality_get(MODALITY_TEMPERATURE)->colours, COLOURS_HEAT,
	      "... colours");
	ok_eq(modality_get(MODALITY_HAZARD)->colours, COLOURS_HAZARD,
	      "... colours");
	ok_eq(modality_get(MODALITY_SIGNAL)->colours, COLOURS_SIGNAL,
	      "... colours");
}

/* A picture, decoded: RGBA, to be freed; NULL: it is none */
static uint8_t *decode(const struct bytes *b, unsigned int *w, unsigned int *h)
{
	png_image image = { .version = PNG_IMAGE_VERSION };
	uint8_t *rgba;

	if (!png_image_begin_read_from_memory(&image, b->data, b->len))
		return NULL;
	image.format = PNG_FORMAT_RGBA;
	*w = image.width;
	*h = image.height;
	rgba = malloc(PNG_IMAGE_SIZE(image));
	if (!png_image_finish_read(&image, NULL, rgba, 0, NULL)) {
		free(rgba);
		return NULL;
	}
	return rgba;
}

/* The colour of a value, NULL: that of nothing */
static bool looks(const uint8_t *pixel, int v, int full, enum colours c)
{
	uint8_t rgb[255][3];

	if (v < 0)
		return !pixel[3];
	colours_table(c, 255, rgb);
	return pixel[3] == 255 &&
	       !memcmp(pixel, rgb[(v * 254 + full / 2) / full], 3);
}

static unsigned int wrong_pixels(const uint8_t *rgba, unsigned int w,
				 unsigned int h, const struct raster *r,
				 const struct rect *window, unsigned int scale,
				 enum colours c)
{
	unsigned int wrong = 0;

	for (unsigned int y = 0; y < h; y++)
		for (unsigned int x = 0; x < w; x++) {
			const long cx = window->x + (long)(x / scale) -
					r->rect.x;
			const long cy = window->y + (long)((h - 1 - y) /
					scale) - r->rect.y;
			int v = -1;

			if (cx >= 0 && cx < r->rect.width && cy >= 0 &&
			    cy < r->rect.height)
				v = r->cells[cy * r->rect.width + cx];
			wrong += !looks(rgba + (y * w + x) * 4, v,
					cells_full(r->bits), c);
		}
	return wrong;
}

static void test_encode(unsigned int bits)
{
	struct raster r = new_raster(-20, 7, 67, 41, bits, 0.1);
	const struct rect windows[] = {
		r.rect, { -5, 10, 16, 16 }, { -100, -100, 256, 256 },
		{ 40, 30, 10, 33 }, { 1000, 1000, 5, 5 },
		{ INT_MIN, INT_MAX, 8, 8 },
	};
	struct bytes b = { 0 };
	uint64_t rng = bits;

	draw_any(&r, &rng);
	for (unsigned int i = 0; i < 6; i++) {
		const struct rect *e = &windows[i];
		const unsigned int scale = 1 + i % 3;
		unsigned int w = 0, h = 0;
		uint8_t *rgba;

		b.len = 0;
		ok(!map_png_encode(&r, i ? e : NULL, i % COLOURS, scale, &b),
		   "%u bits, window %u: encoded", bits, i);
		rgba = decode(&b, &w, &h);
		ok(rgba, "... every pixel, %u per cell", scale);
		ok_eq(w, e->width * scale, "... w");
		ok_eq(h, e->height * scale, "... h");
		ok_eq(wrong_pixels(rgba, w, h, &r, e, scale, i % COLOURS), 0,
		      "... wrong pixels");
		free(rgba);
	}
	bytes_free(&b);
	free(r.cells);
}

static void test_each_value(void)
{
	struct raster r = new_raster(0, 0, 102, 1, 8, 0.1);
	struct bytes b = { 0 };
	unsigned int w, h, same = 0;
	uint8_t *rgba;

	for (int v = 0; v <= 100; v++)
		r.cells[v] = v;
	r.cells[101] = 101;
	map_png_encode(&r, NULL, COLOURS_GENERAL, 1, &b);
	rgba = decode(&b, &w, &h);
	for (int v = 1; v <= 100; v++)
		same += !memcmp(rgba + 4 * v, rgba + 4 * (v - 1), 4);
	ok(!same, "each of 100 values has its colour");
	ok(!rgba[4 * 101 + 3], "what is above is unknown");
	free(rgba);
	bytes_free(&b);
	free(r.cells);
}

static void test_bad_sizes(void)
{
	struct raster r = new_raster(0, 0, 20, 20, 8, 0.1), none = r;
	const struct rect wide = { 0, 0, 32769, 1 }, high = { 0, 0, 1, 700 };
	struct bytes b = { 0 };

	none.rect.height = 0;
	bytes_append(&b, "before", 6);
	ok_eq(map_png_encode(&none, NULL, 0, 1, &b), -EINVAL,
	      "sizes that are none");
	ok_eq(map_png_encode(&r, NULL, 0, 0, &b), -EINVAL,
	      "... map png encode");
	ok_eq(map_png_encode(&r, NULL, 0, 65, &b), -EINVAL,
	      "... map png encode");
	ok_eq(map_png_encode(&r, &wide, 0, 1, &b), -EINVAL,
	      "... map png encode");
	ok_eq(map_png_encode(&r, &high, 0, 64, &b), -EINVAL,
	      "... map png encode");
	ok_eq(map_png_values(&r, &wide, &b), -EINVAL, "... map png values");
	ok_eq(b.len, 6, "... len");
	ok_eq(map_png_encode(&r, NULL, 0, 1, &b), 0,
	      "appended to what there was");
	ok_range(b.len, 7, INFINITY, "... len");
	ok_mem(b.data, "before\x89PNG", 10, "... data");
	bytes_free(&b);
	free(r.cells);
}

static void read_bytes(png_structp png, png_bytep to, size_t n)
{
	const uint8_t **from = png_get_io_ptr(png);

	memcpy(to, *from, n);
	*from += n;
}

static void test_values(void)
{
	struct raster r = new_raster(-3, -3, 45, 31, 16, 0.1);
	const struct rect window = { -10, -10, 64, 48 };
	struct bytes b = { 0 };
	unsigned int wrong = 0;
	const uint8_t *at;
	uint64_t rng = 5;
	png_structp png;
	png_infop info;
	png_bytepp rows;

	draw_any(&r, &rng);
	ok(!map_png_values(&r, &window, &b), "values: encoded");
	at = b.data;
	png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
	info = png_create_info_struct(png);
	png_set_read_fn(png, &at, read_bytes);
	png_read_png(png, info, PNG_TRANSFORM_IDENTITY, NULL);
	rows = png_get_rows(png, info);
	ok_eq(png_get_bit_depth(png, info), 16, "values: 16 bits of grey");
	ok_eq(png_get_color_type(png, info), PNG_COLOR_TYPE_GRAY,
	      "... png get color type");
	ok_eq(png_get_image_width(png, info), 64, "... png get image width");
	ok_eq(png_get_image_height(png, info), 48, "... png get image height");
	for (int y = 0; y < 48; y++)
		for (int x = 0; x < 64; x++) {
			const uint8_t *p = rows[47 - y] + 2 * x;
			const int cx = x - 7, cy = y - 7;
			int v = -1;

			if (cx >= 0 && cx < 45 && cy >= 0 && cy < 31)
				v = r.cells[cy * 45 + cx];
			wrong += (p[0] << 8 | p[1]) !=
				 (v < 0 ? MAP_PNG_NULL : v);
		}
	ok(!wrong, "values: as they are, unknown is 65535");
	png_destroy_read_struct(&png, &info, NULL);
	bytes_free(&b);
	free(r.cells);
}

/* Cell by cell, as the words say */
static int reduced(const struct raster *r, long x, long y, int factor,
		   enum reduce_how how)
{
	long sum = 0, known = 0, most = -1;

	for (unsigned int row = 0; row < r->rect.height; row++)
		for (unsigned int i = 0; i < r->rect.width; i++) {
			const int v = r->cells[row * r->rect.width + i];

			const double cx = r->rect.x + (double)i;
			const double cy = r->rect.y + (double)row;

			if (floor(cx / factor) != x ||
			    floor(cy / factor) != y || v < 0)
				continue;
			sum += v;
			known++;
			most = v > most ? v : most;
		}
	return how == REDUCE_MAX || !known ? (int)most :
	       (int)floor((double)sum / known + 0.5);
}

static void test_reduce(void)
{
	struct raster r = new_raster(-13, 6, 29, 22, 16, 0.1), to = { 0 };
	uint64_t rng = 9;
	size_t room = 0;

	draw_any(&r, &rng);
	for (int factor = 1; factor <= 7; factor++) {
		const enum reduce_how how = factor & 1;
		unsigned int wrong = 0;

		ok_eq(reduce_raster(&r, factor, how, &to, &room), 0,
		      "reduced by %d: covers the same", factor);
		ok_near(to.rect.x, floor(-13.0 / factor), 0, "... x");
		ok_eq(to.rect.y, 6 / factor, "... y");
		ok_near(to.rect.x + (int)to.rect.width, ceil(16.0 / factor), 0,
			"... x");
		ok_near(to.rect.y + (int)to.rect.height, ceil(28.0 / factor), 0,
			"... y");
		ok_range(fabs(to.resolution - factor * 0.1), -INFINITY, 1e-12,
			 "... how far off");
		for (unsigned int y = 0; y < to.rect.height; y++)
			for (unsigned int x = 0; x < to.rect.width; x++)
				wrong += to.cells[y * to.rect.width + x] !=
					 reduced(&r, to.rect.x + (long)x,
						 to.rect.y + (long)y, factor,
						 how);
		ok(!wrong, "... cell by cell");
	}
	free(to.cells);
	free(r.cells);
}

static struct layer layer(const char *name, const char *unit, double low,
			  double high)
{
	struct layer l = { .modality = MODALITY_OTHER, .low = low, .high = high,
			   .rule = RULE_MAX };

	snprintf(l.name, sizeof(l.name), "%s", name);
	snprintf(l.unit, sizeof(l.unit), "%s", unit);
	return l;
}

/* Pixels of that colour in a part of a picture, from @x0, @y0 of 1 */
static unsigned int count(const uint8_t *rgba, unsigned int w, unsigned int h,
			  const double part[4], const uint8_t c[3])
{
	unsigned int n = 0;

	for (unsigned int y = part[1] * h; y < part[3] * h; y++)
		for (unsigned int x = part[0] * w; x < part[2] * w; x++)
			n += !memcmp(rgba + ((size_t)y * w + x) * 4, c, 3);
	return n;
}

/* Where two pictures differ within the map: the middle, of 1 */
static bool differ(const struct bytes *a, const struct bytes *b, double *x,
		   double *y)
{
	unsigned int w, h, n = 0;
	uint8_t *p = decode(a, &w, &h), *q = decode(b, &w, &h);

	*x = *y = 0;
	for (unsigned int i = 0; i < w * h; i++)
		if (i % w < 0.8 * w && i / w > 0.1 * h &&
		    memcmp(p + 4 * i, q + 4 * i, 4)) {
			*x += i % w;
			*y += i / w;
			n++;
		}
	*x /= n ? n * (double)w : 1;
	*y /= n ? n * (double)h : 1;
	free(p);
	free(q);
	return n > 100;
}

/* The upper half full, the lower one 0, the left quarter unknown */
static void test_figure(void)
{
	static const double right[] = { 0.85, 0, 0.93, 1 }, upper[] = { 0, 0, 1, 0.4 };
	static const double left[] = { 0.05, 0.2, 0.2, 0.8 };
	const struct layer l = layer("signal_map", "dBm", -90, -30);
	struct map_figure f = { .colours = COLOURS_SIGNAL };
	struct raster r = new_raster(-30, -20, 60, 40, 16, 0.25);
	struct room room = { .id = 5, .x = 4, .y = 2.5, .size = 9,
			     .name = "hall" };
	struct pose way[] = { { -6, -4, 0 }, { -5, -3, 0 }, { -2, -4, 0 } };
	double x, y;
	struct bytes b = { 0 }, other = { 0 };
	const uint8_t grey[] = { 222, 222, 222 };
	uint8_t rgb[COLOURS_STEPS][3], *rgba;
	unsigned int w, h, top, bottom;
	struct error error;

	for (int i = 0; i < 60 * 40; i++)
		r.cells[i] = i % 60 < 15 ? -1 : i < 60 * 20 ? 0 : 10000;
	ok(!map_figure_encode(&r, &l, &f, &b, &error), "figure: drawn");
	rgba = decode(&b, &w, &h);
	colours_table(COLOURS_SIGNAL, COLOURS_STEPS, rgb);
	top = rgba ? count(rgba, w, h, upper, rgb[255]) : 0;
	bottom = rgba ? count(rgba, w, h, upper, rgb[0]) : 0;
	ok(rgba, "figure: %u x %u pixels", w, h);
	ok_range(w, 1001, MAP_FIGURE_SIDE, "... w");
	ok_range(h, -INFINITY, MAP_FIGURE_SIDE, "... h");
	ok_range(top, 45 * 25 * 15 * 10, INFINITY,
		 "figure: what is north is above");
	ok_range(bottom, -INFINITY, 99, "... bottom");
	ok(count(rgba, w, h, left, grey) > 1000, "figure: unknown is grey");
	bottom = 0;
	for (int i = 20; i < 236; i++)
		bottom += count(rgba, w, h, right, rgb[i]) > 0;
	ok(bottom > 190, "figure: the legend has all colours");
	free(rgba);

	f.title = "another";
	map_figure_encode(&r, &l, &f, &other, &error);
	ok(other.len != b.len || memcmp(other.data, b.data, b.len),
	   "figure: has its title");
	f.room = &room;
	f.rooms = 1;
	b.len = 0;
	map_figure_encode(&r, &l, &f, &b, &error);
	ok(differ(&b, &other, &x, &y), "figure: a room in the north east");
	ok_range(x, 0.5, 0.75, "... x");
	ok_range(y, -INFINITY, 0.4, "... y");
	f.way = way;
	f.poses = 3;
	other.len = 0;
	map_figure_encode(&r, &l, &f, &other, &error);
	ok(differ(&b, &other, &x, &y),
	   "figure: a trajectory in the south west");
	ok_range(x, -INFINITY, 0.4, "... x");
	ok_range(y, 0.6, INFINITY, "... y");
	bytes_free(&b);
	bytes_free(&other);
	free(r.cells);
}

/* Whatever comes, there is a picture of a good size */
static void test_figure_hostile(void)
{
	static const struct {
		unsigned int w, h;
		double resolution, low, high;
	} cases[] = {
		{ 1, 1, 0.05, 0, 100 }, { 1, 5000, 0.05, 0, 1e-9 },
		{ 5000, 1, 1e-3, 5, 5 }, { 300, 200, 1e4, NAN, 1 },
		{ 64, 64, 1e-6, 1e300, -1e300 }, { 10, 10, 1, 100, 0 },
		{ 2000, 1400, 0.05, -1e-300, 1e-300 }, { 3, 3, 2, 0, 1e12 },
	};
	struct room rooms[] = {
		{ .name = "\xff\xfe\x80 bad", .x = 0, .y = 0, .size = 1e300 },
		{ .x = NAN, .y = 1, .size = NAN },
		{ .x = 1, .corners = 1000, .size = 4 },
		{ .corners = 3, .corner = { { INFINITY, 1 }, { 2, NAN } } },
		{ .corners = 1, .corner = { { 1e5, 1 } }, .x = -1e9 },
	};
	const struct pose way[] = { { NAN, 0, 0 }, { 1, 1, 0 },
				    { INFINITY, 2, 0 }, { 1e6, -1e6, 0 } };
	const struct map_figure f = {
		.title = "\xc3", .colours = COLOURS_HEAT, .room = rooms,
		.rooms = 5, .way = way, .poses = 4,
	};
	struct bytes b = { 0 };
	struct error error;

	memset(rooms[1].name, 0xc3, sizeof(rooms[1].name));
	for (unsigned int i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct layer l = layer("x", "\xb0", cases[i].low,
					     cases[i].high);
		struct raster r = new_raster(i % 2 ? -2000000000 : 0, 0,
					     cases[i].w, cases[i].h, 8,
					     cases[i].resolution);
		unsigned int w = 0, h = 0;
		uint8_t *rgba;

		draw_spot(&r);
		b.len = 0;
		ok(!map_figure_encode(&r, &l, &f, &b, &error),
		   "figure of %u x %u cells", cases[i].w, cases[i].h);
		rgba = decode(&b, &w, &h);
		ok(rgba, "... is one of %u x %u pixels", w, h);
		ok_range(w, 401, MAP_FIGURE_SIDE, "... w");
		ok_range(h, 401, MAP_FIGURE_SIDE, "... h");
		free(rgba);
		free(r.cells);
	}
	bytes_free(&b);
}

/* A thin wall in a map of more cells than pixels */
static void test_figure_wall(void)
{
	static const double all[] = { 0.1, 0.1, 0.8, 0.9 };
	const struct layer l = layer("slam_map", "", 0, 100);
	const struct map_figure f = { .colours = COLOURS_GREY };
	struct raster r = new_raster(0, 0, 6000, 6000, 8, 0.05);
	const uint8_t dark[3] = { 0 };
	struct bytes b = { 0 };
	unsigned int w, h;
	struct error error;
	uint8_t *rgba;

	memset(r.cells, 0, 6000 * 6000 * sizeof(*r.cells));
	for (int y = 0; y < 6000; y++)
		r.cells[y * 6000 + 3000] = 100;
	map_figure_encode(&r, &l, &f, &b, &error);
	rgba = decode(&b, &w, &h);
	ok(rgba, "figure: a wall of one cell is seen from afar");
	ok_range(count(rgba, w, h, all, dark), 1001, INFINITY, "... count");
	free(rgba);
	bytes_free(&b);
	free(r.cells);
}

static void test_figure_file(void)
{
	const struct layer l = layer("slam_map", "", 0, 100);
	const struct map_figure f = { .colours = COLOURS_GREY };
	struct raster r = new_raster(0, 0, 100, 100, 8, 0.05), none = r;
	uint64_t rng = 1;
	char path[160];
	struct error error;
	int err;

	draw_any(&r, &rng);
	none.rect.width = 0;
	make_folder();
	strcpy(path, in_folder("figures/f.png"));
	ok_eq(map_figure_write(path, &r, &l, &f, &error), -ENOENT,
	      "figure: a missing folder: %s", error.text);
	ok(strstr(error.text, "f.png: No such file"), "... error says it");
	ok(one_line(error.text), "... one line");
	mkdir(in_folder("figures"), 0755);
	ok_eq(map_figure_write(path, &r, &l, &f, &error), 0, "figure: written");
	ok_eq(files_in(in_folder("figures")), 1, "... files in");
	unlink(path);
	ok_eq(map_figure_write(path, &none, &l, &f, &error), -EINVAL,
	      "figure: without cells: %s", error.text);
	ok(one_line(error.text), "... one line");
	limit_files(1000);
	err = map_figure_write(path, &r, &l, &f, &error);
	limit_files(RLIM_INFINITY);
	ok_eq(err, -EFBIG, "figure: a full disk: %s", error.text);
	ok(one_line(error.text), "... one line");
	ok_eq(files_in(in_folder("figures")), 0, "... files in");
	remove_folder();
	free(r.cells);
}

static void test_utf8(void)
{
	static const struct {
		const char *from, *to;
	} cases[] = {
		{ "K\xc3\xbc" "che \xe2\x82\xac \xf0\x9f\x94\xa5",
		  "K\xc3\xbc" "che \xe2\x82\xac \xf0\x9f\x94\xa5" },
		{ "a\nb\x7f", "a b " }, { "\xff\xc0\xaf", "???" },
		{ "\xed\xa0\x80", "???" }, { "\xc3", "?" },
		{ "\xe2\x82", "??" }, { "\xf4\x90\x80\x80", "????" },
		{ "", "" },
	};
	char to[64];

	for (unsigned int i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		utf8_clean(cases[i].from, 64, to, sizeof(to));
		ok(!strcmp(to, cases[i].to), "text, %u: %s", i, to);
	}
	utf8_clean("ab\xc3\xbc", 64, to, 4);
	ok(!strcmp(to, "ab"), "text: no half of a character");
	utf8_clean("abcdef", 3, to, sizeof(to));
	ok(!strcmp(to, "abc"), "text: ends at its length");
}

int main(void)
{
	test_colours();
	test_encode(8);
	test_encode(16);
	test_each_value();
	test_bad_sizes();
	test_values();
	test_reduce();
	test_utf8();
	test_figure();
	test_figure_hostile();
	test_figure_wall();
	test_figure_file();
	return tap_done();
}
