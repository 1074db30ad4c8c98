// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_blob - bytes that are whole or nothing
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "codec/core/blob.h"
#include "codec/core/erasure.h"
#include "tap.h"

enum { MOST = 600000, SLOTS = 4096 };

static uint64_t rng = 1;
static uint8_t data[BLOB_MAX + 1];
static struct payloads sent;
static struct blob_encoder *encoder;
static struct blob_decoder *decoder;

static int add(unsigned int i)
{
	return blob_add(decoder, payload_at(&sent, i), sent.len[i]);
}

static bool whole(size_t len)
{
	const uint8_t *back;

	return blob_finish(decoder, &back) == (long)len &&
	       !memcmp(back, data, len);
}

/* In any order, with the rows of parity instead of as many others */
static bool comes(size_t len, double parity)
{
	unsigned int order[SLOTS];

	if (blob_encode(encoder, data, len, parity, &sent))
		return false;
	for (unsigned int i = 0; i < sent.count; i++) {
		unsigned int k = rnd(&rng, i + 1);

		order[i] = order[k];
		order[k] = i;
	}
	blob_begin(decoder);
	for (unsigned int i = 0; i < sent.count; i++)
		if (add(order[i]) || add(order[i]) != -EEXIST)
			return false;
	return whole(len) && whole(len);
}

static void test_sizes(void)
{
	static const size_t sizes[] = { 0, 1, 2, BLOB_ROW - 1, BLOB_ROW,
		BLOB_ROW + 1, 64 * BLOB_ROW, 64 * BLOB_ROW + 1, MOST };
	static const double parities[] = { 0, .01, .5, 1, 10, 31 };
	unsigned int wrong = 0, tried = 0;

	for (unsigned int s = 0; s < sizeof(sizes) / sizeof(*sizes); s++)
		for (unsigned int p = 0; p < 6; p++) {
			if (sizes[s] > BLOB_ROW + 1 && parities[p] > 3)
				continue;
			wrong += !comes(sizes[s], parities[p]);
			tried++;
		}
	ok(!wrong, "there and back, %u ways", tried);
	ok(tried > 40, "there and back, %u ways", tried);
	ok(blob_encode(encoder, data, BLOB_MAX + 1, 0, &sent) == -EMSGSIZE,
	   "more than there is room for");
	ok(blob_encode(encoder, data, BLOB_MAX, 1, &sent) == -ENOSPC,
	   "too few slots");
	ok_eq(blob_encode(encoder, data, 1, -1, &sent), -EINVAL,
	      "parity that cannot be");
	ok_eq(blob_encode(encoder, data, 1, 32, &sent), -EINVAL,
	      "parity that cannot be");
}

/* Any @need rows of each group do, one less does not */
static void test_any(void)
{
	unsigned int wrong = 0;

	blob_encode(encoder, data, MOST, .5, &sent);
	for (unsigned int t = 0; t < 50; t++) {
		unsigned int need = payload_at(&sent, 0)[4];
		unsigned int groups = payload_at(&sent, 0)[2];
		unsigned int have[BLOB_GROUPS] = { 0 }, left = groups * need;

		blob_begin(decoder);
		while (left) {
			unsigned int i = rnd(&rng, sent.count);
			unsigned int g = payload_at(&sent, i)[1];
			const uint8_t *back;

			if (have[g] == need || add(i))
				continue;
			have[g]++;
			left--;
			wrong += left &&
				 blob_finish(decoder, &back) != -ENODATA;
		}
		wrong += !whole(MOST);
	}
	ok(!wrong, "any that suffice, and no fewer");
}

static void test_parity(void)
{
	static const double losses[] = { .01, .1, .3, .5, .7 };
	static const size_t sizes[] = { 200, 5000, 80000, 300000 };
	bool good = true;

	for (unsigned int l = 0; l < 5; l++)
		for (unsigned int s = 0; s < 4; s++) {
			double parity = blob_parity(sizes[s], losses[l], 31);
			unsigned int there = 0, rounds = 400;

			blob_encode(encoder, data, sizes[s], parity, &sent);
			for (unsigned int r = 0; r < rounds; r++) {
				blob_begin(decoder);
				for (unsigned int i = 0; i < sent.count; i++)
					if (rnd(&rng, 1000) >= losses[l] * 1000)
						add(i);
				there += whole(sizes[s]);
			}
			if (there < rounds * .97)
				printf("# %zu bytes, loss %.2f, parity %.2f: %u of %u\n",
				       sizes[s], losses[l], parity, there,
				       rounds);
			good &= there >= rounds * .97;
		}
	ok(good, "parity is enough for a loss");
	ok(blob_parity(80000, .5, .25) <= .27, "as much as one may");
	ok(!blob_parity(80000, 0, 31), "none where nothing is lost");
}

