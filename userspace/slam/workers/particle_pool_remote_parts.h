/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * particle_pool_remote_parts.h - shared by the files of the coordinator
 *
 * particle_pool_remote.c has the workers and matching;
 * particle_pool_remote_settle.c has the resampling;
 * particle_pool_remote_share.c decides how many particles each worker gets;
 * particle_pool_remote_own.c has the coordinator's own map;
 * particle_pool_remote_late.c has the deadline.
 */
#ifndef SLAM_WORKERS_PARTICLE_POOL_REMOTE_PARTS_H
#define SLAM_WORKERS_PARTICLE_POOL_REMOTE_PARTS_H

#include "slam/filter/particle_pool.h"
#include "slam/workers/own_map.h"
#include "slam/workers/scans.h"
#include "slam/workers/speed.h"
#include "slam/workers/workload.h"

/**
 * struct member - a worker
 * @scans:	it has those of updates below this one, and drops them at the
 *		next MATCH
 * @matched:	likewise, updates it was asked to match
 * @answered:	it answered all MATCH of updates below this one
 * @load:	its number of particles
 * @share:	of all particles that it gets at a resampling, 0..1
 * @work:	its work in all; @before: until the end of the last match
 */
struct member {
	uint32_t		id;
	uint64_t		scans, matched, answered;
	uint32_t		load;
	double			share;
	struct speed		speed;
	struct particles_use	use;
	struct particle_pool_work	work, before;
};

/* Updates whose answers are timed, also if they come after the next update */
enum { REMOTE_ASKED = 64 };

/* When workers got MATCH of an update, ns */
struct remote_asked {
	uint64_t	update, at;
	uint32_t	round;
};

/**
 * struct remote
 * @owner:	id of the worker of each particle; 0: none
 * @from:	id of the worker of its parent before the last resampling
 * @done:	in this match
 * @open:	an update was matched, and is not settled
 * @unsettled:	the last update changed nothing, and workers do not know that
 *		yet
 * @resampled:	the last update resampled
 * @asked:	of update i % REMOTE_ASKED
 * @evaluations: at the last update, of all workers
 * @usual:	mean time of an update to which no particles moved, ns
 * @moves:	particles that move before the next update
 * @move:	mean time that one of these delays it, ns
 * @own:	NULL: not needed yet
 * @busiest:	of the answers to this MATCH, ns by the clock
 * @due:	deadline of the update, CLOCK_MONOTONIC, ns
 * @overdue:	it passed with too few results
 * @rebuilds:	particles are rebuilt for this update: no deadline
 * @lost:	work of lost workers
 * @heard:	time of the last message, or of the call, ns
 * @silent:	intervals since then
 * @called:	time of the last call of @config.waiting, or of match()
 * @failed:	error of the last worker that failed
 */
struct remote {
	struct particle_pool		pool;
	struct slam_params		params;
	struct particle_pool_remote_config	config;
	struct member			*member;
	uint32_t			members, member_room;
	uint32_t			*owner, *from, *next_owner;
	uint8_t				*done;
	uint32_t			count, room;
	struct scans			scans;
	uint64_t			settled;
	struct particle_pool_order	order;
	bool				matching, open, begun;
	bool				unsettled, resampled;
	bool				changed;	/* workers */
	struct outcome			*out;
	uint32_t			missing;
	struct remote_asked		asked[REMOTE_ASKED];
	uint64_t			busiest, due;
	bool				overdue, rebuilds;
	double				evaluations, usual, move;
	uint32_t			moves;
	const struct particle_pool_state	*state;
	struct particles_use		lost;
	uint64_t			heard, called;
	unsigned int			silent;
	int				failed;
	struct own_map			*own;
	struct workload			load;
	struct bytes			bytes;
};

__attribute__((format(printf, 3, 4)))
void remote_log(struct remote *r, int priority, const char *format, ...);

/* NULL: not there, or not any more */
struct member *remote_member(const struct remote *r, uint32_t id);

/* Arrays of this many particles. Return: 0; -ENOMEM */
int remote_make_room(struct remote *r, uint32_t count);

/* To all workers. Return: 0, also if some are lost; a negative errno */
int remote_send_all(struct remote *r, enum wire_type type, const void *head,
		    size_t head_len, const void *data, size_t len);

/*
 * particle_pool_remote_own.c
 */

/* Draw the own map of particle @number; of the best one, as of the update
 * before, while workers match. Return: 0 or a negative errno
 */
int remote_own_draw(struct remote *r, const struct particle_pool_state *state,
		    uint32_t number);
int remote_own_ahead(struct remote *r);

/* Of struct particle_pool_ops */
int remote_track(struct particle_pool *t,
		 const struct particle_pool_state *state, uint32_t number,
		 const struct reading *reading, const struct seek *seek,
		 struct sighting *out);
int remote_draft(struct particle_pool *t, uint64_t update,
		 const struct reading *reading, const struct pose *pose);

/*
 * particle_pool_remote_late.c
 */

/* How long to wait for a message, ms, @longest at most */
int remote_patience(struct remote *r, int longest);
/* Whether missing particles must be replaced now */
bool remote_is_due(const struct remote *r);
/* Replace them, in r->out. Return: 0; -ENOMEM */
int remote_replace(struct remote *r);
/* Whether a worker has not answered the last MATCH: it gets no particles */
bool remote_is_behind(const struct remote *r, const struct member *m);

/*
 * particle_pool_remote_share.c
 */

/* MATCH goes out now; the first answer of a worker to it; all are there */
void remote_asked(struct remote *r);
void remote_answered(struct remote *r, struct member *m,
		     const struct wire_result *w);
void remote_matched(struct remote *r);

/**
 * remote_share() - compute the shares of the workers
 * @changed: workers came or left; otherwise only if it is worth the moves
 *
 * Return: 1: there are new ones; 0; -ENOMEM.
 */
int remote_share(struct remote *r, bool changed);

/* Of struct particle_pool_ops */
int remote_settle(struct particle_pool *t,
		  const struct particle_pool_state *state, uint64_t update,
		  const uint32_t *parent, uint32_t count);

#endif
