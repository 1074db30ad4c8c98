// SPDX-License-Identifier: GPL-2.0-only
/*
 * quality_depth - what is known of depth images at equal loss
 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "apps/optsample-lab/loss.h"
#include "base/cli.h"
#include "codec/image/depth.h"
#include "codec/image/md.h"
#include "formats/image_convert.h"
#include "formats/png_file.h"
#include "quality_depth.h"

enum { LOSSES = 6, BUDGETS = 3 };

static const double losses[LOSSES] = { 0, .05, .1, .2, .5, .9 };
/* of 640x480, 16, 32 and 64 datagrams a frame */
static const unsigned int budgets[BUDGETS] = { 23168, 46336, 92672 };

struct bench {
	struct image		image, shown;
	size_t			room;
	struct payloads		p;
	struct depth_encoder	*de;
	struct depth_decoder	*dd;
	struct md_encoder	*me;
	struct md_decoder	*md;
};

/* Means over all masks at one loss; @most over all of them */
struct figures {
	double		exact, known, ghosts, off;
	unsigned int	most;
};

static int open_bench(struct bench *b, const char *path)
{
	unsigned int w, h;
	const char *error;

	if (png_load(path, &b->image, &error))
		return cli_error(-EINVAL, "%s: %s", path, error);
	w = b->image.width;
	h = b->image.height;
	if (b->image.depth != 16 || b->image.channels != 1)
		return cli_error(-EINVAL, "%s: depths are 16 bit and one channel",
				 path);
	b->room = (size_t)w * h * 2;
	b->shown.data = malloc(b->room);
	b->de = depth_encoder_create(w, h);
	b->dd = depth_decoder_create(w, h);
	b->me = md_encoder_create(w, h, 1);
	b->md = md_decoder_create(w, h, 1);
	if (!b->shown.data || !b->de || !b->dd || !b->me || !b->md ||
	    payloads_create(&b->p, PRIORITY_DATAGRAMS))
		return cli_error(-ENOMEM, "no memory");
	return 0;
}

static void close_bench(struct bench *b)
{
	free(b->image.data);
	free(b->shown.data);
	payloads_destroy(&b->p);
	depth_encoder_destroy(b->de);
	depth_decoder_destroy(b->dd);
	md_encoder_destroy(b->me);
	md_decoder_destroy(b->md);
}

/* A frame of which nothing arrives is drawn again */
static void show(struct bench *b, bool depth, double loss, uint64_t seed,
		 struct depth_match *m)
{
	struct depthcode_shown shown;
	unsigned int came = 0;
	struct loss l;

	loss_init(&l, loss, 1, seed);
	depth_begin(b->dd);
	md_begin(b->md);
	while (!came)
		for (unsigned int i = 0; i < b->p.count; i++) {
			const uint8_t *p = payload_at(&b->p, i);

			if (loss_next(&l))
				continue;
			came += depth ? !depth_add(b->dd, p, b->p.len[i]) :
					!md_add(b->md, p, b->p.len[i]);
		}
	if (depth)
		depth_finish(b->dd, &b->shown, b->room, &shown);
	else
		md_finish(b->md, &b->shown, b->room);
	depth_match(&b->image, &b->shown, m);
}

static void measure(struct bench *b, bool depth, double loss,
		    unsigned int masks, struct figures *f)
{
	*f = (struct figures){ 0 };
	for (unsigned int i = 0; i < masks; i++) {
		struct depth_match m;

		show(b, depth, loss, 1 + i * 1000 + loss * 100, &m);
		f->exact += (double)m.exact / masks;
		f->known += m.known / masks;
		f->ghosts += m.ghosts / masks;
		f->off += m.off / masks;
		f->most = m.most > f->most ? m.most : f->most;
	}
}

static void print_share(const char *what, const struct figures *f,
			size_t offset)
{
	printf("%18s%-16s", "", what);
	for (unsigned int i = 0; i < LOSSES; i++)
		printf("%8.2f", 100 * *(const double *)((const char *)&f[i] +
							offset));
	putchar('\n');
}

static void print_method(struct bench *b, bool depth, unsigned int bytes,
			 unsigned int masks)
{
	size_t budget = (double)bytes * b->image.width * b->image.height /
			(640 * 480);
	const struct md_budget md = { .bytes = budget, .loss = -1 };
	struct figures f[LOSSES];
	int ret = depth ? depth_encode(b->de, &b->image, budget, -1, &b->p) :
			  md_encode(b->me, &b->image, &md, &b->p);

	if (ret)
		return;
	for (unsigned int i = 0; i < LOSSES; i++)
		measure(b, depth, losses[i], masks, &f[i]);
	printf("%-8s %7u\n", depth ? "depth" : "md", bytes);
	print_share("exact frames %", f, offsetof(struct figures, exact));
	print_share("known %", f, offsetof(struct figures, known));
	print_share("ghosts %", f, offsetof(struct figures, ghosts));
	print_share("off %", f, offsetof(struct figures, off));
	printf("%18s%-16s", "", "off at most");
	for (unsigned int i = 0; i < LOSSES; i++)
		printf("%8u", f[i].most);
	putchar('\n');
	fflush(stdout);
}

/* All of it, nothing lost and nothing to protect it */
static size_t exact_bytes(const struct image *image)
{
	size_t limit = image->stride * image->height * 2, len;
	struct depthcode *c = depthcode_create(image->width, image->height);
	uint8_t *buf = malloc(limit + depthcode_slack(image->width));
	static struct zeroblock_curve curve;
	bool whole;

	len = c && buf ? depthcode_encode(c, image, buf, limit, &whole,
					  &curve) : 0;
	depthcode_destroy(c);
	free(buf);
	return len;
}

int quality_depth(const char *path, unsigned int masks)
{
	const char *name = strrchr(path, '/');
	struct bench b = { 0 };
	int ret = open_bench(&b, path);

	if (!ret) {
		printf("\n%s: all of it is %zu bytes\n%34s",
		       name ? name + 1 : path, exact_bytes(&b.image), "");
		for (unsigned int i = 0; i < LOSSES; i++)
			printf("%7.0f%%", losses[i] * 100);
		putchar('\n');
		for (unsigned int i = 0; i < BUDGETS; i++)
			for (int depth = 1; depth >= 0; depth--)
				print_method(&b, depth, budgets[i], masks);
	}
	close_bench(&b);
	return ret;
}