static void test_hostile(void)
{
	uint8_t p[PAYLOAD_MAX];
	unsigned int taken = 0;

	blob_encode(encoder, data, 5000, 1, &sent);
	memcpy(p, payload_at(&sent, 0), sent.len[0]);
	for (size_t n = 0; n < sent.len[0]; n++) {
		blob_begin(decoder);
		taken += !blob_add(decoder, p, n);
	}
	ok(!taken, "one that was cut is refused");
	blob_begin(decoder);
	add(0);
	blob_encode(encoder, data, 5001, 1, &sent);
	ok(add(1) == -EPROTO, "one of other bytes");
	blob_encode(encoder, data, BLOB_MAX, 0, &sent);
	blob_begin(decoder);
	ok(add(0) == -EFBIG, "more than the decoder takes");
	for (unsigned int i = 0; i < 200000; i++) {
		size_t len = BLOB_HEADER + 1 + rnd(&rng, 4);

		for (size_t b = 0; b < len; b++)
			p[b] = rnd(&rng, 4);
		p[0] = BLOB_VERSION << 4;
		if (!rnd(&rng, 4))
			blob_begin(decoder);
		taken += !blob_add(decoder, p, len);
		whole(1);
	}
	ok(taken > 0, "noise");
}

/* A payload with the byte at @at changed. Return: as blob_add() */
static int changed(unsigned int at, uint8_t value)
{
	uint8_t p[PAYLOAD_MAX];

	memcpy(p, payload_at(&sent, 0), sent.len[0]);
	p[at] = value;
	blob_begin(decoder);
	return blob_add(decoder, p, sent.len[0]);
}

static void test_header(void)
{
	const uint8_t *p = payload_at(&sent, 0);
	/* one byte in each group */
	uint8_t most[BLOB_HEADER + 1] = {
		BLOB_VERSION << 4, 0, BLOB_GROUPS, 0, 1, 1, 1, 0, BLOB_GROUPS,
	};

	blob_begin(decoder);
	ok_eq(blob_add(decoder, most, sizeof(most)), 0, "as many groups as can be");
	most[2] = ++most[8];
	blob_begin(decoder);
	ok_eq(blob_add(decoder, most, sizeof(most)), -EINVAL, "one more");
	blob_encode(encoder, data, 5000, 1, &sent);
	ok_eq(changed(0, p[0]), 0, "a header");
	ok_eq(changed(0, p[0] + 16), -EINVAL, "of another version");
	ok_eq(changed(1, p[2]), -EINVAL, "a group behind the last");
	ok_eq(changed(2, 0), -EINVAL, "no group");
	ok_eq(changed(2, BLOB_GROUPS + 1), -EINVAL, "too many groups");
	ok_eq(changed(3, p[5]), -EINVAL, "a row behind the last");
	ok_eq(changed(4, 0), -EINVAL, "no row is needed");
	ok_eq(changed(4, BLOB_NEED + 1), -EINVAL, "too many are");
	ok_eq(changed(4, p[5] + 1), -EINVAL, "more than there are");
	ok_eq(changed(6, p[6] + 1), -EINVAL, "longer than its payload");
	ok_eq(changed(11, 1), -EINVAL, "more bytes than rows hold");
	ok_eq(changed(9, 0), -EINVAL, "so few that rows would be shorter");
}

int main(void)
{
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = rnd64(&rng);
	payloads_create(&sent, SLOTS);
	encoder = blob_encoder_create();
	decoder = blob_decoder_create(MOST);
	test_sizes();
	test_any();
	test_parity();
	test_hostile();
	test_header();
	blob_encoder_destroy(encoder);
	blob_decoder_destroy(decoder);
	payloads_destroy(&sent);
	return tap_done();
}
