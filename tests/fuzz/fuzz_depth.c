// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_depth - hostile datagrams at the decoder of depth images
 *
 * The first byte: 0: datagrams follow; 1: a stream of depthcode.h, a prefix if
 * the second byte is odd; otherwise changes of the datagrams of an image
 * follow, made and coded as the byte says. Without changes no depth is wrong.
 */
#include <stdlib.h>
#include <string.h>
#include "codec/image/depth.h"
#include "datagrams.h"

enum { WIDTH = 160, HEIGHT = 120, SLOTS = 40 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint16_t made[WIDTH * HEIGHT], shown[WIDTH * HEIGHT];

/* Datagrams of an image of some kind */
static void encode(struct payloads *out, struct image *image,
		   unsigned int kind)
{
	static struct depth_encoder *e;

	*image = (struct image){
		.width = kind & 4 ? 133 : 2 + kind % 4 * 9,
		.height = kind & 8 ? 90 : 21,
		.channels = 1, .depth = 16, .data = (uint8_t *)made,
	};
	image->stride = image->width * 2;
	if (!e)
		e = depth_encoder_create(WIDTH, HEIGHT);
	for (unsigned int i = 0; i < image->width * image->height; i++) {
		unsigned int x = i % image->width, y = i / image->width;
		unsigned int v = kind & 64 ? i * 40503 : 60000 / (20 + y / 3);

		made[i] = (x ^ y) % (1 + (kind & 16)) ? 0 : v;
	}
	if (depth_encode(e, image, kind & 32 ? 1200 : 12000,
			 kind & 128 ? .3 : -1, out))
		abort();
}

static void check(const struct image *in, const struct image *out)
{
	for (unsigned int i = 0; i < in->width * in->height; i++) {
		int off = abs(made[i] - shown[i]);

		if (shown[i] && off * DEPTHCODE_TOLERANCE > made[i])
			abort();
	}
	if (in->width != out->width || in->height != out->height)
		abort();
}

static void try_stream(const uint8_t *data, size_t size)
{
	static struct depthcode *code;
	struct image image = {
		.width = 97, .height = 70, .channels = 1, .depth = 16,
		.stride = 97 * 2, .data = (uint8_t *)shown,
	};
	struct depthcode_shown what;

	if (!code)
		code = depthcode_create(97, 70);
	depthcode_decode(code, data + 1, size - 1, !(data[0] & 1), &image,
			 &what);
	if (what.exact + what.near > 97 * 70)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t slots[SLOTS][PAYLOAD_MAX];
	static uint16_t lens[SLOTS];
	static struct depth_decoder *d;
	struct payloads out = { slots[0], PAYLOAD_MAX, lens, 600, SLOTS, 0 };
	struct image image = { .data = (uint8_t *)shown }, in;
	struct depthcode_shown what;
	struct datagrams all;
	const uint8_t *p;
	size_t len;
	long ret;

	if (size < 2)
		return 0;
	if (data[0] == 1) {
		try_stream(data + 1, size - 1);
		return 0;
	}
	if (!d)
		d = depth_decoder_create(WIDTH, HEIGHT);
	depth_begin(d);
	if (data[0]) {
		encode(&out, &in, data[0]);
		datagrams_edit(&out, data + 1, size - 1);
		/* some of them, as the last byte says */
		for (unsigned int i = 0; i < out.count; i++)
			if (!(data[size - 1] >> i % 8 & 1) || !i)
				depth_add(d, payload_at(&out, i), out.len[i]);
	} else {
		all = (struct datagrams){ data + 1, data + size };
		while (datagrams_next(&all, &p, &len))
			depth_add(d, p, len);
	}
	ret = depth_finish(d, &image, sizeof(shown), &what);
	if (ret >= 0 && (image.stride * image.height > sizeof(shown) ||
			 what.exact + what.near > image.width * image.height))
		abort();
	/* too short for a change */
	if (ret >= 0 && data[0] && size < 5)
		check(&in, &image);
	return 0;
}
