// SPDX-License-Identifier: GPL-2.0-only
/*
 * rangeimage_cloud - revolutions to clouds and back
 */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "codec/cloud/rangeimage_cloud.h"

enum {
	TURN		= 36000,	/* 1/100 degree */
	STEP_MIN	= 2,
	STEP_MAX	= 400,
	WAVE		= 1024,		/* samples of a sine, a power of 2 */
};

#define TO_RAD		(M_PI / 18000)

int organised_to_cloud(const struct organised *o, struct cloud *out)
{
	float side[ORGANISED_RINGS], up[ORGANISED_RINGS];
	float ahead_sin[ORGANISED_RINGS], ahead_cos[ORGANISED_RINGS];
	uint16_t *ring = out->field[1].data;
	float *intensity = out->field[0].data;

	out->count = out->fields = out->dropped = 0;
	cloud_add_field(out, "intensity", CLOUD_FLOAT32);
	cloud_add_field(out, "ring", CLOUD_UINT16);
	for (unsigned int r = 0; r < o->rings; r++) {
		side[r] = o->unit * cos(o->elevation[r] * TO_RAD);
		up[r] = o->unit * sin(o->elevation[r] * TO_RAD);
		ahead_sin[r] = sin(o->advance[r] * TO_RAD);
		ahead_cos[r] = cos(o->advance[r] * TO_RAD);
	}
	for (unsigned int c = 0; c < o->columns; c++) {
		float s = sin(o->azimuth[c] * TO_RAD);
		float k = cos(o->azimuth[c] * TO_RAD);

		for (unsigned int r = 0; r < o->rings; r++) {
			unsigned int at = r * o->columns + c, n = out->count;
			float range = o->range[at];

			if (!o->range[at])
				continue;
			if (n == out->max) {
				out->count = 0;
				return -ENOSPC;
			}
			/* sine and cosine of a sum */
			out->x[n] = range * side[r] *
				    (s * ahead_cos[r] + k * ahead_sin[r]);
			out->y[n] = range * side[r] *
				    (k * ahead_cos[r] - s * ahead_sin[r]);
			out->z[n] = range * up[r];
			intensity[n] = o->intensity ? o->intensity[at] : 0;
			ring[n] = r;
			out->count++;
		}
	}
	return 0;
}

/**
 * struct place - direction of a point
 * @azimuth: 1/100 degree, 0 ... TURN
 * @ring: its number, later its rank by elevation
 */
struct place {
	float		azimuth, range;
	uint32_t	point;
	uint16_t	ring, column;
};

struct organiser {
	unsigned int	points;
	unsigned int	count;
	struct place	*place;			/* [count] */
	uint32_t	*order;			/* places by azimuth */
	uint32_t	start[TURN + 1];	/* of the counting sort */
	uint32_t	seen[ORGANISED_RINGS];
	float		*sine;			/* of elevations */
	float		wave[WAVE + WAVE / 4];	/* a period, and a quarter */
	/* of the rings, by elevation */
	unsigned int	rings, number[ORGANISED_RINGS], row[ORGANISED_RINGS];
	unsigned int	columns;
	uint16_t	rank[ORGANISED_RINGS];
	int16_t		elevation[ORGANISED_RINGS];
	uint16_t	*range;
	uint8_t		*intensity;
	uint16_t	azimuth[ORGANISED_COLUMNS];
};

struct organiser *organiser_create(unsigned int points)
{
	struct organiser *g = calloc(1, sizeof(*g));
	size_t n = (size_t)points + 1;
	size_t cells = (size_t)ORGANISED_RINGS * ORGANISED_COLUMNS;

	if (!g)
		return NULL;
	g->points = points;
	g->place = malloc(n * sizeof(*g->place));
	g->order = malloc(n * sizeof(*g->order));
	g->sine = malloc(n * sizeof(*g->sine));
	g->range = malloc(cells * sizeof(*g->range));
	g->intensity = malloc(cells);
	if (!g->place || !g->order || !g->sine || !g->range || !g->intensity) {
		organiser_destroy(g);
		return NULL;
	}
	for (unsigned int i = 0; i < WAVE + WAVE / 4; i++)
		g->wave[i] = sin(2 * M_PI / WAVE * i);
	return g;
}

void organiser_destroy(struct organiser *g)
{
	if (!g)
		return;
	free(g->place);
	free(g->order);
	free(g->sine);
	free(g->range);
	free(g->intensity);
	free(g);
}

