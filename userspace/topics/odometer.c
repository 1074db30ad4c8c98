// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sum of steps.
 */
#include <math.h>
#include "topics/odometer.h"

#define ODOMETER_STEP	0.01	/* m */
#define ODOMETER_JUMP	1000	/* m: a new origin, or invalid: no movement */

uint64_t odometer_step(struct odometer *o, double x, double y, double z)
{
	double step = sqrt((x - o->x) * (x - o->x) + (y - o->y) * (y - o->y) +
			   (z - o->z) * (z - o->z));

	if (!isfinite(step))
		return o->travelled * 1000;
	if (o->started && step < ODOMETER_STEP)
		return o->travelled * 1000;
	if (o->started && step <= ODOMETER_JUMP)
		o->travelled += step;
	o->started = true;
	o->x = x;
	o->y = y;
	o->z = z;
	return o->travelled * 1000;
}
