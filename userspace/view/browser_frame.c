// SPDX-License-Identifier: GPL-2.0-only
/*
 * browser_frame - pictures, clouds, maps and scans as the page draws them
 */
#include <assert.h>
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include "base/wire.h"
#include "ros/msg/compressed.h"
#include "ros/msg/convert.h"
#include "view/browser_frame.h"

enum { PICTURE_HEAD = 8, SCAN_HEAD = 24, CLOUD_HEAD = 28, MAP_HEAD = 64,
       MAP_LAYER = 32 };

unsigned int browser_frame_type(enum message_kind kind)
{
	switch (kind) {
	case MESSAGE_IMAGE:
	case MESSAGE_COMPRESSED_IMAGE:
		return FRAME_PICTURE;
	case MESSAGE_LASER_SCAN:
		return FRAME_SCAN;
	case MESSAGE_POINT_CLOUD:
		return FRAME_CLOUD;
	case MESSAGE_OCCUPANCY_GRID:
	case MESSAGE_GRID_MAP:
		return FRAME_MAP;
	default:
		return 0;
	}
}

void browser_frame_head(uint8_t head[FRAME_HEAD], const struct view_message *m,
			unsigned int flags)
{
	memset(head, 0, FRAME_HEAD);
	head[0] = browser_frame_type(m->kind);
	head[1] = flags;
	put_le32(head + 4, m->topic);
	put_lef64(head + 8, m->t / 1e6);
	put_lef64(head + 16, m->arrival / 1e6);
}

static struct view_message *frame_create(const struct view_message *m,
					 size_t len)
{
	struct view_message *out = view_message_create(len);

	if (!out)
		return NULL;
	out->topic = m->topic;
	out->kind = m->kind;
	out->format = m->format;
	out->kept = m->kept;
	out->seq = m->seq;
	out->t = m->t;
	out->arrival = m->arrival;
	return out;
}

/*
 * Ranges of values
 */

enum { SAMPLE = 4096 };		/* values that a range is of */

static int compare_floats(const void *a, const void *b)
{
	const float x = *(const float *)a, y = *(const float *)b;

	return (x > y) - (x < y);
}

/* 1 and 99 % of @n values, which it sorts */
static void percentiles(float *values, size_t n, float range[2])
{
	qsort(values, n, sizeof(*values), compare_floats);
	range[0] = n ? values[n / 100] : 0;
	range[1] = n ? values[n - 1 - n / 100] : 0;
}

/*
 * Pictures
 */

/* 1 and 99 % of the values that are not 0: what is not known in depths */
static void value_range(const struct image *i, uint16_t *low, uint16_t *high)
{
	const size_t pixels = (size_t)i->width * i->height;
	const size_t step = pixels / SAMPLE + 1;
	float sample[SAMPLE], range[2];
	size_t n = 0;

	for (size_t p = 0; p < pixels && n < SAMPLE; p += step) {
		const uint16_t *row = (void *)image_row(i, p / i->width);
		const uint16_t v = row[p % i->width * i->channels];

		if (v)
			sample[n++] = v;
	}
	assert(n <= SAMPLE);
	percentiles(sample, n, range);
	*low = range[0];
	*high = range[1];
}

/* To 8 bits, without alpha, and every @f th pixel; in place */
static void reduce_image(struct image *i, unsigned int f)
{
	const unsigned int from = i->channels, to = from > 2 ? 3 : 1;
	uint16_t low = 0, high = 65535;
	uint8_t *out = i->data;

	if (i->depth == 16 && to == 1)
		value_range(i, &low, &high);
	for (unsigned int y = 0; y < i->height / f; y++)
		for (unsigned int x = 0; x < i->width / f; x++) {
			const size_t at = (size_t)x * f * from;
			const uint8_t *row = image_row(i, y * f);

			for (unsigned int c = 0; c < to; c++) {
				int v = row[at + c];

				if (i->depth == 16) {
					v = ((const uint16_t *)row)[at + c];
					v = v < low ? 0 : v > high ? 255 :
					    (v - low) * 255 /
					    (high - low ? high - low : 1);
				}
				*out++ = v;
			}
		}
	i->width /= f;
	i->height /= f;
	i->channels = to;
	i->depth = 8;
	i->stride = (size_t)i->width * to;
}

