// SPDX-License-Identifier: GPL-2.0-only
/*
 * http_server - states of connections, and the worker threads
 */
#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>
#include "base/http_places.h"
#include "base/http_server.h"
#include "base/loop.h"

enum {
	CONNECTIONS	= 4096,
	FILES		= 16384,	/* open files of the process, at most */
	FILES_OTHERS	= 256,		/* that connections leave to others */
	PARTING		= 512,		/* refused ones, see make_room() */
	BACKLOG		= 4096,
	HEAD_MAX	= 16384,	/* bytes of a request before its body */
	PIECE		= 65536,	/* bytes of one read() */
	LINGER		= 4 << 20,	/* bytes to read and discard */
	ACCEPTS		= 64,		/* per wakeup */
	KEPT		= 4096,		/* bytes of an idle buffer */
};

static const size_t out_max = (size_t)256 << 20;	/* bytes, of all answers */
static const uint64_t ms = 1000000;
static const uint64_t tick = 250 * 1000000ULL;		/* ns */
static const uint64_t read_patience = 30 * 1000000000ULL; /* ns, no progress */
static const uint64_t part_patience = 2 * 1000000000ULL;

/**
 * enum state - of a connection
 * @HEAD, @BODY: it has a place in @places
 * @WORK:	only a worker uses it
 * @LINGERS:	all is sent; input is discarded for a while, as close() with
 *		unread input would reset the connection and lose the answer
 */
enum state { HEAD, BODY, WORK, SEND, LINGERS };

/**
 * struct http_conn
 * @parting:	there was no room for it: only an answer that says so
 * @asked:	requests so far
 */
struct http_conn {
	struct http_server	*s;
	struct http_place	place;
	TAILQ_ENTRY(http_conn)	part;
	struct loop_fd		watch;
	bool			watched;
	uint32_t		events;
	char			peer[ADDRESS_TEXT];
	enum state		state;
	struct bytes		in, head, body, out;
	size_t			searched, sent, end, thrown;
	struct http_request	request;
	struct http_pieces	pieces;
	bool			keep, gone, parting;
	unsigned int		asked;
	uint64_t		since, due;
	struct http_conn	*next, **at, *next_job;
};

struct queue {
	struct http_conn	*first, **last;
};

struct worker {
	struct http_server	*s;
	unsigned int		number;
	pthread_t		thread;
};

struct http_server {
	struct http_config	config;
	struct loop		*loop;
	struct loop_fd		listener, wake;
	struct loop_timer	timer;
	pthread_t		thread;
	bool			running;
	struct http_conn	*first;
	struct http_places	places;
	TAILQ_HEAD(, http_conn)	partings;
	unsigned int		connections, parting, most;
	uint8_t			piece[PIECE];
	size_t			out;		/* bytes of answers */
	uint64_t		dropped;
	pthread_mutex_t		lock;		/* of the fields below */
	pthread_cond_t		work;
	struct queue		jobs, done;
	bool			ending;
	unsigned int		workers;	/* that run */
	struct worker		worker[];
};

const struct http_request *http_conn_request(const struct http_conn *c)
{
	return &c->request;
}

const struct bytes *http_conn_body(const struct http_conn *c)
{
	return &c->body;
}

const char *http_conn_peer(const struct http_conn *c)
{
	return c->peer;
}

unsigned int http_server_connections(const struct http_server *s)
{
	return __atomic_load_n(&s->connections, __ATOMIC_RELAXED);
}

uint64_t http_server_dropped(const struct http_server *s)
{
	return __atomic_load_n(&s->dropped, __ATOMIC_RELAXED);
}

/*
 * Worker threads
 */

static void push(struct queue *q, struct http_conn *c)
{
	c->next_job = NULL;
	*q->last = c;
	q->last = &c->next_job;
}

static struct http_conn *pop(struct queue *q)
{
	struct http_conn *c = q->first;

	if (c)
		q->first = c->next_job;
	if (!q->first)
		q->last = &q->first;
	return c;
}

