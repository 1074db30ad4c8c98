// SPDX-License-Identifier: GPL-2.0-only
/*
 * tilecode - square blocks of a map, lossless, each decodable alone
 *
 * One function for both directions: a decision is written if there is an
 * encoder, else read.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "codec/core/rangecoder.h"
#include "codec/grid/tilecode.h"
#include "codec/grid/tilecode_model.h"

/* rows and columns around the block, for neighbourhoods */
enum { MARGIN = 6, ROW = MARGIN + TILECODE_SIDE + MARGIN + 2 };

struct tilecode {
	struct tilecode_model	model;
	bool			encode;
	struct rc_encoder	out;
	struct rc_decoder	in;
	struct tilecode_palette	palette;
	uint8_t			rank[MARGIN + TILECODE_SIDE][ROW];
};

struct tilecode *tilecode_create(void)
{
	struct tilecode *t = calloc(1, sizeof(*t));

	if (t)
		tilecode_model_create(&t->model);
	return t;
}

void tilecode_destroy(struct tilecode *t)
{
	free(t);
}

static __always_inline int tilecode_code(struct tilecode *t, bool encode,
					 struct rc_bit *b, int bit)
{
	if (!encode)
		return rc_decode(&t->in, b);
	rc_encode(&t->out, b, bit);
	return bit;
}

static __always_inline uint32_t code_raw(struct tilecode *t, bool encode,
					 uint32_t value, unsigned int n)
{
	if (!encode)
		return rc_decode_raw(&t->in, n);
	rc_encode_raw(&t->out, value, n);
	return value;
}

/* A decision whose probability is mixed from four contexts */
static __always_inline int code_mixed(struct tilecode *t, bool encode,
				      const uint32_t context[CONTEXTS],
				      unsigned int tried, int bit)
{
	struct tilecode_mix mix;
	struct rc_bit p;

	tilecode_mix(&t->model, context, tried, &mix);
	p = (struct rc_bit){ mix.zero, 0 };
	bit = tilecode_code(t, encode, &p, bit);
	tilecode_mix_learn(&mix, bit);
	return bit;
}

static void code_palette(struct tilecode *t, bool encode)
{
	struct tilecode_palette *p = &t->palette;
	struct rc_bit bits[2] = { RC_BIT_INIT, RC_BIT_INIT };
	int last = 0;

	p->kind = code_raw(t, encode, p->kind, 2);
	if (p->kind == PALETTE_ONE) {
		p->first = code_raw(t, encode, p->first, 8);
		p->has[p->first] = true;
	} else if (p->kind == PALETTE_TRINARY) {
		for (int i = 0; i < 3; i++) {
			uint8_t v = tilecode_trinary[i];

			p->has[v] = code_raw(t, encode, p->has[v], 1);
		}
	} else {
		for (int v = 0; v < 256; v++)
			last = p->has[v] = tilecode_code(t, encode, &bits[last],
							 p->has[v]);
	}
}

/* A value unlike the neighbours: above or below the upper one, then how far */
static __always_inline int code_other(struct tilecode *t, bool encode,
				      const struct tilecode_tried *tried,
				      unsigned int w, unsigned int n, int s)
{
	struct tilecode_model *m = &t->model;
	struct tilecode_rest rest;
	int up, step, left, r = n;

	tilecode_rest(tried, t->palette.count, n, &rest);
	up = !rest.below;
	if (rest.below && rest.above)
		up = tilecode_code(t, encode, &m->up[tilecode_up_context(w, n)],
				   s > r);
	step = up ? 1 : -1;
	left = up ? rest.above : rest.below;
	for (unsigned int i = 0; left > 0; i += i < FAR - 1) {
		do
			r += step;
		while (tilecode_was_tried(tried, r));
		if (--left == 0 ||
		    tilecode_code(t, encode, &m->far[up][i], r == s))
			break;
	}
	return r;
}

