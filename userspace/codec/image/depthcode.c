// SPDX-License-Identifier: GPL-2.0-only
/*
 * depthcode - embedded code of depth images
 *
 * One function for both directions: a number is written if there is an encoder,
 * else read.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "codec/image/depthcode_cells.h"
#include "codec/image/depthcode_pixel.h"

enum {
	PIXEL_BYTES	= 40,	/* upper limit of a pixel's code */
	VALUES		= 65536,
};

/* Depths of an image, ascending; rank 0 is a hole */
struct table {
	unsigned int	count;
	bool		hollow;		/* there are holes */
	uint16_t	value[VALUES];
	uint16_t	rank[VALUES];
};

struct depthcode {
	struct depthcode_model model;
	struct table	table;
	uint16_t	*ranks;		/* planes, of the width of the image */
	int8_t		*rests;
	struct depthcode_cells cells;
};

/* State of coding an image, in either direction; see walk() */
struct walk {
	struct depthcode *d;
	unsigned int	width, height;
	uint16_t	*rank;
	int8_t		*rest;
	size_t		limit;		/* bytes to write */
	int		last;		/* rank of an island */
	uint64_t	pixels, even;	/* coded; in even cells */
	uint64_t	depths;		/* pixels that are not holes */
	struct zeroblock_curve *curve;
	const struct image *image;	/* to write */
};

struct depthcode *depthcode_create(unsigned int width, unsigned int height)
{
	struct depthcode *d = calloc(1, sizeof(*d));
	size_t plane = (size_t)width * height;

	if (!d)
		return NULL;
	d->ranks = calloc(plane, sizeof(*d->ranks));
	d->rests = calloc(plane, 1);
	if (!d->ranks || !d->rests ||
	    depthcode_cells_create(&d->cells, width, height)) {
		depthcode_destroy(d);
		return NULL;
	}
	depthcode_model_create(&d->model);
	return d;
}

void depthcode_destroy(struct depthcode *d)
{
	if (!d)
		return;
	depthcode_cells_destroy(&d->cells);
	free(d->ranks);
	free(d->rests);
	free(d);
}

size_t depthcode_slack(unsigned int width)
{
	/* a row is always finished, and so is the table */
	return (size_t)width * PIXEL_BYTES + 4 * VALUES;
}

static void find_values(struct table *t, const struct image *image)
{
	static const uint16_t none;
	uint16_t *has = t->rank;

	memset(has, 0, sizeof(t->rank));
	for (unsigned int y = 0; y < image->height; y++) {
		const uint16_t *row = (const uint16_t *)image_row(image, y);

		for (unsigned int x = 0; x < image->width; x++)
			has[row[x]] = 1;
	}
	t->hollow = has[none];
	t->count = 0;
	t->value[0] = none;
	has[none] = 0;
	for (unsigned int v = 1; v < VALUES; v++)
		if (has[v]) {
			t->value[++t->count] = v;
			assert(t->count < VALUES);
			has[v] = t->count;
		}
}

/* Gaps between depths grow evenly with disparity sensors */
static bool code_table(struct coder *c, struct depthcode_model *m,
		       struct table *t)
{
	int gap = 1, before = 1, was = 0;
	unsigned int v = 0;

	t->hollow = code_raw(c, t->hollow, 1);
	t->count = code_raw(c, t->count, 16);
	for (unsigned int i = 1; i <= t->count; i++) {
		struct rc_bit *bits = m->gap[!was ? 0 : was < 4 ? 1 : 2];
		int expect = (gap + before) / 2;

		before = gap;
		gap = expect + depthcode_signed(c, bits,
						t->value[i] - (int)v - expect);
		if (c->decode && (gap < 1 || v + gap >= VALUES))
			return false;
		was = abs(gap - expect);
		v += gap;
		t->value[i] = v;
		if (i == 1)
			gap = before = 1;
	}
	return !(c->decode && c->d.ended);
}

/* The first lattice: each pixel relative to the previous one */
static bool code_first(struct coder *c, struct walk *w)
{
	struct depthcode *d = w->d;
	int most = d->table.count;

	for (unsigned int y = 0; y < w->height; y += DEPTHCODE_STEP)
		for (unsigned int x = 0; x < w->width; x += DEPTHCODE_STEP) {
			uint16_t *p = w->rank + (size_t)y * w->width + x;
			int from = x ? p[-DEPTHCODE_STEP] :
				   y ? p[-DEPTHCODE_STEP * (int)w->width] : 0;
			int v = from + depthcode_signed(c,
						d->model.first[!from],
						(int)*p - from);

			if (c->decode && c->d.ended)
				return false;
			if (c->decode)
				*p = v < 0 ? 0 : v > most ? most : v;
			w->pixels++;
		}
	return true;
}

