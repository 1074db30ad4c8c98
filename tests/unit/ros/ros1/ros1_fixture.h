/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ros1_fixture.h - nodes, a master, and what else there may be on a network, in
 * one thread, with a clock that the test moves on
 *
 * Link with -Wl,--wrap=clock_gettime.
 */
#ifndef UNIT_ROS1_FIXTURE_H
#define UNIT_ROS1_FIXTURE_H

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include "base/wire.h"
#include "ros/ros1/http.h"
#include "ros/ros1/node.h"
#include "tap.h"

enum { NODES = 4, SERVERS = 4, CONNS = 80, GIVE_UP_S = 120 };

/*
 * The clock
 */

static int64_t skipped;		/* s */

int __real_clock_gettime(clockid_t clock, struct timespec *t);
int __wrap_clock_gettime(clockid_t clock, struct timespec *t);

int __wrap_clock_gettime(clockid_t clock, struct timespec *t)
{
	const int err = __real_clock_gettime(clock, t);

	t->tv_sec += skipped;
	return err;
}

static inline time_t real_seconds(void)
{
	struct timespec t;

	__real_clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

/*
 * XML-RPC servers of others: a master, or nodes
 */

/**
 * struct server
 * @answer:	the value of an answer; NULL: [0, "refused", 0]
 * @broken:	the answer is this text, if not NULL
 * @calls:	"method first-parameter...\n" of all requests
 */
struct server {
	int		fd;
	uint16_t	port;
	char		uri[64];
	xmlrpc_value	*(*answer)(struct server *s, const char *method,
				   xmlrpc_value *params);
	const char	*broken;
	char		calls[8192];
	struct conn {
		int		fd;
		struct bytes	in;
	}		conn[8];
};

static struct server *servers[SERVERS];
static struct ros1 *nodes[NODES];

static inline void server_open(struct server *s,
			       xmlrpc_value *(*answer)(struct server *s,
						       const char *method,
						       xmlrpc_value *params))
{
	struct in_addr on = { htonl(INADDR_LOOPBACK) };
	unsigned int i = 0;

	memset(s, 0, sizeof(*s));
	s->answer = answer;
	s->fd = listen_any(on, &s->port);
	if (s->fd < 0)
		abort();
	snprintf(s->uri, sizeof(s->uri), "http://127.0.0.1:%u/", s->port);
	for (i = 0; i < 8; i++)
		s->conn[i].fd = -1;
	for (i = 0; i < SERVERS && servers[i]; i++)
		;
	servers[i] = s;
}

static inline void conn_close(struct conn *c)
{
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
	bytes_free(&c->in);
}

static inline void server_end(struct server *s)
{
	for (int i = 0; i < 8; i++)
		conn_close(&s->conn[i]);
	close(s->fd);
	s->fd = -1;
	for (int i = 0; i < SERVERS; i++)
		if (servers[i] == s)
			servers[i] = NULL;
}

/* Remember a request as a line of its strings */
static inline void server_note(struct server *s, const char *method,
			       xmlrpc_value *params)
{
	size_t used = strlen(s->calls);

	used += snprintf(s->calls + used, sizeof(s->calls) - used, "%s",
			 method);
	for (int i = 0; i < xml_size(params); i++) {
		char *text = xml_string(params, i);

		used += snprintf(s->calls + used, sizeof(s->calls) - used,
				 " %s", text ? text : "-");
		free(text);
	}
	snprintf(s->calls + used, sizeof(s->calls) - used, "\n");
}

static inline void conn_answer(struct server *s, struct conn *c,
			       const struct http *h)
{
	struct bytes body = { 0 }, out = { 0 };
	xmlrpc_value *params, *value;
	char *method;

	if (xml_parse_call(c->in.data + h->head, h->body, &method, &params))
		abort();
	server_note(s, method, params);
	value = s->answer(s, method, params);
	xml_write_answer(&body, value ? xml_build("(isV)", 1, "", value) :
			 xml_build("(isi)", 0, "refused", 0));
	xml_put(value);
	if (s->broken)
		bytes_printf(&out, "%s", s->broken);
	else
		http_response(&out, "200 OK", true, body.data, body.len);
	if (send(c->fd, out.data, out.len, MSG_NOSIGNAL) < 0)
		printf("# a node did not wait for an answer\n");
	bytes_free(&body);
	bytes_free(&out);
	free(method);
	xml_put(params);
	conn_close(c);
}

static inline void conn_read(struct server *s, struct conn *c)
{
	char piece[4096];
	struct http h;
	ssize_t n;

	if (c->fd < 0)
		return;
	n = recv(c->fd, piece, sizeof(piece), MSG_DONTWAIT);
	if (n < 0 && errno == EAGAIN)
		return;
	if (n <= 0 || bytes_append(&c->in, piece, n)) {
		conn_close(c);
		return;
	}
	if (http_parse(&c->in, false, &h) > 0)
		conn_answer(s, c, &h);
}

static inline void server_step(struct server *s)
{
	struct pollfd p = { s->fd, POLLIN, 0 };

	while (s->fd >= 0 && poll(&p, 1, 0) == 1) {
		int i = 0;

		while (i < 8 && s->conn[i].fd >= 0)
			i++;
		if (i == 8)
			break;
		s->conn[i].fd = accept(s->fd, NULL, NULL);
	}
	for (int i = 0; i < 8; i++)
		conn_read(s, &s->conn[i]);
}

/*
 * The world
 */

static inline void world_step(void)
{
	struct pollfd p[NODES + SERVERS];
	int n = 0;

	for (int i = 0; i < NODES; i++)
		if (nodes[i])
			p[n++] = (struct pollfd){ ros1_fd(nodes[i]), POLLIN,
						  0 };
	for (int i = 0; i < SERVERS; i++)
		if (servers[i])
			p[n++] = (struct pollfd){ servers[i]->fd, POLLIN, 0 };
	poll(p, n, 1);
	for (int i = 0; i < NODES; i++)
		if (nodes[i])
			ros1_run(nodes[i]);
	for (int i = 0; i < SERVERS; i++)
		if (servers[i])
			server_step(servers[i]);
}

/* Go on until @condition, but not for ever. Its last value */
#define world_until(condition) ({					\
	const time_t until_ = real_seconds() + GIVE_UP_S;		\
	bool is_;							\
									\
	while (!(is_ = (condition)) && real_seconds() < until_)		\
		world_step();						\
	is_;								\
})

