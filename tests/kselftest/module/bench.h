/* SPDX-License-Identifier: GPL-2.0 */
#ifndef OPTSAMPLE_TEST_BENCH_H
#define OPTSAMPLE_TEST_BENCH_H

#include <linux/types.h>

extern u32 bench_id_step;	/* flow ids are multiples of it; 0: random */

int bench_run(const char *mode, u32 flows, u32 per_message, u32 backlog,
	      u32 count);
int bench_wake(u32 flows, u32 count);
int bench_moves(u32 count);
int bench_way(const char *mode, u32 flows, u32 count);

#endif