static float wrapped(float azimuth)
{
	if (azimuth < 0)
		azimuth += TURN;
	return azimuth < TURN ? azimuth : azimuth - TURN;
}

/* Return: 0, or -ERANGE if a ring has too high a number */
static int rangecloud_find_places(struct organiser *g, const struct cloud *in,
				  const struct cloud_field *ring)
{
	memset(g->seen, 0, sizeof(g->seen));
	g->count = 0;
	for (unsigned int i = 0; i < in->count; i++) {
		float x = in->x[i], y = in->y[i], z = in->z[i];
		float range = sqrtf(x * x + y * y + z * z);
		double number = cloud_get(ring, i);
		struct place *p = &g->place[g->count];

		if (!(number >= 0 && number < ORGANISED_RINGS))
			return -ERANGE;
		if (!(range > 0) || !isfinite(range))
			continue;
		*p = (struct place){
			.azimuth = wrapped(atan2f(x, y) * (float)(1 / TO_RAD)),
			.range = range,
			.point = i,
			.ring = number,
		};
		g->seen[p->ring]++;
		g->count++;
	}
	return 0;
}

/* Places by azimuth, to 1/100 degree: a counting sort */
static void sort_places(struct organiser *g)
{
	uint32_t sum = 0, here;

	memset(g->start, 0, sizeof(g->start));
	for (unsigned int i = 0; i < g->count; i++)
		g->start[(unsigned int)g->place[i].azimuth]++;
	for (unsigned int a = 0; a <= TURN; a++) {
		here = g->start[a];
		g->start[a] = sum;
		sum += here;
	}
	for (unsigned int i = 0; i < g->count; i++)
		g->order[g->start[(unsigned int)g->place[i].azimuth]++] = i;
}

/* The element at @k in sorted order (Hoare's FIND) */
static float nth(float *v, unsigned int n, unsigned int k)
{
	unsigned int low = 0, high = n - 1;

	while (low < high) {
		float pivot = v[k];
		unsigned int i = low, j = high;

		do {
			while (v[i] < pivot)
				i++;
			while (v[j] > pivot)
				j--;
			if (i <= j) {
				float t = v[i];

				v[i++] = v[j];
				v[j] = t;
				if (!j)
					break;
				j--;
			}
		} while (i <= j);
		if (j < k)
			low = i;
		if (k < i)
			high = j;
	}
	return v[k];
}

/* Sines of elevations, ring by ring; @first: where each ring begins */
static void find_sines(struct organiser *g, const float *z, uint32_t *first)
{
	uint32_t next[ORGANISED_RINGS], sum = 0;

	for (unsigned int r = 0; r < ORGANISED_RINGS; r++) {
		first[r] = next[r] = sum;
		sum += g->seen[r];
	}
	for (unsigned int i = 0; i < g->count; i++) {
		const struct place *p = &g->place[i];

		assert(p->ring < ORGANISED_RINGS);
		g->sine[next[p->ring]++] = z[p->point] / p->range;
	}
}

/* Rings that have points, lowest first */
static void sort_rings(struct organiser *g, const float *z)
{
	uint32_t first[ORGANISED_RINGS];

	find_sines(g, z, first);
	g->rings = 0;
	for (unsigned int ring = 0; ring < ORGANISED_RINGS; ring++) {
		unsigned int at = g->rings;
		float median;
		int e;

		if (!g->seen[ring])
			continue;
		median = nth(g->sine + first[ring], g->seen[ring],
			     (g->seen[ring] - 1) / 2);
		e = lrintf(asinf(fmaxf(-1, fminf(1, median))) *
			   (float)(1 / TO_RAD));
		for (; at && g->elevation[at - 1] > e; at--) {
			g->elevation[at] = g->elevation[at - 1];
			g->number[at] = g->number[at - 1];
		}
		g->elevation[at] = e;
		g->number[at] = ring;
		g->rings++;
	}
	for (unsigned int r = 0; r < g->rings; r++)
		g->rank[g->number[r]] = r;
	for (unsigned int i = 0; i < g->count; i++)
		g->place[i].ring = g->rank[g->place[i].ring];
}

