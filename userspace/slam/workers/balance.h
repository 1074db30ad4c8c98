/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * balance.h - which worker has which particle after a resampling
 */
#ifndef SLAM_WORKERS_BALANCE_H
#define SLAM_WORKERS_BALANCE_H

#include <stdint.h>
#include "slam/workers/wire.h"

/**
 * balance_share() - place children so that few of them move
 * @parent:	[@count] of each
 * @home:	of each parent, a worker 0..@workers - 1
 * @owner:	[@count] gets the worker of each
 *
 * All workers get as many, but for one. Whoever is placed where its parent is
 * costs nothing, all others 1: a transportation problem for which keeping as
 * many as there is room for is optimal. So the costs are those of the Hungarian
 * algorithm (Kamburugamuve et al., section 4), in linear time.
 *
 * By number, not by work: how many evaluations a particle takes has nothing to
 * do with what it, or its parent, took last time (Documentation/slam-results.md).
 *
 * Return: how many move; -ENOMEM.
 */
int balance_share(const uint32_t *parent, uint32_t count,
		   const uint32_t *home, uint32_t workers, uint32_t *owner);

/**
 * balance_first() - which child stands for its brothers at the same worker
 * @child:	[@count]
 * @parents:	no parent has this number or one above
 * @first:	[@count] gets the first child that moves to the same worker from
 *		the same parent, itself perhaps; of those that stay, themselves
 *
 * Return: 0; -ENOMEM.
 */
int balance_first(const struct wire_child *child, uint32_t count,
		  uint32_t parents, uint32_t *first);

#endif
