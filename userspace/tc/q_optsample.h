/* SPDX-License-Identifier: GPL-2.0-only */
/* What the two halves of the tc plugin share: options and statistics. */
#ifndef OPTSAMPLE_TC_Q_OPTSAMPLE_H
#define OPTSAMPLE_TC_Q_OPTSAMPLE_H

#include <optsample/units.h>
#include "tc_plugin.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

int optsample_print_xstats(struct qdisc_util *qu, FILE *f,
			   struct rtattr *xstats);

#endif
