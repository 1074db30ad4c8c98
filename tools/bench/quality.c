// SPDX-License-Identifier: GPL-2.0-only
/*
 * quality - what an operator sees of images at equal loss: a table of PSNR by
 * method and loss, for each image and on the average
 *
 * usage: quality [--masks N] FILE.png ...
 *
 * Images are made gray, 16 bit are stretched to 8; budgets are those of
 * 640x480 and grow with the area. A frame of which nothing arrives is drawn
 * again. 60 dB is the most that counts. 16-bit images are also sent as they
 * are: which share of the frames is bit-exact. The erasure bound is what the
 * same code would show in all bytes that arrive, if nothing else were sent.
 * Files with "depth" in their names have a table of their own, see
 * quality_depth.h.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "apps/optsample-lab/loss.h"
#include "base/cli.h"
#include "codec/image/depthcode.h"
#include "codec/image/md.h"
#include "codec/image/split.h"
#include "formats/image_convert.h"
#include "formats/png_file.h"
#include "quality_depth.h"

enum { LOSSES = 6, COLUMNS = LOSSES + 1, SINGLE = LOSSES, FULL = 307200,
       AIR = 46336, DEEP = 369000, SLOTS = 16 * SPLIT_IMAGES };

static const double losses[LOSSES] = { 0, .05, .1, .2, .5, .9 };

enum method { NEAREST, KRIGING, NEAREST_AIR, KRIGING_AIR, MD_FIXED, MD_KNOWN,
	      BOUND, METHODS };

static const struct {
	const char	*name;
	unsigned int	bytes;
	double		goal[COLUMNS];	/* at least; 0: none */
} methods[METHODS] = {
	[NEAREST] = { "split-nn", FULL, { 0 } },
	[KRIGING] = { "split", FULL, { 0, 53, 50, 46.5, 41, 33.5 } },
	[NEAREST_AIR] = { "split-nn", AIR, { 0 } },
	[KRIGING_AIR] = { "split", AIR, { 0 } },
	[MD_FIXED] = { "md", AIR, { 43.5, 43.5, 43.5, 43, 38.5, 28.5, 28 } },
	[MD_KNOWN] = { "md, loss known", AIR, { 0 } },
	[BOUND] = { "erasure bound", AIR, { 0 } },
};

/**
 * struct bench - an image and what works on it
 */
struct bench {
	unsigned int	masks;
	struct image	image, shown;
	size_t		room;
	double		area;		/* in images of 640x480 */
	struct payloads	p;
	struct md_encoder *me;
	struct md_decoder *md;
	struct split_decoder *sd;
};

static int bench_open(struct bench *b)
{
	b->room = b->image.stride * b->image.height;
	b->area = (double)b->image.width * b->image.height / FULL;
	b->shown = (struct image){ .data = malloc(b->room) };
	b->me = md_encoder_create(b->image.width, b->image.height,
				  b->image.channels);
	b->md = md_decoder_create(b->image.width, b->image.height,
				  b->image.channels);
	b->sd = split_decoder_create(b->image.width, b->image.height,
				     image_pixel(&b->image));
	return b->shown.data && b->me && b->md && b->sd ? 0 : -ENOMEM;
}

static void bench_close(struct bench *b)
{
	free(b->shown.data);
	md_encoder_destroy(b->me);
	md_decoder_destroy(b->md);
	split_decoder_destroy(b->sd);
}

static double capped(double db)
{
	return db < 60 ? db : 60;
}

static int add(struct bench *b, bool split, unsigned int i)
{
	const uint8_t *payload = payload_at(&b->p, i);

	return split ? split_add(b->sd, payload, b->p.len[i]) :
		       md_add(b->md, payload, b->p.len[i]);
}

static void finish(struct bench *b, enum method m, bool split)
{
	if (split)
		split_finish(b->sd, m == NEAREST || m == NEAREST_AIR,
			     &b->shown, b->room);
	else
		md_finish(b->md, &b->shown, b->room);
}

/* One mask: losses @loss, or the only datagram that comes is @only */
static double show(struct bench *b, enum method m, double loss, uint64_t seed,
		   int only)
{
	bool split = m <= KRIGING_AIR;
	unsigned int came = 0;
	struct loss l;

	loss_init(&l, loss, 1, seed);
	split_begin(b->sd, false);
	md_begin(b->md);
	while (!came)
		for (unsigned int i = 0; i < b->p.count; i++)
			if (only >= 0 ? (unsigned int)only == i :
					!loss_next(&l))
				came += !add(b, split, i);
	finish(b, m, split);
	return psnr(&b->image, &b->shown);
}

static void encode(struct bench *b, enum method m, double loss)
{
	size_t bytes = methods[m].bytes * b->area;
	struct md_budget budget = {
		.bytes = m == BOUND ? bytes * (1 - loss) : bytes,
		.loss = m == MD_KNOWN || m == BOUND ? loss : -1,
		.base = m == BOUND,
	};
	unsigned int steps;

	b->p.max = SLOTS;
	if (m > KRIGING_AIR) {
		if (m == BOUND)
			budget.loss = 0;
		md_encode(b->me, &b->image, &budget, &b->p);
		return;
	}
	steps = split_steps(&b->image, PAYLOAD_MAX);
	split_encode(&b->image, steps, &b->p);
	/* whole sub-images, as many as the budget holds */
	for (unsigned int i = 0; i < b->p.count; i++) {
		size_t pixels = b->p.len[i] - SPLIT_HEADER;

		if (pixels > bytes)
			b->p.count = i;
		else
			bytes -= pixels;
	}
}

