/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * map_reassembly.h - reassembly of maps split over messages
 *
 * A worker sends one map after the other, each in order of its parts; only
 * those of different workers come mixed.
 */
#ifndef SLAM_WORKERS_MAP_REASSEMBLY_H
#define SLAM_WORKERS_MAP_REASSEMBLY_H

#include "base/bytes.h"
#include "slam/workers/wire.h"

/* Bytes of tiles in one message */
enum { MAP_REASSEMBLY_PART = 64 << 10 };

struct partial_map;

/* All zero is empty */
struct map_reassembly {
	struct partial_map	*list;
	uint32_t	count, room;
};

/**
 * map_reassembly_take() - a MAP or TILES
 * @from: worker
 * @data: a wire_map with tiles; gets the whole one, which is @data or stays
 *	good until the next call
 * @len: its bytes, likewise
 *
 * Return: 1: all of it is there; 0: more is to come; -EBADMSG; -ENOMEM.
 */
int map_reassembly_take(struct map_reassembly *p, uint32_t from,
			const void **data, size_t *len);

/* What was begun before this update will not be completed; what was completed
 * is of no use any more
 */
void map_reassembly_drop(struct map_reassembly *p, uint64_t update);

void map_reassembly_free(struct map_reassembly *p);

#endif
