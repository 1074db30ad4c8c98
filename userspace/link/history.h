/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * history.h - cumulative counts of what was sent, by time
 *
 * A report names the newest datagram by its sending time. The sums up to that
 * time and the receiver's counts cover the same datagrams, so their difference
 * is exactly what was lost. A ring of the last seconds, in steps of at least
 * HISTORY_STEP; a value type without pointers.
 */
#ifndef LINK_HISTORY_H
#define LINK_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

enum {
	HISTORY_LENGTH	= 8192,
	HISTORY_STEP	= 250,		/* us */
};

/**
 * struct history_entry - sums since the start
 * @time:	sending time of the newest datagram, us
 * @datagrams:	datagrams sent
 * @bytes:	bytes sent
 * @allowed:	bytes that the rate would have allowed
 */
struct history_entry {
	uint64_t	time;
	uint64_t	datagrams, bytes;
	double		allowed;
};

struct history {
	struct history_entry	entry[HISTORY_LENGTH];
	uint64_t		begin, end;	/* end - begin entries */
};

/**
 * history_add() - add the sums after a transmission
 * @sum: cumulative sums; its time is not before that of the last entry
 */
void history_add(struct history *h, const struct history_entry *sum);

/**
 * history_at() - look up the sums at a time
 * @time: us
 *
 * Return: false if @time is older than the ring or before the first datagram.
 */
bool history_at(const struct history *h, uint64_t time,
		struct history_entry *sum);

/**
 * history_time() - expand a 32-bit time
 * @now: us; the time is within the 2^31 us before it
 *
 * Return: false if it would be after @now.
 */
bool history_time(uint64_t now, uint32_t low, uint64_t *time);

#endif
