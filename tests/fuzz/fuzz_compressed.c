// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_compressed - hostile images: JPEG, PNG, compressedDepth
 *
 * The first byte selects the message's format.
 */
#include <stdlib.h>
#include <string.h>
#include "ros/msg/compressed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const formats[4] = {
		"jpeg", "bgr8; png compressed bgr8",
		"16UC1; compressedDepth png", "32FC1; compressedDepth png",
	};
	struct message_compressed_image m = { 0 };
	struct image image;
	uint8_t *copy;

	if (!size)
		return 0;
	copy = malloc(size);
	memcpy(copy, data + 1, size - 1);
	m.format = message_string(formats[*data & 3]);
	m.data = (struct message_bytes){ copy, size - 1 };
	if (!compressed_shape(&m, &image) &&
	    image.stride * image.height < 1 << 22) {
		image.data = malloc(image.stride * image.height);
		compressed_read(&m, &image);
		free(image.data);
	}
	free(copy);
	return 0;
}
