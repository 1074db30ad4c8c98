// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_cloud80 - clouds as small clouds of up to 80 points
 */
#include <errno.h>
#include "cloud_fixture.h"
#include "codec/cloud/cloud80.h"

enum { MAX = 1000000, PARTS = MAX / 80 + 1 };

static struct cloud *in, *out;
static struct cloud80 *decoder;
static struct payloads *payloads;

static int add(unsigned int k)
{
	return cloud80_add(decoder, payload_at(payloads, k), payloads->len[k]);
}

/* Point i of n datagrams is in datagram i mod n */
static bool is_part(const struct cloud *part, unsigned int k, unsigned int n)
{
	unsigned int at = 0;

	for (unsigned int i = k; i < in->count; i += n, at++)
		if (!same_points(in, i, part, at, 1))
			return false;
	return at == part->count;
}

static void check(const char *what)
{
	unsigned int fields = in->fields, n, sum = 0;
	bool good = !cloud80_encode(in, payloads) && guarded_fit(payloads);

	n = payloads->count;
	for (unsigned int k = 0; good && k < n; k++) {
		cloud80_begin(decoder);
		good = !add(k) && !cloud80_finish(decoder, out) &&
		       out->count <= 80;
		in->fields = out->fields;
		good &= is_part(out, k, n);
		sum += out->count;
	}
	ok(good, "%s: %u points, %u of %u fields, %u " "datagrams", what,
	   in->count, out->fields, fields, n);
	ok_eq(sum, in->count, "%s: %u points, %u of %u fields, %u " "datagrams",
	      what, in->count, out->fields, fields, n);
	in->fields = fields;
}

static void begin(void)
{
	in->count = in->fields = 0;
}

static void made_ones(void)
{
	struct payloads *ordinary = payloads;

	begin();
	check("nothing");
	add_point(in, -0.05f, 3, 1e4f);
	check("one point");
	for (int i = 1; i < 81; i++)
		add_point(in, -0.05f, 3, 1e4f);
	check("equal points");
	ok(payloads->count == 2, "81 of them are one too many");
	begin();
	add_room(in, 5500, 1);
	check("a room");
	ok(payloads->count == 69, "D6.3's dozens of small clouds");
	add_fields(in);
	check("a room with fields");
	ok(out->fields == 1, "as many of them as fit");
	payloads = guarded_create(4000, 100);
	check("a room in large datagrams");
	ok(out->fields == 4, "all of them fit");
	guarded_destroy(payloads);
	payloads = ordinary;
	begin();
	add_noise(in, MAX, 50, 2);
	check("a million points");
}

static void subset(void)
{
	struct cloud *part = cloud_create(100), *sum = cloud_create(MAX);
	uint64_t seed = 9;
	bool got[69] = { false }, good = true;

	begin();
	add_room(in, 5500, 1);
	cloud80_encode(in, payloads);
	cloud80_begin(decoder);
	for (int i = 0; i < 60; i++) {
		unsigned int k = rnd(&seed, 69);

		good &= add(k) == (got[k] ? -EEXIST : 0);
		got[k] = true;
	}
	good &= !cloud80_finish(decoder, out);
	for (unsigned int k = 0; k < 69; k++) {
		if (!got[k])
			continue;
		cloud80_begin(decoder);
		add(k);
		cloud80_finish(decoder, part);
		cloud_append(sum, part, 0, part->count);
	}
	ok(good, "some in any order, some twice");
	ok(same_cloud(sum, out), "some in any order, some twice");
	cloud_destroy(part);
	cloud_destroy(sum);
}

static void broken(void)
{
	uint8_t bad[PAYLOAD_MAX + 16];
	unsigned int len = payloads->len[1];
	bool good = true;

	cloud80_begin(decoder);
	ok(!add(0), "a duplicate");
	ok_eq(add(0), -EEXIST, "a duplicate");
	memcpy(bad, payload_at(payloads, 1), len);
	for (unsigned int i = 0; i <= len + 12; i++)
		good &= i == len || cloud80_add(decoder, bad, i) == -EPROTO;
	ok(good, "any other length");
	bad[2]++;
	ok(cloud80_add(decoder, bad, len) == -EINVAL, "another cloud's");
	bad[2]--;
	bad[4] = 200;
	ok(cloud80_add(decoder, bad, len) == -EPROTO, "a number too high");
	bad[4] = 1;
	memcpy(bad + 10, "\0\0\xc0\x7f", 4);
	ok(cloud80_add(decoder, bad, len) == -EPROTO, "a NaN");
	cloud80_finish(decoder, out);
	ok(is_part(out, 0, 69), "nothing changed");
	payloads->max = 68;
	ok_eq(cloud80_encode(in, payloads), -ENOSPC, "too few slots");
	ok(!payloads->count, "too few slots");
	payloads->size = 900;
	ok(cloud80_encode(in, payloads) == -EMSGSIZE, "slots too small");
}

int main(void)
{
	in = cloud_create(MAX);
	out = cloud_create(MAX);
	decoder = cloud80_create(MAX);
	payloads = guarded_create(PAYLOAD_MAX, PARTS);
	made_ones();
	subset();
	broken();
	cloud_destroy(in);
	cloud_destroy(out);
	cloud80_destroy(decoder);
	guarded_destroy(payloads);
	return tap_done();
}
