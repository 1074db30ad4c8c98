// SPDX-License-Identifier: GPL-2.0-only
/*
 * values - images of numbers as images of 16 bit
 */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <string.h>
#include "codec/image/values.h"

/* A lone value is left out if the others then have an eighth of the range */
#define LONE	7.

/*
 * Steps of sensors and of formats, coarsest first: disparities in parts of a
 * pixel, temperatures in 0.1, 0.04 or 0.01 K, depths in mm
 */
static const double steps[] = {
	1, 1. / 2, 1. / 4, 1. / 8, .1, 1. / 16, .05, .04, 1. / 32, .02,
	1. / 64, .01, 1. / 128, .005, 1. / 256, .001, 1. / 1024, .0001,
};

struct values_range values_range(const double *v, size_t n)
{
	struct values_range r = { INFINITY, -INFINITY, 0, 0 };

	for (size_t i = 0; i < n; i++) {
		if (!isfinite(v[i]) || v[i] == 0) {
			r.nothing++;
			r.nan += isnan(v[i]);
			continue;
		}
		r.min = fmin(r.min, v[i]);
		r.max = fmax(r.max, v[i]);
	}
	if (r.min > r.max)
		r.min = r.max = 0;
	return r;
}

/* Which class is that, or 0 */
static unsigned int values_class(const struct values_scale *s, double v)
{
	for (unsigned int k = 0; k < s->specials; k++)
		if (v == s->special[k] || (isnan(v) && isnan(s->special[k])))
			return k + 1;
	return 0;
}

static void values_add_class(struct values_scale *s, double v)
{
	assert(s->specials <= VALUES_SPECIAL);
	if (s->specials < VALUES_SPECIAL && !values_class(s, v))
		s->special[s->specials++] = v;
}

/**
 * struct span - ends of the numbers that have no class
 * @low, @high: of all; @above, @below: next to them
 */
struct span {
	double	low, high, above, below;
};

static struct span values_span(const double *v, size_t n,
			       const struct values_scale *s)
{
	struct span e = { INFINITY, -INFINITY, INFINITY, -INFINITY };

	for (size_t i = 0; i < n; i++) {
		const double x = v[i];

		if (!isfinite(x) || (s->specials && values_class(s, x)))
			continue;
		if (x < e.low) {
			e.above = e.low;
			e.low = x;
		} else if (x > e.low && x < e.above) {
			e.above = x;
		}
		if (x > e.high) {
			e.below = e.high;
			e.high = x;
		} else if (x < e.high && x > e.below) {
			e.below = x;
		}
	}
	return e;
}

static double values_rounded(double v, enum values_type type)
{
	return type == VALUES_FLOAT ? (double)(float)v : v;
}

static bool is_on(const double *v, size_t n, enum values_type type,
		  const struct values_scale *s)
{
	for (size_t i = 0; i < n; i++) {
		if (!isfinite(v[i]) || values_class(s, v[i]))
			continue;
		if (values_rounded(s->offset + s->step *
				   rint((v[i] - s->offset) / s->step),
				   type) != v[i])
			return false;
	}
	return true;
}

/* Does a usual step fit? */
static bool find_step(const double *v, size_t n, enum values_type type,
		      const struct span *e, struct values_scale *s)
{
	const unsigned int usual = type == VALUES_INTEGER ? 1 :
				   sizeof(steps) / sizeof(*steps);

	for (unsigned int i = 0; i < usual; i++) {
		s->step = steps[i];
		s->offset = s->step * rint(e->low / s->step);
		if ((e->high - s->offset) / s->step < VALUES_CODES + .5 &&
		    is_on(v, n, type, s))
			return true;
	}
	return false;
}

/* Values so far away that all others would lose their precision */
static bool leave_out(const struct span *e, struct values_scale *s)
{
	if (e->high - e->below > LONE * (e->below - e->low))
		values_add_class(s, e->high);
	else if (e->above - e->low > LONE * (e->high - e->above))
		values_add_class(s, e->low);
	else
		return false;
	return true;
}

int values_measure(const double *v, size_t n, enum values_type type,
		   struct values_scale *s)
{
	struct span e;

	memset(s, 0, sizeof(*s));
	for (size_t i = 0; i < n; i++)
		if (!isfinite(v[i]))
			values_add_class(s, v[i]);
	for (;;) {
		e = values_span(v, n, s);
		if (e.low > e.high)
			e.low = e.high = 0;
		if (!isfinite(e.high - e.low))
			return -ERANGE;
		s->exact = find_step(v, n, type, &e, s);
		if (s->exact)
			return 0;
		/* classes are for a few values, not for all */
		if (s->specials >= VALUES_SPECIAL - 1 || e.low == e.high ||
		    !leave_out(&e, s))
			break;
	}
	if (type == VALUES_INTEGER)
		return -ERANGE;
	s->offset = e.low;
	s->step = e.high > e.low ? (e.high - e.low) / VALUES_CODES : 1;
	return 0;
}

void values_depths(const double *v, size_t n, enum values_type type,
		   double step, struct values_scale *s)
{
	struct span e;

	*s = (struct values_scale){ .step = step, .least = 1, .exact = true };
	for (size_t i = 0; i < n; i++)
		if (!isfinite(v[i]) || v[i] == 0)
			values_add_class(s, v[i]);
	if (step > 0)
		return;
	e = values_span(v, n, s);
	if (e.low > e.high)
		e.low = e.high = 0;
	/* of code 0: no distance */
	e.low = 0;
	if (!find_step(v, n, type, &e, s))
		s->step = e.high > 0 ? e.high / VALUES_CODES : 1;
	s->offset = 0;
}

void values_pack(const double *v, size_t n, enum values_type type,
		 struct values_scale *s, uint16_t *code, uint8_t *class)
{
	for (size_t i = 0; i < n; i++) {
		double c;

		class[i] = s->specials ? values_class(s, v[i]) : 0;
		code[i] = 0;
		if (class[i])
			continue;
		c = rint((v[i] - s->offset) / s->step);
		code[i] = fmin(fmax(c, s->least), VALUES_CODES);
		if (values_rounded(s->offset + s->step * code[i], type) != v[i])
			s->exact = false;
	}
}

/* Codes from @from to @to, exclusive, of which one may be outside of the row */
static void fill_run(uint16_t *row, unsigned int from, unsigned int to,
		     unsigned int width)
{
	const int left = from ? row[from - 1] : row[to];
	const int right = to < width ? row[to] : left;
	const int n = to - from + 1;

	for (unsigned int x = from; x < to; x++)
		row[x] = left + (right - left) * (int)(x - from + 1) / n;
}

/* Return: false: the row has no number */
static bool fill_row(uint16_t *row, const uint8_t *class, unsigned int width)
{
	for (unsigned int x = 0, end; x < width; x = end + 1) {
		for (end = x; end < width && class[end]; end++)
			;
		if (end - x == width)
			return false;
		if (end > x)
			fill_run(row, x, end, width);
	}
	return true;
}

void values_fill(uint16_t *code, const uint8_t *class, unsigned int width,
		 unsigned int height)
{
	const size_t bytes = width * sizeof(*code);
	unsigned int first = height;

	for (unsigned int y = 0; y < height; y++) {
		uint16_t *row = code + (size_t)width * y;

		if (fill_row(row, class + (size_t)width * y, width))
			first = first < height ? first : y;
		else if (first < height)
			memcpy(row, row - width, bytes);
	}
	for (unsigned int y = 0; y < first && first < height; y++)
		memcpy(code + (size_t)width * y, code + (size_t)width * first,
		       bytes);
}
