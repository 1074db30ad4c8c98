/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tap.h - Test Anything Protocol for C unit tests, one line per test.
 *
 * ok(condition, "what", ...) prints a result, a failed one also its place;
 * tap_done() prints the plan and gives main() its exit status. rnd() is a
 * deterministic generator (splitmix64), so that every run is the same run.
 */
#ifndef OPTSAMPLE_TAP_H
#define OPTSAMPLE_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

static unsigned int tap_count, tap_failed;

__attribute__((format(printf, 4, 5), unused))
static bool tap_ok(bool good, const char *file, int line, const char *what, ...)
{
	va_list ap;

	tap_count++;
	if (!good)
		tap_failed++;
	printf("%sok %u - ", good ? "" : "not ", tap_count);
	va_start(ap, what);
	vprintf(what, ap);
	va_end(ap);
	putchar('\n');
	if (!good)
		printf("# failed at %s:%d\n", file, line);
	return good;
}

#define ok(good, ...) tap_ok(good, __FILE__, __LINE__, __VA_ARGS__)

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

#endif /* OPTSAMPLE_TAP_H */
