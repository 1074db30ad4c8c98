/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * import_map.h - import a whole map of map_server, a .yaml and its picture,
 * into a layer, like one received by a topic
 */
#ifndef MAP_IO_IMPORT_MAP_H
#define MAP_IO_IMPORT_MAP_H

#include <cjson/cJSON.h>
#include "base/error.h"
#include "map/io/import_layer.h"

/* Layer that is created in a store without layers */
#define IMPORT_MAP_LAYER	"slam_map"

#define IMPORT_MAP_STAMP_MAX	9.2e9	/* s: maximum that fits into ns */

/**
 * struct import_map - what to import
 * @path:	of the .yaml
 * @layer:	NULL: the only existing one
 * @words:	for layer_change(), of a layer to be created; if empty, one is
 *		only created in a store without layers
 * @node:	frame of an existing node, in which the map is; NULL: that of
 *		the site's map
 * @pose:	pose of the .yaml's frame in the site's map, if there is no
 *		@node
 * @mode:	as for map_file_values()
 * @stamp:	ns since the epoch, not in the future; -1: now
 */
struct import_map {
	const char	*path, *layer, *node;
	char		words[IMPORT_WORDS];
	struct pose	pose;
	int		mode;
	int64_t		stamp;
};

struct import_map_job;

/**
 * struct import_map_result
 * @layer:	that contains it
 * @known:	known cells
 * @waits:	it is stored, but its node has no pose yet
 * @off_x, @off_y: shift of its cells in the fused map, m, as cells of that
 *	begin
 *		at multiples of its resolution; the store has the map's own
 *		origin
 * @resampled:	it is rotated, or its cells have another size: each moves by up
 *		to half a cell
 */
struct import_map_result {
	char		layer[LAYER_NAME];
	unsigned int	width, height;
	double		resolution;
	uint64_t	known;
	bool		waits;
	double		off_x, off_y;
	bool		resampled;
};

/**
 * import_map_open() - read and check everything, before a store is needed
 * @im:		must stay valid
 * @error:	out: one line
 *
 * Return: 0 and @job, for import_map_close(); -EINVAL, -ENOMEM; as
 * map_file_read().
 */
int import_map_open(struct import_map_job **job, const struct import_map *im,
		    struct error *error);

/**
 * import_map_run() - store it in a site
 * @at_once:	one transaction with the creation of the layer: see import_run()
 *
 * The layer's map of that node is replaced, unless it has a later stamp.
 *
 * Return: 0 and @r; -EINVAL; as site_set_layer(), site_keyframe().
 */
int import_map_run(struct import_map_job *job, struct site *s, bool at_once,
		   struct import_map_result *r, struct error *error);
/*
 * As JSON: "layer", "width", "height", "resolution", "known_cells", "waits",
 * "ms"; with "off_x" and "off_y", m, or "resampled" if it is not aligned with
 * the cells of the fused map
 */
void import_map_answer(const struct import_map_result *r, double ms,
		       cJSON *out);
void import_map_close(struct import_map_job *job);

#endif
