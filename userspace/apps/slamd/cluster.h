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
 * cluster_open() - as the options say
 * @interrupted: whether waiting for workers is to end
 *
 * Without an engine the team is in this process, and nothing is sent.
 *
 * Return: 0; 1: this rank is a worker, and was one until now: nothing is left
 * to do; a negative errno after one line on stderr.
 */
int cluster_open(struct cluster **c, const struct slamd_options *o,
		 bool (*interrupted)(void *arg));

/* A team, once; the filter's. NULL: no memory */
struct particle_pool *cluster_team(struct cluster *c);

/* After the filter is destroyed */
void cluster_close(struct cluster *c);

/* For --stats. Return: false: there are no workers */
bool cluster_counters(const struct cluster *c, struct particle_pool *team,
		      struct stats_workers *workers);

#endif
