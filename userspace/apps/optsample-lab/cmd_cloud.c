// SPDX-License-Identifier: GPL-2.0-only
/*
 * optsample-lab cloud - one scan over a lossy link
 */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "codec/cloud/cloud80.h"
#include "codec/cloud/cloudblock.h"
#include "codec/cloud/rangeimage.h"
#include "codec/cloud/rangeimage_cloud.h"
#include "codec/cloud/voxel.h"
#include "formats/cloud_file.h"
#include "lab.h"
#include "options.h"

enum { OPT_METHOD = 256, OPT_LEAF, OPT_MOST, OPT_BITS, OPT_RESOLUTION,
       OPT_INTENSITY, OPT_TURN };

enum method { ANY, BLOCK, RANGE, CLOUD80, METHODS };

enum { SLOTS = 8192 };

static const char *const methods[METHODS] = {
	[BLOCK] = "block", [RANGE] = "range", [CLOUD80] = "cloud80",
};

static const struct argp_option cloud_options[] = {
	{ "method", OPT_METHOD, "M", 0,
	  "codec: block, range (packets only) or cloud80 (that of D6.3) "
	  "(packets without --leaf: range, otherwise block)", 1 },
	{ "leaf", OPT_LEAF, "M", 0,
	  "apply a voxel filter first: edge in metres (block: 0.1)", 1 },
	{ "most", OPT_MOST, "N", 0,
	  "apply a voxel filter first that leaves at most N points", 1 },
	{ "bits", OPT_BITS, "N", 0,
	  "block: bits per axis of a point's position in its voxel (2)", 2 },
	{ "resolution", OPT_RESOLUTION, "M", 0,
	  "range: resolution of ranges, metres (0.002)", 2 },
	{ "intensity", OPT_INTENSITY, "N", 0,
	  "send intensities, in steps of N (no)", 2 },
	{ "turn", OPT_TURN, "N", 0, "packets: revolution to send (1)", 3 },
	LAB_OPTIONS("write the received cloud, .pcd"),
	{ 0 }
};

struct lab_cloud {
	struct lab_options lab;
	uint32_t	method, most, bits, intensity, turn;
	double		leaf, resolution;
	/* results */
	struct cloud_file file;
	struct cloud	*filtered, *shown;
	struct payloads	sent;
	unsigned int	received;
	double		filter_ms;
};

static error_t cloud_parse(int key, char *arg, struct argp_state *state)
{
	struct lab_cloud *l = state->input;

	switch (key) {
	case OPT_METHOD:
		for (l->method = BLOCK; l->method < METHODS; l->method++)
			if (!strcmp(arg, methods[l->method]))
				return 0;
		return cli_error(-EINVAL,
				 "method must be block, range or cloud80");
	case OPT_LEAF:
		if (parse_double(arg, .001, 1000, &l->leaf))
			return cli_error(-EINVAL, "leaf must be 0.001..1000 m");
		return 0;
	case OPT_MOST:
		if (parse_u32(arg, 8, 1 << 24, &l->most))
			return cli_error(-EINVAL, "most must be 8..2^24");
		return 0;
	case OPT_BITS:
		if (parse_u32(arg, 0, CLOUDBLOCK_BITS, &l->bits))
			return cli_error(-EINVAL, "bits must be 0..%d",
					 CLOUDBLOCK_BITS);
		return 0;
	case OPT_RESOLUTION:
		if (parse_double(arg, .002, 1, &l->resolution))
			return cli_error(-EINVAL, "resolution must be 0.002..1 m");
		return 0;
	case OPT_INTENSITY:
		if (parse_u32(arg, 1, 128, &l->intensity))
			return cli_error(-EINVAL, "intensity must be 1..128");
		return 0;
	case OPT_TURN:
		if (parse_u32(arg, 1, 1 << 20, &l->turn))
			return cli_error(-EINVAL, "turn must be 1..2^20");
		return 0;
	case ARGP_KEY_END:
		if (l->leaf && l->most)
			return cli_usage("cloud",
					 "--leaf and --most exclude each "
					 "other");
		break;
	}
	return lab_option(&l->lab, key, arg, state);
}

static const struct argp cloud_argp = {
	cloud_options, cloud_parse, "FILE",
	"Send a cloud over a simulated lossy link: .pcd, VLP-16 packets of "
	"1206 bytes each, or float32 x y z intensity. Prints points before and "
	"after the filter, datagrams, payload bytes, points received, and the "
	"time of the filter.",
	NULL, NULL, NULL
};

/* The best of several rounds, as the first one warms caches */
static int cloud_filter(struct lab_cloud *l)
{
	enum { ROUNDS = 9 };
	const struct cloud *in = l->file.cloud;
	struct voxel *v;
	int ret = 0;

	if (!l->leaf && !l->most) {
		cloud_like(l->filtered, in);
		return cloud_append(l->filtered, in, 0, in->count);
	}
	v = voxel_create(in->count ? in->count : 1);
	if (!v)
		return cli_error(-ENOMEM, "no memory");
	for (unsigned int i = 0; !ret && i < ROUNDS; i++) {
		float leaf = l->leaf;
		double ms = thread_us() / 1000;

		ret = l->most ? voxel_filter_most(v, in, l->most, &leaf,
						  l->filtered) :
				voxel_filter(v, in, leaf, l->filtered);
		ms = thread_us() / 1000 - ms;
		if (!i || ms < l->filter_ms)
			l->filter_ms = ms;
		if (i + 1 == ROUNDS && l->most)
			l->leaf = leaf;
	}
	voxel_destroy(v);
	if (ret)
		return cli_error(ret,
				 "%s: the cloud is too large for this leaf",
				 l->lab.path);
	return 0;
}

