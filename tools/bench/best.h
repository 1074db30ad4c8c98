/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * best.h - the best time of many, of this thread alone
 */
#ifndef BENCH_BEST_H
#define BENCH_BEST_H

#include <math.h>
#include "base/clock.h"

/* Best time of @what, in us, over @n rounds */
#define BEST(n, what) ({						\
	double best_ = INFINITY;					\
	for (int round_ = 0; round_ < (n); round_++) {			\
		double begin_ = thread_us();				\
		what;							\
		begin_ = thread_us() - begin_;				\
		best_ = begin_ < best_ ? begin_ : best_;		\
	}								\
	best_;								\
})

#endif
