/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * readings_sum.h - all readings of a log as one number
 */
#ifndef FUZZ_READINGS_SUM_H
#define FUZZ_READINGS_SUM_H

#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "laser/readings.h"

/**
 * readings_sum() - read the rest of a log
 * @number: gets the number of readings
 * @end: gets the last result of readings_next()
 *
 * Return: a sum over them.
 */
static inline uint64_t readings_sum(struct readings *log, uint64_t *number,
				    int *end, struct error *error)
{
	struct reading r;
	uint64_t sum = 0;

	*number = 0;
	while ((*end = readings_next(log, &r, error)) == 1) {
		if (!reading_valid(&r) || (r.beams && !r.range))
			abort();
		sum = sum * 31 + (uint64_t)r.stamp + r.beams;
		for (unsigned int i = 0; i < r.beams; i++) {
			uint32_t bits;

			memcpy(&bits, &r.range[i], sizeof(bits));
			sum = sum * 31 + bits;
		}
		++*number;
	}
	return sum;
}

#endif
