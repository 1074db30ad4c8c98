// SPDX-License-Identifier: GPL-2.0-only
/*
 * zeroblock - embedded code of wavelet coefficients
 *
 * A band is a quadtree: nodes of level 0 are its coefficients, a node of
 * level k covers 2x2 of level k - 1. A node is significant from the plane on
 * that is the highest of what it covers. What is not significant yet waits in
 * a list: coefficients singly (level 0) once their block was opened, blocks at
 * the highest level that is all zero. Encoder and decoder are the same walk;
 * which of the two it is, is known when it is compiled.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "lib/rangecoder.h"
#include "lib/zeroblock.h"
#include "lib/zeroblock_start.h"
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define INLINE		static inline __attribute__((always_inline))
#define unlikely(x)	__builtin_expect(x, 0)

enum {
	BANDS = ZEROBLOCK_CHANNELS * (3 * ZEROBLOCK_LEVELS + 1),
	DEPTH = 17,		/* levels of a quadtree over 65536 */
	MARGIN = 4,		/* bytes around a map that are read */
	LIMIT = 40,		/* decisions that a context remembers */
	TRUST = 14,		/* decisions that the start is worth */

	/* contexts */
	SUMS = 12,		/* of neighbours */
	PARENTS = 3,
	ORIENTS = 3,		/* high across, high down, both; low as both */
	KINDS = 5,		/* of node: waiting, fresh, blocks of level 1.. */
	SIGNS = 9,
	REFINES = 3,		/* a bit's distance from the first one */
};

enum orient { ACROSS, DOWN, BOTH };

struct node {
	uint16_t x, y;
};

/**
 * struct hit - a coefficient that is significant
 * @size:	encoder: its magnitude; decoder: twice what is known of it
 */
struct hit {
	struct node	at;
	int32_t		size;
};

/**
 * struct level - nodes of one level of a band's quadtree
 * @map:	plane at which a node became significant, 0: is not yet
 * @top:	encoder: plane at which it will
 * @wait:	nodes not significant whose blocks are
 * @parent:	nodes of the next coarser band that cover the same area, by
 *		x >> @halve
 */
struct level {
	unsigned int	width, height;
	size_t		stride;
	uint8_t		*map, *top;
	struct node	*wait;
	unsigned int	waiting;
	const struct level *parent;
	unsigned int	halve;
};

/**
 * struct band - a subband
 * @at:		its first coefficient in the channel
 * @weight:	of a squared error, with norms
 * @shift:	planes that it is above its bits
 * @sign:	1, -1 of significant coefficients, laid out as a map
 * @list:	significant coefficients, in the order in which they became so
 * @until:	[plane]: entries of the list that came at that plane or before
 */
struct band {
	enum orient	orient;
	unsigned int	channel, depth, shift;
	size_t		at;
	double		weight;
	struct level	level[DEPTH];
	int8_t		*sign;
	struct hit	*list;
	unsigned int	listed;
	unsigned int	until[ZEROBLOCK_PLANES + 2];
};

/* in the order of zeroblock_start */
struct contexts {
	struct rc_bit node[ORIENTS][KINDS][PARENTS][SUMS];
	struct rc_bit sign[ORIENTS][SIGNS];
	struct rc_bit refine[ORIENTS][REFINES];
};

/**
 * struct coder - one of both is used; loops keep it in registers
 * @stop:	of the encoder: enough
 */
struct coder {
	struct rc_encoder enc;
	struct rc_decoder dec;
	const uint8_t	*stop;
};

struct zeroblock {
	unsigned int	width, height, channels;	/* most of each */
	struct zeroblock_shape shape;
	struct band	band[BANDS];
	unsigned int	bands;
	struct contexts	ctx[2];				/* first, other channels */
	struct coder	coder;
	const int32_t	*in[ZEROBLOCK_CHANNELS];
	int32_t		*out[ZEROBLOCK_CHANNELS];
	double		gain;		/* error that has gone */
	/* maps, tops and signs; nodes */
	uint8_t		*memory;
	struct node	*nodes;
	struct hit	*hits;
};

/* ---- shape ------------------------------------------------------------- */

