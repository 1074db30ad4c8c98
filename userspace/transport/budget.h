/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * budget.h - what a sender may make a receiver spend: memory, and time
 *
 * A datagram of a hundred bytes may say that it is of a picture of 16 million
 * pixels. Memory is asked for before it is reserved. Time counts only where
 * there is not enough for all: then each stream has its equal share, and what
 * it does not need is left to the others.
 */
#ifndef TRANSPORT_BUDGET_H
#define TRANSPORT_BUDGET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct budget - of a receiver, or of one of its streams
 * @memory:	bytes that may be reserved; @reserved: that are
 * @whole:	of the receiver, which this one is a part of; NULL: it is that
 * @time:	ns of processor time that may be spent until the next tick; 0:
 *		any
 * @spent:	since the last tick, ns
 * @flying:	that frames may take which are being decoded, ns
 * @refused:	frames, for want of memory, @skipped: for want of time
 *
 * Decoders reserve memory on their threads. All else is for the loop.
 */
struct budget {
	size_t		memory;
	_Atomic size_t	reserved;
	struct budget	*whole;
	uint64_t	time, spent, flying;
	_Atomic uint64_t refused;
	uint64_t	skipped;
	/* private */
	uint64_t	told;		/* of @skipped, at the last tick */
	unsigned int	users;
};

/**
 * budget_create() - of a stream
 * @whole: of the receiver; it outlives this one
 *
 * A frame may still be decoded when its stream is gone: each topic holds it.
 *
 * Return: to be given back with budget_drop(), NULL: no memory.
 */
struct budget *budget_create(size_t memory, struct budget *whole);
struct budget *budget_hold(struct budget *b);
void budget_drop(struct budget *b);

/**
 * budget_reserve() - memory of one decoder
 * @mine: what it has; changed to @want
 *
 * Return: 0, -EFBIG: it may not have that much more.
 */
int budget_reserve(struct budget *b, size_t *mine, size_t want);

/* Whether there is time for another frame; it is counted if there is none */
bool budget_has_time(struct budget *b);

/**
 * budget_begin() - a frame is being decoded
 * @expected: what that may take, ns
 */
void budget_begin(struct budget *b, uint64_t expected);

/**
 * budget_end() - it was decoded
 * @expected: as it was told to budget_begin(), @spent: what it took, ns
 */
void budget_end(struct budget *b, uint64_t expected, uint64_t spent);

/**
 * budget_tick() - divide the time until the next tick
 * @streams: @count of them; their @spent begins anew
 * @span: processor time that there was since the last tick, ns
 */
void budget_tick(struct budget *const *streams, unsigned int count,
		 uint64_t span);

#endif
