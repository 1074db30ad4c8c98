/* SPDX-License-Identifier: GPL-2.0 */
#ifndef OPTSAMPLE_TEST_FULLMAC_H
#define OPTSAMPLE_TEST_FULLMAC_H

#include <linux/types.h>

int fullmac_make(u32 room, bool stops);
int fullmac_do(const char *what);
void fullmac_say(void);
void fullmac_exit(void);

#endif
