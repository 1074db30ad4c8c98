/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * codec.h - how messages travel: one codec of the library for each datagram
 *
 * The number is on the wire, in the flags of the segment: it stays.
 */
#ifndef TRANSPORT_CODEC_H
#define TRANSPORT_CODEC_H

#include <stdbool.h>
#include "ros/msg/message.h"

enum codec_id {
	CODEC_BLOB,		/* whole or nothing: any kind */
	CODEC_MD,		/* images */
	CODEC_SPLIT,
	CODEC_RANGE,		/* clouds of a spinning lidar */
	CODEC_BLOCK,		/* any cloud, voxels */
	CODEC_CLOUD80,
	CODEC_VSCAN,		/* clouds, as two scans */
	CODEC_TILES,		/* occupancy grids */
	CODEC_PYRAMID,
	CODEC_LASERSCAN,
	CODEC_LAYERS,		/* grid maps */
	CODEC_DEPTH,		/* depth images */
	CODECS,
};

/* as users call it */
const char *codec_name(enum codec_id codec);

/* Return: enum codec_id, or -ENOENT */
int codec_of(const char *name);

/* Whether messages of that kind can travel so */
bool codec_takes(enum codec_id codec, enum message_kind kind);

/* What such messages travel as if nothing else is said */
enum codec_id codec_default(enum message_kind kind);

#endif
