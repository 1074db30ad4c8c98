/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dip.h - detect whether our own rate causes the loss
 *
 * A queue of a few datagrams drops the excess before any delay shows. This
 * looks like random loss. To distinguish the two, the sender lowers its rate
 * for a while (a dip). If the loss is random, the received rate falls in
 * proportion. If as much arrives as before, the excess was dropped, and the
 * test is repeated from the lower rate.
 *
 * Rates are bytes per second, times are ns of one clock. A value type; all zero
 * initially.
 */
#ifndef LINK_DIP_H
#define LINK_DIP_H

#include <stdbool.h>
#include <stdint.h>

enum dip_answer {
	DIP_ON,			/* not enough samples yet */
	DIP_UNKNOWN,		/* no result: return to the old rate */
	DIP_LESS,		/* the rate is still too high */
	DIP_TOLD,		/* capacity found, see dip_loss() */
};

/**
 * struct dip - state
 * @sent, @came: rates sent and received while the rate is held, means of some
 *		samples, bytes/s
 * @count:	datagrams in these means
 */
struct dip {
	double		sent, came, count;
	/* private */
	double		low_sent, low_came, low_count, low_span;
	uint64_t	due, wait;
	double		found;		/* random loss found by the last dip */
};

/* Add a sample of @count datagrams, taken while the rate is held */
void dip_held(struct dip *d, double sent, double came, double count);

/* The rate changed: discard the means */
void dip_forget(struct dip *d);

/**
 * dip_due() - is it time for a dip?
 * @loss: assumed random loss, 0 .. 1
 */
bool dip_due(struct dip *d, uint64_t now, double loss);

/* Begin a dip. Return: rate to send during it, bytes/s */
double dip_begin(struct dip *d);

/**
 * dip_sample() - add a sample that was sent entirely at the lower rate
 * @span: duration of the sample, s
 */
enum dip_answer dip_sample(struct dip *d, uint64_t now, double sent,
			   double came, double span, double count);

/* After DIP_TOLD. Return: random loss, 0 .. 1 */
double dip_loss(const struct dip *d);

/**
 * dip_capacity() - after DIP_TOLD: capacity of the link
 *
 * Return: rate, bytes/s; the old rate if that was not too high.
 */
double dip_capacity(const struct dip *d);

#endif
