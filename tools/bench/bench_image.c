// SPDX-License-Identifier: GPL-2.0-only
/*
 * bench_image - what images cost: time next to memcpy() in the same run
 *
 * Splitting and merging next to memcpy() of the image, both in cache; filling
 * in, and multiple descriptions with their parts, in milliseconds and as
 * multiples of it. Images: FILE.png, gray and 8 bit, or a made one.
 *
 * usage: bench_image [FILE.png]
 */
#include <stdio.h>
#include <string.h>
#include "../../tests/unit/images.h"
#include "base/cpu.h"
#include "best.h"
#include "codec/core/erasure.h"
#include "codec/image/md.h"
#include "codec/image/split.h"
#include "formats/image_convert.h"
#include "formats/png_file.h"

enum { ROUNDS = 100, SLOTS = 4096, AIR = 46336, FEC = 33, FEC_NEED = 16 };

static struct image image, shown;
static struct payloads p;
static double copy;
static size_t room;

static void report(const char *what, double us, double goal_ratio,
		   double goal_ms)
{
	printf("%-34s %9.1f us  %6.2f of memcpy's speed  %8.1f x memcpy",
	       what, us, copy / us, us / copy);
	if (goal_ratio)
		printf("  goal >= %.1f%s", goal_ratio,
		       copy / us < goal_ratio ? " MISSED" : "");
	if (goal_ms)
		printf("  goal <= %.0f ms%s", goal_ms,
		       us > goal_ms * 1000 ? " MISSED" : "");
	putchar('\n');
}

static void merge(struct split_decoder *d, unsigned int every)
{
	split_begin(d, false);
	for (unsigned int i = 0; i < p.count; i++)
		if (i % every == 0)
			split_add(d, payload_at(&p, i), p.len[i]);
	split_finish(d, false, &shown, room);
}

static void bench_split(void)
{
	struct split_decoder *d = split_decoder_create(image.width,
						       image.height, 1);
	unsigned int steps = split_steps(&image, PAYLOAD_MAX);
	double whole;

	report("split", BEST(ROUNDS, split_encode(&image, steps, &p)), .4, 0);
	whole = BEST(ROUNDS, merge(d, 1));
	report("merge, with taking in datagrams", whole, .3, 0);
	report("merge and kriging, half lost", BEST(ROUNDS, merge(d, 2)), 0, 2);
	report("merge and kriging, 9 of 10 lost", BEST(ROUNDS, merge(d, 10)),
	       0, 2);
	split_decoder_destroy(d);
}

static void decode(struct md_decoder *d, unsigned int every)
{
	md_begin(d);
	for (unsigned int i = 0; i < p.count; i++)
		if (every == 1 || i % every)
			md_add(d, payload_at(&p, i), p.len[i]);
	md_finish(d, &shown, room);
}

static void bench_md(void)
{
	struct md_encoder *e = md_encoder_create(image.width, image.height, 1);
	struct md_decoder *d = md_decoder_create(image.width, image.height, 1);
	struct md_budget b = { .bytes = AIR, .loss = -1 };

	p.max = PRIORITY_DATAGRAMS;
	report("md encode, 46 kB", BEST(ROUNDS / 2, md_encode(e, &image, &b, &p)),
	       0, 5);
	report("md decode, nothing lost", BEST(ROUNDS / 2, decode(d, 1)), 0, 5);
	report("md decode, a fifth lost", BEST(ROUNDS / 2, decode(d, 5)), 0, 5);
	b.loss = .1;
	report("md encode, 10 % loss known",
	       BEST(ROUNDS / 2, md_encode(e, &image, &b, &p)), 0, 0);
	report("md decode, likewise", BEST(ROUNDS / 2, decode(d, 10)), 0, 0);
	md_encoder_destroy(e);
	md_decoder_destroy(d);
}

static void bench_fec(void)
{
	struct erasure *e = erasure_create(FEC);
	uint8_t *row[FEC], there[FEC];

	for (unsigned int i = 0; i < FEC; i++) {
		row[i] = payload_at(&p, i);
		there[i] = i >= FEC - FEC_NEED;
	}
	report("FEC (33, 16) encode",
	       BEST(ROUNDS, erasure_encode(e, FEC, FEC_NEED, row, 1400)), 0, 1);
	report("FEC (33, 16) decode",
	       BEST(ROUNDS, erasure_decode(e, FEC, FEC_NEED, row, there, 1400)),
	       0, 1);
	erasure_destroy(e);
}

int main(int argc, char **argv)
{
	const char *error;
	uint64_t rng = 1;

	if (argc > 1) {
		if (png_load(argv[1], &image, &error)) {
			fprintf(stderr, "bench_image: %s: %s\n", argv[1],
				error);
			return 1;
		}
		convert_gray(&image);
		convert_8bit(&image);
	} else {
		image = make_image(640, 480, 1, 8, 0, &rng);
	}
	image.stride = image.width;
	room = (size_t)image.width * image.height;
	shown.data = malloc(room);
	if (payloads_create(&p, SLOTS))
		return 1;
	copy = BEST(ROUNDS, ({
		memcpy(shown.data, image.data, room);
		__asm__ volatile("" : : "r"(shown.data) : "memory");
	}));
	printf("%u x %u, memcpy %.1f us\n", image.width, image.height, copy);
	for (int portable = 0; portable < 2; portable++) {
		cpu_portable = portable;
		printf("%s\n", cpu_avx2() ? "AVX2" : "portable");
		p.max = SLOTS;
		bench_split();
		bench_md();
		bench_fec();
	}
	return 0;
}
