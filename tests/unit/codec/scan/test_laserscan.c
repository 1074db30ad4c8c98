// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_laserscan - planar scans: any number of beams, any subset of datagrams
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "codec/scan/laserscan.h"
#include "tap.h"

static uint64_t rng = 1;

enum { BEAMS = 1080, SLOTS = 300 };

static float range[LASERSCAN_BEAMS], intensity[LASERSCAN_BEAMS];
static struct payloads p;

/* A corridor, with what is no range here and there */
static struct laserscan make(unsigned int beams)
{
	struct laserscan s = {
		.beams = beams, .angle_min = -2.35619f,
		.angle_increment = 4.71239f / beams, .time_increment = 1e-5f,
		.scan_time = .025f, .range_min = .1f, .range_max = 30,
		.range = range, .intensity = intensity,
	};

	for (unsigned int i = 0; i < beams; i++) {
		double a = s.angle_min + i * s.angle_increment;

		range[i] = fmin(1.2 / fabs(sin(a)), 29) +
			   rnd(&rng, 1000) * 1e-5;
		if (rnd(&rng, 30) == 0)
			range[i] = rnd(&rng, 2) ? INFINITY : NAN;
		intensity[i] = 100 + rnd(&rng, 20);
	}
	return s;
}

static bool like(float a, float b, float resolution)
{
	if (!isfinite(a))
		return isnan(a) ? isnan(b) : a == b;
	return fabsf(a - b) <= resolution * .51f;
}

/* Beams that are as they were, of those in datagrams that @came */
static unsigned int wrong(const struct laserscan *in,
			  const struct laserscan *out, const bool *came,
			  float resolution)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < in->beams; i++)
		n += came[i % p.count] ?
		     !like(in->range[i], out->range[i], resolution) :
		     !isnan(out->range[i]);
	return n;
}

static void test_subsets(void)
{
	struct laserscan_decoder *d = laserscan_decoder_create(BEAMS);
	const struct laserscan_params params = { .parts = 4,
						 .resolution = .01f };
	struct laserscan in = make(BEAMS), out;
	bool came[SLOTS];
	unsigned int bad = 0;

	ok(!laserscan_encode(&in, &params, &p), "four datagrams");
	ok_eq(p.count, 4, "four datagrams");
	for (unsigned int subset = 1; subset < 16; subset++) {
		laserscan_begin(d);
		for (unsigned int i = 4; i--; ) {
			came[i] = subset >> i & 1;
			if (came[i])
				bad += laserscan_add(d, payload_at(&p, i),
						     p.len[i]) != 0;
		}
		bad += laserscan_finish(d, &out) != 0 ||
		       out.beams != BEAMS || out.intensity;
		bad += wrong(&in, &out, came, .01f);
	}
	ok(!bad, "any of them give their beams, to half a step");
	ok(out.angle_min == in.angle_min, "and the geometry");
	ok(out.range_max == in.range_max, "and the geometry");
	ok(out.angle_increment == in.angle_increment, "and the geometry");
	ok(out.time_increment == in.time_increment, "and the geometry");
	ok(out.scan_time == in.scan_time, "and the geometry");
	ok(out.range_min == in.range_min, "and the geometry");
	ok(payloads_bytes(&p) < BEAMS * 12 / 10,
	   "%zu bytes of %d float32", payloads_bytes(&p), BEAMS);
	laserscan_decoder_destroy(d);
}

static void test_sizes(void)
{
	struct laserscan_decoder *d = laserscan_decoder_create(LASERSCAN_BEAMS);
	const struct laserscan_params params = {
		.parts = 2, .resolution = .001f, .step = 1,
	};
	unsigned int sizes[] = { 1, 2, 3, 181, 720, 1081, 20000,
				 LASERSCAN_BEAMS };
	bool came[SLOTS];
	unsigned int bad = 0;

	memset(came, 1, sizeof(came));
	for (unsigned int s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
		struct laserscan in = make(sizes[s]), out;

		bad += laserscan_encode(&in, &params, &p) != 0;
		laserscan_begin(d);
		for (unsigned int i = 0; i < p.count; i++)
			bad += p.len[i] > p.size ||
			       laserscan_add(d, payload_at(&p, i), p.len[i]);
		bad += laserscan_finish(d, &out) != 0;
		bad += wrong(&in, &out, came, .001f);
		for (unsigned int i = 0; i < in.beams; i++)
			bad += out.intensity[i] != in.intensity[i];
	}
	ok(!bad, "1 to 65535 beams, with intensities");
	laserscan_decoder_destroy(d);
}

static void test_far(void)
{
	struct laserscan_decoder *d = laserscan_decoder_create(BEAMS);
	struct laserscan_params params = { .parts = 1, .resolution = .001f };
	struct laserscan in = make(100), out;

	range[7] = 6553500;
	ok(!laserscan_encode(&in, &params, &p), "a range of 6,000 km");
	laserscan_begin(d);
	laserscan_add(d, payload_at(&p, 0), p.len[0]);
	ok(!laserscan_finish(d, &out), "makes the resolution coarse");
	ok(fabsf(out.range[7] - range[7]) < 100, "makes the resolution coarse");
	laserscan_decoder_destroy(d);
}

static void test_bad(void)
{
	struct laserscan_decoder *d = laserscan_decoder_create(200);
	struct laserscan_params params = { .parts = 2, .resolution = .01f };
	const struct laserscan_params usual = params;
	struct laserscan in = make(200), large = make(201), out;
	unsigned int taken = 0;

	laserscan_begin(d);
	ok(laserscan_finish(d, &out) == -ENODATA, "nothing is given");
	laserscan_encode(&large, &params, &p);
	ok(laserscan_add(d, payload_at(&p, 0), p.len[0]) == -EFBIG,
	   "too many beams");
	laserscan_encode(&in, &params, &p);
	for (size_t len = 0; len < LASERSCAN_HEADER; len++)
		taken += laserscan_add(d, payload_at(&p, 0), len) != -EINVAL;
	ok(!taken, "a header that was cut");
	ok(!laserscan_add(d, payload_at(&p, 0), p.len[0]), "one twice");
	ok_eq(laserscan_add(d, payload_at(&p, 0), p.len[0]), -EEXIST,
	      "one twice");
	payload_at(&p, 1)[9] ^= 1;
	ok(laserscan_add(d, payload_at(&p, 1), p.len[1]) == -EPROTO,
	   "one of another scan");
	params.resolution = 0;
	ok(laserscan_encode(&in, &params, &p) == -EINVAL, "no resolution");
	large = in;
	large.beams = 0;
	ok_eq(laserscan_encode(&large, &usual, &p), -EINVAL, "no beams");
	large.beams = LASERSCAN_BEAMS + 1;
	ok_eq(laserscan_encode(&large, &usual, &p), -EINVAL, "too many");
	params.resolution = NAN;
	ok(laserscan_encode(&in, &params, &p) == -EINVAL, "nor that");
	params = (struct laserscan_params){ .parts = 9, .resolution = .01f };
	p.max = 8;
	ok(laserscan_encode(&in, &params, &p) == -ENOSPC, "too few slots");
	laserscan_decoder_destroy(d);
}

int main(void)
{
	if (payloads_create(&p, SLOTS))
		return 1;
	test_subsets();
	test_sizes();
	test_far();
	test_bad();
	return tap_done();
}
