// SPDX-License-Identifier: GPL-2.0-only
/*
 * zeroblock - embedded code of wavelet coefficients
 *
 * A band is a quadtree (zeroblock_bands.h). Nodes that are not significant yet
 * wait in a list: single coefficients (level 0) once their block was opened,
 * blocks at the highest level that is all zero. Encoder and decoder are the
 * same walk; the direction is a compile-time constant.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "base/cpu.h"
#include "codec/image/zeroblock_bands.h"
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define unlikely(x)	__builtin_expect(x, 0)

/* ---- contexts ---------------------------------------------------------- */

static const uint8_t sum_bin[64] = {
	0, 1, 2, 3, 4, 4, 5, 5, 6, 6, 7, 7, 7, 8, 8, 8,
	8, 9, 9, 9, 9, 9, 10, 10, 10, 10, 10, 10, 11, 11, 11, 11,
	11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11,
	11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11,
};

/*
 * Weights of neighbours: above and below, left and right 2, or 3 where a mask
 * says so; corners 1. The rows of a node are four bytes each, from the one left
 * of it on: v is the rows, each byte the height above a plane. Sums are of byte
 * 0 and 1 of a row, the node and the one right of it.
 */
static const uint8_t along3[ORIENTS] = { 255, 0, 0 };
static const uint8_t across3[ORIENTS] = { 0, 255, 0 };

#ifdef __SSE2__
INLINE __m128i heights(__m128i v, unsigned int n)
{
	return _mm_min_epu8(_mm_subs_epu8(v, _mm_set1_epi8(n - 1)),
			    _mm_set1_epi8(3));
}

/* Weighted sums of a row of nodes in 32 bits, for all rows */
INLINE __m128i zeroblock_weigh(__m128i v, enum orient orient)
{
	__m128i mid = _mm_srli_epi32(v, 8);
	__m128i side = _mm_add_epi8(v, _mm_srli_epi32(v, 16));
	__m128i more = _mm_and_si128(mid, _mm_set1_epi8(along3[orient]));
	__m128i outer = _mm_add_epi8(_mm_add_epi8(side, more),
				     _mm_add_epi8(mid, mid));

	more = _mm_and_si128(side, _mm_set1_epi8(across3[orient]));
	side = _mm_add_epi8(_mm_add_epi8(side, side), more);
	return _mm_add_epi8(_mm_add_epi8(outer, _mm_srli_si128(outer, 8)),
			    _mm_srli_si128(side, 4));
}
#else
/* Heights of neighbours above plane @n, of two rows: 0 to 3 */
INLINE uint64_t heights(uint64_t v, unsigned int n)
{
	const uint64_t ones = 0x0101010101010101;
	uint64_t a = v + (128 - n) * ones;

	return (a >> 7 & ones) + ((a - ones) >> 7 & ones) +
	       ((a - 2 * ones) >> 7 & ones);
}

/* Rows @v and the two below, @w */
INLINE uint64_t weigh(uint64_t v, uint64_t w, enum orient orient)
{
	const uint64_t ones = 0x0101010101010101, low = 0x0000ffff0000ffff;
	uint64_t side = (v & low) + (v >> 16 & low);
	uint64_t next = (w & low) + (w >> 16 & low);
	uint64_t mid = (v >> 8 & low) + (w >> 8 & low);
	uint64_t outer = side + next + 2 * mid +
			 (mid & along3[orient] * ones);

	side = side >> 32 | next << 32;
	return outer + 2 * side + (side & across3[orient] * ones);
}
#endif

/* Weighted sum of the neighbours of a node */
INLINE unsigned int neighbours(const struct level *l, size_t at,
			       unsigned int n, enum orient orient)
{
	const uint8_t *p = l->map + at - 1;
	uint32_t up, mid, down;

	memcpy(&up, p - l->stride, 4);
	memcpy(&mid, p, 4);
	memcpy(&down, p + l->stride, 4);
#ifdef __SSE2__
	return _mm_cvtsi128_si32(zeroblock_weigh(
		       heights(_mm_set_epi32(0, down, mid, up), n), orient)) &
	       255;
#else
	return weigh(heights(up | (uint64_t)mid << 32, n), heights(down, n),
		     orient) & 255;
#endif
}

/*
 * The same for the four nodes of a block, the first one at @at; quad_sum()
 * extracts each.
 */
INLINE uint64_t quad(const struct level *l, size_t at, unsigned int n,
		     enum orient orient)
{
	const uint8_t *p = l->map + at - 1 - l->stride;
	uint32_t row[4];

