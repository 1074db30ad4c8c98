// SPDX-License-Identifier: GPL-2.0-only
/*
 * sink.c - one subscriber of an advertised topic: handshake and queue
 *
 * A TCPROS subscriber connects and sends its header, which names the topic. A
 * UDPROS one has asked by XML-RPC. Messages that their sockets do not take are
 * queued in a ring. A full ring drops the oldest message, but not one that is
 * partly sent.
 */
#include <assert.h>
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "base/wire.h"
#include "node.h"

enum {
	GREETING_MAX	= 64 << 10,
	SEND_BUFFER	= 1 << 20,
	DATAGRAM_MIN	= 64,
};

static void sink_ready(struct watch *w, uint32_t events);

static struct sink **sink_list(struct sink *s)
{
	return s->pub ? &s->pub->sinks : &s->node->strangers;
}

static void sink_unlink(struct sink *s)
{
	struct sink **p = sink_list(s);

	while (*p != s)
		p = &(*p)->next;
	*p = s->next;
}

/* The first message of the queue was sent, or is obsolete */
static void sink_pop(struct sink *s)
{
	assert(s->count && s->count <= s->slots);
	message_put(s->pub, s->waiting[s->first]);
	s->first = (s->first + 1) % s->slots;
	s->count--;
	s->sent = 0;
}

void sink_free(struct sink *s)
{
	assert(s->node->sinks);
	sink_unlink(s);
	s->node->sinks--;
	poller_remove(&s->node->poller, &s->watch);
	while (s->count)
		sink_pop(s);
	if (s->pub)
		message_tidy(s->pub);
	bytes_free(&s->stream);
	free(s->waiting);
	free(s->callerid);
	free(s);
}

/* A stranger on this socket, which is closed if there is no memory */
static struct sink *sink_new(struct ros1 *r, int fd, uint32_t events)
{
	struct sink *s = NULL;

	if (r->sinks < SINKS_MAX)
		s = calloc(1, sizeof(*s));
	if (!s) {
		close(fd);
		return NULL;
	}
	if (poller_add(&r->poller, &s->watch, fd, events, sink_ready)) {
		free(s);
		return NULL;
	}
	s->node = r;
	s->id = ++r->last_id;
	s->next = r->strangers;
	r->strangers = s;
	r->sinks++;
	return s;
}

/* A stranger becomes a subscriber. Return: 0 or -ENOMEM */
static int sink_join(struct sink *s, struct ros1_pub *pub,
		     const struct header *h)
{
	s->slots = pub->queue + 1;
	s->waiting = calloc(s->slots, sizeof(*s->waiting));
	s->callerid = node_clean(header_value(h, HEADER_CALLERID));
	if (!s->waiting || !s->callerid)
		return -ENOMEM;
	sink_unlink(s);
	s->pub = pub;
	s->next = pub->sinks;
	pub->sinks = s;
	return 0;
}

void sink_latched(struct sink *s)
{
	struct message *m = s->pub->latched;

	if (m)
		sink_give(s, m->bytes, m->len, &m);
}

/*
 * Queue
 */

/* Make room for one message: drop the oldest that is not partly sent */
static void sink_make_room(struct sink *s)
{
	unsigned int begun = s->sent > 0;
	struct message *head = s->waiting[s->first];
	unsigned int second = (s->first + 1) % s->slots;

	assert(s->count && s->first < s->slots);
	if (s->count < s->pub->queue + begun)
		return;
	s->pub->stats.dropped++;
	if (!begun) {
		sink_pop(s);
		return;
	}
	message_put(s->pub, s->waiting[second]);
	s->waiting[second] = head;
	s->first = second;
	s->count--;
}

/* Return: as sink_give() */
static int sink_wait(struct sink *s, const void *bytes, size_t len,
		     struct message **copy)
{
	if (!*copy)
		*copy = message_new(s->pub, bytes, len);
	if (!*copy) {
		s->pub->stats.dropped++;
		/* After half a message nothing else can be sent. */
		if (s->sent && !s->count && !s->udp)
			sink_free(s);
		else if (!s->count)
			s->sent = 0;
		return -ENOMEM;
	}
	if (s->count)
		sink_make_room(s);
	assert(s->count < s->slots);
	(*copy)->refs++;
	s->waiting[(s->first + s->count) % s->slots] = *copy;
	s->count++;
	return 0;
}

/* Return: 0: go on with the next one; 1: wait; negative: @s is freed */
static int sink_send(struct sink *s, const void *bytes, size_t len)
{
	int err = sink_write(s, bytes, len);

	if (err > 0)
		return err;
	if (err && err != -EIO) {
		sink_free(s);
		return err;
	}
	s->sent = 0;
	if (err) {
		s->pub->stats.dropped++;
	} else {
		s->messages++;
		s->bytes += len;
	}
	return 0;
}

int sink_give(struct sink *s, const void *bytes, size_t len,
	      struct message **copy)
{
	if (!s->blocked && sink_send(s, bytes, len) <= 0)
		return 0;
	return sink_wait(s, bytes, len, copy);
}

/* The socket is writable: send the queue, in order */
static void sink_go_on(struct sink *s)
{
	const struct message *m;
	int more = 0;

	s->blocked = false;
	while (s->count && !more) {
		m = s->waiting[s->first];
		more = sink_send(s, m->bytes, m->len);
		if (more < 0)
			return;
		if (!more)
			sink_pop(s);
	}
}

/*
 * TCPROS
 */

static void sink_send_header(struct sink *s, struct bytes *out)
{
	put_le32(out->data, (uint32_t)(out->len - 4));
	/* It fits into a new socket; if not, the subscriber gives up. */
	if (send(s->watch.fd, out->data, out->len, MSG_NOSIGNAL) < 0)
		node_log(s->node, LOG_DEBUG, "subscriber already disconnected");
}

