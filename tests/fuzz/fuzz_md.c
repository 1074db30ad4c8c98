// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_md - hostile datagrams for the decoder of multiple descriptions
 *
 * The first byte: 0: datagrams follow; otherwise changes of an image's
 * datagrams follow, encoded as the byte says.
 */
#include <stdlib.h>
#include <string.h>
#include "codec/image/md.h"
#include "datagrams.h"

enum { WIDTH = 160, HEIGHT = 120, CHANNELS = 4, SLOTS = 40 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Datagrams of an image of some kind */
static void encode(struct payloads *out, unsigned int kind)
{
	static uint8_t pixels[WIDTH * HEIGHT * 6];
	static struct md_encoder *e;
	struct image image = {
		.width = kind & 1 ? 33 : 16, .height = 21,
		.channels = 1 + kind / 2 % 4, .depth = kind & 8 ? 16 : 8,
		.data = pixels,
	};
	struct md_budget budget = {
		.bytes = kind & 16 ? 1200 : 12000, .loss = kind & 32 ? .3 : -1,
	};

	if (!e)
		e = md_encoder_create(WIDTH, HEIGHT, CHANNELS);
	for (size_t i = 0; i < sizeof(pixels); i++)
		pixels[i] = i * 7 ^ i / 40 * 3;
	image.stride = (size_t)image.width * image_pixel(&image);
	if (md_encode(e, &image, &budget, out))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t pixels[WIDTH * HEIGHT * CHANNELS * 2];
	static uint8_t slots[SLOTS][PAYLOAD_MAX];
	static uint16_t lens[SLOTS];
	static struct md_decoder *d;
	struct payloads out = { slots[0], PAYLOAD_MAX, lens, 600, SLOTS, 0 };
	struct image image = { .data = pixels };
	struct datagrams all;
	const uint8_t *p;
	size_t len;

	if (!size)
		return 0;
	if (!d)
		d = md_decoder_create(WIDTH, HEIGHT, CHANNELS);
	md_begin(d);
	if (data[0]) {
		encode(&out, data[0]);
		datagrams_edit(&out, data + 1, size - 1);
		/* some of them, as the last byte says */
		for (unsigned int i = 0; i < out.count; i++)
			if (!(data[size - 1] >> i % 8 & 1) || !i)
				md_add(d, payload_at(&out, i), out.len[i]);
	} else {
		all = (struct datagrams){ data + 1, data + size };
		while (datagrams_next(&all, &p, &len))
			md_add(d, p, len);
	}
	if (md_finish(d, &image, sizeof(pixels)) >= 0 &&
	    image.stride * image.height > sizeof(pixels))
		abort();
	return 0;
}