static int write_picture(const struct view_message *m, struct image *i,
			 struct view_message **out)
{
	static const struct message_string jpeg = { "jpeg", 4 };
	const unsigned int width = i->width, height = i->height;
	struct compressed_buffer buffer = { 0 };
	struct message_compressed_image file;
	unsigned int f = 1;
	int err;

	while (width / f > FRAME_SIDE)
		f++;
	if (height < f)
		return -EBADMSG;
	if (f > 1 || i->depth == 16 || i->channels == 2 || i->channels == 4)
		reduce_image(i, f);
	err = compressed_write(i, &jpeg, FRAME_QUALITY, &buffer, &file);
	if (!err) {
		*out = frame_create(m, PICTURE_HEAD + file.data.count);
		err = *out ? 0 : -ENOMEM;
	}
	if (!err) {
		memset((*out)->data, 0, PICTURE_HEAD);
		put_le16((*out)->data, width);
		put_le16((*out)->data + 2, height);
		memcpy((*out)->data + PICTURE_HEAD, file.data.data,
		       file.data.count);
	}
	free(buffer.data);
	return err;
}

static int raw_picture(const struct view_message *m,
		       const struct message_image *raw,
		       struct view_message **out)
{
	struct image i;
	int err = message_image_shape(raw, &i);

	if (err < 0)
		return err;
	i.data = malloc(i.height * i.stride);
	if (!i.data)
		return -ENOMEM;
	message_image_read(raw, &i);
	err = write_picture(m, &i, out);
	free(i.data);
	return err;
}

/* A browser shows JPEG and PNG of 8 bits as they are */
static int compressed_picture(const struct view_message *m,
			      const struct message_compressed_image *c,
			      struct view_message **out)
{
	struct image i;
	int err = compressed_shape(c, &i);

	if (err)
		return err;
	if (i.depth == 8 && i.width <= FRAME_SIDE &&
	    !compressed_is_depth(&c->format)) {
		*out = frame_create(m, PICTURE_HEAD + c->data.count);
		if (!*out)
			return -ENOMEM;
		memset((*out)->data, 0, PICTURE_HEAD);
		put_le16((*out)->data, i.width);
		put_le16((*out)->data + 2, i.height);
		memcpy((*out)->data + PICTURE_HEAD, c->data.data,
		       c->data.count);
		return 0;
	}
	i.data = malloc(i.height * i.stride);
	if (!i.data)
		return -ENOMEM;
	err = compressed_read(c, &i);
	if (!err)
		err = write_picture(m, &i, out);
	free(i.data);
	return err;
}

/*
 * Scans
 */

static int scan_frame(const struct view_message *m,
		      const struct message_laser_scan *s, const struct pose *at,
		      struct view_message **out)
{
	const uint32_t n = s->ranges.count;
	uint8_t *d;

	*out = frame_create(m, SCAN_HEAD + 4 * (size_t)n);
	if (!*out)
		return -ENOMEM;
	d = (*out)->data;
	put_lef32(d, at ? at->x : NAN);
	put_lef32(d + 4, at ? at->y : NAN);
	put_lef32(d + 8, at ? at->yaw : NAN);
	put_lef32(d + 12, s->angle_min);
	put_lef32(d + 16, s->angle_increment);
	put_le32(d + 20, n);
	for (uint32_t i = 0; i < n; i++) {
		float r = message_float(&s->ranges, i);

		/* this form rejects NAN, too */
		if (!(r >= s->range_min && r <= s->range_max))
			r = NAN;
		put_lef32(d + SCAN_HEAD + 4 * (size_t)i, r);
	}
	return 0;
}

/*
 * Clouds
 */

static void axis_range(const float *v, unsigned int n, float *min, float *step)
{
	float low = INFINITY, high = -INFINITY;

	for (unsigned int i = 0; i < n; i++) {
		low = v[i] < low ? v[i] : low;
		high = v[i] > high ? v[i] : high;
	}
	*min = n ? low : 0;
	/* of floats, the difference may overflow, and the quotient underflow */
	*step = n && high > low ?
		fmax(((double)high - low) / 65535, FLT_MIN) : 1e-3;
}

