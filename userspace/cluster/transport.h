/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * transport.h - between what all engines share and what carries the bytes
 *
 * A transport moves frames with payloads between members and knows nothing of
 * what they mean. What is shared (membership, windows, the queue of received
 * messages) calls it through struct bus_transport; it calls back through
 * struct bus_upcalls, as a plug-in cannot see the program's symbols. All is
 * called with the engine's lock held.
 */
#ifndef CLUSTER_TRANSPORT_H
#define CLUSTER_TRANSPORT_H

#include <pthread.h>
#include <stdbool.h>
#include "base/error.h"
#include "cluster/bus.h"
#include "cluster/frame.h"
#include "cluster/message_queue.h"
#include "cluster/peers.h"

enum { BUS_ABI = 2 };

/**
 * struct bus_transport - one way to carry frames
 * @broadcast:	@send takes FRAME_ALL
 * @rejoins:	@reset makes a link through which a worker can join again
 * @open:	sets e->link; calls connected() when frames can be sent, now or
 *		later. @spec is what the user gave. Without the lock.
 * @close:	what was sent still goes out. Without the lock.
 * @send:	@joining: not to f->to, but to where FRAME_HELLO came from, that
 *		said it is there. Return: 0, -ENOTCONN, -ENOMEM.
 * @reset:	a worker is out: forget what is on the way
 * @progress:	calls frame() for all that is there; NULL: a thread does
 * @wait:	until there may be something for @progress or in the inbox, for
 *		that long (-1: for ever)
 * @fd:		of what becomes readable by @progress having something to do;
 *		NULL: the engine's own is used
 * @seats:	workers that there can be; NULL: as many as come
 */
struct bus_transport {
	uint32_t	abi;
	const char	*name;
	bool		broadcast;
	bool		rejoins;
	int (*open)(struct bus *e, const char *spec,
		    const struct bus_config *config,
		    char error[ERROR_TEXT]);
	void (*close)(struct bus *e);
	int (*send)(struct bus *e, const struct frame *f, uint64_t joining,
		    const struct iovec *iov, int count, size_t len);
	void (*reset)(struct bus *e);
	void (*progress)(struct bus *e);
	void (*wait)(struct bus *e, int timeout_ms);
	int (*fd)(struct bus *e);
	uint32_t (*seats)(const struct bus *e);
};

/**
 * struct bus_upcalls - what a transport reports
 * @connected:	frames can be sent. @address: where a worker can be reached
 *		before it has an id; @id: that it will have, 0: any
 * @lost:	the link is gone, and what was on the way
 * @frame:	came; @b is with the payload, and taken over
 * @returned:	there is nobody where this was to go
 * @gone:	a member is dead
 * @tick:	timers; called at the time it returns (CLOCK_MONOTONIC, ns), or
 *		earlier
 */
struct bus_upcalls {
	void (*connected)(struct bus *e, uint64_t address, uint32_t id);
	void (*lost)(struct bus *e, const char *why);
	void (*frame)(struct bus *e, const struct frame *f,
		      struct bus_buffer *b);
	void (*returned)(struct bus *e, const struct frame *f);
	void (*gone)(struct bus *e, uint32_t id, const char *why);
	uint64_t (*tick)(struct bus *e, uint64_t now);
	struct bus_buffer *(*buffer)(struct message_queue *in, size_t len);
	void (*release)(struct message_queue *in, struct bus_buffer *b);
	void (*write)(uint8_t out[FRAME_SIZE], const struct frame *f);
	int (*read)(const uint8_t *in, size_t len, struct frame *f);
};

enum bus_state {
	BUS_UNLINKED,
	BUS_LINKED,		/* coordinator; worker: said hello */
	BUS_READY,		/* worker: has an id */
	BUS_IN,
	BUS_FAILED,		/* for good, see error */
};

/**
 * struct bus - one member
 * @news:	signalled for @inbox, @relieved and BUS_FAILED
 * @early:	from other workers, before the coordinator said that this one
 *		is in
 * @incarnation: counts memberships: what was received in an earlier one earns
 *		no credit
 * @starved:	a send got -EAGAIN
 * @relieved:	and may be tried again
 * @lends:	the caller waits for room: what comes counts as taken, @lent
 *		bytes so far
 * @event:	of bus_fd(), -1: nobody asked
 */
struct bus {
	pthread_mutex_t			lock;
	pthread_cond_t			news;
	const struct bus_transport	*transport;
	const struct bus_upcalls	*up;
	void				*link;
	void				*plugin;

	enum bus_role			role;
	char				job[BUS_JOB];
	char				build[BUS_BUILD];
	char				name[64];
	uint32_t			protocol;
	uint32_t			window;
	uint64_t			heartbeat_ns;

	enum bus_state			state;
	uint32_t			id;
	uint32_t			next_id;
	uint32_t			wish;
	uint32_t			old_id;
	uint32_t			incarnation;
	uint64_t			epoch;
	uint64_t			old_epoch;
	uint64_t			address;
	struct peers			peers;

	uint64_t			heard;
	uint64_t			ticked;
	uint64_t			beat_due;
	uint64_t			hello_due;
	uint64_t			hello_pause;

	struct message_queue		inbox;
	struct message_queue		early;
	struct bus_buffer		*current;
	bool				starved;
	bool				relieved;
	bool				lends;
	uint64_t			lent;
	int				event;
	char				error[ERROR_TEXT];
	struct bus_counters		counters;
};

extern const struct bus_transport bus_threads, bus_amqp;
/* The only symbol of the plug-in */
extern const struct bus_transport bus_mpi;

#endif
