// SPDX-License-Identifier: GPL-2.0-only
/*
 * commands - commands of the socket, HTTP and ROS
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "apps/gdimd/gdimd.h"
#include "apps/gdimd/web.h"
#include "base/cli.h"
#include "base/error.h"
#include "map/io/import_map.h"
#include "map/io/import_submaps.h"
#include "map/io/map_file.h"
#include "map/site/queries.h"
#include "map/site/remove.h"

/* @slow: waits for the store, a disk or the fuser */
struct command {
	const char	*name;
	bool		slow;
	int		(*run)(struct gdimd *g, const cJSON *p, cJSON *answer,
			       struct error *error);
};

/* A number, or its text, as in a command line */
static int commands_number(const cJSON *p, const char *key, double min,
			   double max, double *v, struct error *error)
{
	const cJSON *item = cJSON_GetObjectItem(p, key);

	if (cJSON_IsNumber(item) && item->valuedouble >= min &&
	    item->valuedouble <= max) {
		*v = item->valuedouble;
		return 0;
	}
	if (cJSON_IsString(item) && !parse_double(item->valuestring, min, max,
						  v))
		return 0;
	return error_set(error, -EINVAL, item ? "%s must be a number, %g..%g" :
			 "%s is missing: a number, %g..%g", key, min, max);
}

/* "lost": all messages that were neither stored nor refused */
static void add_input(struct gdimd *g, cJSON *in)
{
	const uint64_t way = g->source ? source_messages_lost(g->source) : 0;
	cJSON *lost;

	map_input_status(g->input, in);
	cJSON_AddNumberToObject(in, "lost_on_the_way", way);
	storing_status(g->storing, in);
	lost = cJSON_GetObjectItem(in, "lost");
	cJSON_SetNumberValue(lost, lost->valuedouble + way +
			     cJSON_GetObjectItem(in, "dropped")->valuedouble);
}

static int status(struct gdimd *g, const cJSON *p, cJSON *answer,
		  struct error *error)
{
	const struct fuser_stats f = fuser_stats(g->fuser);
	/* clients may run in another folder */
	char *store = realpath(g->config.store, NULL);
	cJSON *part;

	(void)p;
	(void)error;
	cJSON_AddStringToObject(answer, "store", store ? store :
				g->config.store);
	free(store);
	if (gdimd_store_is_lost(g))
		cJSON_AddTrueToObject(answer, "store_lost");
	query_status(g->site, answer);
	part = cJSON_AddObjectToObject(answer, "in");
	add_input(g, part);
	cJSON_AddNumberToObject(answer, "io_errors",
		__atomic_load_n(&g->io_errors, __ATOMIC_RELAXED));
	part = cJSON_AddObjectToObject(answer, "refused");
	cJSON_AddNumberToObject(part, "socket", console_refused(g->console));
	cJSON_AddNumberToObject(part, "services", gdimd_services_refused(g));
	cJSON_AddNumberToObject(part, "http", web_refused(g->web));
	gdimd_services_status(g, cJSON_AddObjectToObject(answer, "services"));
	part = cJSON_AddObjectToObject(answer, "fused");
	cJSON_AddNumberToObject(part, "moved", f.moved);
	cJSON_AddNumberToObject(part, "tiles", f.tiles);
	cJSON_AddNumberToObject(part, "drawn", f.drawn);
	cJSON_AddNumberToObject(part, "failed", f.failed);
	cJSON_AddNumberToObject(part, "busy_ms", f.busy / 1000000);
	recorder_status(g->recorder, cJSON_AddObjectToObject(answer,
							      "records"));
	map_publisher_status(g->publisher,
			     cJSON_AddObjectToObject(answer, "out"));
	return 0;
}

static int commands_layers(struct gdimd *g, const cJSON *p, cJSON *answer,
			   struct error *error)
{
	(void)p;
	(void)error;
	return query_layers(g->site, answer);
}

static int spot(struct gdimd *g, const cJSON *p, cJSON *answer,
		struct error *error)
{
	double x, y;

	if (commands_number(p, "x", -POSE_MAX, POSE_MAX, &x, error) ||
	    commands_number(p, "y", -POSE_MAX, POSE_MAX, &y, error))
		return -EINVAL;
	return query_spot(g->site, x, y, answer, error);
}

static int commands_rooms(struct gdimd *g, const cJSON *p, cJSON *answer,
			  struct error *error)
{
	(void)p;
	return query_rooms(g->site, answer, error);
}

