// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_gdimd_input - hostile messages, through all of gdimd's input
 *
 * Input: a byte that selects how submaps find their frame, then messages, made
 * by odd_message.h. Invalid input is rejected: one log line, one counter, no
 * state change. The store is in memory and is replaced every ROUND inputs: a
 * new one each time would be too slow.
 */
#include <cjson/cJSON.h>
#include "apps/gdimd/input.h"
#include "base/cli.h"
#include "base/error.h"
#include "base/service.h"
#include "memory_file.h"
#include "odd_message.h"

enum { ROUND = 256, MESSAGES = 8 };

/* Stubs for the daemon */
void service_logf(int level, const char *format, ...)
{
	(void)level;
	(void)format;
}

static struct site *site;
static struct loop *loop;
static struct config config;
static unsigned int lines;
static char path[96];

static void forget(void)
{
	static const char *const ends[] = { "", "-wal", "-shm", "-lock" };
	char name[128];

	site_close(site);
	site = NULL;
	for (unsigned int i = 0; i < 4; i++) {
		snprintf(name, sizeof(name), "%s%s", path, ends[i]);
		unlink(name);
	}
}

static void forget_all(void)
{
	forget();
	*strrchr(path, '/') = 0;
	rmdir(path);
	loop_destroy(loop);
}

static void begin(void)
{
	static const struct site_config small = { .memory = 32 << 20,
						  .threads = 1 };
	static const char *const names[] = { "slam_map", "hazard_map" };
	static unsigned int inputs;
	char error[ERROR_TEXT];
	struct layer l;

	if (!loop) {
		char *argv[] = { (char *)"gdimd", (char *)"--store",
				 (char *)"x", NULL };

		cli_program = "gdimd";
		if (config_parse(&config, 3, argv))
			abort();
		loop = loop_create();
		sprintf(path, "%s/site.db", memory_folder(forget_all));
	}
	if (inputs++ % ROUND)
		return;
	forget();
	if (site_open(&site, path, STORE_CREATE, &small, error))
		abort();
	for (unsigned int i = 0; i < 2; i++) {
		layer_default(&l, names[i]);
		if (site_set_layer(site, &l, error) < 0)
			abort();
	}
}

static void stored(void *arg)
{
	(void)arg;
}

static void refused(void *arg, const char *line)
{
	(void)arg;
	lines++;
	if (!*line || strlen(line) >= ERROR_TEXT || strchr(line, '\n'))
		abort();
}

static const struct config_layer *find_line(const char *name)
{
	for (unsigned int i = 0; i < config.layers; i++)
		if (!strcmp(config.layer[i].name, name))
			return &config.layer[i];
	abort();
}

/* A layer: one that may have this map, or one that may not */
static int take_map(struct map_input *in, enum message_kind kind, uint8_t which,
		    const union message *m)
{
	const char *whole = which & 1 ? "hazard_map" : "slam_map";
	const bool wrong = which >= 250;

	if ((kind == MESSAGE_GRID_MAP) == wrong)
		return map_input_map(in, "/gdim/input/map", find_line(whole),
				     whole, kind, m);
	return map_input_map(in, "/gdim/input/gas", find_line("gas_*_map_*"),
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

static bool differ(const struct site_counts *a, const struct site_counts *b)
{
	return a->nodes != b->nodes || a->placed != b->placed ||
	       a->submaps != b->submaps || a->waiting != b->waiting;
}

static unsigned int count(struct map_input *in, const char *what)
{
	cJSON *status = cJSON_CreateObject();
	unsigned int n;

	map_input_status(in, status);
	n = cJSON_GetObjectItem(status, what)->valueint;
	cJSON_Delete(status);
	return n;
}

static void feed(struct map_input *in, struct odd *o)
{
	const struct site_counts before = site_counts(site);
	const unsigned int layers = site_layers(site);
	const unsigned int old = count(in, "refused");
	struct site_counts after;
	static union message m;
	enum message_kind kind;
	const uint8_t which = odd_byte(o);

	lines = 0;
	if (odd_message(o, &kind, &m) || !take(in, kind, which, &m))
		return;
	after = site_counts(site);
	if (lines != 1 || count(in, "refused") != old + 1 ||
	    site_layers(site) != layers || differ(&before, &after))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct odd o = { data, size, 600, 0 };
	struct map_input *in;

	begin();
	config.slop = odd_byte(&o) & 1 ? 0.5 : 0;
	if (map_input_open(&in, site, loop, &config, stored, refused, NULL))
		abort();
	for (int i = 0; i < MESSAGES && odd_left(&o); i++)
		feed(in, &o);
	map_input_close(in);
	return 0;
}
