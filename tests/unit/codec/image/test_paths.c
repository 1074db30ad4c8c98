// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_paths - fast paths against their references, on either kind of CPU:
 * range coder, interleaving, wavelets, erasure code, kriging
 */
#include <stdlib.h>
#include <string.h>
#include "base/cpu.h"
#include "codec/core/erasure.h"
#include "codec/core/rangecoder.h"
#include "codec/image/dwt.h"
#include "codec/image/interleave.h"
#include "codec/image/kriging.h"
#include "tap.h"

static uint64_t rng = 1;

static void fill(void *to, size_t size)
{
	for (size_t i = 0; i < size; i++)
		((uint8_t *)to)[i] = rnd(&rng, 256);
}

/* ---- range coder ------------------------------------------------------- */

enum { BITS = 600, LIMIT = 60 };

static int code(struct rc_encoder *e, struct rc_decoder *d, struct rc_bit *c,
		unsigned int i, int bit)
{
	/* every seventh is as likely as not */
	if (d)
		return i % 7 == 6 ? (int)rc_decode_raw(d, 1) :
				    rc_decode(d, &c[i & 1]);
	if (i % 7 == 6)
		rc_encode_raw(e, bit, 1);
	else
		rc_encode(e, &c[i & 1], bit);
	return bit;
}

/* Many even bits at once, also of a prefix */
static void test_raw(void)
{
	unsigned int wrong = 0, after_end = 0;
	uint32_t values[200];
	uint8_t buf[BITS];
	struct rc_encoder e;
	struct rc_decoder d;

	for (int t = 0; t < 1000; t++) {
		size_t len, cut;

		rc_encoder_init(&e, buf, sizeof(buf), LIMIT);
		for (unsigned int i = 0; i < 200; i++) {
			values[i] = rnd(&rng, 1U << i % 18);
			rc_encode_raw(&e, values[i], i % 18);
		}
		len = rc_encoder_finish(&e);
		rc_decoder_init(&d, buf, len, LIMIT, false);
		for (unsigned int i = 0; i < 200; i++)
			wrong += rc_decode_raw(&d, i % 18) != values[i];
		cut = rnd(&rng, len + 1);
		rc_decoder_init(&d, buf, cut, LIMIT, true);
		for (unsigned int i = 0; i < 200; i++) {
			uint32_t value = rc_decode_raw(&d, i % 18);

			if (d.ended)
				break;
			after_end += value != values[i];
		}
	}
	ok(!wrong, "range coder: up to 17 bits at once");
	ok(!after_end, "range coder: up to 17 bits at once");
}

static void test_rangecoder(void)
{
	unsigned int wrong = 0, after_end = 0, longest = 0;
	uint8_t bits[BITS], buf[BITS];
	struct rc_encoder e;
	struct rc_decoder d;
	struct rc_bit c[2];

	for (int t = 0; t < 3000; t++) {
		unsigned int n = 1 + rnd(&rng, BITS), ones = rnd(&rng, 101), i;
		size_t len, cut;

		rc_bits_init(c, 2);
		rc_encoder_init(&e, buf, sizeof(buf), LIMIT);
		for (i = 0; i < n; i++) {
			bits[i] = rnd(&rng, 100) < ones;
			code(&e, NULL, c, i, bits[i]);
		}
		len = rc_encoder_finish(&e);
		longest = len > longest ? len : longest;
		rc_bits_init(c, 2);
		rc_decoder_init(&d, buf, len, LIMIT, false);
		for (i = 0; i < n; i++)
			wrong += code(NULL, &d, c, i, 0) != bits[i];
		/* a prefix: what comes before the end was said is right */
		cut = rnd(&rng, len + 1);
		rc_bits_init(c, 2);
		rc_decoder_init(&d, buf, cut, LIMIT, true);
		for (i = 0; i < n; i++) {
			int bit = code(NULL, &d, c, i, 0);

			if (d.ended)
				break;
			after_end += bit != bits[i];
		}
	}
	ok(!wrong, "range coder: what was coded is decoded");
	ok(!after_end, "range coder: of any prefix, up to where it ends");
	ok(longest < BITS / 8 + 8, "range coder: noise costs a bit a bit");
	test_raw();
	rc_encoder_init(&e, buf, 4, LIMIT);
	buf[4] = 99;
	for (unsigned int i = 0; i < 100; i++)
		rc_encode_raw(&e, i & 1, 1);
	rc_encoder_finish(&e);
	ok(e.overflow, "range coder: a full buffer is reported");
	ok_eq(buf[4], 99, "range coder: a full buffer is reported");
}

/* ---- interleaving ------------------------------------------------------ */

