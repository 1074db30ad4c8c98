/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * number.h - parse numbers fast and independent of the locale
 *
 * Decimal, with or without an exponent, or nan and inf in any case. A number
 * ends at a space, a tab, a comma or the end of the text; spaces and tabs
 * before it are skipped, and one comma after it.
 */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* Stamps are 0 ... this, ns, so that their differences fit 64 bits */
#define NUMBER_STAMP_MAX	(INT64_C(1) << 62)

/**
 * number_read() - a number
 * @at:	text; moved past the number
 * @v:	the nearest double or, about once in a thousand numbers, its neighbour
 *
 * Return: whether there was one; otherwise @at is unchanged.
 */
bool number_read(const char **at, double *v);

/* Likewise, finite and with a magnitude of at most @most */
bool number_within(const char **at, double most, double *v);

/* Likewise, an integer 0 ... @most */
bool number_count(const char **at, unsigned int most, unsigned int *v);

/**
 * number_stamp() - a time
 * @unit: number of digits after the point down to ns: 9 for s, 3 for us
 * @ns:	exact, cut off below 1 ns; 0 ... NUMBER_STAMP_MAX
 */
bool number_stamp(const char **at, int unit, int64_t *ns);

#endif
