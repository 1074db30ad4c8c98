// SPDX-License-Identifier: GPL-2.0-only
/*
 * source.c - one publisher of a subscribed topic: negotiation
 *
 *	WAITS -> ASKED -> CONNECTING -> GREETED -> FLOWS	TCPROS
 *	WAITS -> ASKED -> FLOWS					UDPROS
 *
 * After an error it waits and starts over, with back-off, as long as the master
 * lists the publisher. One that is not listed but still sends is kept: a
 * restarted master does not know roscpp's nodes.
 */
#include <assert.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "base/wire.h"
#include "node.h"
#include "receive.h"

enum { RECEIVE_BUFFER = 8 << 20 };

static void source_ready(struct watch *w, uint32_t events);

static struct ros1 *source_node(const struct source *s)
{
	return s->sub->known.node;
}

static void source_forget_who(struct source *s)
{
	free((char *)s->who.callerid);
	free((char *)s->who.type);
	free((char *)s->who.md5);
	free((char *)s->who.definition);
	memset(&s->who, 0, sizeof(s->who));
	s->who.uri = s->text;
}

/* Disconnect. Its counters are kept. */
static void source_close(struct source *s)
{
	call_cancel(s->call);
	s->call = NULL;
	poller_remove(&source_node(s)->poller, &s->watch);
	s->sub->stats.refused += s->in.refused;
	s->sub->stats.incomplete += s->in.incomplete;
	s->sub->stats.missing += s->in.missing;
	udpros_close(&s->in);
	memset(&s->in, 0, sizeof(s->in));
	s->stream.len = 0;
	s->skip = 0;
	s->pid = 0;
}

void source_free(struct source *s)
{
	struct source **p = &s->sub->sources;

	assert(source_node(s)->sources);
	while (*p != s)
		p = &(*p)->next;
	*p = s->next;
	source_close(s);
	source_forget_who(s);
	source_node(s)->sources--;
	bytes_free(&s->stream);
	free(s->text);
	free(s);
}

/* Do not retry while it is listed: the result would be the same. */
static void source_refuse(struct source *s, const char *why)
{
	node_log(source_node(s), LOG_ERR, "%s: publisher %s rejected: %s",
		 s->sub->known.topic, s->text, why);
	source_close(s);
	s->state = SOURCE_REFUSED;
}

/* Disconnect: wait, and retry; removed if it is not listed */
static void source_wait(struct source *s, unsigned int ms)
{
	bool listed = s->listed;

	source_close(s);
	s->state = SOURCE_WAITS;
	if (!listed || poller_add(&source_node(s)->poller, &s->watch, -1, 0,
				source_ready))
		source_free(s);
	else
		s->watch.deadline = poller_now() + ms;
}

/* Connection lost: log once, wait and retry. @s may be freed afterwards. */
static void source_lost(struct source *s, const char *why)
{
	bool flowed = s->state == SOURCE_FLOWS;

	if (!s->error_logged)
		node_log(source_node(s), flowed ? LOG_INFO : LOG_WARNING,
			 "%s: %s %s: %s", s->sub->known.topic,
			 flowed ? "lost" : "cannot reach", s->text, why);
	s->error_logged = true;
	s->backoff = flowed ? BACKOFF_FIRST_MS : backoff_next(s->backoff);
	source_wait(s, s->backoff);
}

static void source_flows(struct source *s)
{
	assert(s->state != SOURCE_WAITS && s->state != SOURCE_REFUSED);
	s->state = SOURCE_FLOWS;
	s->seen = poller_now();
	s->watch.deadline = s->udp ? s->seen + UDP_SILENCE_MS : 0;
	s->backoff = 0;
	if (s->error_logged)
		node_log(source_node(s), LOG_INFO, "%s: reconnected to %s",
			 s->sub->known.topic, s->text);
	s->error_logged = false;
}

