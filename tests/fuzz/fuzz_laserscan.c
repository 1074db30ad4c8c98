// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_laserscan - hostile datagrams for the decoder of planar scans
 */
#include <stdlib.h>
#include "codec/scan/laserscan.h"
#include "datagrams.h"

enum { BEAMS = 2000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct laserscan_decoder *d;
	struct datagrams all = { data, data + size };
	struct laserscan out;
	const uint8_t *p;
	size_t len;

	if (!d)
		d = laserscan_decoder_create(BEAMS);
	laserscan_begin(d);
	while (datagrams_next(&all, &p, &len))
		laserscan_add(d, p, len);
	if (!laserscan_finish(d, &out) && (!out.beams || out.beams > BEAMS))
		abort();
	return 0;
}
