/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * reassembly.h - collect the datagrams of a topic into frames
 *
 * Datagrams may arrive late, twice, out of order, or not at all. A few frames
 * are open at a time. Each is delivered once: when it is complete, when its
 * last datagram is overdue (by the time in the segments or by the pace), or
 * when a newer frame shows that no more will arrive. Datagrams of a delivered
 * frame are late, and counted. Frames are delivered in order, except after
 * reassembly_set_unordered().
 *
 * Memory depends on the received datagrams and is part of the budget of their
 * sender. No clock of its own: time is the receiver's, in ns, monotonic.
 */
#ifndef TRANSPORT_REASSEMBLY_H
#define TRANSPORT_REASSEMBLY_H

#include <stdbool.h>
#include "codec/core/payload.h"
#include "transport/budget.h"

enum {
	REASSEMBLY_OPEN	= 4,		/* frames open at a time */
	REASSEMBLY_COUNT	= 4096,	/* datagrams of a frame, at most */
	REASSEMBLY_AHEAD	= 16,	/* frames; larger jumps are doubtful */
};

/**
 * struct reassembly_frame - datagrams of a frame
 * @number:	of the frame, wraps
 * @count:	datagrams that were sent
 * @received:	payloads of those that arrived, in order of arrival
 * @flags:	of its segments
 * @stamp:	of the message, ns since the epoch, the sender's clock
 * @first, @last: arrival of its first and its last datagram, ns
 * @top:	largest index among them
 * @ends:	expected arrival of the last one, from the segments, ns; 0:
 *		unknown
 */
struct reassembly_frame {
	uint32_t	number;
	uint8_t		flags;
	unsigned int	count;
	struct payloads	received;
	uint64_t	stamp;
	uint64_t	first, last, ends;
	unsigned int	top;
	/* private */
	unsigned int	bottom;
	bool		open, skip;
	uint8_t		there[REASSEMBLY_COUNT / 8];
};

/**
 * struct reassembly_counts - counters since creation
 * @frames:	delivered
 * @missing:	frames of which nothing arrived; after a jump of numbers at most
 *		as many as can have been sent since
 * @expected:	datagrams of the frames delivered and missing; a missing frame
 *		counts as many as the one after it
 * @runs:	runs of consecutive lost datagrams
 * @datagrams:	of @expected, received
 * @bytes:	of their payloads
 * @duplicates:	received twice
 * @late:	received after their frame was delivered
 * @bad:	of an impossible frame
 */
struct reassembly_counts {
	uint64_t	frames, missing;
	uint64_t	expected, runs, datagrams, bytes;
	uint64_t	duplicates, late, bad;
};

struct reassembly;

/**
 * reassembly_create() - create the reassembly of a topic
 * @budget: of its stream, must outlive this; NULL: any memory
 * @most: datagrams of a frame, at most REASSEMBLY_COUNT
 * @grace: how long a frame stays open after the expected arrival of its last
 *	datagram, or after the first one of a newer frame, ns: the reordering
 *	time of the network
 * @patience: how long a frame stays open after its last received datagram if
 *	its end is not known otherwise, ns
 *
 * Return: to be freed with reassembly_destroy(), NULL: no memory.
 */
struct reassembly *reassembly_create(struct budget *budget, unsigned int most,
				     uint64_t grace, uint64_t patience);
void reassembly_destroy(struct reassembly *a);

/**
 * reassembly_set_unordered() - a frame may arrive after newer ones
 *
 * For frames held in a queue that dropped some of them and sends others in
 * between: none counts as missing, any number is accepted, and each is
 * delivered when it is complete or when patience ends. The caller must not add
 * datagrams of a delivered frame.
 */
void reassembly_set_unordered(struct reassembly *a);

/* After an outage: do not count the missing frames before the next new one */
void reassembly_skip(struct reassembly *a);

/* Has something newer than @number arrived or been delivered? */
bool reassembly_overtaken(const struct reassembly *a, uint32_t number);

/**
 * reassembly_add() - add a datagram
 * @segment: its header, already checked; followed by @payload of @len bytes
 * @left: time until the last one of the frame is sent, us; -1: unknown
 *
 * One datagram with a number far ahead would make all later ones late. So it is
 * accepted only if the previous one was as far, or if nothing else arrived for
 * @patience. If a false number was accepted, later frames are late only until
 * @patience has passed; then the actual numbers count.
 *
 * Return: 0, -EEXIST: duplicate, -ESTALE: late, -EINVAL: impossible, or
 * different from the frame of that number; -ENOMEM: no memory, counts as lost.
 */
int reassembly_add(struct reassembly *a,
		   const struct optsample_segment *segment, int64_t left,
		   const void *payload, size_t len, uint64_t now);

/**
 * reassembly_next() - next frame to deliver
 *
 * Return: valid until the next call of reassembly_add() or reassembly_next();
 * NULL: none yet.
 */
const struct reassembly_frame *reassembly_next(struct reassembly *a,
					       uint64_t now);

/**
 * reassembly_due() - when to call reassembly_next() even without new datagrams
 *
 * Return: a time, ns; UINT64_MAX: no frame is open.
 */
uint64_t reassembly_due(const struct reassembly *a);

const struct reassembly_counts *reassembly_counts(const struct reassembly *a);

#endif
