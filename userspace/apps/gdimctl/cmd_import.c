// SPDX-License-Identifier: GPL-2.0-only
/*
 * gdimctl import - import a map of map_server into a layer
 */
#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/cli.h"
#include "base/error.h"
#include "gdimctl.h"
#include "map/io/import_map.h"
#include "map/io/map_file.h"

enum { OPT_LAYER = 256, OPT_NODE, OPT_POSE, OPT_MODE, OPT_STAMP };

static const struct argp_option import_options[] = {
	{ "layer", OPT_LAYER, "NAME", 0,
	  "layer of the map (default: the only one; slam_map in a new store)",
	  1 },
	{ "node", OPT_NODE, "FRAME", 0,
	  "attach the map to this node of the pose graph", 2 },
	{ "pose", OPT_POSE, "X,Y,THETA", 0,
	  "pose of the file's frame in the site's map: m, rad (0,0,0)", 2 },
	{ "mode", OPT_MODE, "MODE", 0,
	  "mode of the picture: trinary-grey, trinary, scale or raw (default: "
	  "that of the .yaml)", 2 },
	{ "stamp", OPT_STAMP, "SECONDS", 0,
	  "time of the map, since 1970 (now)", 2 },
	{ 0 }
};

/**
 * struct import - the command line
 * @posed: a pose was given
 */
struct import {
	struct import_map	map;
	bool			posed;
};

static int parse_pose(const char *text, struct pose *p)
{
	double *const to[] = { &p->x, &p->y, &p->yaw };
	char copy[128], *rest = copy;

	if (strlen(text) >= sizeof(copy))
		return -EINVAL;
	strcpy(copy, text);
	for (int i = 0; i < 3; i++) {
		const char *part = strsep(&rest, ",");

		if (!part || parse_double(part, -POSE_MAX, POSE_MAX, to[i]))
			return -EINVAL;
	}
	return rest ? -EINVAL : 0;
}

static int parse_place(struct import *i, int key, char *arg)
{
	double seconds;

	switch (key) {
	case OPT_POSE:
		i->posed = true;
		return parse_pose(arg, &i->map.pose) ?
		       cli_error(-EINVAL, "pose must be X,Y,THETA in m and "
				 "rad") : 0;
	case OPT_MODE:
		i->map.mode = map_mode_by_name(arg);
		return i->map.mode < 0 ? cli_error(-EINVAL, "no such mode") : 0;
	case OPT_STAMP:
		if (parse_double(arg, 0, IMPORT_MAP_STAMP_MAX, &seconds))
			return cli_error(-EINVAL, "stamp must be seconds "
					 "since 1970");
		i->map.stamp = llround(seconds * 1e9);
		return 0;
	}
	return -ENOENT;
}

static error_t import_parse(int key, char *arg, struct argp_state *state)
{
	struct import *i = state->input;
	const int err = parse_place(i, key, arg);

	if (err != -ENOENT)
		return err;
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = i->map.words;
		return 0;
	case OPT_LAYER:
		i->map.layer = arg;
		return 0;
	case OPT_NODE:
		i->map.node = strcmp(arg, SITE_ROOT) ? arg : NULL;
		return 0;
	case ARGP_KEY_ARG:
		if (i->map.path)
			return cli_usage(state->argv[0], "more than one map");
		i->map.path = arg;
		return 0;
	case ARGP_KEY_END:
		if (!i->map.path)
			return cli_usage(state->argv[0], "missing MAP.yaml");
		if (i->map.node && i->posed)
			return cli_usage(state->argv[0],
					 "--node and --pose exclude each "
					 "other");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp import_argp = {
	import_options, import_parse, "MAP.yaml",
	"Import a whole map of map_server into a store: MAP.yaml, and the "
	"picture it names, PGM or PNG. Replaces the previous whole map of the "
	"layer. Files of 'export' are read back exactly.",
	ctl_layer_words, NULL, NULL
};

static void import_print(const cJSON *a)
{
	char side[32];

	printf("%gx%g cells of %s m (%.1f %% known) into layer %s%s, %.1f ms\n",
	       ctl_value(a, "width"), ctl_value(a, "height"),
	       ctl_number(ctl_value(a, "resolution"), side),
	       100 * ctl_value(a, "known_cells") / ctl_value(a, "width") /
	       ctl_value(a, "height"), ctl_text(a, "layer"),
	       cJSON_IsTrue(cJSON_GetObjectItem(a, "waits")) ?
	       "; its node waits for a transform" : "",
	       ctl_value(a, "ms"));
	if (cJSON_GetObjectItem(a, "off_x"))
		printf("its origin is not a multiple of the cell size: shifted "
		       "by %g m, %g m in the fused map, stored unchanged\n",
		       ctl_value(a, "off_x"), ctl_value(a, "off_y"));
	if (cJSON_IsTrue(cJSON_GetObjectItem(a, "resampled")))
		printf("it is rotated or has another cell size: cells are "
		       "shifted by up to half a cell in the fused map, stored "
		       "unchanged\n");
}

/* Into the store, without a daemon, in one transaction with its layer */
static int import_put(struct import_map_job *job, const struct import_map *im,
		      cJSON **answer)
{
	struct import_map_result r;
	struct error error;
	struct site *s;
	double begin;
	/* a node must exist already: do not create a store */
	int err = ctl_open(&s, im->node ? STORE_WRITE : STORE_CREATE);

	if (err)
		return err;
	begin = ctl_ms();
	err = import_map_run(job, s, true, &r, &error);
	if (err)
		cli_error(err, "%s", error.text);
	site_close(s);
	if (err)
		return err;
	*answer = cJSON_CreateObject();
	import_map_answer(&r, ctl_ms() - begin, *answer);
	return 0;
}

/* The daemon reads the files in place */
static int import_ask(const struct import_map *im, cJSON **answer)
{
	cJSON *p = cJSON_CreateObject();

	ctl_add_path(p, "map", im->path);
	cJSON_AddStringToObject(p, "words", im->words);
	if (im->layer)
		cJSON_AddStringToObject(p, "layer", im->layer);
	if (im->node)
		cJSON_AddStringToObject(p, "node", im->node);
	cJSON_AddNumberToObject(p, "x", im->pose.x);
	cJSON_AddNumberToObject(p, "y", im->pose.y);
	cJSON_AddNumberToObject(p, "theta", im->pose.yaw);
	if (im->mode >= 0)
		cJSON_AddStringToObject(p, "mode", map_mode_name(im->mode));
	if (im->stamp >= 0)
		cJSON_AddNumberToObject(p, "stamp", im->stamp * 1e-9);
	return ctl_ask("import", p, answer);
}

int cmd_import(int argc, char **argv)
{
	struct import i = { .map = { .mode = -1, .stamp = -1 } };
	struct import_map_job *job;
	struct error error;
	cJSON *answer;
	int err;

	err = cli_parse(&import_argp, argc, argv, &i);
	if (err)
		return err;
	/* report errors of the files here, even with a daemon */
	err = import_map_open(&job, &i.map, &error);
	if (err)
		return cli_error(err, "%s", error.text);
	err = ctl.store ? import_put(job, &i.map, &answer) :
			  import_ask(&i.map, &answer);
	import_map_close(job);
	return err ? err : ctl_show(answer, import_print);
}