/* Check the header of its connection. Return: 0 or negative errno */
static int source_meet(struct source *s, const void *data, size_t len)
{
	const struct registration *g = &s->sub->known;
	struct header h;
	char why[TEXT_MAX], *text;

	if (header_parse(data, len, &h)) {
		source_refuse(s, "malformed connection header");
		return -EPROTO;
	}
	source_forget_who(s);
	s->who.callerid = node_clean(header_value(&h, HEADER_CALLERID));
	s->who.type = node_clean(header_value(&h, HEADER_TYPE));
	s->who.md5 = node_clean(header_value(&h, HEADER_MD5SUM));
	s->who.definition = header_value(&h, HEADER_DEFINITION);
	s->who.latching = header_is(&h, HEADER_LATCHING, "1");
	s->who.udp = s->udp;
	if (!s->who.callerid || !s->who.type || !s->who.md5 ||
	    !s->who.definition) {
		source_lost(s, strerror(ENOMEM));
		return -ENOMEM;
	}
	if (h.field[HEADER_ERROR].p) {
		text = node_clean(header_value(&h, HEADER_ERROR));
		source_refuse(s, text ? text : "rejected without a reason");
		free(text);
		return -EPROTO;
	}
	if ((strcmp(g->md5, "*") && !header_is(&h, HEADER_MD5SUM, "*") &&
	     !header_is(&h, HEADER_MD5SUM, g->md5)) ||
	    (strcmp(g->type, "*") && !header_is(&h, HEADER_TYPE, "*") &&
	     !header_is(&h, HEADER_TYPE, g->type))) {
		snprintf(why, sizeof(why), "type mismatch: has %.60s (md5 "
			 "%.32s), wanted %.60s (%.32s)",
			 s->who.type, s->who.md5, g->type,
			 g->md5);
		source_refuse(s, why);
		return -EPROTO;
	}
	source_flows(s);
	return 0;
}

/* Our header: TCPROS has the total length first */
static int source_header(const struct source *s, struct bytes *out)
{
	const struct registration *g = &s->sub->known;

	if (header_append(out, "callerid", g->node->name) ||
	    header_append(out, "md5sum", g->md5) ||
	    header_append(out, "topic", g->topic) ||
	    header_append(out, "type", g->type))
		return -ENOMEM;
	return s->udp ? 0 : header_append(out, "tcp_nodelay", "1");
}

/* ["TCPROS", host, port] */
static void source_answer_tcp(struct source *s)
{
	struct ros1 *r = source_node(s);
	struct sockaddr_in to;
	int err, fd;

	assert(s->state == SOURCE_ASKED);
	s->udp = false;
	poller_remove(&r->poller, &s->watch);
	err = hosts_find(&r->hosts, s->data.host, s->data.port, &to);
	if (err) {
		source_lost(s, "unknown host");
		return;
	}
	fd = connect_start(&to);
	err = fd < 0 ? fd : poller_add(&r->poller, &s->watch, fd, EPOLLOUT,
				     source_ready);
	if (err) {
		source_lost(s, strerror(-err));
		return;
	}
	s->state = SOURCE_CONNECTING;
	s->watch.deadline = poller_now() + PATIENCE_MS;
}

/* ["UDPROS", host, port, connection, datagram, header] */
static void source_answer_udp(struct source *s, xmlrpc_value *answer)
{
	int datagram = xml_int(answer, 4, 0);
	size_t len = 0;
	uint8_t *header = xml_base64(answer, 5, &len);

	if (!s->udp || s->watch.fd < 0 || !header ||
	    datagram <= UDPROS_HEADER || datagram > UDPROS_DATAGRAM)
		source_refuse(s, "invalid UDPROS answer");
	else if (udpros_open(&s->in, (uint32_t)xml_int(answer, 3, 0),
			     (size_t)datagram, source_node(s)->message_max))
		source_lost(s, strerror(ENOMEM));
	else if (!source_meet(s, header, len))
		poller_want(&source_node(s)->poller, &s->watch, EPOLLIN);
	free(header);
}

