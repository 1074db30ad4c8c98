// SPDX-License-Identifier: GPL-2.0-only
/*
 * optsample-lab image - one frame over a lossy link
 */
#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "codec/image/depth.h"
#include "codec/image/md.h"
#include "codec/image/split.h"
#include "formats/image_convert.h"
#include "formats/png_file.h"
#include "lab.h"
#include "options.h"

enum { OPT_METHOD = 256, OPT_BYTES, OPT_GRAY, OPT_8BIT, OPT_STEPS,
       OPT_EXPECT, OPT_BASE, OPT_DEPTHS };

enum method { SPLIT, SPLIT_NN, MD, DEPTH, METHODS };

static const char *const methods[METHODS] = {
	"split", "split-nn", "md", "depth"
};

static const struct argp_option image_options[] = {
	{ "method", OPT_METHOD, "M", 0,
	  "codec: split, split-nn, md or depth (md)", 1 },
	{ "bytes", OPT_BYTES, "N", 0,
	  "maximum size of all payloads, bytes (46336; split: all)", 1 },
	{ "gray", OPT_GRAY, NULL, 0, "convert to gray first", 4 },
	{ "8bit", OPT_8BIT, NULL, 0, "scale 16 bit to 8 bit first", 4 },
	{ "depths", OPT_DEPTHS, NULL, 0,
	  "print the known share and the errors of a depth image", 4 },
	{ "steps", OPT_STEPS, "D", 0,
	  "split: 4^D sub-images (default: as few as fit)", 5 },
	{ "expect", OPT_EXPECT, "P", 0,
	  "md, depth: expected loss rate (none)", 5 },
	{ "base", OPT_BASE, "N", 0,
	  "md: bytes of the base layer in each datagram (500)", 5 },
	LAB_OPTIONS("write the received image, PNG"),
	{ 0 }
};

struct lab_image {
	struct lab_options lab;
	uint32_t	method, bytes, steps;
	struct md_budget md;
	bool		gray, to8, depths;
	/* results */
	struct image	image, shown;
	struct payloads	sent;
	unsigned int	received;
};

static int parse_method(const char *arg, uint32_t *method)
{
	for (*method = 0; *method < METHODS; ++*method)
		if (!strcmp(arg, methods[*method]))
			return 0;
	return -EINVAL;
}

static error_t image_parse(int key, char *arg, struct argp_state *state)
{
	struct lab_image *l = state->input;

	switch (key) {
	case OPT_METHOD:
		if (parse_method(arg, &l->method))
			return cli_error(-EINVAL,
					 "method must be split, split-nn, md "
					 "or depth");
		return 0;
	case OPT_BYTES:
		if (parse_u32(arg, 1, 1 << 30, &l->bytes))
			return cli_error(-EINVAL, "bytes must be 1..2^30");
		return 0;
	case OPT_EXPECT:
		if (parse_loss(arg, &l->md.loss))
			return cli_error(-EINVAL, "expect must be 0..0.99 or 1..100%%");
		return 0;
	case OPT_STEPS:
		if (parse_u32(arg, 0, SPLIT_STEPS, &l->steps))
			return cli_error(-EINVAL, "steps must be 0..%d",
					 SPLIT_STEPS);
		return 0;
	case OPT_BASE:
		if (parse_u32(arg, 1, PAYLOAD_MAX, &l->md.base))
			return cli_error(-EINVAL, "base must be 1..%d",
					 PAYLOAD_MAX);
		return 0;
	case OPT_GRAY:
		l->gray = true;
		return 0;
	case OPT_DEPTHS:
		l->depths = true;
		return 0;
	case OPT_8BIT:
		l->to8 = true;
		return 0;
	}
	return lab_option(&l->lab, key, arg, state);
}

static const struct argp image_argp = {
	image_options, image_parse, "FILE.png",
	"Send an image over a simulated lossy link. Prints method, payload "
	"bytes, datagrams sent and received, and PSNR of the received image; "
	"for depth images also the share known within 1/64, the share of holes "
	"shown as depth, the share of larger errors, and the maximum error.",
	NULL, NULL, NULL
};

static int image_add_split(void *d, const void *payload, size_t len)
{
	return split_add(d, payload, len);
}

static int image_add_md(void *d, const void *payload, size_t len)
{
	return md_add(d, payload, len);
}

static int image_add_depth(void *d, const void *payload, size_t len)
{
	return depth_add(d, payload, len);
}

static int image_by_split(struct lab_image *l)
{
	unsigned int steps = l->steps, n;
	struct split_decoder *d;
	int ret;

	if (steps > SPLIT_STEPS)
		steps = split_steps(&l->image, PAYLOAD_MAX);
	n = split_datagrams(&l->image, steps, PAYLOAD_MAX);
	if (!n)
		return cli_error(-EMSGSIZE, "%s: a row of a sub-image does not fit a datagram",
				 l->lab.path);
	if (payloads_create(&l->sent, n))
		return cli_error(-ENOMEM, "no memory");
	split_encode(&l->image, steps, &l->sent);
	/* the budget excludes the codec's headers */
	for (unsigned int i = 0, sum = 0; l->bytes && i < n; i++) {
		sum += l->sent.len[i] - SPLIT_HEADER;
		if (sum > l->bytes) {
			l->sent.count = i;
			break;
		}
	}
	if (!l->sent.count)
		return cli_error(-ENOSPC, "%u bytes are too few for a datagram of %u",
				 l->bytes, l->sent.len[0] - SPLIT_HEADER);
	d = split_decoder_create(l->image.width, l->image.height,
				 image_pixel(&l->image));
	if (!d)
		return cli_error(-ENOMEM, "no memory");
	split_begin(d, false);
	l->received = lab_pass(&l->lab, &l->sent, image_add_split, d);
	ret = split_finish(d, l->method == SPLIT_NN, &l->shown,
			   l->image.stride * l->image.height);
	split_decoder_destroy(d);
	return ret == -ENODATA ? 0 : ret;
}