	for (unsigned int i = 0; i < 4; i++)
		memcpy(&row[i], p + i * l->stride, 4);
#ifdef __SSE2__
	return _mm_cvtsi128_si64(zeroblock_weigh(
		heights(_mm_set_epi32(row[3], row[2], row[1], row[0]), n),
		orient));
#else
	return weigh(heights(row[0] | (uint64_t)row[1] << 32, n),
		     heights(row[2] | (uint64_t)row[3] << 32, n), orient);
#endif
}

INLINE unsigned int quad_sum(uint64_t q, unsigned int i)
{
	return q >> ((i >> 1) * 32 + (i & 1) * 8) & 255;
}

/* Contribution of node @i of a block to later ones, once it is significant */
static const uint64_t quad_hit[ORIENTS][4] = {
#define HIT(along, across)						\
	{ (across) << 8 | (along) << 32 | 1ULL << 40,			\
	  1ULL << 32 | (along) << 40, (across) << 40, 0 }
	HIT(3ULL, 2ULL), HIT(2ULL, 3ULL), HIT(2ULL, 2ULL),
};

/*
 * Height above plane @n at the same position one band up. That may be in the
 * margin, which is empty.
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

INLINE int zeroblock_code(struct coder *c, struct rc_bit *b, int bit,
			  const bool decode)
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

/* A copy whose rate of adaptation is known to the compiler */
INLINE struct coder zeroblock_take(const struct zeroblock *z)
{
	struct coder c = z->coder;

	c.enc.limit = LIMIT;
	c.dec.limit = LIMIT;
	return c;
}

/*
 * Context of a sign, by (left + right) * 5 + above + below + 12: a number, and
 * whether it predicts the opposite sign
 */
static const struct sign {
	uint8_t ctx, flip;
} sign_of[25] = {
#define SIGN(h, w)	{ (h) * 3 + (w) + 1, 0 }
#define FLIP(h, w)	{ (h) * 3 + (w) + 1, 1 }
#define SIGNS5(a, b, c)	a, a, b, c, c
	SIGNS5(FLIP(1, 1), FLIP(1, 0), FLIP(1, -1)),
	SIGNS5(FLIP(1, 1), FLIP(1, 0), FLIP(1, -1)),
	SIGNS5(FLIP(0, 1), SIGN(0, 0), SIGN(0, 1)),
	SIGNS5(SIGN(1, -1), SIGN(1, 0), SIGN(1, 1)),
	SIGNS5(SIGN(1, -1), SIGN(1, 0), SIGN(1, 1)),
};

/* A coefficient becomes significant: code its sign, guess its size */
INLINE bool zeroblock_show(struct zeroblock *z, struct coder *c, struct band *b,
			   unsigned int x, unsigned int y, size_t at,
			   unsigned int n, const bool decode)
{
	const struct level *l = &b->level[0];
	const int8_t *s = b->sign + at;
	struct sign sign = sign_of[(s[-1] + s[1]) * 5 + *(s - l->stride) +
				   s[l->stride] + 12];
	int32_t v = 0;
	int negative = 0;

	if (!decode) {
		v = b->in[(size_t)y * z->shape.width + x];
		negative = v < 0;
		v = abs(v);
	}
	negative = sign.flip ^ zeroblock_code(c, &b->signs[sign.ctx],
					      negative ^ sign.flip, decode);
	if (unlikely(over(c, decode)))
		return false;
	l->map[at] = n;
	b->sign[at] = 1 - 2 * negative;
	if (decode)
		v = 3 << (n - b->shift - 1);	/* twice the middle */
	else
		b->shown += v;
	b->list[b->listed++] = (struct hit){ { x, y }, v };
	return true;
}

/* The context of a node; @ctx: those of its kind */
INLINE struct rc_bit *context(struct rc_bit (*ctx)[SUMS], unsigned int parent,
			      unsigned int sum)
{
	return &ctx[parent][sum_bin[sum]];
}

/* A block whose nodes are coded one by one */
struct block {
	struct level	*l;
	size_t		at;
	uint64_t	sums;
	unsigned int	x, y, last;
	bool		right;
};

INLINE struct block block_of(struct band *b, unsigned int k, unsigned int x,
			     unsigned int y, unsigned int n)
{
	struct block o = { .l = &b->level[k - 1], .x = 2 * x, .y = 2 * y };

	o.right = o.x + 1 < o.l->width;
	o.last = 2 * (o.y + 1 < o.l->height) + o.right;
	o.at = place(o.l, o.x, o.y);
	o.sums = quad(o.l, o.at, n, b->orient);
	return o;
}

INLINE size_t block_place(const struct block *o, unsigned int i)
{
	return o->at + (i & 1) + (i >> 1) * o->l->stride;
}

/* Whether node @i is significant. The last one must be if no other one is */
INLINE int test(struct coder *c, struct block *o, unsigned int i,
		unsigned int found, struct rc_bit (*ctx)[SUMS], unsigned int up,
		unsigned int n, const bool decode)
{
	if (!found && i == o->last)
		return 1;
	return zeroblock_code(c, context(ctx, up, quad_sum(o->sums, i)),
			      decode ? 0 : o->l->top[block_place(o, i)] >= n,
			      decode);
}

