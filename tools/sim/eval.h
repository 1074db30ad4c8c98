/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * eval.h - what a received sequence is worth.
 *
 * profit(a) = sum of f(a[i] - a[i-1]) over the sequence with both ends of the
 * outage (0 and T+1) put in; f may be any function with the publication's
 * lemma 1 (f(a) + f(b) > f(a+b): one more message is always better) and
 * lemma 2 (nearer to the middle is better), for distances of at least 1.
 */
#ifndef OPTSAMPLE_SIM_EVAL_H
#define OPTSAMPLE_SIM_EVAL_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct eval {
	const char *name;
	const char *formula;
	double (*f)(double d);
};

static inline double eval_log(double d)
{
	return 1 + log(d);
}

static inline double eval_log1p(double d)
{
	return log1p(d);
}

static inline double eval_sqrt(double d)
{
	return sqrt(d);
}

static inline double eval_cbrt(double d)
{
	return cbrt(d);
}

static inline double eval_recip(double d)
{
	return 2 - 1 / d;
}

static inline double eval_atan(double d)
{
	return 1 + atan(d);
}

static const struct eval evals[] = {
	{ "log", "1 + ln d", eval_log },	/* the publication's */
	{ "log1p", "ln(1 + d)", eval_log1p },
	{ "sqrt", "d^(1/2)", eval_sqrt },
	{ "cbrt", "d^(1/3)", eval_cbrt },
	{ "recip", "2 - 1/d", eval_recip },
	{ "atan", "1 + atan d", eval_atan },
};

#define EVALS (sizeof(evals) / sizeof(evals[0]))

/**
 * eval_find - evaluation function by name
 * @name: as in --eval
 *
 * Return: the function, NULL when there is none of that name.
 */
static inline const struct eval *eval_find(const char *name)
{
	size_t i;

	for (i = 0; i < EVALS; i++)
		if (!strcmp(evals[i].name, name))
			return &evals[i];
	return NULL;
}

/**
 * eval_oracle - best profit of @len messages kept out of @messages
 * @e: evaluation function
 * @messages: T, sent during the outage
 * @len: L, how many can be kept
 *
 * Lemma 2 makes the most even split of T+1 into L+1 integers the best one.
 *
 * Return: the profit.
 */
static inline double eval_oracle(const struct eval *e, uint64_t messages,
				 uint64_t len)
{
	uint64_t parts = (len < messages ? len : messages) + 1;
	uint64_t each = (messages + 1) / parts;
	uint64_t more = (messages + 1) % parts;

	return (double)(parts - more) * e->f((double)each) +
		(more ? (double)more * e->f((double)(each + 1)) : 0);
}

#endif /* OPTSAMPLE_SIM_EVAL_H */
