/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * load.h - limit the rate by processor time
 *
 * The time to encode an image is about proportional to its bytes. If the link
 * carries more than the processor may encode, the processor limits the rate:
 * images become smaller, then less frequent, but not late.
 */
#ifndef LINK_LOAD_H
#define LINK_LOAD_H

#include <stdint.h>

/**
 * struct load - processor load of a program
 * @limit:	fraction of one core, 0 .. 1; 1: no limit
 * @used:	fraction of one core used for coding in the last second
 * @rate:	bytes/s that keep within the limit; infinite: any
 * @at, @cpu, @bytes: time and counters when that second began
 */
struct load {
	double		limit;
	double		used;
	double		rate;
	uint64_t	at, cpu, bytes;
};

/**
 * load_init() - start without measurements; any rate is allowed
 * @limit: fraction of one core; 0, or 1 and more: no limit
 */
void load_init(struct load *l, double limit);

/**
 * load_update() - update the rate from the measured load
 * @now: ns
 * @cpu: processor time of coding so far, ns
 * @bytes: sent so far
 *
 * May be called at any interval; it evaluates whole seconds.
 */
void load_update(struct load *l, uint64_t now, uint64_t cpu, uint64_t bytes);

#endif
