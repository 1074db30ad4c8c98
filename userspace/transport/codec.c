// SPDX-License-Identifier: GPL-2.0-only
/*
 * codec - how messages travel
 */
#include <errno.h>
#include <string.h>
#include "transport/codec.h"

#define KIND(k) (1U << MESSAGE_##k)

static const struct {
	const char	*name;
	unsigned int	kinds;
} codecs[CODECS] = {
	[CODEC_BLOB]	= { "blob", ~0U },
	[CODEC_MD]	= { "md", KIND(IMAGE) | KIND(COMPRESSED_IMAGE) },
	[CODEC_SPLIT]	= { "split", KIND(IMAGE) | KIND(COMPRESSED_IMAGE) },
	[CODEC_RANGE]	= { "range", KIND(POINT_CLOUD) },
	[CODEC_BLOCK]	= { "block", KIND(POINT_CLOUD) },
	[CODEC_CLOUD80]	= { "cloud80", KIND(POINT_CLOUD) },
	[CODEC_VSCAN]	= { "vscan", KIND(POINT_CLOUD) },
	[CODEC_TILES]	= { "tiles", KIND(OCCUPANCY_GRID) },
	[CODEC_PYRAMID]	= { "pyramid", KIND(OCCUPANCY_GRID) },
	[CODEC_LASERSCAN] = { "scan", KIND(LASER_SCAN) },
	[CODEC_LAYERS]	= { "layers", KIND(GRID_MAP) },
	[CODEC_DEPTH]	= { "depth", KIND(IMAGE) | KIND(COMPRESSED_IMAGE) },
};

const char *codec_name(enum codec_id codec)
{
	return codecs[codec].name;
}

int codec_of(const char *name)
{
	for (unsigned int c = 0; c < CODECS; c++)
		if (!strcmp(codecs[c].name, name))
			return c;
	return -ENOENT;
}

bool codec_takes(enum codec_id codec, enum message_kind kind)
{
	return codecs[codec].kinds >> kind & 1;
}

enum codec_id codec_default(enum message_kind kind)
{
	switch (kind) {
	case MESSAGE_IMAGE:
	case MESSAGE_COMPRESSED_IMAGE:
		return CODEC_MD;
	case MESSAGE_POINT_CLOUD:
		return CODEC_RANGE;
	case MESSAGE_LASER_SCAN:
		return CODEC_LASERSCAN;
	case MESSAGE_OCCUPANCY_GRID:
		return CODEC_TILES;
	case MESSAGE_GRID_MAP:
		return CODEC_LAYERS;
	default:
		return CODEC_BLOB;
	}
}
