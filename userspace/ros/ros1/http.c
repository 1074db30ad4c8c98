// SPDX-License-Identifier: GPL-2.0-only
/*
 * http.c - the part of HTTP/1 that XML-RPC needs
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "http.h"

/* Return: after the empty line, or NULL */
static const char *http_body(const char *p, size_t len)
{
	const char *end = p + len, *line = p;

	while ((line = memchr(line, '\n', (size_t)(end - line)))) {
		line++;
		if (line < end && *line == '\n')
			return line + 1;
		if (end - line >= 2 && line[0] == '\r' && line[1] == '\n')
			return line + 2;
	}
	return NULL;
}

/* Return: 0, -EPROTO or -EMSGSIZE */
static int http_length(const char *value, const char *end, size_t *length)
{
	size_t n = 0;

	while (value < end && isblank((unsigned char)*value))
		value++;
	if (value == end || !isdigit((unsigned char)*value))
		return -EPROTO;
	for (; value < end && isdigit((unsigned char)*value); value++) {
		n = n * 10 + (size_t)(*value - '0');
		if (n > HTTP_BODY_MAX)
			return -EMSGSIZE;
	}
	*length = n;
	return 0;
}

static bool http_has(const char *line, const char *end, const char *word)
{
	size_t n = strlen(word);

	for (; (size_t)(end - line) >= n; line++)
		if (!strncasecmp(line, word, n))
			return true;
	return false;
}

/* The first line. Return: 0 or -EPROTO */
static int http_start(const char *line, const char *end, struct http *h)
{
	if (end - line >= 12 && !memcmp(line, "HTTP/1.", 7)) {
		h->status = atoi(line + 9);
		if (h->status <= 0)
			return -EPROTO;
	} else if (end - line < 14 || memcmp(line, "POST ", 5) ||
		   !http_has(line, end, " HTTP/1.")) {
		return -EPROTO;
	}
	h->close = http_has(line, end, "HTTP/1.0");
	return 0;
}

/* Lines after the first one. Return: 0, -EPROTO or -EMSGSIZE */
static int http_fields(const char *line, const char *body, struct http *h,
		       bool *has_length)
{
	const char *end;
	int err;

	for (; line < body; line = end + 1) {
		end = memchr(line, '\n', (size_t)(body - line));
		if (end - line > 15 && !strncasecmp(line, "Content-Length:", 15)) {
			err = http_length(line + 15, end, &h->body);
			if (err)
				return err;
			*has_length = true;
		} else if (end - line > 11 &&
			   !strncasecmp(line, "Connection:", 11)) {
			if (http_has(line, end, "close"))
				h->close = true;
			else if (http_has(line, end, "keep-alive"))
				h->close = false;
		} else if (end - line > 18 &&
			   !strncasecmp(line, "Transfer-Encoding:", 18)) {
			return -EPROTO;
		}
	}
	return 0;
}

int http_parse(const struct bytes *in, bool ended, struct http *h)
{
	size_t head = in->len < HTTP_HEAD_MAX ? in->len : HTTP_HEAD_MAX;
	const char *p = (const char *)in->data, *line, *body;
	bool has_length = false;
	int err;

	memset(h, 0, sizeof(*h));
	body = head ? http_body(p, head) : NULL;
	if (!body && in->len >= HTTP_HEAD_MAX)
		return -EMSGSIZE;
	if (!body)
		return ended ? -EPROTO : 0;
	line = memchr(p, '\n', head);
	err = http_start(p, line, h);
	if (!err)
		err = http_fields(line + 1, body, h, &has_length);
	if (err)
		return err;
	h->head = (size_t)(body - p);
	if (has_length) {
		if (in->len - h->head >= h->body)
			return 1;
		return ended ? -EPROTO : 0;
	}
	/* Only a response may extend to the end of its connection. */
	if (!h->status)
		return -EPROTO;
	h->body = in->len - h->head;
	if (h->body > HTTP_BODY_MAX)
		return -EMSGSIZE;
	return ended;
}

int http_request(struct bytes *out, const char *host, unsigned int port,
		 const void *body, size_t len)
{
	if (bytes_printf(out, "POST /RPC2 HTTP/1.0\r\n"
			 "Host: %s:%u\r\nUser-Agent: optsample\r\n"
			 "Content-Type: text/xml\r\n"
			 "Content-Length: %zu\r\n\r\n", host, port, len))
		return -ENOMEM;
	return bytes_append(out, body, len);
}

int http_response(struct bytes *out, const char *status, bool close,
		  const void *body, size_t len)
{
	if (bytes_printf(out, "HTTP/1.1 %s\r\nServer: optsample\r\n%s"
			 "Content-Type: text/xml\r\n"
			 "Content-Length: %zu\r\n\r\n", status,
			 close ? "Connection: close\r\n" : "", len))
		return -ENOMEM;
	return bytes_append(out, body, len);
}