static bool parts_alike(uint8_t *const a[], uint8_t *const b[],
			unsigned int n, size_t len)
{
	for (unsigned int i = 0; i < n; i++)
		if (memcmp(a[i], b[i], len))
			return false;
	return true;
}

static bool interleaves(unsigned int size, unsigned int n, unsigned int count,
			unsigned int rows)
{
	size_t stride = (size_t)count * size + 5, part;
	uint8_t *in = malloc(stride * rows), *out = malloc(stride * rows);
	uint8_t *a[INTERLEAVE_MAX], *b[INTERLEAVE_MAX];
	bool good;

	part = (size_t)(count / n + 1) * rows * size + 8;
	for (unsigned int i = 0; i < n; i++) {
		a[i] = malloc(part);
		b[i] = malloc(part);
		memset(a[i], 7, part);
		memset(b[i], 7, part);
	}
	fill(in, stride * rows);
	memcpy(out, in, stride * rows);
	for (unsigned int y = 0; y < rows; y++)
		memset(out + y * stride, 0, (size_t)count * size);
	deinterleave(in, stride, rows, a, count, size, n);
	deinterleave_ref(in, stride, rows, b, count, size, n);
	good = parts_alike(a, b, n, part);
	interleave((const uint8_t *const *)a, out, stride, rows, count, size, n);
	/* between the rows nothing changed, either */
	good &= !memcmp(in, out, stride * rows);
	for (unsigned int i = 0; i < n; i++) {
		free(a[i]);
		free(b[i]);
	}
	free(in);
	free(out);
	return good;
}

static void test_interleave(void)
{
	unsigned int wrong = 0;

	for (unsigned int size = 1; size <= 8; size++)
		for (unsigned int n = 1; n <= INTERLEAVE_MAX; n *= 2)
			for (unsigned int count = 0; count < 700;
			     count += 1 + count % 29)
				wrong += !interleaves(size, n, count,
						      1 + count % 4);
	/* rows whose blocks run on into the next */
	for (unsigned int size = 1; size <= 4; size *= 2)
		for (unsigned int n = 2; n <= INTERLEAVE_MAX; n *= 2)
			for (unsigned int lines = 1; lines <= 12; lines++)
				wrong += !interleaves(size, n, lines * 64 / size,
						      2 + lines % 8);
	wrong += !interleaves(1, 16, 640, 30) + !interleaves(2, 16, 640, 15);
	ok(!wrong, "interleaving: there as the reference, and back");
}

/* ---- wavelets ---------------------------------------------------------- */

static bool waves(unsigned int w, unsigned int h, unsigned int levels)
{
	size_t n = (size_t)w * h, bytes = n * sizeof(float);
	float *in = malloc(bytes), *a = malloc(bytes), *b = malloc(bytes);
	int32_t *ia = (int32_t *)a, *ib = (int32_t *)b;
	void *t = malloc((dwt_scratch(w, h) + w + h) * sizeof(float));
	bool good;

	for (size_t i = 0; i < n; i++)
		in[i] = rnd(&rng, 1000);
	memcpy(a, in, bytes);
	memcpy(b, in, bytes);
	dwt97_forward(a, w, h, w, levels, t);
	dwt97_forward_ref(b, w, h, w, levels, t);
	good = !memcmp(a, b, bytes);
	dwt97_inverse(a, w, h, w, levels, t);
	dwt97_inverse_ref(b, w, h, w, levels, t);
	good &= !memcmp(a, b, bytes);
	for (size_t i = 0; i < n; i++)
		good &= a[i] - in[i] < .02f && in[i] - a[i] < .02f;
	for (size_t i = 0; i < n; i++)
		ia[i] = ib[i] = ((int32_t *)in)[i] = rnd(&rng, 65536);
	dwt53_forward(ia, w, h, w, levels, t);
	dwt53_forward_ref(ib, w, h, w, levels, t);
	good &= !memcmp(a, b, bytes);
	dwt53_inverse(ia, w, h, w, levels, t);
	good &= !memcmp(a, in, bytes);
	dwt53_inverse_ref(ib, w, h, w, levels, t);
	good &= !memcmp(b, in, bytes);
	free(in);
	free(a);
	free(b);
	free(t);
	return good;
}

static void test_dwt(void)
{
	unsigned int wrong = 0;

	for (unsigned int w = 1; w < 90; w += 1 + w / 12)
		for (unsigned int h = 1; h < 50; h += 1 + h / 8)
			for (unsigned int levels = 0; levels < 4; levels++)
				wrong += !waves(w, h, levels);
	ok(!wrong, "wavelets: as the reference, to the bit, and back");
}

