// SPDX-License-Identifier: GPL-2.0-only
/*
 * zeroblock - embedded code of wavelet coefficients
 *
 * A band is a quadtree (zeroblock_bands.h). What is not significant yet waits in
 * a list: coefficients singly (level 0) once their block was opened, blocks at
 * the highest level that is all zero. Encoder and decoder are the same walk;
 * which of the two it is, is known when it is compiled.
 */
#include <stdlib.h>
#include <string.h>
#include "lib/cpu.h"
#include "lib/zeroblock_bands.h"
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define unlikely(x)	__builtin_expect(x, 0)

/* ---- contexts ---------------------------------------------------------- */

#ifndef __SSE2__
/* Per byte, how much a neighbour is above plane @n: 0 not, 1, 2, 3 */
INLINE uint64_t heights(uint64_t v, unsigned int n)
{
	const uint64_t ones = 0x0101010101010101;
	uint64_t a = v + (128 - n) * ones;

	return (a >> 7 & ones) + ((a - ones) >> 7 & ones) +
	       ((a - 2 * ones) >> 7 & ones);
}
#endif

static const uint8_t sum_bin[64] = {
	0, 1, 2, 3, 4, 4, 5, 5, 6, 6, 7, 7, 7, 8, 8, 8,
	8, 9, 9, 9, 9, 9, 10, 10, 10, 10, 10, 10, 11, 11, 11, 11,
	11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11,
	11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11,
};

/* How much they tell: above and below, left and right; corners count 1 */
static const uint8_t weights[ORIENTS][2] = { { 3, 2 }, { 2, 3 }, { 2, 2 } };

/* The neighbours of a node, weighted */
INLINE unsigned int neighbours(const struct level *l, size_t at,
			       unsigned int n, enum orient orient)
{
	const uint8_t *p = l->map + at - 1;
	unsigned int along = weights[orient][0], across = weights[orient][1];
	uint32_t up, mid, down;

	memcpy(&up, p - l->stride, 4);
	memcpy(&mid, p, 4);
	memcpy(&down, p + l->stride, 4);
#ifdef __SSE2__
	{
		const __m128i below = _mm_set1_epi8(n - 1);
		const __m128i most = _mm_set1_epi8(3);
		const __m128i w = _mm_setr_epi16(1, along, 1, 0, across, 0,
						 across, 0);
		__m128i v = _mm_set_epi32(0, down, mid, up);

		v = _mm_min_epu8(_mm_subs_epu8(v, below), most);
		v = _mm_add_epi8(v, _mm_srli_si128(v, 8));
		v = _mm_unpacklo_epi8(v, _mm_setzero_si128());
		v = _mm_mullo_epi16(v, w);
		v = _mm_sad_epu8(v, _mm_setzero_si128());
		return _mm_cvtsi128_si32(v) + _mm_extract_epi16(v, 4);
	}
#else
	{
		uint64_t v = heights(up | (uint64_t)down << 32, n);
		uint64_t m = heights(mid, n);

		v = (v & 0xffffffff) + (v >> 32);
		return along * (v >> 8 & 255) +
		       across * ((m & 255) + (m >> 16 & 255)) +
		       (v & 255) + (v >> 16 & 255);
	}
#endif
}

/*
 * How much what is at the same place one band up is above plane @n. That may
 * be in the margin, where nothing is.
 */
INLINE unsigned int parent(const struct level *l, unsigned int x,
			   unsigned int y, unsigned int n)
{
	const struct level *p = l->parent;
	unsigned int m;

	if (!p)
		return 0;
	m = p->map[place(p, x >> l->halve, y >> l->halve)];
	return (m >= n) + (m > n);
}

/* ---- the walk ---------------------------------------------------------- */

INLINE int code(struct coder *c, struct rc_bit *b, int bit, const bool decode)
{
	if (decode)
		return rc_decode(&c->dec, b);
	rc_encode(&c->enc, b, bit);
	return bit;
}

INLINE bool over(const struct coder *c, const bool decode)
{
	return decode ? c->dec.ended : c->enc.p >= c->stop;
}