static void http_server_wake(struct http_server *s)
{
	const uint64_t one = 1;

	/* full: the reader was already notified */
	if (write(s->wake.fd, &one, sizeof(one)) < 0)
		return;
}

static void *http_server_answer(void *arg)
{
	struct worker *w = arg;
	struct http_server *s = w->s;

	pthread_mutex_lock(&s->lock);
	while (!s->ending) {
		struct http_conn *c = pop(&s->jobs);

		if (!c) {
			pthread_cond_wait(&s->work, &s->lock);
			continue;
		}
		pthread_mutex_unlock(&s->lock);
		s->config.answer(s->config.arg, w->number, c);
		pthread_mutex_lock(&s->lock);
		push(&s->done, c);
		http_server_wake(s);
	}
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

void http_reply(struct http_conn *c, struct bytes *b, size_t from, size_t len,
		bool keep)
{
	const struct bytes mine = c->out;

	c->out = *b;
	*b = mine;
	b->len = 0;
	c->sent = from;
	c->end = from + len;
	c->keep = keep;
}

/*
 * Connections; in the thread of the loop
 */

static void watch(struct http_conn *c, uint32_t events)
{
	if (!c->watched)
		c->gone |= loop_watch(c->s->loop, &c->watch, c->watch.fd,
				      events) != 0;
	else if (events != c->events)
		loop_rewatch(c->s->loop, &c->watch, events);
	c->watched = true;
	c->events = events;
}

static void unwatch(struct http_conn *c)
{
	if (c->watched)
		loop_unwatch(c->s->loop, &c->watch);
	c->watched = false;
}

static void drop_out(struct http_conn *c)
{
	if (c->state == SEND)
		c->s->out -= c->out.cap;
	if (c->out.cap > KEPT)
		bytes_free(&c->out);
}

static void http_server_end(struct http_conn *c)
{
	struct http_server *s = c->s;

	/* a worker that answers it would use freed memory */
	assert(c->state != WORK || s->ending);
	assert(*c->at == c);
	*c->at = c->next;
	if (c->next)
		c->next->at = c->at;
	http_places_leave(&s->places, &c->place);
	if (c->parting) {
		TAILQ_REMOVE(&s->partings, c, part);
		assert(s->parting);
		s->parting--;
		/* unread input would be answered with a reset */
		while (recv(c->watch.fd, s->piece, PIECE, 0) > 0)
			;
	}
	unwatch(c);
	drop_out(c);
	if (c->watch.fd >= 0)
		close(c->watch.fd);
	bytes_free(&c->in);
	bytes_free(&c->head);
	bytes_free(&c->body);
	bytes_free(&c->out);
	free(c);
	__atomic_sub_fetch(&s->connections, 1, __ATOMIC_RELAXED);
}

static void set_due(struct http_conn *c, uint64_t now, uint64_t patience)
{
	c->since = now;
	c->due = now + patience;
}

static void begin_request(struct http_conn *c, uint64_t now)
{
	assert(c->state != WORK);
	c->state = HEAD;
	c->searched = 0;
	c->body.len = 0;
	if (c->body.cap > KEPT)
		bytes_free(&c->body);
	c->pieces = (struct http_pieces){ 0 };
	if (!c->in.len && c->in.cap > KEPT)
		bytes_free(&c->in);
	if (c->head.cap > KEPT)
		bytes_free(&c->head);
	http_places_take(&c->s->places, &c->place);
	set_due(c, now, c->s->config.patience * ms);
	watch(c, EPOLLIN);
}

/* Close the oldest that is sent an answer, or was */
static bool drop_one(struct http_server *s, enum state state,
		     const struct http_conn *but)
{
	struct http_conn *worst = NULL;

	for (struct http_conn *c = s->first; c; c = c->next)
		if (c->state == state && c != but && !c->parting &&
		    (!worst || c->since < worst->since))
			worst = c;
	if (!worst)
		return false;
	__atomic_add_fetch(&s->dropped, 1, __ATOMIC_RELAXED);
	http_server_end(worst);
	return true;
}

static void begin_sending(struct http_conn *c)
{
	struct http_server *s = c->s;

	assert(c->sent <= c->end && c->end <= c->out.len);
	c->state = SEND;
	http_places_leave(&s->places, &c->place);
	s->out += c->out.cap;
	set_due(c, loop_now(), c->parting ? part_patience : read_patience);
	while (s->out > out_max && drop_one(s, SEND, c))
		;
}

/* Answer with an error */
static void http_server_refuse(struct http_conn *c, int status)
{
	struct http_server *s = c->s;

	s->config.error(s->config.arg, s->config.workers, c, status);
	c->keep = false;
	begin_sending(c);
}

/* Bytes of a head with its empty line; 0: it is not complete */
static size_t find_head(struct http_conn *c)
{
	const uint8_t *in = c->in.data;

	for (size_t i = c->searched; i + 1 < c->in.len; i++) {
		if (in[i] != '\n')
			continue;
		if (in[i + 1] == '\n')
			return i + 2;
		if (in[i + 1] == '\r' && i + 2 < c->in.len &&
		    in[i + 2] == '\n')
			return i + 3;
	}
	c->searched = c->in.len > 2 ? c->in.len - 2 : 0;
	return 0;
}

/* Empty lines before a request are ignored */
static void skip_lines(struct http_conn *c)
{
	size_t n = 0;

	while (n < c->in.len &&
	       (c->in.data[n] == '\r' || c->in.data[n] == '\n'))
		n++;
	if (n && c->searched == 0)
		bytes_consume(&c->in, n);
}

static int parse_head(struct http_conn *c, size_t len)
{
	c->head.len = 0;
	if (bytes_append(&c->head, c->in.data, len) ||
	    bytes_append(&c->head, "", 1))
		return 503;
	return http_parse_request(&c->request, (char *)c->head.data, len);
}

int http_conn_take(struct http_conn *c, struct bytes *input)
{
	const int fd = c->watch.fd;

	unwatch(c);
	c->watch.fd = -1;
	c->gone = true;
	*input = c->in;
	c->in = (struct bytes){ 0 };
	return fd;
}

/* Return: whether to go on */
static bool take_head(struct http_conn *c)
{
	static const char go_on[] = "HTTP/1.1 100 Continue\r\n\r\n";
	struct http_server *s = c->s;
	size_t len;
	int status;

	skip_lines(c);
	len = find_head(c);
	if (len > HEAD_MAX || (!len && c->in.len > HEAD_MAX)) {
		http_server_refuse(c, 431);
		return true;
	}
	if (!len)
		return false;
	status = parse_head(c, len);
	if (status) {
		bytes_consume(&c->in, len);
		http_server_refuse(c, status);
		return true;
	}
	c->asked++;
	/* before the body: a refused client must not cost more */
	status = s->config.admit(s->config.arg, s->config.workers, c);
	if (c->gone)
		return false;
	bytes_consume(&c->in, len);
	if (status) {
		/* what follows may be its body */
		c->keep &= !c->request.chunked && !c->request.length;
		begin_sending(c);
		return true;
	}
	if (c->request.length > (long long)s->config.body) {
		http_server_refuse(c, 413);
		return true;
	}
	if (http_header(&c->request, "Expect") &&
	    send(c->watch.fd, go_on, sizeof(go_on) - 1, MSG_NOSIGNAL) < 0)
		c->gone = true;
	c->state = BODY;
	return true;
}

static void give_work(struct http_conn *c)
{
	struct http_server *s = c->s;

	assert(c->state == BODY && !c->gone);
	unwatch(c);
	http_places_leave(&s->places, &c->place);
	c->state = WORK;
	pthread_mutex_lock(&s->lock);
	push(&s->jobs, c);
	pthread_cond_signal(&s->work);
	pthread_mutex_unlock(&s->lock);
}

static bool take_body(struct http_conn *c)
{
	const size_t left = c->request.length - c->body.len;
	size_t used = c->in.len < left ? c->in.len : left;
	int status;

	if (c->request.chunked)
		status = http_pieces_take(&c->pieces, c->in.data, c->in.len,
					  &used, &c->body, c->s->config.body);
	else if (used && bytes_append(&c->body, c->in.data, used))
		status = 503;
	else
		status = used == left;
	bytes_consume(&c->in, used);
	/* a terminating 0, for parsers of text */
	if (status == 1 && bytes_reserve(&c->body, c->body.len + 1))
		status = 503;
	if (status > 1) {
		http_server_refuse(c, status);
	} else if (status) {
		c->body.data[c->body.len] = 0;
		give_work(c);
	}
	return status > 1;
}

static bool http_server_send_out(struct http_conn *c)
{
	const uint64_t now = loop_now();

	while (c->sent < c->end) {
		const ssize_t n = send(c->watch.fd, c->out.data + c->sent,
				       c->end - c->sent, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
			watch(c, EPOLLOUT);
			return false;
		}
		if (n <= 0) {
			c->gone = true;
			return false;
		}
		c->sent += n;
		if (!c->parting)
			c->due = now + read_patience;
	}
	assert(c->sent == c->end);
	drop_out(c);
	if (c->keep) {
		begin_request(c, now);
		return true;
	}
	shutdown(c->watch.fd, SHUT_WR);
	c->state = LINGERS;
	c->thrown = 0;
	set_due(c, now, c->parting ? part_patience :
				     c->s->config.patience * ms);
	watch(c, EPOLLIN);
	return true;
}

static bool throw_away(struct http_conn *c)
{
	c->thrown += c->in.len;
	bytes_free(&c->in);
	c->gone |= c->thrown > LINGER;
	return false;
}

/* As far as the input allows; it may free @c */
static void advance(struct http_conn *c)
{
	bool on = true;

	while (on && !c->gone) {
		switch (c->state) {
		case HEAD:
			on = take_head(c);
			break;
		case BODY:
			on = take_body(c);
			break;
		case SEND:
			on = http_server_send_out(c);
			break;
		case LINGERS:
			on = throw_away(c);
			break;
		default:
			on = false;
		}
	}
	if (c->gone && c->state != WORK)
		http_server_end(c);
}

static void on_conn(void *arg, uint32_t events)
{
	struct http_conn *c = arg;
	uint8_t *piece = c->s->piece;
	ssize_t n;

	if (c->state == SEND) {
		c->gone |= !!(events & (EPOLLERR | EPOLLHUP));
		advance(c);
		return;
	}
	n = recv(c->watch.fd, piece, PIECE, 0);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0 || (c->state != LINGERS &&
		       bytes_append(&c->in, piece, n))) {
		http_server_end(c);
		return;
	}
	if (c->state == LINGERS)
		c->thrown += n;
	advance(c);
}

