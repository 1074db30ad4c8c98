// SPDX-License-Identifier: GPL-2.0-only
/*
 * tinyslam - .dat logs of a robot of Mines ParisTech, as published with
 * tinySLAM (CoreSLAM)
 *
 * A line is a scan: time in us, a number, ticks of the left and of the right
 * wheel since the start, 20 unused numbers, and the ranges of a Hokuyo
 * URG-04LX in mm: 682 from -120 to 120 degrees, and an extra value. Values
 * below 20 are error codes. The robot itself blocks the first and the last
 * beams, which are left out as by its authors.
 *
 * Earlier logs (test_lab) have 12 fewer numbers: time, ticks of the left and of
 * the right wheel, which counts backwards, 9 unused numbers, and the ranges.
 *
 * The constants are those of its authors (test_loop_closing.c and
 * test_lab_reverse.c in OpenSLAM's tinyslam, mines.py of BreezySLAM): wheel radius, half the distance of the
 * wheels, ticks of a turn, and the pose of the laser.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "base/number.h"
#include "laser/readings_ops.h"

enum {
	HEAD		= 24,		/* numbers before the ranges */
	HEAD_EARLIER	= 12,
	BEAMS		= 682,
	LEAST		= 100,		/* ranges needed to detect the format */
	MARGIN		= 70,		/* beams at both ends: the robot */
	MARGIN_EARLIER	= 45,
	ERROR_CODES	= 20,		/* mm */
};

static const double wheel = 0.077, half_base = 0.165;	/* m: r, R */
static const double ticks = 2000;	/* inc */
static const struct pose laser = { 0.145, 0, 0 };
static const float range_max = 5.6f;	/* m, of the URG-04LX */

/* Longest distance of the robot between two lines, m */
static const double step_most = 10;

/**
 * struct tinyslam
 * @left, @right: ticks at @pose, if @begun
 */
struct tinyslam {
	struct readings	r;
	struct pose	pose;
	double		left, right;
	bool		begun;
};

/* A time in us, and then numbers with spaces between them */
static bool tinyslam_probe(const char *head, size_t len)
{
	const char *p = head + strspn(head, " \t\r\n");
	unsigned int n = 0;
	double v;

	(void)len;
	if (p[strcspn(p, ",\r\n")] == ',')
		return false;
	while (n < HEAD + LEAST && number_read(&p, &v))
		if (!n++ && v != floor(v))
			return false;
	return n == HEAD + LEAST;
}

/* Apply the motion of both wheels. Return: false: too far */
static bool drive(struct tinyslam *t, double left, double right)
{
	const double per_tick = 2 * M_PI * wheel / ticks;
	const double l = (left - t->left) * per_tick;
	const double r = (right - t->right) * per_tick;
	const bool begun = t->begun;

	/* after a jump go on from there: the counters were reset */
	t->left = left;
	t->right = right;
	t->begun = true;
	if (!begun)
		return true;
	if (fabs(l) + fabs(r) > step_most)
		return false;
	t->pose.x += (l + r) / 2 * cos(t->pose.yaw);
	t->pose.y += (l + r) / 2 * sin(t->pose.yaw);
	t->pose.yaw = remainder(t->pose.yaw + (r - l) / (2 * half_base),
				2 * M_PI);
	return true;
}

/* Whether a line is of an earlier log */
static bool is_earlier(const char *at)
{
	unsigned int n = 0;
	double v;

	while (number_read(&at, &v))
		n++;
	return n == HEAD_EARLIER + BEAMS || n == HEAD_EARLIER + BEAMS + 1;
}

static bool tinyslam_read_scan(struct tinyslam *t, const char *at,
			       struct reading *r)
{
	const double from = -120, to = 120, degree = M_PI / 180;
	const double each = (to - from) / (BEAMS - 1);
	const bool earlier = is_earlier(at);
	const unsigned int margin = earlier ? MARGIN_EARLIER : MARGIN;
	double left, right, v;

	if (!number_stamp(&at, 3, &r->stamp) ||
	    (!earlier && !number_read(&at, &v)) ||
	    !number_within(&at, 1e12, &left) ||
	    !number_within(&at, 1e12, &right))
		return false;
	if (earlier)
		right = -right;
	for (int i = earlier ? 3 : 4; i < (earlier ? HEAD_EARLIER : HEAD); i++)
		if (!number_read(&at, &v))
			return false;
	if (!readings_ranges(&t->r, &at, BEAMS) || !drive(t, left, right))
		return false;
	for (unsigned int i = 0; i < BEAMS; i++)
		t->r.range[i] = t->r.range[i] < ERROR_CODES ? 0 :
				t->r.range[i] / 1000;
	r->range = t->r.range + margin + 1;
	r->beams = BEAMS - 2 * margin - 1;
	r->angle_min = (float)((from + (margin + 1) * each) * degree);
	r->angle_increment = (float)(each * degree);
	r->range_max = range_max;
	r->odometry = t->pose;
	r->laser = laser;
	return true;
}

static int tinyslam_next(struct readings *readings, struct reading *r,
			 struct error *error)
{
	struct tinyslam *t = (struct tinyslam *)readings;
	char *text;
	size_t len;
	int ret;

	while ((ret = readings_line(&t->r, &text, &len, error)) == 1) {
		if (tinyslam_read_scan(t, text, r))
			return 1;
		t->r.count.bad++;
	}
	return ret;
}

const struct readings_ops tinyslam_ops = {
	.size	= sizeof(struct tinyslam),
	.text	= true,
	.probe	= tinyslam_probe,
	.next	= tinyslam_next,
};
