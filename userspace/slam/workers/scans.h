/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * scans.h - the readings of all updates, to rebuild maps
 */
#ifndef SLAM_WORKERS_SCANS_H
#define SLAM_WORKERS_SCANS_H

#include "slam/workers/wire.h"

/* Updates: a month at 6 per second */
enum { SCANS_MAX = 1 << 24 };

/* All zero is empty */
struct scans {
	struct wire_reading	**reading;	/* [update]; NULL: not here */
	uint32_t		count, room;
};

/* Bytes of a reading with its ranges */
static inline size_t scans_size(const struct wire_reading *r)
{
	return sizeof(*r) + r->beams * sizeof(float);
}

/* Whether @len bytes are a valid reading */
bool scans_valid(const struct wire_reading *r, size_t len);

/**
 * scans_put() - store a reading
 * @len: bytes at @reading
 *
 * Replaces one of the same update. Return: 0; -EBADMSG: invalid; -ENOMEM;
 * -E2BIG.
 */
int scans_put(struct scans *s, uint64_t update,
	      const struct wire_reading *reading, size_t len);

/* A reading of the filter, likewise */
int scans_add(struct scans *s, uint64_t update, const struct reading *reading);

/* NULL: not stored. Valid until the next change */
const struct wire_reading *scans_at(const struct scans *s, uint64_t update);

/* A reading without its ranges; with them, to be freed, NULL: no memory; and
 * back: the ranges are behind @r
 */
struct wire_reading scans_wire(const struct reading *r);
struct wire_reading *scans_copy(const struct reading *r);
struct reading scans_reading(const struct wire_reading *r);

void scans_free(struct scans *s);

#endif
