// SPDX-License-Identifier: GPL-2.0-only
/*
 * The engine over MPI, a plug-in: ranks are ids, and messages of one tag.
 *
 * All MPI calls are made by the caller's thread, within calls of the bus.
 *
 * Broadcasts go to a few leaders, which forward them: see leaders_of().
 * MPI_Bcast is not possible: all ranks have to call it at the same point of
 * their streams, and a worker cannot know when. Since broadcasts take another
 * path than other messages of the coordinator, each message carries the number
 * of broadcasts before it, and waits for those. A broadcast after messages to
 * single ranks is sent to each rank by the coordinator itself, in order.
 *
 * MPI cannot wait without using the processor. A wait polls, yields to other
 * processes, and sleeps a little, at most half a ms, once nothing came for
 * twice as long as usual.
 *
 * With ULFM a dead rank makes calls fail until its death was acknowledged; as
 * there are no collectives, the communicator need not be rebuilt. After that no
 * rank forwards broadcasts: a dead leader would leave gaps.
 */
#include <errno.h>
#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/error.h"
#include "cluster/transport.h"

enum {
	TAG		= 1,
	PATIENCE_NS	= 2500000,	/* before it sleeps, at least */
	PATIENCE_MOST_NS = 50000000,
	SLEEP_LEAST_NS	= 20000,
	SLEEP_MOST_NS	= 500000,
	FLAT		= 8,		/* workers, without leaders */
	PASSED_ON	= 32 << 10,	/* bytes, at most: MPI takes them at once */
};

/**
 * struct envelope - the header of each message
 * @broadcasts:	number of broadcasts of the coordinator before it; 0 of others
 * @kind:	of the message
 */
struct envelope {
	uint32_t	broadcasts;
	uint32_t	kind;
};

enum { SINGLE, BROADCAST, PASS_ON };

enum { ENVELOPE = sizeof(struct envelope), HEAD = ENVELOPE + FRAME_SIZE };

/* A pending send; MPI uses the buffer until it completes */
struct sending {
	MPI_Request		request;
	struct bus_buffer	*buffer;
};

/**
 * struct mpi - the type of e->link
 * @sendings:	@count of them, with room for @room
 * @moved:	a message came or a send completed since it was cleared
 * @broadcasts:	sent, or delivered
 * @singles:	a message was sent to a single rank since the last broadcast
 * @held:	from the coordinator, out of order; in order of arrival
 * @usual:	ns, usual time until a message comes
 * @agreed:	for the farewell with ULFM
 */
struct mpi {
	MPI_Comm	comm;
	int		rank;
	int		ranks;
	struct sending	*sendings;
	unsigned int	count;
	unsigned int	room;
	bool		moved;
	uint32_t	broadcasts;
	bool		singles;
	struct bus_buffer *held;
	uint64_t	usual;
	int		agreed;
};

static int fail(struct error *error, int err, const char *what)
{
	return error_set(error, err, "mpi: %s", what);
}

static int initialize(struct error *error)
{
	int yes, provided;

	MPI_Finalized(&yes);
	if (yes)
		return fail(error, -EALREADY, "already closed in this process");
	MPI_Initialized(&yes);
	if (yes)
		return fail(error, -EALREADY, "already open in this process");
	if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) ||
	    provided < MPI_THREAD_FUNNELED)
		return fail(error, -EIO, "initialization failed");
	return 0;
}

static int take_role(struct bus *e, const struct mpi *m,
		     struct error *error)
{
	const enum bus_role role = m->rank ? BUS_WORKER :
				      BUS_COORDINATOR;

	if (e->role == BUS_BY_RANK)
		e->role = role;
	if (e->role == role)
		return 0;
	return fail(error, -EINVAL, m->ranks == 1 ?
		    "a worker needs mpirun with a coordinator" :
		    m->rank ? "only rank 0 can be the coordinator" :
		    "rank 0 is the coordinator, it cannot be a worker");
}

static int mpi_open(struct bus *e, const char *spec,
		    const struct bus_config *config,
		    struct error *error)
{
	struct mpi *m;
	int err = initialize(error);

	(void)spec;
	(void)config;
	if (err)
		return err;
	m = calloc(1, sizeof(*m));
	if (!m)
		return fail(error, -ENOMEM, "no memory");
	MPI_Comm_dup(MPI_COMM_WORLD, &m->comm);
	MPI_Comm_set_errhandler(m->comm, MPI_ERRORS_RETURN);
	MPI_Comm_rank(m->comm, &m->rank);
	MPI_Comm_size(m->comm, &m->ranks);
	err = take_role(e, m, error);
	if (err) {
		/* mpirun ends the others, as this rank does not finalize */
		free(m);
		return err;
	}
	e->link = m;
	e->up->connected(e, m->rank, m->rank);
	return 0;
}

