/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * window.h - bounds what is on its way to a client, in time
 *
 * A ping goes out after some data, with the number of bytes sent so far. Its
 * pong says that the client has received them, also behind a proxy. From this
 * the window learns the client's rate and its round trip without a queue, and
 * lets as much be in flight as this takes plus a quarter of a second. A client
 * that answers nothing for 0.7 s is stalled.
 */
#ifndef VIEW_WINDOW_H
#define VIEW_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	WINDOW_PINGS	= 16,
	WINDOW_MIN	= 8192,		/* bytes in flight */
	WINDOW_MAX	= 8 << 20,
};

/**
 * struct window - zero-initialised: nothing was sent
 * @sent, @acked: bytes
 * @ping:	not answered yet: @bytes sent before it, at @time, ns
 * @rate:	bytes/s; 0: unknown
 * @round_trip:	without a queue, ns; 0: unknown
 * @from, @base: begin of the interval over which the rate is measured, ns, and
 *		the bytes acknowledged before it; @full: the window was full in
 *		it
 * @asked:	time of the last ping, ns
 * @heard:	time of the last pong, or when data went out after an idle
 *		time, ns
 */
struct window {
	uint64_t	sent, acked, pinged;
	struct {
		uint64_t	bytes;
		int64_t		time;
		bool		empty;
	} ping[WINDOW_PINGS];
	unsigned int	first, pings;
	double		rate;
	int64_t		round_trip, heard, from, asked;
	uint64_t	base;
	bool		full;
};

/* Bytes that may be sent now, in one piece; 0: wait for a pong */
size_t window_room(const struct window *w);

void window_sent(struct window *w, size_t bytes, int64_t now);

/**
 * window_ping() - is it time for a ping?
 * @last:	nothing more waits to be sent
 *
 * Return: true: send one with w->sent.
 */
bool window_ping(struct window *w, int64_t now, bool last);

/* A ping without data. Return: as window_ping() */
bool window_probe(struct window *w, int64_t now);

/**
 * window_pong() - a pong came
 * @pinged:	gets when its ping was sent, ns
 *
 * Return: false: it is not one of ours.
 */
bool window_pong(struct window *w, uint64_t bytes, int64_t now,
		 int64_t *pinged);

/* Something is in flight, and nothing was heard for a while */
bool window_stalled(const struct window *w, int64_t now);

/* Time without an answer, ns; 0: nothing is in flight */
int64_t window_silence(const struct window *w, int64_t now);

#endif
