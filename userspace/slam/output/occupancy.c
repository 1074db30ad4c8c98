// SPDX-License-Identifier: GPL-2.0-only
/*
 * occupancy - an occupancy grid from scans at known poses
 *
 * A scan is first drawn into bitmaps, so that no cell counts twice. Then the
 * bits are added to the counts of the tiles, eight cells at a time.
 */
#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "map/fusion/cells.h"
#include "slam/filter/det_math.h"
#include "slam/filter/scan_bits.h"
#include "slam/output/occupancy.h"

enum {
	SIDE_BITS	= SCAN_TILE_BITS,
	SIDE		= SCAN_TILE,	/* cells of a tile's side */
	LANES		= 8,
};
_Static_assert(SIDE * (SCAN_SIDE_MAX - 1) >= CELLS_SIDE_MAX, "scans fit");

/* Counts of eight cells */
typedef uint16_t lanes __attribute__((vector_size(2 * LANES)));

/**
 * struct tile - counts
 * @visits, @hits: [row][column / LANES][column % LANES]
 * @most:	no cell has more visits
 */
struct tile {
	lanes		visits[SIDE][SIDE / LANES], hits[SIDE][SIDE / LANES];
	uint16_t	most;
	struct tile	*next;
};

/* Where a beam ends, 1/SCAN_UNIT cell */
struct end {
	int64_t	x, y;
	bool	hit;
};

/* Tiles that an area touches: the first one and their number */
struct span {
	int	x, y, width, height;
};

/**
 * struct occupancy
 * @known:	cells
 * @tile:	[row * width + column] of @tiles, NULL: unknown
 * @spare:	free tiles, all 0
 * @made:	tiles, free or not
 * @bits:	of the scan, all 0 between scans
 * @spread:	converts a byte to eight counts
 */
struct occupancy {
	struct occupancy_config	config;
	struct rect		known;
	struct span		tiles;
	struct tile		**tile;
	struct tile		*spare;
	size_t			made;
	struct scan_bits	bits;
	struct end		*end;
	unsigned int		ends, end_room;
	uint64_t		scans, refused;
	lanes			spread[256];
};

static bool config_valid(const struct occupancy_config *c)
{
	return c->resolution >= OCCUPANCY_RESOLUTION_MIN &&
	       c->resolution <= OCCUPANCY_RESOLUTION_MAX &&
	       c->range_max >= 0 && c->range_max <= READING_RANGE_MAX &&
	       c->range_free >= 0 && c->range_free <= READING_RANGE_MAX;
}

int occupancy_create(struct occupancy **to,
		     const struct occupancy_config *config,
		     struct error *error)
{
	struct occupancy *o;

	if (!config_valid(config))
		return error_set(error, -EINVAL,
				 "invalid grid: cells of %g m, ranges of %g m "
				 "and %g m",
				 config->resolution, config->range_max,
				 config->range_free);
	o = aligned_alloc(_Alignof(struct occupancy), sizeof(*o));
	if (!o)
		return error_set(error, -ENOMEM, "out of memory");
	memset(o, 0, sizeof(*o));
	o->config = *config;
	for (int i = 0; i < 256 * LANES; i++)
		o->spread[i / LANES][i % LANES] = i / LANES >> i % LANES & 1;
	*to = o;
	return 0;
}

void occupancy_clear(struct occupancy *o)
{
	const size_t n = (size_t)o->tiles.width * o->tiles.height;

	for (size_t i = 0; i < n; i++) {
		struct tile *t = o->tile[i];

		if (!t)
			continue;
		memset(t, 0, sizeof(*t));
		t->next = o->spare;
		o->spare = t;
	}
	free(o->tile);
	o->tile = NULL;
	o->tiles = (struct span){ 0 };
	o->known = (struct rect){ 0 };
}

void occupancy_destroy(struct occupancy *o)
{
	if (!o)
		return;
	occupancy_clear(o);
	while (o->spare) {
		struct tile *t = o->spare;

		o->spare = t->next;
		free(t);
	}
	scan_bits_free(&o->bits);
	free(o->end);
	free(o);
}

/*
 * Tiles
 */

static struct tile *occupancy_tile_of(const struct occupancy *o, int tx, int ty)
{
	const unsigned int x = (unsigned int)tx - (unsigned int)o->tiles.x;
	const unsigned int y = (unsigned int)ty - (unsigned int)o->tiles.y;

	if (x >= (unsigned int)o->tiles.width ||
	    y >= (unsigned int)o->tiles.height)
		return NULL;
	return o->tile[(size_t)y * o->tiles.width + x];
}

static struct span occupancy_span_of(const struct rect *r)
{
	const int x = r->x >> SIDE_BITS, y = r->y >> SIDE_BITS;

