/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * odd_message.h - messages for gdimd, right but for what a fuzzer's bytes make
 * of them; serialized, and read again as if they had come from somewhere
 */
#ifndef FUZZ_ODD_MESSAGE_H
#define FUZZ_ODD_MESSAGE_H

#include <stdbool.h>
#include <stdlib.h>
#include "odd.h"
#include "ros/msg/message.h"

enum { ODD_CELLS = 1 << 12, ODD_LIST = 70, ODD_TEXT = 512, ODD_TEXTS = 160 };

/* What a message points to */
struct odd_room {
	uint8_t				cells[ODD_CELLS];
	float				floats[ODD_CELLS];
	char				text[ODD_TEXTS][ODD_TEXT];
	unsigned int			texts;
	struct message_transform	transform[ODD_LIST];
	struct message_point32		point[ODD_LIST];
	uint8_t				*data;
	size_t				size;
};

static struct odd_room odd_room;

static struct message_string odd_string(struct odd *o,
					const char *const *usual,
					unsigned int n)
{
	struct odd_room *r = &odd_room;
	struct message_string s;

	s.text = odd_text(o, usual, n, r->text[r->texts++ % ODD_TEXTS],
			  ODD_TEXT, &s.len);
	return s;
}

static struct message_string odd_frame(struct odd *o, bool map)
{
	static const char *const frames[] = {
		"submap_1", "submap_2", "submap_3", "/submap_1", "submap_2",
		"submap_3", "map", "/map", "", "/", "odom", "a\nb",
	};
	static const char *const maps[] = { "map", "/map", "map", "odom" };

	return map ? odd_string(o, maps, sizeof(maps) / sizeof(*maps)) :
		     odd_string(o, frames, sizeof(frames) / sizeof(*frames));
}

static struct message_header odd_header(struct odd *o, bool map)
{
	const int64_t stamp = odd_whole(o, 1700000000000000000 +
					odd_byte(o));

	return (struct message_header){ stamp, 0, odd_frame(o, map) };
}

static void odd_rotation(struct odd *o, double q[4])
{
	const double half = ((int8_t)odd_byte(o)) / 80.0;

	q[0] = odd_double(o, 0);
	q[1] = odd_double(o, 0);
	q[2] = odd_double(o, sin(half));
	q[3] = odd_double(o, cos(half));
}

static struct message_pose odd_pose(struct odd *o)
{
	struct message_pose p;

	for (int i = 0; i < 3; i++)
		p.position[i] = odd_double(o, i);
	odd_rotation(o, p.orientation);
	return p;
}

static void odd_grid(struct odd *o, struct message_occupancy_grid *m)
{
	const unsigned int w = odd_byte(o) % 40 + 1, h = odd_byte(o) % 40 + 1;
	const int64_t n = odd_whole(o, w * h);

	*m = (struct message_occupancy_grid){
		.header = odd_header(o, odd_byte(o) & 1),
		.resolution = odd_double(o, 0.05),
		.width = odd_whole(o, w), .height = odd_whole(o, h),
		.origin = odd_pose(o),
		.data = { odd_room.cells, n < 0 || n > ODD_CELLS ? 0 : n },
	};
	for (unsigned int i = 0; i < ODD_CELLS; i++)
		odd_room.cells[i] = i % 102 - 1;
	if (odd_byte(o) > 200)
		odd_room.cells[odd_byte(o)] = odd_byte(o);
}

static void odd_array(struct odd *o, unsigned int rows, unsigned int columns,
		      struct message_array *a)
{
	static const char *const labels[] = { "column_index", "row_index" };
	const int64_t n = odd_whole(o, rows * columns);

	*a = (struct message_array){
		.dims = odd_byte(o) < 250 ? 2 : odd_byte(o) % MESSAGE_DIMS,
		.data_offset = odd_whole(o, 0),
		.data = { (const void *)odd_room.floats,
			  n < 0 || n > ODD_CELLS ? 0 : n, false },
	};
	a->dim[0] = (struct message_dim){
		odd_byte(o) < 250 ? message_string(labels[0]) :
				    odd_string(o, labels, 2),
		odd_whole(o, columns), odd_whole(o, rows * columns) };
	a->dim[1] = (struct message_dim){
		odd_byte(o) < 250 ? message_string(labels[1]) :
				    odd_string(o, labels, 2),
		odd_whole(o, rows), odd_whole(o, rows) };
}

