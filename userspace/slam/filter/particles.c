// SPDX-License-Identifier: GPL-2.0-only
/*
 * particles.c - the particles of a worker, on all its threads
 */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/thread_pool.h"
#include "slam/filter/det_math.h"
#include "slam/filter/match.h"
#include "slam/filter/match_wide.h"
#include "slam/filter/particles.h"

/**
 * struct map_ops - operations on a kind of maps: ours, or GMapping's
 * @write:	a scan to a map. Return: as field_hit()
 * @match:	the pose of the scan after a motion. Return: the particle's fit
 * @track:	likewise from an expected pose, without sampling
 */
struct map_ops {
	const struct tile_kind	*tiles;
	int	(*write)(struct particles *p, struct likelihood_field *map,
			 const struct scan *scan, const struct pose *pose,
			 uint64_t version);
	double (*match)(struct matcher *m, const struct scan *scan,
			const struct likelihood_field *map,
			const struct motion *motion, struct pose *pose,
			struct random *random);
	double	(*track)(struct matcher *m, const struct scan *scan,
			 const struct likelihood_field *map, struct pose *pose);
};

static const struct map_ops own_map_ops, gmapping_map_ops;

/**
 * struct particle
 * @before:	pose at the start of update @matched - 1
 */
struct particle {
	bool		here;
	struct pose	pose, before;
	uint64_t	matched;
	struct likelihood_field	map;
};

struct particles {
	struct slam_params	params;
	const struct map_ops	*ops;
	struct field_kernel	kernel;
	struct tiles		*pool;
	struct thread_pool	*threads;
	struct matcher		*matcher;	/* of each thread */
	struct particle		*particle;
	uint32_t		room;
};

/* Input of the threads */
struct matching {
	struct particles	*p;
	uint64_t		update;
	const struct scan	*scan;
	const struct motion	*motion;
	const uint32_t		*numbers;
	struct outcome		*out;
	_Atomic int		err;
};

/* No two in the same cache line, or pair of lines */
static struct matcher *new_matchers(unsigned int count)
{
	const size_t bytes = count * sizeof(struct matcher);
	struct matcher *m = aligned_alloc(_Alignof(struct matcher), bytes);

	return m ? memset(m, 0, bytes) : NULL;
}

/* @group: NULL: none */
static struct particles *create(const struct slam_params *params,
				unsigned int threads,
				struct thread_pool_group *group,
				unsigned int member)
{
	struct particles *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->params = *params;
	p->ops = params->compat == SLAM_GMAPPING ? &gmapping_map_ops :
						   &own_map_ops;
	field_kernel_init(&p->kernel, params->sigma / params->resolution,
			  params->ratio);
	p->pool = tiles_create(p->ops->tiles, 0);
	p->threads = thread_pool_create(threads);
	if (p->threads && group)
		thread_pool_join(p->threads, group, member);
	if (p->threads)
		p->matcher = new_matchers(thread_pool_threads(p->threads));
	if (!p->pool || !p->threads || !p->matcher) {
		particles_destroy(p);
		return NULL;
	}
	for (unsigned int i = 0; i < thread_pool_threads(p->threads); i++) {
		if (!matcher_init(p->matcher + i, &p->params,
				  tiles_base(p->pool)))
			continue;
		particles_destroy(p);
		return NULL;
	}
	return p;
}

struct particles *particles_create(const struct slam_params *params,
				   unsigned int threads)
{
	return create(params, threads, NULL, 0);
}

struct particles *particles_create_member(const struct slam_params *params,
					  struct thread_pool_group *group,
					  unsigned int member)
{
	return create(params, 1, group, member);
}

void particles_destroy(struct particles *p)
{
	if (!p)
		return;
	for (uint32_t i = 0; i < p->room; i++)
		field_free(&p->particle[i].map, p->pool);
	free(p->particle);
	for (unsigned int i = 0;
	     p->matcher && i < thread_pool_threads(p->threads); i++)
		matcher_free(p->matcher + i);
	free(p->matcher);
	thread_pool_destroy(p->threads);
	tiles_destroy(p->pool);
	free(p);
}

int particles_add(struct particles *p, uint32_t number,
		  const struct pose *pose)
{
	/* workers keep old particles at numbers beyond those of the filter */
	if (number >= 2 * SLAM_PARTICLES_MAX)
		return -EINVAL;
	if (number >= p->room) {
		const uint32_t room = (number / 64 + 1) * 64;
		struct particle *more = realloc(p->particle,
						room * sizeof(*more));

		if (!more)
			return -ENOMEM;
		memset(more + p->room, 0, (room - p->room) * sizeof(*more));
		p->particle = more;
		p->room = room;
	}
	particles_drop(p, number);
	p->particle[number] = (struct particle){
		.here = true, .pose = *pose,
	};
	return 0;
}

void particles_drop(struct particles *p, uint32_t number)
{
	if (!particles_has(p, number))
		return;
	field_free(&p->particle[number].map, p->pool);
	p->particle[number].here = false;
}

