/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * speed.h - how fast workers answer, and the share of the particles of each
 *
 * Measured by the clock, not in processor time: a worker on a busy machine
 * takes little of that, and still lets all others wait.
 */
#ifndef SLAM_WORKERS_SPEED_H
#define SLAM_WORKERS_SPEED_H

#include <stdbool.h>
#include <stdint.h>

/* Answers that a mean is of: the newest count most */
enum { SPEED_ANSWERS = 16 };

/**
 * struct speed - of one worker; all zero: not known
 * @wait:	mean time of an answer without its work, ns: the messages, and
 *		what the worker waits for a processor
 * @each:	mean time of an evaluation, ns
 * @answers:	answers in @wait, SPEED_ANSWERS at most
 * @works:	likewise, in @each
 */
struct speed {
	double		wait, each;
	uint32_t	answers, works;
};

/**
 * speed_answer() - a worker answered
 * @taken:	since it was asked, ns
 * @busy:	of that, the time of its work, ns
 * @evaluations: its work; 0: none
 */
void speed_answer(struct speed *s, uint64_t taken, uint64_t busy,
		  uint64_t evaluations);

/* Whether a share can be computed from it */
bool speed_known(const struct speed *s);

/* When it would be done with so many evaluations, ns; without work: 0 */
double speed_time(const struct speed *s, double evaluations);

/**
 * speed_share() - share work so that all are done at the same time
 * @s:		[@workers], all known
 * @evaluations: the work, above 0
 * @share:	[@workers] gets the share of each, 0..1; 1 in all
 *
 * A worker whose @wait alone is longer gets nothing.
 *
 * Return: when they are done, ns.
 */
double speed_share(const struct speed *s, uint32_t workers, double evaluations,
		   double *share);

/* A worker without work may be faster by now: it approaches @each, that of the
 * fastest one, and gets some work again
 */
void speed_forget(struct speed *s, double each);

#endif
