// SPDX-License-Identifier: GPL-2.0-only
/*
 * gdimctl export - write fused maps to files
 */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cli.h"
#include "base/error.h"
#include "gdimctl.h"
#include "map/io/geopackage.h"
#include "map/io/map_figure.h"
#include "map/io/map_file.h"

enum { UNDECIDED = 25 };	/* %, of cells, above which to warn */

enum { OPT_LAYER = 256, OPT_RULE, OPT_OUT, OPT_MODE, OPT_COLOURS, OPT_TITLE, };

static const struct argp_option export_options[] = {
	{ "layer", OPT_LAYER, "NAME", 0,
	  "layer to export (default: the only one; .gpkg: all)", 1 },
	{ "rule", OPT_RULE, "RULE", 0,
	  "fuse with this rule: {rules} (that of the layer)", 1 },
	{ "out", OPT_OUT, "FILE", 0, "output file: .pgm, .png or .gpkg", 1 },
	{ "mode", OPT_MODE, "MODE", 0,
	  "mode of .pgm: trinary-grey, trinary, scale or raw (trinary-grey)",
	  2 },
	{ "colours", OPT_COLOURS, "MAP", 0,
	  "colours of .png and .gpkg: {colours} (by the layer)", 2 },
	{ "title", OPT_TITLE, "TEXT", 0,
	  "title of .png (the layer's name)", 2 },
	{ 0 }
};

struct export {
	const char	*layer, *path, *title;
	int		rule, mode, colours;
};

static int named(const char *what, int number)
{
	return number >= 0 ? number : cli_error(-EINVAL, "no such %s", what);
}

