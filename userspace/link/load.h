/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * load.h - what the processor allows
 *
 * To code an image takes time about as its bytes do. Where the link carries
 * more than the processor should be kept busy with, that is a limit of the
 * rate like any other: images become smaller, and then fewer, not late.
 */
#ifndef LINK_LOAD_H
#define LINK_LOAD_H

#include <stdint.h>

/**
 * struct load - of a program
 * @limit:	of one core, 0 .. 1; 1: none
 * @used:	of one core, for coding in the last second
 * @rate:	bytes/s that keep within the limit; infinite: any
 * @at, @cpu, @bytes: when that second began
 */
struct load {
	double		limit;
	double		used;
	double		rate;
	uint64_t	at, cpu, bytes;
};

/**
 * load_init() - nothing is known yet, any rate will do
 * @limit: of one core; 0, or 1 and more: none
 */
void load_init(struct load *l, double limit);

/**
 * load_update() - learn from what was used
 * @now: ns
 * @cpu: ns of processor time that coding took so far
 * @bytes: sent so far
 *
 * Any number of times; it looks at whole seconds.
 */
void load_update(struct load *l, uint64_t now, uint64_t cpu, uint64_t bytes);

#endif
