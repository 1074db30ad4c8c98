/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * number.h - numbers out of text, whatever the locale, and fast
 *
 * Decimal, with or without an exponent, or nan and inf in any case. A number
 * ends at a space, a tab, a comma or the end of the text; spaces and tabs
 * before it are passed over, and one comma behind it.
 */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* Stamps are 0 ... this, ns, so that their differences are numbers too */
#define NUMBER_STAMP_MAX	(INT64_C(1) << 62)

/**
 * number_read() - a number
 * @at:	text; moved behind the number
 * @v:	the nearest double or, once in some thousand times, the one beside it
 *
 * Return: whether there was one; else @at is as it was.
 */
bool number_read(const char **at, double *v);

/* Likewise, but a finite one whose size is at most @most */
bool number_within(const char **at, double most, double *v);

/* Likewise, but whole and 0 ... @most */
bool number_count(const char **at, unsigned int most, unsigned int *v);

/**
 * number_stamp() - a time
 * @unit: so many digits behind the point are ns: 9 for s, 3 for us
 * @ns:	exact, cut off below 1 ns; 0 ... NUMBER_STAMP_MAX
 */
bool number_stamp(const char **at, int unit, int64_t *ns);

/* Pass over a word, and space before it. Return: whether there was one */
bool number_skip(const char **at);

#endif