static error_t export_parse(int key, char *arg, struct argp_state *state)
{
	struct export *e = state->input;

	switch (key) {
	case OPT_LAYER:
		e->layer = arg;
		return 0;
	case OPT_RULE:
		e->rule = named("rule", rule_by_name(arg));
		return e->rule < 0 ? e->rule : 0;
	case OPT_OUT:
		e->path = arg;
		return 0;
	case OPT_MODE:
		e->mode = named("mode", map_mode_by_name(arg));
		return e->mode < 0 ? e->mode : 0;
	case OPT_COLOURS:
		e->colours = named("map of colours", colours_by_name(arg));
		return e->colours < 0 ? e->colours : 0;
	case OPT_TITLE:
		e->title = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (e->path)
			return cli_usage(state->argv[0],
					 "more than one output file");
		e->path = arg;
		return 0;
	case ARGP_KEY_END:
		return e->path ? 0 : cli_usage(state->argv[0],
					       "missing --out FILE");
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp export_argp = {
	export_options, export_parse, NULL,
	"Write fused maps: for map_server (.pgm with .yaml), as a picture with "
	"axes, legend and rooms (.png), or as a GeoPackage for GIS programs "
	"(.gpkg).",
	NULL, ctl_help_names, NULL
};

enum format { FORMAT_PGM, FORMAT_PNG, FORMAT_GPKG };

static int format_of(const char *path)
{
	static const char *const ends[] = { ".pgm", ".png", ".gpkg" };
	const size_t len = strlen(path);

	for (int f = 0; f <= FORMAT_GPKG; f++)
		if (len > strlen(ends[f]) &&
		    !strcmp(path + len - strlen(ends[f]), ends[f]))
			return f;
	return cli_error(-EINVAL, "%s: must end in .pgm, .png or .gpkg", path);
}

/*
 * Rooms and points of the store
 */

struct things {
	struct room		*room;
	unsigned int		rooms;
	struct geopackage_point	*point;
	unsigned int		points;
};

static int export_add_room(void *arg, const struct room *room)
{
	struct things *t = arg;
	struct room *more = realloc(t->room, (t->rooms + 1) * sizeof(*more));

	if (!more)
		return -ENOMEM;
	t->room = more;
	t->room[t->rooms++] = *room;
	return 0;
}

static int export_add_repeater(void *arg, double x, double y)
{
	struct things *t = arg;
	struct geopackage_point *more = realloc(t->point, (t->points + 1) *
						sizeof(*more));

	if (!more)
		return -ENOMEM;
	t->point = more;
	t->point[t->points] = (struct geopackage_point){
		.id = t->points + 1, .kind = "repeater", .name = "",
		.x = x, .y = y,
	};
	t->points++;
	return 0;
}

static int find_things(struct site *s, struct things *t)
{
	int err = store_rooms(site_store(s), export_add_room, t);

	if (!err)
		err = store_each_repeater(site_store(s), export_add_repeater,
					  t);
	return err ? cli_error(err, "%s", store_error(site_store(s))) : 0;
}

/* @needed: an empty layer is an error; else -ENODATA without a message */
static int raster_of(struct site *s, unsigned int number, int rule,
		     bool needed, struct raster *r)
{
	struct layer l;
	int err = site_raster(s, number, rule, r);

	site_layer(s, number, &l);
	if (err == -ENODATA && !needed)
		return err;
	if (err == -ENODATA)
		return cli_error(err, "layer %s has no known cells", l.name);
	if (err)
		return cli_error(err, "layer %s: %s", l.name, strerror(-err));
	if (r->resolution > 1.5 * site_resolution(s, number))
		cli_warn("layer %s: written in cells of %g m: too many cells "
			 "of %g m", l.name, r->resolution,
			 site_resolution(s, number));
	return 0;
}

static enum colours colours_for(const struct export *e, const struct layer *l)
{
	return e->colours >= 0 ? (enum colours)e->colours :
				 modality_get(l->modality)->colours;
}

/* A floor plan that is mostly unknown is useless for navigation */
static void warn_undecided(const struct raster *r, const struct layer *l,
			   enum map_mode mode)
{
	const double share = map_file_undecided(r, mode);

	if (l->modality == MODALITY_OBSTACLE && share > UNDECIDED / 100.0)
		cli_warn("map_server treats %.0f %% of the known cells of %s "
			 "as unknown%s", 100 * share, l->name,
			 mode == MAP_TRINARY ? "" :
			 "; use --mode trinary");
}

static int export_write_one(struct site *s, const struct export *e,
			    enum format format)
{
	const int number = ctl_layer(s, e->layer);
	struct things t = { 0 };
	struct error error;
	struct raster r;
	struct layer l;
	int err;

	if (number < 0)
		return number;
	err = ctl_fuse(s, number);
	if (!err)
		err = raster_of(s, number, e->rule, true, &r);
	if (err)
		return err;
	site_layer(s, number, &l);
	if (format == FORMAT_PGM) {
		err = map_file_write(e->path, &r, e->mode, &error);
		if (!err)
			warn_undecided(&r, &l, e->mode);
	} else {
		err = find_things(s, &t);
		if (!err) {
			const struct map_figure f = {
				.title = e->title, .room = t.room,
				.rooms = t.rooms,
				.colours = colours_for(e, &l),
			};

			err = map_figure_write(e->path, &r, &l, &f, &error);
		} else {
			*error.text = 0;
		}
	}
	if (err && *error.text)
		cli_error(err, "%s", error.text);
	free(r.cells);
	free(t.room);
	free(t.point);
	return err;
}

/* All layers that are not empty, or the one requested */
static int write_package(struct site *s, const struct export *e)
{
	const unsigned int layers = site_layers(s);
	struct geopackage_layer package[layers + 1];
	struct raster raster[layers + 1];
	struct layer layer[layers + 1];
	struct geopackage g = { .layer = package };
	const int only = e->layer ? ctl_layer(s, e->layer) : -1;
	struct things t = { 0 };
	struct error error;
	int err;

	if (e->layer && only < 0)
		return only;
	err = ctl_fuse(s, only);
	for (unsigned int i = 0; i < layers && !err; i++) {
		const unsigned int n = g.layers;

		if ((only >= 0 && (int)i != only) ||
		    (only < 0 && !site_layer_submaps(s, i)))
			continue;
		err = raster_of(s, i, e->rule, only >= 0, &raster[n]);
		if (err == -ENODATA && only < 0) {
			err = 0;
			continue;
		}
		if (err)
			break;
		site_layer(s, i, &layer[n]);
		package[n] = (struct geopackage_layer){
			&layer[n], &raster[n], colours_for(e, &layer[n]) };
		g.layers++;
	}
	if (!err)
		err = find_things(s, &t);
	g.room = t.room;
	g.rooms = t.rooms;
	g.point = t.point;
	g.points = t.points;
	if (!err) {
		err = geopackage_write(e->path, &g, &error);
		if (err)
			cli_error(err, "%s", error.text);
	}
	for (unsigned int i = 0; i < g.layers; i++)
		free(raster[i].cells);
	free(t.room);
	free(t.point);
	return err;
}

int cmd_export(int argc, char **argv)
{
	struct export e = { .rule = -1, .mode = MAP_TRINARY_GREY,
			    .colours = -1 };
	struct site *s;
	int err, format;

	err = cli_parse(&export_argp, argc, argv, &e);
	if (err)
		return err;
	format = format_of(e.path);
	if (format < 0)
		return format;
	err = ctl_open(&s, STORE_READ);
	if (err)
		return err;
	err = format == FORMAT_GPKG ? write_package(s, &e) :
				      export_write_one(s, &e, format);
	site_close(s);
	return err;
}
