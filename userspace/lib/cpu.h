/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cpu.h - which of two equal paths runs: AVX2 where the CPU has it, else
 * portable C. Both give the same bits.
 */
#ifndef LIB_CPU_H
#define LIB_CPU_H

#include <stdbool.h>

#if defined(__x86_64__)
#define CPU_X86		1
#define CPU_AVX2	__attribute__((target("avx2")))
#else
#define CPU_X86		0
#endif

/* what is compiled anew for each kind of CPU, or for each direction */
#define INLINE		static inline __attribute__((always_inline))

/* for tests and benchmarks: take the portable path */
extern bool cpu_portable;

/**
 * cpu_avx2() - whether code marked CPU_AVX2 may be called
 */
bool cpu_avx2(void);

#endif
