/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * relatives.h - which particles stand in for those that are missing
 */
#ifndef SLAM_WORKERS_RELATIVES_H
#define SLAM_WORKERS_RELATIVES_H

#include "slam/filter/particle_pool.h"

/**
 * relatives_find() - find the nearest relative of each missing particle
 * @here:	[@s->count] whether it is not missing; some are not
 * @relative:	[@s->count] gets the relative of each missing one
 *
 * That is one of those with the latest common ancestor; if there are several,
 * missing ones take them in turn, so that none stands for many more than
 * others. Without common ancestors all are relatives.
 *
 * Return: 0; -ENOMEM.
 */
int relatives_find(const struct particle_pool_state *s, const uint8_t *here,
		   uint32_t *relative);

#endif
