// SPDX-License-Identifier: GPL-2.0-only
/*
 * rangeimage - encoder of revolutions, and its known sensors
 */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include "base/wire.h"
#include "codec/cloud/rangeimage_format.h"

/* lowest first, 1/100 degree; lasers in the order in which they fire */
#define VLP16_RINGS	16
#define VLP16_LASER	(2.304f / 55.296f)	/* part of a firing cycle */

static int vlp16_laser(unsigned int ring)
{
	return ring < 8 ? 2 * ring : 2 * (ring - 8) + 1;
}

int image_sensor_table(unsigned int sensor, float step, struct organised *o)
{
	if (!sensor || sensor >= IMAGE_SENSORS || o->rings != VLP16_RINGS)
		return -EINVAL;
	for (unsigned int r = 0; r < VLP16_RINGS; r++) {
		int e = 200 * (int)r - 1500;

		/* Puck Hi-Res: steps of 4/3 instead of 2 degrees */
		if (sensor == 2)
			e = (2 * e + (e > 0 ? 1 : -1)) / 3;
		o->elevation[r] = e;
		o->advance[r] = step * VLP16_LASER * vlp16_laser(r);
	}
	return 0;
}

/* Return: the number of the sensor that has these tables, or 0 */
static unsigned int find_sensor(const struct organised *o, float *step)
{
	struct organised t = { .rings = o->rings };
	unsigned int sensor, r;

	if (o->rings != VLP16_RINGS)
		return 0;
	/* the last laser to fire is that of the highest ring */
	*step = o->advance[VLP16_RINGS - 1] / (VLP16_LASER * 15);
	for (sensor = 1; sensor < IMAGE_SENSORS; sensor++) {
		image_sensor_table(sensor, *step, &t);
		for (r = 0; r < t.rings; r++)
			if (t.elevation[r] != o->elevation[r] ||
			    !(fabsf(t.advance[r] - o->advance[r]) <
			      0.5f / ADVANCE_UNIT))
				break;
		if (r == t.rings)
			return sensor;
	}
	return 0;
}

static void rangeimage_put_header(const struct image_header *h, uint8_t *p)
{
	p[0] = IMAGE_VERSION << 4 | h->sensor;
	p[1] = h->intensity;
	put_le16(p + 2, h->index);
	put_le16(p + 4, h->parts);
	put_le16(p + 6, h->columns);
	put_lef32(p + 8, h->unit);
	p[12] = h->rings;
	put_lef32(p + 13, h->step);
}

INLINE void encode_table(struct coder *c, struct image_model *m,
			 const struct organised *o)
{
	int elevation = 0, advance = 0;

	for (unsigned int r = 0; r < o->rings; r++) {
		int a = lrintf(o->advance[r] * ADVANCE_UNIT);

		code_number(c, m->table_above, 8,
			    o->elevation[r] - elevation);
		code_number(c, m->table_above, 8, a - advance);
		elevation = o->elevation[r];
		advance = a;
	}
}

static void load_column(const struct organised *o,
			const struct rangeimage_params *p, unsigned int column,
			struct image_line *to)
{
	const uint16_t *range = o->range + column;
	const uint8_t *intensity = o->intensity + column;
	unsigned int half = p->multiple / 2, q;

	for (unsigned int r = 1; r <= o->rings; r++) {
		q = p->multiple > 1 ? (*range + half) / p->multiple : *range;
		to->range[r] = q || !*range ? q : 1;
		range += o->columns;
		if (p->intensity) {
			to->intensity[r] = (*intensity + p->intensity / 2) /
					   p->intensity;
			intensity += o->columns;
		}
	}
}

/* Return: bytes, or, if they do not fit, -1 - columns that fit */
static int rangeimage_encode_part(const struct organised *o,
				  const struct rangeimage_params *p,
				  const struct image_header *h, uint8_t *to,
				  size_t size)
{
	struct coder c = code_encoder(to + IMAGE_HEADER, size - IMAGE_HEADER);
	struct image_heading heading;
	struct image_model m;
	unsigned int column, done = 0;
	int len;

	rangeimage_put_header(h, to);
	image_model_init(&m);
	if (!h->sensor)
		encode_table(&c, &m, o);
	heading.azimuth = o->azimuth[h->index];
	heading.step = IMAGE_TURN * h->parts / h->columns;
	code_raw(&c, heading.azimuth, 16);
	for (column = h->index; column < h->columns; column += h->parts) {
		struct image_line *now = &m.line[done % 3];

		load_column(o, p, column, now);
		if (done)
			image_code_azimuth(&c, &m, &heading,
					   o->azimuth[column]);
		image_code_column(&c, &m, h, now, &m.line[(done + 2) % 3],
				  &m.line[(done + 1) % 3]);
		if (c.e.overflow)
			break;
		done++;
	}
	len = code_finish(&c);
	return len < 0 ? -1 - (int)done : IMAGE_HEADER + len;
}

static int rangeimage_check(const struct organised *o,
			    const struct rangeimage_params *p)
{
	unsigned int most = 0;

	if (!o->rings || o->rings > ORGANISED_RINGS || !o->columns ||
	    o->columns > ORGANISED_COLUMNS || !(o->unit > 0) ||
	    !isfinite(o->unit * p->multiple) || !p->multiple ||
	    p->multiple > UINT16_MAX || p->intensity > UINT8_MAX ||
	    (p->intensity && !o->intensity))
		return -EINVAL;
	for (unsigned int c = 0; c < o->columns; c++)
		most = most > o->azimuth[c] ? most : o->azimuth[c];
	if (most >= IMAGE_TURN)
		return -EINVAL;
	for (unsigned int r = 0; r < o->rings; r++)
		if (!(fabsf(o->advance[r]) < ADVANCE_MAX))
			return -EINVAL;
	return 0;
}

int rangeimage_encode(const struct organised *o,
		      const struct rangeimage_params *params,
		      struct payloads *out)
{
	struct image_header h = {
		.rings = o->rings,
		.columns = o->columns,
		.intensity = params->intensity,
		.unit = o->unit * params->multiple,
		.parts = params->parts ? params->parts : RANGEIMAGE_PARTS,
	};
	unsigned int columns;
	int len;

	out->count = 0;
	if (rangeimage_check(o, params))
		return -EINVAL;
	if (out->size <= IMAGE_HEADER)
		return -EMSGSIZE;
	h.sensor = find_sensor(o, &h.step);
again:
	if (h.parts > h.columns)
		h.parts = h.columns;
	if (h.parts > out->max)
		return -ENOSPC;
	for (h.index = 0; h.index < h.parts; h.index++) {
		len = rangeimage_encode_part(
			o, params, &h, payload_at(out, h.index), out->size);
		if (len < 0) {
			/* increase by what did not fit, at least one */
			columns = (h.columns + h.parts - 1) / h.parts;
			if (columns < 2)
				return -EMSGSIZE;
			len = -1 - len;
			h.parts = len ? h.parts * columns / len + 1 : h.columns;
			goto again;
		}
		out->len[h.index] = len;
	}
	assert(h.parts && h.parts <= out->max);
	out->count = h.parts;
	return 0;
}
