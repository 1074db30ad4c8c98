/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * field_fixture.h - all of a map, to be looked up
 */
#ifndef UNIT_FIELD_FIXTURE_H
#define UNIT_FIELD_FIXTURE_H

#include <stdlib.h>
#include "slam/filter/likelihood_field.h"

/* To be freed with field_window_free() */
static inline struct field_window window_of(const struct likelihood_field *f)
{
	const int x = f->x * FIELD_PAGE_SIDE, y = f->y * FIELD_PAGE_SIDE;
	struct field_window w = { .width = 0 };

	if (field_window_reserve(&w, field_places(f) + 1))
		abort();
	field_window_fill(&w, f, x, y, x + f->width * FIELD_PAGE_SIDE - 1,
			  y + f->height * FIELD_PAGE_SIDE - 1);
	return w;
}

#endif
