// SPDX-License-Identifier: GPL-2.0-only
/*
 * look - how wrong is what the operator sees
 */
#include <math.h>
#include "link/look.h"

static const double LEAST = 0.05;	/* an exact image is as good as this */
static const double UNSEEN = 1e-3;	/* of the contrast: as good as exact */
static const double DECIBEL = 4.342944819; /* 10 / ln 10 */
/*
 * A view that changes fast has changed by FAST of all that it can within SOON.
 * Then an image that is a ms earlier is worth WORTH dB.
 */
static const double SOON = 0.1, FAST = 0.1, WORTH = 0.06;
static const double STANDS = 0.05;	/* of FAST */
static const double STEP = 0.94, FEWEST = 16;	/* sizes that are tried */

bool look_is_known(const struct look *l)
{
	return l->error > 0 && l->bytes > 0 && l->moved > 0 && l->after > 0;
}

static double look_moved(const struct look *l, double age)
{
	return age > 0 ? l->moved * pow(age / l->after, l->growth) : 0;
}

static double look_code(const struct look *l, double bytes)
{
	const double error = l->error * pow(bytes / l->bytes, -l->slope);

	return fmax(error, LEAST) + UNSEEN * l->contrast;
}

double look_mean(const struct look *l, double bytes, double interval,
		 unsigned int every)
{
	const double code = look_code(l, bytes);
	double sum = 0;

	for (unsigned int i = 0; i < every; i++) {
		double moved = look_moved(l, i * interval);

		/* no more than another picture */
		if (l->contrast > 0)
			moved = fmin(moved, 2 * l->contrast);
		sum += log(code + moved);
	}
	return sum / every;
}

double look_bytes(const struct look *l, double rate, double most)
{
	double part, best = INFINITY, size = most;

	if (!look_is_known(l) || l->contrast <= 0 || rate <= 0)
		return most;
	part = fmin(look_moved(l, SOON) / (2 * l->contrast) / FAST, 1);
	/* nothing is gained by sending less of what stands */
	if (part < STANDS)
		return most;
	for (double bytes = most; bytes > most / FEWEST; bytes *= STEP) {
		const double worth = DECIBEL * log(look_code(l, bytes)) +
				     WORTH * 1000 * part * bytes / rate;

		if (worth < best) {
			best = worth;
			size = bytes;
		}
	}
	return size;
}