static double column(struct bench *b, enum method m, unsigned int c)
{
	double sum = 0, loss = c == SINGLE ? -1 : losses[c];

	encode(b, m, loss);
	if (m == BOUND)
		return c == SINGLE ? NAN : capped(show(b, m, 0, 0, -1));
	for (unsigned int i = 0; i < b->masks; i++)
		sum += capped(show(b, m, loss, 1 + i * 1000 + c,
				   c == SINGLE ? (int)(i * 7 % b->p.count) :
						 -1));
	return sum / b->masks;
}

static void print_row(const char *name, unsigned int bytes, const double *row,
		      const double *goal)
{
	printf("%-16s %7u ", name, bytes);
	for (unsigned int c = 0; c < COLUMNS; c++)
		if (isnan(row[c]))
			printf("%8s", "");
		else
			printf("%7.2f%s", row[c],
			       goal && goal[c] && row[c] < goal[c] ? "!" : " ");
	putchar('\n');
}

static void print_head(const char *name)
{
	printf("\n%-25s", name);
	for (unsigned int c = 0; c < LOSSES; c++)
		printf("%6.0f%% ", losses[c] * 100);
	printf(" single\n");
}

static int load(struct bench *b, const char *path)
{
	const char *error;

	if (!png_load(path, &b->image, &error))
		return 0;
	return cli_error(-EINVAL, "%s: %s", path, error);
}

/* PSNR of all methods; adds to the sums */
static int lossy(struct bench *b, const char *path,
		 double sum[METHODS][COLUMNS])
{
	const char *name = strrchr(path, '/');
	int ret = load(b, path);

	if (ret)
		return ret;
	convert_gray(&b->image);
	convert_8bit(&b->image);
	ret = bench_open(b);
	if (ret)
		return ret;
	print_head(name ? name + 1 : path);
	for (unsigned int m = 0; m < METHODS; m++) {
		double row[COLUMNS];

		for (unsigned int c = 0; c < COLUMNS; c++) {
			row[c] = column(b, m, c);
			sum[m][c] += row[c];
		}
		print_row(methods[m].name, methods[m].bytes, row, NULL);
		fflush(stdout);
	}
	bench_close(b);
	free(b->image.data);
	return 0;
}

/* Share of 16-bit frames that are exact, by loss; -1: not of 16 bit */
static int exact(struct bench *b, const char *path, double *share,
		 unsigned int tries)
{
	static const double at[] = { .1, .2, .25, .3 };
	struct md_budget budget = { .loss = -1 };
	int ret = load(b, path);

	*share = -1;
	if (ret)
		return ret;
	if (b->image.depth != 16 || bench_open(b)) {
		free(b->image.data);
		return 0;
	}
	/* more than 255 datagrams there are not, whatever the area */
	budget.bytes = DEEP;
	b->p.max = SLOTS;
	md_encode(b->me, &b->image, &budget, &b->p);
	printf("%-34s", strrchr(path, '/') ? strrchr(path, '/') + 1 : path);
	for (unsigned int a = 0; a < 4; a++) {
		unsigned int good = 0;

		for (unsigned int i = 0; i < tries; i++) {
			show(b, MD_FIXED, at[a], i * 31 + a, -1);
			good += md_exact(b->md);
		}
		printf("%7.1f%% ", 100. * good / tries);
		if (at[a] == .25)
			*share = (double)good / tries;
	}
	putchar('\n');
	bench_close(b);
	free(b->image.data);
	return 0;
}

static bool is_depth(const char *path)
{
	return strstr(path, "depth");
}

static int quality(struct bench *b, char **files, int count)
{
	double sum[METHODS][COLUMNS] = { { 0 } }, share;
	unsigned int n = 0;

	for (int i = 0; i < count; i++) {
		if (is_depth(files[i]))
			continue;
		if (lossy(b, files[i], sum))
			return 1;
		n++;
	}
	if (n)
		print_head("mean (!: less than the goal)");
	for (unsigned int m = 0; n && m < METHODS; m++) {
		for (unsigned int c = 0; c < COLUMNS; c++)
			sum[m][c] /= n;
		print_row(methods[m].name, methods[m].bytes, sum[m],
			  methods[m].goal);
	}
	printf("\nbit-exact frames of 16 bit, %d bytes\n%-34s%7s  %7s  %7s  %7s\n",
	       DEEP, "", "10%", "20%", "25%", "30%");
	for (int i = 0; i < count; i++)
		if (exact(b, files[i], &share, 20 * b->masks))
			return 1;
	printf("\ndepth images: what is known is within 1/%d of its depth, ghosts are holes\n"
	       "that are shown as depth, off are depths that are shown with a larger error\n",
	       DEPTHCODE_TOLERANCE);
	for (int i = 0; i < count; i++)
		if (is_depth(files[i]) && quality_depth(files[i], b->masks))
			return 1;
	return 0;
}

int main(int argc, char **argv)
{
	struct bench b = { .masks = 12 };
	int first = 1;

	cli_program = "quality";
	if (argc > 2 && !strcmp(argv[1], "--masks")) {
		b.masks = atoi(argv[2]);
		first = 3;
	}
	if (argc <= first || !b.masks) {
		fprintf(stderr, "usage: quality [--masks N] FILE.png ...\n");
		return 1;
	}
	if (payloads_create(&b.p, SLOTS))
		return 1;
	return quality(&b, argv + first, argc - first);
}
