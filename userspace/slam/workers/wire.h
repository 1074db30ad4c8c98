/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * wire.h - messages between the coordinator of a filter and its workers
 *
 * Structs as they are in memory, followed by arrays: the engine refuses peers
 * of another protocol or build.
 *
 *	coordinator -> worker
 *	SETUP	  parameters: the first message; resets the worker
 *	SCAN	  a reading of an update, for REBUILD; kept until the next MATCH
 *	REBUILD	  rebuild this particle from its steps
 *	MATCH	  a reading: match your particles; without SETTLE the update
 *		  before did not resample
 *	SETTLE	  for the matched update: parents and owners of children
 *	FORGET	  drop all particles: REBUILD and COPY follow
 *	COPY	  a particle of the receiver becomes a copy of another one
 *
 *	worker -> coordinator
 *	RESULT	  particles that were matched
 *	FAILED	  no memory, or an invalid message: the worker leaves; or the
 *		  map is too large, as it would be on any worker
 *
 *	worker -> worker
 *	MAP	  a particle for the receiver, and its tiles
 *	NEED	  request for the tiles of that particle at these places
 *	TILES	  the answer to NEED
 */
#ifndef SLAM_WORKERS_WIRE_H
#define SLAM_WORKERS_WIRE_H

#include "cluster/bus.h"
#include "slam/filter/particles.h"
#include "laser/reading.h"

enum { WIRE_VERSION = 12 };

enum wire_type {
	WIRE_SETUP = 1, WIRE_SCAN, WIRE_REBUILD, WIRE_FORGET, WIRE_COPY,
	WIRE_MATCH, WIRE_SETTLE,
	WIRE_RESULT, WIRE_FAILED, WIRE_MAP, WIRE_NEED, WIRE_TILES,
};

/* A reading; @beams ranges follow */
struct wire_reading {
	int64_t		stamp;
	struct pose	odometry, laser, sweep;
	uint32_t	beams;
	float		angle_min, angle_increment, range_max;
};

/*
 * SCAN and MATCH; SCAN without motion. A reading follows
 * @round: 0; otherwise this update was matched before, and that is void
 * @early: after the result, write the scan to the maps: usually there is no
 *	resampling, and the write need not wait for the coordinator
 * @again: not if all of the worker's particles fit worse than this
 */
struct wire_match {
	uint64_t	update;
	struct motion	motion;
	uint32_t	round, early;
	double		again;
};

struct wire_step {
	struct pose	pose;
	uint64_t	update;
	uint32_t	number, pad;
};

/*
 * @number: particle, with @total steps; those from @at on follow, @steps of
 * them, the oldest first. Parts come in order; after the last one it is matched
 * at once if MATCH came before
 */
struct wire_rebuild {
	uint32_t	number, steps, at, total;
};

/* COPY: particle @number becomes a copy of @of */
struct wire_copy {
	uint32_t	number, of;
};

/* @number: of the particle; in a checkpoint its hypothesis and relative */
struct wire_outcome {
	struct pose	pose;
	double		fit;
	uint32_t	number, evaluations;
};

/*
 * @count of wire_outcome follow. A worker answers each MATCH at once, even
 * without particles, and again for each particle that comes later
 */
struct wire_result {
	uint64_t	update;
	uint64_t	bytes, peak;		/* particles_use() */
	uint64_t	cpu;			/* in all, ns */
	uint64_t	early;			/* part of it, to write scans to
						 * maps while others matched
						 */
	uint64_t	busy;			/* since it took MATCH, ns by
						 * the clock; 0: of a particle
						 * that came later
						 */
	struct bus_traffic sent;		/* to other workers */
	uint32_t	count, round;		/* of MATCH */
};

/*
 * A child: of @parent at worker @from, for worker @owner, which has @base.
 * @from sends the tiles of versions from @since on
 */
struct wire_child {
	uint32_t	parent, from, owner, base;
	uint64_t	since;
};

/* @count of wire_child follow; none: no resampling, and a REBUILD follows,
 * which cannot wait for MATCH
 */
struct wire_settle {
	uint64_t	update;
	uint32_t	count, pad;
};

/*
 * MAP, TILES: followed by tiles of particle @number before the resampling, or
 * by those of their @total bytes from @at on: see map_reassembly.h; @since:
 * from this version on; NEED: places follow
 */
struct wire_map {
	struct pose	pose;
	uint64_t	update, since;
	uint64_t	at, total;
	uint32_t	number, base;
};

/* There is no such particle */
#define WIRE_NONE	UINT32_MAX

#endif
