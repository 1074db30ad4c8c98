// SPDX-License-Identifier: GPL-2.0-only
/*
 * load - limit the rate by processor time
 */
#include <math.h>
#include "link/load.h"

#define SECOND		1000000000ULL

static const double ENOUGH = 0.88;	/* of the limit: no change above it */
static const double TARGET = 0.94;
static const double LEAST = 1e3;	/* bytes/s; 0 would never recover */
static const double LESS = 0.5, MORE = 1.3;	/* bounds of a step */

void load_init(struct load *l, double limit)
{
	*l = (struct load){
		.limit = limit > 0 && limit < 1 ? limit : 1,
		.rate = HUGE_VAL,
	};
}

/* Aim at TARGET. Nearly all time depends on the bytes: a few steps suffice */
static double load_aim(const struct load *l, double rate)
{
	double step = TARGET * l->limit / fmax(l->used, 1e-3);

	return rate * fmin(fmax(step, LESS), MORE);
}

void load_update(struct load *l, uint64_t now, uint64_t cpu, uint64_t bytes)
{
	double seconds = (now - l->at) / 1e9, spent;

	if (!l->at) {
		l->at = now;
		l->cpu = cpu;
		l->bytes = bytes;
	}
	if (now - l->at < SECOND)
		return;
	l->used = (cpu - l->cpu) / 1e9 / seconds;
	spent = (bytes - l->bytes) / seconds;
	l->at = now;
	l->cpu = cpu;
	l->bytes = bytes;
	if (l->limit >= 1)
		return;
	if (l->used > l->limit)
		l->rate = load_aim(l, fmin(l->rate, spent));
	else if (l->used < ENOUGH * l->limit && spent > ENOUGH * l->rate)
		l->rate = load_aim(l, l->rate);
	l->rate = fmax(l->rate, LEAST);
}