static void source_answered(void *arg, int err, const char *words,
			    xmlrpc_value *value)
{
	struct source *s = arg;
	char *protocol = NULL, *host = NULL;
	int port;

	s->call = NULL;
	if (err) {
		source_lost(s, words);
		return;
	}
	protocol = xml_string(value, 0);
	host = xml_string(value, 1);
	port = xml_int(value, 2, 0);
	if (!protocol || !host || strlen(host) >= HOST_MAX || port <= 0 ||
	    port > 65535) {
		source_lost(s, "offers neither TCPROS nor UDPROS");
	} else {
		strcpy(s->data.host, host);
		s->data.port = (uint16_t)port;
		if (!strcmp(protocol, "TCPROS"))
			source_answer_tcp(s);
		else if (!strcmp(protocol, "UDPROS"))
			source_answer_udp(s, value);
		else
			source_lost(s, "offers an unknown transport");
	}
	free(protocol);
	free(host);
}

/* The socket of a UDPROS connection, watched. Return: 0 or negative errno */
static int source_listen(struct source *s)
{
	struct sockaddr_in any = { .sin_family = AF_INET };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int size = RECEIVE_BUFFER, err;

	if (fd < 0)
		return -errno;
	/* Messages come in bursts; FORCE exceeds rmem_max, with privileges. */
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)))
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	if (bind(fd, (void *)&any, sizeof(any))) {
		err = -errno;
		close(fd);
		return err;
	}
	/* Data that arrives before the answer waits in the socket. */
	return poller_add(&source_node(s)->poller, &s->watch, fd, 0, source_ready);
}

/* Our protocols, best first */
static xmlrpc_value *source_protocols(const struct source *s)
{
	struct bytes h = { 0 };
	xmlrpc_value *v = NULL;

	if (!s->udp)
		return xml_build("((s))", "TCPROS");
	if (!source_header(s, &h))
		v = xml_build("((s6sii)(s))", "UDPROS", h.data, h.len,
			      source_node(s)->host,
			      (int)local_port(s->watch.fd), UDPROS_DATAGRAM,
			      "TCPROS");
	bytes_free(&h);
	return v;
}

static void source_ask(struct source *s)
{
	struct ros1 *r = source_node(s);
	xmlrpc_value *protocols, *params = NULL;
	int err = 0;

	assert(s->state == SOURCE_WAITS);
	poller_remove(&r->poller, &s->watch);
	s->udp = s->sub->transport == ROS1_UDP;
	if (s->udp)
		err = source_listen(s);
	if (!err) {
		protocols = source_protocols(s);
		if (protocols)
			params = xml_build("(ssV)", r->name,
					   s->sub->known.topic, protocols);
		xml_put(protocols);
		err = call_start(r, &s->uri, "requestTopic", params,
				 source_answered, s, &s->call);
	}
	s->state = SOURCE_ASKED;
	if (err)
		source_lost(s, err == -ENOENT ? "unknown host" :
			    strerror(-err));
}

