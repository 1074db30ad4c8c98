// SPDX-License-Identifier: GPL-2.0-only
/*
 * rangeimage_decode - revolutions from the payloads that arrived
 *
 * A payload is decoded into its columns on arrival; they are removed again if
 * it turns out to be damaged.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include "base/wire.h"
#include "codec/cloud/rangeimage_format.h"

struct rangeimage {
	unsigned int		rings_max, columns_max;
	bool			begun;
	struct image_header	shape;		/* of all payloads */
	struct organised	o;
	bool			*received;	/* [column] */
	struct image_model	model;
};

struct rangeimage *rangeimage_create(unsigned int rings, unsigned int columns)
{
	struct rangeimage *r;
	size_t cells = (size_t)rings * columns;

	if (!cells || rings > ORGANISED_RINGS || columns > ORGANISED_COLUMNS)
		return NULL;
	r = calloc(1, sizeof(*r));
	if (!r)
		return NULL;
	r->rings_max = rings;
	r->columns_max = columns;
	r->o.range = malloc(cells * sizeof(*r->o.range));
	r->o.intensity = malloc(cells);
	r->o.azimuth = malloc(columns * sizeof(*r->o.azimuth));
	r->received = malloc(columns * sizeof(*r->received));
	if (!r->o.range || !r->o.intensity || !r->o.azimuth || !r->received) {
		rangeimage_destroy(r);
		return NULL;
	}
	return r;
}

void rangeimage_destroy(struct rangeimage *r)
{
	if (!r)
		return;
	free(r->o.range);
	free(r->o.intensity);
	free(r->o.azimuth);
	free(r->received);
	free(r);
}

void rangeimage_begin(struct rangeimage *r)
{
	r->begun = false;
}

static int rangeimage_decode_get_header(const struct rangeimage *r,
					const uint8_t *p, size_t len,
					struct image_header *h)
{
	if (len < IMAGE_HEADER || p[0] >> 4 != IMAGE_VERSION)
		return -EPROTO;
	*h = (struct image_header){
		.sensor = p[0] & 15,
		.intensity = p[1],
		.index = get_le16(p + 2),
		.parts = get_le16(p + 4),
		.columns = get_le16(p + 6),
		.unit = get_lef32(p + 8),
		.rings = p[12],
		.step = get_lef32(p + 13),
	};
	if (!h->rings || h->rings > r->rings_max ||
	    !h->columns || h->columns > r->columns_max ||
	    h->parts > h->columns || h->index >= h->parts ||
	    !(h->unit > 0) || !isfinite(h->unit))
		return -EPROTO;
	if (h->sensor && (h->sensor >= IMAGE_SENSORS ||
			  !(fabsf(h->step) < ADVANCE_MAX)))
		return -EPROTO;
	return 0;
}

static bool rangeimage_decode_same_shape(const struct image_header *a,
					 const struct image_header *b)
{
	return a->sensor == b->sensor && a->parts == b->parts &&
	       a->rings == b->rings && a->columns == b->columns &&
	       a->intensity == b->intensity && a->unit == b->unit &&
	       (!a->sensor || a->step == b->step);
}

INLINE int decode_table(struct coder *c, struct image_model *m,
			struct organised *o)
{
	int elevation = 0, advance = 0;

	for (unsigned int r = 0; r < o->rings; r++) {
		elevation += code_number(c, m->table_above, 8, 0);
		advance += code_number(c, m->table_above, 8, 0);
		if (elevation < INT16_MIN || elevation > INT16_MAX ||
		    advance <= -ADVANCE_MAX * ADVANCE_UNIT ||
		    advance >= ADVANCE_MAX * ADVANCE_UNIT)
			return -EPROTO;
		o->elevation[r] = elevation;
		o->advance[r] = (float)advance / ADVANCE_UNIT;
	}
	return 0;
}

static void store_column(struct rangeimage *r, const struct image_header *h,
			 unsigned int column, const struct image_line *from)
{
	uint16_t *range = r->o.range + column;
	uint8_t *intensity = r->o.intensity + column;
	unsigned int i;

	for (unsigned int ring = 1; ring <= h->rings; ring++) {
		i = from->intensity[ring] * h->intensity;
		*range = from->range[ring];
		*intensity = i < UINT8_MAX ? i : UINT8_MAX;
		range += h->columns;
		intensity += h->columns;
	}
}