/* Differences of azimuths within rings, counted; the most frequent one */
static int frequent_step(const struct organiser *g)
{
	uint32_t count[STEP_MAX + 2] = { 0 }, best = 0;
	float last[ORGANISED_RINGS];
	int mode = 0;

	for (unsigned int r = 0; r < g->rings; r++)
		last[r] = -TURN;
	for (unsigned int i = 0; i < g->count; i++) {
		const struct place *p = &g->place[g->order[i]];
		float d = p->azimuth - last[p->ring];

		last[p->ring] = p->azimuth;
		if (d >= STEP_MIN && d < STEP_MAX)
			count[(int)(d + 0.5f)]++;
	}
	/* the head jitters: sum up three bins */
	for (int d = 1; d <= STEP_MAX; d++) {
		uint32_t here = count[d - 1] + count[d] + count[d + 1];

		if (here > best) {
			best = here;
			mode = d;
		}
	}
	return mode;
}

/* Return: the mean step from column to column, 0: none found */
static float find_step(const struct organiser *g)
{
	float last[ORGANISED_RINGS], sum = 0;
	int mode = frequent_step(g);
	unsigned int used = 0;

	for (unsigned int r = 0; r < g->rings; r++)
		last[r] = -TURN;
	for (unsigned int i = 0; i < g->count; i++) {
		const struct place *p = &g->place[g->order[i]];
		float d = p->azimuth - last[p->ring] - mode;

		last[p->ring] = p->azimuth;
		if (fabsf(d) < 0.25f * mode) {
			sum += d;
			used++;
		}
	}
	return used ? mode + sum / used : 0;
}

/* Advance of each ring to the one below, modulo a step, summed up */
static void find_advances(const struct organiser *g, float step, float *advance)
{
	float s[ORGANISED_RINGS] = { 0 }, c[ORGANISED_RINGS] = { 0 };
	float last[ORGANISED_RINGS], scale = WAVE / step;

	for (unsigned int r = 0; r < g->rings; r++)
		last[r] = -TURN;
	for (unsigned int i = 0; i < g->count; i++) {
		const struct place *p = &g->place[g->order[i]];

		last[p->ring] = p->azimuth;
		/* this ring relative to the one below, the one above to it */
		for (unsigned int r = p->ring; r <= p->ring + 1U; r++) {
			unsigned int phase;
			float d;

			if (!r || r == g->rings)
				continue;
			d = last[r] - last[r - 1];
			if (fabsf(d) > 1.5f * step)
				continue;
			phase = (unsigned int)lrintf(d * scale) % WAVE;
			s[r] += g->wave[phase];
			c[r] += g->wave[phase + WAVE / 4];
		}
	}
	advance[0] = 0;
	for (unsigned int r = 1; r < g->rings; r++) {
		advance[r] = advance[r - 1] +
			     atan2f(s[r], c[r]) / (float)(2 * M_PI) * step;
		advance[r] -= step * floorf(advance[r] / step + 0.5f);
	}
}

/* Azimuth of place i; those from count on are the first, a turn later */
static float azimuth_at(const struct organiser *g, unsigned int i)
{
	return i < g->count ? g->place[g->order[i]].azimuth :
	       g->place[g->order[i - g->count]].azimuth + TURN;
}

/* First place of a column, so that the seam at 0 degrees splits none */
static unsigned int first_of_column(const struct organiser *g, float step)
{
	for (unsigned int i = 1; i < g->count; i++)
		if (azimuth_at(g, i) - azimuth_at(g, i - 1) > 0.5f * step)
			return i;
	return 0;
}

/*
 * Add a column at @azimuth after the last one at @last, with empty ones in
 * between for gaps
 */
static int add_column(struct organiser *g, float azimuth, float last,
		      float step)
{
	unsigned int steps = 1;

	if (!g->columns)
		last = azimuth;
	else if (azimuth - last > 1.5f * step)
		steps = (azimuth - last) / step + 0.5f;
	if (steps > ORGANISED_COLUMNS - g->columns)
		return -ERANGE;
	assert(g->columns + steps <= ORGANISED_COLUMNS);
	for (unsigned int i = 1; i <= steps; i++) {
		float a = last + (azimuth - last) * i / steps;

		g->azimuth[g->columns++] = (unsigned int)(a + 0.5f) % TURN;
	}
	return 0;
}

