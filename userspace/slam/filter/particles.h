/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * particles.h - the particles of one worker: poses and maps
 *
 * A particle has a number, 0 to SLAM_PARTICLES_MAX - 1, the same on all
 * workers. These are the particles of this worker.
 */
#ifndef SLAM_FILTER_PARTICLES_H
#define SLAM_FILTER_PARTICLES_H

#include "slam/filter/map_code.h"
#include "slam/filter/motion.h"
#include "slam/filter/scan.h"

struct particles;
struct thread_pool_group;

/**
 * struct outcome - the result of matching a particle
 * @pose:	after the scan
 * @fit:	of the scan there, 0..1; with GMapping's maps its
 *		log-likelihood
 * @evaluations: of poses
 * @hypothesis: enum hypothesis
 * @relative:	0; 1 + number of the particle that replaces it: all above is of
 *		that one
 */
struct outcome {
	struct pose	pose;
	double		fit;
	uint32_t	evaluations, hypothesis, relative, pad;
};

/**
 * particles_create() - without particles
 * @params: copied
 * @threads: as thread_pool_create()
 *
 * Return: to be freed with particles_destroy(); NULL: no memory.
 */
struct particles *particles_create(const struct slam_params *params,
				   unsigned int threads);

/* Likewise, with one thread; pool @member of the group helps others and is
 * helped
 */
struct particles *particles_create_member(const struct slam_params *params,
					  struct thread_pool_group *group,
					  unsigned int member);
void particles_destroy(struct particles *p);

/* A particle without a map. Return: 0; -ENOMEM; -EINVAL: no such number */
int particles_add(struct particles *p, uint32_t number,
		  const struct pose *pose);
void particles_drop(struct particles *p, uint32_t number);
bool particles_has(const struct particles *p, uint32_t number);
struct pose particles_pose(const struct particles *p, uint32_t number);
void particles_place(struct particles *p, uint32_t number,
		     const struct pose *pose);

/* The same; an update that was matched already is matched from there */
void particles_restart(struct particles *p, uint32_t number,
		       const struct pose *pose);

/**
 * struct seek - where to search for a scan
 * @prior:	poses beyond it cost
 * @wide:	search the whole area, not only from its middle
 * @check:	compute @against
 */
struct seek {
	struct prior	prior;
	uint32_t	wide, check;
};

/**
 * struct sighting - the result of a search
 * @against:	the share of its beams that pass through walls of the map
 * @ahead:	of a wide search: by how much it fits better than elsewhere
 */
struct sighting {
	struct outcome	outcome;
	double		against, ahead;
};

/**
 * particles_match() - move and match
 * @update:	number of the scan among those that change particles, from 0.
 *		An update may be repeated with another motion
 * @scan:	unchanged until particles_write() of this update is done
 * @motion:	of the robot since the update before
 * @numbers:	of particles of this worker, @count of them
 * @out:	[@count]
 *
 * The very first scan is not matched: there is no map.
 *
 * Return: 0; -ENOMEM.
 */
int particles_match(struct particles *p, uint64_t update,
		    const struct scan *scan, const struct motion *motion,
		    const uint32_t *numbers, uint32_t count,
		    struct outcome *out);

/**
 * particles_write() - write the scan to the maps of particles
 *
 * Return: 0; -ENOMEM; -ERANGE: a map would get too large. After an error some
 * maps have the scan.
 */
int particles_write(struct particles *p, uint64_t update,
		    const struct scan *scan, const uint32_t *numbers,
		    uint32_t count);

/* @to becomes a copy of @from; no map is copied. Return: 0; -ENOMEM */
int particles_copy(struct particles *p, uint32_t to, uint32_t from);

/**
 * particles_track() - find the robot in a particle's map
 *
 * Changes nothing. Return: the best pose.
 */
struct sighting particles_track(struct particles *p, uint32_t number,
				const struct scan *scan,
				const struct seek *seek);

/**
 * particles_redo() - write an earlier scan to a map again
 * @update:	of the scan
 * @writer:	number of the particle then
 * @pose:	of the particle then; also its pose afterwards
 *
 * Return: as particles_write().
 */
int particles_redo(struct particles *p, uint32_t number, uint64_t update,
		   uint32_t writer, const struct scan *scan,
		   const struct pose *pose);

/**
 * struct particles_use - memory and time
 * @bytes:	of all maps, now and at most
 * @cpu:	ns of processor time in all threads except the caller's
 */
struct particles_use {
	uint64_t	bytes, peak, cpu;
};

void particles_use(const struct particles *p, struct particles_use *use);

/**
 * particles_encode() - tiles of a particle's map, for another worker
 * @since:	those with this version or later: see map_code.h
 * @out:	appended to
 *
 * Return: 0 or a negative errno.
 */
int particles_encode(struct particles *p, uint32_t number, uint64_t since,
		     struct bytes *out);
int particles_encode_places(struct particles *p, uint32_t number,
			    const struct map_place *place, uint32_t count,
			    struct bytes *out);

/* Write tiles to the map of a particle. Return: 0 or a negative errno */
int particles_decode(struct particles *p, uint32_t number, const void *data,
		     size_t len);

/* map_stale() of its map */
int particles_stale(struct particles *p, uint32_t number, uint64_t since,
		    const void *data, size_t len, struct map_place **place);

/* The map, for tests; NULL: not on this worker */
const struct likelihood_field *particles_field(const struct particles *p,
					       uint32_t number,
					       struct tiles **pool);

#endif