/* A coefficient shows itself: its sign, and a guess at its size */
INLINE bool show(struct zeroblock *z, struct coder *c, struct band *b,
		 unsigned int x, unsigned int y, size_t at, unsigned int n,
		 const bool decode)
{
	struct contexts *ctx = &z->ctx[b->channel > 0];
	const struct level *l = &b->level[0];
	int32_t v = 0;
	int h = b->sign[at - 1] + b->sign[at + 1];
	int w = b->sign[at - l->stride] + b->sign[at + l->stride];
	int flip, negative = 0;

	h = (h > 0) - (h < 0);
	w = (w > 0) - (w < 0);
	flip = h < 0 || (!h && w < 0);
	if (flip) {
		h = -h;
		w = -w;
	}
	if (!decode) {
		v = z->in[b->channel][b->at + (size_t)y * z->shape.width + x];
		negative = v < 0;
		v = abs(v);
	}
	negative = flip ^ code(c, &ctx->sign[b->orient][h * 3 + w + 1],
			       negative ^ flip, decode);
	if (unlikely(over(c, decode)))
		return false;
	l->map[at] = n;
	b->sign[at] = negative ? -1 : 1;
	n -= b->shift;
	if (decode)
		v = 3 << (n - 1);	/* twice the middle of its interval */
	else
		z->gain += (3. * v - 2.25 * (1 << (n - 1))) * (1 << (n - 1)) *
			   b->weight;
	b->list[b->listed++] = (struct hit){ { x, y }, v };
	return true;
}

/* Whether a node is significant at plane @n. @kind: of context */
INLINE int test(struct zeroblock *z, struct coder *c, struct band *b,
		unsigned int k, unsigned int x, unsigned int y, size_t at,
		unsigned int n, unsigned int kind, const bool decode)
{
	struct level *l = &b->level[k];
	unsigned int sum = neighbours(l, at, n, b->orient);
	struct rc_bit *bit = &z->ctx[b->channel > 0].node[b->orient][kind]
			     [parent(l, x, y, n)][sum_bin[sum]];

	return code(c, bit, decode ? 0 : l->top[at] >= n, decode);
}

/* A block of level @k is significant: what of it is? */
static inline bool split(struct zeroblock *z, struct band *b, unsigned int k,
			 unsigned int x, unsigned int y, unsigned int n,
			 const bool decode);

INLINE bool split_body(struct zeroblock *z, struct band *b, unsigned int k,
		       unsigned int x, unsigned int y, unsigned int n,
		       const bool decode)
{
	struct level *l = &b->level[k - 1];
	unsigned int kind = k - 1 < KINDS - 2 ? k : KINDS - 1;
	unsigned int xe = 2 * x + 2 < l->width ? 2 * x + 2 : l->width;
	unsigned int ye = 2 * y + 2 < l->height ? 2 * y + 2 : l->height;
	unsigned int found = 0;
	struct coder coder = z->coder, *c = &coder;
	bool ok = false;

	for (unsigned int cy = 2 * y; cy < ye; cy++)
		for (unsigned int cx = 2 * x; cx < xe; cx++) {
			bool last = cx + 1 == xe && cy + 1 == ye;
			size_t at = place(l, cx, cy);
			int sig = 1;

			/* the last one must be if the others are not */
			if (found || !last)
				sig = test(z, c, b, k - 1, cx, cy, at, n, kind,
					   decode);
			if (unlikely(over(c, decode)))
				goto out;
			if (!sig) {
				l->wait[l->waiting++] =
					(struct node){ cx, cy };
				continue;
			}
			found++;
			if (k == 1) {
				if (!show(z, c, b, cx, cy, at, n, decode))
					goto out;
			} else {
				l->map[at] = n;
				z->coder = coder;
				if (!split(z, b, k - 1, cx, cy, n, decode))
					return false;
				coder = z->coder;
			}
		}
	ok = true;
out:
	z->coder = coder;
	return ok;
}

static bool split_encode(struct zeroblock *z, struct band *b, unsigned int k,
			 unsigned int x, unsigned int y, unsigned int n)
{
	return split_body(z, b, k, x, y, n, false);
}

