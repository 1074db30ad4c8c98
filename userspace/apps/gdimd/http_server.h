/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * http_server.h - connections of HTTP: who is slow costs a buffer, not a thread
 *
 * One thread reads and writes all connections and never waits for one of them.
 * A request whose head is complete is looked at at once, by @admit; one that is
 * complete goes to a thread that answers it, and its answer is sent as fast as
 * its client reads. When there are too many connections, or answers that nobody
 * reads, those go that have been at it for longest.
 */
#ifndef APPS_GDIMD_HTTP_SERVER_H
#define APPS_GDIMD_HTTP_SERVER_H

#include "apps/gdimd/http_parse.h"
#include "base/address.h"

struct http_server;
struct http_conn;

/**
 * struct http_config
 * @workers:	threads that answer; numbers of these are 0 to @workers, the
 *		last of which is the thread of connections
 * @body:	bytes of a request's body, at most
 * @patience:	ms, for a request to be complete, and between two of them
 * @admit:	before the body comes; must be quick. Return: 0, or anything
 *		else: it was answered
 * @answer:	a request
 * @error:	what is no request, or takes too long: @status
 *		All three answer with http_reply(), once.
 */
struct http_config {
	const struct address	*address;
	unsigned int		workers, patience;
	size_t			body;
	int			(*admit)(void *arg, unsigned int worker,
					 struct http_conn *c);
	void			(*answer)(void *arg, unsigned int worker,
					  struct http_conn *c);
	void			(*error)(void *arg, unsigned int worker,
					 struct http_conn *c, int status);
	void			*arg;
};

/* Listens from now on. Return: 0 or a negative errno */
int http_server_open(struct http_server **s, const struct http_config *config);
/* Waits for requests that are being answered */
void http_server_close(struct http_server *s);

/* Of @c, as long as it is not answered */
const struct http_request *http_conn_request(const struct http_conn *c);
/* With a 0 behind it that does not count */
const struct bytes *http_conn_body(const struct http_conn *c);
/* Address and port of the client, as text */
const char *http_conn_peer(const struct http_conn *c);

/**
 * http_reply() - answer
 * @b:		its memory becomes the connection's; it gets another one, or none
 * @from:	@len bytes from here on are sent
 * @keep:	the connection stays
 */
void http_reply(struct http_conn *c, struct bytes *b, size_t from, size_t len,
		bool keep);

/* Connections that are open; those that were closed as there were too many */
unsigned int http_server_connections(const struct http_server *s);
uint64_t http_server_dropped(const struct http_server *s);

#endif