	return (struct span){ x, y,
		((r->x + (int)r->width - 1) >> SIDE_BITS) - x + 1,
		((r->y + (int)r->height - 1) >> SIDE_BITS) - y + 1 };
}

static struct span span_union(const struct span *a, const struct span *b)
{
	const struct rect r = { a->x, a->y, a->width, a->height };
	const struct rect s = { b->x, b->y, b->width, b->height };
	const struct rect u = rect_union(&r, &s);

	return (struct span){ u.x, u.y, (int)u.width, (int)u.height };
}

/* Room in the table for all tiles of an area; it never shrinks */
static int occupancy_grow(struct occupancy *o, const struct rect *area)
{
	const struct span old = o->tiles, needed = occupancy_span_of(area);
	const struct span now = span_union(&old, &needed);
	struct tile **tile;

	if (!memcmp(&old, &now, sizeof(old)))
		return 0;
	tile = calloc((size_t)now.width * now.height, sizeof(struct tile *));
	if (!tile)
		return -ENOMEM;
	for (int y = 0; y < old.height; y++)
		memcpy(tile + (size_t)(old.y - now.y + y) * now.width +
		       (old.x - now.x), o->tile + (size_t)y * old.width,
		       old.width * sizeof(struct tile *));
	free(o->tile);
	o->tile = tile;
	o->tiles = now;
	return 0;
}

static int occupancy_make_tile(struct occupancy *o, struct tile **to)
{
	struct tile *t = o->spare;

	if (t) {
		o->spare = t->next;
		t->next = NULL;
	} else {
		t = aligned_alloc(_Alignof(struct tile), sizeof(*t));
		if (!t)
			return -ENOMEM;
		memset(t, 0, sizeof(*t));
		o->made++;
	}
	*to = t;
	return 0;
}

/*
 * Endpoints
 */

/* How far a beam is traced, m; 0: not at all */
static double beam_length(const struct occupancy_config *c,
			  const struct reading *r, float range, bool *hit)
{
	double free = c->range_free;

	*hit = false;
	if (!(range > 0))
		return 0;
	if (range < r->range_max && (!c->range_max || range <= c->range_max)) {
		*hit = true;
		return range;
	}
	if (range < r->range_max)
		return c->range_max;
	/* a laser with a range of 10 m does not know what is at 20 m */
	if (free > r->range_max)
		free = r->range_max;
	return c->range_max && free > c->range_max ? c->range_max : free;
}

/* At most 2^40 cells away, by the limits */
static struct end end_at(const struct occupancy *o, double x, double y,
			 bool hit)
{
	const double scale = SCAN_UNIT / o->config.resolution;

	return (struct end){ (int64_t)floor(x * scale + 0.5),
			     (int64_t)floor(y * scale + 0.5), hit };
}

/* The laser at beam @i, of a robot that was at @at at the first beam */
static struct pose swept_laser(const struct reading *r, const struct pose *at,
			       unsigned int i)
{
	const struct pose swept = reading_swept(r, i);
	const struct pose robot = det_compose(at, &swept);

	return det_compose(&robot, &r->laser);
}

/* The laser first, then the beams with information; the motion of the laser
 * during the scan affects the ends of beams, not their start
 */
static void find_ends(struct occupancy *o, const struct reading *r,
		      const struct pose *robot)
{
	const struct pose at = { robot->x, robot->y,
				 remainder(robot->yaw, 2 * M_PI) };
	struct pose laser = det_compose(&at, &r->laser);

	o->end[0] = end_at(o, laser.x, laser.y, false);
	o->ends = 1;
	for (unsigned int i = 0; i < r->beams; i++) {
		double angle, s, c, length;
		bool hit;

		length = beam_length(&o->config, r, r->range[i], &hit);
		if (!(length > 0))
			continue;
		if (reading_sweeps(r))
			laser = swept_laser(r, &at, i);
		/* a double is exact enough here: no error accumulates */
		angle = laser.yaw + r->angle_min +
			(double)r->angle_increment * i;
		det_sincos(remainder(angle, 2 * M_PI), &s, &c);
		assert(o->ends <= r->beams);
		o->end[o->ends++] = end_at(o, laser.x + length * c,
					   laser.y + length * s, hit);
	}
}

