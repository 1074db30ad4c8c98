// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_md - images as multiple descriptions: any subset shows the image, the
 * better the larger it is; exact when enough came
 */
#include <errno.h>
#include <string.h>
#include "base/cpu.h"
#include "codec/image/md.h"
#include "images.h"

static uint64_t rng = 1;

enum { W = 200, H = 152, SLOTS = PRIORITY_DATAGRAMS };

/**
 * struct rig - an encoder and a decoder
 */
struct rig {
	struct image		in, out;
	struct md_encoder	*e;
	struct md_decoder	*d;
	struct payloads		p;
	size_t			room;
};

static void rig_make(struct rig *r, unsigned int w, unsigned int h,
		     unsigned int channels, unsigned int depth)
{
	r->in = make_image(w, h, channels, depth, 0, &rng);
	r->room = r->in.stride * h;
	r->out = (struct image){ .data = malloc(r->room) };
	r->e = md_encoder_create(w, h, channels);
	r->d = md_decoder_create(w, h, channels);
	payloads_create(&r->p, SLOTS);
}

static void rig_free(struct rig *r)
{
	md_encoder_destroy(r->e);
	md_decoder_destroy(r->d);
	payloads_destroy(&r->p);
	free(r->in.data);
	free(r->out.data);
}

static int rig_encode(struct rig *r, size_t bytes, double loss)
{
	const struct md_budget b = { .bytes = bytes, .loss = loss };

	return md_encode(r->e, &r->in, &b, &r->p);
}

/* The image of those that @came */
static long rig_decode(struct rig *r, const bool came[])
{
	md_begin(r->d);
	for (unsigned int i = r->p.count; i--; )
		if (came[i])
			md_add(r->d, payload_at(&r->p, i), r->p.len[i]);
	return md_finish(r->d, &r->out, r->room);
}

/* Of all samples, mean squared */
static double error(const struct rig *r)
{
	unsigned int n = r->in.width * r->in.channels;
	double sum = 0;

	for (unsigned int y = 0; y < r->in.height; y++)
		for (unsigned int i = 0; i < n; i++) {
			const uint8_t *a = image_row(&r->in, y);
			const uint8_t *b = image_row(&r->out, y);
			double e = r->in.depth == 8 ? a[i] - b[i] :
				   ((const uint16_t *)a)[i] -
				   ((const uint16_t *)b)[i];

			sum += e * e;
		}
	return sum / ((double)n * r->in.height);
}

static unsigned int choose(bool came[], unsigned int n, unsigned int share)
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < n; i++) {
		came[i] = rnd(&rng, 100) < share;
		count += came[i];
	}
	if (!count)
		came[rnd(&rng, n)] = true;
	return count ? count : 1;
}

static void protection(const struct payloads *p, struct priority *levels)
{
	const uint8_t *h = payload_at(p, 0);

	levels->levels = h[10];
	for (unsigned int i = 0; i < levels->levels; i++) {
		levels->level[i].need = h[MD_HEADER + 3 * i];
		levels->level[i].columns = h[MD_HEADER + 3 * i + 1] |
					   h[MD_HEADER + 3 * i + 2] << 8;
	}
}

