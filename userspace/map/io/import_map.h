/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * import_map.h - a whole map of map_server, a .yaml and its picture, into a
 * layer: as one that came by a topic
 */
#ifndef MAP_IO_IMPORT_MAP_H
#define MAP_IO_IMPORT_MAP_H

#include <cjson/cJSON.h>
#include "base/error.h"
#include "map/io/import_layer.h"

/* Of the layer that is made in a store that has none */
#define IMPORT_MAP_LAYER	"slam_map"

#define IMPORT_MAP_STAMP_MAX	9.2e9	/* s: what fits into ns */

/**
 * struct import_map - what is to be imported
 * @path:	of the .yaml
 * @layer:	NULL: the only one there is
 * @words:	for layer_change(), of a layer that is made now; without any,
 *		one is made in a store without layers only
 * @node:	frame that the map is in, of a node that is there; NULL: that of
 *		the site's map
 * @pose:	where the .yaml's frame is in the site's map, if there is no @node
 * @mode:	as of map_file_values()
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
 * @layer:	that has it now
 * @known:	cells
 * @waits:	it is stored, but its node has no place yet
 * @off_x, @off_y: m, by which its cells lie elsewhere in the fused map, as cells
 *		of that begin at multiples of its resolution; the store has the
 *		map's own origin
 * @resampled:	it is turned, or its cells have another size: each goes where
 *		it fits best, up to half a cell away
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
 * import_map_open() - read and check all of it, before there need be a store
 * @im:		must stay
 * @error:	gets one line
 *
 * Return: 0 and @job, for import_map_close(); -EINVAL, -ENOMEM; as
 * map_file_read().
 */
int import_map_open(struct import_map_job **job, const struct import_map *im,
		    char error[ERROR_TEXT]);

/**
 * import_map_run() - put it into a site
 * @at_once:	one transaction with the layer that is made: see import_run()
 *
 * The layer's map of that node is replaced, unless it has a later stamp.
 *
 * Return: 0 and @r; -EINVAL; as site_set_layer(), site_keyframe().
 */
int import_map_run(struct import_map_job *job, struct site *s, bool at_once,
		   struct import_map_result *r, char error[ERROR_TEXT]);
/*
 * As JSON: "layer", "width", "height", "resolution", "known_cells", "waits",
 * "ms"; with "off_x" and "off_y", m, or "resampled" if it does not fit the cells
 * of the fused map
 */
void import_map_answer(const struct import_map_result *r, double ms,
		       cJSON *out);
void import_map_close(struct import_map_job *job);

#endif
