// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_layers - hostile payloads for the decoder of layers.h
 *
 * An input is payloads, each after its length in 16 bits, little endian;
 * every other one is of the next frame.
 */
#include <stdlib.h>
#include <string.h>
#include "codec/grid/layers.h"
#include "datagrams.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct layers_decoder *decoder = layers_decoder_create(256, 256);
	struct datagrams all = { data, data + size };
	struct layers_grid grid;
	const uint8_t *p;
	uint32_t n = 0;
	size_t len;

	while (datagrams_next(&all, &p, &len)) {
		/* a copy, so that reading beyond its end is detected */
		uint8_t *payload = malloc(len);

		memcpy(payload, p, len);
		layers_begin(decoder, n++ / 2);
		layers_add(decoder, payload, len);
		free(payload);
	}
	if (!layers_finish(decoder, &grid))
		for (unsigned int l = 0; l < grid.layers; l++)
			free(memcpy(malloc(4 * grid.width * grid.height),
				    grid.layer[l].cells,
				    4 * grid.width * grid.height));
	layers_decoder_destroy(decoder);
	return 0;
}
