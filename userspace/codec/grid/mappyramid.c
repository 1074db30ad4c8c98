// SPDX-License-Identifier: GPL-2.0-only
/*
 * mappyramid - a map as in D6.3: halved until it fits, interleaved
 *
 * A payload: version (4 bits) and depth d   1 times halved   2 which of 4^d
 *   3 0   4 width   6 height   8 resolution   12 x   20 y   28 yaw   36 cells
 * after halving; row by row, those whose position modulo 2^d is that of the
 * payload's number.
 */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/cpu.h"
#include "base/wire.h"
#include "codec/core/pattern.h"
#include "codec/grid/mappyramid.h"
#if CPU_X86
#include <immintrin.h>
#endif

enum {
	VERSION	= 1,
	INDEX_AT = 2,
	PHASES	= 1 << 2 * MAPPYRAMID_DEPTH,
	CELLS	= PHASES * MAPPYRAMID_CELLS,
};

struct mappyramid_encoder {
	unsigned int	max_width, max_height;
	int8_t		*half[2];
};

struct mappyramid_decoder {
	bool		any;
	uint8_t		header[MAPPYRAMID_HEADER];	/* of the first */
	struct map	map;
	unsigned int	depth;
	bool		here[PHASES];
	int8_t		cells[CELLS];
};

static int8_t highest(int8_t a, int8_t b)
{
	return a > b ? a : b;
}

static void halve_rows(const int8_t *a, const int8_t *b, unsigned int from,
		       unsigned int width, int8_t *out)
{
	for (unsigned int x = from; x < width / 2; x++)
		out[x] = highest(highest(a[2 * x], a[2 * x + 1]),
				 highest(b[2 * x], b[2 * x + 1]));
	if (width & 1)
		out[width / 2] = highest(a[width - 1], b[width - 1]);
}

#if CPU_X86
CPU_AVX2 static __m256i pairs(const int8_t *a, const int8_t *b)
{
	__m256i m = _mm256_max_epi8(_mm256_loadu_si256((const void *)a),
				    _mm256_loadu_si256((const void *)b));

	m = _mm256_max_epi8(m, _mm256_srli_epi16(m, 8));
	return _mm256_and_si256(m, _mm256_set1_epi16(255));
}

/* Return: number of cells done */
CPU_AVX2 static unsigned int halve_rows_avx2(const int8_t *a, const int8_t *b,
					     unsigned int width, int8_t *out)
{
	unsigned int x = 0;

	for (; 2 * x + 64 <= width; x += 32) {
		__m256i m = _mm256_packus_epi16(pairs(a + 2 * x, b + 2 * x),
						pairs(a + 2 * x + 32,
						      b + 2 * x + 32));

		_mm256_storeu_si256((void *)(out + x),
				    _mm256_permute4x64_epi64(m, 0xd8));
	}
	return x;
}
#endif

void mappyramid_halve(const int8_t *in, unsigned int width,
		      unsigned int height, int8_t *out)
{
	unsigned int half = (width + 1) / 2;

	for (unsigned int y = 0; y < height; y += 2) {
		const int8_t *a = in + (size_t)y * width;
		const int8_t *b = y + 1 < height ? a + width : a;
		unsigned int done = 0;

#if CPU_X86
		if (cpu_avx2())
			done = halve_rows_avx2(a, b, width, out);
#endif
		halve_rows(a, b, done, width, out);
		out += half;
	}
}

struct mappyramid_encoder *
mappyramid_encoder_create(unsigned int max_width, unsigned int max_height)
{
	struct mappyramid_encoder *e;
	size_t cells;

	if (!max_width || max_width > MAP_SIDE_MAX || !max_height ||
	    max_height > MAP_SIDE_MAX)
		return NULL;
	e = calloc(1, sizeof(*e));
	if (!e)
		return NULL;
	e->max_width = max_width;
	e->max_height = max_height;
	cells = (size_t)((max_width + 1) / 2) * ((max_height + 1) / 2);
	e->half[0] = malloc(cells);
	e->half[1] = malloc(cells);
	if (!e->half[0] || !e->half[1]) {
		mappyramid_encoder_destroy(e);
		return NULL;
	}
	return e;
}

