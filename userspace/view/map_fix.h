/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * map_fix.h - where odometry began in the map, over time
 *
 * SLAM corrects odometry all the time. Odometry that was kept in an outage
 * belongs to the correction of its own time, not to today's: that is between
 * those before and after the outage.
 */
#ifndef VIEW_MAP_FIX_H
#define VIEW_MAP_FIX_H

#include <stdbool.h>
#include <stdint.h>
#include "base/pose.h"

enum { MAP_FIXES = 1024 };

/**
 * struct map_fixes - zero-initialised: nothing is known
 * @t: ns
 * @fix: of the odometry's frame in the map; @count of them, oldest first
 */
struct map_fixes {
	unsigned int	count;
	int64_t		t[MAP_FIXES];
	struct pose	fix[MAP_FIXES];
};

/* Of a live message. Older ones than the last are ignored */
void map_fixes_add(struct map_fixes *f, int64_t t, const struct pose *fix);

/* Forget what is at @t or later */
void map_fixes_cut(struct map_fixes *f, int64_t t);

/* Return: false: nothing is known of that time */
bool map_fixes_at(const struct map_fixes *f, int64_t t, struct pose *fix);

#endif
