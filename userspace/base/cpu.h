/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cpu.h - choice of code for this CPU: AVX-512 or AVX2 if it has them, NEON on
 * arm64, otherwise portable C. All versions give the same bits.
 */
#ifndef BASE_CPU_H
#define BASE_CPU_H

#include <stdbool.h>

#if defined(__x86_64__)
#define CPU_X86		1
#define CPU_AVX2	__attribute__((target("avx2")))
#define CPU_AVX512	__attribute__((target(				\
	"avx512f,avx512bw,avx512dq,avx512vl,avx2")))
#else
#define CPU_X86		0
#endif

/* every CPU of this kind has it */
#if defined(__aarch64__) && !defined(__AARCH64EB__)
#define CPU_NEON	1
#else
#define CPU_NEON	0
#endif

/*
 * Plain loops that the compiler builds for several CPUs; the loader selects
 * one. Sanitizers do not support this selection.
 */
#if CPU_X86 && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
	!defined(__SANITIZE_THREAD__)
#define CPU_CLONES	__attribute__((target_clones("default",	\
	"arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define CPU_CLONES
#endif

/* compiled again for each kind of CPU, or for each direction */
#define INLINE		static inline __attribute__((always_inline))

/* for tests and benchmarks: use the portable version, or AVX2 */
extern bool cpu_portable, cpu_no_avx512;

/**
 * cpu_avx2() - whether code marked CPU_AVX2 may be called
 */
bool cpu_avx2(void);

/* As cpu_avx2(), for code marked CPU_AVX512 */
bool cpu_avx512(void);

/* Whether code for NEON is to be called: it is there if CPU_NEON is set */
bool cpu_neon(void);

#endif