void mappyramid_encoder_destroy(struct mappyramid_encoder *e)
{
	if (!e)
		return;
	free(e->half[0]);
	free(e->half[1]);
	free(e);
}

static bool mappyramid_fits(const struct map *m, unsigned int depth,
			    unsigned int cells)
{
	return (uint64_t)pattern_every(m->width, 0, depth) *
	       pattern_every(m->height, 0, depth) <= cells;
}

static void mappyramid_put_part(const struct map *m, unsigned int depth,
				unsigned int x0, unsigned int y0, uint8_t *to)
{
	unsigned int step = 1 << depth;

	for (unsigned int y = y0; y < m->height; y += step)
		for (unsigned int x = x0; x < m->width; x += step)
			*to++ = m->cells[(size_t)y * m->width + x];
}

static void mappyramid_put_all(const struct map *m, unsigned int depth,
			       unsigned int halved, struct payloads *out)
{
	unsigned int step = 1 << depth;

	out->count = step * step;
	assert(out->count <= out->max);
	for (unsigned int i = 0; i < out->count; i++) {
		unsigned int x = i % step, y = i / step;
		unsigned int n = pattern_number(x, y, depth);
		uint8_t *p = payload_at(out, n);

		assert(n < out->count);
		p[0] = VERSION << 4 | depth;
		p[1] = halved;
		p[INDEX_AT] = n;
		p[3] = 0;
		put_le16(p + 4, m->width);
		put_le16(p + 6, m->height);
		put_lef32(p + 8, m->resolution);
		put_lef64(p + 12, m->x);
		put_lef64(p + 20, m->y);
		put_lef64(p + 28, m->yaw);
		mappyramid_put_part(m, depth, x, y, p + MAPPYRAMID_HEADER);
		out->len[n] = MAPPYRAMID_HEADER +
			      pattern_every(m->width, x, depth) *
			      pattern_every(m->height, y, depth);
	}
}

int mappyramid_encode(struct mappyramid_encoder *e, const struct map *map,
		      unsigned int max_datagrams, struct payloads *out)
{
	unsigned int depth = 0, deepest = 0, halved = 0, cells;
	struct map m = *map;

	if (!m.width || m.width > MAP_SIDE_MAX || !m.height ||
	    m.height > MAP_SIDE_MAX || !max_datagrams || !out->max ||
	    out->size <= MAPPYRAMID_HEADER)
		return -EINVAL;
	if (m.width > e->max_width || m.height > e->max_height)
		return -E2BIG;
	if (max_datagrams > out->max)
		max_datagrams = out->max;
	while (deepest < MAPPYRAMID_DEPTH &&
	       4U << 2 * deepest <= max_datagrams)
		deepest++;
	cells = out->size - MAPPYRAMID_HEADER;
	if (cells > MAPPYRAMID_CELLS)
		cells = MAPPYRAMID_CELLS;
	for (; !mappyramid_fits(&m, deepest, cells); halved++) {
		int8_t *half = e->half[halved & 1];

		mappyramid_halve(m.cells, m.width, m.height, half);
		m.width = (m.width + 1) / 2;
		m.height = (m.height + 1) / 2;
		m.resolution *= 2;
		m.cells = half;
	}
	while (!mappyramid_fits(&m, depth, cells))
		depth++;
	mappyramid_put_all(&m, depth, halved, out);
	return 0;
}

struct mappyramid_decoder *mappyramid_decoder_create(void)
{
	return calloc(1, sizeof(struct mappyramid_decoder));
}

void mappyramid_decoder_destroy(struct mappyramid_decoder *d)
{
	free(d);
}

void mappyramid_begin(struct mappyramid_decoder *d)
{
	d->any = false;
	memset(d->here, 0, sizeof(d->here));
}

