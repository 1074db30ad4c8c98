/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * min_delay.h - minimum of a delay over half a minute: the path without queues
 *
 * In this time clocks that drift apart by 100 ppm differ by only 3 ms.
 */
#ifndef LINK_MIN_DELAY_H
#define LINK_MIN_DELAY_H

#include <stdbool.h>
#include <stdint.h>

enum { MIN_DELAY_SLOTS = 30 };		/* of 1 s */

/**
 * struct min_delay - minimum of each second
 * @value:	us; INT64_MAX: none
 * @second:	the current second
 */
struct min_delay {
	int64_t		value[MIN_DELAY_SLOTS];
	uint64_t	second;
};

/* Forget all values */
void min_delay_reset(struct min_delay *l);

/**
 * min_delay_add() - add a value
 * @now: ns
 *
 * Return: its distance to the minimum, us.
 */
int64_t min_delay_add(struct min_delay *l, uint64_t now, int64_t value);

#endif
