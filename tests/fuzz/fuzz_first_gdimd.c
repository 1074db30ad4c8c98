// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_first_gdimd - the first message of each topic that gdimd reads
 *
 * Input: messages of any type (odd_first.h), each to a new input. As in
 * map/ros/input_topics.c a message of another type than its topic is not passed
 * on; one that cannot be read is counted as damaged.
 */
#include "gdimd_site.h"
#include "odd_first.h"

enum { MESSAGES = 2 };

static int take(struct map_input *in, enum message_kind kind,
		const union message *m)
{
	switch (kind) {
	case MESSAGE_OCCUPANCY_GRID:
		return map_input_map(in, "/gdim/input/map",
				     gdimd_site_line("slam_map"), "slam_map",
				     kind, m);
	case MESSAGE_GRID_MAP:
		return map_input_map(in, "/gdim/input/gas",
				     gdimd_site_line("gas_*_map_*"),
				     "gas_a_map_1", kind, m);
	case MESSAGE_TRANSFORMS:
		return map_input_transforms(in, "/gdim/input/tf", &m->tf);
	case MESSAGE_POLYGON:
		return map_input_repeaters(in, "/gdim/input/polygon",
					   &m->polygon);
	case MESSAGE_ROOM:
		return map_input_room(in, "/gdim/input/room", &m->room);
	case MESSAGE_POSE_GRAPH:
		return map_input_graph(in, "/gdim/input/pose_graph", &m->graph);
	case MESSAGE_UINT8:
		return map_input_rooms(in, "/gdim/input/rooms",
				       m->uint8.data);
	case MESSAGE_IMAGE:
		return map_input_image(in, "/gdim/input/thermal", &m->image);
	default:
		return 0;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct odd o = { data, size, 500, 0 };
	static union message m;
	static struct first f;

	gdimd_site_begin();
	site_config.slop = odd_byte(&o) & 1 ? 0.5 : 0;
	for (int i = 0; i < MESSAGES && first_message(&o, MESSAGE_TYPES, &f);
	     i++) {
		struct map_input *in = gdimd_site_input();
		const struct gdimd_site_before before = gdimd_site_before(in);

		if (message_read(f.kind, f.format, f.data, f.len, &m))
			map_input_damaged(in, "/gdim/input/map");
		else if (!take(in, f.kind, &m))
			goto next;
		gdimd_site_unchanged(in, &before);
next:
		map_input_close(in);
	}
	return 0;
}