/* Pixels of a row from @x to @end, @step apart; all have neighbours @has */
INLINE bool code_run(struct coder *c, struct walk *w,
		     const struct depthcode_reach *r, unsigned int y,
		     unsigned int x, unsigned int end, unsigned int step,
		     unsigned int has)
{
	struct depthcode *d = w->d;
	uint16_t *p = w->rank + (size_t)y * w->width;
	int8_t *rest = w->rest + (size_t)y * w->width;
	int most = d->table.count;
	bool hollow = d->table.hollow;

	for (; x < end; x += step) {
		int v = depthcode_pixel(c, &d->model, p + x, rest + x, r, has,
					most, hollow, &w->last, p[x]);

		if (c->decode && __builtin_expect(c->d.ended, 0))
			return false;
		if (c->decode)
			p[x] = v;
		w->pixels++;
	}
	return true;
}

/*
 * For pixels with all neighbours, which are most: one function for each
 * direction, with everything inlined, so that the coder stays in registers
 */
#define INNER	static __attribute__((noinline, flatten)) bool

INNER write_inner(struct coder *c, struct walk *w,
		  const struct depthcode_reach *r, unsigned int y,
		  unsigned int x, unsigned int end, unsigned int step)
{
	struct coder own = { .decode = false, .e = c->e };

	code_run(&own, w, r, y, x, end, step, HAS_ALL);
	c->e = own.e;
	return true;
}

INNER read_inner(struct coder *c, struct walk *w,
		 const struct depthcode_reach *r, unsigned int y,
		 unsigned int x, unsigned int end, unsigned int step)
{
	struct coder own = { .decode = true, .d = c->d };
	bool there = code_run(&own, w, r, y, x, end, step, HAS_ALL);

	c->d = own.d;
	return there;
}

/* At the image's borders pixels lack some neighbours */
INLINE bool code_side(struct coder *c, struct walk *w,
		      const struct depthcode_reach *r, unsigned int y,
		      unsigned int x, unsigned int end, unsigned int step,
		      unsigned int row_has)
{
	unsigned int half = step / 2;

	for (; x < end; x += step) {
		unsigned int has = row_has;

		if (r->across) {
			has |= x ? HAS_C : 0;
			has |= x >= 2 * step ? HAS_C2 : 0;
			has |= x + step < w->width ? HAS_D : 0;
			has |= x + 2 * step < w->width ? HAS_D2 : 0;
		} else {
			has |= x + half < w->width ? HAS_B : 0;
			has |= x >= 3 * half ? HAS_A3 : 0;
			has |= x + 3 * half < w->width ? HAS_B3 : 0;
		}
		if (!code_run(c, w, r, y, x, x + 1, step, has))
			return false;
	}
	return true;
}

static __attribute__((noinline))
bool write_side(struct coder *c, struct walk *w,
		const struct depthcode_reach *r, unsigned int y,
		unsigned int x, unsigned int end, unsigned int step,
		unsigned int has)
{
	c->decode = false;
	return code_side(c, w, r, y, x, end, step, has);
}

static __attribute__((noinline))
bool read_side(struct coder *c, struct walk *w,
	       const struct depthcode_reach *r, unsigned int y,
	       unsigned int x, unsigned int end, unsigned int step,
	       unsigned int has)
{
	c->decode = true;
	return code_side(c, w, r, y, x, end, step, has);
}

/* A row of pixels; @has: vertical neighbours of the row */
static bool code_row(struct coder *c, struct walk *w,
		     const struct depthcode_reach *r, unsigned int y,
		     unsigned int step, unsigned int has)
{
	bool across = r->across;
	unsigned int all = across ? HAS_B | HAS_A3 | HAS_B3 :
				    HAS_C | HAS_C2 | HAS_D | HAS_D2;
	unsigned int first = across ? 0 : step / 2;
	unsigned int reach = across ? 2 * step : 3 * step / 2;
	unsigned int inner = reach, outer = reach;

	/* pixels whose neighbours are all inside the image */
	if (has != all || inner + reach >= w->width)
		inner = outer = w->width;
	else
		outer += (w->width - reach - inner + step - 1) / step * step;
	if (c->decode)
		return read_side(c, w, r, y, first, inner, step, has) &&
		       read_inner(c, w, r, y, inner, outer, step) &&
		       read_side(c, w, r, y, outer, w->width, step, has);
	return write_side(c, w, r, y, first, inner, step, has) &&
	       write_inner(c, w, r, y, inner, outer, step) &&
	       write_side(c, w, r, y, outer, w->width, step, has) &&
	       rc_encoder_bytes(&c->e) <= w->limit;
}

/*
 * Rows or columns in the middle of those @step apart; @across: rows, whose
 * pixels are between one above and one below
 */
