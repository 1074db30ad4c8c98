// SPDX-License-Identifier: GPL-2.0-only
/*
 * tilecode_ref - the output of tilecode.c, cell by cell and neighbour by
 * neighbour; for tests
 */
#include <errno.h>
#include "codec/grid/tilecode.h"
#include "codec/grid/tilecode_model.h"

struct block {
	const int8_t		*cells;
	size_t			stride;
	int			side;
	struct tilecode_palette	palette;
	struct tilecode_model	model;
	struct rc_encoder	out;
};

/* Rank of a cell, or of one outside the block */
static unsigned int tilecode_ref_at(const struct block *b, int x, int y)
{
	if (x < 0) {
		x = 0;
		y--;
	}
	if (y < 0)
		return b->palette.outside;
	if (x >= b->side)
		x = b->side - 1;
	return b->palette.rank[(uint8_t)b->cells[y * b->stride + x]];
}

/* Ranks of @n cells of a row as bytes of a number, the leftmost lowest */
static uint64_t tilecode_ref_run(const struct block *b, int x, int y, int n)
{
	uint64_t sum = 0;

	for (int i = 0; i < n; i++)
		sum |= (uint64_t)tilecode_ref_at(b, x + i, y) << 8 * i;
	return sum;
}

static void contexts(const struct block *b, int x, int y,
		     uint32_t context[CONTEXTS])
{
	uint64_t w = tilecode_ref_at(b, x - 1, y),
		 ww = tilecode_ref_at(b, x - 2, y);

	context[0] = tilecode_hash(
		tilecode_ref_run(b, x - 1, y - 1, 3) | w << 24, 0);
	context[1] = tilecode_hash(w | tilecode_ref_run(b, x, y - 1, 1) << 8,
				   tilecode_ref_run(b, x - 2, y - 1, 1) << 16 |
				   tilecode_ref_run(b, x - 1, y - 2, 1) << 24 |
				   tilecode_ref_run(b, x + 1, y - 2, 1) << 40 |
				   tilecode_ref_run(b, x + 2, y - 1, 1) << 48);
	context[2] =
		tilecode_hash(tilecode_ref_run(b, x - 3, y - 1, 7) | w << 56,
			      tilecode_ref_run(b, x - 2, y - 2, 5) | ww << 40 |
				      tilecode_ref_run(b, x - 3, y, 1) << 48 |
				      tilecode_ref_run(b, x, y - 3, 1) << 56);
	context[3] = tilecode_hash(w | tilecode_ref_run(b, x, y - 1, 1) << 8 |
				   tilecode_ref_run(b, x - 6, y, 1) << 16 |
				   tilecode_ref_run(b, x, y - 6, 1) << 24,
				   tilecode_ref_run(b, x + 4, y - 4, 1) |
				   tilecode_ref_run(b, x - 4, y - 4, 1) << 8);
}

static bool even(const struct block *b, int x, int y)
{
	unsigned int n = tilecode_ref_at(b, x, y - 1);

	for (int i = -2; i <= 2; i++)
		if (tilecode_ref_at(b, x + i, y - 1) != n)
			return false;
	for (int i = -1; i <= 1; i++)
		if (tilecode_ref_at(b, x + i, y - 2) != n)
			return false;
	return tilecode_ref_at(b, x - 1, y) == n &&
	       tilecode_ref_at(b, x - 2, y) == n;
}

static void write_other(struct block *b, const struct tilecode_tried *tried,
			unsigned int w, unsigned int n, unsigned int s)
{
	struct tilecode_rest rest;
	int up = s > n, step = up ? 1 : -1, left;

	tilecode_rest(tried, b->palette.count, n, &rest);
	if (rest.below && rest.above)
		rc_encode(&b->out, &b->model.up[tilecode_up_context(w, n)],
			  up);
	left = up ? rest.above : rest.below;
	for (unsigned int r = n + step, i = 0; left > 1; r += step) {
		if (tilecode_was_tried(tried, r))
			continue;
		rc_encode(&b->out, &b->model.far[up][i < FAR ? i : FAR - 1],
			  r == s);
		if (r == s)
			break;
		i++;
		left--;
	}
}

static void write_cell(struct block *b, int x, int y)
{
	unsigned int s = tilecode_ref_at(b, x, y),
		     w = tilecode_ref_at(b, x - 1, y),
		     n = tilecode_ref_at(b, x, y - 1);
	const unsigned int neighbour[4] = { w, n,
					    tilecode_ref_at(b, x + 1, y - 1),
					    tilecode_ref_at(b, x - 1, y - 1) };
	struct tilecode_tried tried = { 0 };
	uint32_t context[CONTEXTS];

	contexts(b, x, y, context);
	for (int i = 0; i < 4; i++) {
		int bit = s == neighbour[i];

		if (tilecode_was_tried(&tried, neighbour[i]))
			continue;
		if (tried.n + 1 == b->palette.count)
			return;
		if (even(b, x, y)) {
			rc_encode(&b->out, &b->model.same[
				  tilecode_same_context(n, b->palette.count)],
				  bit);
		} else {
			struct tilecode_mix mix;
			struct rc_bit p;

			tilecode_mix(&b->model, context, tried.n, &mix);
			p = (struct rc_bit){ mix.zero, 0 };
			rc_encode(&b->out, &p, bit);
			tilecode_mix_learn(&mix, bit);
		}
		if (bit)
			return;
		tried.rank[tried.n++] = neighbour[i];
	}
	write_other(b, &tried, w, n, s);
}

static void write_palette(struct block *b)
{
	const struct tilecode_palette *p = &b->palette;
	struct rc_bit bits[2] = { RC_BIT_INIT, RC_BIT_INIT };

	rc_encode_raw(&b->out, p->kind, 2);
	if (p->kind == PALETTE_ONE)
		rc_encode_raw(&b->out, p->first, 8);
	else if (p->kind == PALETTE_TRINARY)
		for (int i = 0; i < 3; i++)
			rc_encode_raw(&b->out,
				      p->has[(uint8_t)tilecode_trinary[i]], 1);
	else
		for (int v = 0; v < 256; v++)
			rc_encode(&b->out, &bits[v && p->has[v - 1]],
				  p->has[v]);
}

int tilecode_encode_ref(const int8_t *cells, size_t stride, unsigned int side,
			void *buf, size_t size)
{
	struct block b = { .cells = cells, .stride = stride, .side = side };

	tilecode_palette_of(&b.palette, cells, stride, side);
	tilecode_model_create(&b.model);
	tilecode_model_reset(&b.model);
	rc_encoder_init(&b.out, buf, size, LIMIT);
	write_palette(&b);
	if (b.palette.count > 1)
		for (unsigned int i = 0; i < side * side; i++)
			write_cell(&b, i % side, i / side);
	size = rc_encoder_finish(&b.out);
	return b.out.overflow ? -ENOSPC : (int)size;
}
