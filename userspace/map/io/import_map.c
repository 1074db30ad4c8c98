// SPDX-License-Identifier: GPL-2.0-only
/*
 * import_map - import a whole map of map_server into a layer
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/error.h"
#include "map/io/import_map.h"
#include "map/io/map_file.h"

struct import_map_job {
	const struct import_map	*im;
	struct cells		*cells;
	int64_t			stamp;
};

static bool is_whole(const struct import_map *im)
{
	return !im->node || !strcmp(im->node, SITE_ROOT);
}

static int make_cells(struct import_map_job *job, const struct map_file *map,
		      struct error *error)
{
	const struct import_map *im = job->im;
	const struct pose origin = im->node ? map->origin :
				   pose_compose(&im->pose, &map->origin);
	struct error why;
	int err = cells_check(map->width, map->height, 8, map->resolution,
			      &origin, &why);

	if (err)
		return error_set(error, err, "%s: %s", im->path, why.text);
	job->cells = cells_create(map->width, map->height, 8, map->resolution,
				  &origin, map->cells);
	return job->cells ? 0 : error_set(error, -ENOMEM, "out of memory");
}

static int set_stamp(struct import_map_job *job, struct error *error)
{
	struct timespec t;
	int64_t now;

	clock_gettime(CLOCK_REALTIME, &t);
	now = t.tv_sec * 1000000000LL + t.tv_nsec;
	job->stamp = job->im->stamp < 0 ? now : job->im->stamp;
	return job->stamp <= now ? 0 :
	       error_set(error, -EINVAL, "stamp is %.0f s in the future",
			 (job->stamp - now) * 1e-9);
}

int import_map_open(struct import_map_job **opened, const struct import_map *im,
		    struct error *error)
{
	struct import_map_job *job = calloc(1, sizeof(*job));
	struct map_file map = { 0 };
	struct layer l;
	int err;

	if (!job)
		return error_set(error, -ENOMEM, "out of memory");
	job->im = im;
	err = import_layer_check(&l, im->layer ? im->layer : IMPORT_MAP_LAYER,
				 im->words, error);
	if (!err)
		err = set_stamp(job, error);
	if (!err)
		err = map_file_values(im->path, im->mode, &map, error);
	if (!err)
		err = make_cells(job, &map, error);
	map_file_free(&map);
	if (err) {
		import_map_close(job);
		return err;
	}
	*opened = job;
	return 0;
}

void import_map_close(struct import_map_job *job)
{
	if (job && job->cells)
		cells_put(job->cells);
	free(job);
}

/* Only a described layer is created: otherwise the name may be a typo */
static int make_layer(struct site *s, const struct import_map *im,
		      const char *name, struct error *error)
{
	struct layer l;
	int err;

	if (!*im->words && site_layers(s))
		return error_set(error, -EINVAL, "no layer '%s'; --role ROLE "
				 "creates it", name);
	err = import_layer_check(&l, name, im->words, error);
	return err ? err : site_set_layer(s, &l, error);
}

/* Return: its number, or a negative errno */
static int import_map_find_layer(struct site *s, const struct import_map *im,
				 struct error *error)
{
	struct layer only = { .name = IMPORT_MAP_LAYER };
	const char *name = im->layer;
	int number;

	if (!name && site_layers(s) > 1)
		return error_set(error, -EINVAL, "several layers; select one "
				 "with --layer");
	if (!name) {
		if (site_layers(s))
			site_layer(s, 0, &only);
		name = only.name;
	}
	number = import_layer_find(s, name, im->words, error);
	return number == -ENOENT ?
	       make_layer(s, im, name, error) : number;
}

static int import_map_put(struct import_map_job *job, struct site *s,
			  unsigned int layer, struct error *error)
{
	const struct import_map *im = job->im;
	const struct site_submap submap = { layer, job->stamp,
					    RULE_WEIGHT_FULL, job->cells };

	return site_keyframe(s, is_whole(im) ? SITE_ROOT : im->node,
			     job->stamp, NULL, &submap, 1, error);
}

struct search {
	const char	*frame;
	bool		placed;
};

static void import_map_find_place(void *arg, const struct store_node *node)
{
	struct search *search = arg;

	if (!strcmp(node->frame, search->frame))
		search->placed = node->placed;
}

/* Shift of a coordinate of the origin to the grid. Return: m */
static double shift(double at, double cell)
{
	const double off = floor(at / cell + 0.5) * cell - at;

	return fabs(off) < 1e-3 * cell ? 0 : off;
}

/* Are the cells aligned with those of the fused map? */
static void describe_cells(const struct cells *c, double cell,
			   struct import_map_result *r)
{
	r->resampled = c->origin.yaw != 0 || c->resolution != cell;
	if (r->resampled)
		return;
	r->off_x = shift(c->origin.x, cell);
	r->off_y = shift(c->origin.y, cell);
}

static void import_map_describe(const struct import_map_job *job,
				struct site *s, unsigned int layer,
				struct import_map_result *r)
{
	const struct import_map *im = job->im;
	struct search search = { is_whole(im) ? SITE_ROOT : im->node, false };
	struct layer l;

	site_layer(s, layer, &l);
	site_each_node(s, import_map_find_place, &search);
	*r = (struct import_map_result){
		.width = job->cells->width, .height = job->cells->height,
		.resolution = job->cells->resolution,
		.known = job->cells->known, .waits = !search.placed,
	};
	strcpy(r->layer, l.name);
	/* the pose of a node changes */
	if (is_whole(im))
		describe_cells(job->cells, site_resolution(s, layer), r);
}

int import_map_run(struct import_map_job *job, struct site *s, bool at_once,
		   struct import_map_result *r, struct error *error)
{
	const struct import_map *im = job->im;
	int layer, err;

	if (!is_whole(im) && !site_has_frame(s, im->node))
		return error_set(error, -EINVAL, "the store has no node "
				 "'%.100s'", im->node);
	err = at_once ? store_begin(site_store(s)) : 0;
	if (err)
		return error_set(error, err, "%s",
				 store_error(site_store(s)));
	layer = import_map_find_layer(s, im, error);
	err = layer < 0 ? layer : import_map_put(job, s, layer, error);
	if (err)
		return err;
	if (at_once) {
		err = store_commit(site_store(s));
		if (err)
			return error_set(error, err, "%s",
					 store_error(site_store(s)));
	}
	import_map_describe(job, s, layer, r);
	return 0;
}

void import_map_answer(const struct import_map_result *r, double ms, cJSON *out)
{
	cJSON_AddStringToObject(out, "layer", r->layer);
	cJSON_AddNumberToObject(out, "width", r->width);
	cJSON_AddNumberToObject(out, "height", r->height);
	cJSON_AddNumberToObject(out, "resolution", r->resolution);
	cJSON_AddNumberToObject(out, "known_cells", r->known);
	cJSON_AddBoolToObject(out, "waits", r->waits);
	if (r->off_x != 0 || r->off_y != 0) {
		cJSON_AddNumberToObject(out, "off_x",
					round(r->off_x * 1e6) / 1e6);
		cJSON_AddNumberToObject(out, "off_y",
					round(r->off_y * 1e6) / 1e6);
	}
	if (r->resampled)
		cJSON_AddTrueToObject(out, "resampled");
	cJSON_AddNumberToObject(out, "ms", round(ms * 1000) / 1000);
}
