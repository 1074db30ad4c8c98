// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_vscan_code - virtual scans as datagrams: whole, halves, noise, broken;
 * those of the recording of shared/data, where it is
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "codec/scan/vscan_code.h"
#include "formats/velodyne.h"
#include "tap.h"

#define RECORDING "../shared/data/clouds/vlp16_recording_1000x1206.bin"

static uint8_t data[16][PAYLOAD_MAX];
static uint16_t lens[16];
static struct payloads out = {
	.data = data[0], .stride = PAYLOAD_MAX, .len = lens,
	.size = PAYLOAD_MAX, .max = 16,
};

static bool half_right(const struct vscan_decoder *d,
		       const struct vscan_scans *s, unsigned int part)
{
	struct vscan_scans got;
	bool good = !vscan_finish(d, &got);

	for (unsigned int i = 0; i < VSCAN_BINS; i++) {
		bool here = i % 2 == part;

		good &= vscan_known(d, i) == here &&
			got.landmark[i] == (here ? s->landmark[i] : 0) &&
			got.obstacle[i] == (here ? s->obstacle[i] : 0);
	}
	return good;
}

static void check_code(const struct vscan_scans *s, const char *what)
{
	struct vscan_decoder d;
	struct vscan_scans got;
	bool all = true, half = true;
	unsigned int whole;

	ok(!vscan_encode(s, 1, 2, &out), "%s: whole, twice", what);
	whole = lens[0];
	for (unsigned int i = 0; i < out.count; i++) {
		vscan_begin(&d);
		for (unsigned int k = 0; k < out.count; k++)
			vscan_add(&d, data[k], lens[k]);
		all &= !vscan_finish(&d, &got) && !memcmp(&got, s, sizeof(got));
	}
	vscan_encode(s, 2, 1, &out);
	vscan_begin(&d);
	for (unsigned int i = out.count; i-- > 0;)
		all &= !vscan_add(&d, data[i], lens[i]);
	all &= !vscan_finish(&d, &got) && !memcmp(&got, s, sizeof(got));
	for (unsigned int i = 0; i < 2 && out.count == 2; i++) {
		vscan_begin(&d);
		vscan_add(&d, data[i], lens[i]);
		half &= half_right(&d, s, i);
	}
	ok(all, "%s: there and back, %u bytes, in %u parts %u and %u", what,
	   whole, out.count, lens[0], lens[1]);
	ok(half, "%s: a half has every second bin", what);
}

/* Copies follow the parts that they are of, as they are */
static void test_copies(void)
{
	struct vscan_scans s = { 0 };

	for (int i = 0; i < VSCAN_BINS; i++)
		s.landmark[i] = s.obstacle[i] = 500 + i;
	ok_eq(vscan_encode(&s, 2, 3, &out), 0, "two parts, three times");
	ok_eq(out.count, 6, "are six");
	ok_eq(lens[0] == lens[1] && !memcmp(data[0], data[1], lens[0]), false,
	      "the parts differ");
	for (unsigned int i = 2; i < 6; i++) {
		ok_eq(lens[i], lens[i % 2], "number %u is as long", i);
		ok_mem(data[i], data[i % 2], lens[i], "and the same");
	}
	ok_eq(vscan_encode(&s, 2, 9, &out), -EINVAL, "more than there is room");
	/* what receivers in use read: another value is another format */
	vscan_encode(&s, 1, 1, &out);
	ok_eq((int64_t)hash_bytes(data[0], lens[0]), 3028836167493085422,
	      "the format stays");
	for (int i = 0; i < VSCAN_BINS; i++) {
		s.landmark[i] = i % 3 ? 400 + i * i % 230 : 0;
		s.obstacle[i] = i % 3 && i % 7 ? 400 + i : 0;
	}
	vscan_encode(&s, 1, 1, &out);
	ok_eq((int64_t)hash_bytes(data[0], lens[0]),
	      -7358055239119842011,
	      "... that of empty bins, too");
}

