/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * depthcode_pixel.h - code one pixel between others, in either direction
 *
 * A pass fills in the middle between two known pixels: a before it and b after
 * it. c is the adjacent pixel of the same pass, or of an earlier one, that was
 * filled in before, d the opposite one; ac is beside a, on c's side, and so on.
 * Beyond a lies aa, of the same pass, and then a3; beyond c and d, c2 and d2.
 */
#ifndef CODEC_IMAGE_DEPTHCODE_PIXEL_H
#define CODEC_IMAGE_DEPTHCODE_PIXEL_H

#include <stdlib.h>
#include "codec/image/depthcode_model.h"

/* Which neighbours a pixel has */
enum {
	HAS_B = 1, HAS_C = 2, HAS_D = 4, HAS_A3 = 8, HAS_B3 = 16,
	HAS_C2 = 32, HAS_D2 = 64, HAS_ALL = 127,
};

/* Offsets to neighbours, in pixels; @across: a is above, not before */
struct depthcode_reach {
	bool		across;
	int		a, b, c;
	unsigned int	pass;
};

/* Ranks around a pixel; 0: a hole */
struct depthcode_around {
	int	a, b, c, ac, bc, ad, bd, aa;
};

static inline int depthcode_clip(int v, int most)
{
	return v < -most ? -most : v > most ? most : v;
}

/* Logarithmic size, 0 .. 15; 8 is zero */
static inline uint32_t depthcode_scale(int v)
{
	int a = abs(v), bits = a < 3 ? a : 32 - __builtin_clz(a - 1);

	bits = bits < 7 ? bits : 7;
	return 8 + (v < 0 ? -bits : bits);
}

INLINE void depthcode_look(struct depthcode_around *n, const uint16_t *p,
			   const struct depthcode_reach *r, unsigned int has)
{
	n->a = p[r->a];
	n->b = has & HAS_B ? p[r->b] : n->a;
	n->c = has & HAS_C ? p[r->c] : n->a;
	n->ac = has & HAS_C ? p[r->a + r->c] : n->a;
	n->bc = has & HAS_B && has & HAS_C ? p[r->b + r->c] :
		has & HAS_C ? n->ac : n->b;
	n->ad = has & HAS_D ? p[r->a - r->c] : n->a;
	n->bd = has & HAS_B && has & HAS_D ? p[r->b - r->c] :
		has & HAS_D ? n->ad : n->b;
	n->aa = has & HAS_A3 ? p[2 * r->a] : n->a;
}

/* Beside holes: is the pixel one? */
INLINE int depthcode_hole(struct coder *c, struct depthcode_model *m,
			  const struct depthcode_around *n, const uint16_t *p,
			  const struct depthcode_reach *r, unsigned int has,
			  unsigned int holes, int hole)
{
	uint32_t apart = abs(n->a - n->b) > 8;
	uint32_t far = (has & HAS_C2 && !p[2 * r->c]) |
		       (has & HAS_D2 && !p[r->a - 2 * r->c]) << 1 |
		       (has & HAS_B && has & HAS_D2 &&
			!p[r->b - 2 * r->c]) << 2;
	uint32_t context[3] = {
		holes | r->pass << 8,
		holes | r->pass << 8 | apart << 10 | far << 11,
		(holes & 127) | far << 8 | r->pass << 12 | 1 << 20,
	};

	return depthcode_place(c, m, DEPTHCODE_HOLE, r->pass, context, hole);
}

/* Replace holes by their neighbours, as predictors */
INLINE void depthcode_fill(struct depthcode_around *n, int any)
{
	if (!n->a)
		n->a = n->ac ? n->ac : n->ad ? n->ad : n->b ? n->b : any;
	if (!n->b)
		n->b = n->bc ? n->bc : n->bd ? n->bd : n->a;
	if (!n->ac)
		n->ac = n->a;
	if (!n->bc)
		n->bc = n->b;
	if (!n->ad)
		n->ad = n->a;
	if (!n->bd)
		n->bd = n->b;
	if (!n->c)
		n->c = abs(n->ac - n->bc) < 9 ? (n->ac + n->bc) / 2 : n->a;
	if (!n->aa)
		n->aa = n->a;
}

