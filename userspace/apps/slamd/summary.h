/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * summary.h - the last line of a run on a log: what it wrote, and how good it is
 */
#ifndef APPS_SLAMD_SUMMARY_H
#define APPS_SLAMD_SUMMARY_H

#include "apps/slamd/slamd.h"
#include "apps/slamd/stats.h"
#include "slam/output/trajectory.h"

enum { SUMMARY = 1024 };

/**
 * summary_text() - as one line
 * @s: with @loops and @placed
 * @t: the trajectory
 */
void summary_text(const struct slamd_options *o, const struct stats *s,
		  const struct trajectory *t, char text[SUMMARY]);

#endif
