/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parsers shared by all programs: numbers with units as in tc(8), and names of
 * policies. Not for the kernel.
 */
#ifndef OPTSAMPLE_UNITS_H
#define OPTSAMPLE_UNITS_H

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <optsample/sampler.h>

#define KIB		1024ULL
#define MIB		(1024 * KIB)
#define GIB		(1024 * MIB)

/**
 * struct unit - a row of a table, which ends with a @name of NULL
 * @name:	suffix of the number, upper or lower case
 * @scale:	factor for the number
 */
struct unit {
	const char *name;
	double scale;
};

/* In sizes "kbit" is 1024 bits. */
static const struct unit size_units[] = {
	{ "", 1 }, { "b", 1 },
	{ "k", KIB }, { "kb", KIB }, { "kbit", KIB / 8 },
	{ "m", MIB }, { "mb", MIB }, { "mbit", MIB / 8 },
	{ "g", GIB }, { "gb", GIB }, { "gbit", GIB / 8 },
	{ NULL, 0 }
};

static const struct unit time_units[] = {	/* to ms */
	{ "", 1e-3 }, { "us", 1e-3 }, { "usec", 1e-3 }, { "usecs", 1e-3 },
	{ "ms", 1 }, { "msec", 1 }, { "msecs", 1 },
	{ "s", 1e3 }, { "sec", 1e3 }, { "secs", 1e3 },
	{ NULL, 0 }
};

static const struct unit rate_units[] = {	/* to bits per second */
	{ "", 1 }, { "bit", 1 },
	{ "kbit", 1e3 }, { "mbit", 1e6 }, { "gbit", 1e9 }, { "tbit", 1e12 },
	{ "kibit", KIB }, { "mibit", MIB }, { "gibit", GIB },
	{ "tibit", 1024.0 * GIB },
	{ "bps", 8 }, { "kbps", 8e3 }, { "mbps", 8e6 }, { "gbps", 8e9 },
	{ "tbps", 8e12 },
	{ "kibps", 8.0 * KIB }, { "mibps", 8.0 * MIB }, { "gibps", 8.0 * GIB },
	{ "tibps", 8192.0 * GIB },
	{ NULL, 0 }
};

/**
 * parse_scaled - parse a number with its unit
 * @str:	the number and the unit, nothing else
 * @units:	table of units
 * @value:	out: the scaled number
 *
 * Also rejects other forms that strtod() accepts: -1, inf, 0x10, 1e3.
 *
 * Return: 0 or -EINVAL
 */
static inline int parse_scaled(const char *str, const struct unit *units,
			       double *value)
{
	size_t len = strspn(str, "0123456789.");
	char number[64];
	char *end;

	if (!len || len >= sizeof(number))
		return -EINVAL;
	memcpy(number, str, len);
	number[len] = '\0';
	*value = strtod(number, &end);
	if (*end || end == number)
		return -EINVAL;
	for (; units->name; units++) {
		if (strcasecmp(str + len, units->name))
			continue;
		*value *= units->scale;
		return 0;
	}
	return -EINVAL;
}

/**
 * parse_whole - the same; the scaled number must be a whole number of 32 bits
 * @str:	as above
 * @units:	as above
 * @value:	result
 *
 * Return: 0 or -EINVAL
 */
static inline int parse_whole(const char *str, const struct unit *units,
			      uint64_t *value)
{
	double d, off;

	/* A double is exact for all integers up to 2^53. */
	if (parse_scaled(str, units, &d) || d > UINT32_MAX)
		return -EINVAL;
	*value = d + 0.5;
	off = d - *value;
	return off < 1e-6 && off > -1e-6 ? 0 : -EINVAL;
}

/**
 * parse_rate - parse a rate, or "unlimited"
 * @str:	as above
 * @rate:	bytes per second, 0: no limit
 *
 * Bits per second are rounded down to bytes, but never to "no limit".
 *
 * Return: 0 or -EINVAL
 */
static inline int parse_rate(const char *str, uint64_t *rate)
{
	double bits;

	if (!strcasecmp(str, "unlimited")) {
		*rate = 0;
		return 0;
	}
	if (parse_scaled(str, rate_units, &bits) ||
	    bits / 8 >= (double)INT64_MAX || (bits > 0 && bits < 8))
		return -EINVAL;
	*rate = bits / 8;
	return 0;
}

#define __OPTSAMPLE_POLICY_SEP(ID, ident, name, sep) sep name

/* The names of all policies with @sep between them; both are literals. */
#define OPTSAMPLE_POLICY_NAMES(sep) \
	(&(OPTSAMPLE_POLICIES(__OPTSAMPLE_POLICY_SEP, sep))[sizeof(sep) - 1])

/**
 * parse_policy - parse the name of a policy
 * @str:	the name
 * @policy:	enum optsample_policy
 *
 * Return: 0 or -EINVAL
 */
static inline int parse_policy(const char *str, uint32_t *policy)
{
	uint32_t i;

	for (i = 0; i < OPTSAMPLE_POLICY_MAX; i++) {
		if (!strcmp(str, optsample_policy_name(i))) {
			*policy = i;
			return 0;
		}
	}
	return -EINVAL;
}

#endif