/* Whether an edge is between a and b, not a slope */
INLINE bool depthcode_is_edge(const struct depthcode_around *n,
			      unsigned int has)
{
	int bend = abs(2 * n->c - n->ac - n->bc);
	int step = abs(n->a - n->b);

	if (step <= 6)
		return false;
	if (has & HAS_A3) {
		int beyond = abs(3 * n->a - 2 * n->aa - n->b);

		bend = bend > beyond ? bend : beyond;
	}
	return bend > 6 && 2 * bend > step;
}

static inline bool depthcode_nearer(int v, int a, int b)
{
	return abs(v - b) < abs(v - a);
}

/* At an edge: code the side. Return: the expected rank there */
INLINE int depthcode_side(struct coder *c, struct depthcode_model *m,
			  const struct depthcode_around *n, unsigned int pass,
			  unsigned int holes, int v)
{
	int a = n->a, b = n->b, step = b - a, side, own, beside, expect;
	uint32_t bend = depthcode_scale(2 * n->c - a - b);
	uint32_t look = depthcode_nearer(n->c, a, b) |
			depthcode_nearer(n->ac, a, b) << 1 |
			depthcode_nearer(n->bc, a, b) << 2 |
			depthcode_nearer(n->ad, a, b) << 3 |
			depthcode_nearer(n->bd, a, b) << 4 |
			(a < b) << 5 | pass << 6;
	uint32_t context[3] = {
		look,
		look | depthcode_nearer(n->aa, a, b) << 8 | (holes & 7) << 9 |
			1 << 14,
		bend | depthcode_scale(step) << 4 | pass << 8 | 1 << 20,
	};

	side = depthcode_place(c, m, DEPTHCODE_SIDE, pass, context,
			       depthcode_nearer(v, a, b));
	own = side ? b : a;
	beside = side ? n->bc : n->ac;
	expect = own;
	if (abs(n->c - own) < abs(step) / 4 + 2)
		expect = abs(beside - own) < 8 ? n->c + own - beside : n->c;
	return abs(expect - own) > 6 ? own : expect;
}

/* Cubic interpolation of four in a line, bent as beside it; 1/16 */
INLINE int depthcode_bow(const struct depthcode_around *n, const uint16_t *p,
			 const struct depthcode_reach *r, unsigned int has,
			 int *straight)
{
	int both = n->a + n->b, step = abs(n->a - n->b);
	int bend = 2 * n->c - n->ac - n->bc;
	int line = 8 * both;

	if (step < 64 && has & HAS_A3 && has & HAS_B3) {
		int a3 = p[3 * r->a], b3 = p[3 * r->b];

		if (!!a3 & !!b3 & (abs(a3 - n->a) < step + 6) &
		    (abs(b3 - n->b) < step + 6))
			line = 9 * both - a3 - b3;
	}
	*straight = line;
	return line + (abs(bend) <= 6 ? bend : 0);
}

/* Contexts of a pixel's difference from the expected rank */
INLINE void depthcode_find(struct depthcode_model *m,
			   const struct depthcode_around *n, const uint16_t *p,
			   const struct depthcode_reach *r, unsigned int has,
			   int expect, bool edge, int rest_c,
			   struct depthcode_context **near,
			   struct depthcode_bow **bowed)
{
	uint32_t kind = (edge | r->pass << 1) << 28;
	uint32_t a = depthcode_clip(n->a - expect, 7) + 8;
	uint32_t b = depthcode_clip(n->b - expect, 7) + 8;
	int straight, bow = depthcode_bow(n, p, r, has, &straight);
	uint32_t context;

	context = kind | a | b << 4 |
		  (depthcode_clip(n->c - expect, 3) + 4) << 8 |
		  (depthcode_clip(n->ad + n->bd - 2 * expect, 3) + 4) << 12;
	*near = &m->context[depthcode_slot(context, DEPTHCODE_CONTEXT_BITS)];
	context = kind |
		  (depthcode_clip((bow - 16 * expect) >> 1, 15) + 16) |
		  (depthcode_clip((straight - 16 * expect) >> 1, 15) + 16)
			<< 6 |
		  (uint32_t)(rest_c + 2) << 12;
	*bowed = &m->bow[depthcode_slot(context, DEPTHCODE_CONTEXT_BITS)];
}

