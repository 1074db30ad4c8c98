// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_mcap - hostile MCAP files
 */
#include "bag_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!good_len[0])
		for (int i = 0; i < GOOD; i++)
			make_good(i, BAG_MCAP, i & 1, i & 2);
	play_bytes(data, size);
	return 0;
}