/* ---- erasure code ------------------------------------------------------ */

enum { ROW = 70 };

static bool erases(struct erasure *e, unsigned int count, unsigned int need,
		   size_t len)
{
	static uint8_t data[3][ERASURE_ROWS][ROW];
	uint8_t *row[2][ERASURE_ROWS], there[ERASURE_ROWS];
	unsigned int have = 0;
	bool good = true;
	int ret;

	for (unsigned int i = 0; i < count; i++) {
		row[0][i] = data[0][i];
		row[1][i] = data[1][i];
		fill(data[0][i], len);
		memcpy(data[1][i], data[0][i], len);
	}
	erasure_encode(e, count, need, row[0], len);
	erasure_encode_ref(count, need, row[1], len);
	for (unsigned int i = 0; i < count; i++)
		good &= !memcmp(data[0][i], data[1][i], len);
	memcpy(data[2], data[0], sizeof(data[2]));
	for (unsigned int i = 0; i < count; i++) {
		there[i] = rnd(&rng, 3) > 0;
		have += there[i];
		if (!there[i]) {
			memset(data[0][i], 9, ROW);
			memset(data[1][i], 9, ROW);
		}
	}
	ret = erasure_decode(e, count, need, row[0], there, len);
	good &= ret == erasure_decode_ref(count, need, row[1], there, len);
	if ((ret == 0) != (have >= need))
		return false;
	for (unsigned int i = 0; !ret && i < need; i++)
		good &= !memcmp(data[0][i], data[2][i], len) &&
			!memcmp(data[1][i], data[2][i], len);
	return good;
}

static void test_erasure(void)
{
	struct erasure *e = erasure_create(ERASURE_ROWS);
	unsigned int wrong = 0;

	for (int t = 0; t < 300; t++) {
		unsigned int count = 1 + rnd(&rng, t < 5 ? ERASURE_ROWS : 40);

		wrong += !erases(e, count, 1 + rnd(&rng, count),
				 rnd(&rng, ROW));
	}
	ok(!wrong, "erasure code: any of the rows, if they are enough");
	erasure_destroy(e);
	ok(!erasure_create(256),
	   "erasure code: no more rows than the field has numbers");
	ok(!erasure_create(0),
	   "erasure code: no more rows than the field has numbers");
}

/* ---- kriging ----------------------------------------------------------- */

static bool krigs(const struct kriging *k, unsigned int period,
		  unsigned int have, bool deep)
{
	enum { N = 150 };
	bool there[KRIGING_PERIOD * KRIGING_PERIOD] = { false };
	static uint16_t rows[KRIGING_NEIGHBOURS][N], a[N], b[N];
	const void *from[KRIGING_NEIGHBOURS];
	struct kriging_weights w;
	int32_t sum = 0;
	uint8_t level = rnd(&rng, 256);
	bool good;

	while (have--)
		there[rnd(&rng, period * period)] = true;
	there[rnd(&rng, period * period)] = true;
	kriging_solve(k, there, rnd(&rng, period), rnd(&rng, period),
		      KRIGING_NEIGHBOURS, &w);
	for (unsigned int i = 0; i < w.count; i++)
		sum += w.weight[i];
	for (unsigned int i = 0; i < KRIGING_NEIGHBOURS; i++) {
		from[i] = rows[i];
		fill(rows[i], sizeof(rows[i]));
	}
	kriging_row(&w, from, a, N, deep ? 65535 : 255);
	kriging_row_ref(&w, from, b, N, deep ? 65535 : 255);
	good = sum == 1 << KRIGING_BITS &&
	       !memcmp(a, b, deep ? sizeof(a) : N);
	/* a level area stays level */
	memset(rows, level, sizeof(rows));
	kriging_row(&w, from, a, N, deep ? 65535 : 255);
	for (unsigned int i = 0; i < N; i++)
		good &= ((uint8_t *)a)[i] == level;
	return good;
}

static void test_kriging(void)
{
	unsigned int wrong = 0;

	for (unsigned int period = 1; period <= KRIGING_PERIOD; period *= 2) {
		struct kriging *k = kriging_create(period);

		for (int t = 0; t < 150; t++)
			wrong += !krigs(k, period,
					rnd(&rng, period * period), t & 1);
		kriging_destroy(k);
	}
	ok(!wrong, "kriging: as the reference; weights add up, level is level");
}

int main(void)
{
	test_rangecoder();
	for (int portable = 0; portable < 2; portable++) {
		cpu_portable = portable;
		printf("# %s\n", cpu_avx2() ? "AVX2" : "portable");
		test_interleave();
		test_dwt();
		test_erasure();
		test_kriging();
	}
	return tap_done();
}