static size_t map_size(unsigned int width, unsigned int height)
{
	return (size_t)(width + 2 * MARGIN) * (height + 2);
}

/* What the bands of a channel need, generously */
static size_t channel_maps(unsigned int width, unsigned int height)
{
	size_t maps = 0;

	/* each level of the transform has three bands of half the size */
	for (unsigned int l = 0; l <= ZEROBLOCK_LEVELS; l++) {
		unsigned int w = (width >> (l + 1)) + 2;
		unsigned int h = (height >> (l + 1)) + 2;

		maps += 3 * map_size(w, h);		/* signs */
		for (unsigned int k = 0; k < DEPTH; k++)
			maps += 3 * 2 * map_size((w >> k) + 1, (h >> k) + 1);
	}
	/* no transform at all: one band */
	for (unsigned int k = 0; k < DEPTH; k++)
		maps += 2 * map_size((width >> k) + 1, (height >> k) + 1);
	return maps + map_size(width, height);
}

struct zeroblock *zeroblock_create(unsigned int width, unsigned int height,
				   unsigned int channels)
{
	/* each coefficient waiting, and the blocks above */
	size_t nodes = (size_t)width * height * 3 / 2 +
		       (size_t)64 * (width + height) + 65536;
	struct zeroblock *z;

	if (!width || !height || width > 65535 || height > 65535 ||
	    !channels || channels > ZEROBLOCK_CHANNELS)
		return NULL;
	z = calloc(1, sizeof(*z));
	if (!z)
		return NULL;
	z->width = width;
	z->height = height;
	z->channels = channels;
	z->memory = malloc(channel_maps(width, height) * channels);
	z->nodes = malloc(nodes * channels * sizeof(*z->nodes));
	z->hits = malloc((size_t)width * height * channels * sizeof(*z->hits));
	if (!z->memory || !z->nodes || !z->hits) {
		zeroblock_destroy(z);
		return NULL;
	}
	return z;
}

void zeroblock_destroy(struct zeroblock *z)
{
	if (!z)
		return;
	free(z->memory);
	free(z->nodes);
	free(z->hits);
	free(z);
}

bool zeroblock_fits(const struct zeroblock *z, const struct zeroblock_shape *s)
{
	return s->width && s->height && s->channels &&
	       s->width <= z->width && s->height <= z->height &&
	       s->channels <= z->channels && s->levels <= ZEROBLOCK_LEVELS;
}

/* where in a map */
INLINE size_t place(const struct level *l, unsigned int x, unsigned int y)
{
	return (y + 1) * l->stride + x + MARGIN;
}

/* Log2 of the norms of 5/3 wavelets, rounded, so that the least is 0 */
static unsigned int norm_shift(unsigned int level, enum orient orient,
			       bool low)
{
	return low || orient != BOTH ? level : level - 1;
}

/* Squared norms of 5/3 wavelets; beyond the table they go on by a factor 4 */
static double norm_weight(unsigned int level, enum orient orient, bool low)
{
	static const double low2[] = { 1, 2.25, 7.56, 28.9, 114, 455 };
	static const double one2[] = { 0, 1.08, 2.53, 8.52, 32.5, 128 };
	static const double both2[] = { 0, .516, .850, 2.52, 9.26, 36.2 };
	const double *t = low ? low2 : orient == BOTH ? both2 : one2;
	double w = t[level < 5 ? level : 5];

	while (level-- > 5)
		w *= 4;
	return w;
}

