// SPDX-License-Identifier: GPL-2.0-only
/*
 * gdimctl import-submaps - submaps of one layer from a file of cells
 *
 * All or nothing: one transaction.
 */
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common/cli.h"
#include "gdim/poses_file.h"
#include "gdimctl.h"

enum {
	OPT_SIZE = 256, OPT_RESOLUTION, OPT_POSES, OPT_LAYER, OPT_ORIGIN,
	OPT_FRAME, OPT_ROLE, OPT_RULE, OPT_UNIT, OPT_RANGE, OPT_DRAWING,
	OPT_FUSED,
};

static const struct argp_option import_options[] = {
	{ "size", OPT_SIZE, "WxH", 0, "cells of a submap, columns first", 1 },
	{ "resolution", OPT_RESOLUTION, "M", 0, "side of a cell", 1 },
	{ "poses", OPT_POSES, "FILE", 0, "index,x,y,theta of each: m, rad", 1 },
	{ "layer", OPT_LAYER, "NAME", 0, "that they belong to; made if it is not there", 1 },
	{ "origin", OPT_ORIGIN, "X,Y", 0, "outer corner of the first cell in the submap's frame, m (its middle is the frame's origin)", 2 },
	{ "frame", OPT_FRAME, "PREFIX", 0, "of the frames' names, before the index (submap_)", 2 },
	{ NULL, 0, NULL, 0, "Of a layer that is made now:", 3 },
	{ "role", OPT_ROLE, "ROLE", 0, "obstacle, gas, smoke, signal, temperature, hazard, cost or other (obstacle)", 3 },
	{ "rule", OPT_RULE, "RULE", 0, "max, mean, min, latest, log-odds or weighted (max)", 3 },
	{ "drawing", OPT_DRAWING, "HOW", 0, "splat or sample (by the rule)", 3 },
	{ "unit", OPT_UNIT, "UNIT", 0, "of physical values", 3 },
	{ "range", OPT_RANGE, "LOW:HIGH", 0, "physical values of 0 and 100", 3 },
	{ "fused-resolution", OPT_FUSED, "M", 0, "of the fused map (that of the first submap)", 3 },
	{ 0 }
};

struct import {
	const char	*cells, *poses_path, *layer, *frame;
	uint32_t	width, height;
	double		resolution;
	bool		placed;
	struct pose	origin;
	char		words[256];	/* for layer_parse() */
};

static int add_word(struct import *im, const char *key, const char *value)
{
	const size_t used = strlen(im->words);

	if (snprintf(im->words + used, sizeof(im->words) - used, "%s%s=%s",
		     used ? " " : "", key, value) >=
	    (int)(sizeof(im->words) - used))
		return cli_error(-EINVAL, "%s is too long", key);
	return 0;
}

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

static int parse_option(struct import *im, int key, char *arg)
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

