/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bus.h - messages between one coordinator and workers that join and leave
 *
 * There are three engines; for the caller they differ only in speed:
 *
 *  threads	members are threads of this process; they share a hub
 *  amqp://USER:PASSWORD@HOST[:PORT]/VHOST
 *		a RabbitMQ broker; members are processes on any machine. PORT is
 *		5672 by default, a VHOST that begins with / is written %2f...
 *		The user needs configure, write and read for ^optsample:
 *  mpi		ranks of one mpirun; rank 0 is the coordinator. A plug-in,
 *		engine-mpi.so: searched in $OPTSAMPLE_ENGINES or, if that is
 *		not set, as base/installed.h says
 *
 * Members. The coordinator has id 0, workers have ids from 1 on that are never
 * reused in a job. Membership changes are delivered in-band as events, in order
 * with all other messages (see enum bus_event). bus_open() does not wait for
 * the other side: a worker is in once it received BUS_JOINED. A worker of
 * another protocol or build is refused: its bus_receive() returns -EPROTO, and
 * bus_error() has the reason.
 *
 * Order. Messages from one member to another arrive in order and once, also
 * broadcasts among other messages. Nothing arrives from a worker after its
 * BUS_LEFT, and no message for an earlier membership of a worker arrives in a
 * later one.
 *
 * Loss. Messages are not stored. When a member or its connection dies, messages
 * on the way to and from it are lost. When a connection to the broker dies, the
 * membership ends with it: after a restart of the broker the coordinator gets
 * BUS_LEFT for all workers and then BUS_JOINED for those that come back, with
 * new ids; a worker gets BUS_COORDINATOR_GONE and then BUS_JOINED. Both retry
 * by themselves, after 0.1 s at first and every 2 s in the end. The layer above
 * rebuilds its state. A worker that stopped for longer than the heartbeat was
 * removed: it receives BUS_LEFT with its own id, and then joins under a new
 * one.
 *
 * Failure detection. A killed process closes its connection and the broker
 * deletes its queue; members check each other's queues 4 times a heartbeat, but
 * at least every 250 ms, so this is the detection time (any message to the dead
 * member shortens it). A stopped process and a cut network are noticed after
 * the heartbeat. A thread of the bus answers while its caller computes; but
 * calls of one bus must come from one thread at a time.
 *
 * Bounds. A message is only sent while fewer than the window's bytes are on the
 * way to the same member (see bus_send()): in the sender, in a broker, or not
 * yet received by the caller there. A message has BUS_MESSAGE bytes at most.
 *
 * MPI. Members do not check each other, and no thread works while the caller
 * computes: long work should call bus_wait(e, 0) now and then, or large
 * messages wait. With Open MPI 4 a rank that dies ends the whole job: mpirun
 * kills the others and fails, and the layer above starts from its checkpoint.
 * With fault tolerance (Open MPI 5, mpirun --with-ft ulfm) it is BUS_LEFT as
 * with other engines; a dead coordinator is BUS_COORDINATOR_GONE and final.
 * bus_close() waits for all living ranks to call it. Once per process.
 *
 * Trust. All users of the broker's virtual host are trusted: a member can
 * impersonate another one. Damaged or hostile bytes only affect their own
 * contents.
 */
#ifndef CLUSTER_BUS_H
#define CLUSTER_BUS_H

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>
#include "base/error.h"

struct bus;
struct bus_hub;

enum {
	BUS_MESSAGE	= 64 << 20,	/* bytes */
	BUS_JOB	= 64,			/* characters, with the NUL */
	BUS_BUILD	= 64,
	BUS_WORKERS	= 4096,		/* at one coordinator */
	BUS_LENT	= 256,		/* windows, see bus_send_wait() */
};

enum bus_role {
	BUS_COORDINATOR,
	BUS_WORKER,
	BUS_BY_RANK,			/* mpi only: see bus_role() */
};

/**
 * enum bus_event - types of messages that the bus itself sends
 * @BUS_JOINED:	at the coordinator: worker @from joined; at a worker: it
 *			joined, with id @from
 * @BUS_LEFT:	at the coordinator: worker @from left; at a worker: it was
 *			removed, its id was @from. The payload is the reason, a
 *			text with a NUL.
 * @BUS_REFUSED:	at the coordinator: a worker was refused; the payload is
 *			a line for the log, with a NUL; @from is 0
 * @BUS_COORDINATOR_GONE: at a worker: the coordinator or the connection is
 *			lost, and with it the id. The payload is the reason.
 *
 * The caller's types are below.
 */
enum bus_event {
	BUS_EVENT	= 0xff00,
	BUS_JOINED	= BUS_EVENT,
	BUS_LEFT,
	BUS_REFUSED,
	BUS_COORDINATOR_GONE,
};

/**
 * struct bus_config - the parameters of a member; copied
 * @job:	letters, digits, '.', '_', '-'. Jobs on one broker are separate;
 *		each has one coordinator.
 * @protocol:	of the caller's messages; equal on all members
 * @build:	likewise, "" for none
 * @heartbeat_ms: a member that is silent for this long is lost; 0: 5 s. At
 *		least 200 ms.
 * @window:	bytes, see above; 0: 16 MiB. The coordinator's is used by all.
 * @connect_ms:	how long bus_open() tries to reach the broker; 0: once,
 *		UINT32_MAX: no limit
 * @notice:	called within bus_open() with a line that says what it waits
 *		for, once for each different one; or NULL
 * @arg:	for @notice
 * @hub:	for threads: from bus_hub_create()
 */
struct bus_config {
	const char		*job;
	uint32_t		protocol;
	const char		*build;
	uint32_t		heartbeat_ms;
	uint32_t		window;
	uint32_t		connect_ms;
	void			(*notice)(void *arg, const char *line);
	void			*arg;
	struct bus_hub		*hub;
};

