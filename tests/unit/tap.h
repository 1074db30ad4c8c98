/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tap.h - Test Anything Protocol for C unit tests, one line per test.
 *
 * ok(condition, "what", ...) prints a result, a failed one also its place.
 * Prefer those that print what they saw and what they wanted:
 *
 *	ok_eq(got, want, "what", ...)		integers, enums, bools, errnos
 *	ok_near(got, want, by, "what", ...)	numbers that differ by at most by
 *	ok_range(got, least, most, "what", ...)	a number of least .. most
 *	ok_str(got, want, "what", ...)		strings; NULL is one, too
 *	ok_mem(got, want, bytes, "what", ...)	memory: its first difference
 *
 * tap_done() prints the plan and gives main() its exit status. rnd() is a
 * deterministic generator (splitmix64), so that every run is the same run.
 * thorough() is true if MORE is set, as units_plain of check-full does: then
 * matrices are whole. tap_rounds(few, many) is few, and many then.
 */
#ifndef OPTSAMPLE_TAP_H
#define OPTSAMPLE_TAP_H

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned int tap_count, tap_failed;

/* one line of TAP, and the place if it is not good */
__attribute__((format(printf, 4, 0), unused))
static bool tap_line(bool good, const char *file, int line, const char *what,
		     va_list ap)
{
	tap_count++;
	if (!good)
		tap_failed++;
	printf("%sok %u - ", good ? "" : "not ", tap_count);
	vprintf(what, ap);
	putchar('\n');
	if (!good)
		printf("# failed at %s:%d\n", file, line);
	return good;
}

#define TAP_LINE(good) ({						\
	va_list tap_ap;							\
	bool tap_good;							\
									\
	va_start(tap_ap, what);						\
	tap_good = tap_line((good), file, line, what, tap_ap);		\
	va_end(tap_ap);							\
	tap_good;							\
})

__attribute__((format(printf, 4, 5), unused))
static bool tap_ok(bool good, const char *file, int line, const char *what, ...)
{
	return TAP_LINE(good);
}

__attribute__((format(printf, 6, 7), unused))
static bool tap_eq(intmax_t got, intmax_t want, const char *name,
		   const char *file, int line, const char *what, ...)
{
	if (TAP_LINE(got == want))
		return true;
	printf("# %s is %" PRIdMAX ", not %" PRIdMAX "\n", name, got, want);
	return false;
}

__attribute__((format(printf, 7, 8), unused))
static bool tap_range(double got, double least, double most, const char *name,
		      const char *file, int line, const char *what, ...)
{
	if (TAP_LINE(got >= least && got <= most))
		return true;
	printf("# %s is %.9g, not within %.9g .. %.9g\n", name, got, least,
	       most);
	return false;
}

__attribute__((format(printf, 6, 7), unused))
static bool tap_str(const char *got, const char *want, const char *name,
		    const char *file, int line, const char *what, ...)
{
	if (TAP_LINE(got && want ? !strcmp(got, want) : got == want))
		return true;
	printf("# %s is %s%s%s, not %s%s%s\n", name,
	       got ? "\"" : "", got ? got : "NULL", got ? "\"" : "",
	       want ? "\"" : "", want ? want : "NULL", want ? "\"" : "");
	return false;
}

__attribute__((format(printf, 7, 8), unused))
static bool tap_mem(const void *got, const void *want, size_t bytes,
		    const char *name, const char *file, int line,
		    const char *what, ...)
{
	const uint8_t *g = got, *w = want;
	size_t i = 0;

	while (g && w && i < bytes && g[i] == w[i])
		i++;
	if (TAP_LINE(i == bytes))
		return true;
	if (g && w)
		printf("# byte %zu of %zu of %s is %02x, not %02x\n", i, bytes,
		       name, g[i], w[i]);
	else
		printf("# %s is %p, not %p\n", name, got, want);
	return false;
}

#define ok(good, ...) tap_ok(good, __FILE__, __LINE__, __VA_ARGS__)
#ifdef __cplusplus
#define TAP_INTEGER(x)	(x)
#else
/* no compiler lets a void pass: ok_near() is for those */
#define TAP_INTEGER(x)	_Generic((x), float: (void)0, double: (void)0,	\
				 long double: (void)0, default: (x))
#endif
#define ok_eq(got, want, ...) tap_eq(TAP_INTEGER(got), TAP_INTEGER(want), #got, \
				     __FILE__, __LINE__, __VA_ARGS__)
#define ok_range(got, least, most, ...) tap_range(got, least, most, #got, \
						  __FILE__, __LINE__, __VA_ARGS__)
#define ok_near(got, want, by, ...) ok_range(got, (double)(want) - (by), \
					     (double)(want) + (by), __VA_ARGS__)
#define ok_str(got, want, ...) tap_str(got, want, #got, __FILE__, __LINE__, \
				       __VA_ARGS__)
#define ok_mem(got, want, bytes, ...) tap_mem(got, want, bytes, #got, \
					      __FILE__, __LINE__, __VA_ARGS__)

__attribute__((unused))
static int tap_done(void)
{
	printf("1..%u\n", tap_count);
	return tap_failed ? 1 : 0;
}

__attribute__((unused))
static uint64_t rnd64(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

/* 0 .. n-1 */
__attribute__((unused))
static uint32_t rnd(uint64_t *state, uint32_t n)
{
	return (uint32_t)(rnd64(state) % n);
}

__attribute__((unused))
static bool thorough(void)
{
	const char *more = getenv("MORE");

	return more && *more;
}

__attribute__((unused))
static unsigned int tap_rounds(unsigned int few, unsigned int many)
{
	return thorough() ? many : few;
}

#endif /* OPTSAMPLE_TAP_H */
