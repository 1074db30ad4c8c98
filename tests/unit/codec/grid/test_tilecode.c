// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_tilecode - blocks of maps: lossless, and as the plain coder's
 */
#include <errno.h>
#include "codec/grid/tilecode.h"
#include "map_fixture.h"

static void check_code(const struct map *m, unsigned int side,
		       const char *what)
{
	struct tilecode *t = tilecode_create();
	uint8_t code[8192], plain[8192];
	int8_t cells[TILECODE_SIDE * TILECODE_SIDE];
	bool good = true, equal = true;
	int len, sum = 0, n = 0;

	for (unsigned int y = 0; y + side <= m->height; y += side)
		for (unsigned int x = 0; x + side <= m->width; x += side) {
			const int8_t *c = m->cells + y * m->width + x;

			len = tilecode_encode(t, c, m->width, side, code,
					      sizeof(code));
			equal &= tilecode_encode_ref(c, m->width, side, plain,
						     sizeof(plain)) == len &&
				 !memcmp(code, plain, len);
			good &= !tilecode_decode(t, cells, side, side, code,
						 len);
			for (unsigned int i = 0; i < side; i++)
				good &= !memcmp(cells + i * side,
						c + i * m->width, side);
			good &= len < 2 || tilecode_encode(t, c, m->width,
				side, code, len - 1) == -ENOSPC;
			sum += len;
			n++;
		}
	ok(good, "%s, blocks of %u: there and back (%d bytes each)", what,
	   side, sum / n);
	ok(equal, "%s, blocks of %u: as the plain coder", what, side);
	tilecode_destroy(t);
}

static void test_code(void)
{
	struct map m = new_map(320, 256);
	uint64_t rng = 1;

	check_code(&m, 64, "unknown");
	draw_rooms(&m, &rng, 8);
	check_code(&m, 64, "rooms");
	m.height = 32;
	check_code(&m, 8, "rooms");
	check_code(&m, 1, "rooms");
	check_code(&m, 7, "rooms");
	m.height = 256;
	draw_costs(&m, &rng);
	check_code(&m, 64, "costs");
	draw_noise(&m, &rng, 2);
	check_code(&m, 64, "two values");
	draw_noise(&m, &rng, 4);
	check_code(&m, 64, "four values");
	draw_noise(&m, &rng, 256);
	check_code(&m, 64, "all values");
	free(m.cells);
}

int main(void)
{
	test_code();
	return tap_done();
}