/*
 * All connections
 */

/* Tell a client that there are too many. Those that part are few, too */
static void part_with(struct http_conn *c)
{
	struct http_server *s = c->s;

	__atomic_add_fetch(&s->dropped, 1, __ATOMIC_RELAXED);
	if (s->parting >= PARTING)
		http_server_end(TAILQ_FIRST(&s->partings));
	c->parting = true;
	TAILQ_INSERT_TAIL(&s->partings, c, part);
	s->parting++;
	http_server_refuse(c, 503);
	advance(c);
}

/*
 * Give up an unfinished request, else who has got his answer, else who reads it
 * slowly. Return: whether there is room now
 */
static bool make_room(struct http_server *s)
{
	struct http_place *worst = http_places_worst(&s->places);
	struct http_conn *c;

	if (!worst)
		return drop_one(s, LINGERS, NULL) || drop_one(s, SEND, NULL);
	c = (void *)((char *)worst - offsetof(struct http_conn, place));
	if (c->asked && !c->in.len && c->state == HEAD) {
		/* it may ask again on another connection */
		__atomic_add_fetch(&s->dropped, 1, __ATOMIC_RELAXED);
		http_server_end(c);
	} else {
		part_with(c);
	}
	return true;
}

/* accept() also fails without a file if no client waits */
static bool is_pending(const struct http_server *s)
{
	struct pollfd p = { .fd = s->listener.fd, .events = POLLIN };

	return poll(&p, 1, 0) == 1;
}