static int commands_edges(struct gdimd *g, const cJSON *p, cJSON *answer,
			  struct error *error)
{
	(void)p;
	return query_edges(g->site, answer, error);
}

static int commands_room(struct gdimd *g, const cJSON *p, cJSON *answer,
			 struct error *error)
{
	double id;

	if (commands_number(p, "room", 0, ROOM_ID_MAX, &id, error))
		return -EINVAL;
	return query_room(g->site, id, answer, error);
}

static int rate(struct gdimd *g, const cJSON *p, cJSON *answer,
		struct error *error)
{
	const cJSON *topic = cJSON_GetObjectItem(p, "topic");
	double hz, old;
	int err;

	if (!cJSON_IsString(topic))
		return error_set(error, -EINVAL, "missing argument \"topic\"");
	if (commands_number(p, "rate", 0, 100, &hz, error))
		return -EINVAL;
	err = map_publisher_rate(g->publisher, topic->valuestring, hz, &old);
	if (err)
		return error_set(error, err, err == -EINVAL ?
				 "rate must be a number, 0 or 0.001..100" :
				 "no topic '%.80s' is published",
				 topic->valuestring);
	cJSON_AddStringToObject(answer, "topic", topic->valuestring);
	cJSON_AddNumberToObject(answer, "old_rate", old);
	cJSON_AddNumberToObject(answer, "new_rate", hz);
	return 0;
}

static const char *commands_text_of(const cJSON *p, const char *key,
				    const char *other)
{
	const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(p, key));

	return text ? text : other;
}

/* Without the key, @v is unchanged */
static int optional(const cJSON *p, const char *key, double most, double *v,
		    struct error *error)
{
	return cJSON_HasObjectItem(p, key) ?
	       commands_number(p, key, -most, most, v, error) : 0;
}

/* Words for a new layer. Return: 0, -EINVAL: too many */
static int commands_read_words(const cJSON *p, char words[IMPORT_WORDS],
			       struct error *error)
{
	if (snprintf(words, IMPORT_WORDS, "%s",
		     commands_text_of(p, "words", "")) < IMPORT_WORDS)
		return 0;
	return error_set(error, -EINVAL,
			 "KEY=VALUE words of a layer are too long");
}

/* As in the command line; the daemon reads the files in place */
static int read_import(const cJSON *p, struct import_submaps *im,
		       struct error *error)
{
	double width, height;

	*im = (struct import_submaps){
		.cells = commands_text_of(p, "cells", ""),
		.poses = commands_text_of(p, "poses", ""),
		.layer = commands_text_of(p, "layer", ""),
		.frame = commands_text_of(p, "frame", "submap_"),
		.placed = cJSON_HasObjectItem(p, "x"),
	};
	if (commands_read_words(p, im->words, error) ||
	    commands_number(p, "width", 1, CELLS_SIDE_MAX, &width, error) ||
	    commands_number(p, "height", 1, CELLS_SIDE_MAX, &height, error) ||
	    commands_number(p, "resolution", 0.001, 100, &im->resolution,
			    error) ||
	    (im->placed && (commands_number(p, "x", -POSE_MAX, POSE_MAX,
					    &im->origin.x, error) ||
			    commands_number(p, "y", -POSE_MAX, POSE_MAX,
					    &im->origin.y, error))))
		return -EINVAL;
	im->width = width;
	im->height = height;
	return 0;
}

static int import(struct gdimd *g, const cJSON *p, cJSON *answer,
		  struct error *error)
{
	const uint64_t begin = loop_now();
	struct import_submaps im;
	struct import_result r;
	struct import *job;
	int err = read_import(p, &im, error);

	if (!err)
		err = import_open(&job, &im, error);
	if (err)
		return err;
	err = import_run(job, g->site, false, &r, error);
	import_close(job);
	if (r.submaps)
		gdimd_stored(g, GDIMD_SUBMAPS | 1U << MAP_PUBLISHER_TRANSFORMS);
	if (err)
		return err;
	cJSON_AddStringToObject(answer, "layer", im.layer);
	cJSON_AddNumberToObject(answer, "submaps", r.submaps);
	cJSON_AddNumberToObject(answer, "width", im.width);
	cJSON_AddNumberToObject(answer, "height", im.height);
	cJSON_AddNumberToObject(answer, "known_cells", r.known);
	cJSON_AddNumberToObject(answer, "undrawn", r.undrawn);
	cJSON_AddNumberToObject(answer, "ms", (loop_now() - begin) / 1e6);
	return 0;
}