bool particles_has(const struct particles *p, uint32_t number)
{
	return number < p->room && p->particle[number].here;
}

struct pose particles_pose(const struct particles *p, uint32_t number)
{
	return p->particle[number].pose;
}

void particles_place(struct particles *p, uint32_t number,
		     const struct pose *pose)
{
	p->particle[number].pose = *pose;
}

void particles_restart(struct particles *p, uint32_t number,
		       const struct pose *pose)
{
	p->particle[number].pose = *pose;
	p->particle[number].matched = 0;
}

static double own_track(struct matcher *m, const struct scan *scan,
			const struct likelihood_field *map, struct pose *pose)
{
	const double fit = m->params->matcher == SLAM_GAUSS_NEWTON ?
		match_gauss_newton(m, scan, map, pose) :
		match_hill(m, scan, map, pose);

	return match_keep(m, scan, map, pose, fit);
}

static double own_match(struct matcher *m, const struct scan *scan,
			const struct likelihood_field *map,
			const struct motion *motion, struct pose *pose,
			struct random *random)
{
	const double fit = own_track(m, scan, map, pose);

	return match_draw(m, scan, map, pose, fit, motion->slip, motion->turn,
			  random);
}

/* The best pose itself is used */
static double gmapping_match(struct matcher *m, const struct scan *scan,
			     const struct likelihood_field *map,
			     const struct motion *motion, struct pose *pose,
			     struct random *random)
{
	(void)motion;
	(void)random;
	return match_gmapping(m, scan, map, pose);
}

/* This update may have been matched before */
static void begin_update(struct particle *particle, uint64_t update)
{
	if (particle->matched == update + 1)
		particle->pose = particle->before;
	particle->before = particle->pose;
	particle->matched = update + 1;
}

static void match_one(void *arg, uint32_t index, unsigned int thread)
{
	struct matching *job = arg;
	struct particles *p = job->p;
	struct particle *particle = p->particle + job->numbers[index];
	struct outcome *out = job->out + index;
	struct matcher *m = p->matcher + thread;
	struct random random = random_of(p->params.seed, job->update,
					 job->numbers[index]);
	const struct motion motion = motion_of(job->motion,
					       job->numbers[index]);
	const uint64_t before = m->evaluations;
	struct prior prior;
	struct pose pose;

	assert(job->numbers[index] < p->room && particle->here);
	begin_update(particle, job->update);
	if (!particle->map.width && job->update)
		particle->pose = det_compose(&particle->pose,
					     &motion.move);
	*out = (struct outcome){ .pose = particle->pose };
	if (!particle->map.width || !slam_pose_valid(&p->params,
						     &particle->pose))
		return;
	prior = motion_prior(&motion, &particle->pose, p->params.wall);
	pose = motion_draw(&motion, &particle->pose, &random);
	/* beyond any map: it fits nothing */
	if (!slam_pose_valid(&p->params, &pose))
		return;
	m->prior = &prior;
	out->fit = p->ops->match(m, job->scan, &particle->map, &motion, &pose,
				&random);
	m->prior = NULL;
	pose.yaw = remainder(pose.yaw, 2 * M_PI);
	out->pose = particle->pose = pose;
	out->evaluations = (uint32_t)(m->evaluations - before);
}

static int particles_begin(struct particles *p, const struct scan *scan)
{
	const unsigned int count = thread_pool_threads(p->threads);
	int err = 0;

	for (unsigned int i = 0; i < count && !err; i++)
		err = matcher_begin(p->matcher + i, scan);
	return err;
}

int particles_match(struct particles *p, uint64_t update,
		    const struct scan *scan, const struct motion *motion,
		    const uint32_t *numbers, uint32_t count,
		    struct outcome *out)
{
	struct matching job = {
		.p = p, .update = update, .scan = scan, .motion = motion,
		.numbers = numbers, .out = out,
	};
	int err = particles_begin(p, scan);

	if (!err)
		thread_pool_run(p->threads, count, match_one, &job);
	return err;
}

static int own_write(struct particles *p, struct likelihood_field *map,
		     const struct scan *scan, const struct pose *pose,
		     uint64_t version)
{
	const double units = FIELD_UNIT / p->params.resolution;
	const int x = (int)lrint(pose->x * units);
	const int y = (int)lrint(pose->y * units);
	double sine, cosine;

	det_sincos(pose->yaw, &sine, &cosine);
	for (unsigned int i = 0; i < scan->hits; i++) {
		const double hx = scan->x[i], hy = scan->y[i];
		const int err = field_hit(map, p->pool, &p->kernel,
			x + (int)rint(cosine * hx - sine * hy),
			y + (int)rint(sine * hx + cosine * hy),
			version);

		if (err)
			return err;
	}
	return 0;
}