static void test_subsets(unsigned int channels, unsigned int depth, size_t bytes,
			 double loss)
{
	unsigned int below = 0, worse = 0, differ = 0;
	uint64_t hash[2] = { 0 };
	double by_prefix[2] = { 0 };
	long lengths[2] = { 0 };
	struct priority levels;
	bool came[SLOTS];
	struct rig r;

	rig_make(&r, W, H, channels, depth);
	rig_encode(&r, bytes, loss);
	ok(r.p.count > 1, "%u x %u bit, %zu bytes: %u datagrams", channels,
	   depth, bytes, r.p.count);
	protection(&r.p, &levels);
	for (unsigned int t = 0; t < tap_rounds(10, 60); t++) {
		unsigned int k = choose(came, r.p.count, rnd(&rng, 101));
		long n = rig_decode(&r, came);
		double e = error(&r);
		uint64_t h = 0;

		for (size_t i = 0; i < r.room; i++)
			h = h * 31 + r.out.data[i];
		below += n < (long)priority_prefix(&levels, k);
		/* the prefix decides the image, and a longer one is better */
		for (unsigned int i = 0; i < 2; i++) {
			if (lengths[i] == n)
				differ += hash[i] != h;
			else if (lengths[i] && lengths[i] < n)
				worse += e > by_prefix[i] * 1.02;
		}
		lengths[t & 1] = n;
		hash[t & 1] = h;
		by_prefix[t & 1] = e;
	}
	ok(!below, "as much is decoded as the protection promises, or more");
	ok(!differ, "what is decoded is the prefix, whoever brought it");
	ok(!worse, "and more of it is better");
	memset(came, 0, sizeof(came));
	below = 0;
	for (unsigned int i = 0; i < r.p.count; i++) {
		came[i] = true;
		/* the waves alone have a variance of 2600, of 16 bit 81 times */
		below += rig_decode(&r, came) <= 0 ||
			 error(&r) > (depth == 8 ? 1500 : 121500);
		came[i] = false;
	}
	ok(!below, "any single one shows the image");
	rig_free(&r);
}

static void test_exact(unsigned int channels, unsigned int depth)
{
	unsigned int inexact = 0, wrong = 0, least;
	bool came[SLOTS];
	struct rig r;

	rig_make(&r, W, H, channels, depth);
	rig_encode(&r, (size_t)W * H * channels * depth / 8 * 5 / 4, -1);
	least = r.p.count * 7 / 10;
	for (unsigned int t = 0; t < tap_rounds(10, 20); t++) {
		unsigned int k = choose(came, r.p.count, 80);

		if (k < least)
			continue;
		rig_decode(&r, came);
		inexact += error(&r) != 0;
		wrong += !md_exact(r.d);
	}
	ok(!inexact, "%u x %u bit: exact from 70 %% of %u datagrams on",
	   channels, depth, r.p.count);
	ok(!wrong, "%u x %u bit: exact from 70 %% of %u datagrams on", channels,
	   depth, r.p.count);
	memset(came, 0, sizeof(came));
	came[3] = true;
	ok(rig_decode(&r, came) > 0, "but not from one");
	ok(!md_exact(r.d), "but not from one");
	rig_free(&r);
}

/* What all datagrams of a budget show */
static double all_come(struct rig *r, size_t bytes, double loss)
{
	bool came[SLOTS];

	memset(came, true, sizeof(came));
	rig_encode(r, bytes, loss);
	rig_decode(r, came);
	return error(r);
}

/* Whether it is exact is decided by how long its stream is, not by its size */
static void test_fits(unsigned int depth)
{
	size_t raw = (size_t)W * H * depth / 8, least = 0;
	unsigned int back = 0;
	struct rig r;

	rig_make(&r, W, H, 1, depth);
	for (unsigned int y = 0; y < H; y++)
		for (unsigned int x = 0; x < W; x++) {
			unsigned int v = 1000 + x / 3 + y / 2 +
					 (x > 80 ? 40 : 0);

			if (depth == 16)
				((uint16_t *)image_row(&r.in, y))[x] =
					v + rnd(&rng, 4);
			else
				image_row(&r.in, y)[x] = v / 8 + rnd(&rng, 2);
		}
	for (size_t bytes = raw / 5; bytes < raw * tap_rounds(45, 90) / 100;
	     bytes += raw / tap_rounds(40, 99)) {
		double e = all_come(&r, bytes, -1);

		if (!least && !e)
			least = bytes;
		back += least && e;
	}
	ok(least,
	   "%u bit that are simple: exact in %.1f %% of their bytes, and more",
	   depth, 100. * least / raw);
	ok(least < raw * (depth == 8 ? .38 : .285),
	   "%u bit that are simple: exact in %.1f %% of their bytes, and more",
	   depth, 100. * least / raw);
	ok(!back,
	   "%u bit that are simple: exact in %.1f %% of their bytes, and more",
	   depth, 100. * least / raw);
	rig_free(&r);
}