/* The cells between the ends. Return: false: too many */
static bool ends_rect(const struct occupancy *o, struct rect *r)
{
	int64_t x0 = INT64_MAX, x1 = INT64_MIN, y0 = INT64_MAX, y1 = INT64_MIN;

	for (unsigned int i = 0; i < o->ends; i++) {
		const struct end *e = &o->end[i];

		x0 = e->x < x0 ? e->x : x0;
		x1 = e->x > x1 ? e->x : x1;
		y0 = e->y < y0 ? e->y : y0;
		y1 = e->y > y1 ? e->y : y1;
	}
	x0 >>= SCAN_UNIT_BITS;
	x1 >>= SCAN_UNIT_BITS;
	y0 >>= SCAN_UNIT_BITS;
	y1 >>= SCAN_UNIT_BITS;
	if (x1 - x0 >= CELLS_SIDE_MAX || y1 - y0 >= CELLS_SIDE_MAX)
		return false;
	*r = (struct rect){ x0, y0, x1 - x0 + 1, y1 - y0 + 1 };
	return true;
}

static void occupancy_draw(struct occupancy *o, const struct span *s)
{
	const int64_t x0 = (int64_t)s->x * (SIDE * SCAN_UNIT);
	const int64_t y0 = (int64_t)s->y * (SIDE * SCAN_UNIT);
	const struct end *laser = &o->end[0];

	for (unsigned int i = 0; i < o->ends; i++) {
		const struct end *e = &o->end[i];

		scan_bits_beam(&o->bits, (int32_t)(laser->x - x0),
			       (int32_t)(laser->y - y0), (int32_t)(e->x - x0),
			       (int32_t)(e->y - y0), e->hit);
	}
	scan_bits_end(&o->bits);
}

/*
 * Counting
 */

/* After a count is full. Return: the most visits of a cell afterwards */
static uint16_t halve_row(lanes *visits, lanes *hits)
{
	uint16_t most = 0;

	for (int x = 0; x < SIDE; x++) {
		uint16_t v = visits[x / LANES][x % LANES];

		if (v == OCCUPANCY_COUNT_MAX) {
			v /= 2;
			visits[x / LANES][x % LANES] = v;
			hits[x / LANES][x % LANES] /= 2;
		}
		most = v > most ? v : most;
	}
	return most;
}

static void occupancy_halve(struct tile *t)
{
	t->most = 0;
	for (int y = 0; y < SIDE; y++) {
		const uint16_t most = halve_row(t->visits[y], t->hits[y]);

		t->most = most > t->most ? most : t->most;
	}
}

static void count_row(const lanes *spread, lanes *to, uint64_t bits)
{
	for (; bits; bits >>= LANES)
		*to++ += spread[bits & 0xff];
}

static void count(const struct occupancy *o, struct tile *t,
		  const struct scan_tile *b)
{
	if (t->most == OCCUPANCY_COUNT_MAX)
		occupancy_halve(t);
	t->most++;
	for (int y = 0; y < SIDE; y++) {
		count_row(o->spread, t->visits[y], b->free[y]);
		count_row(o->spread, t->hits[y], b->hit[y]);
	}
}

static struct tile **slot(struct occupancy *o, const struct span *s, size_t i)
{
	const size_t x = i % s->width + (s->x - o->tiles.x);
	const size_t y = i / s->width + (s->y - o->tiles.y);

	return &o->tile[y * o->tiles.width + x];
}

/* Make the tiles of a scan before counting starts */
static int make_tiles(struct occupancy *o, const struct span *s)
{
	const size_t n = (size_t)s->width * s->height;
	int err = 0;

	for (size_t i = 0; i < n && !err; i++) {
		struct tile **t = slot(o, s, i);

		if (!*t && !scan_tile_is_empty(&o->bits.tile[i]))
			err = occupancy_make_tile(o, t);
	}
	return err;
}

static void count_all(struct occupancy *o, const struct span *s)
{
	const size_t n = (size_t)s->width * s->height;

	for (size_t i = 0; i < n; i++)
		if (!scan_tile_is_empty(&o->bits.tile[i]))
			count(o, *slot(o, s, i), &o->bits.tile[i]);
}

/*
 * Scans
 */

static int occupancy_reserve(struct occupancy *o, unsigned int beams)
{
	struct end *end;

	if (beams < o->end_room)
		return 0;
	end = realloc(o->end, (beams + 1) * sizeof(*end));
	if (!end)
		return -ENOMEM;
	o->end = end;
	o->end_room = beams + 1;
	return 0;
}

static int add(struct occupancy *o, const struct rect *area,
	       const struct rect *known)
{
	const struct span s = occupancy_span_of(area);
	int err = scan_bits_begin(&o->bits, s.width, s.height);

	if (!err)
		err = occupancy_grow(o, known);
	if (err)
		return err;
	occupancy_draw(o, &s);
	err = make_tiles(o, &s);
	if (!err) {
		count_all(o, &s);
		o->known = *known;
	}
	scan_bits_clear(&o->bits);
	return err;
}

