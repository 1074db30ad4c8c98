// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_db3 - hostile SQLite files of rosbag2
 */
#include "bag_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!good_len[0])
		for (int i = 0; i < GOOD; i++)
			make_good(i, BAG_DB3, false, true);
	play_bytes(data, size);
	return 0;
}