static void test_code(void)
{
	struct vscan_scans s = { 0 }, got;
	struct vscan_decoder d;
	uint64_t rng = 3;
	uint8_t copy[PAYLOAD_MAX];

	check_code(&s, "nothing");
	for (int i = 0; i < VSCAN_BINS; i++) {
		s.landmark[i] = 400 + 300 * fabs(sin(i * M_PI / 180));
		s.obstacle[i] = i % 50 ? s.landmark[i] - 1 : 0;
	}
	check_code(&s, "walls");
	for (int i = 0; i < VSCAN_BINS; i++) {
		s.landmark[i] = rnd(&rng, 65536);
		s.obstacle[i] = rnd(&rng, 65536);
	}
	check_code(&s, "noise");
	vscan_encode(&s, 2, 1, &out);
	ok(out.count > 2, "noise takes %u parts", out.count);
	ok(lens[0] <= out.size, "noise takes %u parts", out.count);
	vscan_begin(&d);
	ok(vscan_finish(&d, &got) == -ENODATA, "nothing came");
	vscan_add(&d, data[0], lens[0]);
	ok(vscan_add(&d, data[0], lens[0]) == -EEXIST, "a duplicate");
	memcpy(copy, data[1], lens[1]);
	copy[0] ^= 3;
	ok(vscan_add(&d, copy, lens[1]) == -EPROTO ||
	   vscan_add(&d, copy, lens[1]) == -EINVAL, "of another kind");
	copy[0] = 0x2f;
	ok_eq(vscan_add(&d, copy, lens[1]), -EINVAL, "of none");
	ok_eq(vscan_add(&d, copy, 1), -EINVAL, "of none");
	ok_eq(vscan_encode(&s, 3, 1, &out), -EINVAL, "arguments");
	ok_eq(vscan_encode(&s, 1, 0, &out), -EINVAL, "arguments");
	ok_eq(vscan_encode(&s, 1, 17, &out), -EINVAL, "arguments");
	for (unsigned int i = 0; i < 20000; i++) {
		memcpy(copy, data[0], lens[0]);
		for (unsigned int k = 0; k < 1 + i % 4; k++)
			copy[rnd(&rng, 1 + rnd(&rng, lens[0]))] =
				rnd(&rng, 256);
		vscan_begin(&d);
		vscan_add(&d, copy, 2 + rnd(&rng, lens[0] - 2));
	}
	vscan_begin(&d);
	ok(!vscan_add(&d, data[0], lens[0]),
	   "20000 broken ones: the next good one is read");
	ok(!vscan_finish(&d, &got),
	   "20000 broken ones: the next good one is read");
}

static void test_recording(void)
{
	struct vscan *v = vscan_create(VELODYNE_RINGS, ORGANISED_COLUMNS);
	struct vscan_params p = VSCAN_DEFAULTS;
	struct velodyne *lidar = velodyne_create();
	unsigned int turns = 0, bytes = 0;
	uint8_t packet[VELODYNE_PACKET];
	FILE *f = fopen(RECORDING, "rb");
	struct vscan_scans s;
	struct organised o;

	while (f && fread(packet, sizeof(packet), 1, f)) {
		if (velodyne_add(lidar, packet, sizeof(packet), &o) != 1)
			continue;
		turns++;
		vscan_make(v, &o, &p, &s);
		vscan_encode(&s, 1, 1, &out);
		bytes += lens[0];
	}
	if (f) {
		fclose(f);
		check_code(&s, "the recording");
		ok(turns, "both scans are %u bytes", bytes / turns);
		ok(bytes / turns < 800, "both scans are %u bytes",
		   bytes / turns);
	} else {
		ok(true, "the recording # SKIP no shared data");
	}
	velodyne_destroy(lidar);
	vscan_destroy(v);
}

int main(void)
{
	test_copies();
	test_code();
	test_recording();
	return tap_done();
}