/* Return: 0 and areas that fit; o->ends is 1 if no beam has information */
static int occupancy_look(struct occupancy *o, const struct reading *r,
			  const struct pose *robot, struct rect *area,
			  struct rect *known, struct error *error)
{
	if (!reading_valid(r) || !pose_valid(robot))
		return error_set(error, -EINVAL,
				 "invalid scan values at %g m, %g m, %g rad",
				 robot->x, robot->y, robot->yaw);
	if (occupancy_reserve(o, r->beams))
		return error_set(error, -ENOMEM, "out of memory");
	o->ends = 0;
	if (!r->beams)
		return 0;
	find_ends(o, r, robot);
	if (!ends_rect(o, area))
		return error_set(error, -ERANGE,
				 "scan exceeds %d cells of %g m",
				 CELLS_SIDE_MAX, o->config.resolution);
	*known = rect_union(&o->known, area);
	if (known->width > CELLS_SIDE_MAX || known->height > CELLS_SIDE_MAX)
		return error_set(
			error, -ERANGE,
			"scan at %.1f m, %.1f m: map of %u x %u cells of %g m "
			"exceeds %d per side",
			robot->x, robot->y, known->width, known->height,
			o->config.resolution, CELLS_SIDE_MAX);
	return 0;
}

int occupancy_add(struct occupancy *o, const struct reading *r,
		  const struct pose *robot, struct error *error)
{
	struct rect area = { 0 }, known = { 0 };
	int err = occupancy_look(o, r, robot, &area, &known, error);

	if (!err && o->ends > 1) {
		err = add(o, &area, &known);
		if (err)
			error_set(error, err, "out of memory");
	}
	if (err)
		o->refused++;
	else
		o->scans++;
	return err;
}

/*
 * Reading
 */

struct rect occupancy_known(const struct occupancy *o)
{
	return o->known;
}

double occupancy_resolution(const struct occupancy *o)
{
	return o->config.resolution;
}

static struct occupancy_cell tile_cell(const struct tile *t, unsigned int x,
				       unsigned int y)
{
	return (struct occupancy_cell){ t->hits[y][x / LANES][x % LANES],
					t->visits[y][x / LANES][x % LANES] };
}

struct occupancy_cell occupancy_at(const struct occupancy *o, int x, int y)
{
	const struct tile *t =
		occupancy_tile_of(o, x >> SIDE_BITS, y >> SIDE_BITS);

	if (!t)
		return (struct occupancy_cell){ 0 };
	return tile_cell(t, x & (SIDE - 1), y & (SIDE - 1));
}

int occupancy_value(struct occupancy_cell c)
{
	const uint32_t hits = OCCUPANCY_WEIGHT * c.hits;
	const uint32_t all = hits + c.visits - c.hits;

	return c.visits ? (int)((CELLS_FULL_8 * hits + all / 2) / all) :
			  CELLS_UNKNOWN;
}

/* Copy what @tile has of row @y of the raster to @to */
static void occupancy_read_row(const struct tile *t, unsigned int x,
			       unsigned int y, unsigned int count, int16_t *to)
{
	for (unsigned int i = 0; i < count; i++)
		to[i] = t ? occupancy_value(tile_cell(t, x + i, y)) :
			    CELLS_UNKNOWN;
}

void occupancy_read(const struct occupancy *o, struct raster *r)
{
	int16_t *to = r->cells;

	r->bits = 8;
	r->resolution = o->config.resolution;
	for (unsigned int j = 0; j < r->rect.height; j++) {
		const int y = r->rect.y + (int)j;
		unsigned int n;

		for (unsigned int i = 0; i < r->rect.width; i += n) {
			const int x = r->rect.x + (int)i;

			n = SIDE - (x & (SIDE - 1));
			if (n > r->rect.width - i)
				n = r->rect.width - i;
			occupancy_read_row(occupancy_tile_of(o, x >> SIDE_BITS,
							     y >> SIDE_BITS),
					   x & (SIDE - 1), y & (SIDE - 1), n,
					   to);
			to += n;
		}
	}
}

int occupancy_raster(const struct occupancy *o, struct raster *r)
{
	const size_t n = (size_t)o->known.width * o->known.height;

	*r = (struct raster){ .rect = o->known };
	if (!n)
		return -ENODATA;
	if (n > OCCUPANCY_CELLS_MAX)
		return -E2BIG;
	r->cells = malloc(n * sizeof(*r->cells));
	if (!r->cells)
		return -ENOMEM;
	occupancy_read(o, r);
	return 0;
}

struct occupancy_count occupancy_count(const struct occupancy *o)
{
	return (struct occupancy_count){
		o->scans, o->refused,
		sizeof(*o) + o->made * sizeof(struct tile) +
		(size_t)o->tiles.width * o->tiles.height *
		sizeof(struct tile *) +
		o->bits.room * (sizeof(struct scan_tile) +
				sizeof(*o->bits.column)) +
		o->end_room * sizeof(struct end),
	};
}
