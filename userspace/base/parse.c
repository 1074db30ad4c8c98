// SPDX-License-Identifier: GPL-2.0-only
/*
 * Numbers in a range.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <optsample/units.h>
#include "base/cli.h"

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

static int parse_unit(const char *s, const struct unit *units, uint32_t min,
		      uint32_t max, uint32_t *v)
{
	uint64_t n;

	if (parse_whole(s, units, &n) || n < min || n > max)
		return -EINVAL;
	*v = n;
	return 0;
}

int parse_size(const char *s, uint32_t min, uint32_t max, uint32_t *bytes)
{
	return parse_unit(s, size_units, min, max, bytes);
}

int parse_time_ms(const char *s, uint32_t min, uint32_t max, uint32_t *ms)
{
	return parse_unit(s, time_units, min, max, ms);
}

int parse_double(const char *s, double min, double max, double *v)
{
	char *end;
	double d;

	if (!isdigit((unsigned char)*s) && *s != '.' && *s != '-')
		return -EINVAL;
	d = strtod(s, &end);
	/* also rejects NAN */
	if (*end || !(d >= min && d <= max))
		return -EINVAL;
	*v = d;
	return 0;
}
