// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_split - images as sub-images: all sizes, any subset, any order
 */
#include <errno.h>
#include <string.h>
#include <time.h>
#include "base/cpu.h"
#include "codec/image/split.h"
#include "images.h"

static uint64_t rng = 1;

static void shuffle(unsigned int *order, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		order[i] = i;
	for (unsigned int i = n; i > 1; i--) {
		unsigned int j = rnd(&rng, i), t = order[j];

		order[j] = order[i - 1];
		order[i - 1] = t;
	}
}

static bool same(const struct image *a, const struct image *b)
{
	if (a->width != b->width || a->height != b->height ||
	    a->channels != b->channels || a->depth != b->depth)
		return false;
	for (unsigned int y = 0; y < a->height; y++)
		if (memcmp(image_row(a, y), image_row(b, y),
			   (size_t)a->width * image_pixel(a)))
			return false;
	return true;
}

static void test_pattern(void)
{
	static const unsigned int four[4][4] = {
		{ 0, 8, 2, 10 }, { 12, 4, 14, 6 },
		{ 3, 11, 1, 9 }, { 15, 7, 13, 5 },
	};
	bool good = true;

	for (unsigned int y = 0; y < 4; y++)
		for (unsigned int x = 0; x < 4; x++)
			good &= pattern_number(x, y, 2) == four[y][x];
	ok(good, "16 sub-images as in table 3 of D6.3");
	ok_eq(pattern_number(1, 0, 3), 32, "64 likewise");
	ok_eq(pattern_number(7, 7, 3), 21, "64 likewise");
	ok_eq(pattern_number(0, 7, 3), 63, "64 likewise");
}

/* All datagrams, in any order, twice, with strangers between */
static bool identity(unsigned int w, unsigned int h, unsigned int channels,
		     unsigned int depth, unsigned int steps)
{
	struct image in = make_image(w, h, channels, depth, w % 7 * 2, &rng), out;
	struct split_decoder *d = split_decoder_create(w, h,
						       image_pixel(&in));
	unsigned int n = split_datagrams(&in, steps, PAYLOAD_MAX);
	struct payloads p;
	unsigned int order[n];
	bool good = n && !payloads_create(&p, n) &&
		    !split_encode(&in, steps, &p) && p.count == n;
	size_t room = (size_t)w * h * image_pixel(&in);

	out.data = malloc(room);
	split_begin(d, false);
	shuffle(order, n);
	for (unsigned int i = 0; good && i < n; i++) {
		uint8_t *slot = payload_at(&p, order[i]);

		good &= !split_add(d, slot, p.len[order[i]]);
		good &= split_add(d, slot, p.len[order[i]]) == -EEXIST;
		slot[4] ^= 1;
		good &= split_add(d, slot, p.len[order[i]]) != 0;
		slot[4] ^= 1;
	}
	good &= split_share(d) == 1 && !split_finish(d, false, &out, room) &&
		same(&in, &out);
	free(in.data);
	free(out.data);
	payloads_destroy(&p);
	split_decoder_destroy(d);
	return good;
}

static void test_identity(void)
{
	unsigned int wrong = 0;

	for (unsigned int steps = 0; steps <= SPLIT_STEPS; steps++)
		for (unsigned int w = 1; w < 70; w += 1 + w / tap_rounds(2, 6))
			for (unsigned int h = 1; h < 40; h += 1 + h / tap_rounds(2, 6))
				wrong += !identity(w, h, 1 + (w + h) % 4,
						   w & 2 ? 16 : 8, steps);
	ok(!wrong, "split, merge: identity from 1x1 on, 1 to 4 channels");
	ok(identity(640, 480, 1, 8, 4),
	   "cameras, too, with sub-images in several datagrams");
	ok(identity(640, 480, 3, 8, 4),
	   "cameras, too, with sub-images in several datagrams");
	ok(identity(641, 479, 1, 16, 4),
	   "cameras, too, with sub-images in several datagrams");
	ok(!tap_rounds(0, 1) || identity(1024, 768, 1, 16, 4),
	   "cameras, too, with sub-images in several datagrams");
}

static unsigned int sample(const struct image *i, unsigned int y,
			   unsigned int n)
{
	return i->depth == 8 ? image_row(i, y)[n] :
			       ((const uint16_t *)image_row(i, y))[n];
}

