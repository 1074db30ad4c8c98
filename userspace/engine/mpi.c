// SPDX-License-Identifier: GPL-2.0-only
/*
 * The engine over MPI, a plug-in: ranks are ids, and messages of one tag.
 *
 * All MPI calls are made by the caller's thread, within calls of the engine.
 * Messages are sent one by one, also broadcasts. MPI_Bcast is faster (2.6 KB to
 * 7 ranks on 2 cores: 35 us against 97 us; to 3: 12 against 15), but all ranks
 * have to call it at the same point of their streams, and a worker cannot know
 * that it is due.
 *
 * MPI has no way to wait that does not use the processor. What waits here looks
 * again at once while there is traffic, lets others run in between, and sleeps
 * a little once it was in vain for a while: half a ms at most.
 *
 * With ULFM a dead rank makes calls fail until its death was acknowledged; as
 * there are no collectives, the communicator need not be made anew.
 */
#include <errno.h>
#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "engine/transport.h"

enum {
	TAG		= 1,
	SPINS		= 2000,		/* looks, before it sleeps */
	SLEEP_LEAST_NS	= 20000,
	SLEEP_MOST_NS	= 500000,
};

/* On its way out; the buffer is MPI's until then */
struct sending {
	MPI_Request		request;
	struct engine_buffer	*buffer;
};

/**
 * struct mpi - what e->link is
 * @sendings:	@count of them, with room for @room
 * @moved:	something came or went out since it was cleared
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
	int		agreed;
};

static int say(char error[ENGINE_ERROR], int err, const char *what)
{
	snprintf(error, ENGINE_ERROR, "mpi: %s", what);
	return err;
}

static int initialize(char error[ENGINE_ERROR])
{
	int yes, provided;

	MPI_Finalized(&yes);
	if (yes)
		return say(error, -EALREADY, "was closed in this process");
	MPI_Initialized(&yes);
	if (yes)
		return say(error, -EALREADY, "is open in this process");
	if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) ||
	    provided < MPI_THREAD_FUNNELED)
		return say(error, -EIO, "cannot be initialized");
	return 0;
}

static int take_role(struct engine *e, const struct mpi *m,
		     char error[ENGINE_ERROR])
{
	const enum engine_role role = m->rank ? ENGINE_WORKER :
				      ENGINE_COORDINATOR;

	if (e->role == ENGINE_BY_RANK)
		e->role = role;
	if (e->role == role)
		return 0;
	return say(error, -EINVAL, m->ranks == 1 ?
		   "a worker needs mpirun, and a coordinator in it" :
		   m->rank ? "only rank 0 can be the coordinator" :
		   "rank 0 is the coordinator, it cannot be a worker");
}

static int mpi_open(struct engine *e, const char *spec,
		    const struct engine_config *config,
		    char error[ENGINE_ERROR])
{
	struct mpi *m;
	int err = initialize(error);

	(void)spec;
	(void)config;
	if (err)
		return err;
	m = calloc(1, sizeof(*m));
	if (!m)
		return say(error, -ENOMEM, "no memory");
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
/* Tell of each dead rank; from then on they no longer make calls fail */
static void acknowledge(struct engine *e)
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
			e->up->gone(e, rank, "its process died");
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

/* Among those that live */
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
/* Errors end the job before they are seen */
static void acknowledge(struct engine *e)
{
	(void)e;
}

static bool is_death(int err)
{
	(void)err;
	return false;
}

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

static struct engine_buffer *pack(struct engine *e, const struct frame *f,
				  const struct iovec *iov, int count,
				  size_t len)
{
	struct engine_buffer *b = e->up->buffer(&e->inbox, FRAME_SIZE + len);
	uint8_t *at;
	int i;

	if (!b)
		return NULL;
	e->up->write(b->data, f);
	at = b->data + FRAME_SIZE;
	for (i = 0; i < count; i++) {
		if (iov[i].iov_len)
			memcpy(at, iov[i].iov_base, iov[i].iov_len);
		at += iov[i].iov_len;
	}
	return b;
}

/* Ids are ranks; a dead one's messages go nowhere until it was told of */
static int mpi_send(struct engine *e, const struct frame *f, uint64_t joining,
		    const struct iovec *iov, int count, size_t len)
{
	struct mpi *m = e->link;
	const uint64_t to = joining ? joining : f->to;
	struct sending *s;

	if (to >= (uint64_t)m->ranks)
		return 0;
	s = new_sending(m);
	if (!s)
		return -ENOMEM;
	s->buffer = pack(e, f, iov, count, len);
	if (!s->buffer)
		return -ENOMEM;
	if (MPI_Isend(s->buffer->data, s->buffer->len, MPI_BYTE, to, TAG,
		      m->comm, &s->request))
		e->up->release(&e->inbox, s->buffer);
	else
		m->count++;
	return 0;
}