static int read_import_map(const cJSON *p, struct import_map *im,
			   struct error *error)
{
	const char *mode = commands_text_of(p, "mode", NULL);
	double stamp = 0;

	*im = (struct import_map){
		.path = commands_text_of(p, "map", ""),
		.layer = commands_text_of(p, "layer", NULL),
		.node = commands_text_of(p, "node", NULL),
		.mode = mode ? map_mode_by_name(mode) : -1,
		.stamp = -1,
	};
	if (mode && im->mode < 0)
		return error_set(error, -EINVAL, "unknown mode '%.64s'", mode);
	if (commands_read_words(p, im->words, error) ||
	    optional(p, "x", POSE_MAX, &im->pose.x, error) ||
	    optional(p, "y", POSE_MAX, &im->pose.y, error) ||
	    optional(p, "theta", POSE_MAX, &im->pose.yaw, error))
		return -EINVAL;
	if (!cJSON_HasObjectItem(p, "stamp"))
		return 0;
	if (commands_number(p, "stamp", 0, IMPORT_MAP_STAMP_MAX, &stamp, error))
		return -EINVAL;
	im->stamp = llround(stamp * 1e9);
	return 0;
}

static int import_map(struct gdimd *g, const cJSON *p, cJSON *answer,
		      struct error *error)
{
	const uint64_t begin = loop_now();
	struct import_map_result r;
	struct import_map_job *job;
	struct import_map im;
	int err = read_import_map(p, &im, error);

	if (!err)
		err = import_map_open(&job, &im, error);
	if (err)
		return err;
	err = import_map_run(job, g->site, false, &r, error);
	import_map_close(job);
	if (err)
		return err;
	gdimd_stored(g, GDIMD_SUBMAPS | 1U << MAP_PUBLISHER_TRANSFORMS);
	import_map_answer(&r, (loop_now() - begin) / 1e6, answer);
	return 0;
}

/* The answer only waits for the store; fusing the maps may take longer */
static int set_poses(struct gdimd *g, const cJSON *p, cJSON *answer,
		     struct error *error)
{
	const uint64_t begin = loop_now();
	unsigned int count;
	double ms;
	int err;

	err = import_poses(g->site, commands_text_of(p, "poses", ""),
			   commands_text_of(p, "frame", "submap_"),
			   "gdimctl set-poses", &count, error);
	if (err)
		return err;
	gdimd_stored(g, 1U << MAP_PUBLISHER_TRANSFORMS);
	ms = (loop_now() - begin) / 1e6;
	cJSON_AddNumberToObject(answer, "poses", count);
	cJSON_AddNumberToObject(answer, "to_fuse",
				site_counts(g->site).to_fuse);
	cJSON_AddNumberToObject(answer, "ms", ms);
	cJSON_AddNumberToObject(answer, "stored_ms", ms);
	return 0;
}

/* The layer, or the one that the configuration has for @name, with @words */
static int commands_find_layer(struct gdimd *g, const char *name,
			       const char *words, struct layer *l,
			       struct error *error)
{
	const int number = site_find_layer(g->site, name);
	const struct map_config_layer *from;

	if (number >= 0) {
		site_layer(g->site, number, l);
		return layer_change(l, words, error);
	}
	from = map_config_find(&g->config.map, name);
	if (!from ||
	    map_config_make_layer(&g->config.map, from, name, l, error))
		return layer_parse(l, name, words, error);
	return layer_change(l, words, error);
}

/* KEY=VALUE words, as in the configuration */
static int commands_set_layer(struct gdimd *g, const cJSON *p, cJSON *answer,
			      struct error *error)
{
	const char *name = commands_text_of(p, "name", "");
	struct layer l;
	int number, err;

	(void)answer;
	if (!layer_name_valid(name))
		return error_set(error, -EINVAL,
				 "'%.64s' is not a layer name", name);
	site_turn(g->site);
	err = commands_find_layer(g, name, commands_text_of(p, "words", ""), &l,
				  error);
	number = err ? err : site_set_layer(g->site, &l, error);
	site_turn_end(g->site);
	if (number >= 0)
		gdimd_stored(g, GDIMD_SUBMAPS);
	return number < 0 ? number : 0;
}

/* "rate": Hz, 0: stop */
static int log_command(struct gdimd *g, const cJSON *p, cJSON *answer,
		       struct error *error)
{
	double hz;
	int err;

	if (commands_number(p, "rate", 0, 10, &hz, error))
		return -EINVAL;
	err = recorder_log(g->recorder, hz, error);
	recorder_status(g->recorder, answer);
	return err;
}

