/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * view_server.h - HTTP and WebSocket for operators: the page and Foxglove
 *
 * Requests arrive at server_http.c, which answers them or hands on a handshake.
 * One thread serves all WebSockets (libwebsockets). It only takes what a client
 * has room for, so a slow or dead one costs neither memory nor the others'
 * time.
 */
#ifndef VIEW_VIEW_SERVER_H
#define VIEW_VIEW_SERVER_H

#include <stdio.h>
#include "base/error.h"
#include "base/http_auth.h"
#include "view/peer.h"

enum {
	SERVER_CLIENTS	= 256,		/* WebSockets */
	SERVER_SILENCE	= 120,		/* s without an answer: closed */
};

struct server;

/**
 * struct server_config
 * @http:	of the page; @foxglove: of Foxglove. All protocols are served on
 *		both. An empty one is not opened
 * @tokens:	file of tokens, see http_auth.h; empty: none
 * @origins:	of pages that may open a Foxglove connection, beside those of
 *		this machine and app.foxglove.dev; "*": any; ends with NULL
 * @view:	what is shown; must outlive the server
 * @metrics:	writes those of the program, from any thread; with @arg
 */
struct server_config {
	const char		*http, *foxglove, *tokens;
	const char *const	*origins;
	struct view		*view;
	void			(*metrics)(void *arg, const struct server *s,
					   FILE *out);
	void			*arg;
};

/**
 * struct server_counts - atomic
 * @clients:	connected now
 * @connected:	so far
 * @refused:	handshakes; @failed: connections that broke the protocol or were
 *		silent
 * @dropped:	connections that were given up, as there were too many
 * @sent:	bytes
 * @replaced, @left_out, @kept: sums of struct feed_counts
 */
struct server_counts {
	uint64_t	clients, connected, refused, failed, dropped, sent;
	uint64_t	replaced, left_out, kept;
};

/* Return: 0 or a negative errno, with one line in @error */
int view_server_open(struct server **s, const struct server_config *config,
		struct error *error);
void view_server_close(struct server *s);

/* Something changed; from any thread, cheap */
void view_server_wake(struct server *s);

struct server_counts view_server_counts(const struct server *s);

/* Where it listens, ADDRESS:PORT; @which: 0 page, 1 Foxglove */
const char *view_server_address(const struct server *s, unsigned int which);

#endif
