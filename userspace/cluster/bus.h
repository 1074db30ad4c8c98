/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bus.h - messages between one coordinator and workers that come and go
 *
 * Three engines carry them, the caller sees no difference but speed:
 *
 *  threads	members are threads of this process; they share a hub
 *  amqp://USER:PASSWORD@HOST[:PORT]/VHOST
 *		a RabbitMQ broker; members are processes anywhere. PORT is 5672
 *		by default, a VHOST that begins with / is written %2f...
 *		The user needs configure, write and read for ^optsample:
 *  mpi		ranks of one mpirun; rank 0 is the coordinator. A plug-in,
 *		engine-mpi.so: looked for in $OPTSAMPLE_ENGINES, next to the
 *		program, in ../engine seen from there, and where it is installed
 *
 * Members. The coordinator has id 0, workers have ids from 1 on that are never
 * given again in a job. Membership changes are delivered in-band as events, in order
 * with all others (see enum bus_event). bus_open() does not wait for the
 * other side: a worker is in once it received BUS_JOINED. A worker of
 * another protocol or build is refused: bus_receive() says -EPROTO there,
 * and bus_error() why.
 *
 * Order. What one member sends to another one arrives in order and once, also
 * broadcasts among other messages. Nothing arrives from a worker after its
 * BUS_LEFT, nothing that was meant for an earlier membership of a worker
 * arrives in a later one.
 *
 * What is lost. What is sent is not stored. When a member or its connection
 * dies, what was on the way to and from it is lost. When a connection to the
 * broker dies, the membership ends with it: after a restart of the broker the
 * coordinator sees BUS_LEFT for all workers and then BUS_JOINED for those
 * that come back, with new ids; a worker sees BUS_COORDINATOR_GONE and then
 * BUS_JOINED. Both try again by themselves, after 0.1 s at first and every
 * 2 s in the end. The layer above builds its state anew. A worker that stopped
 * for longer than the heartbeat was thrown out: it receives BUS_LEFT with
 * its own id, and is then taken in under a new one.
 *
 * Who is dead. A killed process closes its connection and the broker deletes
 * its queue; members look for each other's queues 4 times a heartbeat, but at
 * least every 250 ms, so that this is the time it takes (any message to the
 * dead one makes it shorter). A stopped process and a cut network are noticed
 * after the heartbeat. A thread of the engine answers for a caller that
 * computes; calls of one engine must come from one thread at a time
 * nevertheless.
 *
 * Bounds. A message is only sent while fewer than the window's bytes are on the
 * way to the same member (see bus_send()), wherever they are: in the sender,
 * a broker, or not yet received by the caller there. A message has
 * BUS_MESSAGE bytes at most.
 *
 * MPI. Nobody is looked for there, and no thread works for a caller that
 * computes: long work should call bus_wait(e, 0) now and then, or large
 * messages wait. With Open MPI 4 a rank that dies ends the whole job: mpirun
 * kills the others and fails, and the layer above starts from its checkpoint.
 * With fault tolerance (Open MPI 5, mpirun --with-ft ulfm) it is BUS_LEFT as
 * everywhere; a dead coordinator is BUS_COORDINATOR_GONE and final.
 * bus_close() waits for all living ranks to call it. Once per process.
 *
 * Trust. Who may use the broker's virtual host is believed: a member can
 * pretend to be another one. Damaged or hostile bytes do no harm but to what
 * they say.
 */
#ifndef CLUSTER_BUS_H
#define CLUSTER_BUS_H

#include <stddef.h>
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
 * enum bus_event - types of messages that the engine itself sends
 * @BUS_JOINED:	at the coordinator: worker @from is in; at a worker: it
 *			is in, under id @from
 * @BUS_LEFT:	at the coordinator: worker @from is gone; at a worker:
 *			it was thrown out, its id was @from. The payload says
 *			why, a text with a NUL.
 * @BUS_REFUSED:	at the coordinator: a worker was refused; the payload is
 *			a line for the log, with a NUL; @from is 0
 * @BUS_COORDINATOR_GONE: at a worker: the coordinator or the connection is
 *			lost, and with it the id. The payload says why.
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
 * struct bus_config - what both sides say of themselves; all is copied
 * @job:	letters, digits, '.', '_', '-'. Jobs on one broker never meet;
 *		each has one coordinator.
 * @protocol:	of the caller's messages; both must be the same
 * @build:	likewise, "" for none
 * @heartbeat_ms: a member of which nothing was heard for that long is gone;
 *		0: 5 s. At least 200 ms.
 * @window:	bytes, see above; 0: 16 MiB. The coordinator's is everybody's.
 * @connect_ms:	how long bus_open() tries to reach the broker; 0: once,
 *		UINT32_MAX: for ever
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
 * struct bus_message - what was received
 * @from:	who sent it
 * @type:	the caller's, or enum bus_event
 * @data:	the payload, the engine's: until the next bus_receive() or
 *		bus_close(); aligned as malloc() does
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
 * @control:		messages of the engine itself, both ways
 */
