/* SPDX-License-Identifier: GPL-2.0 */
#ifndef OPTSAMPLE_TEST_AIR_H
#define OPTSAMPLE_TEST_AIR_H

#include <linux/types.h>

int air_configure(u32 kbit, u32 aggregate, u32 gap_us);
void air_exit(void);

#endif