static bool split_decode(struct zeroblock *z, struct band *b, unsigned int k,
			 unsigned int x, unsigned int y, unsigned int n)
{
	return split_body(z, b, k, x, y, n, true);
}

static inline bool split(struct zeroblock *z, struct band *b, unsigned int k,
			 unsigned int x, unsigned int y, unsigned int n,
			 const bool decode)
{
	return decode ? split_decode(z, b, k, x, y, n) :
			split_encode(z, b, k, x, y, n);
}

/* Nodes of level @k that wait. Those that stay keep their order */
INLINE bool pass_waiting(struct zeroblock *z, struct band *b, unsigned int k,
			 unsigned int n, const bool decode)
{
	struct level *l = &b->level[k];
	unsigned int kind = k < KINDS - 2 ? k + 1 : KINDS - 1;
	unsigned int stay = 0, count = l->waiting;
	struct coder coder = z->coder, *c = &coder;

	if (!k)
		kind = 0;
	for (unsigned int i = 0; i < count; i++) {
		struct node at = l->wait[i];
		size_t p = place(l, at.x, at.y);
		int sig = test(z, c, b, k, at.x, at.y, p, n, kind, decode);

		if (unlikely(over(c, decode)))
			goto over;
		if (!sig) {
			l->wait[stay++] = at;
			continue;
		}
		if (!k) {
			if (!show(z, c, b, at.x, at.y, p, n, decode))
				goto over;
			continue;
		}
		l->map[p] = n;
		z->coder = coder;
		if (!split(z, b, k, at.x, at.y, n, decode))
			return false;
		coder = z->coder;
	}
	l->waiting = stay;
	z->coder = coder;
	return true;
over:
	z->coder = coder;
	return false;
}

/*
 * One more bit of each coefficient that was significant before plane @n. The
 * list is in the order of planes, so what is known of their age is, too.
 */
INLINE bool pass_refine(struct zeroblock *z, struct band *b, unsigned int n,
			const bool decode)
{
	struct rc_bit *ctx = z->ctx[b->channel > 0].refine[b->orient];
	unsigned int bits = n - b->shift;	/* of that plane, from 1 */
	unsigned int count = b->until[n + 1], young = 0, middle = 0, i;
	int32_t half = 1 << (bits - 1);
	struct coder coder = z->coder, *c = &coder;
	int64_t apart = 0;
	bool ok = false;

	if (n + 3 <= ZEROBLOCK_PLANES + 1)
		middle = b->until[n + 3];
	if (n + 2 <= ZEROBLOCK_PLANES + 1)
		young = b->until[n + 2];
	for (i = 0; i < count; i++) {
		struct hit *hit = &b->list[i];
		int bit = decode ? 0 : hit->size >> (bits - 1) & 1;

		bit = code(c, &ctx[i >= young ? 0 : i >= middle ? 1 : 2], bit,
			   decode);
		if (unlikely(over(c, decode)))
			goto out;
		if (decode)
			hit->size += bit ? half : -half;
		else
			apart += abs((hit->size & (2 * half - 1)) - half);
	}
	ok = true;
out:
	/* the middle of the interval moves by half of half */
	z->gain += ((double)apart * half - .25 * half * half * i) *
		   b->weight;
	z->coder = coder;
	return ok;
}

/**
 * struct track - the encoder's curve, as it grows
 */
struct track {
	struct zeroblock_curve *curve;
	double total;
};

static void track(struct zeroblock *z, struct track *t)
{
	struct zeroblock_curve *c = t->curve;
	uint32_t bytes = rc_encoder_bytes(&z->coder.enc);

	if (!c || c->points == ZEROBLOCK_POINTS ||
	    (c->points && c->bytes[c->points - 1] + 32 > bytes))
		return;
	c->bytes[c->points] = bytes;
	c->error[c->points++] = t->total > z->gain ? t->total - z->gain : 0;
}

/*
 * Plane @n: what is likeliest to become significant, then the lower bits of
 * what is, then blocks: the order of falling worth per byte.
 *
 * Return: false when the bytes are used up.
 */