/* Connected, or failed: send our header */
static void source_greet(struct source *s)
{
	struct bytes out = { .len = 4 };
	int on = 1, err = 0;
	socklen_t n = sizeof(err);

	assert(s->state == SOURCE_CONNECTING);
	getsockopt(s->watch.fd, SOL_SOCKET, SO_ERROR, &err, &n);
	if (err) {
		source_lost(s, strerror(err));
		return;
	}
	keep_alive(s->watch.fd);
	setsockopt(s->watch.fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	if (bytes_reserve(&out, 4) || source_header(s, &out))
		err = ENOMEM;
	if (!err) {
		put_le32(out.data, (uint32_t)(out.len - 4));
		/* It fits into a new socket. */
		if (send(s->watch.fd, out.data, out.len, MSG_NOSIGNAL) !=
		    (ssize_t)out.len)
			err = EPIPE;
	}
	bytes_free(&out);
	if (err) {
		source_lost(s, strerror(err));
		return;
	}
	s->state = SOURCE_GREETED;
	poller_want(&source_node(s)->poller, &s->watch, EPOLLIN);
}

/* The answer of a silent UDPROS publisher to the check whether it lives */
static void source_lives(void *arg, int err, const char *words,
			 xmlrpc_value *value)
{
	struct source *s = arg;
	xmlrpc_value *list;
	int pid;

	s->call = NULL;
	/* If it cannot be asked now, its link may be down. */
	if (err == -ECONNREFUSED) {
		source_lost(s, words);
		return;
	}
	s->watch.deadline = poller_now() + UDP_SILENCE_MS;
	if (err)
		return;
	list = xml_build("(V)", value);
	pid = xml_int(list, 0, 0);
	xml_put(list);
	if (s->pid && s->pid != pid)
		source_lost(s, "node was restarted");
	else
		s->pid = pid;
}

/* UDPROS does not signal the end of a publisher. */
static void source_silent(struct source *s)
{
	uint64_t now = poller_now();
	int err;

	s->watch.deadline = now + UDP_SILENCE_MS;
	if (now - s->seen >= UDP_SILENCE_MS && !s->listed) {
		source_free(s);
		return;
	}
	if (s->call || (now - s->seen < UDP_SILENCE_MS && s->pid))
		return;
	err = call_start(source_node(s), &s->uri, "getPid",
			 xml_build("(s)", source_node(s)->name), source_lives,
			 s, &s->call);
	if (err == -ECONNREFUSED)
		source_lost(s, strerror(-err));
}

static void source_expired(struct source *s)
{
	if (s->state == SOURCE_WAITS)
		source_ask(s);
	else if (s->state == SOURCE_FLOWS)
		source_silent(s);
	else
		source_lost(s, strerror(ETIMEDOUT));
}

/* TCPROS: something came. @s may be freed or waiting afterwards. */
static void source_read(struct source *s)
{
	const char *why = receive_tcp(s);
	ssize_t n = 0;

	if (!why && s->state == SOURCE_GREETED)
		n = receive_header(s);
	if (n < 0)
		why = "connection header too long";
	if (why) {
		source_lost(s, why);
		return;
	}
	if (n && source_meet(s, s->stream.data + 4, (size_t)n - 4))
		return;
	bytes_consume(&s->stream, (size_t)n);
	if (s->state == SOURCE_FLOWS)
		receive_messages(s);
}

static void source_ready(struct watch *w, uint32_t events)
{
	struct source *s = container_of(w, struct source, watch);

	if (!events)
		source_expired(s);
	else if (s->state == SOURCE_CONNECTING)
		source_greet(s);
	else if (s->udp)
		receive_udp(s);
	else
		source_read(s);
}

struct source *source_new(struct ros1_sub *sub, const char *uri)
{
	struct ros1 *r = sub->known.node;
	struct source *s;

	if (r->sources >= SOURCES_MAX)
		return NULL;
	s = calloc(1, sizeof(*s));
	if (!s)
		return NULL;
	s->sub = sub;
	s->text = strdup(uri);
	if (!s->text || uri_parse(uri, &s->uri) ||
	    poller_add(&r->poller, &s->watch, -1, 0, source_ready)) {
		free(s->text);
		free(s);
		return NULL;
	}
	s->who.uri = s->text;
	s->id = ++r->last_id;
	s->state = SOURCE_WAITS;
	s->watch.deadline = poller_now();
	s->next = sub->sources;
	sub->sources = s;
	r->sources++;
	return s;
}

void source_unlisted(struct source *s)
{
	if (s->state != SOURCE_FLOWS)
		source_free(s);
}

void source_describe(const struct source *s, char *words)
{
	if (s->state != SOURCE_FLOWS)
		snprintf(words, TEXT_MAX, "not connected");
	else
		snprintf(words, TEXT_MAX, "%s connection on port %u to [%.128s:%u "
			 "on socket %d]", s->udp ? "UDPROS" : "TCPROS",
			 local_port(s->watch.fd), s->data.host, s->data.port,
			 s->watch.fd);
}