static __always_inline int code_cell(struct tilecode *t, bool encode,
				     const uint8_t *p)
{
	const uint64_t ones = 0x0101010101010101;
	uint64_t up1 = get_le64(p - ROW - 3), up2 = get_le64(p - 2 * ROW - 3);
	unsigned int count = t->palette.count, w = p[-1], n = p[-ROW];
	uint32_t context[CONTEXTS];
	struct tilecode_tried tried = { 0 };
	const unsigned int neighbour[4] = { w, n, p[1 - ROW], p[-1 - ROW] };
	bool same;

	/* all within two columns and rows equal the upper one */
	same = !((up1 ^ ones * n) & 0xffffffffff00) &&
	       !((up2 ^ ones * n) & 0xffffff0000) && w == n && p[-2] == n;
	if (!same)
		tilecode_contexts(up1, up2, p, ROW, context);
	for (int i = 0; i < 4; i++) {
		int bit;

		if (tilecode_was_tried(&tried, neighbour[i]))
			continue;
		/* the only value left */
		if (tried.n + 1 == count)
			return neighbour[i];
		bit = *p == neighbour[i];
		if (same)
			bit = tilecode_code(
				t, encode,
				&t->model.same[tilecode_same_context(n, count)],
				bit);
		else
			bit = code_mixed(t, encode, context, tried.n, bit);
		if (bit)
			return neighbour[i];
		tried.rank[tried.n++] = neighbour[i];
	}
	return code_other(t, encode, &tried, w, n, *p);
}

static __always_inline void tilecode_code_cells(struct tilecode *t, bool encode,
						unsigned int side)
{
	for (unsigned int y = 0; y < side; y++) {
		uint8_t *row = t->rank[MARGIN + y];

		memset(row, row[MARGIN - ROW], MARGIN);
		for (unsigned int x = MARGIN; x < MARGIN + side; x++)
			row[x] = code_cell(t, encode, row + x);
		memset(row + MARGIN + side, row[MARGIN + side - 1],
		       ROW - MARGIN - side);
	}
}

static void tilecode_begin(struct tilecode *t)
{
	tilecode_model_reset(&t->model);
	memset(t->rank, t->palette.outside, MARGIN * ROW);
}

int tilecode_encode(struct tilecode *t, const int8_t *cells, size_t stride,
		    unsigned int side, void *buf, size_t size)
{
	struct tilecode_palette *p = &t->palette;

	tilecode_palette_of(p, cells, stride, side);
	rc_encoder_init(&t->out, buf, size, LIMIT);
	code_palette(t, true);
	if (p->count > 1) {
		tilecode_begin(t);
		for (unsigned int y = 0; y < side; y++)
			for (unsigned int x = 0; x < side; x++)
				t->rank[MARGIN + y][MARGIN + x] =
					p->rank[(uint8_t)cells[y * stride + x]];
		tilecode_code_cells(t, true, side);
	}
	size = rc_encoder_finish(&t->out);
	return t->out.overflow ? -ENOSPC : (int)size;
}

int tilecode_decode(struct tilecode *t, int8_t *cells, size_t stride,
		    unsigned int side, const void *buf, size_t len)
{
	struct tilecode_palette *p = &t->palette;

	memset(p, 0, sizeof(*p));
	rc_decoder_init(&t->in, buf, len, LIMIT, false);
	code_palette(t, false);
	tilecode_palette_rank(p);
	if (!p->count)
		return -EPROTO;
	if (p->count == 1) {
		for (unsigned int y = 0; y < side; y++)
			memset(cells + y * stride, p->value[0], side);
		return 0;
	}
	tilecode_begin(t);
	tilecode_code_cells(t, false, side);
	for (unsigned int y = 0; y < side; y++)
		for (unsigned int x = 0; x < side; x++)
			cells[y * stride + x] =
				p->value[t->rank[MARGIN + y][MARGIN + x]];
	return 0;
}
