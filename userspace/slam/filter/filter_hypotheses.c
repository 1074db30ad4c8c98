// SPDX-License-Identifier: GPL-2.0-only
/*
 * filter_hypotheses.c - keep two motions until scans decide
 *
 * The better one of two hypotheses may fit worse at first: a turn leads into an
 * unexplored room. Resampling would drop it within one or two updates.
 */
#include <string.h>
#include "slam/filter/filter_parts.h"

/* A log-weight ahead of the other one that decides, but not before this many
 * updates; after that many updates any lead decides
 */
#define DECISIVE	16.0
enum { UPDATES_LEAST = 4, UPDATES_MOST = 60 };
/* Hypotheses this close are one, m + rad */
#define SAME		0.1
/* Share of the particles that each keeps */
#define SHARE		0.25
/* Smaller sums of weights count as this one */
#define NOTHING		1e-300

void filter_hypotheses_open(struct filter *f)
{
	struct hypotheses *h = &f->hypotheses;

	h->open = f->out[0].hypothesis != HYPOTHESIS_NONE;
	h->since = f->update;
	for (uint32_t i = 0; i < f->count; i++)
		h->of[i] = (uint8_t)f->out[i].hypothesis;
}

void filter_hypotheses_close(struct filter *f)
{
	f->hypotheses.open = false;
	for (uint32_t i = 0; i < f->count; i++)
		f->hypotheses.of[i] = HYPOTHESIS_NONE;
}

/* The best particle of a hypothesis. Return: UINT32_MAX: it has no particles */
static uint32_t best_of(const struct filter *f, enum hypothesis which)
{
	uint32_t best = UINT32_MAX;

	for (uint32_t i = 0; i < f->count; i++)
		if (f->hypotheses.of[i] == which &&
		    (best == UINT32_MAX || f->total[i] > f->total[best]))
			best = i;
	return best;
}

bool filter_hypotheses_decide(struct filter *f, struct filter_result *r)
{
	struct hypotheses *h = &f->hypotheses;
	const uint64_t updates = f->update - h->since;
	uint32_t said, other;
	double ahead;

	if (!h->open)
		return false;
	said = best_of(f, HYPOTHESIS_SAID);
	other = best_of(f, HYPOTHESIS_OTHER);
	if (said == UINT32_MAX || other == UINT32_MAX ||
	    pose_distance(f->pose + said, f->pose + other, 1) < SAME) {
		h->open = false;
		return false;
	}
	ahead = f->total[said] - f->total[other];
	if (updates < UPDATES_LEAST ||
	    (fabs(ahead) < DECISIVE && updates < UPDATES_MOST))
		return false;
	for (uint32_t i = 0; i < f->count; i++)
		if (h->of[i] == (ahead > 0 ? HYPOTHESIS_OTHER :
					     HYPOTHESIS_SAID))
			f->recent[i] = -INFINITY;
	r->jumped |= ahead <= 0;
	h->open = false;
	return true;
}

void filter_hypotheses_protect(struct filter *f)
{
	struct hypotheses *h = &f->hypotheses;
	double sum[HYPOTHESIS_OTHER + 1] = { 0 };

	if (!h->open)
		return;
	for (uint32_t i = 0; i < f->count; i++)
		sum[h->of[i]] += f->weight[i];
	for (int i = HYPOTHESIS_SAID; i <= HYPOTHESIS_OTHER; i++) {
		const double share = fmin(fmax(sum[i], SHARE), 1 - SHARE);

		sum[i] = share / fmax(sum[i], NOTHING);
		h->weight[i] = -log(sum[i]);
	}
	for (uint32_t i = 0; i < f->count; i++)
		f->weight[i] *= sum[h->of[i]];
}

void filter_hypotheses_inherit(struct filter *f, uint32_t count)
{
	struct hypotheses *h = &f->hypotheses;

	for (uint32_t i = 0; i < count; i++) {
		h->next[i] = h->open ? h->of[f->parent[i]] : HYPOTHESIS_NONE;
		f->recent[i] = h->open ? h->weight[h->next[i]] : 0;
	}
	memcpy(h->of, h->next, count);
}