/* Without a file there is no answer. Return: whether one was closed */
static bool free_file(struct http_server *s)
{
	struct http_place *worst = http_places_worst(&s->places);

	if (!is_pending(s))
		return false;
	if (s->parting)
		http_server_end(TAILQ_FIRST(&s->partings));
	else if (worst)
		http_server_end((void *)((char *)worst -
					 offsetof(struct http_conn, place)));
	else
		return drop_one(s, LINGERS, NULL) || drop_one(s, SEND, NULL);
	return true;
}

static struct http_conn *add_conn(struct http_server *s, int fd,
				  const struct sockaddr_storage *from)
{
	struct http_conn *c = calloc(1, sizeof(*c));
	const int on = 1;

	if (!c)
		return NULL;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	c->s = s;
	c->watch = (struct loop_fd){ fd, on_conn, c };
	c->place.row = http_places_row(&s->places, from);
	address_text(from, c->peer);
	c->next = s->first;
	if (c->next)
		c->next->at = &c->next;
	c->at = &s->first;
	s->first = c;
	__atomic_add_fetch(&s->connections, 1, __ATOMIC_RELAXED);
	return c;
}

/* Return: false: do not accept more now */
static bool accept_one(struct http_server *s)
{
	struct sockaddr_storage from;
	socklen_t len = sizeof(from);
	struct http_conn *c;
	bool room;
	int fd;

	fd = accept4(s->listener.fd, (struct sockaddr *)&from, &len,
		     SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (fd < 0)
		return (errno == EMFILE || errno == ENFILE) && free_file(s);
	room = s->connections - s->parting < s->most || make_room(s);
	c = add_conn(s, fd, &from);
	if (!c) {
		close(fd);
		return true;
	}
	begin_request(c, loop_now());
	if (c->gone)
		http_server_end(c);
	else if (!room)
		part_with(c);
	return true;
}

static void on_listener(void *arg, uint32_t events)
{
	struct http_server *s = arg;

	(void)events;
	for (int i = 0; i < ACCEPTS && accept_one(s); i++)
		;
}

static void on_wake(void *arg, uint32_t events)
{
	struct http_server *s = arg;
	struct http_conn *c, *next;
	bool ending;
	uint64_t n;

	(void)events;
	if (read(s->wake.fd, &n, sizeof(n)) < 0)
		return;
	pthread_mutex_lock(&s->lock);
	ending = s->ending;
	c = s->done.first;
	s->done = (struct queue){ NULL, &s->done.first };
	pthread_mutex_unlock(&s->lock);
	if (ending) {
		loop_stop(s->loop, 0);
		return;
	}
	/* sending one may drop others, but none of this list */
	for (struct http_conn *k = c; k; k = k->next_job)
		k->state = WORK;
	for (; c; c = next) {
		next = c->next_job;
		begin_sending(c);
		advance(c);
	}
}

static void http_server_on_tick(void *arg, uint64_t now)
{
	struct http_server *s = arg;
	struct http_conn *next;

	for (struct http_conn *c = s->first; c; c = next) {
		next = c->next;
		if (c->state == WORK || c->due > now)
			continue;
		if (c->state == BODY) {
			http_server_refuse(c, 408);
			advance(c);
			/* advance() may have closed others, too */
			next = s->first;
			continue;
		}
		http_server_end(c);
	}
	s->timer.due = now + tick;
}

static void *http_server_run(void *arg)
{
	loop_run(((struct http_server *)arg)->loop);
	return NULL;
}

static int http_server_listen_on(struct http_server *s, const struct address *a)
{
	const int fd = socket(a->storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC |
			      SOCK_NONBLOCK, 0), on = 1;
	int err;

	if (fd < 0)
		return -errno;
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) ||
	    bind(fd, (const void *)&a->storage, a->len) ||
	    listen(fd, BACKLOG)) {
		err = -errno;
		close(fd);
		return err;
	}
	s->listener.ready = on_listener;
	s->listener.arg = s;
	err = loop_watch(s->loop, &s->listener, fd, EPOLLIN);
	if (err) {
		close(fd);
		s->listener.fd = -1;
	}
	return err;
}

