// SPDX-License-Identifier: GPL-2.0-only
/*
 * gdimctl view - the operator's view: the maps now and before, as a page for
 * any browser
 */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/cli.h"
#include "base/error.h"
#include "gdimctl.h"
#include "view_page.h"
#include "view_records.h"

enum { OPT_LAYER = 256, OPT_OUT, OPT_SNAPSHOTS };

enum { TIMES = 60 };	/* of recordings, at most */

static const struct argp_option view_options[] = {
	{ "out", OPT_OUT, "PAGE.html", 0, "output file", 1 },
	{ "layer", OPT_LAYER, "NAME", 0,
	  "layer to show; may be repeated (all)", 1 },
	{ "snapshots", OPT_SNAPSHOTS, "FOLDER", 0,
	  "folder of snapshots and logs, .mcap (default: STORE-logs)", 1 },
	{ 0 }
};

/**
 * struct view - options, and the page
 * @number:	of each layer in the site
 * @now:	the state of the store
 */
struct view {
	const char		*path, *folder;
	const char		*name[SITE_LAYERS];
	unsigned int		names;
	struct layer		layer[SITE_LAYERS];
	unsigned int		number[SITE_LAYERS], layers;
	struct view_page	*page;
	struct view_state	now;
};

static error_t view_parse(int key, char *arg, struct argp_state *state)
{
	struct view *v = state->input;

	switch (key) {
	case OPT_LAYER:
		if (v->names == SITE_LAYERS)
			return cli_usage(state->argv[0], "too many layers");
		v->name[v->names++] = arg;
		return 0;
	case OPT_SNAPSHOTS:
		v->folder = arg;
		return 0;
	case ARGP_KEY_ARG:
	case OPT_OUT:
		if (v->path)
			return cli_usage(state->argv[0], "more than one page");
		v->path = arg;
		return 0;
	case ARGP_KEY_END:
		return v->path ? 0 : cli_usage(state->argv[0],
					       "missing --out PAGE.html");
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp view_argp = {
	view_options, view_parse, NULL,
	"Write a self-contained page for a browser: layers over the floor "
	"plan, rooms, repeaters and the robot's trajectory, now and at the "
	"times of snapshots and logs. It needs no network.",
	NULL, NULL, NULL
};

static int view_add_layer(struct view *v, struct site *s, unsigned int number)
{
	for (unsigned int i = 0; i < v->layers; i++)
		if (v->number[i] == number)
			return 0;
	site_layer(s, number, &v->layer[v->layers]);
	v->number[v->layers++] = number;
	return 0;
}

static int choose_layers(struct view *v, struct site *s)
{
	for (unsigned int i = 0; i < v->names; i++) {
		const int number = ctl_layer(s, v->name[i]);

		if (number < 0)
			return number;
		view_add_layer(v, s, number);
	}
	for (unsigned int i = 0; !v->names && i < site_layers(s); i++)
		if (site_layer_submaps(s, i))
			view_add_layer(v, s, i);
	return v->layers ? 0 : cli_error(-ENODATA, "%s: no known cells",
					 ctl.store);
}

/*
 * State of the store
 */

static int view_add_room(void *arg, const struct room *room)
{
	struct view_state *s = arg;
	struct room *more = realloc(s->room, (s->rooms + 1) * sizeof(*more));

	if (!more)
		return -ENOMEM;
	s->room = more;
	s->room[s->rooms++] = *room;
	return 0;
}

static int view_add_repeater(void *arg, double x, double y)
{
	struct view *v = arg;

	return view_page_repeater(v->page, x, y);
}

/* @room: of s->way. Nodes added since it was allocated are left out */
struct way {
	struct view_state	*s;
	unsigned int		room;
};

static void view_add_node(void *arg, const struct store_node *n)
{
	struct way *w = arg;

	if (n->placed && strcmp(n->frame, SITE_ROOT) &&
	    w->s->poses < w->room)
		w->s->way[w->s->poses++] = n->pose;
}

static int read_maps(struct view *v, struct site *s)
{
	for (unsigned int i = 0; i < v->layers; i++) {
		const char *name = v->layer[i].name;
		int err = ctl_fuse(s, v->number[i]);
		double cell;

		if (err)
			return err;
		err = site_raster(s, v->number[i], -1, &v->now.map[i]);
		if (err && err != -ENODATA)
			return cli_error(err, "layer %s: %s", name,
					 strerror(-err));
		cell = site_resolution(s, v->number[i]);
		if (!err && v->now.map[i].resolution > 1.5 * cell)
			cli_warn("layer %s: shown in cells of %g m: too many "
				 "cells of %g m", name,
				 v->now.map[i].resolution, cell);
	}
	return 0;
}

static int read_store(struct view *v, struct site *s)
{
	struct way way = { &v->now, site_counts(s).nodes };
	struct timespec t;
	int err;

	clock_gettime(CLOCK_REALTIME, &t);
	v->now.stamp = t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
	v->now.name = "";
	v->now.map = calloc(v->layers, sizeof(*v->now.map));
	v->now.way = calloc(way.room + 1, sizeof(*v->now.way));
	if (!v->now.map || !v->now.way)
		return cli_error(-ENOMEM, "%s", strerror(ENOMEM));
	site_each_node(s, view_add_node, &way);
	err = read_maps(v, s);
	if (err)
		return err;
	err = store_rooms(site_store(s), view_add_room, &v->now);
	return err ? cli_error(err, "%s", store_error(site_store(s))) : 0;
}

/*
 * The page
 */

static int add_state(void *arg, const struct view_state *s)
{
	struct view *v = arg;

	return view_page_add(v->page, s);
}

/* Recordings first: the store's state is the newest */
static int fill_page(struct view *v, struct site *s, struct view_records *r)
{
	int err = view_records_each(r, add_state, v);

	if (!err)
		err = view_page_add(v->page, &v->now);
	if (err)
		return cli_error(err, "%s: %s", v->path, strerror(-err));
	err = store_each_repeater(site_store(s), view_add_repeater, v);
	return err ? cli_error(err, "%s", store_error(site_store(s))) : 0;
}

static int open_records(struct view *v, struct view_records **r)
{
	char folder[4096];
	struct error error;
	int err;

	snprintf(folder, sizeof(folder), "%s-logs", ctl.store);
	err = view_records_open(r, v->folder ? v->folder : folder, !v->folder,
				v->layer, v->layers, &error);
	if (err)
		return cli_error(err, "%s", error.text);
	view_records_thin(*r, TIMES);
	return 0;
}

static int write_page(struct view *v, struct site *s, struct view_records *r)
{
	const char *slash = strrchr(ctl.store, '/');
	struct error error;
	int err;

	err = view_page_open(&v->page, v->path, v->layer, v->layers,
			     slash ? slash + 1 : ctl.store, &error);
	if (err)
		return cli_error(err, "%s", error.text);
	err = fill_page(v, s, r);
	if (err) {
		view_page_abandon(v->page);
		return err;
	}
	err = view_page_finish(v->page, &error);
	return err ? cli_error(err, "%s", error.text) : 0;
}

static void view_free(struct view *v)
{
	for (unsigned int i = 0; v->now.map && i < v->layers; i++)
		free(v->now.map[i].cells);
	free(v->now.map);
	free(v->now.way);
	free(v->now.room);
	free(v);
}

int cmd_view(int argc, char **argv)
{
	struct view *v = calloc(1, sizeof(*v));
	struct view_records *r = NULL;
	struct site *s = NULL;
	int err;

	if (!v)
		return cli_error(-ENOMEM, "%s", strerror(ENOMEM));
	err = cli_parse(&view_argp, argc, argv, v);
	if (!err)
		err = ctl_open(&s, STORE_READ);
	if (!err)
		err = choose_layers(v, s);
	if (!err)
		err = open_records(v, &r);
	if (!err)
		err = read_store(v, s);
	if (!err)
		err = write_page(v, s, r);
	view_records_close(r);
	site_close(s);
	view_free(v);
	return err;
}
