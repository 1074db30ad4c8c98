// SPDX-License-Identifier: GPL-2.0-only
/*
 * simbad_csv - the csv of the Simbad simulator and of a TurtleBot, as the
 * authors of cloud SLAM recorded them
 *
 *	range_max,range_min,angle_min,angle_max,increment,x,y,theta,range...
 *
 * A line is a scan (m, rad) with its odometry; the laser is at the centre of
 * the robot. There are no times: lines are 0.2 s apart, and the first one is at
 * 0.2 s. The number of beams is the number of ranges.
 */
#include <errno.h>
#include <string.h>
#include "base/error.h"
#include "base/number.h"
#include "laser/readings_ops.h"

enum { FIELDS = 8 };	/* before the ranges */

static const int64_t step = 200000000;	/* ns */

/* @scans: lines that are not empty, valid or not */
struct simbad {
	struct readings	r;
	int64_t		scans;
};

/* Numbers and commas only, and enough of them in the first line */
static bool simbad_probe(const char *head, size_t len)
{
	const char *p = head + strspn(head, " \t\r\n");
	double v;

	(void)len;
	for (unsigned int i = 0; i <= FIELDS; i++) {
		const char *end = p + strcspn(p, ",\r\n");

		/* the line may end after the last one */
		if (*end != ',' && i < FIELDS)
			return false;
		if (i < FIELDS && (!number_read(&p, &v) || p != end + 1))
			return false;
	}
	return *p == '-' || *p == '.' || (*p >= '0' && *p <= '9') ||
	       !strncasecmp(p, "nan", 3) || !strncasecmp(p, "inf", 3);
}

static bool simbad_csv_read_scan(struct simbad *s, const char *at,
				 struct reading *r)
{
	double field[FIELDS], v;

	for (unsigned int i = 0; i < FIELDS; i++)
		if (!number_read(&at, &field[i]))
			return false;
	for (r->beams = 0; *at; r->beams++) {
		if (r->beams == READING_BEAMS_MAX || !number_read(&at, &v))
			return false;
		s->r.range[r->beams] = fabs(v) > READING_RANGE_MAX ? INFINITY :
				       v < field[1] ? 0 : v;
	}
	r->range_max = readings_range_max(field[0]);
	r->angle_min = (float)fmax(fmin(field[2], 100), -100);
	r->angle_increment = (float)fmax(fmin(field[4], 100), -100);
	r->odometry = (struct pose){ field[5], field[6],
				     remainder(field[7], 2 * M_PI) };
	return r->beams > 0;
}

static int simbad_next(struct readings *readings, struct reading *r,
		       struct error *error)
{
	struct simbad *s = (struct simbad *)readings;
	char *text;
	size_t len;
	int ret;

	while ((ret = readings_line(&s->r, &text, &len, error)) == 1) {
		s->scans++;
		r->stamp = s->scans * step;
		if (simbad_csv_read_scan(s, text, r))
			return 1;
		s->r.count.bad++;
	}
	return ret;
}

const struct readings_ops simbad_ops = {
	.size	= sizeof(struct simbad),
	.text	= true,
	.probe	= simbad_probe,
	.next	= simbad_next,
};
