// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_cloudblock - hostile payloads for the decoder of cloudblock.h
 *
 * An input is payloads, each after its length in 16 bits, little endian.
 * Decoded points are finite.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "codec/cloud/cloudblock.h"
#include "datagrams.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct cloud *c)
{
	for (unsigned int i = 0; i < c->count; i++)
		if (!isfinite(c->x[i]) || !isfinite(c->y[i]) ||
		    !isfinite(c->z[i]))
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct cloudblock_decoder *decoder;
	static struct cloud *out;
	struct datagrams all = { data, data + size };
	const uint8_t *p;
	size_t len;

	if (!decoder) {
		decoder = cloudblock_decoder_create(2000, 100);
		out = cloud_create(2000);
	}
	cloudblock_begin(decoder);
	while (datagrams_next(&all, &p, &len)) {
		/* a copy, so that reading beyond its end is detected */
		uint8_t *payload = malloc(len);

		memcpy(payload, p, len);
		if (!cloudblock_add(decoder, payload, len) &&
		    cloudblock_add(decoder, payload, len) != -EEXIST)
			abort();
		free(payload);
	}
	if (cloudblock_finish(decoder, out))
		abort();
	check(out);
	return 0;
}