static void odd_layers(struct odd *o, struct message_grid_map *m)
{
	static const char *const names[] = { "value", "a", "b", "c", "a b",
					     "" };
	const unsigned int rows = odd_byte(o) % 40 + 1;
	const unsigned int columns = odd_byte(o) % 40 + 1;
	const unsigned int n = odd_byte(o) % 6 + 1;

	*m = (struct message_grid_map){
		.header = odd_header(o, false),
		.resolution = odd_double(o, 0.05),
		.length_x = odd_double(o, rows * 0.05),
		.length_y = odd_double(o, columns * 0.05),
		.pose = odd_pose(o), .layers = n,
		.arrays = odd_byte(o) < 250 ? n : odd_byte(o) % 8,
		.outer_start_index = odd_whole(o, 0),
		.inner_start_index = odd_whole(o, 0),
	};
	for (unsigned int i = 0; i < ODD_CELLS; i++)
		odd_room.floats[i] = i % 90 / 80.0f;
	for (unsigned int i = odd_byte(o) % 32; i--; )
		odd_room.floats[odd_byte(o)] = odd_double(o, NAN);
	/* each another one, usually */
	for (unsigned int i = 0; i < m->layers; i++)
		m->layer[i] = odd_byte(o) < 200 && i < 4 ?
			      message_string(names[i]) :
			      odd_string(o, names, 6);
	for (unsigned int i = 0; i < m->arrays; i++)
		odd_array(o, rows, columns, &m->data[i]);
}

static void odd_transforms(struct odd *o, struct message_transforms *m)
{
	const unsigned int n = odd_byte(o) % 8;

	for (unsigned int i = 0; i < n; i++) {
		struct message_transform *t = &odd_room.transform[i];

		t->header = odd_header(o, !i);
		t->child_frame_id = odd_frame(o, false);
		for (int k = 0; k < 3; k++)
			t->translation[k] = odd_double(o, k);
		odd_rotation(o, t->rotation);
	}
	m->transforms = message_list(odd_room.transform, n);
}

static struct message_list odd_points(struct odd *o)
{
	const uint8_t b = odd_byte(o);
	const unsigned int n = b < 240 ? b % 6 : b % ODD_LIST;

	for (unsigned int i = 0; i < n; i++)
		odd_room.point[i] = (struct message_point32){
			odd_double(o, i % 5), odd_double(o, i / 5 % 4),
			odd_double(o, 0) };
	return message_list(odd_room.point, n);
}

static void odd_make_room(struct odd *o, struct message_room *m)
{
	static const char *const names[] = { "kitchen", "", "a\tb", "Küche" };
	const int64_t gases = odd_whole(o, 2);

	*m = (struct message_room){
		.header = odd_header(o, true), .id = odd_byte(o),
		.name = odd_string(o, names, 4),
		.location = { odd_double(o, 1), odd_double(o, 2),
			      odd_double(o, 0) },
		.size = odd_double(o, 12), .outline = odd_points(o),
		.averages_valid = odd_byte(o) & 1,
		.avg_temperature = odd_double(o, 20),
		.avg_gases = { (const void *)odd_room.floats,
			       gases < 0 || gases > 100 ? 0 : gases, false },
		.avg_smoke = odd_whole(o, 5), .avg_signal = odd_whole(o, -1),
		.max_hazard = odd_whole(o, 7),
	};
	for (unsigned int i = 0; i < 8; i++)
		odd_room.floats[i] = odd_double(o, 0.5);
}

/**
 * odd_message() - one of them
 * @kind: gets what it is: a map of either kind, transforms, a polygon or a room
 *
 * Return: as message_read(), of the bytes that it has been; until the next call
 */
__attribute__((unused))
static int odd_message(struct odd *o, enum message_kind *kind,
		       union message *msg)
{
	static const enum message_kind kinds[] = {
		MESSAGE_OCCUPANCY_GRID, MESSAGE_GRID_MAP, MESSAGE_TRANSFORMS,
		MESSAGE_POLYGON, MESSAGE_ROOM,
	};
	static union message m;
	struct odd_room *r = &odd_room;
	long n;

	*kind = kinds[odd_byte(o) % 5];
	r->texts = 0;
	if (*kind == MESSAGE_OCCUPANCY_GRID)
		odd_grid(o, &m.map);
	else if (*kind == MESSAGE_GRID_MAP)
		odd_layers(o, &m.grid);
	else if (*kind == MESSAGE_TRANSFORMS)
		odd_transforms(o, &m.tf);
	else if (*kind == MESSAGE_ROOM)
		odd_make_room(o, &m.room);
	else
		m.polygon = (struct message_polygon){ odd_header(o, true),
						      odd_points(o) };
	n = message_size(*kind, MESSAGE_CDR, &m);
	if (n < 0)
		return n;
	if (r->size < (size_t)n) {
		free(r->data);
		r->data = malloc(n);
		r->size = n;
	}
	if (message_write(*kind, MESSAGE_CDR, &m, r->data, n) != n)
		abort();
	return message_read(*kind, MESSAGE_CDR, r->data, n, msg);
}

#endif