static int write_gmapping(struct particles *p, struct likelihood_field *map,
			  const struct scan *scan, const struct pose *pose,
			  uint64_t version)
{
	return gmapping_write(map, p->pool, scan, pose,
			      FIELD_UNIT / p->params.resolution, version);
}

static const struct map_ops own_map_ops = {
	.tiles = &field_tiles, .write = own_write, .match = own_match,
	.track = own_track,
};

static const struct map_ops gmapping_map_ops = {
	.tiles = &gmapping_tiles, .write = write_gmapping,
	.match = gmapping_match, .track = match_gmapping,
};

static int write_scan(struct particles *p, uint32_t number, uint64_t update,
		      uint32_t writer, const struct scan *scan,
		      const struct pose *pose)
{
	if (!slam_pose_valid(&p->params, pose))
		return -ERANGE;
	return p->ops->write(p, &p->particle[number].map, scan, pose,
			     tile_version(update, writer));
}

static void particles_write_one(void *arg, uint32_t index, unsigned int thread)
{
	struct matching *job = arg;
	const uint32_t number = job->numbers[index];
	const int err = write_scan(job->p, number, job->update, number,
				   job->scan,
				   &job->p->particle[number].pose);

	assert(number < job->p->room && job->p->particle[number].here);
	(void)thread;
	if (err)
		job->err = err;
}

int particles_write(struct particles *p, uint64_t update,
		    const struct scan *scan, const uint32_t *numbers,
		    uint32_t count)
{
	struct matching job = {
		.p = p, .update = update, .scan = scan, .numbers = numbers,
	};

	thread_pool_run(p->threads, count, particles_write_one, &job);
	return job.err;
}

int particles_copy(struct particles *p, uint32_t to, uint32_t from)
{
	struct pose pose;
	int err;

	if (!particles_has(p, from))
		return -EINVAL;
	if (to == from)
		return 0;
	/* the array may move */
	pose = p->particle[from].pose;
	err = particles_add(p, to, &pose);
	if (!err)
		err = field_copy(&p->particle[to].map, &p->particle[from].map,
				 p->pool);
	return err;
}

struct sighting particles_track(struct particles *p, uint32_t number,
				const struct scan *scan,
				const struct seek *seek)
{
	const struct likelihood_field *map = &p->particle[number].map;
	struct matcher *m = p->matcher;
	struct sighting s = { .outcome = { .pose = seek->prior.at } };
	uint64_t before = 0;

	if (particles_begin(p, scan))
		return s;
	for (unsigned int i = 0; i < thread_pool_threads(p->threads); i++)
		before += p->matcher[i].evaluations;
	if (seek->wide)
		s.ahead = match_wide(m, p->threads, scan, map, &seek->prior,
				     &s.outcome.pose);
	m->prior = &seek->prior;
	s.outcome.fit = p->ops->track(m, scan, map, &s.outcome.pose);
	m->prior = NULL;
	s.outcome.pose.yaw = remainder(s.outcome.pose.yaw, 2 * M_PI);
	if (seek->check)
		s.against = match_against(m, scan, map, &s.outcome.pose);
	for (unsigned int i = 0; i < thread_pool_threads(p->threads); i++)
		s.outcome.evaluations += (uint32_t)p->matcher[i].evaluations;
	s.outcome.evaluations -= (uint32_t)before;
	return s;
}

int particles_redo(struct particles *p, uint32_t number, uint64_t update,
		   uint32_t writer, const struct scan *scan,
		   const struct pose *pose)
{
	p->particle[number].pose = *pose;
	return write_scan(p, number, update, writer, scan, pose);
}

void particles_use(const struct particles *p, struct particles_use *use)
{
	*use = (struct particles_use){
		.bytes = tiles_bytes(p->pool),
		.peak = tiles_bytes_peak(p->pool),
		.cpu = thread_pool_cpu(p->threads),
	};
}

int particles_encode(struct particles *p, uint32_t number, uint64_t since,
		     struct bytes *out)
{
	const int count = map_encode(&p->particle[number].map, p->pool, since,
				     out);

	return count < 0 ? count : 0;
}

int particles_encode_places(struct particles *p, uint32_t number,
			    const struct map_place *place, uint32_t count,
			    struct bytes *out)
{
	const int done = map_encode_places(&p->particle[number].map, p->pool,
					   place, count, out);

	return done < 0 ? done : 0;
}

int particles_decode(struct particles *p, uint32_t number, const void *data,
		     size_t len)
{
	return map_decode(&p->particle[number].map, p->pool, &p->kernel, data,
			  len);
}

int particles_stale(struct particles *p, uint32_t number, uint64_t since,
		    const void *data, size_t len, struct map_place **place)
{
	return map_stale(&p->particle[number].map, p->pool, since, data, len,
			 place);
}

const struct likelihood_field *
particles_field(const struct particles *p, uint32_t number, struct tiles **pool)
{
	*pool = p->pool;
	return particles_has(p, number) ? &p->particle[number].map : NULL;
}