/* "a, b" as a list, unless empty */
static void add_names(cJSON *answer, const char *key, char *names)
{
	cJSON *list;
	char *name;

	if (!*names)
		return;
	list = cJSON_AddArrayToObject(answer, key);
	while ((name = strsep(&names, ", ")))
		if (*name)
			cJSON_AddItemToArray(list, cJSON_CreateString(name));
}

static int snapshot(struct gdimd *g, const cJSON *p, cJSON *answer,
		    struct error *error)
{
	const char *name = cJSON_GetStringValue(cJSON_GetObjectItem(p, "name"));
	char path[RECORDER_PATH], left_out[RECORD_LEFT];
	int err = recorder_snapshot(g->recorder, name ? name : "", path,
				    left_out, error);

	if (!err) {
		cJSON_AddStringToObject(answer, "path", path);
		add_names(answer, "left_out", left_out);
	}
	return err;
}

/* "layer": its name, or "room": its id */
static int remove_command(struct gdimd *g, const cJSON *p, cJSON *answer,
			  struct error *error)
{
	const char *layer = commands_text_of(p, "layer", NULL);
	double room;
	int err;

	if (layer && cJSON_HasObjectItem(p, "room"))
		return error_set(error, -EINVAL,
				 "give either layer or room, not both");
	if (!layer && commands_number(p, "room", 0, ROOM_ID_MAX, &room, error))
		return -EINVAL;
	err = layer ? remove_layer(g->site, layer, answer, error) :
		      remove_room(g->site, room, answer, error);
	if (!err)
		gdimd_stored(g, GDIMD_SUBMAPS);
	return err;
}

struct note_list {
	cJSON	*out;
};

static int add_note(void *arg, int64_t stamp, const char *text,
		    const char *path)
{
	cJSON *item = cJSON_CreateObject();

	cJSON_AddNumberToObject(item, "stamp", stamp * 1e-9);
	cJSON_AddStringToObject(item, "text", text);
	if (path)
		cJSON_AddStringToObject(item, "path", path);
	cJSON_AddItemToArray(((struct note_list *)arg)->out, item);
	return 0;
}

/* "kind": snapshot or log */
static int notes(struct gdimd *g, const cJSON *p, cJSON *answer,
		 struct error *error)
{
	const char *kind = cJSON_GetStringValue(cJSON_GetObjectItem(p, "kind"));
	struct note_list list = { cJSON_AddArrayToObject(answer, "notes") };
	int err;

	site_turn(g->site);
	err = store_notes(site_store(g->site), kind ? kind : "snapshot",
			  add_note, &list);
	if (err)
		error_set(error, 0, "%s",
			 store_error(site_store(g->site)));
	site_turn_end(g->site);
	return err;
}

static const struct command commands[] = {
	{ "status", false, status },
	{ "layers", false, commands_layers },
	{ "spot", false, spot },
	{ "rooms", false, commands_rooms },
	{ "room", false, commands_room },
	{ "edges", false, commands_edges },
	{ "rate", false, rate },
	{ "import", true, import_map },
	{ "import-submaps", true, import },
	{ "set-poses", true, set_poses },
	{ "layer", true, commands_set_layer },
	{ "remove", true, remove_command },
	{ "log", true, log_command },
	{ "snapshot", true, snapshot },
	{ "notes", true, notes },
};

static int commands_run(struct gdimd *g, const struct command *c,
			const cJSON *p, cJSON *answer, struct error *error)
{
	const int err = c->run(g, p, answer, error);

	/* the client gets the error; log it, too */
	if (err == -EIO)
		gdimd_store_is_lost(g);
	return err;
}

bool gdimd_command_is_slow(const char *name)
{
	for (unsigned int i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		if (!strcmp(commands[i].name, name))
			return commands[i].slow;
	return false;
}

int gdimd_command(void *gdimd, const char *name, const cJSON *parameters,
		  cJSON *answer, struct error *error)
{
	const unsigned int n = sizeof(commands) / sizeof(*commands);

	for (unsigned int i = 0; i < n; i++)
		if (!strcmp(commands[i].name, name))
			return commands_run(gdimd, &commands[i], parameters,
					    answer, error);
	return error_set(error, -EINVAL,
			 "unknown command '%.40s'; known: status, layers, "
			 "spot, rooms, room, edges, rate, import, "
			 "import-submaps, set-poses, layer, remove, log, "
			 "snapshot, notes",
			 name);
}