#ifdef OMPI_HAVE_MPI_EXT_FTMPI
/* Report each dead rank; after that they do not make calls fail */
static void acknowledge(struct bus *e)
{
	struct mpi *m = e->link;
	MPI_Group dead, all;
	int n, i, of_dead, rank;

	MPIX_Comm_failure_ack(m->comm);
	if (MPIX_Comm_failure_get_acked(m->comm, &dead))
		return;
	MPI_Comm_group(m->comm, &all);
	MPI_Group_size(dead, &n);
	for (i = 0; i < n; i++) {
		of_dead = i;
		MPI_Group_translate_ranks(dead, 1, &of_dead, all, &rank);
		if (rank != MPI_UNDEFINED)
			e->up->gone(e, rank, "process died");
	}
	MPI_Group_free(&dead);
	MPI_Group_free(&all);
}

static bool is_death(int err)
{
	int class = MPI_SUCCESS;

	MPI_Error_class(err, &class);
	return class == MPIX_ERR_PROC_FAILED ||
	       class == MPIX_ERR_PROC_FAILED_PENDING;
}

enum { LEADERS = false };

/* Among the living ranks */
static int meet(struct mpi *m, MPI_Request *r)
{
	m->agreed = 1;
	return MPIX_Comm_iagree(m->comm, &m->agreed, r);
}

/* Freeing is for all ranks, dead ones too */
static void free_comm(struct mpi *m)
{
	(void)m;
}
#else
/* Errors end the job before they are noticed */
static void acknowledge(struct bus *e)
{
	(void)e;
}

static bool is_death(int err)
{
	(void)err;
	return false;
}

enum { LEADERS = true };

static int meet(struct mpi *m, MPI_Request *r)
{
	return MPI_Ibarrier(m->comm, r);
}

static void free_comm(struct mpi *m)
{
	MPI_Comm_free(&m->comm);
}
#endif

static struct sending *new_sending(struct mpi *m)
{
	const unsigned int more = m->room ? 2 * m->room : 16;
	struct sending *list;

	if (m->count == m->room) {
		list = realloc(m->sendings, more * sizeof(*list));
		if (!list)
			return NULL;
		m->sendings = list;
		m->room = more;
	}
	return &m->sendings[m->count];
}

static struct bus_buffer *pack(struct bus *e, const struct frame *f,
			       const struct iovec *iov, int count,
			       size_t len)
{
	struct bus_buffer *b = e->up->buffer(&e->inbox, HEAD + len);
	uint8_t *at;
	int i;

	if (!b)
		return NULL;
	e->up->write(b->data + ENVELOPE, f);
	at = b->data + HEAD;
	for (i = 0; i < count; i++) {
		if (iov[i].iov_len)
			memcpy(at, iov[i].iov_base, iov[i].iov_len);
		at += iov[i].iov_len;
	}
	return b;
}

/* Takes @b, also after an error */
static int post(struct bus *e, int to, struct bus_buffer *b,
		struct envelope envelope)
{
	struct mpi *m = e->link;
	struct sending *s = new_sending(m);

	if (!s) {
		e->up->release(&e->inbox, b);
		return -ENOMEM;
	}
	memcpy(b->data, &envelope, ENVELOPE);
	s->buffer = b;
	/* messages to a dead rank are lost until its death was reported */
	if (MPI_Isend(b->data, b->len, MPI_BYTE, to, TAG, m->comm,
		      &s->request))
		e->up->release(&e->inbox, b);
	else
		m->count++;
	return 0;
}

static int post_copy(struct bus *e, int to, const struct bus_buffer *b,
		     struct envelope envelope)
{
	struct bus_buffer *copy = e->up->buffer(&e->inbox, b->len);

	if (!copy)
		return -ENOMEM;
	memcpy(copy->data + ENVELOPE, b->data + ENVELOPE, b->len - ENVELOPE);
	return post(e, to, copy, envelope);
}

/*
 * Ranks 1 to this one forward broadcasts. With many ranks, sending to one after
 * the other takes longer than one more hop; with about as many leaders as each
 * of them has ranks behind it, the last rank gets it soonest
 */
static int leaders_of(const struct mpi *m)
{
	const int workers = m->ranks - 1;
	int leaders = 1;

	if (!LEADERS || workers <= FLAT)
		return workers;
	while ((leaders + 1) * (leaders + 1) <= workers)
		leaders++;
	return leaders;
}

/* Forward to all ranks behind this one. Return: 0; -ENOMEM */
static int pass_on(struct bus *e, const struct bus_buffer *b,
		   struct envelope envelope)
{
	const struct mpi *m = e->link;
	const int leaders = leaders_of(m);
	int rank, err = 0;

