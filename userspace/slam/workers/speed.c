// SPDX-License-Identifier: GPL-2.0-only
/*
 * speed.c - running means of answers, and shares by them
 */
#include <assert.h>
#include <math.h>
#include "slam/workers/speed.h"

/* Answers by which a worker without work is believed to be as fast as others */
#define FORGOTTEN	256.0

/* A mean of the first ones, then a running one */
static void speed_mean(double *mean, uint32_t *count, double value)
{
	*count += *count < SPEED_ANSWERS;
	*mean += (value - *mean) / *count;
}

void speed_answer(struct speed *s, uint64_t taken, uint64_t busy,
		  uint64_t evaluations)
{
	const uint64_t wait = taken > busy ? taken - busy : 0;

	speed_mean(&s->wait, &s->answers, (double)wait);
	if (evaluations)
		speed_mean(&s->each, &s->works,
			   (double)busy / (double)evaluations);
}

bool speed_known(const struct speed *s)
{
	return s->works == SPEED_ANSWERS && s->each > 0;
}

double speed_time(const struct speed *s, double evaluations)
{
	return evaluations > 0 ? s->wait + s->each * evaluations : 0;
}

/* The evaluations that all do in @time */
static double speed_done(const struct speed *s, uint32_t workers, double time)
{
	double done = 0;

	for (uint32_t i = 0; i < workers; i++)
		done += fmax(0, time - s[i].wait) / s[i].each;
	return done;
}

double speed_share(const struct speed *s, uint32_t workers, double evaluations,
		   double *share)
{
	double early = INFINITY, late = 0, done;

	assert(workers && evaluations > 0);
	for (uint32_t i = 0; i < workers; i++) {
		early = fmin(early, s[i].wait);
		late = fmax(late, speed_time(s + i, evaluations));
	}
	for (int i = 0; i < 60; i++) {
		const double time = (early + late) / 2;

		if (speed_done(s, workers, time) < evaluations)
			early = time;
		else
			late = time;
	}
	done = speed_done(s, workers, late);
	for (uint32_t i = 0; i < workers; i++)
		share[i] = fmax(0, late - s[i].wait) / s[i].each / done;
	return late;
}

void speed_forget(struct speed *s, double each)
{
	if (s->each > each)
		s->each += (each - s->each) / FORGOTTEN;
}