static void add_band(struct zeroblock *z, unsigned int channel,
		     unsigned int level, enum orient orient, bool low,
		     unsigned int x0, unsigned int y0, unsigned int w,
		     unsigned int h, size_t *bytes, size_t *nodes,
		     size_t *hits)
{
	struct band *b = &z->band[z->bands];
	struct level *l;

	b->channel = channel;
	b->orient = orient;
	b->at = (size_t)y0 * z->shape.width + x0;
	b->shift = z->shape.norms ? norm_shift(level, orient, low) : 0;
	b->weight = z->shape.norms ? norm_weight(level, orient, low) : 1;
	b->listed = 0;
	b->list = z->hits + *hits;
	*hits += (size_t)w * h;
	memset(b->until, 0, sizeof(b->until));
	for (b->depth = 0; ; b->depth++) {
		l = &b->level[b->depth];
		l->width = w;
		l->height = h;
		l->stride = w + 2 * MARGIN;
		l->map = z->memory + *bytes;
		*bytes += map_size(w, h);
		l->top = z->memory + *bytes;
		*bytes += map_size(w, h);
		memset(l->map, 0, map_size(w, h));
		l->wait = z->nodes + *nodes;
		l->waiting = 0;
		l->parent = NULL;
		*nodes += (size_t)w * h;
		if (w == 1 && h == 1)
			break;
		w = (w + 1) / 2;
		h = (h + 1) / 2;
	}
	l->wait[l->waiting++] = (struct node){ 0, 0 };
	b->sign = (int8_t *)z->memory + *bytes;
	l = &b->level[0];
	*bytes += map_size(l->width, l->height);
	memset(b->sign, 0, map_size(l->width, l->height));
	z->bands++;
}

static void set_parent(struct band *b, const struct band *parent)
{
	for (unsigned int k = 0; k <= b->depth; k++) {
		struct level *l = &b->level[k];

		l->halve = k == 0;
		if (k <= parent->depth + 1)
			l->parent = &parent->level[k ? k - 1 : 0];
	}
}

/* All bands, the coarsest first, those of all channels side by side */
static void shape(struct zeroblock *z, const struct zeroblock_shape *s)
{
	size_t bytes = 0, nodes = 0, hits = 0;
	unsigned int c, levels = s->levels, first;

	z->shape = *s;
	z->bands = 0;
	for (c = 0; c < s->channels; c++)
		add_band(z, c, levels, BOTH, true, 0, 0,
			 ((s->width - 1) >> levels) + 1,
			 ((s->height - 1) >> levels) + 1, &bytes, &nodes, &hits);
	for (unsigned int l = levels; l; l--) {
		unsigned int w = ((s->width - 1) >> (l - 1)) + 1;
		unsigned int h = ((s->height - 1) >> (l - 1)) + 1;
		unsigned int wl = (w + 1) / 2, hl = (h + 1) / 2;

		for (unsigned int o = ACROSS; o <= BOTH; o++) {
			bool right = o != DOWN, below = o != ACROSS;

			for (c = 0; c < s->channels; c++) {
				first = z->bands;
				if ((right && w < 2) || (below && h < 2))
					continue;
				add_band(z, c, l, o, false, right ? wl : 0,
					 below ? hl : 0, right ? w / 2 : wl,
					 below ? h / 2 : hl, &bytes, &nodes, &hits);
				for (unsigned int i = first; i--; ) {
					struct band *b = &z->band[i];

					if (b->channel != c || b->orient != o ||
					    i < s->channels)
						continue;
					set_parent(&z->band[first], b);
					break;
				}
			}
		}
	}
	_Static_assert(sizeof(zeroblock_start) * sizeof(struct rc_bit) ==
		       sizeof(z->ctx), "a start for each context");

	for (unsigned int i = 0; i < sizeof(zeroblock_start); i++)
		((struct rc_bit *)z->ctx)[i] = (struct rc_bit){
			.zero = zeroblock_start[i] * 256,
			.seen = TRUST,
		};
}

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

/* ---- encoder ----------------------------------------------------------- */

static uint8_t bit_length(uint32_t v)
{
	return v ? 32 - __builtin_clz(v) : 0;
}

#ifdef __SSE2__
/*
 * Bits of four magnitudes: the exponents of floats. Without its second bit no
 * number is rounded up to a power of two.
 */
INLINE __m128i bit_lengths(const int32_t *v)
{
	__m128i a = _mm_loadu_si128((const __m128i *)v);
	__m128i sign = _mm_srai_epi32(a, 31);

	a = _mm_sub_epi32(_mm_xor_si128(a, sign), sign);
	a = _mm_andnot_si128(_mm_srli_epi32(a, 1), a);
	a = _mm_castps_si128(_mm_cvtepi32_ps(a));
	return _mm_sub_epi32(_mm_srli_epi32(a, 23), _mm_set1_epi32(126));
}
#endif

