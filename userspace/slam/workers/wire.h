/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * wire.h - what the coordinator of a filter and its workers say to each other
 *
 * Structs as they are in memory, followed by arrays: who speaks another
 * protocol or comes from another build is refused by the engine.
 *
 *	coordinator -> worker
 *	SETUP	  parameters: the first message; all before is forgotten
 *	SCAN	  a reading of an update, for REBUILD; until the next MATCH
 *	REBUILD	  have this particle, by its steps
 *	MATCH	  a reading: match the particles you have; of the update before
 *		  that all stayed as they were, if nobody said SETTLE
 *	SETTLE	  of the update that was matched: who is whose child, and where
 *	TRACK	  where is the robot in this particle's map? May come between
 *		  two MATCH of the same update, but not from one to the next
 *
 *	worker -> coordinator
 *	RESULT	  particles that were matched
 *	TRACKED
 *	FAILED	  no memory, or a message that cannot be: the worker leaves;
 *		  the map is too large: it would be for everybody
 *
 *	worker -> worker
 *	MAP	  a particle that became yours, and its tiles
 *	NEED	  of that one also the tiles at these places
 *	TILES	  here they are
 */
#ifndef SLAM_WORKERS_WIRE_H
#define SLAM_WORKERS_WIRE_H

#include "cluster/bus.h"
#include "slam/filter/particles.h"
#include "laser/reading.h"

enum { WIRE_VERSION = 9 };

enum wire_type {
	WIRE_SETUP = 1, WIRE_SCAN, WIRE_REBUILD, WIRE_MATCH, WIRE_SETTLE,
	WIRE_TRACK, WIRE_RESULT, WIRE_TRACKED, WIRE_FAILED, WIRE_MAP,
	WIRE_NEED, WIRE_TILES,
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
 * @round: 0; or this update was matched before, and that does not count
 * @early: once the result is out, the scan goes into the maps: as a rule
 *	nobody is resampled, and then that need not wait for the coordinator
 * @again: not if none of the worker's particles fits so well
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
 * @number: particle, of whose @total steps those from @at on follow, @steps of
 * them, the oldest first. All parts come in turn; after the last one it is
 * matched at once if MATCH came before
 */
struct wire_rebuild {
	uint32_t	number, steps, at, total;
};

struct wire_outcome {
	struct pose	pose;
	double		fit;
	uint32_t	number, evaluations;
};

/* @count of wire_outcome follow */
struct wire_result {
	uint64_t	update;
	uint64_t	bytes, peak;		/* particles_use() */
	uint64_t	cpu;			/* all it did, ns */
	uint64_t	early;			/* of that, scans put into maps
						 * while others matched
						 */
	struct bus_traffic sent;		/* to other workers */
	uint32_t	count, round;		/* of MATCH */
};

/*
 * A particle's next life: @parent's, whom worker @from has, at worker @owner,
 * who has @base, and for whom @from sends the tiles of versions from @since on
 */
struct wire_child {
	uint32_t	parent, from, owner, base;
	uint64_t	since;
};

/* @count of wire_child follow; none: all stay as they are, and a TRACK or
 * REBUILD follows, which cannot wait for MATCH
 */
struct wire_settle {
	uint64_t	update;
	uint32_t	count, pad;
};

struct wire_track {
	struct seek	seek;
	uint64_t	ticket;
	uint32_t	number, pad;
};

struct wire_tracked {
	struct wire_outcome	outcome;
	double			against, ahead;
	uint64_t		ticket;
};

/*
 * MAP, TILES: tiles of particle @number of before the resampling follow, or of
 * their @total bytes those from @at on: see map_reassembly.h; @since: from this version
 * on; NEED: places follow
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