	envelope.kind = BROADCAST;
	for (rank = m->rank + leaders; rank < m->ranks && !err;
	     rank += leaders)
		err = post_copy(e, rank, b, envelope);
	return err;
}

static int broadcast(struct bus *e, const struct frame *f,
		     struct bus_buffer *b)
{
	struct mpi *m = e->link;
	const bool flat = m->singles || f->kind != FRAME_DATA ||
			  b->len > PASSED_ON;
	const int last = flat ? m->ranks - 1 : leaders_of(m);
	const struct envelope envelope = {
		m->broadcasts++, flat ? BROADCAST : PASS_ON,
	};
	int rank, err = 0;

	m->singles = false;
	for (rank = 1; rank <= last && !err; rank++)
		err = post_copy(e, rank, b, envelope);
	e->up->release(&e->inbox, b);
	return err;
}

/* Ids are ranks */
static int mpi_send(struct bus *e, const struct frame *f, uint64_t joining,
		    const struct iovec *iov, int count, size_t len)
{
	struct mpi *m = e->link;
	const uint64_t to = joining ? joining : f->to;
	const bool all = !joining && f->to == FRAME_ALL;
	struct bus_buffer *b;

	if (to >= (uint64_t)m->ranks && !all)
		return 0;
	b = pack(e, f, iov, count, len);
	if (!b)
		return -ENOMEM;
	if (all)
		return broadcast(e, f, b);
	m->singles = true;
	return post(e, to, b, (struct envelope){
		m->rank ? 0 : m->broadcasts, SINGLE,
	});
}

/* Free the buffers of completed sends */
static void look_at_sendings(struct bus *e)
{
	struct mpi *m = e->link;
	unsigned int i;

	for (i = 0; i < m->count;) {
		struct sending *s = &m->sendings[i];
		int done = 0;

		/* a send to a dead rank is complete, too: its request failed */
		if (!MPI_Test(&s->request, &done, MPI_STATUS_IGNORE) && !done) {
			i++;
			continue;
		}
		m->moved = true;
		e->up->release(&e->inbox, s->buffer);
		*s = m->sendings[--m->count];
	}
}

/* Return: NULL: no message; @err, or no memory */
static struct bus_buffer *next(struct bus *e, int *err, int *from)
{
	struct mpi *m = e->link;
	struct bus_buffer *b;
	MPI_Message message;
	MPI_Status status;
	int there = 0, len;

	*err = MPI_Improbe(MPI_ANY_SOURCE, TAG, m->comm, &there, &message,
			   &status);
	if (*err || !there)
		return NULL;
	MPI_Get_count(&status, MPI_BYTE, &len);
	b = e->up->buffer(&e->inbox, len);
	if (!b) {
		/* a gap in the stream would be worse */
		MPI_Abort(m->comm, 1);
		return NULL;
	}
	*err = MPI_Mrecv(b->data, len, MPI_BYTE, &message, &status);
	if (*err) {
		e->up->release(&e->inbox, b);
		return NULL;
	}
	m->moved = true;
	*from = status.MPI_SOURCE;
	return b;
}

static void deliver(struct bus *e, struct bus_buffer *b, bool discard)
{
	struct frame f;

	if (discard || e->up->read(b->data + ENVELOPE, b->len - ENVELOPE, &f)) {
		e->up->release(&e->inbox, b);
		return;
	}
	b->start = HEAD;
	b->len -= HEAD;
	e->up->frame(e, &f, b);
}

static struct envelope envelope_of(const struct bus_buffer *b)
{
	struct envelope envelope;

	memcpy(&envelope, b->data, ENVELOPE);
	return envelope;
}

/* Whether @b is next in order; if so, it counts as delivered. The difference is
 * right also when the count wraps around
 */
static bool in_turn(struct mpi *m, const struct bus_buffer *b)
{
	const struct envelope envelope = envelope_of(b);

	if ((int32_t)(envelope.broadcasts - m->broadcasts) > 0)
		return false;
	m->broadcasts += envelope.kind != SINGLE;
	return true;
}

static void hold(struct mpi *m, struct bus_buffer *b)
{
	struct bus_buffer **at = &m->held;

	while (*at)
		at = &(*at)->next;
	b->next = NULL;
	*at = b;
}

/* Search from the start after each one: they arrived in order except for
 * forwarded broadcasts, which came late
 */
static void deliver_held(struct bus *e, bool discard)
{
	struct mpi *m = e->link;
	struct bus_buffer **at = &m->held;

	while (*at) {
		struct bus_buffer *b = *at;

		if (!in_turn(m, b)) {
			at = &b->next;
			continue;
		}
		*at = b->next;
		deliver(e, b, discard);
		at = &m->held;
	}
}

