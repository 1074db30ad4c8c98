// SPDX-License-Identifier: GPL-2.0-only
/*
 * dip - detect whether our own rate causes the loss
 */
#include <assert.h>
#include <math.h>
#include "link/dip.h"

#define SECOND		1000000000ULL

static const double DEPTH = 0.7;	/* factor on the rate during a dip */
static const double LOSS = 0.04;	/* no dip below this loss */
static const double HOPELESS = 0.8;	/* no dip above this loss */
static const double BLEND = 0.4;	/* weight of a new sample */
static const double SIGMAS = 2;	/* required significance */
static const double LONGEST = 2;	/* of a dip, s */
static const double OTHER = 0.05;	/* loss changed by more: another link */

static const uint64_t WAIT = 4 * SECOND, WAIT_MOST = 32 * SECOND;

enum { ENOUGH = 120 };			/* datagrams required before a dip */

void dip_held(struct dip *d, double sent, double came, double count)
{
	double part = d->count ? BLEND : 1;

	d->sent += part * (sent - d->sent);
	d->came += part * (came - d->came);
	d->count = fmin(d->count + count, count / BLEND);
}

void dip_forget(struct dip *d)
{
	d->count = 0;
}

bool dip_due(struct dip *d, uint64_t now, double loss)
{
	double sigma = sqrt(loss * (1 - loss) / fmax(d->count, 1));

	if (loss < LOSS || loss > HOPELESS || d->count < ENOUGH)
		return false;
	if (!d->wait || fabs(loss - d->found) > OTHER + 2 * sigma) {
		d->found = loss;
		d->wait = WAIT;
		d->due = now;
	}
	return now >= d->due;
}

double dip_begin(struct dip *d)
{
	d->low_sent = d->low_came = d->low_count = d->low_span = 0;
	return DEPTH * d->sent;
}

double dip_loss(const struct dip *d)
{
	return fmin(fmax(1 - d->low_came / d->low_sent, 0), 0.98);
}

/* Relative standard deviation of the fraction that arrived */
static double noise_of(double loss, double count)
{
	return sqrt(loss / (1 - loss) / fmax(count, 1));
}

static double noise_of_both(const struct dip *d, double loss)
{
	return hypot(noise_of(loss, d->low_count), noise_of(loss, d->count));
}

double dip_capacity(const struct dip *d)
{
	double loss = dip_loss(d), most = d->came / (1 - loss);

	return most < d->sent * (1 - SIGMAS * noise_of_both(d, loss)) ?
	       most : d->sent;
}

static enum dip_answer dip_end(struct dip *d, uint64_t now,
			       enum dip_answer answer)
{
	d->due = now + d->wait;
	d->wait = fmin(2 * d->wait, WAIT_MOST);
	return answer;
}

enum dip_answer dip_sample(struct dip *d, uint64_t now, double sent,
			   double came, double span, double count)
{
	double less, stays, loss, between, doubt;

	d->low_sent += sent * span;
	d->low_came += came * span;
	d->low_count += count;
	d->low_span += span;
	assert(d->low_span > 0 && d->sent > 0);
	less = d->low_sent / d->low_span / d->sent;
	stays = d->low_came / d->low_span / fmax(d->came, 1);
	loss = dip_loss(d);
	/* the rate did not fall as requested */
	if (less > (1 + DEPTH) / 2)
		return dip_end(d, now, DIP_UNKNOWN);
	between = (1 + less) / 2;
	doubt = SIGMAS * stays * noise_of_both(d, loss);
	if (fabs(stays - between) < doubt)
		return d->low_span < LONGEST ? DIP_ON :
					       dip_end(d, now, DIP_UNKNOWN);
	if (stays > between && loss > LOSS) {
		d->sent = d->low_sent / d->low_span;
		d->came = d->low_came / d->low_span;
		d->count = d->low_count;
		return DIP_LESS;
	}
	if (fabs(loss - d->found) > OTHER)
		d->wait = WAIT;
	d->found = loss;
	return dip_end(d, now, DIP_TOLD);
}
