// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_cloud80 - hostile payloads for the decoder of cloud80.h
 *
 * An input is payloads, each after its length in 16 bits, little endian.
 * Decoded points are finite.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "codec/cloud/cloud80.h"
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
	static struct cloud80 *decoder;
	static struct cloud *out;
	struct datagrams all = { data, data + size };
	const uint8_t *p;
	size_t len;

	if (!decoder) {
		decoder = cloud80_create(2000);
		out = cloud_create(2000);
	}
	cloud80_begin(decoder);
	while (datagrams_next(&all, &p, &len)) {
		/* a copy, so that reading beyond its end is detected */
		uint8_t *payload = malloc(len);

		memcpy(payload, p, len);
		if (!cloud80_add(decoder, payload, len) &&
		    cloud80_add(decoder, payload, len) != -EEXIST)
			abort();
		free(payload);
	}
	if (cloud80_finish(decoder, out))
		abort();
	check(out);
	return 0;
}
