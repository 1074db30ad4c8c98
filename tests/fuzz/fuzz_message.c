// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_message - hostile messages, and their conversions
 *
 * Input: a byte that selects kind and format, and the message. A valid message
 * is written again and must then be read as the same.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "ros/msg/convert.h"

enum { POINTS = 4096, CELLS = 65536 };

static void convert_numbers(const struct message_image *m, int encoding)
{
	const size_t n = (size_t)m->width * m->height;
	double *v = malloc(n * sizeof(*v)), *back = malloc(n * sizeof(*v));
	uint8_t *packed = malloc(n * message_encoding_pixel(encoding));
	struct message_image out;

	message_image_numbers(m, v);
	if (message_image_write_numbers(v, m->width, m->height, encoding,
					packed, &out))
		abort();
	message_image_numbers(&out, back);
	for (size_t i = 0; i < n; i++)
		if (v[i] != back[i] && !(isnan(v[i]) && isnan(back[i])))
			abort();
	free(packed);
	free(back);
	free(v);
}

static void convert_image(const struct message_image *m)
{
	struct image image;
	struct message_image out;
	int encoding = message_image_shape(m, &image);
	char fault[64];
	size_t bytes;
	void *packed;

	message_image_fault(m, fault, sizeof(fault));
	if ((encoding < 0) != (*fault != '\0'))
		abort();
	if (encoding < 0)
		return;
	bytes = image.stride * image.height;
	image.data = malloc(bytes);
	message_image_read(m, &image);
	if (message_encoding_is_number(encoding)) {
		convert_numbers(m, encoding);
		free(image.data);
		return;
	}
	encoding = message_encoding_shown(encoding);
	packed = malloc((size_t)image.width * image.height *
			message_encoding_pixel(encoding));
	if (message_image_write(&image, encoding, packed, &out))
		abort();
	free(image.data);
	free(packed);
}

static void convert_cloud(const struct message_point_cloud *m)
{
	static struct message_point_cloud out;
	struct cloud *c = cloud_create(POINTS);

	if (!message_cloud_read(m, c)) {
		void *data = malloc(message_cloud_bytes(c) + 1);

		message_cloud_write(c, data, &out);
		free(data);
	}
	cloud_destroy(c);
}

static void convert_map(const struct message_occupancy_grid *m)
{
	static int8_t cells[CELLS];
	struct map map = { .cells = cells };

	if (!message_map_read(m, &map, CELLS) &&
	    (size_t)map.width * map.height > CELLS)
		abort();
}

static void convert_grid(const struct message_grid_map *m)
{
	unsigned int rows, columns;
	float *cells;

	if (message_grid_shape(m, &rows, &columns))
		return;
	cells = malloc((size_t)rows * columns * sizeof(*cells));
	for (unsigned int i = 0; i < m->layers; i++)
		message_grid_read(m, i, cells);
	free(cells);
}

/* All counted elements can be read */
static void walk_lists(int kind, const union message *msg)
{
	struct message_list rest = { 0 };
	struct message_pose_stamped pose;
	struct message_transform t;
	struct message_graph_edge edge;
	struct message_point32 p;
	bool more = true;

	if (kind == MESSAGE_TRANSFORMS)
		for (rest = msg->tf.transforms;
		     message_next_transform(&rest, &t); )
			;
	else if (kind == MESSAGE_PATH)
		for (rest = msg->path.poses; message_next_pose(&rest, &pose); )
			;
	else if (kind == MESSAGE_POLYGON || kind == MESSAGE_ROOM)
		for (rest = kind == MESSAGE_ROOM ? msg->room.outline :
						   msg->polygon.points; more; )
			more = message_next_point(&rest, &p);
	else if (kind == MESSAGE_POSE_GRAPH)
		for (rest = msg->graph.edges; message_next_edge(&rest, &edge); )
			;
	if (rest.count)
		abort();
}

static void write_again(int kind, int format, const union message *msg)
{
	static union message again;
	long n = message_size(kind, format, msg);
	uint8_t *data;

	if (n < 0)
		abort();
	data = malloc(n);
	if (message_write(kind, format, msg, data, n) != n ||
	    message_read(kind, format, data, n, &again) ||
	    message_size(kind, format, &again) != n)
		abort();
	free(data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static union message msg;
	int kind, format;

	if (!size)
		return 0;
	kind = (*data & 0x7f) % MESSAGE_TYPES;
	format = *data >> 7;
	if (message_read(kind, format, data + 1, size - 1, &msg))
		return 0;
	write_again(kind, format, &msg);
	walk_lists(kind, &msg);
	if (kind == MESSAGE_IMAGE)
		convert_image(&msg.image);
	else if (kind == MESSAGE_POINT_CLOUD)
		convert_cloud(&msg.cloud);
	else if (kind == MESSAGE_OCCUPANCY_GRID)
		convert_map(&msg.map);
	else if (kind == MESSAGE_GRID_MAP)
		convert_grid(&msg.grid);
	return 0;
}
