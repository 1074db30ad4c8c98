// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_view_records - hostile recordings of gdimd, as the operator's look
 * reads them
 *
 * Input: a byte: of 16 one: up to the page, which takes longest; else up to
 * what it is made of. Then messages: a byte 0 and one of topic, length and what
 * it is, or another byte and what odd_message.h makes; up to a byte 255. What
 * follows changes the file: each a place (u16) and the byte that is there
 * instead.
 */
#include <stdbool.h>
#include <unistd.h>
#include "apps/gdimctl/view_records.h"
#include "base/cli.h"
#include "base/error.h"
#include "base/utf8.h"
#include "base/wire.h"
#include "map/fusion/cells.h"
#include "memory_file.h"
#include "odd_message.h"
#include "ros/bag/bag.h"

enum { TOPICS = 4, LAYERS = 2, MESSAGES = 8, ENDS = 255 };

static const struct {
	const char		*name;
	enum message_kind	kind;
} topics[TOPICS] = {
	{ "/gdim/output/slam_map", MESSAGE_OCCUPANCY_GRID },
	{ "/gdim/output/gas_map", MESSAGE_GRID_MAP },
	{ "/gdim/output/room_information", MESSAGE_ROOM },
	{ "/gdim/log/graph", MESSAGE_PATH },
};

static char folder[64], log_path[96], page_path[96];

static void forget(void)
{
	unlink(log_path);
	unlink(page_path);
	rmdir(folder);
}

static void begin(struct layer layer[LAYERS])
{
	if (!*folder) {
		cli_program = "fuzz";
		strcpy(folder, memory_folder(forget));
		sprintf(log_path, "%s/log_1.mcap", folder);
		sprintf(page_path, "%s/page.html", folder);
	}
	unlink(log_path);
	layer_default(&layer[0], "slam_map");
	layer_default(&layer[1], "gas_map");
	layer[1].bits = 16;
	layer[1].high = 1;
}

static struct bag_writer *create(void)
{
	struct bag_writer *w;

	if (bag_create(&w, log_path, BAG_MCAP, false))
		abort();
	for (unsigned int i = 0; i < TOPICS; i++) {
		const struct bag_topic t = {
			.name = (char *)topics[i].name,
			.type = (char *)message_type(topics[i].kind,
						     MESSAGE_CDR),
			.format = MESSAGE_CDR,
		};

		if (bag_add_topic(w, &t) != (int)i)
			abort();
	}
	return w;
}

static void write_one(struct bag_writer *w, struct odd *o, int64_t stamp)
{
	static union message m;
	enum message_kind kind;
	uint8_t raw[512];

	if (!odd_byte(o)) {
		const uint8_t topic = odd_byte(o) % TOPICS;
		const size_t len = 2 * odd_byte(o);

		odd_bytes(o, raw, len);
		bag_write(w, topic, stamp, raw, len);
	} else if (!odd_message(o, &kind, &m)) {
		for (unsigned int i = 0; i < TOPICS; i++)
			if (topics[i].kind == kind)
				bag_write(w, i, stamp, odd_room.data,
					  message_size(kind, MESSAGE_CDR, &m));
	}
}

static void change(struct odd *o)
{
	FILE *f = fopen(log_path, "r+");
	long len;

	if (!f || fseek(f, 0, SEEK_END))
		abort();
	len = ftell(f);
	while (o->size >= 3) {
		uint8_t b[3];

		odd_bytes(o, b, 3);
		fseek(f, get_le16(b) % len, SEEK_SET);
		fputc(b[2], f);
	}
	fclose(f);
}

static void check_map(const struct raster *r)
{
	const size_t n = (size_t)r->rect.width * r->rect.height;

	for (size_t i = 0; i < n; i++)
		if (r->cells[i] < -1 || r->cells[i] > cells_full(r->bits))
			abort();
}

static int check_state(void *page, const struct view_state *s)
{
	char clean[ROOM_NAME];

	for (unsigned int i = 0; i < LAYERS; i++)
		check_map(&s->map[i]);
	for (unsigned int i = 0; i < s->rooms; i++) {
		const struct room *r = &s->room[i];

		utf8_clean(r->name, ROOM_NAME, clean, ROOM_NAME);
		if (strcmp(r->name, clean) || r->corners > ROOM_CORNERS)
			abort();
	}
	for (unsigned int i = 0; i < s->poses; i++)
		if (!pose_valid(&s->way[i]))
			abort();
	return page ? view_page_add(page, s) : 0;
}

static void look(const struct layer *layer, bool draw)
{
	struct view_page *page = NULL;
	struct error error;
	struct view_records *v;

	if ((draw && view_page_open(&page, page_path, layer, LAYERS, "a",
				    &error)) ||
	    view_records_open(&v, folder, false, layer, LAYERS, &error))
		abort();
	view_records_thin(v, 4);
	if (view_records_each(v, check_state, page) ||
	    (draw && view_page_finish(page, &error)))
		abort();
	view_records_close(v);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct odd o = { data, size, 120, 0 };
	struct layer layer[LAYERS];
	struct bag_writer *w;
	bool draw;

	draw = (odd_byte(&o) & 15) == 15;
	begin(layer);
	w = create();
	for (int i = 0; i < MESSAGES && odd_left(&o); i++) {
		if (o.size && *o.data == ENDS)
			break;
		write_one(w, &o, i / 3);
	}
	if (bag_finish(w))
		abort();
	odd_byte(&o);
	change(&o);
	look(layer, draw);
	return 0;
}
