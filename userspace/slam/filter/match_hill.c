// SPDX-License-Identifier: GPL-2.0-only
/*
 * match_hill.c - the published scan matcher
 */
#include "slam/filter/match.h"

double match_climb(struct matcher *m, const struct scan *scan,
		   const struct likelihood_field *map, struct pose *pose,
		   uint32_t refinements, uint32_t cutoff)
{
	static const signed char way[6][3] = {
		{ 1, 0, 0 }, { -1, 0, 0 }, { 0, 1, 0 }, { 0, -1, 0 },
		{ 0, 0, 1 }, { 0, 0, -1 },
	};
	const uint64_t start = m->evaluations;
	double best = m->fit(m, scan, map, pose) - matcher_cost(m, pose);
	double before;
	double step = m->params->step, turn = m->params->turn;

	for (uint32_t i = 0; i < refinements; i++) {
		step /= 2;
		turn /= 2;
		do {
			const struct pose from = *pose;

			before = best;
			for (int k = 0; k < 6; k++) {
				const struct pose next = {
					from.x + way[k][0] * step,
					from.y + way[k][1] * step,
					from.yaw + way[k][2] * turn,
				};
				const double fit = m->fit(m, scan, map, &next) -
						   matcher_cost(m, &next);

				if (fit > best) {
					best = fit;
					*pose = next;
				}
			}
		} while (best > before &&
			 (!cutoff || m->evaluations - start < cutoff));
	}
	return best + matcher_cost(m, pose);
}

double match_hill(struct matcher *m, const struct scan *scan,
		  const struct likelihood_field *map, struct pose *pose)
{
	return match_climb(m, scan, map, pose, m->params->refinements,
			   m->params->cutoff);
}
