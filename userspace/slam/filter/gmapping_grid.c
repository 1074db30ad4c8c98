// SPDX-License-Identifier: GPL-2.0-only
/*
 * gmapping_grid.c - write beams to maps of counting cells
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "slam/filter/det_math.h"
#include "slam/filter/gmapping_grid.h"

#define CELL_MASK	(TILE_SIDE - 1)

/**
 * struct pen - writes to a map
 * @tile:	the map's own, at (@tx, @ty); NULL: none yet
 */
struct pen {
	struct likelihood_field	*f;
	struct tiles		*pool;
	uint64_t		version;
	int			tx, ty;
	struct gmapping_tile	*tile;
};

/* Move to a cell. Return: 0; -ENOMEM */
static int move_to(struct pen *p, int tx, int ty)
{
	tile_id *id;
	int err = field_slot(p->f, p->pool, tx, ty, &id);

	if (!err)
		err = tiles_own(p->pool, id);
	if (err)
		return err;
	p->tx = tx;
	p->ty = ty;
	p->tile = gmapping_tile_at(tiles_base(p->pool), *id);
	p->tile->head.version = p->version;
	return 0;
}

static inline int pen_to(struct pen *p, int x, int y)
{
	const int tx = x >> TILE_BITS, ty = y >> TILE_BITS;

	if (p->tile && tx == p->tx && ty == p->ty)
		return 0;
	return move_to(p, tx, ty);
}

static inline unsigned int index_of(int x, int y)
{
	return (unsigned int)((y & CELL_MASK) << TILE_BITS | (x & CELL_MASK));
}

static uint32_t mean_of(struct gmapping_count c, struct gmapping_sum s)
{
	if (!c.hits)
		return 0;
	return (s.x + c.hits / 2) / c.hits << GMAPPING_MEAN_X |
		(s.y + c.hits / 2) / c.hits << GMAPPING_MEAN_Y;
}

/* The cell became full, or is not any more: set its bit in the nine around */
static int mark_around(struct pen *p, int x, int y)
{
	int err = 0;

	for (int k = 0; k < GMAPPING_AROUND && !err; k++) {
		const int nx = x + 1 - k % 3, ny = y + 1 - k / 3;

		err = pen_to(p, nx, ny);
		if (!err)
			p->tile->look[index_of(nx, ny)] ^= 1U << k;
	}
	return err ? err : pen_to(p, x, y);
}

/* After the counts of the cell changed */
static int refresh(struct pen *p, int x, int y)
{
	const unsigned int i = index_of(x, y);
	uint32_t *look = p->tile->look + i;
	const struct gmapping_count c = p->tile->count[i];

	*look = (*look & GMAPPING_NEAR) | mean_of(c, p->tile->sum[i]);
	if (gmapping_full(c) == ((*look & GMAPPING_SELF) != 0))
		return 0;
	return mark_around(p, x, y);
}

static void gmapping_halve(struct gmapping_count *c, struct gmapping_sum *s)
{
	const uint32_t hits = c->hits;

	c->visits /= 2;
	c->hits /= 2;
	if (!hits)
		return;
	s->x = (uint32_t)((uint64_t)s->x * c->hits / hits);
	s->y = (uint32_t)((uint64_t)s->y * c->hits / hits);
}

/* A beam through a cell that has hits, or very many visits */
static int gmapping_pass(struct pen *p, int x, int y)
{
	const unsigned int i = index_of(x, y);
	struct gmapping_count *c = p->tile->count + i;

	if (c->visits == GMAPPING_COUNT_MAX)
		gmapping_halve(c, p->tile->sum + i);
	c->visits++;
	return refresh(p, x, y);
}

/* @x, @y: 1/256 cell */
static int hit(struct pen *p, int x, int y)
{
	const int cx = x >> FIELD_BITS, cy = y >> FIELD_BITS;
	const unsigned int i = index_of(cx, cy);
	struct gmapping_count *c;
	struct gmapping_sum *s;
	const int err = pen_to(p, cx, cy);

	if (err)
		return err;
	c = p->tile->count + i;
	s = p->tile->sum + i;
	if (c->visits == GMAPPING_COUNT_MAX)
		gmapping_halve(c, s);
	c->visits++;
	c->hits++;
	s->x += x & (FIELD_UNIT - 1);
	s->y += y & (FIELD_UNIT - 1);
	return refresh(p, cx, cy);
}

