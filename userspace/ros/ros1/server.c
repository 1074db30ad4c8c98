// SPDX-License-Identifier: GPL-2.0-only
/*
 * server.c - the node's own XML-RPC server: connections
 *
 * HTTP/1.1 with persistent connections. Their number is bounded; a new one
 * beyond it replaces the one that has been idle for longest.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "http.h"
#include "node.h"

enum { SERVER_READ = 16 << 10, ACCEPT_PAUSE_MS = 500 };

struct client {
	struct client	*next;
	struct watch	watch;
	struct ros1	*node;
	struct bytes	in;
	struct bytes	out;
	size_t		sent;
	bool		close;
};

static void listener_ready(struct watch *w, uint32_t events)
{
	struct listener *l = container_of(w, struct listener, watch);
	int fd;

	if (!events)
		poller_want(&l->node->poller, w, EPOLLIN);
	fd = accept4(w->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (fd >= 0) {
		l->came(l->node, fd);
	} else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS ||
		   errno == ENOMEM) {
		/* It stays readable: avoid a busy loop. */
		poller_want(&l->node->poller, w, 0);
		w->deadline = poller_now() + ACCEPT_PAUSE_MS;
	}
}

int listener_open(struct ros1 *r, struct listener *l,
		  void (*came)(struct ros1 *r, int fd))
{
	struct in_addr on = { htonl(INADDR_ANY) };
	struct sockaddr_in self;
	int fd;

	/* If our name is localhost, only listen on this machine. */
	if (!hosts_find(&r->hosts, r->host, 0, &self) &&
	    ntohl(self.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET)
		on.s_addr = htonl(INADDR_LOOPBACK);
	l->node = r;
	l->came = came;
	fd = listen_any(on, &l->port);
	if (fd < 0)
		return fd;
	return poller_add(&r->poller, &l->watch, fd, EPOLLIN, listener_ready);
}

static void client_free(struct client *c)
{
	struct client **p = &c->node->clients;

	while (*p != c)
		p = &(*p)->next;
	*p = c->next;
	poller_remove(&c->node->poller, &c->watch);
	bytes_free(&c->in);
	bytes_free(&c->out);
	free(c);
}

/* Return: 0, or negative errno: the connection has ended */
static int client_write(struct client *c)
{
	ssize_t n = send(c->watch.fd, c->out.data + c->sent,
			 c->out.len - c->sent, MSG_NOSIGNAL);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		n = 0;
	if (n < 0)
		return -errno;
	c->sent += (size_t)n;
	if (c->sent < c->out.len) {
		poller_want(&c->node->poller, &c->watch, EPOLLOUT);
		return 0;
	}
	c->out.len = c->sent = 0;
	poller_want(&c->node->poller, &c->watch, EPOLLIN);
	return c->close ? -ESHUTDOWN : 0;
}

/* Return: as client_write() */
static int client_request(struct client *c, const struct http *h)
{
	struct bytes body = { 0 };
	int err;

	c->close = h->close;
	err = slave_answer(c->node, c->in.data + h->head, h->body, &body);
	if (!err)
		err = http_response(&c->out, "200 OK", c->close, body.data,
				    body.len);
	else if (err == -EPROTO)
		err = http_response(&c->out, "400 Bad Request", c->close, "",
				    0);
	bytes_free(&body);
	bytes_consume(&c->in, h->head + h->body);
	return err ? err : client_write(c);
}

/*
 * Handle all complete requests. While an answer cannot be sent, further
 * requests wait.
 * Return: as client_write()
 */
static int client_handle(struct client *c)
{
	struct http h;
	int all = 1, err;

	while (all > 0 && c->in.len && !c->out.len) {
		all = http_parse(&c->in, false, &h);
		err = all > 0 ? client_request(c, &h) : all;
		if (err < 0)
			return err;
	}
	return 0;
}

/* Return: as client_write() */
static int client_read(struct client *c)
{
	ssize_t n;

	if (bytes_reserve(&c->in, c->in.len + SERVER_READ))
		return -ENOMEM;
	n = recv(c->watch.fd, c->in.data + c->in.len, SERVER_READ, 0);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n <= 0)
		return n ? -errno : -ESHUTDOWN;
	c->in.len += (size_t)n;
	return 0;
}

static void client_ready(struct watch *w, uint32_t events)
{
	struct client *c = container_of(w, struct client, watch);
	int err = -ETIMEDOUT;

	if (events)
		err = c->out.len ? client_write(c) : client_read(c);
	if (!err)
		err = client_handle(c);
	if (err)
		client_free(c);
	else
		w->deadline = poller_now() + IDLE_MS;
}

/* Make room for one more connection */
static void server_limit(struct ros1 *r)
{
	struct client *c, *oldest = r->clients;
	unsigned int n = 0;

	for (c = r->clients; c; c = c->next) {
		n++;
		if (c->watch.deadline < oldest->watch.deadline)
			oldest = c;
	}
	if (n >= STRANGERS_MAX)
		client_free(oldest);
}

void server_came(struct ros1 *r, int fd)
{
	struct client *c;

	server_limit(r);
	c = calloc(1, sizeof(*c));
	if (!c) {
		close(fd);
		return;
	}
	if (poller_add(&r->poller, &c->watch, fd, EPOLLIN, client_ready)) {
		free(c);
		return;
	}
	c->node = r;
	c->watch.deadline = poller_now() + IDLE_MS;
	c->next = r->clients;
	r->clients = c;
}

void server_close(struct ros1 *r)
{
	while (r->clients)
		client_free(r->clients);
	poller_remove(&r->poller, &r->xmlrpc.watch);
	poller_remove(&r->poller, &r->tcpros.watch);
}
