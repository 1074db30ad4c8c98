// SPDX-License-Identifier: GPL-2.0-only
/*
 * map_fix - where odometry began in the map, over time
 */
#include <assert.h>
#include <math.h>
#include <string.h>
#include "view/map_fix.h"

static const int64_t every = 500000000;	/* ns */

void map_fixes_add(struct map_fixes *f, int64_t t, const struct pose *fix)
{
	if (f->count && t - f->t[f->count - 1] < every)
		return;
	if (f->count == MAP_FIXES) {
		/* each second one tells enough of long ago */
		for (unsigned int i = 0; i < MAP_FIXES / 2; i++) {
			f->t[i] = f->t[2 * i];
			f->fix[i] = f->fix[2 * i];
		}
		f->count /= 2;
	}
	assert(f->count < MAP_FIXES);
	f->t[f->count] = t;
	f->fix[f->count++] = *fix;
}

void map_fixes_cut(struct map_fixes *f, int64_t t)
{
	while (f->count && f->t[f->count - 1] >= t)
		f->count--;
}

bool map_fixes_at(const struct map_fixes *f, int64_t t, struct pose *fix)
{
	unsigned int i = f->count;
	const struct pose *a, *b;
	double part;

	while (i && f->t[i - 1] > t)
		i--;
	if (!i)
		return false;
	a = &f->fix[i - 1];
	*fix = *a;
	if (i == f->count)
		return true;
	b = &f->fix[i];
	part = (double)(t - f->t[i - 1]) / (f->t[i] - f->t[i - 1]);
	fix->x += part * (b->x - a->x);
	fix->y += part * (b->y - a->y);
	fix->yaw += part * remainder(b->yaw - a->yaw, 2 * M_PI);
	return true;
}
