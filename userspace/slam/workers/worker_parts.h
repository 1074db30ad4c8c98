/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * worker_parts.h - shared by the files of a worker
 *
 * worker.c takes messages and calls the others; worker_maps.c moves particles
 * between workers, and calls worker_match.c, which matches and writes them.
 */
#ifndef SLAM_WORKERS_WORKER_PARTS_H
#define SLAM_WORKERS_WORKER_PARTS_H

#include "slam/filter/particles.h"
#include "slam/workers/map_reassembly.h"
#include "slam/workers/scans.h"
#include "slam/workers/worker.h"

/**
 * struct late - a particle that moves to this worker
 * @base:	ghost with a common ancestor
 * @tiles:	of MAP; kept until TILES, because fields are computed from the
 *		cells of neighbours
 */
struct late {
	struct wire_child	child;
	uint32_t		number, base;
	void			*tiles;
	size_t			len;
};

/* A copy of a particle as it was at the resampling */
struct ghost {
	uint32_t		of, number;
};

/* A map that came early */
struct early {
	uint32_t		from;
	size_t			len;
	struct wire_map		*map;
};

struct worker {
	struct bus		*engine;
	unsigned int		threads;
	struct thread_pool_group *group;	/* NULL: none */
	unsigned int		member;
	void			(*log)(void *arg, int priority,
				       const char *line);
	void			*arg;
	bool			ready;
	struct slam_params	params;
	struct particles	*particles;
	struct scans		scans;		/* for REBUILD */
	struct bytes		reading;	/* of the last MATCH */
	struct scan		scan;
	uint64_t		update;		/* of the last MATCH */
	uint32_t		round;		/* likewise */
	uint32_t		idle;		/* ms without a message */
	double			again;
	uint64_t		settled;	/* the next update to settle */
	struct motion		motion;
	bool			matching;
	bool			eager;		/* @early of MATCH */
	uint32_t		*numbers;
	uint32_t		count, room;
	uint32_t		written;	/* the first so many have the scan */
	int			failed;		/* one of these writes */
	struct outcome		*out;
	uint32_t		out_room;
	struct late		*late;
	uint32_t		lates, late_room;
	struct ghost		*ghost;
	uint32_t		ghosts, ghost_room, next_ghost;
	struct early		*early;
	uint32_t		earlies, early_room;
	struct map_reassembly	reassembly;
	struct bytes		bytes;
	uint64_t		cpu, began;	/* this thread's, ns */
	uint64_t		early_cpu;	/* of all threads */
	uint64_t		asked;		/* time of MATCH; 0: answered */
	struct bus_traffic	before;		/* sent, before SETUP */
};

/*
 * worker_match.c
 */

/* Return: 0, also if @to is lost; a negative errno */
int worker_send(struct worker *w, uint32_t to, enum wire_type type,
		const void *head, size_t head_len, const void *data,
		size_t len);

bool worker_has(const struct worker *w, uint32_t number);
/* Add a particle that is not in the list. Return: 0; -ENOMEM */
int worker_add_new(struct worker *w, uint32_t number);
/* A late particle is complete. Return: 0 or a negative errno */
int worker_arrived(struct worker *w, uint32_t number);

/* Make @w->scan; worker_make_own(): of the reading of the last MATCH */
int worker_make_scan(struct worker *w, const struct wire_reading *r);
int worker_make_own(struct worker *w);

/* Match @w->scan with these particles, and send the result */
int worker_match(struct worker *w, const uint32_t *numbers, uint32_t count);

/* Write the scan to the maps that do not have it yet */
int worker_write_rest(struct worker *w);
/* The same while others match, if it will not be matched again */
void worker_write_early(struct worker *w);

/*
 * worker_maps.c
 */

/* No resampling. Return: 0 or a negative errno */
int worker_settle_all(struct worker *w);

/* Drop late particles and ghosts */
void worker_drop_lates(struct worker *w);
void worker_drop_ghosts(struct worker *w);

/* Stop waiting for the particle; it, or a sibling, may be incomplete */
void worker_not_late(struct worker *w, uint32_t number);

/* Messages of these types. Return: 0 or a negative errno */
int worker_on_settle(struct worker *w, const void *data, size_t len);
int worker_on_map(struct worker *w, uint32_t from, const void *data,
		  size_t len);
int worker_on_need(struct worker *w, uint32_t from, const void *data,
		   size_t len);
int worker_on_tiles(struct worker *w, uint32_t from, const void *data,
		    size_t len);

#endif
