// SPDX-License-Identifier: GPL-2.0-only
/*
 * window - bounds what is on its way to a client, in time
 */
#include "view/window.h"

static const int64_t span = 250000000;		/* ns in a queue */
static const int64_t longest = 700000000;	/* round trip, ns */
static const int64_t stall = 700000000;		/* ns without an answer */

static size_t window_limit(const struct window *w)
{
	const int64_t trip = w->round_trip < longest ? w->round_trip : longest;
	const double limit = w->rate * (span + trip) * 1e-9;

	return limit < WINDOW_MIN ? WINDOW_MIN :
	       limit > WINDOW_MAX ? WINDOW_MAX : (size_t)limit;
}

size_t window_room(const struct window *w)
{
	const uint64_t flying = w->sent - w->acked;
	const size_t limit = window_limit(w);

	if (flying >= limit)
		return 0;
	/* in pieces, so that the first pongs come soon */
	return limit - flying < limit / 4 ? limit - flying : limit / 4;
}

void window_sent(struct window *w, size_t bytes, int64_t now)
{
	if (w->sent == w->acked)
		w->heard = now;
	w->sent += bytes;
}

static bool window_add(struct window *w, int64_t now)
{
	unsigned int at;

	if (w->pings == WINDOW_PINGS)
		return false;
	at = (w->first + w->pings++) % WINDOW_PINGS;
	w->ping[at].bytes = w->sent;
	w->ping[at].time = now;
	w->ping[at].empty = w->sent - w->acked <= WINDOW_MIN / 4;
	w->ping[at].full = w->sent - w->acked >= window_limit(w) / 2;
	w->pinged = w->sent;
	return true;
}

bool window_ping(struct window *w, int64_t now, bool last)
{
	const uint64_t since = w->sent - w->pinged;

	/* a few in each window, so that it moves smoothly */
	return since && (last || since >= window_limit(w) / 4) &&
	       window_add(w, now);
}

bool window_probe(struct window *w, int64_t now)
{
	return window_add(w, now);
}

/*
 * Data that filled the window shows the rate of the path. Less data shows that
 * it is at least so fast.
 */
static void window_learn(struct window *w, double rate, bool full)
{
	if (rate > w->rate)
		w->rate = rate;
	else if (full)
		w->rate += (rate - w->rate) / 4;
}

bool window_pong(struct window *w, uint64_t bytes, int64_t now,
		 int64_t *pinged)
{
	unsigned int n = 0;
	int64_t from;

	while (n < w->pings &&
	       w->ping[(w->first + n) % WINDOW_PINGS].bytes != bytes)
		n++;
	if (n == w->pings)
		return false;
	n = (w->first + n) % WINDOW_PINGS;
	*pinged = w->ping[n].time;
	from = now - *pinged;
	if (!w->round_trip || from < w->round_trip || w->ping[n].empty)
		w->round_trip = from > 0 ? from : 1;
	/* an answer that comes with the one before says nothing about rates */
	from = w->heard;
	if (now - from > 1000000)
		window_learn(w, (bytes - w->acked) * 1e9 / (now - from),
			     w->ping[n].full);
	else if (bytes - w->acked > WINDOW_MIN / 2)
		window_learn(w, (bytes - w->acked) * 1e3, false);
	w->acked = bytes;
	w->heard = now;
	w->pings -= (n - w->first + WINDOW_PINGS) % WINDOW_PINGS + 1;
	w->first = (n + 1) % WINDOW_PINGS;
	return true;
}

int64_t window_silence(const struct window *w, int64_t now)
{
	return w->sent == w->acked ? 0 : now - w->heard;
}

bool window_stalled(const struct window *w, int64_t now)
{
	return window_silence(w, now) > stall;
}
