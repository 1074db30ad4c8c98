// SPDX-License-Identifier: GPL-2.0-only
/*
 * likelihood_field_code.c - an encoded tile of a field: its occupied cells. The
 * receiver computes the field from them
 *
 *	u16	rows that have occupied cells, a bit each
 *	u16	occupied cells of each such row
 *	u8	position in the cell, 2 bits for each occupied cell, padded
 */
#include <string.h>
#include "slam/filter/likelihood_field.h"

#define CODE_MAX	(2 + 2 * TILE_SIDE + TILE_SIDE * TILE_SIDE / 4)

static size_t field_code_encode(const struct tile_head *head, uint8_t *out)
{
	const struct tile *t = (const struct tile *)head;
	uint16_t rows = 0;
	uint8_t *at = out + 2;
	unsigned int cells = 0;

	for (int row = 0; row < TILE_SIDE; row++) {
		if (!t->occupied[row])
			continue;
		rows |= (uint16_t)(1 << row);
		memcpy(at, &t->occupied[row], 2);
		at += 2;
	}
	for (int row = 0; row < TILE_SIDE; row++) {
		for (unsigned int left = t->occupied[row]; left;
		     left &= left - 1, cells++) {
			const unsigned int phase = t->phase[row] >>
				2 * __builtin_ctz(left) & 3;

			if (cells % 4 == 0)
				*at++ = 0;
			at[-1] |= (uint8_t)(phase << 2 * (cells % 4));
		}
	}
	memcpy(out, &rows, 2);
	return (size_t)(at - out);
}

static size_t field_code_decode(struct tile_head *head, const uint8_t *data,
				size_t len)
{
	struct tile *t = (struct tile *)head;
	unsigned int cells = 0, seen = 0;
	const uint8_t *at = data + 2;
	uint16_t rows;
	size_t size;

	if (len < 2)
		return 0;
	memcpy(&rows, data, 2);
	size = 2 + 2 * (size_t)__builtin_popcount(rows);
	if (len < size)
		return 0;
	for (int row = 0; row < TILE_SIDE; row++) {
		if (!(rows >> row & 1))
			continue;
		memcpy(&t->occupied[row], at, 2);
		cells += (unsigned int)__builtin_popcount(t->occupied[row]);
		at += 2;
	}
	size += (cells + 3) / 4;
	if (len < size)
		return 0;
	for (int row = 0; row < TILE_SIDE; row++) {
		for (unsigned int left = t->occupied[row]; left;
		     left &= left - 1, seen++)
			t->phase[row] |= (uint32_t)
				(at[seen / 4] >> 2 * (seen % 4) & 3) <<
				2 * __builtin_ctz(left);
	}
	return size;
}

const struct tile_kind field_tiles = {
	.bytes = sizeof(struct tile),
	.encode = field_code_encode,
	.decode = field_code_decode,
	.draw = field_draw,
};
_Static_assert(sizeof(struct tile) <= TILE_BYTES_MAX &&
	       CODE_MAX <= (int)TILE_CODE_MAX, "room for any tile");
