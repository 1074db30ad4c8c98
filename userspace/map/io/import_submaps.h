/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * import_submaps.h - submaps of one layer from a file of cells, with poses from
 * a text; and poses again, when they are other ones
 */
#ifndef MAP_IO_IMPORT_SUBMAPS_H
#define MAP_IO_IMPORT_SUBMAPS_H

#include "base/error.h"
#include "map/io/import_layer.h"

/**
 * struct import_submaps - what is to be imported
 * @cells:	path: submaps one behind the other, an int8 for each cell, row by
 *		row: 0..100, -1 unknown
 * @poses:	path: see poses_file.h
 * @layer:	made if it is not there, as import_layer_make() says
 * @frame:	prefix of the frames' names, before the index
 * @words:	for layer_change(), of a layer that is made now
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
 * @submaps:	that are in the store
 * @known:	cells of them
 * @undrawn:	those that are too large for the fused map's cells: they are
 *		stored, and not in it
 */
struct import_result {
	unsigned int	submaps, undrawn;
	uint64_t	known;
};

struct import;

/**
 * import_open() - read and check all of it, before there need be a store
 * @im:		must stay
 * @error:	gets one line
 *
 * Return: 0 and @job, for import_close(); -EINVAL, -ENOMEM; others of opening
 * and reading.
 */
int import_open(struct import **job, const struct import_submaps *im,
		char error[ERROR_TEXT]);

/**
 * import_run() - put it into a site
 * @at_once:	one transaction: all or none. What the site has in memory is
 *		then of no use after an error: it is to be closed. Else each is
 *		stored for itself, and those before an error stay
 * @r:		what was done, after an error too
 */
int import_run(struct import *job, struct site *s, bool at_once,
	       struct import_result *r, char error[ERROR_TEXT]);
void import_close(struct import *job);

/**
 * import_poses_narrow() - fuse only what import_poses() is going to move
 *
 * See site_narrow(). Return: as import_poses().
 */
int import_poses_narrow(struct site *s, const char *path, const char *frame,
			char error[ERROR_TEXT]);

/**
 * import_poses() - submaps are elsewhere
 * @path:	see poses_file.h
 * @frame:	prefix of the frames' names; all of them must be there
 * @source:	who says so
 * @count:	gets how many poses
 *
 * Fused maps are not brought up to date by this.
 *
 * Return: 0; as poses_file_read() and site_transforms().
 */
int import_poses(struct site *s, const char *path, const char *frame,
		 const char *source, unsigned int *count,
		 char error[ERROR_TEXT]);

#endif