static bool code_pass(struct coder *c, struct walk *w, unsigned int step,
		      bool across)
{
	unsigned int half = step / 2;
	int stride = w->width, near = half;
	const struct depthcode_reach r = {
		.across = across,
		.a = across ? -near * stride : -near,
		.b = across ? near * stride : near,
		.c = across ? -(int)step : -near * stride,
		.pass = (step == 2 ? 0 : 2) + !across,
	};

	for (unsigned int y = across ? half : 0; y < w->height;
	     y += across ? step : half) {
		unsigned int has = 0;

		if (across) {
			has |= y + half < w->height ? HAS_B : 0;
			has |= y >= 3 * half ? HAS_A3 : 0;
			has |= y + 3 * half < w->height ? HAS_B3 : 0;
		} else {
			has |= y ? HAS_C : 0;
			has |= y >= 2 * half ? HAS_C2 : 0;
			has |= y + half < w->height ? HAS_D : 0;
			has |= y + 2 * half < w->height ? HAS_D2 : 0;
		}
		if (!code_row(c, w, &r, y, step, has))
			return false;
	}
	return true;
}

/* A cell by its position; corners from the lattice */
static void depthcode_cell_at(const struct walk *w, struct depthcode_cell *cell,
			      unsigned int level, unsigned int column,
			      unsigned int row)
{
	unsigned int side = depthcode_cell_side(level);
	size_t right = (column + 1) * side < w->width ? side : 0;
	size_t below = (row + 1) * side < w->height ? side : 0;
	const uint16_t *value = w->d->table.value;
	const uint16_t *p;

	*cell = (struct depthcode_cell){ column * side, row * side, side, { 0 } };
	p = w->rank + (size_t)cell->y * w->width + cell->x;
	cell->corner[0] = value[p[0]];
	cell->corner[1] = value[p[right]];
	p += below * w->width;
	cell->corner[2] = value[p[0]];
	cell->corner[3] = value[p[right]];
}

static bool cell_has_depths(const struct depthcode_cell *c)
{
	return c->corner[0] && c->corner[1] && c->corner[2] && c->corner[3];
}

/* Which cells are even; only those that can be and are not in a larger one */
static bool depthcode_code_cells(struct coder *c, struct walk *w,
				 unsigned int level)
{
	struct depthcode *d = w->d;
	unsigned int columns = d->cells.columns[level];
	unsigned int side = depthcode_cell_side(level);

	for (unsigned int y = 0; y < d->cells.rows[level]; y++) {
		uint8_t *even = d->cells.even[level] + (size_t)y * columns;
		const uint8_t *above = y ? even - columns : NULL;
		const uint8_t *in = !level ? NULL : d->cells.even[level - 1] +
			(size_t)(y / 2) * d->cells.columns[level - 1];

		for (unsigned int x = 0; x < columns; x++) {
			struct depthcode_cell cell;
			unsigned int context;
			int bit = 0;

			if (in && in[x / 2]) {
				even[x] = DEPTHCODE_IN_EVEN;
				continue;
			}
			depthcode_cell_at(w, &cell, level, x, y);
			if (!cell_has_depths(&cell))
				continue;
			context = depthcode_cell_context(&cell) * 3 +
				  (x && even[x - 1]) + (above && above[x]);
			if (!c->decode)
				bit = depthcode_cell_is_even(&cell, w->image);
			bit = code_bit(c, &d->model.even[level][context], bit);
			if (c->decode && c->d.ended)
				return false;
			even[x] = bit;
			w->even += bit * side * side;
		}
	}
	return true;
}

/* Error of a prefix up to here */
static void depthcode_add_point(struct walk *w, size_t bytes)
{
	struct zeroblock_curve *c = w->curve;
	double all = (double)w->width * w->height;
	double even = w->even < w->depths ? w->even : w->depths;

	assert(c->points < ZEROBLOCK_POINTS);
	c->bytes[c->points] = bytes;
	c->error[c->points++] = (w->depths - .9 * even) *
				(1 - w->pixels / all);
}

static bool code_step(struct coder *c, struct walk *w, unsigned int step)
{
	unsigned int level = 31 - __builtin_clz(DEPTHCODE_STEP) -
			     (31 - __builtin_clz(step));

	if (!c->decode)
		depthcode_add_point(w, rc_encoder_bytes(&c->e));
	if (level < DEPTHCODE_LEVELS && !depthcode_code_cells(c, w, level))
		return false;
	if (!c->decode)
		depthcode_add_point(w, rc_encoder_bytes(&c->e));
	return step == 1 || (code_pass(c, w, step, true) &&
			     code_pass(c, w, step, false));
}

/* Code the whole image. Return: false: it ended early */
static bool walk(struct coder *c, struct walk *w)
{
	depthcode_model_reset(&w->d->model);
	depthcode_cells_begin(&w->d->cells, w->width, w->height);
	if (!c->decode)
		depthcode_add_point(w, 0);
	if (!code_table(c, &w->d->model, &w->d->table) || !code_first(c, w))
		return false;
	for (unsigned int step = DEPTHCODE_STEP; step; step /= 2)
		if (!code_step(c, w, step))
			return false;
	return true;
}