static error_t import_parse(int key, char *arg, struct argp_state *state)
{
	struct import *im = state->input;
	int err = parse_option(im, key, arg);

	if (err != -ENOENT)
		return err;
	switch (key) {
	case OPT_POSES:
		im->poses_path = arg;
		return 0;
	case OPT_LAYER:
		im->layer = arg;
		return 0;
	case OPT_FRAME:
		im->frame = arg;
		return 0;
	case OPT_ROLE:
		return add_word(im, "role", arg);
	case OPT_RULE:
		return add_word(im, "rule", arg);
	case OPT_DRAWING:
		return add_word(im, "drawing", arg);
	case OPT_UNIT:
		return add_word(im, "unit", arg);
	case OPT_RANGE:
		return add_word(im, "range", arg);
	case OPT_FUSED:
		return add_word(im, "resolution", arg);
	case ARGP_KEY_ARG:
		if (im->cells)
			return cli_usage(state->argv[0], "one file at a time");
		im->cells = arg;
		return 0;
	case ARGP_KEY_END:
		if (!im->cells || !im->width || !im->resolution ||
		    !im->poses_path || !im->layer)
			return cli_usage(state->argv[0], "a file of cells, "
				"--size, --resolution, --poses and --layer "
				"are needed");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp import_argp = {
	import_options, import_parse, "CELLS.i8",
	"Put submaps into a store. CELLS.i8 has them one behind the other, an "
	"int8 for each cell, row by row: 0..100, -1 unknown. Those that are "
	"there already are replaced. All of them are stored, or none.",
	NULL, NULL, NULL
};

/*
 * The file of cells
 */

struct cells_file {
	const int8_t	*data;
	size_t		len;
};

static int open_cells(struct cells_file *f, const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	int err;

	if (fd < 0 || fstat(fd, &st)) {
		err = -errno;
		if (fd >= 0)
			close(fd);
		return cli_error(err, "%s: %s", path, strerror(-err));
	}
	if (!S_ISREG(st.st_mode) || !st.st_size) {
		close(fd);
		return cli_error(-EINVAL, "%s: has no cells", path);
	}
	f->len = st.st_size;
	f->data = mmap(NULL, f->len, PROT_READ, MAP_PRIVATE, fd, 0);
	err = -errno;
	close(fd);
	return f->data == MAP_FAILED ?
	       cli_error(err, "%s: %s", path, strerror(-err)) : 0;
}

static int check_sizes(const struct import *im, const struct cells_file *f,
		       const struct poses_file *poses)
{
	const size_t each = (size_t)im->width * im->height;
	char why[256];
	int err;

	err = cells_check(im->width, im->height, 8, im->resolution, &im->origin,
			  why);
	if (err)
		return cli_error(err, "%s", why);
	if (f->len % each || f->len / each != poses->count)
		return cli_error(-EINVAL,
			"%s has %zu bytes, which is not %u submaps of %ux%u "
			"cells as %s has poses", im->cells, f->len,
			poses->count, im->width, im->height, im->poses_path);
	for (unsigned int i = 0; i < poses->count; i++)
		if (poses->line[i].index >= poses->count)
			return cli_error(-EINVAL,
				"%s: submap %u, but there are only %u",
				im->poses_path, poses->line[i].index,
				poses->count);
	return 0;
}

/*
 * The store
 */

/* What the layer is, if it is made now */
static int describe_layer(const struct import *im, struct layer *l)
{
	char error[256];
	int err = layer_parse(l, im->layer, "role=obstacle", error);

	if (!err)
		err = layer_change(l, im->words, error);
	return err ? cli_error(err, "layer %s: %s", im->layer, error) : 0;
}

static int find_layer(struct site *s, const struct import *im,
		      const struct layer *l)
{
	const int number = site_find_layer(s, im->layer);
	char error[SITE_ERROR];
	struct layer now;
	int err;

	if (number < 0) {
		err = site_set_layer(s, l, error);
		return err < 0 ? cli_error(err, "%s", error) : err;
	}
	site_layer(s, number, &now);
	if (*im->words)
		return cli_error(-EINVAL, "layer %s is there already: 'gdimctl "
				 "layer' changes what it means", im->layer);
	if (now.bits != 8)
		return cli_error(-EINVAL, "layer %s has cells of %u bits",
				 im->layer, now.bits);
	return number;
}

static int put(struct site *s, const struct import *im, unsigned int layer,
	       const struct cells_file *f, uint32_t index,
	       const struct pose *pose, uint64_t *known)
{
	const int8_t *data = f->data + (size_t)index * im->width * im->height;
	struct cells *c = cells_create(im->width, im->height, 8,
				       im->resolution, &im->origin, data);
	/* in the order of the file */
	const int64_t stamp = index * 1000000000LL;
	const struct site_submap submap = { layer, stamp, RULE_WEIGHT_FULL, c };
	char frame[STORE_FRAME], error[SITE_ERROR];
	int err;

	if (!c)
		return cli_error(-ENOMEM, "out of memory");
	*known += c->known;
	if (snprintf(frame, sizeof(frame), "%s%u", im->frame, index) >=
	    (int)sizeof(frame))
		err = cli_error(-EINVAL, "frame '%s%u' is too long", im->frame,
				index);
	else if ((err = site_keyframe(s, frame, stamp, pose, &submap, 1,
				      error)))
		cli_error(err, "%s", error);
	cells_put(c);
	return err;
}

static int put_all(struct site *s, const struct import *im,
		   const struct layer *l, const struct cells_file *f, const struct poses_file *poses,
		   uint64_t *known)
{
	int layer, err;

	err = store_begin(site_store(s));
	if (err)
		return cli_error(err, "%s", store_error(site_store(s)));
	layer = find_layer(s, im, l);
	err = layer < 0 ? layer : 0;
	for (unsigned int i = 0; i < poses->count && !err; i++)
		err = put(s, im, layer, f, poses->line[i].index,
			  &poses->line[i].pose, known);
	if (!err) {
		err = store_commit(site_store(s));
		if (err)
			cli_error(err, "%s", store_error(site_store(s)));
	}
	return err;
}

static void report(const struct import *im, unsigned int count, uint64_t known,
		   double ms)
{
	cJSON *a;

	if (!ctl.json) {
		printf("%u submaps of %ux%u cells (%.1f %% known) into layer "
		       "%s, %.1f ms\n", count, im->width, im->height,
		       100.0 * known / count / im->width / im->height,
		       im->layer, ms);
		return;
	}
	a = cJSON_CreateObject();
	cJSON_AddStringToObject(a, "layer", im->layer);
	cJSON_AddNumberToObject(a, "submaps", count);
	cJSON_AddNumberToObject(a, "known_cells", known);
	cJSON_AddNumberToObject(a, "ms", round(ms * 1000) / 1000);
	ctl_print(a);
}

static int import(struct import *im, const struct cells_file *f,
		  const struct poses_file *poses)
{
	struct layer l;
	struct site *s;
	uint64_t known = 0;
	double begin;
	int err;

	if (!im->placed)
		im->origin = (struct pose){ -0.5 * im->width * im->resolution,
			-0.5 * im->height * im->resolution, 0 };
	err = check_sizes(im, f, poses);
	if (!err)
		err = describe_layer(im, &l);
	if (!err)
		err = ctl_open(&s, STORE_CREATE);
	if (err)
		return err;
	begin = ctl_ms();
	err = put_all(s, im, &l, f, poses, &known);
	if (!err)
		report(im, poses->count, known, ctl_ms() - begin);
	site_close(s);
	return err;
}

int cmd_import_submaps(int argc, char **argv)
{
	struct import im = { .frame = "submap_" };
	struct poses_file poses = { 0 };
	struct cells_file f = { NULL, 0 };
	char error[POSES_FILE_ERROR];
	int err;

	err = cli_parse(&import_argp, argc, argv, &im);
	if (err)
		return err;
	err = poses_file_read(im.poses_path, &poses, error);
	if (err)
		return cli_error(err, "%s", error);
	err = open_cells(&f, im.cells);
	if (!err) {
		err = import(&im, &f, &poses);
		munmap((void *)f.data, f.len);
	}
	poses_file_free(&poses);
	return err;
}
