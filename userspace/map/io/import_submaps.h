/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * import_submaps.h - import submaps of one layer from a file of cells and a
 * text of poses; change poses of stored submaps
 */
#ifndef MAP_IO_IMPORT_SUBMAPS_H
#define MAP_IO_IMPORT_SUBMAPS_H

#include "base/error.h"
#include "map/io/import_layer.h"

/**
 * struct import_submaps - what to import
 * @cells:	path: consecutive submaps, an int8 for each cell, row by row:
 *		0..100, -1 unknown
 * @poses:	path: see poses_file.h
 * @layer:	created if missing, see import_layer_check()
 * @frame:	prefix of the frames' names, before the index
 * @words:	for layer_change(), of a layer to be created
 * @placed:	@origin is known; else the frame's origin is the middle
 */
struct import_submaps {
	const char	*cells, *poses, *layer, *frame;
	char		words[IMPORT_WORDS];
	uint32_t	width, height;
	double		resolution;
	bool		placed;
	struct pose	origin;
};

/**
 * struct import_result
 * @submaps:	stored
 * @known:	known cells
 * @undrawn:	those too large for the fused map's cells: stored, but not
 *		drawn
 */
struct import_result {
	unsigned int	submaps, undrawn;
	uint64_t	known;
};

struct import;

/**
 * import_open() - read and check everything, before a store is needed
 * @im:		must stay valid
 * @error:	out: one line
 *
 * Return: 0 and @job, for import_close(); -EINVAL, -ENOMEM; others of opening
 * and reading.
 */
int import_open(struct import **job, const struct import_submaps *im,
		struct error *error);

/**
 * import_run() - store them in a site
 * @at_once:	one transaction: all or none. After an error the site in memory
 *		is invalid and must be closed. Otherwise each is stored
 *		separately, and those before an error stay
 * @r:		out: what was done, also after an error
 */
int import_run(struct import *job, struct site *s, bool at_once,
	       struct import_result *r, struct error *error);
void import_close(struct import *job);

/**
 * import_poses_narrow() - fuse only submaps that import_poses() will move
 *
 * See site_narrow(). Return: as import_poses().
 */
int import_poses_narrow(struct site *s, const char *path, const char *frame,
			struct error *error);

/**
 * import_poses() - change poses of submaps
 * @path:	see poses_file.h
 * @frame:	prefix of the frames' names; all of them must exist
 * @source:	of the change
 * @count:	out: number of poses
 *
 * Fused maps are not updated.
 *
 * Return: 0; as poses_file_read() and site_transforms().
 */
int import_poses(struct site *s, const char *path, const char *frame,
		 const char *source, unsigned int *count,
		 struct error *error);

#endif