/* Whether what came is exact; the squared error of what did not */
static bool compare(const struct image *in, const struct image *out,
		    const bool came[], unsigned int steps, double *error)
{
	bool exact = true;

	*error = 0;
	for (unsigned int y = 0; y < in->height; y++)
		for (unsigned int x = 0; x < in->width * in->channels; x++) {
			double e = (double)sample(in, y, x) -
				   sample(out, y, x);

			if (e && came[pattern_number(x / in->channels, y, steps)])
				exact = false;
			*error += e * e;
		}
	*error /= (double)in->width * in->height * in->channels;
	return exact;
}

static void test_subsets(unsigned int channels, unsigned int depth)
{
	enum { W = 203, H = 150, STEPS = 4 };
	struct image in = make_image(W, H, channels, depth, 0, &rng), out;
	struct split_decoder *d = split_decoder_create(W, H, 8);
	unsigned int n = split_datagrams(&in, STEPS, PAYLOAD_MAX);
	struct payloads p;
	size_t room = in.stride * H;
	unsigned int inexact = 0, worse = 0;
	double scale = depth == 8 ? 1 : 81;

	payloads_create(&p, n);
	out.data = malloc(room);
	split_encode(&in, STEPS, &p);
	for (unsigned int t = 0; t < tap_rounds(15, 40); t++) {
		bool came[SPLIT_IMAGES] = { false };
		double nearest, krig;
		unsigned int share = 1 + rnd(&rng, 100);

		split_begin(d, false);
		came[payload_at(&p, t)[2]] = true;
		split_add(d, payload_at(&p, t), p.len[t]);
		for (unsigned int i = 0; i < n; i++)
			if (rnd(&rng, 100) < share && t) {
				came[payload_at(&p, i)[2]] = true;
				split_add(d, payload_at(&p, i), p.len[i]);
			}
		split_finish(d, true, &out, room);
		inexact += !compare(&in, &out, came, STEPS, &nearest);
		split_finish(d, false, &out, room);
		inexact += !compare(&in, &out, came, STEPS, &krig);
		worse += krig > nearest + .2 * scale;
	}
	ok(!inexact, "%u x %u bit: what came is exact whatever came", channels,
	   depth);
	ok(!worse, "%u x %u bit: kriging is no worse than the nearest",
	   channels, depth);
	free(in.data);
	free(out.data);
	payloads_destroy(&p);
	split_decoder_destroy(d);
}

/* A ramp is restored exactly, but for rounding */
static void test_ramp(void)
{
	enum { W = 128, H = 96 };
	struct image in = make_image(W, H, 1, 16, 0, &rng), out;
	struct split_decoder *d = split_decoder_create(W, H, 2);
	struct payloads p;
	int worst = 0;

	payloads_create(&p, SPLIT_IMAGES);
	for (unsigned int y = 0; y < H; y++)
		for (unsigned int x = 0; x < W; x++)
			((uint16_t *)image_row(&in, y))[x] =
				1000 + 300 * x + 200 * y;
	out.data = malloc(in.stride * H);
	split_encode(&in, 4, &p);
	split_begin(d, false);
	/* every other pixel, like a chess board */
	for (unsigned int i = 0; i < p.count / 2; i++)
		split_add(d, payload_at(&p, i), p.len[i]);
	split_finish(d, false, &out, in.stride * H);
	for (unsigned int y = 16; y < H - 16; y++)
		for (unsigned int x = 16; x < W - 16; x++) {
			int e = (int)sample(&in, y, x) -
				(int)sample(&out, y, x);

			worst = abs(e) > worst ? abs(e) : worst;
		}
	ok(worst <= 2, "half of a ramp: the other half follows");
	free(in.data);
	free(out.data);
	payloads_destroy(&p);
	split_decoder_destroy(d);
}

