// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_mappyramid - hostile datagrams of coarse maps
 *
 * Input: payloads, each after two bytes of length.
 */
#include <stdlib.h>
#include <string.h>
#include "base/wire.h"
#include "codec/grid/mappyramid.h"

static void look_at(struct mappyramid_decoder *d)
{
	volatile int sum = 0;
	struct map m;

	if (mappyramid_finish(d, &m))
		return;
	if (!m.width || !m.height)
		abort();
	for (unsigned int i = 0; i < m.width * m.height; i++)
		sum += m.cells[i];
	(void)sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct mappyramid_decoder *d;

	if (!d)
		d = mappyramid_decoder_create();
	mappyramid_begin(d);
	while (size >= 2) {
		size_t len = get_le16(data);

		data += 2;
		size -= 2;
		if (len > size)
			len = size;
		mappyramid_add(d, data, len);
		data += len;
		size -= len;
	}
	look_at(d);
	return 0;
}