static void depthcode_begin(struct walk *w, struct depthcode *d,
			    const struct image *image)
{
	*w = (struct walk){
		.d = d, .width = image->width, .height = image->height,
		.rank = d->ranks, .rest = d->rests,
	};
	memset(d->rests, 0, (size_t)w->width * w->height);
}

size_t depthcode_encode(struct depthcode *d, const struct image *image,
			void *buf, size_t limit, bool *whole,
			struct zeroblock_curve *curve)
{
	struct coder c = code_encoder(buf, limit +
				      depthcode_slack(image->width));
	struct table *t = &d->table;
	struct walk w;
	size_t bytes;

	depthcode_begin(&w, d, image);
	w.limit = limit;
	w.curve = curve;
	w.image = image;
	curve->points = 0;
	find_values(t, image);
	for (unsigned int y = 0; y < image->height; y++) {
		const uint16_t *row = (const uint16_t *)image_row(image, y);
		uint16_t *rank = w.rank + (size_t)y * w.width;
		unsigned int depths = 0;

		for (unsigned int x = 0; x < image->width; x++) {
			rank[x] = t->rank[row[x]];
			depths += !!row[x];
		}
		w.depths += depths;
	}
	*whole = walk(&c, &w);
	/* only written bytes: the coder's rest would show later pixels */
	bytes = rc_encoder_bytes(&c.e);
	if (*whole)
		bytes = rc_encoder_finish(&c.e);
	else
		rc_encoder_finish(&c.e);
	if (bytes > limit)
		*whole = false;
	depthcode_add_point(&w, bytes);
	return bytes < limit ? bytes : limit;
}

/* Exact pixels, in the order of coding, override even cells */
struct overlay {
	const struct walk *w;
	struct image	*image;
	struct depthcode_shown *shown;
	uint64_t	left;
};

static void overlay_lattice(struct overlay *o, unsigned int x0,
			    unsigned int y0, unsigned int dx, unsigned int dy)
{
	const struct walk *w = o->w;

	for (unsigned int y = y0; y < w->height && o->left; y += dy) {
		const uint16_t *rank = w->rank + (size_t)y * w->width;
		uint16_t *to = (uint16_t *)image_row(o->image, y);

		for (unsigned int x = x0; x < w->width && o->left; x += dx) {
			o->shown->near -= !!to[x];
			to[x] = w->d->table.value[rank[x]];
			o->left--;
		}
	}
}

static void show_part(const struct walk *w, struct image *image,
		      struct depthcode_shown *shown)
{
	struct overlay o = { w, image, shown, w->pixels };
	struct depthcode_cells *cells = &w->d->cells;
	struct depthcode_cell cell;

	for (unsigned int y = 0; y < image->height; y++)
		memset(image_row(image, y), 0, 2 * (size_t)image->width);
	for (unsigned int l = 0; l < DEPTHCODE_LEVELS; l++)
		for (unsigned int y = 0; y < cells->rows[l]; y++)
			for (unsigned int x = 0; x < cells->columns[l]; x++) {
				size_t at = (size_t)y * cells->columns[l] + x;

				if (cells->even[l][at] != DEPTHCODE_IS_EVEN)
					continue;
				depthcode_cell_at(w, &cell, l, x, y);
				shown->near += depthcode_cell_show(&cell,
								   image);
			}
	overlay_lattice(&o, 0, 0, DEPTHCODE_STEP, DEPTHCODE_STEP);
	for (unsigned int s = DEPTHCODE_STEP; s > 1; s /= 2) {
		overlay_lattice(&o, 0, s / 2, s, s);
		overlay_lattice(&o, s / 2, 0, s, s / 2);
	}
}

void depthcode_decode(struct depthcode *d, const void *buf, size_t len,
		      bool whole, struct image *image,
		      struct depthcode_shown *shown)
{
	struct coder c = { .decode = true };
	struct walk w;

	rc_decoder_init(&c.d, buf, len, CODE_LIMIT, !whole);
	depthcode_begin(&w, d, image);
	walk(&c, &w);
	*shown = (struct depthcode_shown){ w.pixels, 0 };
	if (w.pixels < (uint64_t)w.width * w.height) {
		show_part(&w, image, shown);
		return;
	}
	for (unsigned int y = 0; y < w.height; y++) {
		const uint16_t *rank = w.rank + (size_t)y * w.width;
		uint16_t *to = (uint16_t *)image_row(image, y);

		for (unsigned int x = 0; x < w.width; x++)
			to[x] = d->table.value[rank[x]];
	}
}
