// SPDX-License-Identifier: GPL-2.0-only
/*
 * resampling.c - normalisation, resampling, KLD sampling
 */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "slam/filter/resampling.h"

double weights_normalise(const double *log_weight, double *weight,
			 uint32_t count)
{
	double top = log_weight[0], sum = 0, squares = 0;

	assert(count);
	for (uint32_t i = 1; i < count; i++)
		top = fmax(top, log_weight[i]);
	for (uint32_t i = 0; i < count; i++)
		sum += weight[i] = exp(log_weight[i] - top);
	for (uint32_t i = 0; i < count; i++) {
		weight[i] /= sum;
		squares += weight[i] * weight[i];
	}
	assert(squares > 0 && squares <= 1 + 1e-9);
	return 1 / squares;
}

/* The number of children of each. Thrun et al., table 4.4 */
static void count_children(const double *weight, uint32_t count,
			   uint32_t draws, double start, uint32_t *children)
{
	double sum = weight[0];
	uint32_t at = 0;

	/* none without weight, however the sum is rounded */
	while (count > 1 && weight[count - 1] <= 0)
		count--;
	for (uint32_t i = 0; i < draws; i++) {
		while (sum < (i + start) / draws && at + 1 < count)
			sum += weight[++at];
		assert(at < count);
		children[at]++;
	}
}

int weights_resample(const double *weight, uint32_t count, uint32_t draws,
		     double start, uint32_t *parent)
{
	uint32_t *children = calloc(count, sizeof(*children));
	uint32_t next = 0;

	if (!children)
		return -ENOMEM;
	count_children(weight, count, draws, start, children);
	for (uint32_t i = 0; i < draws; i++) {
		parent[i] = UINT32_MAX;
		if (i < count && children[i]) {
			children[i]--;
			parent[i] = i;
		}
	}
	for (uint32_t i = 0; i < draws; i++) {
		if (parent[i] != UINT32_MAX)
			continue;
		while (!children[next])
			next++;
		assert(next < count);
		children[next]--;
		parent[i] = next;
	}
	free(children);
	return 0;
}

struct bin {
	int64_t	x, y, yaw;
};

static int compare_bins(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct bin));
}

uint32_t weights_needed(const struct pose *pose, uint32_t count, uint32_t most,
			const struct slam_params *p)
{
	const double quantile = 2.326;	/* of the normal distribution, 0.99 */
	struct bin *bins = calloc(count, sizeof(*bins));
	uint32_t used = count > 0;
	double k, a, needed;

	if (!bins)
		return most;
	for (uint32_t i = 0; i < count; i++)
		bins[i] = (struct bin){
			(int64_t)floor(pose[i].x / p->kld_bin),
			(int64_t)floor(pose[i].y / p->kld_bin),
			(int64_t)floor(pose[i].yaw / p->kld_turn),
		};
	qsort(bins, count, sizeof(*bins), compare_bins);
	for (uint32_t i = 1; i < count; i++)
		used += compare_bins(bins + i, bins + i - 1) != 0;
	free(bins);
	assert(used <= count);
	k = used - 1;
	a = k > 0 ? 2 / (9 * k) : 0;
	needed = k / (2 * p->kld_error) * pow(1 - a + sqrt(a) * quantile, 3);
	if (needed > most)
		return most;
	return needed < p->particles_min ? p->particles_min :
		(uint32_t)ceil(needed);
}
