// SPDX-License-Identifier: GPL-2.0-only
/*
 * window - bounds what is on its way to a client, in time
 */
#include "view/window.h"

static const int64_t span = 250000000;		/* ns in a queue */
static const int64_t longest = 700000000;	/* round trip, ns */
static const int64_t interval = 50000000;	/* ns, of a rate */
static const int64_t ping_every = 100000000;	/* ns, at least */
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
	if (w->sent == w->acked) {
		/* a pause says nothing about the path */
		if (now - w->heard > interval) {
			w->from = now;
			w->base = w->acked;
			w->full = false;
		}
		w->heard = now;
	}
	w->sent += bytes;
	w->full |= w->sent - w->acked >= window_limit(w) / 2;
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
	w->pinged = w->sent;
	w->asked = now;
	return true;
}

bool window_ping(struct window *w, int64_t now, bool last)
{
	const uint64_t since = w->sent - w->pinged;

	/* a few in each window, so that it moves smoothly */
	return since && (last || since >= window_limit(w) / 4 ||
			 now - w->asked >= ping_every) && window_add(w, now);
}

bool window_probe(struct window *w, int64_t now)
{
	return window_add(w, now);
}

/*
 * Pongs may come in bunches, so the rate is that of an interval. If the window
 * was full it is the rate of the path, otherwise at most that.
 */
static void window_learn(struct window *w, int64_t now)
{
	const double rate = (w->acked - w->base) * 1e9 / (now - w->from);

	if (rate > w->rate)
		w->rate = rate;
	else if (w->full)
		w->rate += (rate - w->rate) / 4;
	w->from = now;
	w->base = w->acked;
	w->full = w->sent - w->acked >= window_limit(w) / 2;
}

bool window_pong(struct window *w, uint64_t bytes, int64_t now,
		 int64_t *pinged)
{
	unsigned int n = 0;
	int64_t trip;

	while (n < w->pings &&
	       w->ping[(w->first + n) % WINDOW_PINGS].bytes != bytes)
		n++;
	if (n == w->pings)
		return false;
	n = (w->first + n) % WINDOW_PINGS;
	*pinged = w->ping[n].time;
	trip = now - *pinged;
	if (!w->round_trip || trip < w->round_trip || w->ping[n].empty)
		w->round_trip = trip > 0 ? trip : 1;
	w->acked = bytes;
	w->heard = now;
	if (now - w->from >= interval)
		window_learn(w, now);
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