struct bus_counters {
	struct bus_traffic	to_coordinator;
	struct bus_traffic	to_workers;
	struct bus_traffic	from_coordinator;
	struct bus_traffic	from_workers;
	uint64_t		broadcasts;
	uint64_t		control;
};

/* Threads that want to meet share one; it outlives their engines */
struct bus_hub *bus_hub_create(void);
void bus_hub_destroy(struct bus_hub *h);

/**
 * bus_open() - connect, and begin to be a member
 * @e:		gets the engine, to be closed with bus_close()
 * @spec:	see above
 * @error:	gets one line
 *
 * A line never shows the password.
 *
 * Return: 0; -EINVAL: @spec or @config is wrong; -EACCES: the broker does not
 * want this user, or not for this; -EBUSY: the job has a coordinator;
 * -EOPNOTSUPP: no such engine here; another negative errno.
 */
int bus_open(struct bus **e, const char *spec, enum bus_role role,
	     const struct bus_config *config, char error[ERROR_TEXT]);

/* Leave: the others are told at once. NULL is nothing. */
void bus_close(struct bus *e);

/**
 * bus_send() - a message to one member
 * @to:		0 or a worker's id; not the own one
 * @type:	below BUS_EVENT
 * @iov:	@count pieces of the payload; free again on return
 *
 * Never waits for the receiver: when the window's bytes are on the way to it
 * already, nothing is sent and the caller tries again later: after messages
 * were received, or after bus_wait(), which returns at once while there are
 * messages to receive. See bus_send_wait() for who does not want to. A
 * broker that is out of memory stops all senders, and that is waited for.
 *
 * A worker's messages to a worker that is gone are dropped until it knows.
 *
 * Return: 0; -EAGAIN: see above; -ENOTCONN: this worker is out;
 * -EHOSTUNREACH: no such worker, so far as known; -EMSGSIZE; -EINVAL; -ENOMEM.
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
 * @timeout_ms:	-1: for ever
 *
 * What others send in the meantime counts as received, up to BUS_LENT
 * windows of it: two that send to each other do not wait for each other.
 *
 * Return: as bus_send(); -EAGAIN after @timeout_ms.
 */
int bus_send_wait(struct bus *e, uint32_t to, uint16_t type,
		  const struct iovec *iov, int count, int timeout_ms);

/**
 * bus_broadcast() - a message from the coordinator to all workers
 *
 * Those are meant whose BUS_JOINED is before this call and whose BUS_LEFT
 * is not, received or still waiting to be.
 *
 * Return: as bus_send(); -EAGAIN: the window to one of them is full, nothing
 * was sent to any; -EPERM: not the coordinator.
 */
int bus_broadcast(struct bus *e, uint16_t type, const struct iovec *iov,
		  int count);

/**
 * bus_receive() - the next message
 * @timeout_ms:	0: do not wait; -1: for ever
 *
 * Return: 1: @m is set; 0: none came, or, before the time is over, a send that
 * got -EAGAIN may be tried again; -EPROTO: refused, or with mpi the
 * coordinator is gone: of no use any more, bus_error() says why.
 */
int bus_receive(struct bus *e, struct bus_message *m, int timeout_ms);

/**
 * bus_wait() - until bus_receive() has something, or a send that got
 * -EAGAIN may be tried again
 *
 * Return: 1, or 0 after @timeout_ms.
 */
int bus_wait(struct bus *e, int timeout_ms);

/**
 * bus_fd() - for a loop that waits for other things, too
 *
 * Readable (EPOLLIN) when bus_wait() would return 1. Call bus_receive()
 * with no time to wait until it returns 0, and try again what got -EAGAIN; the
 * caller neither reads nor closes it.
 *
 * Return: a descriptor; -EOPNOTSUPP with mpi: there a loop calls
 * bus_receive() from a timer, each ms or so.
 */
int bus_fd(struct bus *e);

/* Own id: 0 at the coordinator and at a worker that is out */
uint32_t bus_id(struct bus *e);
enum bus_role bus_role(const struct bus *e);
/* Workers that there can be: with mpi all other ranks, else BUS_WORKERS */
uint32_t bus_seats(const struct bus *e);
/* Why it is of no use, or what it waits for: one line; "": nothing is wrong */
void bus_error(struct bus *e, char error[ERROR_TEXT]);
void bus_counters(struct bus *e, struct bus_counters *c);

#endif