static int cloud_add_block(void *d, const void *payload, size_t len)
{
	return cloudblock_add(d, payload, len);
}

static int cloud_add_range(void *d, const void *payload, size_t len)
{
	return rangeimage_add(d, payload, len);
}

static int cloud_add_cloud80(void *d, const void *payload, size_t len)
{
	return cloud80_add(d, payload, len);
}

static int cloud_by_block(struct lab_cloud *l)
{
	unsigned int n = l->filtered->count ? l->filtered->count : 1;
	struct cloudblock_encoder *e = cloudblock_encoder_create(n);
	struct cloudblock_decoder *d = cloudblock_decoder_create(n, SLOTS);
	struct cloudblock_params p = {
		.leaf = l->leaf ? l->leaf : .1, .bits = l->bits,
	};
	int ret = -ENOMEM;

	for (unsigned int i = 0; i < l->filtered->fields; i++)
		p.step[i] = strcmp(l->filtered->field[i].name, "intensity") ||
			    !l->intensity ? -1 : (float)l->intensity;
	if (e && d)
		ret = cloudblock_encode(e, l->filtered, &p, &l->sent);
	if (ret) {
		cli_error(ret, "%s: %s", l->lab.path, ret == -ENOMEM ? "no memory" :
			  "the cloud is too large for this leaf");
	} else {
		cloudblock_begin(d);
		l->received = lab_pass(&l->lab, &l->sent, cloud_add_block, d);
		ret = cloudblock_finish(d, l->shown);
	}
	cloudblock_encoder_destroy(e);
	cloudblock_decoder_destroy(d);
	return ret;
}

static int cloud_by_range(struct lab_cloud *l)
{
	struct organised *o = &l->file.organised, back;
	struct rangeimage_params p = {
		.multiple = l->resolution / o->unit + .5,
		.intensity = l->intensity,
	};
	struct rangeimage *d = rangeimage_create(o->rings, o->columns);
	int ret = -ENOMEM;

	if (d)
		ret = rangeimage_encode(o, &p, &l->sent);
	if (ret) {
		cli_error(ret, "%s: cannot encode: %s", l->lab.path,
			  strerror(-ret));
	} else {
		rangeimage_begin(d);
		l->received = lab_pass(&l->lab, &l->sent, cloud_add_range, d);
		rangeimage_finish(d, &back, NULL);
		ret = organised_to_cloud(&back, l->shown);
	}
	rangeimage_destroy(d);
	return ret;
}

static int by_cloud80(struct lab_cloud *l)
{
	unsigned int n = l->filtered->count ? l->filtered->count : 1;
	struct cloud80 *d = cloud80_create(n);
	int ret = d ? cloud80_encode(l->filtered, &l->sent) : -ENOMEM;

	if (ret) {
		cli_error(ret, "%s: %s", l->lab.path, strerror(-ret));
	} else {
		cloud80_begin(d);
		l->received = lab_pass(&l->lab, &l->sent, cloud_add_cloud80, d);
		ret = cloud80_finish(d, l->shown);
	}
	cloud80_destroy(d);
	return ret;
}

static int cloud_run(struct lab_cloud *l)
{
	unsigned int n = l->file.cloud->count + 1;
	int ret;

	if (!l->method)
		l->method = l->file.organised.rings && !l->leaf && !l->most ?
			    RANGE : BLOCK;
	if (l->method == RANGE && !l->file.organised.rings)
		return cli_error(-EINVAL, "%s: method range needs packets",
				 l->lab.path);
	if (l->method == RANGE && (l->leaf || l->most))
		return cli_error(-EINVAL,
				 "method range does not support a voxel "
				 "filter");
	if (l->method == BLOCK && !l->leaf && !l->most)
		l->leaf = .1;
	l->filtered = cloud_create(n);
	l->shown = cloud_create(n + ORGANISED_COLUMNS);
	if (!l->filtered || !l->shown || payloads_create(&l->sent, SLOTS))
		return cli_error(-ENOMEM, "no memory");
	ret = cloud_filter(l);
	if (ret)
		return ret;
	return l->method == RANGE ? cloud_by_range(l) :
	       l->method == BLOCK ? cloud_by_block(l) : by_cloud80(l);
}

static int cloud_report(struct lab_cloud *l)
{
	printf("points_in,points_out,datagrams,bytes,points_received,filter_ms\n");
	printf("%u,%u,%u,%zu,%u,%.3f\n", l->file.cloud->count,
	       l->filtered->count, l->sent.count, payloads_bytes(&l->sent),
	       l->shown->count, l->filter_ms);
	return l->lab.out ? pcd_save(l->lab.out, l->shown) : 0;
}

int cmd_cloud(int argc, char **argv)
{
	struct lab_cloud l = {
		.bits = 2, .turn = 1, .resolution = .002,
		.lab = LAB_DEFAULTS,
	};
	int ret = cli_parse(&cloud_argp, argc, argv, &l);

	if (ret)
		return ret;
	ret = cloud_file_load(&l.file, l.lab.path, l.turn);
	if (ret)
		return ret;
	ret = cloud_run(&l);
	if (!ret)
		ret = cloud_report(&l);
	cloud_destroy(l.filtered);
	cloud_destroy(l.shown);
	payloads_destroy(&l.sent);
	cloud_file_free(&l.file);
	return ret;
}
