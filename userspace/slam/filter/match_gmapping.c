// SPDX-License-Identifier: GPL-2.0-only
/*
 * match_gmapping.c - GMapping's scan matcher, and its likelihood of a scan
 */
#include <math.h>
#include "slam/filter/match.h"

/* Cost of an endpoint without a cell to compare with, times sigma */
#define NOTHING		0.5

static struct gmapping_score score_of(struct matcher *m,
				      const struct scan *scan,
				      const struct likelihood_field *map,
				      const struct pose *pose)
{
	int x, y;
	const struct field_window *w = matcher_look(m, scan, map, pose, &x, &y);

	m->evaluations++;
	return gmapping_score_at(w, m->base, &m->rotated, &m->behind, x, y,
				 m->decay);
}

double matcher_score(struct matcher *m, const struct scan *scan,
		     const struct likelihood_field *map,
		     const struct pose *pose)
{
	return (double)score_of(m, scan, map, pose).score / GMAPPING_SCORE_MAX;
}

double match_gmapping(struct matcher *m, const struct scan *scan,
		      const struct likelihood_field *map, struct pose *pose)
{
	struct gmapping_score s;

	match_hill(m, scan, map, pose);
	s = score_of(m, scan, map, pose);
	return -((double)s.square / (m->units * m->units) +
		 NOTHING * (scan->match.count - s.found)) /
		m->params->like_sigma;
}
