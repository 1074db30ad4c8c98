// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_map_figure - figures of maps: what a cell, a room or a way adds to the
 * picture, and where
 */
#include <errno.h>
#include <png.h>
#include "map/io/map_figure.h"
#include "raster_fixture.h"

enum { W = 20, H = 10, CELL = 64, GAP = 34, BAR = 22 };

struct picture {
	unsigned int	width, height;
	uint8_t		*rgb;
};

/* Pixels x0 .. x1 - 1, y0 .. y1 - 1, from the upper left */
struct box {
	int	x0, y0, x1, y1;
};

static struct raster map;
static struct layer layer;
static struct error error;

static struct picture draw(const struct map_figure *f)
{
	png_image image = { .version = PNG_IMAGE_VERSION };
	struct bytes out = { 0 };
	struct picture p = { 0 };

	if (map_figure_encode(&map, &layer, f, &out, &error) ||
	    !png_image_begin_read_from_memory(&image, out.data, out.len))
		abort();
	image.format = PNG_FORMAT_RGB;
	p = (struct picture){ image.width, image.height,
			      malloc(PNG_IMAGE_SIZE(image)) };
	if (!png_image_finish_read(&image, NULL, p.rgb, 0, NULL))
		abort();
	bytes_free(&out);
	return p;
}

static const uint8_t *pixel(const struct picture *p, int x, int y)
{
	return p->rgb + 3 * ((size_t)y * p->width + x);
}

/* Where two pictures differ; frees both */
static struct box changed(struct picture a, struct picture b)
{
	struct box d = { 1 << 20, 1 << 20, 0, 0 };

	if (a.width != b.width || a.height != b.height)
		abort();
	for (int y = 0; y < (int)a.height; y++)
		for (int x = 0; x < (int)a.width; x++) {
			if (!memcmp(pixel(&a, x, y), pixel(&b, x, y), 3))
				continue;
			d.x0 = x < d.x0 ? x : d.x0;
			d.x1 = x >= d.x1 ? x + 1 : d.x1;
			d.y0 = y < d.y0 ? y : d.y0;
			d.y1 = y >= d.y1 ? y + 1 : d.y1;
		}
	free(a.rgb);
	free(b.rgb);
	return d;
}

static void ok_box(struct box d, struct box want, int by, const char *what)
{
	ok_near(d.x0, want.x0, by, "%s: from the left", what);
	ok_near(d.x1, want.x1, by, "... to the right");
	ok_near(d.y0, want.y0, by, "... from above");
	ok_near(d.y1, want.y1, by, "... to below");
}

/* Of a cell, with the value @v */
static struct box cell_box(unsigned int x, unsigned int y, int v)
{
	const struct map_figure f = { .colours = COLOURS_HEAT };
	const struct picture without = draw(&f);
	struct box d;

	map.cells[y * W + x] = v;
	d = changed(without, draw(&f));
	map.cells[y * W + x] = -1;
	return d;
}

static struct box plot;		/* the whole map */

static void test_cells(void)
{
	const struct map_figure f = { .colours = COLOURS_HEAT };
	const struct box low = cell_box(0, 0, 40), high = cell_box(W - 1, H - 1,
								   40);
	uint8_t rgb[COLOURS_STEPS][3];
	struct picture p;

	plot = (struct box){ low.x0, high.y0, high.x1, low.y1 };
	ok_eq(low.x1 - low.x0, CELL, "a cell is %d pixels wide", CELL);
	ok_eq(low.y1 - low.y0, CELL, "and high");
	ok_eq(plot.x1 - plot.x0, W * CELL, "x to the right");
	ok_eq(plot.y1 - plot.y0, H * CELL, "y upwards");
	colours_table(COLOURS_HEAT, COLOURS_STEPS, rgb);
	map.cells[0] = 40;
	map.cells[1] = 101;
	map.cells[2] = 100;
	p = draw(&f);
	ok_mem(pixel(&p, low.x0 + 5, low.y0 + 5),
	       rgb[40 * (COLOURS_STEPS - 1) / 100], 3, "a value's colour");
	ok_mem(pixel(&p, low.x0 + CELL + 5, low.y0 + 5),
	       pixel(&p, low.x0 + 5, low.y0 - 5), 3,
	       "one that is none is unknown");
	ok_mem(pixel(&p, low.x0 + 2 * CELL + 5, low.y0 + 5),
	       rgb[COLOURS_STEPS - 1], 3, "the highest value");
	free(p.rgb);
	map.cells[0] = map.cells[1] = map.cells[2] = -1;
}

