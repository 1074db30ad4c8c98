// SPDX-License-Identifier: GPL-2.0-only
/*
 * cpu - what this CPU can do
 */
#include "cpu.h"

bool cpu_portable;

bool cpu_avx2(void)
{
#if CPU_X86
	return !cpu_portable && __builtin_cpu_supports("avx2");
#else
	return false;
#endif
}
