/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * budget.h - limit the memory and time that one sender may cost a receiver
 *
 * A datagram of a hundred bytes may announce a picture of 16 million pixels.
 * So memory is checked before it is reserved. Time is only limited if there is
 * not enough for all: then each stream has an equal share, and the time that it
 * does not need goes to the others.
 */
#ifndef TRANSPORT_BUDGET_H
#define TRANSPORT_BUDGET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct budget - of a receiver, or of one of its streams
 * @memory:	limit, bytes; @reserved: bytes in use
 * @whole:	budget of the receiver; NULL: this is the receiver's
 * @time:	processor time allowed until the next tick, ns; 0: any
 * @spent:	processor time since the last tick, ns
 * @flying:	expected time of the frames being decoded, ns
 * @refused:	frames rejected for lack of memory, @skipped: for lack of time
 *
 * Decoders reserve memory on their threads. Everything else belongs to the
 * loop.
 */
struct budget {
	size_t		memory;
	_Atomic size_t	reserved;
	struct budget	*whole;
	uint64_t	time, spent, flying;
	_Atomic uint64_t refused;
	uint64_t	skipped;
	/* private */
	uint64_t	ticked;		/* @skipped at the last tick */
	unsigned int	users;
};

/**
 * budget_create() - create the budget of a stream
 * @whole: of the receiver; must outlive this one
 *
 * Reference counted: a frame may still be decoded when its stream is gone.
 *
 * Return: to be released with budget_drop(), NULL: no memory.
 */
struct budget *budget_create(size_t memory, struct budget *whole);
struct budget *budget_hold(struct budget *b);
void budget_drop(struct budget *b);

/**
 * budget_reserve() - change the memory of one decoder
 * @mine: bytes that it has; set to @want
 *
 * Return: 0, -EFBIG: beyond the limit.
 */
int budget_reserve(struct budget *b, size_t *mine, size_t want);

/* Is there time for another frame? If not, it is counted as skipped */
bool budget_has_time(struct budget *b);

/**
 * budget_begin() - the decoding of a frame begins
 * @expected: expected processor time, ns
 */
void budget_begin(struct budget *b, uint64_t expected);

/**
 * budget_end() - the decoding of a frame has ended
 * @expected: as passed to budget_begin(), @spent: processor time used, ns
 */
void budget_end(struct budget *b, uint64_t expected, uint64_t spent);

/**
 * budget_tick() - divide the time until the next tick
 * @streams: @count of them; their @spent is reset
 * @span: processor time available since the last tick, ns
 */
void budget_tick(struct budget *const *streams, unsigned int count,
		 uint64_t span);

#endif
