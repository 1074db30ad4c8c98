/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * wire_check.h - are the numbers of a message such as a peer of this program
 * sends them?
 *
 * A peer may be damaged or hostile: its numbers decide how much is computed and
 * how much memory is taken, and some have no integer.
 */
#ifndef SLAM_WORKERS_WIRE_CHECK_H
#define SLAM_WORKERS_WIRE_CHECK_H

#include "slam/workers/wire.h"

bool wire_motion_valid(const struct motion *m, const struct slam_params *p);
/* @steps follow @b */
bool wire_steps_valid(const struct wire_rebuild *b,
		      const struct slam_params *p);

#endif
