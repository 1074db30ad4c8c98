// SPDX-License-Identifier: GPL-2.0-only
/*
 * convert - clouds, maps and grids from and to messages
 */
#include <errno.h>
#include <math.h>
#include <string.h>
#include "base/wire.h"
#include "ros/msg/convert.h"

static bool is_coordinate(const struct message_point_field *f)
{
	return f->name.len == 1 && *f->name.text >= 'x' && *f->name.text <= 'z';
}

static bool has_channel(const struct cloud_layout *l,
			const struct message_string *name)
{
	for (unsigned int i = 0; i < l->channels; i++)
		if (message_string_is(name, l->channel[i].name))
			return true;
	return false;
}

/* x, y and z first, so that they always fit */
static void add_channels(struct cloud_layout *l,
			 const struct message_point_cloud *m, bool coordinates)
{
	for (unsigned int i = 0; i < m->fields; i++) {
		const struct message_point_field *f = &m->field[i];
		struct cloud_channel *c = &l->channel[l->channels];

		if (is_coordinate(f) != coordinates || f->count != 1 ||
		    !f->name.len || f->name.len >= CLOUD_NAME ||
		    memchr(f->name.text, 0, f->name.len) ||
		    !cloud_type_bytes(f->datatype) || has_channel(l, &f->name))
			continue;
		if (l->channels == CLOUD_CHANNELS)
			return;
		memcpy(c->name, f->name.text, f->name.len);
		c->name[f->name.len] = 0;
		c->type = f->datatype;
		c->offset = f->offset;
		l->channels++;
	}
}

/* What filters publish if nothing is left, or was never there */
static bool is_blank(const struct message_point_cloud *m)
{
	return !m->fields && (!m->width || !m->height);
}

static int cloud_read_blank(struct cloud *c)
{
	struct cloud_layout l = { .channels = 3, .step = 3 * sizeof(float) };

	for (unsigned int i = 0; i < l.channels; i++)
		l.channel[i] = (struct cloud_channel){
			.name = { (char)('x' + i) }, .type = CLOUD_FLOAT32,
			.offset = i * sizeof(float),
		};
	return cloud_begin(c, &l) ? -EBADMSG : 0;
}

int message_cloud_read(const struct message_point_cloud *m, struct cloud *c)
{
	struct cloud_layout l = {
		.step = m->point_step, .big_endian = m->is_bigendian,
	};
	uint64_t row = (uint64_t)m->width * m->point_step;
	int err = 0;

	if (is_blank(m))
		return cloud_read_blank(c);
	if (m->height && m->width &&
	    (!m->point_step || (m->height > 1 && m->row_step < row) ||
	     (uint64_t)m->row_step * (m->height - 1) + row > m->data.count))
		return -EBADMSG;
	add_channels(&l, m, true);
	add_channels(&l, m, false);
	if (cloud_begin(c, &l))
		return -EBADMSG;
	for (uint32_t y = 0; y < m->height && m->width && !err; y++)
		err = cloud_read(c, &l, m->data.data + (size_t)m->row_step * y,
				 m->width);
	return err;
}

size_t message_cloud_bytes(const struct cloud *c)
{
	struct cloud_layout l;

	cloud_packed_layout(c, &l);
	return (size_t)l.step * c->count;
}

void message_cloud_write(const struct cloud *c, void *data,
			 struct message_point_cloud *m)
{
	struct cloud_layout l;

	cloud_packed_layout(c, &l);
	cloud_write(c, &l, data);
	m->height = 1;
	m->width = c->count;
	m->fields = l.channels;
	for (unsigned int i = 0; i < l.channels; i++) {
		const char *name = i == 0 ? "x" : i == 1 ? "y" : i == 2 ? "z" :
				   c->field[i - 3].name;

		m->field[i] = (struct message_point_field){
			.name = message_string(name),
			.offset = l.channel[i].offset,
			.datatype = l.channel[i].type, .count = 1,
		};
	}
	m->is_bigendian = 0;
	m->point_step = l.step;
	m->row_step = l.step * c->count;
	m->data = (struct message_bytes){ data, m->row_step };
	m->is_dense = 1;
}

double message_pose_yaw(const struct message_pose *p)
{
	const double *q = p->orientation;

	return atan2(2 * (q[3] * q[2] + q[0] * q[1]),
		     1 - 2 * (q[1] * q[1] + q[2] * q[2]));
}