static void test_still(void)
{
	enum { W = 64, H = 48 };
	struct image in = make_image(W, H, 1, 8, 0, &rng), out;
	struct split_decoder *d = split_decoder_create(W, H, 1);
	struct payloads p;
	size_t room = in.stride * H;
	unsigned int third = 0;

	payloads_create(&p, SPLIT_IMAGES);
	out.data = malloc(room);
	split_encode(&in, 3, &p);
	for (unsigned int frame = 0; frame < 3; frame++) {
		split_begin(d, frame > 0);
		for (unsigned int i = frame; i < p.count; i += 3)
			third += !split_add(d, payload_at(&p, i), p.len[i]);
	}
	ok_eq(third, p.count,
	      "a robot that stands: three frames of a third are one whole");
	ok(split_share(d) == 1,
	   "a robot that stands: three frames of a third are one whole");
	ok(!split_finish(d, false, &out, room),
	   "a robot that stands: three frames of a third are one whole");
	ok(same(&in, &out),
	   "a robot that stands: three frames of a third are one whole");
	image_row(&in, 0)[0] ^= 255;
	split_encode(&in, 3, &p);
	split_begin(d, true);
	split_add(d, payload_at(&p, 0), p.len[0]);
	split_finish(d, false, &out, room);
	ok(same(&in, &out), "and what is newer counts");
	split_begin(d, false);
	split_add(d, payload_at(&p, 0), p.len[0]);
	ok(split_share(d) < .02, "one that moves starts again");
	ok(split_finish(d, false, &out, room - 1) == -EMSGSIZE,
	   "no room is an error");
	split_begin(d, false);
	ok_eq(split_finish(d, false, &out, room), -ENODATA, "nothing is given");
	ok(!split_share(d), "nothing is given");
	free(in.data);
	free(out.data);
	payloads_destroy(&p);
	split_decoder_destroy(d);
}

static void test_bad(void)
{
	struct image in = make_image(40, 30, 1, 8, 0, &rng);
	struct split_decoder *d = split_decoder_create(40, 30, 1);
	struct payloads p;
	uint8_t bad[PAYLOAD_MAX];
	unsigned int taken = 0;

	payloads_create(&p, 20);
	split_encode(&in, 2, &p);
	ok(p.count == 16, "16 datagrams");
	split_begin(d, false);
	for (size_t len = 0; len < p.len[0]; len++)
		if (len < SPLIT_HEADER || (len - SPLIT_HEADER) % 10)
			taken += split_add(d, payload_at(&p, 0), len) != -EINVAL;
	ok(!taken, "a datagram that was cut is refused");
	memcpy(bad, payload_at(&p, 0), p.len[0]);
	bad[4] = 41;
	ok(split_add(d, bad, p.len[0]) == -EFBIG, "one too large, too");
	bad[4] = 0;
	ok(split_add(d, bad, p.len[0]) == -EINVAL, "and one of no size");
	in.channels = 5;
	ok(split_encode(&in, 2, &p) == -EINVAL, "five channels are no image");
	in.channels = 1;
	p.size = 15;
	ok(split_encode(&in, 2, &p) == -EMSGSIZE, "a row must fit");
	p.size = PAYLOAD_MAX;
	p.max = 5;
	ok(!split_encode(&in, 2, &p), "fewer slots, fewer sub-images");
	ok_eq(p.count, 5, "fewer slots, fewer sub-images");
	free(in.data);
	payloads_destroy(&p);
	split_decoder_destroy(d);
}

/* Processor time of a high image of which one datagram came, ns */
static uint64_t high(unsigned int h)
{
	struct image in = make_image(2, h, 1, 8, 0, &rng), out = in;
	struct split_decoder *d = split_decoder_create(2, h, 1);
	struct timespec from, to;
	struct payloads p;

	out.data = malloc(2 * h);
	payloads_create(&p, 400);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
	split_encode(&in, 3, &p);
	split_begin(d, false);
	split_add(d, payload_at(&p, 0), p.len[0]);
	split_finish(d, false, &out, 2 * h);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
	payloads_destroy(&p);
	split_decoder_destroy(d);
	free(out.data);
	free(in.data);
	return (to.tv_sec - from.tv_sec) * 1000000000ULL + to.tv_nsec -
	       from.tv_nsec;
}

/* A forged shape costs a receiver as much time as it has rows, no more */
static void test_high(void)
{
	uint64_t low = UINT64_MAX, all = UINT64_MAX;

	/* the least of three: the machine may have other work meanwhile */
	for (unsigned int i = 0; i < 3; i++) {
		const uint64_t one = high(16384), four = high(65535);

		low = one < low ? one : low;
		all = four < all ? four : all;
	}
	ok(all < 12 * low, "4 times the rows take %.0f times as long",
	   (double)all / low);
}

int main(void)
{
	test_pattern();
	for (int portable = 0; portable < 2; portable++) {
		cpu_portable = portable;
		printf("# %s\n", cpu_avx2() ? "AVX2" : "portable");
		test_identity();
		test_subsets(1, 8);
		test_subsets(3, 8);
		test_subsets(1, 16);
		test_ramp();
	}
	test_still();
	test_bad();
	test_high();
	return tap_done();
}
