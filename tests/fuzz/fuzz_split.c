// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_split - hostile datagrams for the decoder of sub-images
 *
 * The first byte selects frames of a robot that stands still, and the
 * interpolation; an empty datagram ends a frame.
 */
#include <stdlib.h>
#include "codec/image/split.h"
#include "datagrams.h"

enum { WIDTH = 80, HEIGHT = 60, PIXEL = 8 };

static void finish(struct split_decoder *d, bool nearest)
{
	static uint8_t pixels[WIDTH * HEIGHT * PIXEL];
	struct image image = { .data = pixels };
	double share = split_share(d);

	if (!split_finish(d, nearest, &image, sizeof(pixels)) &&
	    (image.stride * image.height > sizeof(pixels) || share <= 0 ||
	     share > 1))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct split_decoder *d;
	struct datagrams all = { data + 1, data + size };
	const uint8_t *p;
	size_t len;

	if (!size)
		return 0;
	if (!d)
		d = split_decoder_create(WIDTH, HEIGHT, PIXEL);
	split_begin(d, false);
	while (datagrams_next(&all, &p, &len)) {
		if (!len) {
			finish(d, data[0] & 1);
			split_begin(d, data[0] & 2);
			continue;
		}
		split_add(d, p, len);
	}
	finish(d, data[0] & 1);
	return 0;
}
