// SPDX-License-Identifier: GPL-2.0-only
/*
 * likelihood_field.c - endpoints occupy cells, and these raise the field
 */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/cpu.h"
#include "slam/filter/likelihood_field.h"

#define CELL_MASK	(TILE_SIDE - 1)

void field_kernel_init(struct field_kernel *k, double sigma, double ratio)
{
	const double top = log1p(ratio);

	memset(k, 0, sizeof(*k));
	for (int i = 0; i < FIELD_PHASES * FIELD_ACROSS * FIELD_ACROSS; i++) {
		const int column = i % FIELD_ACROSS;
		const int row = i / FIELD_ACROSS % FIELD_ACROSS;
		const int phase = i / (FIELD_ACROSS * FIELD_ACROSS);
		const double x = column - FIELD_RADIUS + 0.25 -
			(phase & 1) * 0.5;
		const double y = row - FIELD_RADIUS + 0.25 -
			(phase >> 1) * 0.5;
		const double g = ratio *
			exp(-(x * x + y * y) / (2 * sigma * sigma));

		k->value[phase][row][FIELD_SPARE + column] =
			(uint8_t)lrint(FIELD_MAX * log1p(g) / top);
	}
}

void field_init(struct likelihood_field *f)
{
	*f = (struct likelihood_field){ .width = 0 };
}

static size_t pages_of(const struct likelihood_field *f)
{
	return field_places(f) / FIELD_PAGE;
}

static void page_release(struct field_page *page, struct tiles *pool)
{
	assert(!page || page->users);
	if (!page || atomic_fetch_sub_explicit(&page->users, 1,
					       memory_order_acq_rel) != 1)
		return;
	for (int i = 0; i < FIELD_PAGE; i++)
		tiles_release(pool, page->tile[i]);
	free(page);
	tiles_directory_add(pool, -(ptrdiff_t)sizeof(*page));
}

/* @slot: gets a page of this map: a new one, or a copy of a shared one */
static int page_own(struct field_page **slot, struct tiles *pool)
{
	struct field_page *page = *slot, *own;

	if (page && atomic_load_explicit(&page->users,
					 memory_order_acquire) == 1)
		return 0;
	if (!tiles_directory_fits(pool, sizeof(*own)))
		return -ENOMEM;
	own = page ? malloc(sizeof(*own)) : calloc(1, sizeof(*own));
	if (!own)
		return -ENOMEM;
	tiles_directory_add(pool, sizeof(*own));
	if (page) {
		memcpy(own->tile, page->tile, sizeof(own->tile));
		for (int i = 0; i < FIELD_PAGE; i++)
			tiles_hold(pool, own->tile[i]);
	}
	atomic_store_explicit(&own->users, 1, memory_order_relaxed);
	page_release(page, pool);
	*slot = own;
	return 0;
}

static void free_pages(struct likelihood_field *f, struct tiles *pool)
{
	tiles_directory_add(pool, -(ptrdiff_t)(pages_of(f) *
					       sizeof(struct field_page *)));
	free(f->page);
}

void field_free(struct likelihood_field *f, struct tiles *pool)
{
	for (size_t i = 0; i < pages_of(f); i++)
		page_release(f->page[i], pool);
	free_pages(f, pool);
	field_init(f);
}

int field_copy(struct likelihood_field *to, const struct likelihood_field *from,
	       struct tiles *pool)
{
	const size_t count = pages_of(from);
	struct field_page **page = NULL;

	if (to == from)
		return 0;
	if (count) {
		page = malloc(count * sizeof(struct field_page *));
		if (!page)
			return -ENOMEM;
		memcpy(page, from->page, count * sizeof(struct field_page *));
		tiles_directory_add(pool, (ptrdiff_t)(count *
					sizeof(struct field_page *)));
	}
	for (size_t i = 0; i < count; i++) {
		if (page[i])
			atomic_fetch_add_explicit(&page[i]->users, 1,
						  memory_order_relaxed);
	}
	field_free(to, pool);
	*to = *from;
	to->page = page;
	return 0;
}

static int min_int(int a, int b)
{
	return a < b ? a : b;
}

static int max_int(int a, int b)
{
	return a > b ? a : b;
}

