/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * history.h - what was sent by when
 *
 * A report names the newest datagram by its sending time. What was sent up to
 * that one, and what came, are the two ends of one count: their difference is
 * lost, exactly. A ring of the last seconds, in steps of at least
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
 * struct history_entry - sums since the beginning
 * @time:	of the newest datagram, us
 * @datagrams:	that were sent
 * @bytes:	of them
 * @allowed:	bytes that might have been sent
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
 * history_add() - something was sent
 * @sum: of all until now; its time is not before that of the last one
 */
void history_add(struct history *h, const struct history_entry *sum);

/**
 * history_at() - the sums at a time, us
 *
 * Return: false: longer ago than the ring remembers, or nothing was sent by
 * then.
 */
bool history_at(const struct history *h, uint64_t time,
		struct history_entry *sum);

/**
 * history_time() - the time that has these low 32 bits
 * @now: us; the time is at most 2^31 us before, and not after it
 *
 * Return: false: it would be after @now.
 */
bool history_time(uint64_t now, uint32_t low, uint64_t *time);

#endif