INLINE bool plane(struct zeroblock *z, unsigned int n, const bool decode,
		  struct track *t)
{
	struct band *b, *end = z->band + z->bands;

	for (b = z->band; b < end; b++) {
		if (n <= b->shift)
			continue;
		if (!pass_waiting(z, b, 0, n, decode))
			return false;
		if (!decode)
			track(z, t);
	}
	for (b = z->band; b < end; b++) {
		if (n <= b->shift)
			continue;
		if (!pass_refine(z, b, n, decode))
			return false;
		if (!decode)
			track(z, t);
	}
	for (b = z->band; b < end; b++) {
		if (n <= b->shift)
			continue;
		for (unsigned int k = 1; k <= b->depth; k++)
			if (!pass_waiting(z, b, k, n, decode))
				return false;
		b->until[n] = b->listed;
		if (!decode)
			track(z, t);
	}
	return true;
}

INLINE bool planes(struct zeroblock *z, unsigned int n, const bool decode,
		   struct track *t)
{
	for (; n; n--)
		if (!plane(z, n, decode, t))
			return false;
	return true;
}

/* ---- encoder and decoder ------------------------------------------------ */

size_t zeroblock_encode(struct zeroblock *z, const struct zeroblock_shape *s,
			const int32_t *const coef[], void *buf, size_t size,
			bool *whole, struct zeroblock_curve *curve)
{
	struct track t = { .curve = curve };
	unsigned int top = 0;

	zeroblock_shape_bands(z, s);
	memcpy(z->in, coef, s->channels * sizeof(*coef));
	for (unsigned int i = 0; i < z->bands; i++) {
		unsigned int n = zeroblock_tops(z, &z->band[i]);

		top = top > n ? top : n;
		t.total += zeroblock_energy(z, &z->band[i]);
	}
	z->gain = 0;
	rc_encoder_init(&z->coder.enc, buf, size, LIMIT);
	/* what the coder still holds has room behind */
	z->coder.stop = (uint8_t *)buf + (size > 16 ? size - 16 : 0);
	if (curve) {
		curve->points = 0;
		track(z, &t);
	}
	rc_encode_raw(&z->coder.enc, top, 6);
	*whole = planes(z, top, false, &t);
	size = rc_encoder_finish(&z->coder.enc);
	if (curve && curve->points < ZEROBLOCK_POINTS) {
		curve->bytes[curve->points] = size;
		curve->error[curve->points++] = t.total - z->gain;
	}
	return size;
}

/* Values are likelier small than large: less than the middle of an interval */
static void settle(const struct zeroblock *z, const struct band *b)
{
	int32_t *out = z->out[b->channel] + b->at;

	for (unsigned int i = 0; i < b->listed; i++) {
		const struct hit *hit = &b->list[i];
		unsigned int x = hit->at.x, y = hit->at.y;
		int32_t v = hit->size, half = v & -v;

		if (half == 1)		/* all its bits are known */
			v &= ~1;
		else			/* only the highest is, or more */
			v -= v == 3 * half ? half >> 2 : half >> 4;
		if (b->sign[place(&b->level[0], x, y)] < 0)
			v = -v;
		out[(size_t)y * z->shape.width + x] = v;
	}
}

void zeroblock_decode(struct zeroblock *z, const struct zeroblock_shape *s,
		      const void *buf, size_t size, bool whole,
		      int32_t *const coef[])
{
	unsigned int top;

	zeroblock_shape_bands(z, s);
	memcpy(z->out, coef, s->channels * sizeof(*coef));
	for (unsigned int c = 0; c < s->channels; c++)
		memset(coef[c], 0,
		       (size_t)s->width * s->height * sizeof(*coef[c]));
	rc_decoder_init(&z->coder.dec, buf, size, LIMIT, !whole);
	top = rc_decode_raw(&z->coder.dec, 6);
	if (!z->coder.dec.ended && top <= ZEROBLOCK_PLANES)
		planes(z, top, true, NULL);
	for (unsigned int i = 0; i < z->bands; i++)
		settle(z, &z->band[i]);
}
