// SPDX-License-Identifier: GPL-2.0-only
/*
 * params.c - defaults, and valid ranges
 */
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "slam/filter/params.h"

const struct slam_params slam_defaults = {
	.particles = 30, .particles_min = 10,
	.seed = 1, .loops = 1,
	.matcher = SLAM_HILL, .refinements = 6,
	.step = 0.2, .turn = 0.2,
	.resolution = 0.05, .spacing = 0.04, .sigma = 0.1, .ratio = 10,
	.like_sigma = 0.075,
	.slip = 0.02, .slip_turn = 0.01, .slip_per_m = 0.1,
	.slip_per_rad = 0.02, .turn_per_m = 0.2, .turn_per_rad = 0.1,
	.wall = 3, .speed = 2.5,
	.gain = 40, .sharpness = 10000, .resample = 0.5,
	.distance = 0.05, .angle = 0.05,
	.kld_bin = 0.1, .kld_turn = 0.05,
};

const struct slam_params slam_gmapping = {
	.particles = 30, .particles_min = 10,
	.seed = 1,
	.compat = SLAM_GMAPPING, .matcher = SLAM_HILL,
	/* five halvings after the first step, of 0.05 */
	.refinements = 6, .step = 0.1, .turn = 0.1,
	.resolution = 0.05, .range_max = 80, .sigma = 0.05, .ratio = 10,
	.like_sigma = 0.075,
	.srr = 0.1, .srt = 0.1, .str = 0.1, .stt = 0.1,
	.gain = 3, .resample = 0.5,
	.distance = 1, .angle = 0.5,
	.kld_bin = 0.1, .kld_turn = 0.05,
};

static const struct limit {
	const char	*name;
	size_t		at;
	double		min, max;
} limits[] = {
#define LIMIT(field, min, max) \
	{ #field, offsetof(struct slam_params, field), min, max }
	LIMIT(step, 1e-4, 10), LIMIT(turn, 1e-5, 1),
	LIMIT(resolution, 0.005, 1), LIMIT(range_max, 0, 1000),
	LIMIT(spacing, 0, 10), LIMIT(sigma, 0.001, 10),
	LIMIT(ratio, 0.01, 1e6), LIMIT(slip, 0, 10), LIMIT(slip_turn, 0, 3),
	LIMIT(slip_per_m, 0, 10), LIMIT(slip_per_rad, 0, 10),
	LIMIT(turn_per_m, 0, 10), LIMIT(turn_per_rad, 0, 10),
	LIMIT(wall, 0, 100), LIMIT(speed, 0, 1000),
	LIMIT(srr, 0, 10), LIMIT(srt, 0, 10), LIMIT(str, 0, 10),
	LIMIT(stt, 0, 10), LIMIT(like_sigma, 1e-4, 1e4),
	LIMIT(gain, 1e-3, 1e6), LIMIT(sharpness, 0, 1e9),
	LIMIT(resample, 0, 1), LIMIT(distance, 0, 100), LIMIT(angle, 0, 3),
	LIMIT(kld_error, 0, 1), LIMIT(kld_bin, 1e-3, 100),
	LIMIT(kld_turn, 1e-3, 3),
};

/* In the order of slam_params_motion() */
static const struct noise {
	const char	*name;
	double		v[6];
} noises[] = {
	{ "wheels", { 0.02, 0.01, 0.1, 0.02, 0.2, 0.1 } },
	{ "tracks", { 0.03, 0.02, 0.15, 0.1, 0.3, 0.3 } },
	{ "gyro", { 0.02, 0.005, 0.1, 0.02, 0.03, 0.02 } },
};

static void set_noise(struct slam_params *p, const double v[6])
{
	p->slip = v[0];
	p->slip_turn = v[1];
	p->slip_per_m = v[2];
	p->slip_per_rad = v[3];
	p->turn_per_m = v[4];
	p->turn_per_rad = v[5];
}

int slam_params_motion(struct slam_params *p, const char *text)
{
	double v[6];

	for (size_t i = 0; i < sizeof(noises) / sizeof(*noises); i++) {
		if (strcmp(text, noises[i].name))
			continue;
		set_noise(p, noises[i].v);
		return 0;
	}
	for (int i = 0; i < 6; i++) {
		char *end;

		v[i] = strtod(text, &end);
		if (end == text || !(v[i] >= 0 && v[i] <= 3) ||
		    *end != (i < 5 ? ',' : '\0'))
			return -EINVAL;
		text = end + 1;
	}
	/* matching needs a nonzero uncertainty */
	if (v[0] == 0 || v[1] == 0)
		return -EINVAL;
	set_noise(p, v);
	return 0;
}

int slam_params_check(const struct slam_params *p, struct error *error)
{
	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		const struct limit *l = limits + i;
		const double v = *(const double *)((const char *)p + l->at);

		if (v >= l->min && v <= l->max)
			continue;
		return error_set(error, -EINVAL, "%s: %g is not within %g..%g",
				 l->name, v, l->min, l->max);
	}
	if (p->particles < 1 || p->particles > SLAM_PARTICLES_MAX ||
	    p->particles_min < 1 || p->particles_min > p->particles)
		return error_set(error, -EINVAL,
				 "particles: %u is not within %u..%u",
				 p->particles, p->particles_min,
				 SLAM_PARTICLES_MAX);
	if (p->loops > 1)
		return error_set(error, -EINVAL, "loops: %u is not 0 or 1",
				 p->loops);
	if (p->fixed > 1 || (p->fixed && p->loops))
		return error_set(error, -EINVAL,
				 "a known map: %u is not 0 or 1, or loops are "
				 "closed in it", p->fixed);
	if (p->refinements < 1 || p->refinements > 20 ||
	    p->matcher >= SLAM_MATCHERS || p->compat >= SLAM_COMPATS)
		return error_set(error, -EINVAL,
				 "unknown matcher or refinements");
	if (p->compat == SLAM_GMAPPING && p->matcher != SLAM_HILL)
		return error_set(error, -EINVAL,
				 "GMapping only has the hill climb matcher");
	return 0;
}