static void put_axis(uint8_t *to, const float *v, unsigned int n,
		     unsigned int every, float min, float step)
{
	for (unsigned int i = 0; i < n; i++) {
		double q = ((double)v[i * every] - min) / step + 0.5;

		put_le16(to + 6 * (size_t)i, q > 65535 ? 65535 : (uint16_t)q);
	}
}

static void put_intensity(uint8_t *to, const struct cloud *c, unsigned int n,
			  unsigned int every)
{
	const int f = cloud_find(c, "intensity");
	double top = 0;

	for (unsigned int i = 0; f >= 0 && i < n; i++)
		top = fmax(top, cloud_get(&c->field[f], i * every));
	for (unsigned int i = 0; i < n; i++) {
		double v = f >= 0 && top > 0 ?
			   cloud_get(&c->field[f], i * every) / top * 255 : 255;

		to[i] = v > 0 ? v : 0;
	}
}

static int cloud_body(const struct view_message *m, const struct cloud *c,
		      struct view_message **out)
{
	const unsigned int every = c->count / FRAME_POINTS + 1;
	const unsigned int n = c->count / every;
	const float *axis[3] = { c->x, c->y, c->z };
	float min[3], step[3];
	uint8_t *d;

	*out = frame_create(m, CLOUD_HEAD + 7 * (size_t)n);
	if (!*out)
		return -ENOMEM;
	d = (*out)->data;
	put_le32(d, n);
	for (unsigned int a = 0; a < 3; a++) {
		axis_range(axis[a], c->count, &min[a], &step[a]);
		put_lef32(d + 4 + 4 * a, min[a]);
		put_lef32(d + 16 + 4 * a, step[a]);
		put_axis(d + CLOUD_HEAD + 2 * a, axis[a], n, every, min[a],
			 step[a]);
	}
	put_intensity(d + CLOUD_HEAD + 6 * (size_t)n, c, n, every);
	return 0;
}

static int cloud_frame(const struct view_message *m,
		       const struct message_point_cloud *p,
		       struct view_message **out)
{
	const uint64_t points = (uint64_t)p->width * p->height;
	struct cloud *c;
	int err;

	if (points > m->len)
		return -EBADMSG;
	c = cloud_create(points ? points : 1);
	if (!c)
		return -ENOMEM;
	err = message_cloud_read(p, c);
	if (!err)
		err = cloud_body(m, c, out);
	cloud_destroy(c);
	return err;
}

/*
 * Maps
 */

/* @scale: what 0 and 100 stand for; @layer: of a grid map */
static int map_body(const struct view_message *m, const struct map *map,
		    const float scale[2], const struct message_string *layer,
		    struct view_message **out)
{
	const size_t cells = (size_t)map->width * map->height;
	uLongf len = compressBound(cells);
	uint8_t *d;

	*out = frame_create(m, MAP_HEAD + len);
	if (!*out)
		return -ENOMEM;
	d = (*out)->data;
	put_le32(d, map->width);
	put_le32(d + 4, map->height);
	put_lef32(d + 8, map->resolution);
	put_lef32(d + 12, map->x);
	put_lef32(d + 16, map->y);
	put_lef32(d + 20, map->yaw);
	put_lef32(d + 24, scale[0]);
	put_lef32(d + 28, scale[1]);
	memset(d + MAP_HEAD - MAP_LAYER, 0, MAP_LAYER);
	memcpy(d + MAP_HEAD - MAP_LAYER, layer->text, layer->len < MAP_LAYER ?
	       layer->len : MAP_LAYER);
	if (compress2(d + MAP_HEAD, &len, (const Bytef *)map->cells, cells,
		      1) != Z_OK) {
		view_message_put(*out);
		*out = NULL;
		return -ENOMEM;
	}
	assert(MAP_HEAD + len <= (*out)->len);
	(*out)->len = MAP_HEAD + len;
	return 0;
}

static int map_frame(const struct view_message *m,
		     const struct message_occupancy_grid *g,
		     struct view_message **out)
{
	static const struct message_string none = { "", 0 };
	static const float percent[2] = { 0, 100 };
	struct map map = { .cells = malloc(g->data.count + 1) };
	int err;