static int mappyramid_check(const uint8_t *p, size_t len, struct map *m,
			    unsigned int *depth)
{
	unsigned int phase;

	if (len < MAPPYRAMID_HEADER || p[0] >> 4 != VERSION ||
	    (p[0] & 15) > MAPPYRAMID_DEPTH || p[3])
		return -EINVAL;
	*depth = p[0] & 15;
	*m = (struct map){
		.width = get_le16(p + 4),
		.height = get_le16(p + 6),
		.resolution = get_lef32(p + 8),
		.x = get_lef64(p + 12),
		.y = get_lef64(p + 20),
		.yaw = get_lef64(p + 28),
	};
	if (!m->width || !m->height ||
	    !mappyramid_fits(m, *depth, MAPPYRAMID_CELLS) ||
	    !isfinite(m->resolution) || m->resolution <= 0 || !isfinite(m->x) ||
	    !isfinite(m->y) || !isfinite(m->yaw) || p[INDEX_AT] >> 2 * *depth)
		return -EINVAL;
	phase = pattern_phase(p[INDEX_AT], *depth);
	if (len - MAPPYRAMID_HEADER !=
	    pattern_every(m->width, phase & ((1 << *depth) - 1), *depth) *
	    pattern_every(m->height, phase >> *depth, *depth))
		return -EINVAL;
	return 0;
}

/* Whether both are of one map: all but the number is equal */
static bool same_map(const uint8_t *a, const uint8_t *b)
{
	return !memcmp(a, b, INDEX_AT) &&
	       !memcmp(a + INDEX_AT + 1, b + INDEX_AT + 1,
		       MAPPYRAMID_HEADER - INDEX_AT - 1);
}

int mappyramid_add(struct mappyramid_decoder *d, const void *payload,
		   size_t len)
{
	const uint8_t *p = payload, *from = p + MAPPYRAMID_HEADER;
	unsigned int depth, x0, y0;
	struct map m;

	if (mappyramid_check(p, len, &m, &depth))
		return -EINVAL;
	if (d->any && !same_map(p, d->header))
		return -EPROTO;
	if (d->here[p[INDEX_AT]])
		return -EEXIST;
	/* on small maps some payloads have no cells */
	d->here[p[INDEX_AT]] = len > MAPPYRAMID_HEADER;
	if (!d->any && len > MAPPYRAMID_HEADER) {
		d->any = true;
		memcpy(d->header, p, MAPPYRAMID_HEADER);
		d->map = m;
		d->depth = depth;
	}
	x0 = pattern_phase(p[INDEX_AT], depth);
	y0 = x0 >> depth;
	x0 &= (1 << depth) - 1;
	for (unsigned int y = y0; y < m.height; y += 1 << depth)
		for (unsigned int x = x0; x < m.width; x += 1 << depth)
			d->cells[(size_t)y * m.width + x] = *from++;
	return 0;
}

/* Offset from each phase to the nearest one whose payload arrived */
static void mappyramid_nearest(const struct mappyramid_decoder *d,
			       unsigned int x, unsigned int y, int *dx, int *dy)
{
	int step = 1 << d->depth, least = 4 * step * step;

	for (int oy = -step; oy <= step; oy++)
		for (int ox = -step; ox <= step; ox++) {
			unsigned int n = pattern_number((x + ox) & (step - 1),
						   (y + oy) & (step - 1),
						   d->depth);

			if (!d->here[n] || ox * ox + oy * oy >= least)
				continue;
			least = ox * ox + oy * oy;
			*dx = ox;
			*dy = oy;
		}
}

/* @at, or the next position of the same phase within 0 .. @n - 1 */
static unsigned int mappyramid_within(int at, int n, int step)
{
	return at < 0 ? at + step : at >= n ? at - step : at;
}

static void mappyramid_fill(struct mappyramid_decoder *d, unsigned int x0,
			    unsigned int y0)
{
	int step = 1 << d->depth, dx = 0, dy = 0;
	int width = d->map.width, height = d->map.height;

	mappyramid_nearest(d, x0, y0, &dx, &dy);
	for (int y = y0; y < height; y += step) {
		const int8_t *from = d->cells + (size_t)width *
				     mappyramid_within(y + dy, height, step);

		for (int x = x0; x < width; x += step)
			d->cells[(size_t)y * width + x] =
				from[mappyramid_within(x + dx, width, step)];
	}
}

int mappyramid_finish(struct mappyramid_decoder *d, struct map *map)
{
	unsigned int step = 1 << d->depth;

	if (!d->any)
		return -ENODATA;
	for (unsigned int i = 0; i < step * step; i++)
		if (!d->here[pattern_number(i % step, i / step, d->depth)])
			mappyramid_fill(d, i % step, i / step);
	*map = d->map;
	map->cells = d->cells;
	return 0;
}
