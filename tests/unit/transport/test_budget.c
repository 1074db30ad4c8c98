// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_budget - memory and time that senders may make a receiver spend
 */
#include <errno.h>
#include <string.h>
#include "base/wire.h"
#include "codec/image/md.h"
#include "tap.h"
#include "transport/decode.h"
#include "transport/segment.h"

#define MB	(1UL << 20)
#define SECOND	1000000000ULL

static void test_memory(void)
{
	struct budget whole = { .memory = 100 * MB };
	struct budget a = { .memory = 60 * MB, .whole = &whole };
	struct budget b = { .memory = 60 * MB, .whole = &whole };
	size_t mine = 0, other = 0;

	ok(!budget_reserve(&a, &mine, 50 * MB), "a decoder reserves");
	ok_eq(mine, 50 * MB, "a decoder reserves");
	ok_eq(whole.reserved, 50 * MB, "a decoder reserves");
	ok_eq(budget_reserve(&a, &mine, 70 * MB), -EFBIG,
	      "no more than its stream may have");
	ok_eq(mine, 50 * MB, "no more than its stream may have");
	ok_eq(a.refused, 1, "no more than its stream may have");
	ok_eq(budget_reserve(&b, &other, 55 * MB), -EFBIG,
	      "nor than all may have");
	ok(!other, "nor than all may have");
	ok(!budget_reserve(&b, &other, 45 * MB), "nor than all may have");
	ok(!budget_reserve(&a, &mine, 0), "and gives it back");
	ok(!budget_reserve(&b, &other, 0), "and gives it back");
	ok(!whole.reserved, "and gives it back");
	ok(!a.reserved, "and gives it back");
	ok(!b.reserved, "and gives it back");
}

/* A second in which each stream has so much to decode. @did: what it spent */
static void second(struct budget *const *b, const uint64_t *want,
		   unsigned int count, uint64_t *did)
{
	for (unsigned int i = 0; i < count; i++) {
		uint64_t frame = want[i] / 20;

		did[i] = 0;
		for (unsigned int f = 0; f < 20; f++)
			if (budget_has_time(b[i])) {
				b[i]->spent += frame;
				did[i] += frame;
			}
	}
	budget_tick(b, count, SECOND);
}

static void test_time(void)
{
	struct budget s[3] = { { 0 } }, *const b[] = { &s[0], &s[1], &s[2] };
	uint64_t want[3] = { SECOND / 10, SECOND / 2, 3 * SECOND }, did[3], sum;
	uint64_t most = 0;

	want[2] = SECOND / 10;
	for (unsigned int i = 0; i < 5; i++)
		second(b, want, 3, did);
	ok(!s[0].skipped, "there is enough: nothing is left out");
	ok(!s[1].skipped, "there is enough: nothing is left out");
	ok(!s[2].skipped, "there is enough: nothing is left out");
	want[2] = 20 * SECOND;
	second(b, want, 3, did);
	for (unsigned int i = 0; i < 10; i++) {
		second(b, want, 3, did);
		sum = did[0] + did[1] + did[2];
		most = sum > most ? sum : most;
	}
	ok(!s[0].skipped,
	   "one that wants too much loses frames, one that wants little none");
	ok(s[2].skipped > 100,
	   "one that wants too much loses frames, one that wants little none");
	/* a frame of it takes a second */
	ok(most <= 2 * SECOND, "no second has more than %.1f of them",
	   (double)most / SECOND);
	want[2] = 2 * SECOND;
	for (unsigned int i = 0; i < 40; i++)
		second(b, want, 3, did);
	ok(did[1] >= SECOND * 35 / 100, "the rest is divided: %.2f and %.2f s",
	   (double)did[1] / SECOND, (double)did[2] / SECOND);
	ok(did[2] <= SECOND * 45 / 100, "the rest is divided: %.2f and %.2f s",
	   (double)did[1] / SECOND, (double)did[2] / SECOND);
	want[2] = SECOND / 10;
	for (unsigned int i = 0; i < 10; i++)
		second(b, want, 3, did);
	ok_eq(did[1], want[1], "and all is as before when it is over");
	ok_eq(did[2], want[2], "and all is as before when it is over");
	ok(!s[1].time, "and all is as before when it is over");
	ok(!s[2].time, "and all is as before when it is over");
}

/* Frames that are being decoded count as what they may take */
static void test_flying(void)
{
	struct budget b = { .time = 100 };

	budget_begin(&b, 60);
	budget_begin(&b, 40);
	ok(!budget_has_time(&b),
	   "what is being decoded may take all the time that there is");
	ok_eq(b.skipped, 1,
	      "what is being decoded may take all the time that there is");
	ok(!b.spent,
	   "what is being decoded may take all the time that there is");
	budget_end(&b, 60, 30);
	budget_end(&b, 40, 20);
	ok(budget_has_time(&b), "at its end what it took counts");
	ok_eq(b.spent, 50, "at its end what it took counts");
	ok(!b.flying, "at its end what it took counts");
}

/* ---- datagrams that say that they are of something large ---- */

static unsigned int shown;

static void on_result(void *arg, const struct decode_result *r)
{
	(void)arg;
	(void)r;
	shown++;
}