/* Send the reason, and close */
static void sink_reject(struct sink *s, const char *why)
{
	struct bytes out = { 0 };

	if (!bytes_append(&out, "\0\0\0\0", 4) &&
	    !header_append(&out, "error", why))
		sink_send_header(s, &out);
	bytes_free(&out);
	sink_free(s);
}

/* Its header was received */
static void sink_meet(struct sink *s, const struct header *h)
{
	struct registration *g = NULL;
	struct bytes out = { 0 };
	char why[TEXT_MAX] = "topic not published by this node", *topic;
	int on = 1;

	topic = header_value(h, HEADER_TOPIC);
	if (topic)
		g = master_find(s->node, topic, true);
	free(topic);
	if (!g || pub_accepts(pub_of(g), h, why)) {
		sink_reject(s, why);
		return;
	}
	if (bytes_append(&out, "\0\0\0\0", 4) ||
	    pub_header(pub_of(g), &out) || sink_join(s, pub_of(g), h)) {
		bytes_free(&out);
		sink_free(s);
		return;
	}
	keep_alive(s->watch.fd);
	setsockopt(s->watch.fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	s->watch.deadline = 0;
	sink_send_header(s, &out);
	bytes_free(&out);
	sink_latched(s);
}

/* A stranger sends its header; a subscriber can only close */
static void sink_read(struct sink *s)
{
	uint8_t p[4096];
	ssize_t n = recv(s->watch.fd, p, sizeof(p), 0);
	struct header h;
	size_t len;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0 || (!s->pub && bytes_append(&s->stream, p, (size_t)n))) {
		sink_free(s);
		return;
	}
	if (s->pub || s->stream.len < 4)
		return;
	len = get_le32(s->stream.data);
	if (len > GREETING_MAX) {
		sink_free(s);
		return;
	}
	if (s->stream.len - 4 < len)
		return;
	if (header_parse(s->stream.data + 4, len, &h))
		sink_reject(s, "malformed connection header");
	else
		sink_meet(s, &h);
}

static void sink_ready(struct watch *w, uint32_t events)
{
	struct sink *s = container_of(w, struct sink, watch);
	int err = 0;
	socklen_t n = sizeof(err);

	if (!events && !s->pub) {
		sink_free(s);
		return;
	}
	if (events & EPOLLERR) {
		getsockopt(w->fd, SOL_SOCKET, SO_ERROR, &err, &n);
		/* UDPROS: no receiver; other errors end with the outage. */
		if (!s->udp || err == ECONNREFUSED) {
			sink_free(s);
			return;
		}
	}
	if (events & EPOLLOUT)
		poller_want(&s->node->poller, w, s->udp ? 0 : EPOLLIN);
	if (!events || events & EPOLLOUT) {
		sink_go_on(s);
	} else if (events & (EPOLLIN | EPOLLHUP)) {
		sink_read(s);
	}
}

void sink_came(struct ros1 *r, int fd)
{
	struct sink *s, *oldest = NULL;
	unsigned int n = 0;

	for (s = r->strangers; s; s = s->next) {
		n++;
		oldest = s;
	}
	if (n >= STRANGERS_MAX)
		sink_free(oldest);
	s = sink_new(r, fd, EPOLLIN);
	if (s)
		s->watch.deadline = poller_now() + PATIENCE_MS;
}

/*
 * UDPROS
 */

/* Return: a connected socket, or negative errno */
static int sink_udp_socket(struct ros1 *r, const char *host, int port)
{
	int size = SEND_BUFFER, fd, err;
	struct sockaddr_in to;

	if (port <= 0 || port > 65535 ||
	    hosts_find(&r->hosts, host, (uint16_t)port, &to))
		return -EINVAL;
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	if (connect(fd, (void *)&to, sizeof(to))) {
		err = -errno;
		close(fd);
		return err;
	}
	return fd;
}

/* A node that asks again has closed its old connection. */
static void sink_replace(struct ros1_pub *pub, const struct header *h)
{
	struct sink *s, *next;

	for (s = pub->sinks; s; s = next) {
		next = s->next;
		if (s->udp && header_is(h, HEADER_CALLERID, s->callerid))
			sink_free(s);
	}
}

int sink_udp(struct ros1_pub *pub, const struct header *h, const char *host,
	     int port, int *datagram, struct sink **result)
{
	struct ros1 *r = pub->known.node;
	struct sink *s;
	int fd;

	if (*datagram < DATAGRAM_MIN)
		return -EINVAL;
	if (*datagram > UDPROS_DATAGRAM)
		*datagram = UDPROS_DATAGRAM;
	fd = sink_udp_socket(r, host, port);
	if (fd < 0)
		return fd;
	sink_replace(pub, h);
	s = sink_new(r, fd, 0);
	if (!s)
		return -ENOMEM;
	s->udp = true;
	s->block = (size_t)*datagram - UDPROS_HEADER;
	if (sink_join(s, pub, h)) {
		sink_free(s);
		return -ENOMEM;
	}
	*result = s;
	return 0;
}

void sink_describe(const struct sink *s, char *words)
{
	struct sockaddr_in a;
	socklen_t n = sizeof(a);
	char host[INET_ADDRSTRLEN] = "?";

	if (getpeername(s->watch.fd, (void *)&a, &n))
		a.sin_port = 0;
	else
		inet_ntop(AF_INET, &a.sin_addr, host, sizeof(host));
	snprintf(words, TEXT_MAX, "%s connection on port %u to [%s:%u on "
		 "socket %d]", s->udp ? "UDPROS" : "TCPROS",
		 local_port(s->watch.fd), host, ntohs(a.sin_port),
		 s->watch.fd);
}