/* x, y in m, in pixels */
static int at_x(double x)
{
	return plot.x0 + (int)lround((x / map.resolution - map.rect.x) * CELL);
}

static int at_y(double y)
{
	return plot.y1 - (int)lround((y / map.resolution - map.rect.y) * CELL);
}

/* A room, compared with one that is elsewhere: the legend has both */
static struct box room_box(const struct room *m)
{
	const struct room far = { .id = 1, .x = 5000, .y = 5000, .size = 1 };
	const struct map_figure f = { .room = &far, .rooms = 1 };
	const struct map_figure with = { .room = m, .rooms = 1 };

	return changed(draw(&f), draw(&with));
}

static void test_rooms(void)
{
	struct room m = { .id = 7, .x = 2, .y = 5, .size = 4 };
	const struct map_figure f = { .room = &m, .rooms = 1 };
	const uint8_t *line;
	struct picture p;

	/* lines of 4 pixels */
	ok_box(room_box(&m), (struct box){ at_x(1) - 2, at_y(6) - 2,
					   at_x(3) + 2, at_y(4) + 2 }, 1,
	       "a room without an outline is a square");
	p = draw(&f);
	line = pixel(&p, at_x(1), at_y(5));
	ok_range(line[2] - line[0], 80, 160, "its lines are blue");
	ok_mem(pixel(&p, at_x(1.2), at_y(5.8)), pixel(&p, at_x(5), at_y(5)), 3,
	       "... and it is not filled");
	free(p.rgb);
	m.corners = 3;
	m.corner[0][0] = -1;
	m.corner[0][1] = 4;
	m.corner[1][0] = 6;
	m.corner[1][1] = 4;
	m.corner[2][0] = 6;
	m.corner[2][1] = 7;
	ok_near(room_box(&m).y1, at_y(4) + 2, 1, "a triangle: its base");
	ok_range(room_box(&m).x0, at_x(-1) - 20, at_x(-1), "... its tip");
	ok_near(room_box(&m).x1, at_x(6) + 2, 1, "... its side");
	m = (struct room){ .id = 7, .x = 2, .y = 5 };
	ok_range(room_box(&m).x1 - room_box(&m).x0, 4, 30,
		 "one without a size is its number");
	ok_near((room_box(&m).x0 + room_box(&m).x1) / 2., at_x(2), 3,
		"... in its middle");
	ok_near((room_box(&m).y0 + room_box(&m).y1) / 2., at_y(5), 6,
		"... at its height");
	strcpy(m.name, "laboratory");
	ok_range(room_box(&m).x1 - room_box(&m).x0, 50, 120, "or its name");
}

static void test_way(void)
{
	const struct pose none[2] = { { NAN, 0, 0 }, { 2 * POSE_MAX, 0, 0 } };
	const struct pose way[3] = { { 0, 4, 0 }, { NAN, 0, 0 }, { 3, 6, 0 } };
	const struct map_figure f = { .way = none, .poses = 2 };
	const struct map_figure with = { .way = way, .poses = 3 };

	/* it ends with a dot of 5.75 pixels */
	ok_box(changed(draw(&f), draw(&with)),
	       (struct box){ at_x(0) - 2, at_y(6) - 6, at_x(3) + 6,
			     at_y(4) + 2 }, 1, "a way");
}

/* Lines of 5 pixels to the right of the colour bar */
static unsigned int ticks(void)
{
	const struct map_figure f = { .colours = COLOURS_GREY };
	struct picture p = draw(&f);
	const int x = plot.x1 + GAP + BAR + 1;
	unsigned int n = 0;

	for (int y = 0; y < (int)p.height; y++)
		n += pixel(&p, x + 3, y)[0] < 230 &&
		     pixel(&p, x + 3, y - 1)[0] == 255 &&
		     pixel(&p, x + 6, y)[0] == 255;
	free(p.rgb);
	return n;
}

/* Dark pixels of an area of an empty figure */
static unsigned int dark(struct box d)
{
	const struct map_figure f = { .colours = COLOURS_GREY };
	struct picture p = draw(&f);
	unsigned int n = 0;

	for (int y = d.y0; y < d.y1; y++)
		for (int x = d.x0; x < d.x1; x++)
			n += pixel(&p, x, y)[0] < 200;
	free(p.rgb);
	return n;
}

