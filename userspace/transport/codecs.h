/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * codecs.h - the list of all codecs, one row each
 *
 * A codec is a file codec_IDENT.c with a struct codec named codec_IDENT, and a
 * row here. Sender, receiver, options and tests read the rows.
 */
#ifndef TRANSPORT_CODECS_H
#define TRANSPORT_CODECS_H

/*
 * X(ID, IDENT). The index of a row is the number of its codec in the flags of
 * segments: append only.
 */
#define CODEC_ROWS(X)							\
	X(BLOB, blob)			/* whole or nothing: any kind */ \
	X(MD, md)			/* images */			\
	X(SPLIT, split)							\
	X(RANGE, range)			/* clouds of a spinning lidar */ \
	X(BLOCK, block)			/* any cloud, voxels */		\
	X(CLOUD80, cloud80)						\
	X(VSCAN, vscan)			/* clouds, as two scans */	\
	X(TILES, tiles)			/* occupancy grids */		\
	X(PYRAMID, pyramid)						\
	X(LASERSCAN, laserscan)						\
	X(LAYERS, layers)		/* grid maps */			\
	X(DEPTH, depth)			/* depth images */		\
	X(VALUES, values)		/* images of numbers */

#endif