/* Until nothing is to be done at once */
static inline void world_settle(void)
{
	for (int i = 0; i < 30; i++)
		world_step();
}

/*
 * Nodes
 */

static char log_text[8192], shutdown_why[256];

static inline void on_log(void *arg, int priority, const char *line)
{
	const size_t used = strlen(log_text);

	(void)arg;
	snprintf(log_text + used, sizeof(log_text) - used, "<%d>%s\n",
		 priority, line);
}

static inline void on_shutdown(void *arg, const char *why)
{
	(void)arg;
	snprintf(shutdown_why, sizeof(shutdown_why), "%s", why);
}

/* Whether that was logged; forgets the log */
static inline bool logged(const char *text)
{
	const bool is = strstr(log_text, text);

	if (!is)
		printf("# log: %s\n", log_text);
	*log_text = 0;
	return is;
}

static inline struct ros1 *node_new(const char *name, const char *master,
				    size_t message_max)
{
	const struct ros1_config c = {
		.node = name, .master = master, .host = "127.0.0.1",
		.message_max = message_max, .log = on_log,
		.shutdown = on_shutdown,
	};
	struct ros1 *r = NULL;

	if (ros1_create(&r, &c))
		abort();
	for (int i = 0; i < NODES; i++)
		if (!nodes[i]) {
			nodes[i] = r;
			break;
		}
	return r;
}

/* Its last calls need answers: the master is a process of its own until then */
static inline void node_end(struct ros1 *r)
{
	for (int i = 0; i < NODES; i++)
		if (nodes[i] == r)
			nodes[i] = NULL;
	ros1_destroy(r);
}

/*
 * Raw connections
 */

static inline int tcp_to(uint16_t port)
{
	const struct sockaddr_in a = {
		.sin_family = AF_INET, .sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	const int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (connect(fd, (const struct sockaddr *)&a, sizeof(a)))
		abort();
	return fd;
}

/* A connection header of NAME=VALUE pairs, with its length */
static inline struct bytes header_of(const char *const *pairs)
{
	struct bytes b = { 0 };

	bytes_append(&b, "\0\0\0\0", 4);
	for (; *pairs; pairs += 2)
		header_append(&b, pairs[0], pairs[1]);
	put_le32(b.data, b.len - 4);
	return b;
}

/* Add what has arrived. Return: false: the connection has ended */
static inline bool tcp_read(int fd, struct bytes *to)
{
	static char piece[1 << 16];
	ssize_t n;

	while ((n = recv(fd, piece, sizeof(piece), MSG_DONTWAIT)) > 0)
		bytes_append(to, piece, n);
	return n < 0 && errno == EAGAIN;
}

#endif
