// SPDX-License-Identifier: GPL-2.0-only
/*
 * particle_pool_remote_share.c - how fast the workers are, and how many
 * particles each of them gets
 *
 * Particles move only at a resampling, when many have to anyway, or if it is
 * worth it: the time that is won until the speeds may be others, against what
 * moves took before.
 */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include "base/clock.h"
#include "slam/workers/particle_pool_remote_parts.h"

/* Shares are kept while an update takes less than this much longer than it has
 * to: below it is noise
 */
#define SHARE_WORTH	1.25
/* Updates for which new shares are assumed to be right: as many as the speeds
 * were measured in
 */
#define SHARE_UPDATES	SPEED_ANSWERS
/* Weight of an update in the means of updates and moves */
#define SHARE_FRESH	(1.0 / SPEED_ANSWERS)

/*
 * Measurement
 */

void remote_asked(struct remote *r)
{
	const uint64_t now = monotonic_ns();

	r->asked[r->order.update % REMOTE_ASKED] = (struct remote_asked){
		r->order.update, now, r->order.round,
	};
	r->busiest = 0;
	r->overdue = false;
	r->due = now + r->config.deadline * UINT64_C(1000000);
}

/* The evaluations of the results */
static uint64_t share_evaluations(const struct wire_result *w)
{
	const struct wire_outcome *o = (const struct wire_outcome *)(w + 1);
	uint64_t sum = 0;

	for (uint32_t i = 0; i < w->count; i++)
		sum += o[i].evaluations;
	return sum;
}

void remote_answered(struct remote *r, struct member *m,
		     const struct wire_result *w)
{
	const struct remote_asked *a = r->asked + w->update % REMOTE_ASKED;
	const uint64_t now = monotonic_ns();

	if (!w->busy || a->update != w->update || a->round != w->round ||
	    m->answered > w->update)
		return;
	m->answered = w->update + 1;
	if (w->update == r->order.update && w->busy > r->busiest)
		r->busiest = w->busy;
	speed_answer(&m->speed, now - a->at, w->busy, share_evaluations(w));
}

void remote_matched(struct remote *r)
{
	const struct remote_asked *a = r->asked +
				       r->order.update % REMOTE_ASKED;
	const double taken = (double)(monotonic_ns() - a->at);
	double evaluations = 0;
	uint32_t done = 0;

	for (uint32_t i = 0; i < r->count; i++) {
		evaluations += r->out[i].evaluations;
		done += !r->out[i].relative;
	}
	assert(done);
	r->load.traffic.matched += (uint64_t)taken;
	r->load.traffic.busiest += r->busiest;
	r->evaluations = evaluations * r->count / done;
	/* the update after moves waits for maps */
	if (r->moves)
		r->move += SHARE_FRESH * ((taken > r->usual ?
			(taken - r->usual) / r->moves : 0) - r->move);
	else
		r->usual += (r->usual > 0 ? SHARE_FRESH : 1) *
			    (taken - r->usual);
	r->moves = 0;
}

/*
 * Shares
 */

static void share_equally(struct remote *r)
{
	for (uint32_t i = 0; i < r->members; i++)
		r->member[i].share = 1.0 / r->members;
}

/* @s: [members] the speeds; of those not known yet the mean of the others.
 * Return: whether any is known
 */
static bool share_speeds(const struct remote *r, struct speed *s)
{
	struct speed mean = { 0 };
	uint32_t known = 0;

	for (uint32_t i = 0; i < r->members; i++) {
		s[i] = r->member[i].speed;
		if (!speed_known(s + i))
			continue;
		mean.wait += s[i].wait;
		mean.each += s[i].each;
		known++;
	}
	for (uint32_t i = 0; i < r->members && known; i++)
		if (!speed_known(s + i))
			s[i] = (struct speed){ mean.wait / known,
					       mean.each / known };
	return known;
}

/* When all are done with the shares that they have, ns */
static double share_time(const struct remote *r, const struct speed *s)
{
	double most = 0;

	for (uint32_t i = 0; i < r->members; i++) {
		const double time = speed_time(s + i, r->member[i].share *
						      r->evaluations);

		most = time > most ? time : most;
	}
	return most;
}

static double share_moves(const struct remote *r, const double *share)
{
	double moves = 0;

	for (uint32_t i = 0; i < r->members; i++)
		if (share[i] > r->member[i].share)
			moves += (share[i] - r->member[i].share) * r->count;
	return moves;
}

/* Workers without particles are tried again after a while */
static void share_forget(struct remote *r)
{
	double least = INFINITY;

	for (uint32_t i = 0; i < r->members; i++)
		if (speed_known(&r->member[i].speed))
			least = fmin(least, r->member[i].speed.each);
	for (uint32_t i = 0; i < r->members; i++)
		if (!r->member[i].load)
			speed_forget(&r->member[i].speed, least);
}

/* @changed: whatever it costs. Return: whether there are new shares */
static bool share_by_speed(struct remote *r, bool changed, struct speed *s,
			   double *share)
{
	double ideal, now;

	if (!share_speeds(r, s) || !(r->evaluations > 0)) {
		if (changed)
			share_equally(r);
		return changed;
	}
	ideal = speed_share(s, r->members, r->evaluations, share);
	now = share_time(r, s);
	if (!changed && (now < SHARE_WORTH * ideal ||
		      (now - ideal) * SHARE_UPDATES <
			      share_moves(r, share) * r->move))
		return false;
	for (uint32_t i = 0; i < r->members; i++)
		r->member[i].share = share[i];
	r->load.traffic.shared += !changed;
	return true;
}

int remote_share(struct remote *r, bool changed)
{
	struct speed *s;
	double *share;
	int ret = -ENOMEM;

	if (!r->members)
		return 0;
	s = calloc(r->members, sizeof(*s));
	share = calloc(r->members, sizeof(*share));
	if (s && share) {
		share_forget(r);
		ret = share_by_speed(r, changed, s, share);
	}
	free(s);
	free(share);
	return ret;
}
