// SPDX-License-Identifier: GPL-2.0-only
/*
 * web_reply - send answers
 *
 * Header and body are one write: with two, Nagle's algorithm would delay the
 * second.
 */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "apps/gdimd/web_parts.h"
#include "base/utf8.h"

int web_begin(struct web_worker *w)
{
	w->out.len = WEB_HEAD;
	return bytes_reserve(&w->out, 4 * WEB_HEAD);
}

static int web_reply_head(const struct web_worker *w, char to[WEB_HEAD],
			  int status, const char *type, const char *lines,
			  size_t body)
{
	char content[160] = "";

	if (type)
		snprintf(content, sizeof(content),
			 "Content-Type: %s\r\nContent-Length: %zu\r\n", type,
			 body);
	return snprintf(to, WEB_HEAD, "HTTP/1.1 %d %s\r\n%s"
			"X-Content-Type-Options: nosniff\r\n%s"
			"Connection: %s\r\n\r\n", status,
			http_status(status), content,
			lines, w->stays ? "keep-alive" : "close");
}

int web_reply(struct web_worker *w, int status, const char *type,
	      const char *lines)
{
	const size_t body = w->out.len - WEB_HEAD;
	char text[WEB_HEAD];
	uint8_t *begin;
	int n;

	n = web_reply_head(w, text, status, type, lines, body);
	assert(n > 0 && n < WEB_HEAD && w->out.len >= WEB_HEAD);
	begin = w->out.data + WEB_HEAD - n;
	memcpy(begin, text, n);
	http_reply(w->conn, &w->out, WEB_HEAD - n,
		   n + (w->head || !type ? 0 : body), w->stays);
	return status;
}

/* Out of memory: close with a fixed answer */
static int reply_nothing(struct web_worker *w)
{
	static const char text[] =
		"HTTP/1.1 500 Internal Server Error\r\n"
		"Content-Length: 0\r\nConnection: close\r\n\r\n";

	w->out.len = 0;
	/* if that fails, too, close without an answer */
	if (bytes_append(&w->out, text, sizeof(text) - 1))
		w->out.len = 0;
	http_reply(w->conn, &w->out, 0, w->out.len, false);
	return 500;
}

/* Print into reused memory. Return: 0, -ENOMEM */
static int web_reply_print(struct web_worker *w, cJSON *answer)
{
	size_t room;

	if (web_begin(w))
		return -ENOMEM;
	for (;;) {
		room = w->out.cap - WEB_HEAD;
		if (room > INT32_MAX)
			return -ENOMEM;
		if (cJSON_PrintPreallocated(answer, (char *)w->out.data +
					    WEB_HEAD, room, false))
			break;
		if (bytes_reserve(&w->out, 2 * w->out.cap))
			return -ENOMEM;
	}
	assert(w->out.len == WEB_HEAD);
	w->out.len += strlen((char *)w->out.data + WEB_HEAD);
	return 0;
}

static int send_json(struct web_worker *w, int status, cJSON *answer,
		     const char *lines)
{
	int err = answer ? web_reply_print(w, answer) : -ENOMEM;

	cJSON_Delete(answer);
	return err ? reply_nothing(w) :
		     web_reply(w, status, "application/json", lines);
}

int web_json(struct web_worker *w, cJSON *answer)
{
	return send_json(w, 200, answer, "Cache-Control: no-store\r\n");
}

static const char *lines_of(int status)
{
	switch (status) {
	case 401:
		return "WWW-Authenticate: Bearer\r\n";
	case 503:
		return "Retry-After: 1\r\n";
	default:
		return "";
	}
}

static int web_reply_error(struct web_worker *w, int status, const char *text,
			   const char *lines)
{
	cJSON *answer = cJSON_CreateObject();
	char clean[256];

	/* it may quote the request */
	utf8_clean(text, strlen(text), clean, sizeof(clean));
	cJSON_AddStringToObject(answer, "error", clean);
	__atomic_add_fetch(&w->web->errors, 1, __ATOMIC_RELAXED);
	return send_json(w, status, answer, lines);
}

int web_refuse(struct web_worker *w, int status, const char *text)
{
	return web_reply_error(w, status, text, lines_of(status));
}

int web_refuse_method(struct web_worker *w, const char *allow)
{
	char text[80], lines[80];

	snprintf(text, sizeof(text), "method not allowed; allowed: %s", allow);
	snprintf(lines, sizeof(lines), "Allow: %s\r\n", allow);
	return web_reply_error(w, 405, text, lines);
}

int web_fail(struct web_worker *w, int err, const char *text)
{
	static const struct {
		int	err, status;
	} table[] = {
		{ -EINVAL, 400 }, { -ENOENT, 404 }, { -ENODATA, 404 },
		{ -E2BIG, 413 }, { -EAGAIN, 503 }, { -ECANCELED, 503 },
		{ -ETIMEDOUT, 503 }, { -EBUSY, 503 },
	};

	if (!text || !*text)
		text = err == -ECANCELED ? "gdimd is shutting down" :
		       err == -EAGAIN || err == -ETIMEDOUT ?
		       "busy, try again" : strerror(-err);
	for (unsigned int i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (table[i].err == err)
			return web_refuse(w, table[i].status, text);
	return web_refuse(w, 500, text);
}
