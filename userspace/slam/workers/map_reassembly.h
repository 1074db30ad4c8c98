/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * map_reassembly.h - reassembly of maps split over messages
 *
 * A worker sends one map after the other, each in order of its parts; maps of
 * different workers interleave.
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
 * map_reassembly_take() - take a MAP or TILES
 * @from: worker
 * @data: a wire_map with tiles; gets the complete one, which is @data or valid
 *	until the next call
 * @len: its bytes, likewise
 *
 * Return: 1: complete; 0: more parts follow; -EBADMSG; -ENOMEM.
 */
int map_reassembly_take(struct map_reassembly *p, uint32_t from,
			const void **data, size_t *len);

/* Maps that began before this update stay incomplete: drop them; complete ones
 * are not needed any more
 */
void map_reassembly_drop(struct map_reassembly *p, uint64_t update);

void map_reassembly_free(struct map_reassembly *p);

#endif