/* Up to (@x0, @y0) and (@x1, @y1), tiles. Return: as field_hit() */
static int field_grow(struct likelihood_field *f, struct tiles *pool, int x0,
		      int y0, int x1, int y1)
{
	const bool empty = !f->width;
	const int px0 = x0 >> FIELD_PAGE_BITS, py0 = y0 >> FIELD_PAGE_BITS;
	const int px1 = x1 >> FIELD_PAGE_BITS, py1 = y1 >> FIELD_PAGE_BITS;
	const int left = empty ? px0 : min_int(f->x, px0);
	const int low = empty ? py0 : min_int(f->y, py0);
	const int right = empty ? px1 : max_int(f->x + f->width - 1, px1);
	const int high = empty ? py1 : max_int(f->y + f->height - 1, py1);
	const int width = right - left + 1, height = high - low + 1;
	struct field_page **page;

	assert(empty || (width >= f->width && height >= f->height));
	if (width == f->width && height == f->height)
		return 0;
	if (width > FIELD_PAGES_MAX || height > FIELD_PAGES_MAX)
		return -ERANGE;
	page = calloc((size_t)width * (size_t)height, sizeof(*page));
	if (!page)
		return -ENOMEM;
	for (int y = 0; y < f->height; y++)
		memcpy(page + (ptrdiff_t)(f->y - low + y) * width + f->x - left,
		       f->page + (ptrdiff_t)y * f->width,
		       (size_t)f->width * sizeof(*page));
	free_pages(f, pool);
	*f = (struct likelihood_field){ left, low, width, height, page };
	tiles_directory_add(pool, (ptrdiff_t)(pages_of(f) * sizeof(*page)));
	return 0;
}

/* As field_slot(), within the map */
static int own_slot(struct likelihood_field *f, struct tiles *pool, int tx,
		    int ty, tile_id **slot)
{
	struct field_page **page =
		f->page + field_number(f, tx, ty) / FIELD_PAGE;
	const int err = page_own(page, pool);

	if (!err)
		*slot = (*page)->tile + field_page_index(tx, ty);
	return err;
}

int field_slot(struct likelihood_field *f, struct tiles *pool, int tx, int ty,
	       tile_id **slot)
{
	const int err = field_grow(f, pool, tx, ty, tx, ty);

	return err ? err : own_slot(f, pool, tx, ty, slot);
}

size_t field_next(const struct likelihood_field *f, size_t i, int *x, int *y)
{
	for (size_t p = i / FIELD_PAGE; p < pages_of(f); p++) {
		const struct field_page *page = f->page[p];
		size_t k = p == i / FIELD_PAGE ? i % FIELD_PAGE : 0;

		while (page && k < FIELD_PAGE && !page->tile[k])
			k++;
		if (!page || k == FIELD_PAGE)
			continue;
		*x = (f->x + (int)p % f->width) * FIELD_PAGE_SIDE +
			(int)k % FIELD_PAGE_SIDE;
		*y = (f->y + (int)p / f->width) * FIELD_PAGE_SIDE +
			(int)k / FIELD_PAGE_SIDE;
		return p * FIELD_PAGE + k;
	}
	return SIZE_MAX;
}

int field_window_reserve(struct field_window *w, size_t tiles)
{
	uint32_t *place;

	if (tiles <= w->room)
		return 0;
	place = malloc(tiles * sizeof(*place));
	if (!place)
		return -ENOMEM;
	free(w->place);
	*w = (struct field_window){ .place = place, .room = tiles };
	return 0;
}

void field_window_free(struct field_window *w)
{
	free(w->place);
	*w = (struct field_window){ .room = 0 };
}

/* Return: the OR of all names */
static inline tile_id fill_places(uint32_t *to, const tile_id *tile, int count,
			   int shift)
{
	tile_id any = 0;

	for (int i = 0; i < count; i++) {
		any |= tile[i];
		to[i] = tile[i] << shift;
	}
	return any;
}

/* A row of tiles, page by page. Return: as fill_places() */
static inline tile_id field_fill_row(uint32_t *to,
				     const struct likelihood_field *f, int x,
				     int y, int end, int shift)
{
	tile_id any = 0;

	while (x < end) {
		const struct field_page *page =
			f->page[field_number(f, x, y) / FIELD_PAGE];
		const int next = (x | (FIELD_PAGE_SIDE - 1)) + 1;
		const int count = min_int(next, end) - x;

		if (page)
			any |= fill_places(to, page->tile +
					   field_page_index(x, y), count,
					   shift);
		else
			memset(to, 0, (size_t)count * sizeof(*to));
		to += count;
		x += count;
	}
	return any;
}

CPU_CLONES
static tile_id fill_rows(struct field_window *w,
			 const struct likelihood_field *f, int shift)
{
	tile_id any = 0;

	for (int y = 0; y < w->height && w->width; y++)
		any |= field_fill_row(w->place + (ptrdiff_t)y * w->width, f,
				      w->x, w->y + y, w->x + w->width, shift);
	return any;
}

