// SPDX-License-Identifier: GPL-2.0-only
/*
 * Longest silence that loss of reports alone can explain.
 */
#include <math.h>
#include "report_timeout.h"

static const double HALF = 5e8;		/* ns between reports */
static const double CHANCE = 1e-3;	/* of declaring an outage falsely */
/* Few reports arrive: learn loss quickly, forget it slowly */
static const double LEARN = 0.85, FORGET = 0.93;

void report_timeout_ends(struct report_timeout *s, uint32_t ahead)
{
	double missed = (ahead - 1.0) / ahead;
	double keep = missed > s->missed ? LEARN : FORGET;

	s->missed += (1 - pow(keep, ahead)) * (missed - s->missed);
}

uint64_t report_timeout_patience(const struct report_timeout *s)
{
	double missed = fmin(fmax(s->missed, 0.01), 0.9);
	double reports = ceil(log(CHANCE) / log(missed));

	return fmin(fmax(reports * HALF, REPORT_TIMEOUT_LEAST),
		    REPORT_TIMEOUT_MOST);
}
