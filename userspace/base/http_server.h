/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * http_server.h - HTTP connections: a slow client costs a buffer, not a thread
 *
 * One thread reads and writes all connections and never waits for one of them.
 * It calls @admit when a request's head is complete. A complete request goes to
 * a worker, and its answer is sent as fast as its client reads. With too many
 * connections, the address with most unfinished requests loses its oldest one
 * (http_places.h), which is answered with 503. With too many unread answers,
 * the oldest are closed.
 */
#ifndef BASE_HTTP_SERVER_H
#define BASE_HTTP_SERVER_H

#include "base/http_parse.h"
#include "base/address.h"

struct http_server;
struct http_conn;

/**
 * struct http_config
 * @workers:	threads that answer; their numbers are 0 to @workers, the last
 *		of which is the thread of connections
 * @body:	bytes of a request's body, at most
 * @connections: at most; 0: 4096. Less if the process may not have the files
 * @patience:	ms, for a request to be complete, and between two of them
 * @admit:	called before the body; must be quick. Return: 0; else it has
 *		answered
 * @answer:	answers a request
 * @error:	answers an invalid or slow request with @status; 503: there are
 *		too many connections
 *		All three answer with http_reply(), once.
 */
struct http_config {
	const struct address	*address;
	unsigned int		workers, patience, connections;
	size_t			body;
	int			(*admit)(void *arg, unsigned int worker,
					 struct http_conn *c);
	void			(*answer)(void *arg, unsigned int worker,
					  struct http_conn *c);
	void			(*error)(void *arg, unsigned int worker,
					 struct http_conn *c, int status);
	void			*arg;
};

/* Starts to listen. Return: 0 or a negative errno */
int http_server_open(struct http_server **s, const struct http_config *config);
/* Waits for workers to finish */
void http_server_close(struct http_server *s);

/* Of @c, valid until it is answered */
const struct http_request *http_conn_request(const struct http_conn *c);
/* With a terminating 0 that is not counted */
const struct bytes *http_conn_body(const struct http_conn *c);
/* Address and port of the client, as text */
const char *http_conn_peer(const struct http_conn *c);

/**
 * http_conn_take() - take a connection away, in struct http_config.admit()
 * @input:	gets what was read of it: the head and what came after it
 *
 * @c is not answered. Return: its socket.
 */
int http_conn_take(struct http_conn *c, struct bytes *input);

/**
 * http_reply() - answer
 * @b:		the connection takes its memory and gives other memory, or none
 * @from:	send @len bytes from here
 * @keep:	the connection stays open
 */
void http_reply(struct http_conn *c, struct bytes *b, size_t from, size_t len,
		bool keep);

/* Open connections; connections that were dropped as there were too many */
unsigned int http_server_connections(const struct http_server *s);
uint64_t http_server_dropped(const struct http_server *s);

#endif
