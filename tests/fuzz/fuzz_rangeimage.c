// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_rangeimage - hostile payloads for the decoder of rangeimage.h
 *
 * An input is payloads, each after its length in 16 bits, little endian. The
 * result is converted to a cloud.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "codec/cloud/rangeimage.h"
#include "codec/cloud/rangeimage_cloud.h"
#include "datagrams.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct rangeimage *decoder;
	static struct cloud *out;
	struct organised o = { 0 };
	struct datagrams all = { data, data + size };
	const uint8_t *p;
	size_t len;

	if (!decoder) {
		decoder = rangeimage_create(32, 400);
		out = cloud_create(32 * 400);
	}
	rangeimage_begin(decoder);
	while (datagrams_next(&all, &p, &len)) {
		/* a copy, so that reading beyond its end is detected */
		uint8_t *payload = malloc(len);

		memcpy(payload, p, len);
		if (!rangeimage_add(decoder, payload, len) &&
		    rangeimage_add(decoder, payload, len) != -EEXIST)
			abort();
		free(payload);
	}
	rangeimage_finish(decoder, &o, NULL);
	for (unsigned int c = 0; c < o.columns; c++)
		if (o.azimuth[c] >= 36000)
			abort();
	if (organised_to_cloud(&o, out))
		abort();
	return 0;
}
