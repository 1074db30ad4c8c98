/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * draw.h - the map of a log whose poses are known
 */
#ifndef SLAMD_DRAW_H
#define SLAMD_DRAW_H

#include "slam/trajectory.h"
#include "slamd/slamd.h"

/**
 * draw_map() - read the log once more, and write its map
 * @t:	a pose for each of its first readings, in their order
 *
 * Return: 0 or a negative errno after one line on stderr.
 */
int draw_map(const struct slamd_options *o, const struct trajectory *t);

#endif