/* One datagram of an image of @side x @side and four channels. Return: its size */
static size_t claim(uint8_t *p, unsigned int side)
{
	static uint8_t pixels[64 * 64 * 4];
	const struct image image = {
		.data = pixels, .width = 64, .height = 64, .channels = 4,
		.depth = 8, .stride = 64 * 4,
	};
	const struct md_budget budget = { .bytes = 1000, .loss = 0.5 };
	struct md_encoder *e = md_encoder_create(64, 64, 4);
	struct payloads out;
	size_t len = 0;

	if (payloads_create(&out, 8))
		return 0;
	if (e && !md_encode(e, &image, &budget, &out)) {
		unsigned int levels = 0;

		len = out.len[0];
		memcpy(p, payload_at(&out, 0), len);
		put_le16(p + 4, side);
		put_le16(p + 6, side);
		/* as many levels of the transform as such an image has */
		for (unsigned int l = 0; l < 16 && !levels; l++) {
			struct image shape;

			p[1] = (p[1] & 3) | l << 2;
			levels = !md_shape(p, len, &shape);
		}
		if (!levels)
			len = 0;
	}
	md_encoder_destroy(e);
	payloads_destroy(&out);
	return len;
}

static void test_claims(void)
{
	const struct decode_limits limits = DECODE_LIMITS;
	struct budget whole = { .memory = 1024 * MB };
	struct budget b = { .memory = 256 * MB, .whole = &whole };
	const struct control_topic topic = { .kind = MESSAGE_IMAGE };
	struct reassembly *a = reassembly_create(NULL, 16, 0, 0);
	struct decoder *d = decoder_create(&limits, &b);
	unsigned int refused = 0;
	uint8_t payload[PAYLOAD_MAX];

	for (uint32_t n = 0; n < 20; n++) {
		size_t len = claim(payload, 4000);
		struct decode_call c = {
			.topic = &topic, .codec = CODEC_MD, .out = on_result,
		};
		struct optsample_segment s;

		segment_init(&s);
		s.frame = htole32(n);
		reassembly_add(a, &s, 0, payload, len, n);
		c.frame = reassembly_next(a, n);
		refused += len && c.frame &&
			   decoder_frame(d, &c) == -EFBIG;
	}
	ok_eq(refused, 20,
	      "20 datagrams of images of 16 million pixels reserve nothing");
	ok_eq(b.refused, 20,
	      "20 datagrams of images of 16 million pixels reserve nothing");
	ok(!b.reserved,
	   "20 datagrams of images of 16 million pixels reserve nothing");
	ok(!shown,
	   "20 datagrams of images of 16 million pixels reserve nothing");
	decoder_destroy(d);
	b.memory = 1024 * MB;
	d = decoder_create(&limits, &b);
	ok(b.reserved == 0, "a decoder begins with nothing");
	decoder_destroy(d);
	reassembly_destroy(a);
}

/* Frames of as many datagrams as there may be, a few bytes each */
static void test_frames(void)
{
	struct budget whole = { .memory = 1024 * MB };
	struct budget b = { .memory = 4 * MB, .whole = &whole };
	struct reassembly *a = reassembly_create(&b, REASSEMBLY_COUNT, 0, 1);
	unsigned int taken = 0, refused = 0, empty = 0;
	const struct reassembly_frame *f;
	size_t most = 0;

	for (uint32_t n = 0; n < REASSEMBLY_OPEN; n++)
		for (unsigned int i = 0; i < REASSEMBLY_COUNT; i++) {
			struct optsample_segment s;
			int ret;

			segment_init(&s);
			s.frame = htole32(n);
			s.index = htole16(i);
			s.count = htole16(REASSEMBLY_COUNT);
			ret = reassembly_add(a, &s, 0, "x", 1, 0);
			taken += !ret;
			refused += ret == -ENOMEM;
			if (b.reserved > most)
				most = b.reserved;
		}
	ok(most > 2 * MB,
	   "frames of %d datagrams take what their sender may: %zu bytes",
	   REASSEMBLY_COUNT, most);
	ok(most <= 4 * MB,
	   "frames of %d datagrams take what their sender may: %zu bytes",
	   REASSEMBLY_COUNT, most);
	ok(refused,
	   "frames of %d datagrams take what their sender may: %zu bytes",
	   REASSEMBLY_COUNT, most);
	ok_eq(taken + refused, REASSEMBLY_OPEN * REASSEMBLY_COUNT,
	      "frames of %d datagrams take what their sender may: %zu bytes",
	      REASSEMBLY_COUNT, most);
	ok(b.refused,
	   "frames of %d datagrams take what their sender may: %zu bytes",
	   REASSEMBLY_COUNT, most);
	while ((f = reassembly_next(a, 1000)))
		empty += !f->received.count;
	ok(!empty, "none of them is empty");
	for (uint32_t n = REASSEMBLY_OPEN; n < REASSEMBLY_OPEN + 3; n++) {
		struct optsample_segment s;

		segment_init(&s);
		s.frame = htole32(n);
		reassembly_add(a, &s, 0, "x", 1, 2000);
		reassembly_next(a, 3000);
	}
	ok(b.reserved < MB / 2, "and give it back: %zu", (size_t)b.reserved);
	reassembly_destroy(a);
	ok(!b.reserved, "all of it");
}

int main(void)
{
	test_memory();
	test_time();
	test_flying();
	test_claims();
	test_frames();
	return tap_done();
}