/* Divide the places into columns */
static int find_columns(struct organiser *g, float step, float *worst)
{
	unsigned int begin = first_of_column(g, step), i, j;
	unsigned int end = begin + g->count;
	float last = 0;

	*worst = 0;
	g->columns = 0;
	for (i = begin; i < end; i = j) {
		float first = azimuth_at(g, i), sum = 0, mean;

		for (j = i; j < end; j++) {
			float off = azimuth_at(g, j) - first;

			if (j > i && off - sum / (j - i) > 0.5f * step)
				break;
			sum += off;
		}
		mean = first + sum / (j - i);
		if (add_column(g, mean, last, step))
			return -ERANGE;
		last = mean;
		for (; i < j; i++) {
			float off = fabsf(azimuth_at(g, i) - mean);

			*worst = off > *worst ? off : *worst;
			g->place[g->order[i % g->count]].column =
				g->columns - 1;
		}
	}
	return 0;
}

/*
 * Rows are ring numbers if these increase with elevation, so that empty rings
 * keep their rows, with interpolated elevations. Otherwise rows are ranks.
 */
static void find_rows(struct organiser *g, const float *advance,
		      struct organised *out)
{
	unsigned int last = g->rings - 1, r = 0;
	bool rising = true;

	for (unsigned int i = 1; i < g->rings; i++)
		rising &= g->number[i] > g->number[i - 1];
	for (unsigned int i = 0; i < g->rings; i++)
		g->row[i] = rising ? g->number[i] : i;
	out->rings = g->row[last] + 1;
	for (unsigned int row = 0; row < out->rings; row++) {
		float slope = 0, e;

		/* the two ranks around, or the nearest ones */
		while (r + 1 < last && row > g->row[r + 1])
			r++;
		if (last)
			slope = (float)(g->elevation[r + 1] - g->elevation[r]) /
				(g->row[r + 1] - g->row[r]);
		e = g->elevation[r] + slope * ((int)row - (int)g->row[r]);
		out->elevation[row] = lrintf(fmaxf(-9000, fminf(9000, e)));
		out->advance[row] = 0;
	}
	for (unsigned int i = 0; i < g->rings; i++)
		out->advance[g->row[i]] = advance[i];
}

/* Return: number of points without a place */
static unsigned int rangecloud_fill(struct organiser *g, const struct cloud *in,
				    float unit, unsigned int rows)
{
	int f = cloud_find(in, "intensity");
	unsigned int lost = in->count - g->count;

	memset(g->range, 0, sizeof(*g->range) * rows * g->columns);
	memset(g->intensity, 0, (size_t)rows * g->columns);
	for (unsigned int i = 0; i < g->count; i++) {
		const struct place *p = &g->place[i];
		size_t at = (size_t)g->row[p->ring] * g->columns +
			    p->column;
		float range = roundf(p->range / unit);
		double v = f < 0 ? 0 : cloud_get(&in->field[f], p->point);

		/* of two points in one place keep the nearer one */
		if (!(range >= 1 && range <= UINT16_MAX)) {
			lost++;
			continue;
		}
		if (g->range[at]) {
			lost++;
			if (g->range[at] <= range)
				continue;
		}
		g->range[at] = range;
		g->intensity[at] = v > 0 ? v < UINT8_MAX ? lrint(v) :
					   UINT8_MAX : 0;
	}
	return lost;
}

int cloud_to_organised(struct organiser *g, const struct cloud *in, float unit,
		       struct organised *out, struct organise_report *report)
{
	int ring = cloud_find(in, "ring");
	float advance[ORGANISED_RINGS];
	struct organise_report r;
	int err;

	if (ring < 0 || !(unit > 0))
		return -EINVAL;
	if (in->count > g->points)
		return -ENOSPC;
	err = rangecloud_find_places(g, in, &in->field[ring]);
	if (err)
		return err;
	sort_places(g);
	sort_rings(g, in->z);
	r.step = find_step(g);
	if (!(r.step >= STEP_MIN))
		return -ERANGE;
	find_advances(g, r.step, advance);
	/* the rest of an azimuth is that of its column */
	for (unsigned int i = 0; i < g->count; i++) {
		struct place *p = &g->place[i];

		p->azimuth = wrapped(p->azimuth - advance[p->ring]);
	}
	sort_places(g);
	err = find_columns(g, r.step, &r.worst);
	if (err)
		return err;
	find_rows(g, advance, out);
	r.lost = rangecloud_fill(g, in, unit, out->rings);
	if (report)
		*report = r;
	if (2 * r.lost > in->count)
		return -ERANGE;
	out->columns = g->columns;
	out->unit = unit;
	out->range = g->range;
	out->intensity = g->intensity;
	out->azimuth = g->azimuth;
	return 0;
}