static void test_sizes(void)
{
	unsigned int wrong = 0;

	for (unsigned int w = 1; w < 80; w += 1 + w / tap_rounds(2, 5))
		for (unsigned int h = 1; h < 60; h += 1 + h / tap_rounds(2, 5)) {
			bool came[SLOTS];
			struct rig r;

			rig_make(&r, w, h, 1 + (w + h) % 4, w & 2 ? 16 : 8);
			memset(came, 1, sizeof(came));
			wrong += rig_encode(&r, 4000 + 30 * w * h, -1) ||
				 rig_decode(&r, came) < 0 || error(&r) ||
				 !md_exact(r.d);
			wrong += rig_encode(&r, 900, .1) ||
				 rig_decode(&r, came) < 0;
			rig_free(&r);
		}
	ok(!wrong, "every size from 1x1 on, 1 to 4 channels, 8 and 16 bit");
}

static void test_paths_agree(void)
{
	uint8_t *first = malloc((size_t)SLOTS * PAYLOAD_MAX);
	bool good = true;
	struct rig r;

	rig_make(&r, W, H, 3, 8);
	for (int portable = 0; portable < 2; portable++) {
		cpu_portable = portable;
		rig_encode(&r, 12000, -1);
		for (unsigned int i = 0; i < r.p.count; i++) {
			uint8_t *keep = first + (size_t)i * PAYLOAD_MAX;

			if (!portable)
				memcpy(keep, payload_at(&r.p, i), r.p.len[i]);
			else
				good &= !memcmp(keep, payload_at(&r.p, i),
						r.p.len[i]);
		}
	}
	cpu_portable = false;
	ok(good, "datagrams are the same on any CPU");
	rig_free(&r);
	free(first);
}

static void test_bad(void)
{
	uint8_t bad[PAYLOAD_MAX];
	unsigned int taken = 0;
	struct rig r, other;

	rig_make(&r, W, H, 1, 8);
	rig_make(&other, W, H, 1, 8);
	rig_encode(&r, 9000, -1);
	rig_encode(&other, 7000, -1);
	md_begin(r.d);
	ok(md_finish(r.d, &r.out, r.room) == -ENODATA, "nothing is given");
	for (size_t len = 0; len < r.p.len[0]; len++)
		taken += md_add(r.d, payload_at(&r.p, 0), len) != -EINVAL;
	ok(!taken, "a datagram that was cut is refused");
	ok(!md_add(r.d, payload_at(&r.p, 0), r.p.len[0]),
	   "one that came twice counts once");
	ok_eq(md_add(r.d, payload_at(&r.p, 0), r.p.len[0]), -EEXIST,
	      "one that came twice counts once");
	ok(md_add(r.d, payload_at(&other.p, 1), other.p.len[1]) == -EPROTO,
	   "one of another frame is refused");
	memcpy(bad, payload_at(&r.p, 1), r.p.len[1]);
	bad[5] = 4;
	md_begin(r.d);
	ok(md_add(r.d, bad, r.p.len[1]) < 0, "and one of a larger image");
	md_add(r.d, payload_at(&r.p, 0), r.p.len[0]);
	ok(md_finish(r.d, &r.out, 99) == -EMSGSIZE, "no room is an error");
	ok(rig_encode(&r, 10, -1) == -EMSGSIZE, "a budget must hold a datagram");
	r.p.max = 3;
	ok(rig_encode(&r, 9000, -1) == -EMSGSIZE, "and the slots all of them");
	r.in.width++;
	ok(rig_encode(&r, 9000, -1) == -EINVAL, "an image must fit the encoder");
	r.in.width--;
	rig_free(&r);
	rig_free(&other);
}

