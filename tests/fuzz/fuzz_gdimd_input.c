// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_gdimd_input - hostile messages, through all of gdimd's input
 *
 * Input: a byte that selects how submaps find their frame, then messages, made
 * by odd_message.h. Invalid input is rejected: see gdimd_site.h.
 */
#include "gdimd_site.h"
#include "odd_message.h"

enum { MESSAGES = 8 };

/* A layer: one that may have this map, or one that may not */
static int take_map(struct map_input *in, enum message_kind kind, uint8_t which,
		    const union message *m)
{
	const char *whole = which & 1 ? "hazard_map" : "slam_map";
	const bool wrong = which >= 250;

	if ((kind == MESSAGE_GRID_MAP) == wrong)
		return map_input_map(in, "/gdim/input/map",
				     gdimd_site_line(whole), whole, kind, m);
	return map_input_map(in, "/gdim/input/gas",
			     gdimd_site_line("gas_*_map_*"),
			     which & 1 ? "gas_a_map_1" : "gas_b_map_1", kind,
			     m);
}

static int take(struct map_input *in, enum message_kind kind, uint8_t which,
		const union message *m)
{
	switch (kind) {
	case MESSAGE_OCCUPANCY_GRID:
	case MESSAGE_GRID_MAP:
		return take_map(in, kind, which, m);
	case MESSAGE_TRANSFORMS:
		return map_input_transforms(in, "/gdim/input/tf", &m->tf);
	case MESSAGE_POLYGON:
		return map_input_repeaters(in, "/gdim/input/polygon",
					   &m->polygon);
	default:
		return map_input_room(in, "/gdim/input/room", &m->room);
	}
}

static void feed(struct map_input *in, struct odd *o)
{
	const struct gdimd_site_before before = gdimd_site_before(in);
	static union message m;
	enum message_kind kind;
	const uint8_t which = odd_byte(o);

	if (odd_message(o, &kind, &m) || !take(in, kind, which, &m))
		return;
	gdimd_site_unchanged(in, &before);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct odd o = { data, size, 600, 0 };
	struct map_input *in;

	gdimd_site_begin();
	site_config.slop = odd_byte(&o) & 1 ? 0.5 : 0;
	in = gdimd_site_input();
	for (int i = 0; i < MESSAGES && odd_left(&o); i++)
		feed(in, &o);
	map_input_close(in);
	return 0;
}
