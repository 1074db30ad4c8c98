// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_tiles - hostile datagrams of maps
 *
 * Input: payloads, each behind a byte of frame number and two of length; the
 * highest bit of the length repairs what every payload begins with, so that
 * more of them get through.
 */
#include <stdlib.h>
#include <string.h>
#include "base/wire.h"
#include "codec/grid/tiles.h"

enum { SIDE = 200 };

static void look_at(struct tiles_decoder *d)
{
	volatile int sum = 0;
	unsigned int cursor = 0;
	struct tiles_area a;
	struct map m;

	if (tiles_finish(d, &m))
		return;
	if (!m.width || m.width > SIDE || !m.height || m.height > SIDE)
		abort();
	for (unsigned int i = 0; i < m.width * m.height; i++)
		sum += m.cells[i];
	while (tiles_changed(d, &cursor, &a))
		if (!a.width || a.x + a.width > m.width || !a.height ||
		    a.y + a.height > m.height)
			abort();
	sum += tiles_age(d, m.width - 1, m.height - 1);
	sum += tiles_share(d).received;
	(void)sum;
}

/* Sizes and position of a map, from its first bytes */
static void repair(uint8_t *p, size_t len)
{
	if (len < 32 || p[0] & 1)
		return;
	p[0] = 0x10;
	p[1] &= 31;
	p[2] &= 7;
	p[3] &= 1;
	put_le16(p + 4, p[4] % SIDE + 1);
	put_le16(p + 6, p[6] % SIDE + 1);
	put_lef32(p + 8, 0.05f);
	put_lef64(p + 12, p[12]);
	put_lef64(p + 20, p[20]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tiles_decoder *d = tiles_decoder_create(SIDE, SIDE);
	uint8_t copy[PAYLOAD_MAX];

	while (size >= 3) {
		size_t len = get_le16(data + 1) & 0x7fff;
		bool mend = data[2] & 128;

		tiles_begin(d, (int8_t)data[0]);
		data += 3;
		size -= 3;
		if (len > size)
			len = size;
		if (mend && len <= sizeof(copy)) {
			memcpy(copy, data, len);
			repair(copy, len);
			tiles_add(d, copy, len);
		} else {
			tiles_add(d, data, len);
		}
		look_at(d);
		data += len;
		size -= len;
	}
	tiles_decoder_destroy(d);
	return 0;
}