/* ---- how good what arrives looks, so that no change costs a decibel unseen ---- */

/* Mean PSNR over many frames that lose @loss, in bursts of @burst, dB */
static double quality(struct rig *r, double loss, double burst)
{
	const unsigned int frames = tap_rounds(4, 10);
	double sum = 0;
	bool bad = false;

	for (unsigned int f = 0; f < frames; f++) {
		bool came[SLOTS], any = false;

		for (unsigned int i = 0; i < r->p.count; i++) {
			double chance = rnd(&rng, 1000000) / 1e6;

			bad = burst <= 0 ? chance < loss :
			      chance < (bad ? 1 - 1 / burst :
					loss / (1 - loss) / burst);
			came[i] = !bad;
			any |= !bad;
		}
		came[0] |= !any;
		rig_decode(r, came);
		sum += fmin(10 * log10(255 * 255 / fmax(error(r), 1e-6)), 60);
	}
	return sum / frames;
}

static void test_quality(void)
{
	static const struct {
		double	given, given_burst, loss, burst, db;
	} pins[] = {
		{ -1, 0, 0, 0, 46.06 }, { -1, 0, .2, 0, 45.90 },
		{ -1, 0, .3, 0, 45.06 }, { -1, 0, .5, 0, 44.59 },
		{ -1, 0, .6, 0, 44.19 }, { -1, 0, .7, 0, 43.97 },
		{ -1, 0, .9, 0, 42.13 }, { 0, 0, 0, 0, 48.31 },
		{ .05, 0, .05, 0, 47.60 }, { .2, 0, .2, 0, 46.84 },
		{ .5, 0, .5, 0, 45.58 }, { .9, 0, .9, 0, 44.44 },
		{ .2, 8, .2, 8, 45.78 },
	};
	struct rig r;

	rng = 1;
	rig_make(&r, 640, 480, 1, 8);
	for (unsigned int i = 0; i < sizeof(pins) / sizeof(*pins); i++) {
		const struct md_budget b = {
			.bytes = 46336, .loss = pins[i].given,
			.burst = pins[i].given_burst,
		};
		double db;

		rng = 1;
		md_encode(r.e, &r.in, &b, &r.p);
		db = quality(&r, pins[i].loss, pins[i].burst);
		ok(db >= pins[i].db - .3,
		   "46 kB for %g, %g %% lost in bursts of %g: %.2f dB of %.2f",
		   pins[i].given, pins[i].loss * 100, pins[i].burst, db,
		   pins[i].db);
	}
	rig_free(&r);
}

/* One datagram shows it, and an unreported burst of losses leaves a picture */
static void test_bursts(void)
{
	static const double least[] = { 45.15, 37.78 };
	bool came[SLOTS];
	struct rig r;

	rng = 1;
	rig_make(&r, 640, 480, 1, 8);
	rig_encode(&r, 46336, .05);
	for (unsigned int b = 0; b < 2; b++) {
		double db;

		for (unsigned int i = 0; i < r.p.count; i++)
			came[i] = i < 5 || i >= 5 + 8 * (b + 1);
		rig_decode(&r, came);
		db = 10 * log10(255 * 255 / error(&r));
		ok(db >= least[b] - .3,
		   "5 %% is announced, %u in a row are lost: %.2f dB of %.2f",
		   8 * (b + 1), db, least[b]);
	}
	rig_free(&r);
}

int main(void)
{
	test_subsets(1, 8, 9000, -1);
	test_subsets(1, 8, 9000, .3);
	test_subsets(3, 8, 20000, -1);
	test_subsets(1, 16, 9000, -1);
	test_subsets(4, 8, 30000, .1);
	test_exact(1, 16);
	test_exact(1, 8);
	test_exact(3, 8);
	test_fits(8);
	test_fits(16);
	test_sizes();
	test_paths_agree();
	test_bad();
	test_quality();
	test_bursts();
	return tap_done();
}
