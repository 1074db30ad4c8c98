/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * server_http.h - HTTP of the server: the page, metrics, and gdimd's API; for
 * server*.c only
 */
#ifndef VIEW_VIEW_SERVER_HTTP_H
#define VIEW_VIEW_SERVER_HTTP_H

#include <libwebsockets.h>
#include "base/http_auth.h"
#include "view/gdim.h"
#include "view/peer.h"

struct server;

/**
 * struct http_session - a request, of libwebsockets; zeroed
 * @id:		of a request to gdimd that is not answered; 0: none
 * @body:	being sent, @len bytes, @at so far
 * @owned:	memory of @body
 */
struct http_session {
	struct http_session	*next;
	struct lws		*wsi;
	uint64_t		id;
	const uint8_t		*body;
	size_t			len, at;
	struct bytes		owned;
};

/**
 * struct server_http
 * @waiting:	sessions with a request to gdimd
 * @metrics:	writes them, of @server; NULL: none
 */
struct server_http {
	struct view		*view;
	struct http_session	*waiting;
	uint64_t		ids;
	void			(*metrics)(void *arg, const struct server *s,
					   FILE *out);
	const struct server	*server;
	void			*arg;
};

/* A callback of libwebsockets. Return: as for it */
int server_http(struct server_http *h, struct lws *wsi,
		const struct http_auth *auth, enum lws_callback_reasons reason,
		struct http_session *s, const char *path, size_t len);

/* An answer of gdimd. Return: whether it was one of ours; then it is taken */
bool server_http_answer(struct server_http *h, struct gdim_result *r);

/* view_server.c */
bool server_has_token(struct lws *wsi, const struct http_auth *auth);
bool server_is_our_host(struct lws *wsi, const struct http_auth *auth);

/* The page, and the same compressed */
extern const char view_page[], view_page_end[];
extern const char view_page_gz[], view_page_gz_end[];

#endif
