// SPDX-License-Identifier: GPL-2.0-only
/*
 * slamd-plain.c - linked to slamd, it becomes slamd-plain: scores by portable
 * C, whatever the processor has
 */
#include "slam/filter/score.h"

__attribute__((constructor)) static void plain(void)
{
	score_use(SCORE_PLAIN);
}
