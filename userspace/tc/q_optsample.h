/* SPDX-License-Identifier: GPL-2.0-only */
/* What the two halves of the tc plugin share: options and statistics. */
#ifndef OPTSAMPLE_TC_Q_OPTSAMPLE_H
#define OPTSAMPLE_TC_Q_OPTSAMPLE_H

#include "tc_plugin.h"

#define KIB		1024ULL
#define MIB		(1024 * KIB)
#define GIB		(1024 * MIB)
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

int optsample_print_xstats(struct qdisc_util *qu, FILE *f,
			   struct rtattr *xstats);

#endif
