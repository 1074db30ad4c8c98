// SPDX-License-Identifier: GPL-2.0-only
/*
 * decode_scan - laser scans, and the virtual scans of a 3D lidar
 */
#include <math.h>
#include <stdlib.h>
#include "codec/scan/laserscan.h"
#include "codec/scan/vscan_code.h"
#include "transport/decode_kinds.h"

struct decode_scan {
	struct laserscan_decoder *scan;
	struct vscan_decoder	virtual;
	float			range[2][VSCAN_BINS];	/* of both scans */
};

void decode_scan_free(void *state)
{
	struct decode_scan *s = state;

	laserscan_decoder_destroy(s->scan);
	free(s);
}

static int decode_scan_add_scan(void *d, const void *payload, size_t len)
{
	return laserscan_add(d, payload, len);
}

static int add_virtual(void *d, const void *payload, size_t len)
{
	return vscan_add(d, payload, len);
}

static struct message_floats floats_of(const float *v, unsigned int count)
{
	return (struct message_floats){
		(const uint8_t *)v, count,
		__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
	};
}

static int laserscan(struct decode_scan *s, const struct decode_call *c)
{
	struct decode_result r = { "", MESSAGE_LASER_SCAN, NULL, 0, false };
	union message msg = { .scan = { .header = decode_header(c) } };
	struct message_laser_scan *m = &msg.scan;
	struct laserscan scan;
	unsigned int taken;

	if (!s->scan)
		s->scan = laserscan_decoder_create(LASERSCAN_BEAMS);
	if (!s->scan)
		return -ENOMEM;
	laserscan_begin(s->scan);
	taken = decode_add(c, s->scan, decode_scan_add_scan);
	if (!taken || laserscan_finish(s->scan, &scan))
		return -EPROTO;
	m->angle_min = scan.angle_min;
	m->angle_max = scan.angle_min + (scan.beams ? scan.beams - 1 : 0) *
		       scan.angle_increment;
	m->angle_increment = scan.angle_increment;
	m->time_increment = scan.time_increment;
	m->scan_time = scan.scan_time;
	m->range_min = scan.range_min;
	m->range_max = scan.range_max;
	m->ranges = floats_of(scan.range, scan.beams);
	if (scan.intensity)
		m->intensities = floats_of(scan.intensity, scan.beams);
	r.share = (double)taken / c->frame->count;
	r.exact = taken == c->frame->count;
	r.msg = &msg;
	c->out(c->arg, &r);
	return 0;
}

/* Bins from -180 degrees on: infinite where nothing is, NaN what is not known */
static void give_virtual(struct decode_scan *s, const struct decode_call *c,
			 const uint16_t cm[VSCAN_BINS], float *range,
			 struct decode_result *r)
{
	union message msg = { .scan = {
		.header = decode_header(c),
		.angle_min = -M_PI,
		.angle_increment = 2 * M_PI / VSCAN_BINS,
		.range_min = .01f,
		.range_max = 655,
	} };

	msg.scan.angle_max = -M_PI + (VSCAN_BINS - 1) * 2 * M_PI / VSCAN_BINS;
	for (unsigned int i = 0; i < VSCAN_BINS; i++)
		range[i] = !vscan_known(&s->virtual, i) ? NAN :
			   cm[i] ? cm[i] * .01f : INFINITY;
	msg.scan.ranges = floats_of(range, VSCAN_BINS);
	r->msg = &msg;
	c->out(c->arg, r);
}

static int virtual_scans(struct decode_scan *s, const struct decode_call *c)
{
	struct decode_result r = { NULL, MESSAGE_LASER_SCAN, NULL, 0, false };
	unsigned int known = 0;
	struct vscan_scans scans;

	vscan_begin(&s->virtual);
	decode_add(c, &s->virtual, add_virtual);
	if (vscan_finish(&s->virtual, &scans))
		return -EPROTO;
	for (unsigned int i = 0; i < VSCAN_BINS; i++)
		known += vscan_known(&s->virtual, i);
	r.share = (double)known / VSCAN_BINS;
	r.suffix = "/landmark_scan";
	give_virtual(s, c, scans.landmark, s->range[0], &r);
	r.suffix = "/obstacle_scan";
	give_virtual(s, c, scans.obstacle, s->range[1], &r);
	return 0;
}

int decode_scan(void **state, const struct decode_limits *limits,
		const struct decode_call *c)
{
	(void)limits;
	if (!*state)
		*state = calloc(1, sizeof(struct decode_scan));
	if (!*state)
		return -ENOMEM;
	return c->codec == CODEC_VSCAN ? virtual_scans(*state, c) :
					 laserscan(*state, c);
}