/* From the coordinator, or forwarded */
static void take(struct bus *e, struct bus_buffer *b, bool discard)
{
	struct mpi *m = e->link;
	const struct envelope envelope = envelope_of(b);

	/* a gap in the stream would be worse */
	if (envelope.kind == PASS_ON && pass_on(e, b, envelope))
		MPI_Abort(m->comm, 1);
	if (!in_turn(m, b)) {
		hold(m, b);
		return;
	}
	deliver(e, b, discard);
	if (m->held)
		deliver_held(e, discard);
}

static void take_all(struct bus *e, bool discard)
{
	struct bus_buffer *b;
	int err, from;

	for (;;) {
		b = next(e, &err, &from);
		if (!b && is_death(err)) {
			acknowledge(e);
			b = next(e, &err, &from);
		}
		if (!b)
			return;
		if (b->len < HEAD)
			e->up->release(&e->inbox, b);
		else if (from && envelope_of(b).kind == SINGLE)
			deliver(e, b, discard);
		else
			take(e, b, discard);
	}
}

static void mpi_progress(struct bus *e)
{
	look_at_sendings(e);
	take_all(e, false);
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

/* @waited: ns, @patience: part of it without sleep */
static void doze(uint64_t waited, uint64_t patience)
{
	struct timespec t = { 0, SLEEP_LEAST_NS };

	if (waited < patience) {
		sched_yield();
		return;
	}
	/* sleep as long again as it slept so far */
	if (waited - patience > SLEEP_LEAST_NS)
		t.tv_nsec = waited - patience < SLEEP_MOST_NS ?
			    waited - patience : SLEEP_MOST_NS;
	nanosleep(&t, NULL);
}

/* With much longer waits for most messages polling gains nothing */
static uint64_t patience_of(const struct mpi *m)
{
	if (2 * m->usual < PATIENCE_NS || 2 * m->usual > PATIENCE_MOST_NS)
		return PATIENCE_NS;
	return 2 * m->usual;
}

static void mpi_wait(struct bus *e, int timeout_ms)
{
	const struct bus_buffer *first = e->inbox.first;
	const uint64_t start = now_ns();
	const uint64_t most = timeout_ms * 1000000ull;
	struct mpi *m = e->link;
	const uint64_t patience = patience_of(m);
	uint64_t now = start, moved = start;

	while (e->inbox.first == first && !e->relieved &&
	       e->state != BUS_FAILED &&
	       (timeout_ms < 0 || now - start < most)) {
		doze(now - moved, patience);
		m->moved = false;
		mpi_progress(e);
		now = now_ns();
		/* the transfer of a large message needs polling */
		if (m->moved)
			moved = now;
	}
	m->usual += ((int64_t)(now - start) - (int64_t)m->usual) / 8;
}

/* No rank can join again: the ranks are fixed */
static void mpi_reset(struct bus *e)
{
	(void)e;
}

/*
 * All messages are received before any rank leaves: a barrier that a rank
 * enters when its own messages are sent, while it keeps receiving.
 */
static void farewell(struct bus *e)
{
	struct mpi *m = e->link;
	MPI_Request all_are_here;
	const uint64_t start = now_ns();
	bool here = false;
	int done = 0;

	while (!done) {
		doze(now_ns() - start, PATIENCE_NS);
		look_at_sendings(e);
		take_all(e, true);
		if (!here && !m->count) {
			if (meet(m, &all_are_here))
				return;
			here = true;
		}
		if (here && MPI_Test(&all_are_here, &done, MPI_STATUS_IGNORE))
			return;
	}
}

static void mpi_close(struct bus *e)
{
	struct mpi *m = e->link;

	farewell(e);
	while (m->held) {
		struct bus_buffer *b = m->held;

		m->held = b->next;
		e->up->release(&e->inbox, b);
	}
	free_comm(m);
	MPI_Finalize();
	free(m->sendings);
	free(m);
}

static int mpi_fd(struct bus *e)
{
	(void)e;
	return -EOPNOTSUPP;
}

static uint32_t mpi_seats(const struct bus *e)
{
	return (uint32_t)((const struct mpi *)e->link)->ranks - 1;
}

const struct bus_transport bus_mpi = {
	.abi = BUS_ABI,
	.name = "mpi",
	.broadcast = true,
	.open = mpi_open,
	.close = mpi_close,
	.send = mpi_send,
	.reset = mpi_reset,
	.progress = mpi_progress,
	.wait = mpi_wait,
	.fd = mpi_fd,
	.seats = mpi_seats,
};
