/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * balance.h - assignment of particles to workers after a resampling
 */
#ifndef SLAM_WORKERS_BALANCE_H
#define SLAM_WORKERS_BALANCE_H

#include <stdint.h>
#include "slam/workers/wire.h"

/**
 * balance_share() - assign children so that few of them move
 * @parent:	[@count] of each
 * @home:	worker of each parent, 0..@workers - 1
 * @share:	[@workers] of the children, 0..1, 1 in all
 * @owner:	[@count] gets the worker of each
 *
 * Each worker gets its share, give or take one. A child at the worker of its
 * parent costs nothing, all others 1: a transportation problem, which is solved
 * optimally by keeping as many as there is room for. So the cost equals that of
 * the Hungarian algorithm (Kamburugamuve et al., section 4), in linear time.
 *
 * A share is a number of particles, not of evaluations: those of a particle do
 * not correlate with those of it or its parent last time
 * (Documentation/slam-results.md).
 *
 * Return: how many move; -ENOMEM.
 */
int balance_share(const uint32_t *parent, uint32_t count,
		  const uint32_t *home, uint32_t workers, const double *share,
		  uint32_t *owner);

/**
 * balance_first() - find the child whose map its siblings share at a worker
 * @child:	[@count]
 * @parents:	no parent has this number or one above
 * @first:	[@count] gets the first child that moves to the same worker from
 *		the same parent, possibly itself; itself for those that stay
 *
 * Return: 0; -ENOMEM.
 */
int balance_first(const struct wire_child *child, uint32_t count,
		  uint32_t parents, uint32_t *first);

#endif
