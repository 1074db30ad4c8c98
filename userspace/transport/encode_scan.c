// SPDX-License-Identifier: GPL-2.0-only
/*
 * encode_scan - planar laser scans
 */
#include <errno.h>
#include <stdlib.h>
#include "codec/scan/laserscan.h"
#include "transport/encode_kinds.h"

struct encode_scan {
	float		*values;	/* ranges, then intensities */
	unsigned int	room;		/* beams */
};

void encode_scan_free(void *state)
{
	struct encode_scan *s = state;

	free(s->values);
	free(s);
}

static int encode_scan_prepare(void **state, unsigned int beams)
{
	struct encode_scan *s = *state;
	float *values;

	if (!s)
		s = *state = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	if (beams <= s->room)
		return 0;
	values = realloc(s->values, 2 * beams * sizeof(*values));
	if (!values)
		return -ENOMEM;
	s->values = values;
	s->room = beams;
	return 0;
}

int encode_scan(void **state, const struct encode_call *c)
{
	const struct message_laser_scan *m = &c->msg->scan;
	unsigned int beams = m->ranges.count;
	bool intensity = m->intensities.count == beams && beams &&
			 c->options->intensity;
	const struct laserscan_params p = {
		.parts = c->order->parts ? c->order->parts : 2,
		.resolution = c->options->scan_resolution,
		.step = c->options->intensity,
	};
	struct encode_scan *s;
	struct laserscan scan;
	int ret;

	if (beams > LASERSCAN_BEAMS)
		return -EMSGSIZE;
	ret = encode_scan_prepare(state, beams ? beams : 1);
	if (ret)
		return ret;
	s = *state;
	scan = (struct laserscan){
		.beams = beams,
		.angle_min = m->angle_min,
		.angle_increment = m->angle_increment,
		.time_increment = m->time_increment,
		.scan_time = m->scan_time,
		.range_min = m->range_min,
		.range_max = m->range_max,
		.range = s->values,
		.intensity = intensity ? s->values + beams : NULL,
	};
	for (unsigned int i = 0; i < beams; i++)
		scan.range[i] = message_float(&m->ranges, i);
	for (unsigned int i = 0; intensity && i < beams; i++)
		scan.intensity[i] = message_float(&m->intensities, i);
	ret = laserscan_encode(&scan, &p, c->out);
	return ret == -EINVAL ? -EBADMSG : ret;
}