/* Code which coefficients of a significant block are significant */
INLINE bool open_body(struct zeroblock *z, struct coder *c, struct band *b,
		      unsigned int x, unsigned int y, unsigned int n,
		      const bool decode)
{
	struct block o = block_of(b, 1, x, y, n);
	unsigned int up = parent(o.l, o.x, o.y, n);
	struct node *wait = o.l->wait + o.l->waiting;
	unsigned int found = 0;
	int sig;

	for (unsigned int i = 0; i <= o.last; i++) {
		unsigned int cx = o.x + (i & 1), cy = o.y + (i >> 1);

		if (i & 1 && !o.right)
			continue;
		sig = test(c, &o, i, found, b->nodes[1], up, n, decode);
		if (unlikely(over(c, decode)))
			return false;
		if (!sig) {
			*wait++ = (struct node){ cx, cy };
			continue;
		}
		found = 1;
		o.sums += quad_hit[b->orient][i];
		if (unlikely(!zeroblock_show(z, c, b, cx, cy,
					     block_place(&o, i), n, decode)))
			return false;
	}
	o.l->waiting = wait - o.l->wait;
	return true;
}

/* Code which parts of a significant block of level @k are significant */
static inline bool zeroblock_split(struct zeroblock *z, struct band *b,
				   unsigned int k, unsigned int x,
				   unsigned int y, unsigned int n,
				   const bool decode);

