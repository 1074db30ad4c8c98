// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_vscan - hostile datagrams of virtual scans
 *
 * Input: payloads, each after a byte of length, times 4. Decoded scans are
 * encoded again and must be the same.
 */
#include <stdlib.h>
#include <string.h>
#include "codec/scan/vscan_code.h"

static void again(const struct vscan_scans *s)
{
	static uint8_t data[8][PAYLOAD_MAX];
	static uint16_t lens[8];
	struct payloads out = { .data = data[0], .stride = PAYLOAD_MAX,
				.len = lens, .size = PAYLOAD_MAX, .max = 8 };
	struct vscan_decoder d;
	struct vscan_scans got;

	if (vscan_encode(s, 1, 1, &out))
		abort();
	vscan_begin(&d);
	for (unsigned int i = 0; i < out.count; i++)
		if (vscan_add(&d, data[i], lens[i]))
			abort();
	if (vscan_finish(&d, &got) || memcmp(&got, s, sizeof(got)))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct vscan_decoder d;
	struct vscan_scans got;

	vscan_begin(&d);
	while (size >= 1) {
		size_t len = data[0] * 4;

		data++;
		size--;
		if (len > size)
			len = size;
		vscan_add(&d, data, len);
		data += len;
		size -= len;
	}
	if (!vscan_finish(&d, &got))
		again(&got);
	return 0;
}
