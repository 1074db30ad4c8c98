// SPDX-License-Identifier: GPL-2.0-only
/*
 * Numbers with units, spelled as tc spells them.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <strings.h>
#include "ctl.h"

struct unit {
	const char	*name;
	double		factor;
};

static int parse_unit(const char *s, const struct unit *units, double *v)
{
	char *end;

	if (!isdigit((unsigned char)*s))
		return -EINVAL;
	*v = strtod(s, &end);
	for (; units->name; units++)
		if (!strcasecmp(end, units->name)) {
			*v *= units->factor;
			return 0;
		}
	return -EINVAL;
}

int parse_u32(const char *s, uint32_t min, uint32_t max, uint32_t *v)
{
	unsigned long long n;
	char *end;

	if (!isdigit((unsigned char)*s))
		return -EINVAL;
	errno = 0;
	n = strtoull(s, &end, 10);
	if (errno || *end || n < min || n > max)
		return -EINVAL;
	*v = n;
	return 0;
}

int parse_size(const char *s, uint64_t *bytes)
{
	static const struct unit units[] = {
		{ "", 1 }, { "b", 1 }, { "k", 1024 }, { "kb", 1024 },
		{ "m", 1 << 20 }, { "mb", 1 << 20 }, { "g", 1 << 30 },
		{ "gb", 1 << 30 }, { NULL, 0 },
	};
	double v;

	if (parse_unit(s, units, &v) || v >= 1e18)
		return -EINVAL;
	*bytes = v;
	return 0;
}

int parse_rate(const char *s, uint64_t *bytes_per_s)
{
	static const struct unit units[] = {
		{ "", 1 / 8.0 }, { "bit", 1 / 8.0 }, { "kbit", 1e3 / 8 },
		{ "mbit", 1e6 / 8 }, { "gbit", 1e9 / 8 }, { "bps", 1 },
		{ "kbps", 1e3 }, { "mbps", 1e6 }, { NULL, 0 },
	};
	double v;

	if (parse_unit(s, units, &v) || v >= 1e18)
		return -EINVAL;
	*bytes_per_s = v;
	return 0;
}

int parse_time_ms(const char *s, uint32_t *ms)
{
	static const struct unit units[] = {
		{ "", 1000 }, { "s", 1000 }, { "ms", 1 }, { NULL, 0 },
	};
	double v;

	if (parse_unit(s, units, &v) || v > 86400e3)
		return -EINVAL;
	*ms = v;
	return 0;
}
