/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * min_delay.h - the least of a delay over half a minute: the way without queues
 *
 * Short enough that clocks that drift apart by 100 ppm matter for 3 ms.
 */
#ifndef LINK_MIN_DELAY_H
#define LINK_MIN_DELAY_H

#include <stdbool.h>
#include <stdint.h>

enum { LOWEST_SLOTS = 30 };		/* of 1 s */

/**
 * struct lowest - least value by second
 * @value:	us; INT64_MAX: none
 * @second:	that runs
 */
struct lowest {
	int64_t		value[LOWEST_SLOTS];
	uint64_t	second;
};

/* Forget all */
void lowest_reset(struct lowest *l);

/**
 * lowest_add() - a value
 * @now: ns
 *
 * Return: how far it is above the least, us.
 */
int64_t lowest_add(struct lowest *l, uint64_t now, int64_t value);

#endif
