// SPDX-License-Identifier: GPL-2.0-only
/*
 * cpu - features of this CPU
 */
#include "cpu.h"

bool cpu_portable, cpu_no_avx512;

bool cpu_avx2(void)
{
#if CPU_X86
	return !cpu_portable && __builtin_cpu_supports("avx2");
#else
	return false;
#endif
}

bool cpu_avx512(void)
{
#if CPU_X86
	return !cpu_portable && !cpu_no_avx512 &&
	       __builtin_cpu_supports("avx512f") &&
	       __builtin_cpu_supports("avx512bw") &&
	       __builtin_cpu_supports("avx512dq") &&
	       __builtin_cpu_supports("avx512vl");
#else
	return false;
#endif
}

bool cpu_neon(void)
{
	return CPU_NEON && !cpu_portable;
}
