// SPDX-License-Identifier: GPL-2.0-only
/*
 * optsample-lab scan - virtual 2D scans of a revolution over a lossy link
 */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/clock.h"
#include "codec/core/payload.h"
#include "codec/scan/vscan.h"
#include "codec/scan/vscan_code.h"
#include "formats/cloud_file.h"
#include "lab.h"
#include "options.h"

enum { OPT_HEIGHT = 256, OPT_ROBOT, OPT_PARTS, OPT_TURN, };

static const struct argp_option scan_options[] = {
	{ "height", OPT_HEIGHT, "M", 0,
	  "height of the sensor over the ground, m (0.6)", 1 },
	{ "robot", OPT_ROBOT, "M", 0, "height of the robot, m (1.2)", 1 },
	{ "turn", OPT_TURN, "N", 0, "revolution to send (1)", 2 },
	{ "parts", OPT_PARTS, "N", 0, "1: both scans in each of two datagrams, 2: even and odd bins (2)", 2 },
	LAB_OPTIONS("write the received scans: degrees, landmark, obstacle, in "
		    "metres"),
	{ 0 }
};

struct lab_scan {
	struct lab_options lab;
	struct vscan_params params;
	uint32_t	parts, turn;
	/* results */
	struct cloud_file file;
	struct vscan_scans made, shown;
	struct payloads	sent;
	unsigned int	received;
	double		ms;
};

static error_t scan_parse(int key, char *arg, struct argp_state *state)
{
	struct lab_scan *l = state->input;
	double metres;

	switch (key) {
	case OPT_HEIGHT:
	case OPT_ROBOT:
		if (parse_double(arg, 0, 100, &metres))
			return cli_error(-EINVAL, "%s must be 0..100 m",
					 key == OPT_HEIGHT ? "height" : "robot");
		*(key == OPT_HEIGHT ? &l->params.height : &l->params.robot) =
			metres;
		return 0;
	case OPT_PARTS:
		if (parse_u32(arg, 1, 2, &l->parts))
			return cli_error(-EINVAL, "parts must be 1 or 2");
		return 0;
	case OPT_TURN:
		if (parse_u32(arg, 1, 1 << 20, &l->turn))
			return cli_error(-EINVAL, "turn must be 1..2^20");
		return 0;
	}
	return lab_option(&l->lab, key, arg, state);
}

static const struct argp scan_argp = {
	scan_options, scan_parse, "FILE.bin",
	"Make a landmark and an obstacle scan from VLP-16 packets of 1206 "
	"bytes each, and send them over a simulated lossy link. Prints "
	"non-empty bins, datagrams, payload bytes, bins received, and the time "
	"to make the scans.",
	NULL, NULL, NULL
};

static int make(struct lab_scan *l)
{
	enum { ROUNDS = 9 };
	struct vscan *v = vscan_create(ORGANISED_RINGS, ORGANISED_COLUMNS);
	int ret = 0;

	if (!v)
		return cli_error(-ENOMEM, "no memory");
	/* the best of several rounds, as the first one warms caches */
	for (unsigned int i = 0; !ret && i < ROUNDS; i++) {
		double ms = thread_us() / 1000;

		ret = vscan_make(v, &l->file.organised, &l->params, &l->made);
		ms = thread_us() / 1000 - ms;
		if (!i || ms < l->ms)
			l->ms = ms;
	}
	vscan_destroy(v);
	return ret ? cli_error(ret, "%s: too few columns", l->lab.path) : 0;
}

static int scan_add_scan(void *d, const void *payload, size_t len)
{
	return vscan_add(d, payload, len);
}

static int transmit(struct lab_scan *l)
{
	struct vscan_decoder d;
	int ret = payloads_create(&l->sent, VSCAN_PARTS_MAX);

	if (!ret)
		ret = vscan_encode(&l->made, l->parts, l->parts == 1 ? 2 : 1,
				   &l->sent);
	if (ret)
		return cli_error(ret, "%s", strerror(-ret));
	vscan_begin(&d);
	l->received = lab_pass(&l->lab, &l->sent, scan_add_scan, &d);
	vscan_finish(&d, &l->shown);
	return 0;
}

static unsigned int seen(const uint16_t bins[VSCAN_BINS])
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < VSCAN_BINS; i++)
		n += bins[i] > 0;
	return n;
}

static int scan_report(const struct lab_scan *l)
{
	FILE *f;

	printf("landmark_bins,obstacle_bins,datagrams,bytes,received,"
	       "landmark_received,obstacle_received,make_ms\n");
	printf("%u,%u,%u,%zu,%u,%u,%u,%.3f\n", seen(l->made.landmark),
	       seen(l->made.obstacle), l->sent.count, payloads_bytes(&l->sent),
	       l->received, seen(l->shown.landmark), seen(l->shown.obstacle),
	       l->ms);
	if (!l->lab.out)
		return 0;
	f = fopen(l->lab.out, "w");
	if (!f)
		return cli_error(-errno, "%s: %s", l->lab.out, strerror(errno));
	fputs("degrees,landmark,obstacle\n", f);
	for (unsigned int i = 0; i < VSCAN_BINS; i++)
		fprintf(f, "%.1f,%.2f,%.2f\n", -180 + i * 360. / VSCAN_BINS,
			l->shown.landmark[i] * .01, l->shown.obstacle[i] * .01);
	if (ferror(f) | fclose(f))
		return cli_error(-EIO, "%s: cannot write", l->lab.out);
	return 0;
}

int cmd_scan(int argc, char **argv)
{
	struct lab_scan l = {
		.params = VSCAN_DEFAULTS, .parts = 2, .turn = 1,
		.lab = LAB_DEFAULTS,
	};
	int ret = cli_parse(&scan_argp, argc, argv, &l);

	if (ret)
		return ret;
	ret = cloud_file_load(&l.file, l.lab.path, l.turn);
	if (ret)
		return ret;
	if (!l.file.organised.rings)
		ret = cli_error(-EINVAL, "%s: no VLP-16 packets", l.lab.path);
	if (!ret)
		ret = make(&l);
	if (!ret)
		ret = transmit(&l);
	if (!ret)
		ret = scan_report(&l);
	payloads_destroy(&l.sent);
	cloud_file_free(&l.file);
	return ret;
}
