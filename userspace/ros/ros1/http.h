/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * http.h - the part of HTTP/1 that XML-RPC needs
 *
 * In: the bytes of a stream, from the first one of a request or response.
 * Limits: no chunked bodies, no "Expect"; no ROS client sends them.
 */
#ifndef ROS_ROS1_HTTP_H
#define ROS_ROS1_HTTP_H

#include <stdbool.h>
#include "base/bytes.h"

enum {
	HTTP_HEAD_MAX	= 8 << 10,
	HTTP_BODY_MAX	= 512 << 10,
};

/**
 * struct http - one request or response within a stream
 * @status:	of a response; 0: a request
 * @head:	bytes before the body
 * @body:	bytes of the body
 * @close:	the other side will close the connection
 */
struct http {
	int	status;
	size_t	head;
	size_t	body;
	bool	close;
};

/**
 * http_parse - parse a request or response, if complete
 * @ended:	the connection has ended
 * Return: 1: complete; 0: not yet; -EPROTO: not HTTP; -EMSGSIZE: too large
 */
int http_parse(const struct bytes *in, bool ended, struct http *h);

/* Append a request with this body. Return: 0 or -ENOMEM */
int http_request(struct bytes *out, const char *host, unsigned int port,
		 const void *body, size_t len);
int http_response(struct bytes *out, const char *status, bool close,
		  const void *body, size_t len);

#endif