/* Planes at which a row of coefficients becomes significant */
static void row_tops(const int32_t *row, uint8_t *top, unsigned int count,
		     unsigned int shift)
{
	unsigned int x = 0;

#ifdef __SSE2__
	const __m128i zero = _mm_setzero_si128();

	for (; x + 16 <= count; x += 16) {
		__m128i a = _mm_packs_epi32(bit_lengths(row + x),
					    bit_lengths(row + x + 4));
		__m128i b = _mm_packs_epi32(bit_lengths(row + x + 8),
					    bit_lengths(row + x + 12));
		__m128i bits = _mm_packus_epi16(a, b);
		__m128i more = _mm_andnot_si128(_mm_cmpeq_epi8(bits, zero),
						_mm_set1_epi8(shift));

		_mm_storeu_si128((__m128i *)(top + x),
				 _mm_add_epi8(bits, more));
	}
#endif
	for (; x < count; x++)
		top[x] = row[x] ? bit_length(abs(row[x])) + shift : 0;
}

/* The same of a row of blocks, from the two rows of nodes that they cover */
static void block_tops(const uint8_t *restrict p, const uint8_t *restrict q,
		       uint8_t *restrict top, unsigned int nodes)
{
	for (unsigned int x = 0; x < nodes / 2; x++) {
		uint8_t a = p[2 * x] > p[2 * x + 1] ? p[2 * x] : p[2 * x + 1];
		uint8_t b = q[2 * x] > q[2 * x + 1] ? q[2 * x] : q[2 * x + 1];

		top[x] = a > b ? a : b;
	}
	if (nodes & 1)
		top[nodes / 2] = p[nodes - 1] > q[nodes - 1] ? p[nodes - 1] :
							       q[nodes - 1];
}

/* Planes at which the nodes of a band become significant */
static unsigned int find_tops(struct zeroblock *z, struct band *b)
{
	const int32_t *in = z->in[b->channel] + b->at;
	struct level *l = &b->level[0];

	for (unsigned int y = 0; y < l->height; y++)
		row_tops(in + (size_t)y * z->shape.width,
			 l->top + place(l, 0, y), l->width, b->shift);
	for (unsigned int k = 1; k <= b->depth; k++) {
		const struct level *from = &b->level[k - 1];

		l = &b->level[k];
		for (unsigned int y = 0; y < l->height; y++) {
			bool two = 2 * y + 1 < from->height;
			const uint8_t *p = from->top + place(from, 0, 2 * y);

			block_tops(p, two ? p + from->stride : p,
				   l->top + place(l, 0, y), from->width);
		}
	}
	return b->level[b->depth].top[place(&b->level[b->depth], 0, 0)];
}

static double energy(const struct zeroblock *z, const struct band *b)
{
	const int32_t *in = z->in[b->channel] + b->at;
	const struct level *l = &b->level[0];
	double sum[4] = { 0 };

	/* four sums, as one would wait for each addition */
	for (unsigned int y = 0; y < l->height; y++) {
		const int32_t *row = in + (size_t)y * z->shape.width;
		unsigned int x = 0;

		for (; x + 4 <= l->width; x += 4)
			for (unsigned int i = 0; i < 4; i++)
				sum[i] += (double)row[x + i] * row[x + i];
		for (; x < l->width; x++)
			sum[0] += (double)row[x] * row[x];
	}
	return (sum[0] + sum[1] + sum[2] + sum[3]) * b->weight;
}

size_t zeroblock_encode(struct zeroblock *z, const struct zeroblock_shape *s,
			const int32_t *const coef[], void *buf, size_t size,
			bool *whole, struct zeroblock_curve *curve)
{
	struct track t = { .curve = curve };
	unsigned int top = 0;

	shape(z, s);
	memcpy(z->in, coef, s->channels * sizeof(*coef));
	for (unsigned int i = 0; i < z->bands; i++) {
		unsigned int n = find_tops(z, &z->band[i]);

		top = top > n ? top : n;
		t.total += energy(z, &z->band[i]);
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

/* ---- decoder ----------------------------------------------------------- */

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

	shape(z, s);
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
