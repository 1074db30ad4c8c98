// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_first_transport - the first message of a topic, in a sender and in a
 * receiver that have seen nothing before
 *
 * Input: the order of the frame, then a message of any type (odd_first.h), then
 * bytes of its datagrams that change on their way, or that are lost. Both
 * states are new each time: what an earlier message prepared hides a fault.
 */
#include <stdlib.h>
#include <string.h>
#include "decoded.h"
#include "odd_first.h"
#include "transport/decode.h"
#include "transport/encode.h"
#include "transport/transforms.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ROOM = 8 << 20, SLOTS = 512 };

static uint8_t bytes[ROOM];

static struct encode_order make_order(struct odd *o)
{
	const uint8_t codec = odd_byte(o), bits = odd_byte(o);

	return (struct encode_order){
		.codec = codec % CODECS, .any = codec & 0x80,
		.bytes = bits & 1 ? 200 * odd_byte(o) : 65536,
		.datagrams = bits & 2 ? odd_byte(o) : 0,
		.loss = bits & 4 ? odd_byte(o) / 256. : -1,
		.burst = bits & 8 ? odd_byte(o) / 16. : 0,
		.parity = odd_byte(o) / 64.,
		.resolution = bits & 16 ? .01 : .002,
		.points = bits & 32 ? odd_byte(o) : 0,
		.leaf = bits & 64 ? odd_byte(o) / 100. : 0,
		.parts = odd_byte(o) % 8, .copies = 1 + (bits >> 7),
	};
}

/* As the sender does before it encodes; the tree as a message of its own */
static void merge(struct first *f)
{
	struct transforms *tree = transforms_create(true);
	static union message m;
	long n;

	if (tree &&
	    !message_read(f->kind, f->format, f->data, f->len, &m)) {
		transforms_merge(tree, &m.tf, 1);
		transforms_take(tree, true, &m.tf);
		n = message_size(f->kind, MESSAGE_CDR, &m);
		if (n >= 0 && n < ROOM &&
		    message_write(f->kind, MESSAGE_CDR, &m, bytes, n) != n)
			abort();
	}
	transforms_destroy(tree);
}

/* Some are lost, and bytes of some are others */
static void travel(struct odd *o, struct payloads *p)
{
	const uint8_t lose = odd_byte(o);
	unsigned int left = 0;

	for (unsigned int i = odd_byte(o) % 4; i-- && p->count; ) {
		const unsigned int slot = odd_byte(o) % p->count;

		if (p->len[slot])
			payload_at(p, slot)[odd_byte(o) % p->len[slot]] ^=
				odd_byte(o);
	}
	for (unsigned int i = 0; lose > 128 && i < p->count; i++) {
		if (odd_byte(o) > lose)
			continue;
		memmove(payload_at(p, left), payload_at(p, i), p->len[i]);
		p->len[left++] = p->len[i];
	}
	if (lose > 128)
		p->count = left;
}

static void show(struct odd *o, const struct first *f,
		 const struct encode_result *r, struct payloads *p)
{
	static const struct decode_limits limits = { 1 << 18, 5000, 256,
						     1 << 16 };
	struct control_topic topic = { .kind = f->kind };
	struct reassembly_frame frame = { .count = p->count };
	struct decode_call call = {
		.topic = &topic, .frame = &frame, .codec = r->codec,
		.quality = 80, .out = decoded,
	};
	struct decoder *d = decoder_create(&limits, NULL);

	strcpy(topic.frame_id, r->frame_id);
	strcpy(topic.encoding, r->encoding);
	travel(o, p);
	frame.received = *p;
	frame.stamp = r->stamp;
	call.again = odd_byte(o) & 1;
	if (d)
		decoder_frame(d, &call);
	decoder_destroy(d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct encode_options options = ENCODE_DEFAULTS;
	struct odd o = { data, size, 400, 0 };
	const struct encode_order order = make_order(&o);
	static struct payloads payloads;
	struct encode_result result;
	static struct first f;
	struct encoder *e;

	if (!payloads.data && payloads_create(&payloads, SLOTS))
		abort();
	options.depths = odd_byte(&o) > 200;
	if (!first_message(&o, MESSAGE_KINDS, &f))
		return 0;
	if (f.kind == MESSAGE_TRANSFORMS)
		merge(&f);
	e = encoder_create(f.kind, &options);
	if (e && !encoder_encode(e, f.format, f.data, f.len, 1, &order,
				 &payloads, &result))
		show(&o, &f, &result, &payloads);
	encoder_destroy(e);
	return 0;
}
