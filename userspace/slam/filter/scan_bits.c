// SPDX-License-Identifier: GPL-2.0-only
/*
 * scan_bits - a scan as bitmaps
 *
 * A beam is filled row by row, as runs of bits. A steep one has many rows with
 * short runs: it is filled column by column instead, into bitmaps whose words
 * are columns, and these are transposed at the end.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "slam/filter/scan_bits.h"

enum { WORDS = sizeof(struct scan_tile) / sizeof(uint64_t) };

int scan_bits_begin(struct scan_bits *s, unsigned int width,
		    unsigned int height)
{
	const size_t n = (size_t)width * height;

	s->width = width;
	s->height = height;
	if (n <= s->room)
		return 0;
	scan_bits_free(s);
	s->tile = calloc(n, sizeof(*s->tile));
	s->column = calloc(n, sizeof(*s->column));
	if (!s->tile || !s->column) {
		scan_bits_free(s);
		return -ENOMEM;
	}
	s->width = width;
	s->height = height;
	s->room = n;
	return 0;
}

void scan_bits_free(struct scan_bits *s)
{
	free(s->tile);
	free(s->column);
	*s = (struct scan_bits){ 0 };
}

void scan_bits_clear(struct scan_bits *s)
{
	const size_t n = (size_t)s->width * s->height;

	for (size_t i = 0; i < n; i++)
		if (!scan_tile_is_empty(&s->tile[i]))
			memset(&s->tile[i], 0, sizeof(*s->tile));
}

/*
 * Filling: a line is a word of bits, a row or a column
 */

/**
 * struct lines - bitmaps
 * @word:	of line 0 in its first tile
 * @next:	words from the last line of a tile to the first of the next one,
 *		minus one
 * @across:	words from a tile to the next one on the same line
 */
struct lines {
	uint64_t	*word;
	ptrdiff_t	next, across;
};

#define BIT(i)		(1ULL << (i))
#define BITS_8(i)	BIT(i), BIT((i) + 1), BIT((i) + 2), BIT((i) + 3), \
			BIT((i) + 4), BIT((i) + 5), BIT((i) + 6), BIT((i) + 7)

/* A table is faster than a variable shift */
static const uint64_t bit[SCAN_TILE] = {
	BITS_8(0), BITS_8(8), BITS_8(16), BITS_8(24),
	BITS_8(32), BITS_8(40), BITS_8(48), BITS_8(56),
};

/* The cells between @from and @to of a line */
static inline void scan_bits_fill(uint64_t *line, ptrdiff_t across,
				  int32_t from, int32_t to)
{
	int32_t tile = from >> (SCAN_UNIT_BITS + SCAN_TILE_BITS);
	const int32_t last = to >> (SCAN_UNIT_BITS + SCAN_TILE_BITS);
	uint64_t mask = -bit[from >> SCAN_UNIT_BITS & (SCAN_TILE - 1)];

	for (; __builtin_expect(tile < last, 0); tile++) {
		line[tile * across] |= mask;
		mask = ~0ULL;
	}
	line[tile * across] |= mask &
		(2 * bit[to >> SCAN_UNIT_BITS & (SCAN_TILE - 1)] - 1);
}

/* Where a beam leaves a line, exactly: @at + @rest / dy, 0 <= @rest < dy */
struct crossing {
	int32_t	at, rest;
};

static struct crossing divide(int64_t a, int64_t b)
{
	int64_t q = a / b, rest = a % b;

	if (rest < 0) {
		q--;
		rest += b;
	}
	return (struct crossing){ (int32_t)q, (int32_t)rest };
}

/* An end of a beam: along the lines and across them */
struct end {
	int32_t	x, y;
};

/*
 * Begins at the lower end. The part of a beam in a line goes from the lower
 * border, inclusive, to the upper one, exclusive. Beams are longer along lines
 * than across them: each line gets at least a unit, and no run is empty.
 */
