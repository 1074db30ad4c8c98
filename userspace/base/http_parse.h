/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * http_parse.h - HTTP/1.1 requests: heads and chunked bodies
 */
#ifndef BASE_HTTP_PARSE_H
#define BASE_HTTP_PARSE_H

#include <stdbool.h>
#include "base/bytes.h"

enum { HTTP_HEADERS = 64 };

/**
 * struct http_request - points into the head's text
 * @query:	after the question mark; NULL: none
 * @length:	of the body, bytes; 0 if it is @chunked
 * @keep:	the connection may stay open
 */
struct http_request {
	const char	*method, *path, *query;
	const char	*name[HTTP_HEADERS], *value[HTTP_HEADERS];
	unsigned int	headers;
	long long	length;
	bool		chunked, keep;
};

/**
 * http_parse_request() - parse a head
 * @text: @len bytes with the empty line at the end, and a 0; is changed
 *
 * Return: 0, or the status of an error.
 */
int http_parse_request(struct http_request *r, char *text, size_t len);

/* The value of a header, whatever its case; NULL: none */
const char *http_header(const struct http_request *r, const char *name);

/* "Not Found" */
const char *http_status(int status);

/**
 * struct http_pieces - parser of a chunked body; zero-initialise it
 */
struct http_pieces {
	int	state;
	size_t	left, line;
};

/**
 * http_pieces_take() - parse more of a chunked body
 * @used:	gets the number of bytes that belong to it, of @len
 * @body:	gets its bytes
 * @max:	of @body
 *
 * Return: 1: it is complete; 0: not yet; the status of an error.
 */
int http_pieces_take(struct http_pieces *p, const uint8_t *data, size_t len,
		     size_t *used, struct bytes *body, size_t max);

#endif
