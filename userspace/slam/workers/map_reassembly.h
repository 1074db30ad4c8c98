/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * map_reassembly.h - maps that came in several messages are one again
 *
 * A worker sends one map after the other, each in order of its parts; only
 * those of different workers come mixed.
 */
#ifndef SLAM_WORKERS_MAP_REASSEMBLY_H
#define SLAM_WORKERS_MAP_REASSEMBLY_H

#include "base/bytes.h"
#include "slam/workers/wire.h"

/* Bytes of tiles in one message */
enum { PARCEL_PART = 64 << 10 };

struct parcel;

/* All zero is empty */
struct parcels {
	struct parcel	*list;
	uint32_t	count, room;
};

/**
 * parcels_take() - a MAP or TILES
 * @from: worker
 * @data: a wire_map with tiles; gets the whole one, which is @data or stays
 *	good until the next call
 * @len: its bytes, likewise
 *
 * Return: 1: all of it is there; 0: more is to come; -EBADMSG; -ENOMEM.
 */
int parcels_take(struct parcels *p, uint32_t from, const void **data,
		 size_t *len);

/* What was begun before this update will not be completed; what was completed
 * is of no use any more
 */
void parcels_drop(struct parcels *p, uint64_t update);

void parcels_free(struct parcels *p);

#endif