/**
 * struct line - Bresenham: a step along the longer side each time, and one
 * along the other when @d is not below 0
 */
struct line {
	int	x, y, ax, ay, bx, by, d, up, down;
};

static struct line line_from(int x, int y, int x1, int y1)
{
	const int dx = abs(x1 - x), dy = abs(y1 - y);
	const int sx = x1 > x ? 1 : -1, sy = y1 > y ? 1 : -1;
	const bool flat = dx > dy;
	const int along = flat ? dx : dy, across = flat ? dy : dx;

	return (struct line){
		x, y, flat ? sx : 0, flat ? 0 : sy, flat ? 0 : sx,
		flat ? sy : 0, 2 * across - along, 2 * across, 2 * along,
	};
}

/*
 * Pass up to @n cells of a line, as long as they are in the tile of the pen and
 * have no hits: most are. Return: how many are left
 */
static int pass_free(struct pen *p, struct line *l, int n)
{
	struct gmapping_count *const count = p->tile->count;
	const int x0 = p->tx * TILE_SIDE, y0 = p->ty * TILE_SIDE;
	int x = l->x - x0, y = l->y - y0, d = l->d;

	while (n && (unsigned int)(x | y) < TILE_SIDE) {
		struct gmapping_count *c = count + y * TILE_SIDE + x;
		const int side = -(d >= 0);

		if (c->hits | (c->visits == GMAPPING_COUNT_MAX))
			break;
		c->visits++;
		x += l->ax + (l->bx & side);
		y += l->ay + (l->by & side);
		d += l->up - (l->down & side);
		n--;
	}
	l->x = x + x0;
	l->y = y + y0;
	l->d = d;
	return n;
}

/* All cells from (@x, @y) to before (@x1, @y1) */
static int gmapping_trace(struct pen *p, int x, int y, int x1, int y1)
{
	struct line l = line_from(x, y, x1, y1);
	int n = l.down / 2, err = 0;

	while (n && !err) {
		int side;

		err = pen_to(p, l.x, l.y);
		if (!err)
			n = pass_free(p, &l, n);
		if (err || !n || l.x >> TILE_BITS != p->tx ||
		    l.y >> TILE_BITS != p->ty)
			continue;
		err = gmapping_pass(p, l.x, l.y);
		side = -(l.d >= 0);
		l.x += l.ax + (l.bx & side);
		l.y += l.ay + (l.by & side);
		l.d += l.up - (l.down & side);
		n--;
	}
	return err;
}

/* From (@x0, @y0) to (@x1, @y1), 1/256 cell */
static int beam(struct pen *p, int x0, int y0, int x1, int y1, bool ends)
{
	const int cx0 = x0 >> FIELD_BITS, cy0 = y0 >> FIELD_BITS;
	const int cx1 = x1 >> FIELD_BITS, cy1 = y1 >> FIELD_BITS;
	const int err = gmapping_trace(p, cx0, cy0, cx1, cy1);

	return err || !ends ? err : hit(p, x1, y1);
}

int gmapping_write(struct likelihood_field *f, struct tiles *pool,
		   const struct scan *scan, const struct pose *pose,
		   double units, uint64_t version)
{
	struct pen p = { .f = f, .pool = pool, .version = version };
	const int x = (int)lrint(pose->x * units);
	const int y = (int)lrint(pose->y * units);
	double s, c, lx, ly;
	int x0, y0, err = 0;

	det_sincos(pose->yaw, &s, &c);
	lx = scan->laser_x;
	ly = scan->laser_y;
	x0 = x + (int)rint(c * lx - s * ly);
	y0 = y + (int)rint(s * lx + c * ly);
	for (unsigned int i = 0; i < scan->hits + scan->cuts && !err; i++) {
		const double bx = scan->x[i], by = scan->y[i];

		err = beam(&p, x0, y0, x + (int)rint(c * bx - s * by),
			   y + (int)rint(s * bx + c * by), i < scan->hits);
	}
	return err;
}

