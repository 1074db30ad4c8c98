/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cluster.h - workers for a filter: threads of this process, other processes
 * over RabbitMQ, ranks of mpirun
 */
#ifndef APPS_SLAMD_CLUSTER_H
#define APPS_SLAMD_CLUSTER_H

#include "apps/slamd/slamd.h"
#include "apps/slamd/stats.h"
#include "cluster/bus.h"
#include "slam/filter/particle_pool.h"

struct cluster;

/**
 * cluster_open() - open the bus and start the workers of the options
 * @interrupted: whether to stop waiting for workers
 *
 * Without --engine the particles are in this process, and nothing is sent.
 *
 * Return: 0; 1: this rank was a worker and has finished; a negative errno after
 * one line on stderr.
 */
int cluster_open(struct cluster **c, const struct slamd_options *o,
		 bool (*interrupted)(void *arg));

/**
 * cluster_pool() - the particle pool, once; the filter owns it
 * @waiting: with workers, see particle_pool_remote_config; may be NULL
 * @arg: for it
 *
 * Return: NULL: no memory.
 */
struct particle_pool *cluster_pool(struct cluster *c,
				   void (*waiting)(void *arg), void *arg);

/* After the filter is destroyed */
void cluster_close(struct cluster *c);

/* For --stats. Return: false: no workers */
bool cluster_counters(const struct cluster *c, struct particle_pool *team,
		      struct stats_workers *workers);

#endif