int message_map_read(const struct message_occupancy_grid *m, struct map *map,
		     size_t max)
{
	size_t cells = (size_t)m->width * m->height;

	if (!m->width || m->width > MAP_SIDE_MAX || !m->height ||
	    m->height > MAP_SIDE_MAX || cells != m->data.count)
		return -EBADMSG;
	if (cells > max)
		return -ENOSPC;
	map->width = m->width;
	map->height = m->height;
	map->resolution = m->resolution;
	map->x = m->origin.position[0];
	map->y = m->origin.position[1];
	map->yaw = message_pose_yaw(&m->origin);
	for (size_t i = 0; i < cells; i++) {
		int8_t v = m->data.data[i];

		map->cells[i] = v < 0 ? MAP_UNKNOWN :
				v > MAP_OCCUPIED ? MAP_OCCUPIED : v;
	}
	return 0;
}

void message_map_write(const struct map *map, struct message_occupancy_grid *m)
{
	m->resolution = map->resolution;
	m->width = map->width;
	m->height = map->height;
	m->origin = (struct message_pose){
		.position = { map->x, map->y, 0 },
		.orientation = { 0, 0, sin(map->yaw / 2), cos(map->yaw / 2) },
	};
	m->data = (struct message_bytes){
		(const uint8_t *)map->cells, map->width * map->height,
	};
}

int message_grid_shape(const struct message_grid_map *m, unsigned int *rows,
		       unsigned int *columns)
{
	if (!m->arrays || m->arrays != m->layers)
		return -EBADMSG;
	for (unsigned int i = 0; i < m->arrays; i++) {
		const struct message_array *a = &m->data[i];

		/* the outer dimension is first, as in grid_map's labels */
		if (a->dims != 2 ||
		    !message_string_is(&a->dim[0].label, "column_index") ||
		    !a->dim[0].size || !a->dim[1].size || a->data_offset ||
		    a->dim[0].size != m->data[0].dim[0].size ||
		    a->dim[1].size != m->data[0].dim[1].size ||
		    (uint64_t)a->dim[0].size * a->dim[1].size != a->data.count)
			return -EBADMSG;
	}
	*columns = m->data[0].dim[0].size;
	*rows = m->data[0].dim[1].size;
	if (m->outer_start_index >= *rows || m->inner_start_index >= *columns)
		return -EBADMSG;
	return 0;
}

bool message_grid_is_basic(const struct message_grid_map *m,
			   unsigned int layer)
{
	const struct message_string *name = &m->layer[layer];

	for (unsigned int i = 0; i < m->basic_layers; i++)
		if (m->basic_layer[i].len == name->len &&
		    !memcmp(m->basic_layer[i].text, name->text, name->len))
			return true;
	return false;
}

void message_grid_read(const struct message_grid_map *m, unsigned int layer,
		       float *cells)
{
	const struct message_array *a = &m->data[layer];
	unsigned int columns = a->dim[0].size, rows = a->dim[1].size;

	for (unsigned int c = 0; c < columns; c++) {
		unsigned int from = (c + m->inner_start_index) % columns;
		size_t column = (size_t)from * rows;

		for (unsigned int r = 0; r < rows; r++)
			cells[(size_t)r * columns + c] = message_float(&a->data,
				column + (r + m->outer_start_index) % rows);
	}
}

void message_grid_raster(const struct message_grid_map *m, unsigned int layer,
			 float *cells)
{
	const struct message_array *a = &m->data[layer];
	unsigned int columns = a->dim[0].size, rows = a->dim[1].size;

	for (unsigned int c = 0; c < columns; c++) {
		unsigned int from = (c + m->inner_start_index) % columns;
		float *line = cells + (size_t)(columns - 1 - c) * rows;

		for (unsigned int r = 0; r < rows; r++)
			line[rows - 1 - r] = message_float(&a->data,
				(size_t)from * rows +
				(r + m->outer_start_index) % rows);
	}
}

void message_grid_corner(const struct message_grid_map *m, struct pose *corner)
{
	const double yaw = message_pose_yaw(&m->pose);
	const double dx = m->data[0].dim[1].size * m->resolution / 2;
	const double dy = m->data[0].dim[0].size * m->resolution / 2;

	corner->x = m->pose.position[0] - cos(yaw) * dx + sin(yaw) * dy;
	corner->y = m->pose.position[1] - sin(yaw) * dx - cos(yaw) * dy;
	corner->yaw = yaw;
}

void message_grid_write(struct message_grid_map *m, unsigned int layer,
			unsigned int rows, unsigned int columns,
			const float *cells, void *data)
{
	struct message_array *a = &m->data[layer];
	uint32_t n = rows * columns;
	uint8_t *out = data;

	for (unsigned int c = 0; c < columns; c++)
		for (unsigned int r = 0; r < rows; r++, out += 4)
			put_lef32(out, cells[(size_t)r * columns + c]);
	*a = (struct message_array){
		.dims = 2,
		.dim = { { message_string("column_index"), columns, n },
			 { message_string("row_index"), rows, rows } },
		.data = { data, n, false },
	};
	m->outer_start_index = 0;
	m->inner_start_index = 0;
}
