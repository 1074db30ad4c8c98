/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * reassembly.h - the datagrams of a topic, frame by frame
 *
 * Datagrams come late, twice, out of order, or not at all. A few frames are
 * open at a time; each is given out once: when all of it is there, when the
 * last of its datagrams should be, as they tell or as their pace says, or when
 * what is newer says that no more will come. What comes for a frame that was
 * given out is late, and counted. Frames are given out in their order, if not
 * reassembly_set_unordered().
 *
 * Memory is that of the datagrams which came, and part of the budget of their
 * sender. No clock of its own. Time is the receiver's, in ns, never running
 * backwards.
 */
#ifndef TRANSPORT_REASSEMBLY_H
#define TRANSPORT_REASSEMBLY_H

#include <stdbool.h>
#include "codec/core/payload.h"
#include "transport/budget.h"

enum {
	REASSEMBLY_OPEN	= 4,		/* frames at a time */
	REASSEMBLY_COUNT	= 4096,	/* datagrams of a frame, at most */
	REASSEMBLY_AHEAD	= 16,	/* frames; farther is doubtful */
};

/**
 * struct reassembly_frame - datagrams of a frame
 * @number:	of it, wraps
 * @count:	datagrams that were sent
 * @received:	of these, in the order in which they came: payloads
 * @flags:	of its segments
 * @stamp:	of the message, ns since the epoch, the sender's clock
 * @first, @last: when its first and its last datagram came
 * @top:	largest index among them
 * @ends:	when the last one should come, as those that came tell; 0: they
 *		do not
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
 * struct reassembly_counts - since it was made
 * @frames:	given out
 * @missing:	frames of which nothing came; after a jump of numbers no more
 *		than can have been sent since
 * @expected:	datagrams of the frames given out and missing; a missing one
 *		counts as many as the one behind it
 * @runs:	of those that did not come: one behind the other
 * @datagrams:	of these, received
 * @bytes:	of their payloads
 * @duplicates:	came twice
 * @late:	came after their frame was given out
 * @bad:	not of a frame that can be
 */
struct reassembly_counts {
	uint64_t	frames, missing;
	uint64_t	expected, runs, datagrams, bytes;
	uint64_t	duplicates, late, bad;
};

struct reassembly;

/**
 * reassembly_create() - for a topic
 * @budget: of its stream, for longer than this; NULL: any memory
 * @most: datagrams of a frame, at most; REASSEMBLY_COUNT
 * @grace: how long a frame stays open behind the time when its last datagram
 *	should have come, or behind the first one of a newer frame, ns: what
 *	the network may reorder
 * @patience: how long one stays open behind its last datagram when nothing
 *	else says when it ends, ns
 *
 * Return: to be freed with reassembly_destroy(), NULL: no memory.
 */
struct reassembly *reassembly_create(struct budget *budget, unsigned int most,
				     uint64_t grace, uint64_t patience);
void reassembly_destroy(struct reassembly *a);

/**
 * reassembly_set_unordered() - a frame may come after newer ones
 *
 * Of frames that were held in a queue, which dropped some of them and sends
 * others between them: none is missing, any number is taken, and each is given
 * out when it is whole or when patience ends. The caller must not add datagrams
 * of a frame that was given out.
 */
void reassembly_set_unordered(struct reassembly *a);

/* An outage: frames that are missing before the next new one are not counted */
void reassembly_skip(struct reassembly *a);

/* Whether something newer than @number came, or was given out */
bool reassembly_overtaken(const struct reassembly *a, uint32_t number);

/**
 * reassembly_add() - a datagram
 * @segment: its header, which was checked; @payload and @len are the rest
 * @left: how long after it the last one of the frame leaves, us; -1: not told
 *
 * One datagram with a number far ahead would make all that follows late: such
 * is taken only if the one before was there, too, or if nothing else came
 * while patience lasted. If one was taken and is not true, what follows is late
 * only until patience ends: then the numbers that do come count.
 *
 * Return: 0, -EEXIST: had that, -ESTALE: late, -EINVAL: such a frame cannot
 * be, or is not the one whose number it has; -ENOMEM: there is no memory for
 * it, which counts as lost.
 */
int reassembly_add(struct reassembly *a,
		   const struct optsample_segment *segment, int64_t left,
		   const void *payload, size_t len, uint64_t now);

/**
 * reassembly_next() - the next frame that is to be given out
 *
 * Return: it, until the next call of reassembly_add() or reassembly_next();
 * NULL: there is none yet.
 */
const struct reassembly_frame *reassembly_next(struct reassembly *a,
					       uint64_t now);

/**
 * reassembly_due() - when reassembly_next() is to be asked even if nothing comes
 *
 * Return: a time, UINT64_MAX: no frame is open.
 */
uint64_t reassembly_due(const struct reassembly *a);

const struct reassembly_counts *reassembly_counts(const struct reassembly *a);

#endif
