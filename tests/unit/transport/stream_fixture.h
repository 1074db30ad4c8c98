/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stream_fixture.h - messages through encoder, datagrams, some lost, and
 * decoder
 *
 * The test begins with stream_fixture_begin(). What came out last is in @got.
 */
#ifndef UNIT_STREAM_FIXTURE_H
#define UNIT_STREAM_FIXTURE_H

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "tap.h"
#include "transport/decode.h"
#include "transport/encode.h"
#include "transport/segment.h"

enum { SLOTS = 4096, ROOM = 8 << 20, STAMP = 1700000000 };

#define MS 1000000ULL

static uint64_t rng = 1, now;
static struct payloads sent;
static uint8_t *bytes, *bytes2;
static uint32_t frame;

/* What came out last */
static struct {
	unsigned int	count;
	enum message_kind kind;
	char		suffix[2][32];
	double		share;
	bool		exact;
	union message	msg;
	long		len;
} got;

static void on_result(void *arg, const struct decode_result *r)
{
	struct message_header *h;

	(void)arg;
	got.kind = r->kind;
	got.share = r->share;
	got.exact = r->exact;
	strcpy(got.suffix[got.count % 2], r->suffix);
	got.count++;
	/* its memory is the decoder's: a copy, as a sink makes it */
	got.len = message_write(r->kind, MESSAGE_CDR, r->msg, bytes2, ROOM);
	if (got.len < 0 || message_read(r->kind, MESSAGE_CDR, bytes2, got.len,
					&got.msg))
		got.len = -1;
	h = message_header_of(r->kind, &got.msg);
	if (h && h->stamp != STAMP * 1000000000LL + 7)
		got.len = -1;
}

struct pair {
	struct encoder		*encoder;
	struct decoder		*decoder;
	struct control_topic	topic;
	struct encode_order	order;
	struct encode_result	result;
	bool			still;
	const char		*announce;	/* other than the encoding */
	unsigned int		sent, received;
};

static void begin_with(struct pair *p, enum message_kind kind,
		       enum codec_id codec, const struct encode_options *options)
{
	static const struct decode_limits limits = DECODE_LIMITS;

	memset(p, 0, sizeof(*p));
	p->encoder = encoder_create(kind, options);
	p->decoder = decoder_create(&limits, NULL);
	p->topic.kind = kind;
	p->order = (struct encode_order){
		.codec = codec, .bytes = 46000, .loss = -1, .parts = 2,
		.copies = 1, .resolution = .002,
	};
}

static void begin(struct pair *p, enum message_kind kind, enum codec_id codec)
{
	static const struct encode_options options = ENCODE_DEFAULTS;

	begin_with(p, kind, codec, &options);
}

static void end(struct pair *p)
{
	encoder_destroy(p->encoder);
	decoder_destroy(p->decoder);
}

/* A message over a link that loses @loss percent. Return: of the decoder */
static int pass(struct pair *p, const union message *msg, unsigned int loss)
{
	struct reassembly *a =
		reassembly_create(NULL, REASSEMBLY_COUNT, MS, MS);
	const struct reassembly_frame *f;
	struct decode_call call;
	long len = message_write(p->topic.kind, MESSAGE_CDR, msg, bytes, ROOM);
	int ret = len < 0 ? (int)len :
		  encoder_encode(p->encoder, MESSAGE_CDR, bytes, len, 5,
				 &p->order, &sent, &p->result);
	struct optsample_segment s;

	if (ret)
		goto out;
	segment_init(&s);
	s.flags = p->result.codec << OPTSAMPLE_SEGMENT_CODEC |
		  (p->still ? OPTSAMPLE_SEGMENT_STILL : 0);
	s.count = htole16(sent.count);
	s.frame = htole32(frame++);
	s.stamp = htole64(p->result.stamp);
	p->sent = sent.count;
	p->received = 0;
	for (unsigned int i = 0; i < sent.count; i++) {
		s.index = htole16(i);
		if (rnd(&rng, 100) < loss)
			continue;
		p->received++;
		reassembly_add(a, &s, 0, payload_at(&sent, i), sent.len[i],
			       now);
	}
	now += 100 * MS;
	f = reassembly_next(a, now);
	strcpy(p->topic.frame_id, p->result.frame_id);
	strcpy(p->topic.encoding, p->announce ?: p->result.encoding);
	memset(&got, 0, sizeof(got));
	call = (struct decode_call){
		.topic = &p->topic, .frame = f, .codec = p->result.codec,
		.still = p->still, .quality = 90, .out = on_result,
	};
	ret = f ? decoder_frame(p->decoder, &call) : -EAGAIN;
out:
	reassembly_destroy(a);
	return ret;
}

static struct message_header header(const char *frame_id)
{
	return (struct message_header){
		.stamp = STAMP * 1000000000LL + 7,
		.frame_id = message_string(frame_id),
	};
}

__attribute__((unused))
static double psnr(const uint8_t *a, const uint8_t *b, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (a[i] - b[i]) * (a[i] - b[i]);
	return sum ? 10 * log10(255 * 255 * n / sum) : 99;
}

static void stream_fixture_begin(void)
{
	payloads_create(&sent, SLOTS);
	bytes = malloc(ROOM);
	bytes2 = malloc(ROOM);
}

static void stream_fixture_end(void)
{
	free(bytes);
	free(bytes2);
	payloads_destroy(&sent);
}

#endif
