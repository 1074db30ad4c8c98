/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * odd.h - hostile values from a fuzzer's bytes: one byte selects, and the value
 * may be in the following bytes
 */
#ifndef FUZZ_ODD_H
#define FUZZ_ODD_H

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

/**
 * struct odd - what is left of the bytes
 * @more:	that are made up of them when there are none: a fuzzer begins
 *		with a few bytes, and that is no message; then zeros
 */
struct odd {
	const uint8_t	*data;
	size_t		size;
	unsigned int	more;
	uint64_t	state;
};

static inline uint8_t odd_byte(struct odd *o)
{
	uint8_t b = 0;

	if (o->size) {
		o->size--;
		b = *o->data++;
		o->state += b;
	} else if (o->more) {
		o->more--;
		b = o->state >> 32;
		/* mostly usual values */
		b = o->state >> 40 & 15 ? b % 200 : b;
	}
	o->state = o->state * 6364136223846793005 + 1442695040888963407;
	return b;
}

static inline size_t odd_left(const struct odd *o)
{
	return o->size + o->more;
}

static inline void odd_bytes(struct odd *o, void *to, size_t n)
{
	for (uint8_t *p = to; n--; )
		*p++ = odd_byte(o);
}

__attribute__((unused))
static double odd_double(struct odd *o, double usual)
{
	static const double odd[] = {
		0, -0.0, 1, -1, 0.5, 1e-3, 100, 1e6, -1e6, 1000001, 1e9, 1e19,
		-1e19, 1e300, -1e300, DBL_MIN, 5e-324, FLT_MAX, NAN, INFINITY,
		-INFINITY, M_PI, 2147483648.0, 4294967296.0,
	};
	const unsigned int n = sizeof(odd) / sizeof(*odd);
	const uint8_t b = odd_byte(o);
	double v;

	if (b < 200)
		return usual;
	if (b < 200 + n)
		return odd[b - 200];
	if (b < 236)
		return ((int8_t)odd_byte(o)) / 16.0;
	if (b < 250)
		return usual * (1 + ((int8_t)odd_byte(o)) / 1000.0);
	odd_bytes(o, &v, sizeof(v));
	return v;
}

__attribute__((unused))
static int64_t odd_whole(struct odd *o, int64_t usual)
{
	static const int64_t odd[] = {
		0, 1, -1, 2, 127, 128, 255, 256, 16384, 16385, 65535, 65536,
		1 << 24, 100000000, INT32_MAX, INT32_MIN, UINT32_MAX,
		1LL << 32, INT64_MAX, INT64_MIN, 1000000000000000000,
	};
	const unsigned int n = sizeof(odd) / sizeof(*odd);
	const uint8_t b = odd_byte(o);
	int64_t v;

	if (b < 200)
		return usual;
	if (b < 200 + n)
		return odd[b - 200];
	if (b < 236)
		return (int8_t)odd_byte(o);
	if (b < 250)
		return usual + (int8_t)odd_byte(o);
	odd_bytes(o, &v, sizeof(v));
	return v;
}

/* One of @n texts, or bytes of the input, which need not be text */
__attribute__((unused))
static const char *odd_text(struct odd *o, const char *const *usual,
			    unsigned int n, char *room, size_t size,
			    uint32_t *len)
{
	const uint8_t b = odd_byte(o);
	size_t want = 0;

	if (b < 240) {
		*len = strlen(usual[b % n]);
		return usual[b % n];
	}
	want = b < 252 ? odd_byte(o) : 0;
	if (b == 255)
		want = 4 * (want + odd_byte(o));
	*len = want < size ? want : size;
	odd_bytes(o, room, *len);
	return room;
}

#endif
