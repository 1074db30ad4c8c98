// SPDX-License-Identifier: GPL-2.0-only
/*
 * gdimctl import-submaps - submaps of one layer from a file of cells
 *
 * All or nothing: one transaction.
 */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/cli.h"
#include "base/error.h"
#include "gdimctl.h"
#include "map/io/import_submaps.h"

enum {
	OPT_SIZE = 256, OPT_RESOLUTION, OPT_POSES, OPT_LAYER, OPT_ORIGIN,
	OPT_FRAME,
};

static const struct argp_option import_options[] = {
	{ "size", OPT_SIZE, "WxH", 0,
	  "size of a submap in cells: columns x rows", 1 },
	{ "resolution", OPT_RESOLUTION, "M", 0, "cell size, m", 1 },
	{ "poses", OPT_POSES, "FILE", 0,
	  "poses of the submaps: index,x,y,theta in m, rad", 1 },
	{ "layer", OPT_LAYER, "NAME", 0,
	  "layer of the submaps; created if missing", 1 },
	{ "origin", OPT_ORIGIN, "X,Y", 0, "outer corner of the first cell in the submap's frame, m (its middle is the frame's origin)", 2 },
	{ "frame", OPT_FRAME, "PREFIX", 0,
	  "prefix of frame names, before the index (submap_)", 2 },
	{ 0 }
};

static int parse_pair(const char *text, char between, double *a, double *b)
{
	const char *middle = strchr(text, between);
	char first[64];

	if (!middle || (size_t)(middle - text) >= sizeof(first))
		return -EINVAL;
	memcpy(first, text, middle - text);
	first[middle - text] = 0;
	return parse_double(first, -POSE_MAX, POSE_MAX, a) ||
	       parse_double(middle + 1, -POSE_MAX, POSE_MAX, b) ? -EINVAL : 0;
}

static int parse_option(struct import_submaps *im, int key, char *arg)
{
	double w, h;

	switch (key) {
	case OPT_SIZE:
		if (parse_pair(arg, 'x', &w, &h) || w != floor(w) ||
		    h != floor(h) || w < 1 || h < 1 || w > CELLS_SIDE_MAX ||
		    h > CELLS_SIDE_MAX)
			return cli_error(-EINVAL, "size must be WxH, 1..%d",
					 CELLS_SIDE_MAX);
		im->width = w;
		im->height = h;
		return 0;
	case OPT_RESOLUTION:
		if (parse_double(arg, 0.001, 100, &im->resolution))
			return cli_error(-EINVAL,
					 "resolution must be 0.001..100 m");
		return 0;
	case OPT_ORIGIN:
		im->placed = true;
		if (parse_pair(arg, ',', &im->origin.x, &im->origin.y))
			return cli_error(-EINVAL, "origin must be X,Y in m");
		return 0;
	}
	return -ENOENT;
}

static error_t import_submaps_import_parse(int key, char *arg,
					   struct argp_state *state)
{
	struct import_submaps *im = state->input;
	int err = parse_option(im, key, arg);

	if (err != -ENOENT)
		return err;
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = im->words;
		return 0;
	case OPT_POSES:
		im->poses = arg;
		return 0;
	case OPT_LAYER:
		im->layer = arg;
		return 0;
	case OPT_FRAME:
		im->frame = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (im->cells)
			return cli_usage(state->argv[0],
					 "more than one file of cells");
		im->cells = arg;
		return 0;
	case ARGP_KEY_END:
		if (!im->cells || !im->width || !im->resolution ||
		    !im->poses || !im->layer)
			return cli_usage(state->argv[0],
					 "missing CELLS.i8, --size, "
					 "--resolution, --poses or --layer");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp import_argp = {
	import_options, import_submaps_import_parse, "CELLS.i8",
	"Import submaps into a store. CELLS.i8 has consecutive submaps, an "
	"int8 per cell, row by row: 0..100, -1 unknown. Existing submaps are "
	"replaced. Either all of them are stored or none; a daemon stores them "
	"one by one.",
	ctl_layer_words, NULL, NULL
};

static void import_submaps_print(const cJSON *a)
{
	printf("%g submaps of %gx%g cells (%.1f %% known) into layer %s, "
	       "%.1f ms\n", ctl_value(a, "submaps"), ctl_value(a, "width"),
	       ctl_value(a, "height"), 100 * ctl_value(a, "known_cells") /
	       ctl_value(a, "submaps") / ctl_value(a, "width") /
	       ctl_value(a, "height"), ctl_text(a, "layer"),
	       ctl_value(a, "ms"));
	if (ctl_value(a, "undrawn"))
		cli_warn("%g of them are too large for a map of such small "
			 "cells: stored, but not in the fused map; to change "
			 "that: gdimctl layer %s resolution=M",
			 ctl_value(a, "undrawn"), ctl_text(a, "layer"));
}

static void import_submaps_describe(const struct import_submaps *im,
				    const struct import_result *r, double ms,
				    cJSON *a)
{
	cJSON_AddStringToObject(a, "layer", im->layer);
	cJSON_AddNumberToObject(a, "submaps", r->submaps);
	cJSON_AddNumberToObject(a, "width", im->width);
	cJSON_AddNumberToObject(a, "height", im->height);
	cJSON_AddNumberToObject(a, "known_cells", r->known);
	cJSON_AddNumberToObject(a, "undrawn", r->undrawn);
	cJSON_AddNumberToObject(a, "ms", round(ms * 1000) / 1000);
}

/* Into the store, without a daemon: all or none */
static int import_submaps_put(struct import *job,
			      const struct import_submaps *im, cJSON **answer)
{
	struct import_result r;
	struct error error;
	struct site *s;
	double begin;
	int err = ctl_open(&s, STORE_CREATE);

	if (err)
		return err;
	begin = ctl_ms();
	err = import_run(job, s, true, &r, &error);
	if (err)
		cli_error(err, "%s", error.text);
	site_close(s);
	if (err)
		return err;
	*answer = cJSON_CreateObject();
	import_submaps_describe(im, &r, ctl_ms() - begin, *answer);
	return 0;
}

/* The daemon reads the files in place */
static int import_submaps_ask(const struct import_submaps *im, cJSON **answer)
{
	cJSON *p = cJSON_CreateObject();

	ctl_add_path(p, "cells", im->cells);
	ctl_add_path(p, "poses", im->poses);
	cJSON_AddStringToObject(p, "layer", im->layer);
	cJSON_AddStringToObject(p, "frame", im->frame);
	cJSON_AddStringToObject(p, "words", im->words);
	cJSON_AddNumberToObject(p, "width", im->width);
	cJSON_AddNumberToObject(p, "height", im->height);
	cJSON_AddNumberToObject(p, "resolution", im->resolution);
	if (im->placed) {
		cJSON_AddNumberToObject(p, "x", im->origin.x);
		cJSON_AddNumberToObject(p, "y", im->origin.y);
	}
	return ctl_ask("import-submaps", p, answer);
}

int cmd_import_submaps(int argc, char **argv)
{
	struct import_submaps im = { .frame = "submap_" };
	struct import *job;
	struct error error;
	cJSON *answer;
	int err;

	err = cli_parse(&import_argp, argc, argv, &im);
	if (err)
		return err;
	/* report errors of the files here, even with a daemon */
	err = import_open(&job, &im, &error);
	if (err)
		return cli_error(err, "%s", error.text);
	err = ctl.store ? import_submaps_put(job, &im, &answer) :
			  import_submaps_ask(&im, &answer);
	import_close(job);
	return err ? err : ctl_show(answer, import_submaps_print);
}