INLINE bool split_body(struct zeroblock *z, struct band *b, unsigned int k,
		       unsigned int x, unsigned int y, unsigned int n,
		       const bool decode)
{
	struct rc_bit (*ctx)[SUMS] = b->nodes[k < KINDS - 1 ? k : KINDS - 1];
	struct block o = block_of(b, k, x, y, n);
	struct coder coder = zeroblock_take(z), *c = &coder;
	unsigned int found = 0;
	bool ok = true;
	int sig;

	for (unsigned int i = 0; i <= o.last && ok; i++) {
		unsigned int cx = o.x + (i & 1), cy = o.y + (i >> 1);

		if (i & 1 && !o.right)
			continue;
		sig = test(c, &o, i, found, ctx, parent(o.l, cx, cy, n), n,
			   decode);
		ok = !over(c, decode);
		if (unlikely(!ok))
			break;
		if (!sig) {
			o.l->wait[o.l->waiting++] = (struct node){ cx, cy };
			continue;
		}
		found = 1;
		o.sums += quad_hit[b->orient][i];
		o.l->map[block_place(&o, i)] = n;
		if (k == 2) {
			ok = open_body(z, c, b, cx, cy, n, decode);
			continue;
		}
		z->coder = coder;
		ok = zeroblock_split(z, b, k - 1, cx, cy, n, decode);
		coder = zeroblock_take(z);
	}
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

static inline bool zeroblock_split(struct zeroblock *z, struct band *b,
				   unsigned int k, unsigned int x,
				   unsigned int y, unsigned int n,
				   const bool decode)
{
	return decode ? split_decode(z, b, k, x, y, n) :
			split_encode(z, b, k, x, y, n);
}

/*
 * Error that new coefficients of plane @n remove: instead of 0 they are guessed
 * as 1.5 times their least size
 */
static void gain(struct zeroblock *z, struct band *b, unsigned int n,
		 unsigned int before)
{
	double low = 1 << (n - b->shift - 1);

	z->gain += (3. * b->shown - 2.25 * low * (b->listed - before)) * low *
		   b->weight;
	b->shown = 0;
}

/* Waiting nodes of level @k. Those that keep waiting stay in order */
INLINE bool pass_waiting(struct zeroblock *z, struct band *b, unsigned int k,
			 unsigned int n, const bool decode)
{
	struct level *l = &b->level[k];
	struct rc_bit (*ctx)[SUMS] = b->nodes[!k ? 0 : k < KINDS - 2 ? k + 1 :
					      KINDS - 1];
	unsigned int stay = 0, count = l->waiting, before = b->listed;
	struct coder coder = zeroblock_take(z), *c = &coder;
	bool ok = true;

	for (unsigned int i = 0; i < count && ok; i++) {
		struct node at = l->wait[i];
		size_t p = place(l, at.x, at.y);
		int sig =
			zeroblock_code(c,
				       context(ctx, parent(l, at.x, at.y, n),
					       neighbours(l, p, n, b->orient)),
				       decode ? 0 : l->top[p] >= n, decode);

		if (unlikely(over(c, decode))) {
			ok = false;
		} else if (!sig) {
			l->wait[stay++] = at;
		} else if (!k) {
			ok = zeroblock_show(z, c, b, at.x, at.y, p, n, decode);
		} else {
			l->map[p] = n;
			if (k == 1) {
				ok = open_body(z, c, b, at.x, at.y, n, decode);
				continue;
			}
			z->coder = coder;
			ok = zeroblock_split(z, b, k, at.x, at.y, n, decode);
			coder = zeroblock_take(z);
		}
	}
	/* after a failure the list is not used */
	assert(stay <= count);
	l->waiting = stay;
	if (!decode)
		gain(z, b, n, before);
	z->coder = coder;
	return ok;
}

/*
 * One more bit of each coefficient that was significant before plane @n. The
 * list is in the order of planes, so positions in it tell their age.
 */
INLINE bool pass_refine(struct zeroblock *z, struct band *b, unsigned int n,
			const bool decode)
{
	struct rc_bit *ctx = b->refines;
	unsigned int bits = n - b->shift;	/* of that plane, from 1 */
	unsigned int count = b->until[n + 1], young = 0, middle = 0, i;
	int32_t half = 1 << (bits - 1);
	struct coder coder = zeroblock_take(z), *c = &coder;
	int64_t apart = 0;
	bool ok = false;

	if (n + 3 <= ZEROBLOCK_PLANES + 1)
		middle = b->until[n + 3];
	if (n + 2 <= ZEROBLOCK_PLANES + 1)
		young = b->until[n + 2];
	for (i = 0; i < count; i++) {
		struct hit *hit = &b->list[i];
		int bit = decode ? 0 : hit->size >> (bits - 1) & 1;

		bit = zeroblock_code(c,
				     &ctx[i >= young  ? 0 :
					  i >= middle ? 1 :
							2],
				     bit, decode);
		if (unlikely(over(c, decode)))
			goto out;
		if (decode)
			hit->size += bit ? half : -half;
		else
			apart += abs((hit->size & (2 * half - 1)) - half);
	}
	ok = true;
out:
	/* the middle of the interval moves by a quarter of its size */
	z->gain += ((double)apart * half - .25 * half * half * i) *
		   b->weight;
	z->coder = coder;
	return ok;
}

/**
 * struct track - the encoder's curve so far
 */
struct track {
	struct zeroblock_curve *curve;
	double total;
};

static void zeroblock_track(struct zeroblock *z, struct track *t)
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
 * Plane @n: first the nodes that are likely to become significant, then the
 * lower bits of significant ones, then blocks: in order of decreasing gain per
 * byte.
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
			zeroblock_track(z, t);
	}
	for (b = z->band; b < end; b++) {
		if (n <= b->shift)
			continue;
		if (!pass_refine(z, b, n, decode))
			return false;
		if (!decode)
			zeroblock_track(z, t);
	}
	for (b = z->band; b < end; b++) {
		if (n <= b->shift)
			continue;
		for (unsigned int k = 1; k <= b->depth; k++)
			if (!pass_waiting(z, b, k, n, decode))
				return false;
		b->until[n] = b->listed;
		if (!decode)
			zeroblock_track(z, t);
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
	for (unsigned int i = 0; i < z->bands; i++) {
		struct band *b = &z->band[i];
		unsigned int n;

		b->in = coef[b->channel] + b->at;
		n = zeroblock_tops(z, b);

		top = top > n ? top : n;
		t.total += zeroblock_energy(z, b);
	}
	z->gain = 0;
	rc_encoder_init(&z->coder.enc, buf, size, LIMIT);
	/* the last bytes are for the coder's rest */
	z->coder.stop = (uint8_t *)buf + (size > 16 ? size - 16 : 0);
	if (curve) {
		curve->points = 0;
		zeroblock_track(z, &t);
	}
	rc_encode_raw(&z->coder.enc, top, 6);
	*whole = planes(z, top, false, &t);
	size = rc_encoder_finish(&z->coder.enc);
	assert(!curve || curve->points <= ZEROBLOCK_POINTS);
	if (curve && curve->points < ZEROBLOCK_POINTS) {
		curve->bytes[curve->points] = size;
		curve->error[curve->points++] = t.total - z->gain;
	}
	return size;
}

/* Small values are likelier: decode below the middle of an interval */
static void zeroblock_settle(const struct zeroblock *z, const struct band *b)
{
	int32_t *out = z->out[b->channel] + b->at;

	for (unsigned int i = 0; i < b->listed; i++) {
		const struct hit *hit = &b->list[i];
		unsigned int x = hit->at.x, y = hit->at.y;
		int32_t v = hit->size, half = v & -v;

		if (half == 1)		/* all its bits are known */
			v &= ~1;
		else			/* only the highest is known, or more */
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
		zeroblock_settle(z, &z->band[i]);
}