INLINE int decode_columns(struct rangeimage *r,
			       const struct image_header *h, struct coder *c)
{
	struct image_heading heading = {
		.azimuth = code_raw(c, 0, 16),
		.step = IMAGE_TURN * h->parts / h->columns,
	};
	struct image_model *m = &r->model;
	unsigned int column, done = 0;

	if (heading.azimuth >= IMAGE_TURN)
		return -EPROTO;
	for (column = h->index; column < h->columns; column += h->parts) {
		struct image_line *now = &m->line[done % 3];

		if (done && image_code_azimuth(c, m, &heading, 0) < 0)
			return -EPROTO;
		if (image_code_column(c, m, h, now, &m->line[(done + 2) % 3],
				      &m->line[(done + 1) % 3]))
			return -EPROTO;
		store_column(r, h, column, now);
		r->o.azimuth[column] = heading.azimuth;
		done++;
	}
	/* an encoder never writes extra bytes */
	return c->d.p == c->d.end ? 0 : -EPROTO;
}

/* The first payload defines the shape */
static void begin_image(struct rangeimage *r, const struct image_header *h)
{
	r->begun = true;
	r->shape = *h;
	r->o.rings = h->rings;
	r->o.columns = h->columns;
	r->o.unit = h->unit;
	memset(r->o.range, 0, sizeof(*r->o.range) * h->rings * h->columns);
	memset(r->o.intensity, 0, (size_t)h->rings * h->columns);
	memset(r->received, 0, h->columns * sizeof(*r->received));
}

static void mark(struct rangeimage *r, const struct image_header *h, bool good)
{
	static const struct image_line nothing;

	for (unsigned int c = h->index; c < h->columns; c += h->parts) {
		r->received[c] = good;
		if (!good)
			store_column(r, h, c, &nothing);
	}
}

int rangeimage_add(struct rangeimage *r, const void *payload, size_t len)
{
	struct image_header h;
	struct coder c;
	struct organised table;
	bool first = !r->begun;
	int err = rangeimage_decode_get_header(r, payload, len, &h);

	if (err)
		return err;
	if (!first && !rangeimage_decode_same_shape(&r->shape, &h))
		return -EINVAL;
	if (!first && r->received[h.index])
		return -EEXIST;
	table.rings = h.rings;
	image_model_init(&r->model);
	c = code_decoder((const uint8_t *)payload + IMAGE_HEADER,
			 len - IMAGE_HEADER);
	err = h.sensor ? image_sensor_table(h.sensor, h.step, &table) :
			 decode_table(&c, &r->model, &table);
	if (err)
		return -EPROTO;
	if (first)
		begin_image(r, &h);
	err = decode_columns(r, &h, &c);
	mark(r, &h, !err);
	if (first && err)
		r->begun = false;
	if (first) {
		memcpy(r->o.elevation, table.elevation,
		       sizeof(table.elevation));
		memcpy(r->o.advance, table.advance, sizeof(table.advance));
	}
	return err;
}

/* Interpolate azimuths of columns a + 1 ... b - 1 from those of a and b */
static void between(struct organised *o, unsigned int a, unsigned int b,
		    int from, int step_sum)
{
	for (unsigned int c = a + 1; c < b; c++)
		o->azimuth[c % o->columns] =
			(from + (int64_t)step_sum * (c - a) / (b - a)) %
			IMAGE_TURN;
}

/*
 * Interpolate the azimuths of missing columns. Those before the first and after
 * the last are between these two, around the circle.
 */
static void fill_azimuths(struct rangeimage *r)
{
	unsigned int n = r->o.columns, first = 0, last, c;
	uint16_t *azimuth = r->o.azimuth;

	while (!r->received[first])
		first++;
	last = first;
	for (c = first + 1; c < n; c++) {
		if (!r->received[c])
			continue;
		between(&r->o, last, c, azimuth[last],
			(azimuth[c] - azimuth[last] + IMAGE_TURN) % IMAGE_TURN);
		last = c;
	}
	c = (azimuth[first] - azimuth[last] + IMAGE_TURN) % IMAGE_TURN;
	between(&r->o, last, n + first, azimuth[last],
		first == last ? IMAGE_TURN : c);
}

void rangeimage_finish(struct rangeimage *r, struct organised *out,
		       const bool **received)
{
	uint64_t stamp = out->stamp;

	if (!r->begun)
		r->o.columns = 0;
	else
		fill_azimuths(r);
	*out = r->o;
	out->stamp = stamp;
	if (received)
		*received = r->received;
}
