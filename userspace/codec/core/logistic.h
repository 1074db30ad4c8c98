/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * logistic.h - probabilities to log odds and back
 *
 * Estimates of a binary decision are mixed as log odds. Only integers, so that
 * encoder and decoder agree.
 */
#ifndef CODEC_CORE_LOGISTIC_H
#define CODEC_CORE_LOGISTIC_H

#include <stdint.h>

enum {
	LOGISTIC_ONE	= 256,		/* scale of log odds */
	LOGISTIC_MOST	= 2047,		/* largest magnitude */
	LOGISTIC_STEPS	= 4096,		/* of probability */
};

/* Probability in 1/65536, from log odds of -2047 to 2047 */
static inline int logistic_squash(int x)
{
	/* 65536 / (1 + exp(8 - i/2)) */
	static const uint16_t table[33] = {
		22, 36, 60, 98, 162, 267, 439, 720, 1179, 1921, 3108, 4971,
		7812, 11955, 17625, 24743, 32768, 40793, 47911, 53581, 57724,
		60565, 62428, 63615, 64357, 64816, 65097, 65269, 65374, 65438,
		65476, 65500, 65514,
	};
	int i = (x + 8 * LOGISTIC_ONE) >> 7, part = (x + 8 * LOGISTIC_ONE) & 127;

	return (table[i] * (128 - part) + table[i + 1] * part) >> 7;
}

/**
 * logistic_stretch() - the inverse, as a table
 * @stretch: [p]: log odds of a probability of p / LOGISTIC_STEPS
 */
static inline void logistic_stretch(int16_t stretch[LOGISTIC_STEPS])
{
	int p = 0;

	for (int x = -LOGISTIC_MOST; x <= LOGISTIC_MOST; x++)
		for (; p <= logistic_squash(x) >> 4; p++)
			stretch[p] = x;
	for (; p < LOGISTIC_STEPS; p++)
		stretch[p] = LOGISTIC_MOST;
}

#endif
