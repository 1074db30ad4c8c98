// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_blob - hostile payloads for the decoder of blob.h
 *
 * An input is payloads, each after its length in 16 bits, little endian.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "codec/core/blob.h"
#include "datagrams.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct blob_decoder *decoder;
	struct datagrams all = { data, data + size };
	const uint8_t *p, *bytes;
	size_t len;
	long n;

	if (!decoder)
		decoder = blob_decoder_create(100000);
	blob_begin(decoder);
	while (datagrams_next(&all, &p, &len)) {
		/* a copy, so that reading beyond its end is detected */
		uint8_t *payload = malloc(len);

		memcpy(payload, p, len);
		if (!blob_add(decoder, payload, len) &&
		    blob_add(decoder, payload, len) != -EEXIST)
			abort();
		free(payload);
	}
	n = blob_finish(decoder, &bytes);
	if (n > 100000)
		abort();
	/* all of it must be readable */
	if (n > 0)
		free(memcpy(malloc(n), bytes, n));
	return 0;
}
