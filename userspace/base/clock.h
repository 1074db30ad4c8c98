/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * clock.h - processor time of this thread
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <time.h>

static inline double thread_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1e6 + t.tv_nsec * 1e-3;
}

#endif