void field_window_fill(struct field_window *w, const struct likelihood_field *f,
		       int x0, int y0, int x1, int y1)
{
	const int left = max_int(x0, f->x * FIELD_PAGE_SIDE);
	const int low = max_int(y0, f->y * FIELD_PAGE_SIDE);
	const int right = min_int(x1 + 1, (f->x + f->width) * FIELD_PAGE_SIDE);
	const int high = min_int(y1 + 1, (f->y + f->height) * FIELD_PAGE_SIDE);

	w->x = left;
	w->y = low;
	w->width = max_int(right - left, 0);
	w->height = max_int(high - low, 0);
	w->far = fill_rows(w, f, TILE_UNIT_BITS) >= TILE_FAR;
	if (w->far)
		fill_rows(w, f, 0);
}

/* The field of one tile, whose first cell is (0, 0), around cell (@x, @y) */
static void raise_tile(struct tile *t, const struct field_kernel *k,
		       unsigned int phase, int x, int y)
{
	const int first = max_int(y - FIELD_RADIUS, 0);
	const int last = min_int(y + FIELD_RADIUS, TILE_SIDE);

	/* the kernel ends there */
	if (x < -FIELD_RADIUS || x > TILE_SIDE + FIELD_RADIUS)
		return;
	for (int row = first; row <= last; row++) {
		uint8_t *to = t->field + row * TILE_STRIDE;
		const uint8_t *from = k->value[phase][row - y + FIELD_RADIUS] +
			FIELD_SPARE + FIELD_RADIUS - x;

		for (int i = 0; i < TILE_SIDE; i++)
			to[i] = to[i] > from[i] ? to[i] : from[i];
		if (to[TILE_SIDE] < from[TILE_SIDE])
			to[TILE_SIDE] = from[TILE_SIDE];
	}
}

static int field_raise_around(struct likelihood_field *f, struct tiles *pool,
			      const struct field_kernel *k, unsigned int phase,
			      int x, int y, uint64_t version)
{
	/* a tile also holds the first cells of the next one */
	const int x0 = (x - FIELD_RADIUS - 1) >> TILE_BITS;
	const int y0 = (y - FIELD_RADIUS - 1) >> TILE_BITS;
	const int x1 = (x + FIELD_RADIUS) >> TILE_BITS;
	const int y1 = (y + FIELD_RADIUS) >> TILE_BITS;
	const uint8_t *base = tiles_base(pool);
	int err = field_grow(f, pool, x0, y0, x1, y1);

	for (int ty = y0; !err && ty <= y1; ty++) {
		for (int tx = x0; !err && tx <= x1; tx++) {
			tile_id *id;

			err = own_slot(f, pool, tx, ty, &id);
			if (!err)
				err = tiles_own(pool, id);
			if (err)
				break;
			tile_head_at(base, *id)->version = version;
			raise_tile(tile_at(base, *id), k, phase,
				   x - tx * TILE_SIDE, y - ty * TILE_SIDE);
		}
	}
	return err;
}

int field_hit(struct likelihood_field *f, struct tiles *pool,
	      const struct field_kernel *k, int x, int y, uint64_t version)
{
	const int cx = x >> FIELD_BITS, cy = y >> FIELD_BITS;
	const int tx = cx >> TILE_BITS, ty = cy >> TILE_BITS;
	const int column = cx & CELL_MASK, row = cy & CELL_MASK;
	const unsigned int phase = (x >> (FIELD_BITS - 1) & 1) |
		(y >> (FIELD_BITS - 1) & 1) << 1;
	tile_id id = field_tile(f, tx, ty);
	struct tile *t = tile_at(tiles_base(pool), id);
	int err;

	/* tile 0 has no cells */
	if (t->occupied[row] >> column & 1)
		return 0;
	err = field_raise_around(f, pool, k, phase, cx, cy, version);
	if (err)
		return err;
	t = tile_at(tiles_base(pool), field_tile(f, tx, ty));
	t->occupied[row] |= 1U << column;
	t->phase[row] |= phase << 2 * column;
	return 0;
}

/* The effect of the occupied cells of tile @from on the tile (@dx, @dy) off */
static void draw_from(struct tile *to, const struct tile *from,
		      const struct field_kernel *k, int dx, int dy)
{
	for (int row = 0; row < TILE_SIDE; row++) {
		for (unsigned int left = from->occupied[row]; left;
		     left &= left - 1) {
			const int column = __builtin_ctz(left);

			raise_tile(to, k, from->phase[row] >> 2 * column & 3,
				   column - dx * TILE_SIDE,
				   row - dy * TILE_SIDE);
		}
	}
}

void field_draw(struct likelihood_field *f, struct tiles *pool,
		const struct field_kernel *k, int tx, int ty)
{
	const uint8_t *base = tiles_base(pool);
	struct tile *t = tile_at(base, field_tile(f, tx, ty));

	for (int y = -1; y <= 1; y++) {
		for (int x = -1; x <= 1; x++)
			draw_from(t, tile_at(base, field_tile(f, tx + x,
							      ty + y)),
				  k, -x, -y);
	}
}
