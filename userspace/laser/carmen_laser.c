// SPDX-License-Identifier: GPL-2.0-only
/*
 * carmen_laser - what a FLASER of a CARMEN log does not say about its laser
 *
 * Ranges that mean "no hit", as found in logs: 81.83 m (Intel), 81.90 and
 * 81.91 m (CSAIL), 50 m (ACES), 8.183 ... 8.191 m (loop5): the codes 8183 ...
 * 8191 of a SICK, in cm or mm, or a limit of the driver.
 */
#include <string.h>
#include "laser/carmen_laser.h"

static const double degree = M_PI / 180;

static void carmen_laser_set(struct reading *r, double begin, double step)
{
	r->angle_min = (float)(begin * degree);
	r->angle_increment = (float)(step * degree);
}

void carmen_angles(struct reading *r, double fov, double resolution)
{
	const double n = r->beams, steps = n - 1;

	if (fov > 0 && resolution > 0 && fov <= 360 &&
	    fabs(fov / resolution - steps) <= 1.01)
		carmen_laser_set(r, -fov / 2, resolution);
	else if (resolution > 0 && fov <= 0 &&
		 fabs(180 / resolution - steps) <= 1.01)
		carmen_laser_set(r, -90, resolution);
	else if (r->beams == 180 || r->beams == 360)
		carmen_laser_set(r, -90, 180 / n);
	else
		carmen_laser_set(r, -90, 180 / (steps > 0 ? steps : 1));
}

static unsigned int bin_of(float v)
{
	uint32_t bits;

	memcpy(&bits, &v, sizeof(bits));
	return bits >> CARMEN_PEAK_SHIFT;
}

static void vote(struct carmen_peak *p, unsigned int b, float range)
{
	if (!p->votes[b])
		p->usual[b] = range;
	if (p->usual[b] == range)
		p->votes[b]++;
	else
		p->votes[b]--;
}

void carmen_peak_add(struct carmen_peak *p, const float *range,
		     unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		unsigned int b;

		if (!(range[i] > 0 && range[i] <= READING_RANGE_MAX))
			continue;
		b = bin_of(range[i]);
		p->bin[b]++;
		if (range[i] > p->most[b])
			p->most[b] = range[i];
		vote(p, b, range[i]);
		p->beams++;
	}
}

/* Further codes are not below this share of the first one */
#define CODES		0.8
/* This many beams, and this share of their bin, have exactly the same range */
enum { CODE_BEAMS = 200 };
#define CODE_SHARE	0.9

/* Whether a range below the first peak is a code, not a wall: walls have other
 * ranges just below theirs
 */
static bool is_code(const struct carmen_peak *p, unsigned int b)
{
	uint64_t below = 0;

	for (unsigned int i = 1; i < 5 && i <= b; i++)
		below += p->bin[b - i];
	return p->votes[b] >= CODE_BEAMS &&
	       p->votes[b] >= CODE_SHARE * p->bin[b] &&
	       p->votes[b] >= below;
}

/*
 * Whether there are many in the two bins up to @top and few in the eight
 * below; a peak may lie across the edge of a bin
 */
static bool is_heap(const struct carmen_peak *p, unsigned int top)
{
	const uint64_t n = (uint64_t)p->bin[top] + (top ? p->bin[top - 1] : 0);
	uint64_t below = 0;

	for (unsigned int i = 2; i < 10 && i <= top; i++)
		if (!is_code(p, top - i))
			below += p->bin[top - i];
	return n >= 16 && n >= 2 * below;
}

/* Below the peak in bin @top. Return: the smallest range without a hit */
static float below_codes(const struct carmen_peak *p, unsigned int top)
{
	const float first = p->most[top] * 0.995f;
	const unsigned int low = bin_of(p->most[top] * (float)CODES);
	float lowest = first;

	for (unsigned int b = top - 1; b > low && b > 4; b--)
		if (is_code(p, b))
			lowest = fminf(lowest, p->usual[b] * 0.9995f);
	return lowest;
}

float carmen_peak_range(const struct carmen_peak *p)
{
	/* ignore a few larger values, which are damage */
	const uint64_t odd = p->beams / 2000;
	uint64_t above = 0;
	float most = 0;

	for (unsigned int b = CARMEN_PEAK_BINS; b--;) {
		if (!p->bin[b])
			continue;
		if (above > odd)
			break;
		if (!most)
			most = p->most[b];
		if (is_heap(p, b))
			return below_codes(p, b);
		above += p->bin[b];
	}
	return most ? nextafterf(most, INFINITY) : READING_RANGE_MAX;
}