/**
 * struct bus_message - a received message
 * @from:	sender
 * @type:	the caller's, or enum bus_event
 * @data:	the payload, owned by the bus: valid until the next
 *		bus_receive() or bus_close(); aligned as by malloc()
 * @len:	bytes
 */
struct bus_message {
	uint32_t	from;
	uint16_t	type;
	const void	*data;
	size_t		len;
};

struct bus_traffic {
	uint64_t	messages;
	uint64_t	bytes;		/* of payload */
};

/**
 * struct bus_counters - since bus_open(), the caller's messages only
 * @to_coordinator:	and the next three: by who the peer is. A broadcast
 *			counts once for each worker.
 * @broadcasts:		calls of bus_broadcast()
 * @control:		messages of the bus itself, both ways
 */
struct bus_counters {
	struct bus_traffic	to_coordinator;
	struct bus_traffic	to_workers;
	struct bus_traffic	from_coordinator;
	struct bus_traffic	from_workers;
	uint64_t		broadcasts;
	uint64_t		control;
};

/* Is it a name of a job, see struct bus_config? */
bool bus_valid_job(const char *name);

/* For the threads of one job; must outlive their buses */
struct bus_hub *bus_hub_create(void);
void bus_hub_destroy(struct bus_hub *h);

/**
 * bus_open() - connect, and become a member
 * @e:		gets the bus, to be closed with bus_close()
 * @spec:	see above
 * @error:	gets one line, without the password
 *
 * Return: 0; -EINVAL: @spec or @config is wrong; -EACCES: the broker refuses
 * this user, or a permission; -EBUSY: the job has a coordinator; -EOPNOTSUPP:
 * no such engine here; another negative errno.
 */
int bus_open(struct bus **e, const char *spec, enum bus_role role,
	     const struct bus_config *config, struct error *error);

/* Leave: the others are notified at once. NULL is allowed. */
void bus_close(struct bus *e);

/**
 * bus_send() - send a message to one member
 * @to:		0 or a worker's id; not the own one
 * @type:	below BUS_EVENT
 * @iov:	@count pieces of the payload; may be reused after the return
 *
 * Never waits for the receiver: if its window is full, nothing is sent and the
 * caller retries later: after messages were received, or after bus_wait(),
 * which returns at once while there are messages to receive. bus_send_wait()
 * does this. A broker that is out of memory stops all senders, and that blocks.
 *
 * A worker's messages to a lost worker are dropped until it learns of the loss.
 *
 * Return: 0; -EAGAIN: see above; -ENOTCONN: this worker is not in;
 * -EHOSTUNREACH: no such worker, as far as known; -EMSGSIZE; -EINVAL; -ENOMEM.
 */
int bus_send(struct bus *e, uint32_t to, uint16_t type,
	     const struct iovec *iov, int count);

static inline int bus_send_data(struct bus *e, uint32_t to, uint16_t type,
				const void *data, size_t len)
{
	const struct iovec iov = { (void *)data, len };

	return bus_send(e, to, type, &iov, 1);
}

/**
 * bus_send_wait() - bus_send(), and if the window is full, wait for room
 * @timeout_ms:	-1: no limit
 *
 * Messages that arrive meanwhile count as received, up to BUS_LENT windows of
 * them: so two members that send to each other do not block each other.
 *
 * Return: as bus_send(); -EAGAIN after @timeout_ms.
 */
int bus_send_wait(struct bus *e, uint32_t to, uint16_t type,
		  const struct iovec *iov, int count, int timeout_ms);

/**
 * bus_broadcast() - send a message from the coordinator to all workers
 *
 * To all workers whose BUS_JOINED is before this call and whose BUS_LEFT is
 * not, received or still queued.
 *
 * Return: as bus_send(); -EAGAIN: the window to one of them is full, nothing
 * was sent; -EPERM: not the coordinator.
 */
int bus_broadcast(struct bus *e, uint16_t type, const struct iovec *iov,
		  int count);

/**
 * bus_receive() - the next message
 * @timeout_ms:	0: do not wait; -1: no limit
 *
 * Return: 1: @m is set; 0: none, or, before the timeout, a send that got
 * -EAGAIN may be tried again; -EPROTO: refused, or with mpi the coordinator is
 * lost: the bus is unusable, bus_error() has the reason.
 */
int bus_receive(struct bus *e, struct bus_message *m, int timeout_ms);

/**
 * bus_wait() - wait until bus_receive() has a message, or a send that got
 * -EAGAIN may be tried again
 *
 * Return: 1, or 0 after @timeout_ms.
 */
int bus_wait(struct bus *e, int timeout_ms);

/**
 * bus_fd() - a descriptor for a loop
 *
 * Readable (EPOLLIN) when bus_wait() would return 1. Call bus_receive() with
 * timeout 0 until it returns 0, and retry sends that got -EAGAIN; the caller
 * neither reads nor closes it.
 *
 * Return: a descriptor; -EOPNOTSUPP with mpi: a loop then calls bus_receive()
 * from a timer, about every ms.
 */
int bus_fd(struct bus *e);

/* Own id: 0 at the coordinator and at a worker that is not in */
uint32_t bus_id(struct bus *e);
enum bus_role bus_role(const struct bus *e);
/* Largest number of workers: with mpi all other ranks, else BUS_WORKERS */
uint32_t bus_seats(const struct bus *e);
/* Why it is unusable, or what it waits for: one line; "": no error */
void bus_error(struct bus *e, struct error *error);
void bus_counters(struct bus *e, struct bus_counters *c);

#endif