/*
 * Encoded tiles: the visited cells, row by row
 *	u16		which cells of the row
 *	u16, u16	visits and hits of each of these
 *	u32, u32	sums, if there are hits
 */

#define CODE_MAX	(TILE_SIDE * 2 + GMAPPING_CELLS * 12)

static size_t gmapping_encode(const struct tile_head *head, uint8_t *out)
{
	const struct gmapping_tile *t = (const struct gmapping_tile *)head;
	uint8_t *at = out;

	for (int row = 0; row < TILE_SIDE; row++) {
		uint8_t *const which = at;
		uint16_t cells = 0;

		at += 2;
		for (int i = 0; i < TILE_SIDE; i++) {
			const int cell = row * TILE_SIDE + i;

			if (!t->count[cell].visits)
				continue;
			cells |= (uint16_t)(1 << i);
			memcpy(at, t->count + cell, 4);
			at += 4;
			if (!t->count[cell].hits)
				continue;
			memcpy(at, t->sum + cell, 8);
			at += 8;
		}
		memcpy(which, &cells, 2);
	}
	return (size_t)(at - out);
}

/* One cell. Return: its bytes; 0: incomplete or invalid */
static size_t decode_cell(struct gmapping_count *c, struct gmapping_sum *s,
			  const uint8_t *data, size_t len)
{
	if (len < 4)
		return 0;
	memcpy(c, data, 4);
	if (c->hits > c->visits)
		return 0;
	if (!c->hits)
		return 4;
	if (len < 12)
		return 0;
	memcpy(s, data + 4, 8);
	/* with larger sums the mean is outside the cell */
	if (s->x > (uint32_t)c->hits * (FIELD_UNIT - 1) ||
	    s->y > (uint32_t)c->hits * (FIELD_UNIT - 1))
		return 0;
	return 12;
}

static size_t gmapping_decode(struct tile_head *head, const uint8_t *data,
			      size_t len)
{
	struct gmapping_tile *t = (struct gmapping_tile *)head;
	size_t at = 0;

	for (int row = 0; row < TILE_SIDE; row++) {
		uint16_t cells;

		if (len - at < 2)
			return 0;
		memcpy(&cells, data + at, 2);
		at += 2;
		for (unsigned int left = cells; left; left &= left - 1) {
			const int cell = row * TILE_SIDE + __builtin_ctz(left);
			const size_t size = decode_cell(t->count + cell,
				t->sum + cell, data + at, len - at);

			if (!size)
				return 0;
			at += size;
		}
	}
	return at;
}

static bool full_at(const struct likelihood_field *f, const uint8_t *base,
		    int x, int y)
{
	const struct gmapping_tile *t = gmapping_tile_at(base, field_tile(f,
					x >> TILE_BITS, y >> TILE_BITS));

	return gmapping_full(t->count[index_of(x, y)]);
}

static void gmapping_draw(struct likelihood_field *f, struct tiles *pool,
			  const struct field_kernel *k, int tx, int ty)
{
	const uint8_t *base = tiles_base(pool);
	struct gmapping_tile *t = gmapping_tile_at(base, field_tile(f, tx, ty));

	(void)k;
	for (int i = 0; i < GMAPPING_CELLS; i++) {
		const int x = tx * TILE_SIDE + i % TILE_SIDE;
		const int y = ty * TILE_SIDE + i / TILE_SIDE;
		uint32_t look = mean_of(t->count[i], t->sum[i]);

		for (int n = 0; n < GMAPPING_AROUND; n++)
			look |= (uint32_t)full_at(f, base, x + n % 3 - 1,
						  y + n / 3 - 1) << n;
		t->look[i] = look;
	}
}

const struct tile_kind gmapping_tiles = {
	.bytes = sizeof(struct gmapping_tile),
	.encode = gmapping_encode,
	.decode = gmapping_decode,
	.draw = gmapping_draw,
};
_Static_assert(sizeof(struct gmapping_tile) <= TILE_BYTES_MAX &&
	       CODE_MAX <= (int)TILE_CODE_MAX, "room for any tile");
