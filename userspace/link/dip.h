/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dip.h - whether loss is of our own making
 *
 * A queue of a few datagrams drops what is too much before any delay shows it,
 * and then loss looks as if it were at random. To tell, less is sent for a
 * while: of loss at random less comes, too. If as much comes as before, the
 * rest was too much, and the same is asked again from there.
 *
 * Rates are bytes a second, times are ns of one clock. A value type; all zero
 * to begin with.
 */
#ifndef LINK_DIP_H
#define LINK_DIP_H

#include <stdbool.h>
#include <stdint.h>

enum dip_answer {
	DIP_ON,			/* not enough came to tell */
	DIP_UNKNOWN,		/* nor will it: go back */
	DIP_LESS,		/* still too much is sent */
	DIP_TOLD,		/* the link takes this much: see dip_loss() */
};

/**
 * struct dip - state
 * @sent, @came: a second, at the rate that is held: means over some samples
 * @count:	datagrams behind them
 */
struct dip {
	double		sent, came, count;
	/* private */
	double		low_sent, low_came, low_count, low_span;
	uint64_t	due, wait;
	double		found;		/* loss at random, by the last one */
};

/* A sample while the rate is held, of @count datagrams */
void dip_held(struct dip *d, double sent, double came, double count);

/* The rate is another one: what was held no longer counts */
void dip_forget(struct dip *d);

/**
 * dip_due() - whether it is time for one
 * @loss: that is taken for random, 0 .. 1
 */
bool dip_due(struct dip *d, uint64_t now, double loss);

/* Return: the rate to send for a while */
double dip_begin(struct dip *d);

/**
 * dip_sample() - a sample, all of which was sent at the lower rate
 * @span: s
 */
enum dip_answer dip_sample(struct dip *d, uint64_t now, double sent,
			   double came, double span, double count);

/* After DIP_TOLD. Return: loss at random, 0 .. 1 */
double dip_loss(const struct dip *d);

/**
 * dip_capacity() - after DIP_TOLD: what the link takes
 *
 * Return: rate; @sent of before if that was not too much.
 */
double dip_capacity(const struct dip *d);

#endif