static void test_axes(void)
{
	const int x = (plot.x0 + plot.x1) / 2, y = (plot.y0 + plot.y1) / 2;

	ok(dark((struct box){ x - 20, plot.y1 + 30, x + 20, plot.y1 + 50 }),
	   "x [m] is below the axis");
	ok(dark((struct box){ 5, y - 20, 30, y + 20 }),
	   "y [m] is left of it");
	ok(dark((struct box){ plot.x0 - 6, at_y(4) - 1, plot.x0 - 1,
			      at_y(4) + 1 }), "a step of y");
	ok(dark((struct box){ at_x(2) - 1, plot.y1 + 1, at_x(2) + 1,
			      plot.y1 + 6 }), "a step of x");
	ok_eq(dark((struct box){ plot.x0 + 1, plot.y0 + 1, plot.x1 - 1,
				 plot.y1 - 1 }), 0, "nothing in the map");
}

static void test_legend(void)
{
	const struct map_figure f = { .title = NULL }, same = { .title = "temp" },
				other = { .title = "another" };
	struct box d;
	struct picture a, b;

	d = changed(draw(&f), draw(&same));
	ok_eq(d.x1, 0, "without a title it is the layer's name");
	d = changed(draw(&f), draw(&other));
	ok_range(d.y1, 1, plot.y0, "a title is above the map");
	ok_near(d.x0, plot.x0, 3, "from where that begins");
	a = draw(&f);
	strcpy(layer.unit, "K");
	b = draw(&f);
	d = changed(a, b);
	ok_range(d.x0, plot.x1 + GAP, plot.x1 + GAP + 4,
		 "a unit is above the colours");
	ok_range(d.y1, 1, plot.y0, "... and no lower");
	*layer.unit = 0;
	ok_eq(ticks(), 6, "0..100 in steps of 20");
	layer.low = 17;
	layer.high = 29;
	ok_eq(ticks(), 6, "18..28 in steps of 2");
	layer.high = 17;
	ok_eq(ticks(), 0, "no range, no steps");
	layer.low = 100;
	layer.high = 0;
	ok_eq(ticks(), 6, "a range that falls");
	layer.low = 0;
	layer.high = 100;
}

/* A map of 6000 x 40 cells in which one is a wall */
static void test_large(void)
{
	const struct map_figure f = { .colours = COLOURS_GREY };
	const struct raster small = map;
	struct picture a, b;
	struct box d;

	map = new_raster(0, 0, 6000, 40, 8, 0.05);
	for (unsigned int i = 0; i < 6000 * 40; i++)
		map.cells[i] = 0;
	a = draw(&f);
	ok_range(a.width, 1500, MAP_FIGURE_SIDE, "a large map is reduced");
	map.cells[20 * 6000 + 3000] = 100;
	b = draw(&f);
	d = changed(a, b);
	ok_range(d.x1 - d.x0, 1, 4, "a wall of one cell is seen");
	ok_near(d.x0, plot.x0 + 750, 2, "... where it is");
	free(map.cells);
	map = small;
}

static void test_refused(void)
{
	const struct map_figure f = { .colours = COLOURS_GREY };
	const struct raster whole = map;
	struct bytes out = { 0 };
	struct stat st;

	bytes_append(&out, "abc", 3);
	map.rect.width = 0;
	ok_eq(map_figure_encode(&map, &layer, &f, &out, &error), -EINVAL,
	      "no cells");
	ok_str(error.text, "temp: map has no cells", "... why");
	map = whole;
	map.resolution = 0;
	ok_eq(map_figure_encode(&map, &layer, &f, &out, &error), -EINVAL,
	      "no resolution");
	map = whole;
	ok_eq(out.len, 3, "nothing is appended");
	ok_eq(map_figure_encode(&map, &layer, &f, &out, &error), 0, "a figure");
	ok_mem(out.data, "abc\x89PNG", 7, "is appended");
	ok_eq(map_figure_write(in_folder("a.png"), &map, &layer, &f, &error), 0,
	      "a file");
	stat(in_folder("a.png"), &st);
	ok_eq(st.st_size, out.len - 3, "of the same size");
	ok_eq(map_figure_write(in_folder("no/a.png"), &map, &layer, &f, &error),
	      -ENOENT, "no such folder");
	bytes_free(&out);
}

int main(void)
{
	make_folder();
	map = new_raster(-4, 6, W, H, 8, 0.5);
	if (layer_parse(&layer, "temp", "role=temperature range=0:100", &error))
		abort();
	*layer.unit = 0;
	test_cells();
	test_rooms();
	test_way();
	test_axes();
	test_legend();
	test_large();
	test_refused();
	free(map.cells);
	remove_folder();
	return tap_done();
}
