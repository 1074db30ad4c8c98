// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_submap_message - hostile maps and transforms, converted for gdimd
 *
 * Input: a byte: 0: the rest is a message in CDR, whose kind the second byte
 * is; else odd_message.h makes it. A map that can be read goes out again as
 * gdimd's maps do, and reads as the same cells.
 */
#include <stdio.h>
#include "base/error.h"
#include "base/utf8.h"
#include "map/io/map_message.h"
#include "map/ros/submap_message.h"
#include "odd_message.h"

static void check_cells(const struct cells *c)
{
	const size_t n = (size_t)c->width * c->height;
	struct error why;

	if (cells_check(c->width, c->height, c->bits, c->resolution,
			&c->origin, &why))
		abort();
	for (size_t i = 0; i < n; i++) {
		const int v = cells_at(c, i % c->width, i / c->width);

		if (v < CELLS_UNKNOWN || v > cells_full(c->bits))
			abort();
	}
}

static void send_again(const struct cells *c)
{
	static struct map_room room;
	const size_t n = (size_t)c->width * c->height;
	struct raster r = { { -3, 4, c->width, c->height }, c->bits, 0.05,
			    NULL };
	struct submap_layer again[SUBMAP_LAYERS];
	struct error error;
	static union message m;

	if (map_room_reserve(&room, n))
		abort();
	for (size_t i = 0; i < n; i++)
		room.cells[i] = cells_at(c, i % c->width, i / c->width);
	r.cells = room.cells;
	map_message(&room, &r, 5, "map", &m);
	if (submap_read(map_message_kind(c->bits), &m, again, &error) != 1)
		abort();
	for (size_t i = 0; i < n; i++)
		if (cells_at(again[0].cells, i % c->width, i / c->width) !=
		    cells_at(c, i % c->width, i / c->width))
			abort();
	submap_free(again, 1);
}

static void one_line(const char *error)
{
	if (!*error || strchr(error, '\n'))
		abort();
}

static void map(enum message_kind kind, const union message *m)
{
	struct submap_layer layer[SUBMAP_LAYERS];
	struct error error = { "" };
	const int n = submap_read(kind, m, layer, &error);

	if (!n || n > SUBMAP_LAYERS)
		abort();
	if (n < 0)
		one_line(error.text);
	for (int i = 0; i < n; i++) {
		if ((kind == MESSAGE_GRID_MAP) != layer_name_valid(
							layer[i].name))
			abort();
		check_cells(layer[i].cells);
		send_again(layer[i].cells);
	}
	if (n > 0)
		submap_free(layer, n);
}

static void frame_is_text(const char frame[STORE_FRAME])
{
	char clean[STORE_FRAME];

	utf8_clean(frame, STORE_FRAME, clean, sizeof(clean));
	if (!*frame || strcmp(clean, frame))
		abort();
}

static void transforms(const union message *m)
{
	struct message_list rest = m->tf.transforms;
	struct message_transform one;
	struct error error = { "" };
	struct site_transform t;

	while (message_next_transform(&rest, &one)) {
		if (submap_transform(&one, &t, &error)) {
			one_line(error.text);
			continue;
		}
		frame_is_text(t.frame);
		frame_is_text(t.predecessor);
		if (!pose_valid(&t.pose))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct odd o = { data + 1, size - 1, 200, 0 };
	static union message m;
	enum message_kind kind;

	if (size < 2)
		return 0;
	if (!*data) {
		kind = data[1] & 1 ? MESSAGE_GRID_MAP :
		       data[1] & 2 ? MESSAGE_OCCUPANCY_GRID :
				     MESSAGE_TRANSFORMS;
		if (message_read(kind, MESSAGE_CDR, data + 2, size - 2, &m))
			return 0;
	} else if (odd_message(&o, &kind, &m)) {
		return 0;
	}
	if (kind == MESSAGE_TRANSFORMS)
		transforms(&m);
	else if (kind == MESSAGE_OCCUPANCY_GRID || kind == MESSAGE_GRID_MAP)
		map(kind, &m);
	return 0;
}