static int image_by_md(struct lab_image *l)
{
	struct md_encoder *e = md_encoder_create(l->image.width,
						 l->image.height,
						 l->image.channels);
	struct md_decoder *d = md_decoder_create(l->image.width,
						 l->image.height,
						 l->image.channels);
	long ret = 0;

	if (!e || !d || payloads_create(&l->sent, PRIORITY_DATAGRAMS)) {
		ret = cli_error(-ENOMEM, "no memory");
		goto out;
	}
	l->md.bytes = l->bytes ? l->bytes : 46336;
	ret = md_encode(e, &l->image, &l->md, &l->sent);
	if (ret) {
		cli_error(ret, "%zu bytes are too few for a datagram",
			  l->md.bytes);
		goto out;
	}
	md_begin(d);
	l->received = lab_pass(&l->lab, &l->sent, image_add_md, d);
	ret = md_finish(d, &l->shown, l->image.stride * l->image.height);
	if (ret > 0 || ret == -ENODATA)
		ret = 0;
out:
	md_encoder_destroy(e);
	md_decoder_destroy(d);
	return ret;
}

static int image_by_depth(struct lab_image *l)
{
	struct depth_encoder *e = depth_encoder_create(l->image.width,
						       l->image.height);
	struct depth_decoder *d = depth_decoder_create(l->image.width,
						       l->image.height);
	size_t bytes = l->bytes ? l->bytes : 46336;
	struct depthcode_shown shown;
	long ret;

	if (!e || !d || payloads_create(&l->sent, PRIORITY_DATAGRAMS)) {
		ret = cli_error(-ENOMEM, "no memory");
		goto out;
	}
	ret = depth_encode(e, &l->image, bytes, l->md.loss, &l->sent);
	if (ret == -EINVAL) {
		cli_error(ret,
			  "%s: depth needs images of 16 bit and one channel",
			  l->lab.path);
		goto out;
	}
	if (ret) {
		cli_error(ret, "%zu bytes are too few for a datagram", bytes);
		goto out;
	}
	depth_begin(d);
	l->received = lab_pass(&l->lab, &l->sent, image_add_depth, d);
	ret = depth_finish(d, &l->shown, l->image.stride * l->image.height,
			   &shown);
	if (ret > 0 || ret == -ENODATA)
		ret = 0;
out:
	depth_encoder_destroy(e);
	depth_decoder_destroy(d);
	return ret;
}

/* More results, for depth images */
static void report_depths(const struct lab_image *l)
{
	struct depth_match m;

	if (!l->received) {
		printf(",nan,nan,nan,nan\n");
		return;
	}
	depth_match(&l->image, &l->shown, &m);
	printf(",%.4f,%.4f,%.4f,%u\n", m.known, m.ghosts, m.off, m.most);
}

static int image_report(struct lab_image *l)
{
	const char *error;

	bool depths = l->method == DEPTH || l->depths;

	printf("method,bytes,datagrams,received,psnr_db%s\n",
	       depths ? ",known,ghosts,off,off_most" : "");
	printf("%s,%zu,%u,%u,", methods[l->method], payloads_bytes(&l->sent),
	       l->sent.count, l->received);
	/* without data there is no image to compare */
	if (!l->received)
		printf("nan");
	else
		printf("%.2f", psnr(&l->image, &l->shown));
	if (depths)
		report_depths(l);
	else
		putchar('\n');
	if (!l->lab.out)
		return 0;
	if (!l->received)
		return cli_error(-ENODATA,
				 "no datagram received, no file written");
	if (png_save(l->lab.out, &l->shown, &error))
		return cli_error(-EIO, "%s: %s", l->lab.out, error);
	return 0;
}

/* Remove gaps between rows, as the codec does */
static void image_pack(struct image *image)
{
	size_t row = (size_t)image->width * image_pixel(image);

	for (unsigned int y = 0; y < image->height; y++)
		memmove(image->data + y * row, image_row(image, y), row);
	image->stride = row;
}

int cmd_image(int argc, char **argv)
{
	struct lab_image l = {
		.method = MD, .lab = LAB_DEFAULTS,
		.steps = SPLIT_STEPS + 1, .md.loss = -1,
	};
	const char *error;
	int ret = cli_parse(&image_argp, argc, argv, &l);

	if (ret)
		return ret;
	ret = png_load(l.lab.path, &l.image, &error);
	if (ret)
		return cli_error(ret, "%s: %s", l.lab.path, error);
	if (l.gray)
		convert_gray(&l.image);
	if (l.to8)
		convert_8bit(&l.image);
	image_pack(&l.image);
	l.shown.data = malloc(l.image.stride * l.image.height);
	if (!l.shown.data)
		return cli_error(-ENOMEM, "no memory");
	if (l.depths && (l.image.depth != 16 || l.image.channels != 1))
		return cli_error(-EINVAL,
				 "%s: --depths needs images of 16 bit and one "
				 "channel",
				 l.lab.path);
	ret = l.method == MD ? image_by_md(&l) :
	      l.method == DEPTH ? image_by_depth(&l) : image_by_split(&l);
	if (!ret)
		ret = image_report(&l);
	payloads_destroy(&l.sent);
	free(l.shown.data);
	free(l.image.data);
	return ret;
}
