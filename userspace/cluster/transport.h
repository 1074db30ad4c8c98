/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * transport.h - the interface between the common part and an engine
 *
 * A transport moves frames with payloads between members and does not know
 * their meaning. The common part (membership, windows, the queue of received
 * messages) calls it through struct bus_transport; it calls back through
 * struct bus_upcalls, as a plug-in cannot see the program's symbols. All calls
 * are made with the lock of the bus held.
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
 * struct bus_transport - an engine
 * @broadcast:	@send takes FRAME_ALL
 * @rejoins:	@reset makes a link through which a worker can join again
 * @open:	sets e->link; calls connected() when frames can be sent, now or
 *		later. @spec is the user's text. Without the lock.
 * @close:	frames that were sent are still delivered. Without the lock.
 * @send:	@joining: send to this address, from a FRAME_HELLO, instead of
 *		f->to. Return: 0, -ENOTCONN, -ENOMEM.
 * @reset:	a worker left: drop pending frames
 * @progress:	call frame() for all received frames; NULL: a thread does
 * @wait:	until there may be something for @progress or in the inbox, at
 *		most this long (-1: no limit)
 * @fd:		a descriptor that is readable if @progress has work; NULL: the
 *		one of the bus is used
 * @seats:	largest number of workers; NULL: no limit
 */
struct bus_transport {
	uint32_t	abi;
	const char	*name;
	bool		broadcast;
	bool		rejoins;
	int (*open)(struct bus *e, const char *spec,
		    const struct bus_config *config,
		    struct error *error);
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
 * struct bus_upcalls - reports of a transport
 * @connected:	frames can be sent. @address: of a worker before it has an id;
 *		@id: the id it will have, 0: any
 * @lost:	the link is lost, with all pending frames
 * @frame:	a frame came; @b has the payload; ownership passes
 * @returned:	the frame is undeliverable
 * @gone:	a member is lost
 * @tick:	timers; to be called at the time it returns (CLOCK_MONOTONIC,
 *		ns), or earlier
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
	BUS_LINKED,		/* coordinator; worker: sent hello */
	BUS_READY,		/* worker: has an id */
	BUS_IN,
	BUS_FAILED,		/* final, see error */
};

/**
 * struct bus - one member
 * @news:	signalled for @inbox, @relieved and BUS_FAILED
 * @early:	from other workers, before the coordinator confirmed that this
 *		one is in
 * @incarnation: counts memberships: messages of an earlier one earn no credit
 * @starved:	a send got -EAGAIN
 * @relieved:	and may be tried again
 * @lends:	the caller waits for room: new messages count as received, @lent
 *		bytes so far
 * @event:	of bus_fd(), -1: not in use
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
	struct error			error;
	struct bus_counters		counters;
};

extern const struct bus_transport bus_threads, bus_amqp;
/* The only symbol of the plug-in */
extern const struct bus_transport bus_mpi;

#endif
