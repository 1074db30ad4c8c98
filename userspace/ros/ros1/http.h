/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * http.h - as much of HTTP/1 as XML-RPC needs
 *
 * In: the bytes of a stream, from the first one of a request or response.
 * Limits: no chunked bodies, no "Expect"; nobody who speaks ROS sends them.
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
 * @head:	bytes in front of the body
 * @body:	bytes of the body
 * @close:	the other side does not expect the connection to stay
 */
struct http {
	int	status;
	size_t	head;
	size_t	body;
	bool	close;
};

/**
 * http_parse - is it all there?
 * @ended:	nothing will follow
 * Return: 1 yes; 0 not yet; -EPROTO not HTTP; -EMSGSIZE too large
 */
int http_parse(const struct bytes *in, bool ended, struct http *h);

/* Append a request with this body. Return: 0 or -ENOMEM */
int http_request(struct bytes *out, const char *host, unsigned int port,
		 const void *body, size_t len);
int http_response(struct bytes *out, const char *status, bool close,
		  const void *body, size_t len);

#endif