/* Code the difference of a pixel that is not as expected, and no hole */
INLINE int depthcode_off(struct coder *c, struct depthcode_model *m,
			 struct depthcode_context *near,
			 struct depthcode_bow *bow, unsigned int set,
			 struct rc_bit *more, int off)
{
	struct rc_bit *b[2] = { &near->kind[DEPTHCODE_BELOW],
				&bow->kind[DEPTHCODE_BELOW] };
	int below = depthcode_mixed(c, m, DEPTHCODE_BELOW, set, b, 2, off < 0);
	int far = abs(off);

	if (!code_bit(c, &near->kind[DEPTHCODE_TWO + below], far > 1))
		return below ? -1 : 1;
	if (!code_bit(c, &near->kind[DEPTHCODE_THREE + below], far > 2))
		return below ? -2 : 2;
	far = 3 + depthcode_number(c, more, far - 3);
	return below ? -far : far;
}

static inline int depthcode_limit(int v, int most)
{
	return v < 1 ? 1 : v > most ? most : v;
}

/*
 * Code a pixel of rank v, at most @most, or read any. @rest: prediction errors
 * of earlier pixels, beside p.
 *
 * Return: its rank.
 */
INLINE int depthcode_pixel(struct coder *c, struct depthcode_model *m,
			   const uint16_t *p, int8_t *rest,
			   const struct depthcode_reach *r, unsigned int has,
			   int most, bool hollow, int *last, int v)
{
	unsigned int pass = r->pass, holes = 0, set;
	struct depthcode_context *near;
	struct depthcode_around n;
	struct depthcode_bow *bow;
	int rc = has & HAS_C ? rest[r->c] : 0;
	struct rc_bit *b[2];
	int expect, off;
	bool edge;

	*rest = 0;
	depthcode_look(&n, p, r, has);
	/* one branch, as several would be mispredicted more often */
	if (!((n.a ^ n.b) | (n.a ^ n.c) | (n.a ^ n.ac) | (n.a ^ n.bc) |
	      (n.a ^ n.ad) | (n.a ^ n.bd))) {
		b[0] = &m->differs[pass][(n.a == 0) | (rc == 0) << 1];
		if (!code_bit(c, b[0], v != n.a))
			return n.a;
	}
	if (hollow && ((n.a - 1) | (n.b - 1) | (n.c - 1) | (n.ac - 1) |
		       (n.bc - 1) | (n.ad - 1) | (n.bd - 1) | (n.aa - 1)) < 0)
		holes = (n.a == 0) | (n.b == 0) << 1 | (n.c == 0) << 2 |
			(n.ac == 0) << 3 | (n.bc == 0) << 4 |
			(n.ad == 0) << 5 | (n.bd == 0) << 6 | (n.aa == 0) << 7;
	if (holes) {
		if (depthcode_hole(c, m, &n, p, r, has, holes, v == 0))
			return 0;
		off = n.a ? n.a : n.b ? n.b : n.c ? n.c :
		      n.ac ? n.ac : n.bc ? n.bc : n.ad ? n.ad : n.bd;
		if (!off) {
			v = *last + depthcode_signed(c, m->island, v - *last);
			*rest = 2;
			return *last = depthcode_limit(v, most);
		}
		depthcode_fill(&n, off);
	}
	edge = depthcode_is_edge(&n, has);
	if (edge) {
		expect = depthcode_side(c, m, &n, pass, holes, v);
	} else {
		int bend = 2 * n.c - n.ac - n.bc;

		expect = (n.a + n.b + (abs(bend) <= 6 ? bend / 2 : 0) +
			  (rc >= 0)) >> 1;
	}
	expect = depthcode_limit(expect, most);
	depthcode_find(m, &n, p, r, has, expect, edge, rc, &near, &bow);
	b[0] = &near->kind[DEPTHCODE_OFF];
	b[1] = &bow->kind[DEPTHCODE_OFF];
	set = pass * 4 + edge * 2 + (n.a == n.b);
	off = v - expect;
	if (!depthcode_mixed(c, m, DEPTHCODE_OFF, set, b, 2, off != 0))
		return expect;
	if (hollow && !holes && code_bit(c, &m->hole[pass][edge], v == 0))
		return 0;
	off = depthcode_off(c, m, near, bow, set, m->more[pass][edge], off);
	*rest = depthcode_clip(off, 2);
	return depthcode_limit(expect + off, most);
}

#endif
