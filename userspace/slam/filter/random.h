/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * random.h - random numbers by position, not by order
 *
 * Philox 4x32-10 (Salmon et al., Parallel Random Numbers: As Easy as 1, 2, 3,
 * SC 2011, section 3.3): the numbers of particle 7 at reading 100 depend on the
 * seed, 100 and 7, not on the worker or on earlier draws.
 */
#ifndef SLAM_FILTER_RANDOM_H
#define SLAM_FILTER_RANDOM_H

#include <stdint.h>

/**
 * struct random - numbers of one particle at one reading
 * @counter:	draw, particle, reading (two words)
 */
struct random {
	uint32_t	key[2], counter[4], word[4];
	unsigned int	left;
};

static inline struct random random_of(uint64_t seed, uint64_t reading,
				      uint32_t particle)
{
	return (struct random){
		.key = { (uint32_t)seed, (uint32_t)(seed >> 32) },
		.counter = { 0, particle, (uint32_t)reading,
			     (uint32_t)(reading >> 32) },
	};
}

static inline void random_refill(struct random *r)
{
	uint32_t a = r->counter[0], b = r->counter[1], c = r->counter[2],
		 d = r->counter[3], k = r->key[0], l = r->key[1];

	for (int round = 0; round < 10; round++) {
		const uint64_t p = 0xd2511f53ULL * a, q = 0xcd9e8d57ULL * c;

		a = (uint32_t)(q >> 32) ^ b ^ k;
		b = (uint32_t)q;
		c = (uint32_t)(p >> 32) ^ d ^ l;
		d = (uint32_t)p;
		k += 0x9e3779b9;
		l += 0xbb67ae85;
	}
	r->word[0] = a;
	r->word[1] = b;
	r->word[2] = c;
	r->word[3] = d;
	r->counter[0]++;
	r->left = 4;
}

static inline uint32_t random_u32(struct random *r)
{
	if (!r->left)
		random_refill(r);
	return r->word[--r->left];
}

/* 0 <= x < 1, 53 bits */
static inline double random_unit(struct random *r)
{
	const uint64_t high = random_u32(r) >> 5, low = random_u32(r) >> 6;

	return (double)(high << 26 | low) * 0x1p-53;
}

/*
 * Mean 0, variance 1. The sum of twelve uniform numbers (Thrun, Burgard and
 * Fox, Probabilistic Robotics, table 5.4): at most 6, and without functions
 * that differ between machines
 */
static inline double random_normal(struct random *r)
{
	double sum = 0;

	for (int i = 0; i < 6; i++) {
		const uint32_t u = random_u32(r);

		sum += (double)(u >> 16) + (double)(u & 0xffff) + 1;
	}
	return sum * 0x1p-16 - 6;
}

#endif
