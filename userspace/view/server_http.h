/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * server_http.h - the front door of a server: HTTP requests, of which those for
 * a WebSocket are handed on
 *
 * The page, metrics, and gdimd's API. A request is read whole before anything
 * else knows of it, so half of one delays no other client (base/http_server.h).
 */
#ifndef VIEW_SERVER_HTTP_H
#define VIEW_SERVER_HTTP_H

#include "base/bytes.h"
#include "base/error.h"
#include "base/http_auth.h"
#include "view/gdim.h"
#include "view/peer.h"

struct server_http;

/**
 * struct server_http_config
 * @auth:	where to listen, and who may ask
 * @protocols:	sub-protocols of WebSockets, ends with NULL
 * @upgrade:	a handshake was read: takes over @fd and @input. Return: 0, or
 *		the status of an error, then they stay the caller's
 * @number:	of this listener, for @upgrade
 * @metrics:	writes them, from one of several threads; NULL: none
 */
struct server_http_config {
	const struct http_auth		*auth;
	struct view			*view;
	const char *const		*protocols;
	int				(*upgrade)(void *arg,
						   unsigned int number, int fd,
						   struct bytes *input);
	void				(*metrics)(void *arg, FILE *out);
	unsigned int			number;
	void				*arg;
};

/* Return: 0 or a negative errno, with one line in @error */
int server_http_open(struct server_http **h,
		     const struct server_http_config *config,
		     struct error *error);
void server_http_close(struct server_http *h);

/* An answer of gdimd. Return: whether it was one of ours; then it is taken */
bool server_http_answer(struct server_http *h, struct gdim_result *r);

/* Requests and handshakes that were refused; places that were taken away */
uint64_t server_http_refused(const struct server_http *h);
uint64_t server_http_dropped(const struct server_http *h);

/* The page, and the same compressed */
extern const char view_page[], view_page_end[];
extern const char view_page_gz[], view_page_gz_end[];

#endif