/* What is out: its buffers are free again */
static void look_at_sendings(struct engine *e)
{
	struct mpi *m = e->link;
	unsigned int i;

	for (i = 0; i < m->count;) {
		struct sending *s = &m->sendings[i];
		int done = 0;

		/* that to a dead one is done, too: a failed request is */
		if (!MPI_Test(&s->request, &done, MPI_STATUS_IGNORE) && !done) {
			i++;
			continue;
		}
		m->moved = true;
		e->up->release(&e->inbox, s->buffer);
		*s = m->sendings[--m->count];
	}
}

/* Return: NULL: nothing there; @err, or no memory */
static struct engine_buffer *next(struct engine *e, int *err)
{
	struct mpi *m = e->link;
	struct engine_buffer *b;
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
		/* half a stream is worse than none */
		MPI_Abort(m->comm, 1);
		return NULL;
	}
	*err = MPI_Mrecv(b->data, len, MPI_BYTE, &message, &status);
	if (*err) {
		e->up->release(&e->inbox, b);
		return NULL;
	}
	m->moved = true;
	return b;
}

static void take_all(struct engine *e, bool discard)
{
	struct engine_buffer *b;
	struct frame f;
	int err;

	for (;;) {
		b = next(e, &err);
		if (!b && is_death(err)) {
			acknowledge(e);
			b = next(e, &err);
		}
		if (!b)
			return;
		if (discard || e->up->read(b->data, b->len, &f)) {
			e->up->release(&e->inbox, b);
			continue;
		}
		b->start = FRAME_SIZE;
		b->len -= FRAME_SIZE;
		e->up->frame(e, &f, b);
	}
}

static void mpi_progress(struct engine *e)
{
	look_at_sendings(e);
	take_all(e, false);
}

static void doze(unsigned int looks)
{
	const unsigned int more = looks - SPINS;
	struct timespec t = { 0, SLEEP_LEAST_NS };

	if (looks < SPINS) {
		sched_yield();
		return;
	}
	t.tv_nsec = more < 16 ? SLEEP_LEAST_NS * (more + 1ll) : SLEEP_MOST_NS;
	if (t.tv_nsec > SLEEP_MOST_NS)
		t.tv_nsec = SLEEP_MOST_NS;
	nanosleep(&t, NULL);
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static void mpi_wait(struct engine *e, int timeout_ms)
{
	const uint64_t end = now_ns() + timeout_ms * 1000000ull;
	const struct engine_buffer *first = e->inbox.first;
	struct mpi *m = e->link;
	unsigned int looks = 0;

	while (e->inbox.first == first && !e->relieved &&
	       e->state != ENGINE_FAILED &&
	       (timeout_ms < 0 || now_ns() < end)) {
		doze(looks);
		m->moved = false;
		mpi_progress(e);
		/* a large message on its way needs us awake */
		looks = m->moved ? 0 : looks + (looks < 2 * SPINS);
	}
}

/* There is no way back in: the ranks are what they are */
static void mpi_reset(struct engine *e)
{
	(void)e;
}

/*
 * All that was sent is received by somebody before anybody goes: a barrier that
 * a rank enters when its own messages are out, receiving in the meantime.
 */
static void farewell(struct engine *e)
{
	struct mpi *m = e->link;
	MPI_Request all_are_here;
	unsigned int looks = 0;
	bool here = false;
	int done = 0;

	while (!done) {
		doze(looks);
		looks += looks < 2 * SPINS;
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

static void mpi_close(struct engine *e)
{
	struct mpi *m = e->link;

	farewell(e);
	free_comm(m);
	MPI_Finalize();
	free(m->sendings);
	free(m);
}

static int mpi_fd(struct engine *e)
{
	(void)e;
	return -EOPNOTSUPP;
}

const struct engine_transport engine_mpi = {
	.abi = ENGINE_ABI,
	.name = "mpi",
	.open = mpi_open,
	.close = mpi_close,
	.send = mpi_send,
	.reset = mpi_reset,
	.progress = mpi_progress,
	.wait = mpi_wait,
	.fd = mpi_fd,
};