static inline __attribute__((always_inline))
void scan_bits_trace(struct lines lines, struct end low, struct end high,
		     const bool backwards)
{
	const int64_t dx = high.x - low.x;
	const int32_t dy = high.y - low.y;
	const int32_t last = high.y >> SCAN_UNIT_BITS;
	int32_t y = low.y >> SCAN_UNIT_BITS, at = low.x;
	struct crossing next = { 0 }, step = { 0 };
	uint64_t *line = lines.word + y + (y >> SCAN_TILE_BITS) * lines.next;

	if (y < last) {
		next = divide(dx * ((y + 1) * SCAN_UNIT - low.y), dy);
		next.at += low.x;
		step = divide(dx * SCAN_UNIT, dy);
	}
	while (y < last) {
		bool carry;

		if (backwards)
			scan_bits_fill(line, lines.across, next.at, at);
		else
			scan_bits_fill(line, lines.across, at,
				       next.at - !next.rest);
		at = next.at;
		next.rest += step.rest;
		carry = next.rest >= dy;
		next.rest -= carry ? dy : 0;
		next.at += step.at + carry;
		line += ++y & (SCAN_TILE - 1) ? 1 : 1 + lines.next;
	}
	scan_bits_fill(line, lines.across, backwards ? high.x : at,
		       backwards ? at : high.x);
}

static void trace_any(const struct lines *lines, struct end a, struct end b)
{
	const struct end low = a.y <= b.y ? a : b, high = a.y <= b.y ? b : a;

	if (high.x < low.x)
		scan_bits_trace(*lines, low, high, true);
	else
		scan_bits_trace(*lines, low, high, false);
}

void scan_bits_beam(struct scan_bits *s, int32_t x0, int32_t y0, int32_t x1,
		    int32_t y1, bool hit)
{
	const ptrdiff_t width = s->width;
	const struct lines rows = { s->tile->free, width * WORDS - SCAN_TILE,
				    WORDS };
	const struct lines columns = { s->column[0], 0, width * SCAN_TILE };
	const int x = x1 >> SCAN_UNIT_BITS, y = y1 >> SCAN_UNIT_BITS;

	if (abs(y1 - y0) > abs(x1 - x0))
		trace_any(&columns, (struct end){ y0, x0 },
			  (struct end){ y1, x1 });
	else
		trace_any(&rows, (struct end){ x0, y0 },
			  (struct end){ x1, y1 });
	if (hit)
		s->tile[(y >> SCAN_TILE_BITS) * width + (x >> SCAN_TILE_BITS)]
			.hit[y & (SCAN_TILE - 1)] |= bit[x & (SCAN_TILE - 1)];
}

/*
 * Transposing
 */

/* Swaps quarters, of 64 squared, then of 32, ... */
static void transpose(uint64_t m[SCAN_TILE])
{
	uint64_t mask = 0x00000000ffffffff;

	for (unsigned int half = SCAN_TILE / 2; half; half /= 2) {
		for (unsigned int i = 0; i < SCAN_TILE; i += 2 * half)
			for (unsigned int k = i; k < i + half; k++) {
				const uint64_t change =
					(m[k] >> half ^ m[k + half]) & mask;

				m[k] ^= change << half;
				m[k + half] ^= change;
			}
		mask ^= mask << half / 2;
	}
}

static void scan_bits_turn(uint64_t column[SCAN_TILE], uint64_t row[SCAN_TILE])
{
	uint64_t any = 0;

	for (int i = 0; i < SCAN_TILE; i++)
		any |= column[i];
	if (!any)
		return;
	transpose(column);
	for (int i = 0; i < SCAN_TILE; i++) {
		row[i] |= column[i];
		column[i] = 0;
	}
}

void scan_bits_end(struct scan_bits *s)
{
	const size_t n = (size_t)s->width * s->height;

	for (size_t i = 0; i < n; i++)
		scan_bits_turn(s->column[i], s->tile[i].free);
}