static int open_wake(struct http_server *s)
{
	const int fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	int err;

	if (fd < 0)
		return -errno;
	s->wake.ready = on_wake;
	s->wake.arg = s;
	err = loop_watch(s->loop, &s->wake, fd, EPOLLIN);
	if (err) {
		close(fd);
		s->wake.fd = -1;
	}
	return err;
}

/* How many connections there can be: of open files, half are for others */
static unsigned int most_connections(unsigned int wanted)
{
	struct rlimit files = { FILES, FILES };
	rlim_t most;

	if (!wanted)
		wanted = CONNECTIONS;
	if (!getrlimit(RLIMIT_NOFILE, &files) && files.rlim_cur < FILES) {
		files.rlim_cur = files.rlim_max < FILES ? files.rlim_max :
							  FILES;
		if (setrlimit(RLIMIT_NOFILE, &files))
			getrlimit(RLIMIT_NOFILE, &files);
	}
	most = files.rlim_cur > 2 * FILES_OTHERS ?
	       (files.rlim_cur - FILES_OTHERS) / 2 : FILES_OTHERS / 2;
	return wanted < most ? wanted : most;
}

static int http_server_start(struct http_server *s)
{
	int err = 0;

	while (s->workers < s->config.workers && !err) {
		struct worker *w = &s->worker[s->workers];

		*w = (struct worker){ s, s->workers, 0 };
		err = -pthread_create(&w->thread, NULL, http_server_answer, w);
		s->workers += !err;
	}
	if (!err)
		err = -pthread_create(&s->thread, NULL, http_server_run, s);
	s->running = !err;
	return err;
}

