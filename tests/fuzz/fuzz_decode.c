// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_decode - hostile frames for the decoders of messages
 *
 * An input is the codec, the kind, a byte of flags, then payloads, each after
 * its length in 16 bits, little endian. Decoded messages can be serialized and
 * read again.
 */
#include <stdlib.h>
#include <string.h>
#include "datagrams.h"
#include "decoded.h"
#include "transport/decode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SLOTS = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct decode_limits limits = { 1 << 18, 5000, 256,
						     1 << 16 };
	static const char *const encodings[8] = {
		"mono8", "bgr8; jpeg compressed bgr8", "32FC1",
		"16UC1; compressedDepth png",
		"bayer_rggb8; planes", "bayer_gbrg16; planes", "rgb8; planes",
		"bayer_grbg8",
	};
	static struct decoder *decoder;
	static struct payloads payloads;
	struct control_topic topic = { .frame_id = "f" };
	struct reassembly_frame f = { .count = 1 };
	struct decode_call call = {
		.topic = &topic, .frame = &f, .quality = 90, .out = decoded,
	};
	struct datagrams all = { data + 3, data + size };
	const uint8_t *p;
	size_t len;

	if (!decoder) {
		decoder = decoder_create(&limits, NULL);
		payloads_create(&payloads, SLOTS);
	}
	if (size < 3)
		return 0;
	call.codec = data[0] % (CODECS + 1);
	topic.kind = data[1] % (MESSAGE_KINDS + 1);
	call.still = data[2] & 1;
	call.nearest = data[2] & 2;
	strcpy(topic.encoding,
	       encodings[(data[2] >> 2 & 3) | (data[0] >> 5 & 4)]);
	f.number = data[2] >> 4;
	payloads.count = 0;
	while (payloads.count < SLOTS && datagrams_next(&all, &p, &len)) {
		if (len > PAYLOAD_MAX)
			continue;
		memcpy(payload_at(&payloads, payloads.count), p, len);
		payloads.len[payloads.count++] = len;
	}
	f.received = payloads;
	f.count = payloads.count + 1;
	decoder_frame(decoder, &call);
	return 0;
}
