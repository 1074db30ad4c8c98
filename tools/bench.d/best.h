/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * best.h - the best time of many, of this thread alone
 */
#ifndef BENCH_BEST_H
#define BENCH_BEST_H

#include <math.h>
#include <time.h>

static inline double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1e6 + t.tv_nsec * 1e-3;
}

/* Best time of @what, in us, over @n rounds */
#define BEST(n, what) ({						\
	double best_ = INFINITY;					\
	for (int round_ = 0; round_ < (n); round_++) {			\
		double begin_ = now_us();				\
		what;							\
		begin_ = now_us() - begin_;				\
		best_ = begin_ < best_ ? begin_ : best_;		\
	}								\
	best_;								\
})

#endif