	if (!map.cells)
		return -ENOMEM;
	err = message_map_read(g, &map, g->data.count);
	if (!err)
		err = map_body(m, &map, percent, &none, out);
	free(map.cells);
	return err;
}

/* The layer that a grid map is about */
static unsigned int grid_layer(const struct message_grid_map *g)
{
	for (unsigned int i = 0; i < g->layers; i++)
		if (message_grid_is_basic(g, i))
			return i;
	return 0;
}

/* 1 and 99 % of the known values */
static void float_range(const float *v, size_t n, float scale[2])
{
	const size_t step = n / SAMPLE + 1;
	float sample[SAMPLE];
	size_t known = 0;

	for (size_t i = 0; i < n && known < SAMPLE; i += step)
		if (isfinite(v[i]))
			sample[known++] = v[i];
	assert(known <= SAMPLE);
	percentiles(sample, known, scale);
}

static int8_t grid_cell(float v, const float scale[2])
{
	/* of two floats, the difference may overflow */
	const double range = (double)scale[1] - scale[0];

	if (!isfinite(v))
		return -1;
	if (v <= scale[0])
		return 0;
	if (v >= scale[1])
		return 100;
	return ((double)v - scale[0]) / range * 100 + .5;
}

static int grid_frame(const struct view_message *m,
		      const struct message_grid_map *g,
		      struct view_message **out)
{
	const unsigned int layer = grid_layer(g);
	unsigned int rows, columns;
	float scale[2], *values;
	struct pose corner;
	struct map map;
	size_t cells;
	int err = message_grid_shape(g, &rows, &columns);

	if (err)
		return err;
	if (rows > MAP_SIDE_MAX || columns > MAP_SIDE_MAX ||
	    !(g->resolution > 0))
		return -EBADMSG;
	message_grid_corner(g, &corner);
	cells = (size_t)rows * columns;
	values = malloc(cells * sizeof(*values));
	map = (struct map){
		.width = rows, .height = columns, .resolution = g->resolution,
		.x = corner.x, .y = corner.y, .yaw = corner.yaw,
		.cells = malloc(cells),
	};
	err = values && map.cells ? 0 : -ENOMEM;
	if (!err) {
		message_grid_raster(g, layer, values);
		float_range(values, cells, scale);
		for (size_t i = 0; i < cells; i++)
			map.cells[i] = grid_cell(values[i], scale);
		err = map_body(m, &map, scale, &g->layer[layer], out);
	}
	free(values);
	free(map.cells);
	return err;
}

int browser_frame_body(const struct view_message *m, const struct pose *at,
		       struct view_message **out)
{
	union message *msg = malloc(sizeof(*msg));
	int err = -EOPNOTSUPP;

	*out = NULL;
	if (!msg)
		return -ENOMEM;
	if (message_read(m->kind, m->format, m->data, m->len, msg))
		err = -EBADMSG;
	else if (m->kind == MESSAGE_IMAGE)
		err = raw_picture(m, &msg->image, out);
	else if (m->kind == MESSAGE_COMPRESSED_IMAGE)
		err = compressed_picture(m, &msg->compressed, out);
	else if (m->kind == MESSAGE_LASER_SCAN)
		err = scan_frame(m, &msg->scan, at, out);
	else if (m->kind == MESSAGE_POINT_CLOUD)
		err = cloud_frame(m, &msg->cloud, out);
	else if (m->kind == MESSAGE_OCCUPANCY_GRID)
		err = map_frame(m, &msg->map, out);
	else if (m->kind == MESSAGE_GRID_MAP)
		err = grid_frame(m, &msg->grid, out);
	free(msg);
	return err;
}

void browser_frame_fault(const struct view_message *m, int err, char *text,
			 size_t size)
{
	union message *msg = malloc(sizeof(*msg));

	*text = '\0';
	if (msg && !message_read(m->kind, m->format, m->data, m->len, msg)) {
		if (m->kind == MESSAGE_IMAGE)
			message_image_fault(&msg->image, text, size);
		else if (m->kind == MESSAGE_COMPRESSED_IMAGE)
			compressed_fault(&msg->compressed, err, text, size);
	}
	if (!*text)
		snprintf(text, size, "%s", err == -EBADMSG ? "damaged message" :
					   strerror(-err));
	free(msg);
}
