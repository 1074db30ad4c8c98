/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * codec_map.h - shared by the codecs of occupancy grids
 */
#ifndef TRANSPORT_CODEC_MAP_H
#define TRANSPORT_CODEC_MAP_H

#include "codec/grid/map.h"
#include "transport/codec_impl.h"

/**
 * struct codec_map - a message to encode
 * @width:	columns that @map and encoders can hold
 * @height:	rows, likewise
 */
struct codec_map {
	struct map	map;
	unsigned int	width, height;
};

/* struct codec.input: a struct codec_map */
extern const struct codec_input codec_map_input;

/* Publishes a decoded map. Return: 0 */
int codec_map_give(const struct decode_call *c, const struct map *map,
		   struct decode_result *r);

#endif
