// SPDX-License-Identifier: GPL-2.0-only
/*
 * cluster.c - opens the bus, and runs workers in threads
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "apps/slamd/cluster.h"
#include "base/cli.h"
#include "base/error.h"
#include "base/thread_pool.h"
#include "cluster/bus.h"
#include "slam/workers/worker.h"
#include "slam/workers/worker_run.h"

/* A worker in a thread of this process */
struct hand {
	struct cluster	*cluster;
	struct bus	*engine;
	pthread_t	thread;
	unsigned int	number;
};

/* More would take more memory for scratch than they win */
enum { CLUSTER_HELPERS = 32 };

struct cluster {
	const struct slamd_options	*o;
	bool				(*interrupted)(void *arg);
	struct bus			*engine;
	struct bus_hub			*hub;
	struct thread_pool_group	*group;
	struct hand			*hand;
	uint32_t			hands;
	struct worker_voice		voice;
	_Atomic bool			end;
};

/* Without a message, help the other workers first */
static int cluster_turn(const struct hand *h, struct worker *w)
{
	struct thread_pool_group *group = h->cluster->group;
	int ret = group ? worker_turn(w, 0) : 0;

	if (ret)
		return ret;
	return group && thread_pool_help(group, h->number) ? 0 :
	       worker_turn(w, WORKER_TURN_MS);
}

static void *cluster_work(void *arg)
{
	const struct hand *h = arg;
	struct cluster *c = h->cluster;
	struct worker *w = worker_create(h->engine, c->o->threads ?
					 c->o->threads : 1, NULL, NULL);

	if (w && c->group)
		worker_join(w, c->group, h->number);
	while (w && !c->end && cluster_turn(h, w) >= 0)
		;
	if (!w)
		cli_warn("no memory for a worker");
	worker_destroy(w);
	bus_close(h->engine);
	return NULL;
}

static int start_thread(struct cluster *c, struct hand *h)
{
	struct bus_config config = worker_config(c->o->job);
	struct error error;
	int err;

	h->cluster = c;
	h->number = c->hands;
	config.hub = c->hub;
	err = bus_open(&h->engine, "threads", BUS_WORKER, &config,
		       &error);
	if (err)
		return cli_error(err, "%s", error.text);
	err = pthread_create(&h->thread, NULL, cluster_work, h);
	if (!err)
		return 0;
	bus_close(h->engine);
	return cli_error(-err, "threads: %s", strerror(err));
}

static int cluster_start_threads(struct cluster *c)
{
	const uint32_t workers = c->o->workers;
	const bool help = c->o->threads <= 1 && workers > 1 &&
			  workers <= CLUSTER_HELPERS;

	c->hand = calloc(workers, sizeof(*c->hand));
	if (c->hand && help)
		c->group = thread_pool_group_create(workers);
	if (!c->hand || (help && !c->group))
		return cli_error(-ENOMEM, "no memory");
	for (; c->hands < c->o->workers; c->hands++) {
		const int err = start_thread(c, c->hand + c->hands);

		if (err)
			return err;
	}
	return 0;
}

static int open_engine(struct cluster *c)
{
	const struct slamd_options *o = c->o;
	struct bus_config config = worker_config(o->job);
	const bool mpi = !strcmp(o->engine, "mpi");
	struct error error;
	int err;

	if (!strcmp(o->engine, "threads")) {
		c->hub = bus_hub_create();
		if (!c->hub)
			return cli_error(-ENOMEM, "no memory");
		config.hub = c->hub;
	}
	err = bus_open(&c->engine, o->engine,
		       mpi ? BUS_BY_RANK : BUS_COORDINATOR, &config,
		       &error);
	if (err)
		return cli_error(err, "%s", error.text);
	if (bus_role(c->engine) == BUS_WORKER) {
		err = worker_run(c->engine, o->threads ? o->threads : 1,
				 &c->voice, true, c->interrupted);
		return err ? err : 1;
	}
	if (o->workers > bus_seats(c->engine))
		return cli_error(-EINVAL, "%u workers need mpirun -n %u, not "
				 "-n %u", o->workers, o->workers + 1,
				 bus_seats(c->engine) + 1);
	return c->hub ? cluster_start_threads(c) : 0;
}

int cluster_open(struct cluster **cluster, const struct slamd_options *o,
		 bool (*interrupted)(void *arg))
{
	struct cluster *c = calloc(1, sizeof(*c));
	int err = 0;

	if (!c)
		return cli_error(-ENOMEM, "no memory");
	c->o = o;
	c->interrupted = interrupted;
	c->voice.quiet = o->quiet;
	if (o->engine)
		err = open_engine(c);
	if (err) {
		cluster_close(c);
		return err;
	}
	*cluster = c;
	return 0;
}

struct particle_pool *cluster_pool(struct cluster *c,
				   void (*waiting)(void *arg), void *arg)
{
	struct particle_pool_remote_config config = {
		.engine = c->engine, .workers = c->o->workers,
		.threads = c->o->threads, .ahead = waiting,
		.deadline = c->o->deadline,
		.interrupted = c->interrupted, .waiting = waiting,
		.waiting_arg = arg,
		.log = worker_log, .arg = &c->voice,
	};

	if (!c->engine)
		return particle_pool_local(&c->o->params, c->o->threads);
	if (c->hub)
		config.fixed = c->hands;
	else if (!strcmp(c->o->engine, "mpi"))
		config.fixed = bus_seats(c->engine);
	return particle_pool_remote(&c->o->params, &config);
}

bool cluster_counters(const struct cluster *c, struct particle_pool *team,
		      struct stats_workers *workers)
{
	if (!c->engine)
		return false;
	bus_counters(c->engine, &workers->counters);
	particle_pool_remote_traffic(team, &workers->traffic);
	return true;
}

void cluster_close(struct cluster *c)
{
	if (!c)
		return;
	bus_close(c->engine);
	c->end = true;
	for (uint32_t i = 0; i < c->hands; i++)
		pthread_join(c->hand[i].thread, NULL);
	free(c->hand);
	thread_pool_group_destroy(c->group);
	bus_hub_destroy(c->hub);
	free(c);
}
