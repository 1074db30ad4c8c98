/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared by the parts of the tc plugin: options, profiles, the classifier,
 * statistics.
 */
#ifndef OPTSAMPLE_TC_Q_OPTSAMPLE_H
#define OPTSAMPLE_TC_Q_OPTSAMPLE_H

#include <optsample/units.h>
#include "tc_plugin.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* Set by tests, to let the kernel check values that are refused here. */
#define UNCHECKED_ENV	"OPTSAMPLE_TC_UNCHECKED"

static const struct unit plain_units[] = {
	{ "", 1 }, { NULL, 0 }
};

static const struct unit percent_units[] = {
	{ "", 1 }, { "%", 1 }, { NULL, 0 }
};

int optsample_parse_profiles(int argc, char **argv, struct nlmsghdr *n,
			     int maxlen);
void optsample_print_profiles(FILE *f, const struct rtattr *rta);
int optsample_parse_prog(int argc, char **argv, struct nlmsghdr *n, int maxlen);
void optsample_print_prog(FILE *f, const struct rtattr *id,
			  const struct rtattr *name);
int optsample_print_xstats(struct qdisc_util *qu, FILE *f,
			   struct rtattr *xstats);

#endif