int http_server_open(struct http_server **out, const struct http_config *config)
{
	struct http_server *s = calloc(1, sizeof(*s) + config->workers *
					  sizeof(*s->worker));
	int err;

	if (!s)
		return -ENOMEM;
	s->config = *config;
	s->listener.fd = s->wake.fd = -1;
	s->most = most_connections(config->connections);
	http_places_init(&s->places);
	TAILQ_INIT(&s->partings);
	s->jobs.last = &s->jobs.first;
	s->done.last = &s->done.first;
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->work, NULL);
	s->timer = (struct loop_timer){ loop_now() + tick, http_server_on_tick,
					s, NULL };
	s->loop = loop_create_quiet();
	err = s->loop ? open_wake(s) : -errno;
	if (!err)
		loop_add_timer(s->loop, &s->timer);
	if (!err)
		err = http_server_listen_on(s, config->address);
	if (!err)
		err = http_server_start(s);
	if (err)
		http_server_close(s);
	else
		*out = s;
	return err;
}

void http_server_close(struct http_server *s)
{
	if (!s)
		return;
	pthread_mutex_lock(&s->lock);
	s->ending = true;
	pthread_cond_broadcast(&s->work);
	pthread_mutex_unlock(&s->lock);
	for (unsigned int i = 0; i < s->workers; i++)
		pthread_join(s->worker[i].thread, NULL);
	if (s->running) {
		http_server_wake(s);
		pthread_join(s->thread, NULL);
	}
	while (s->first)
		http_server_end(s->first);
	if (s->listener.fd >= 0) {
		loop_unwatch(s->loop, &s->listener);
		close(s->listener.fd);
	}
	if (s->wake.fd >= 0) {
		loop_remove_timer(s->loop, &s->timer);
		loop_unwatch(s->loop, &s->wake);
		close(s->wake.fd);
	}
	if (s->loop)
		loop_destroy(s->loop);
	pthread_cond_destroy(&s->work);
	pthread_mutex_destroy(&s->lock);
	free(s);
}
