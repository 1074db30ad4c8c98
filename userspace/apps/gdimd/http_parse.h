/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * http_parse.h - requests of HTTP/1.1 as they come: heads, and bodies in pieces
 */
#ifndef APPS_GDIMD_HTTP_PARSE_H
#define APPS_GDIMD_HTTP_PARSE_H

#include <stdbool.h>
#include "base/bytes.h"

enum { HTTP_HEADERS = 64 };

/**
 * struct http_request - points into the head's text
 * @query:	behind the question mark; NULL: none
 * @length:	of the body, bytes; 0 if it is @chunked
 * @keep:	the connection may stay
 */
struct http_request {
	const char	*method, *path, *query;
	const char	*name[HTTP_HEADERS], *value[HTTP_HEADERS];
	unsigned int	headers;
	long long	length;
	bool		chunked, keep;
};

/**
 * http_parse_request() - a head
 * @text: @len bytes and a 0, with the empty line at the end; is changed
 *
 * Return: 0, or the status of an error.
 */
int http_parse_request(struct http_request *r, char *text, size_t len);

/* The value of a header, in any letters; NULL: it is not there */
const char *http_header(const struct http_request *r, const char *name);

/* "Not Found" */
const char *http_status(int status);

/**
 * struct http_pieces - a chunked body so far; all 0 at first
 */
struct http_pieces {
	int	state;
	size_t	left, line;
};

/**
 * http_pieces_take() - more of a chunked body
 * @used:	gets how many of @len bytes belong to it
 * @body:	gets its bytes
 * @max:	of @body
 *
 * Return: 1: that was all; 0: there is more to come; the status of an error.
 */
int http_pieces_take(struct http_pieces *p, const uint8_t *data, size_t len,
		     size_t *used, struct bytes *body, size_t max);

#endif
