/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fake_gdimd.h - an HTTP server that answers as gdimd would, and remembers
 * what it was asked
 */
#ifndef TESTS_VIEW_FAKE_GDIMD_H
#define TESTS_VIEW_FAKE_GDIMD_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/http_server.h"
#include "free_port.h"

/* Who has locked @gate holds answers back */
static struct {
	struct http_server	*server;
	char			where[32];
	pthread_mutex_t		lock, gate;
	char			path[1024], token[256], etag[128];
	unsigned int		asked;
} gdimd = { .lock = PTHREAD_MUTEX_INITIALIZER,
	    .gate = PTHREAD_MUTEX_INITIALIZER };

static const struct {
	const char *path, *body;
} gdimd_answers[] = {
	{ "layers", "{\"layers\":[{\"name\":\"a\"},{\"name\":\"b\"}]}" },
	{ "layers/a", "{\"name\":\"a\",\"revision\":3}" },
	{ "layers/b", "{\"name\":\"b\",\"revision\":5}" },
	{ "rooms", "{\"list\":[{\"id\":9,\"name\":\"hall\",\"x\":1.5,\"y\":2,"
		   "\"outline\":[[0,1],[2,3],[4,5]]}]}" },
	{ "rooms/9", "{\"id\":9}" },
	{ "spot", "{\"height\":4}" },
};

static void gdimd_answer(void *arg, unsigned int worker, struct http_conn *c)
{
	const struct http_request *r = http_conn_request(c);
	const char *token = http_header(r, "Authorization");
	const char *etag = http_header(r, "If-None-Match");
	const char *path = r->path + strlen("/api/v1/");
	const char *body = "{\"error\":\"not here\"}";
	struct bytes b = { 0 };
	int status = 404;

	(void)arg;
	(void)worker;
	pthread_mutex_lock(&gdimd.lock);
	gdimd.asked++;
	snprintf(gdimd.path, sizeof(gdimd.path), "%s%s%s", r->path,
		 r->query ? "?" : "", r->query ? r->query : "");
	snprintf(gdimd.token, sizeof(gdimd.token), "%s", token ? token : "");
	snprintf(gdimd.etag, sizeof(gdimd.etag), "%s", etag ? etag : "");
	pthread_mutex_unlock(&gdimd.lock);
	pthread_mutex_lock(&gdimd.gate);
	pthread_mutex_unlock(&gdimd.gate);
	for (size_t i = 0; i < sizeof(gdimd_answers) / sizeof(*gdimd_answers);
	     i++)
		if (!strcmp(path, gdimd_answers[i].path)) {
			body = gdimd_answers[i].body;
			status = 200;
		}
	if (etag && !strcmp(etag, "\"v7\"")) {
		status = 304;
		body = "";
	}
	bytes_printf(&b, "HTTP/1.1 %d %s\r\nContent-Type: application/json\r\n"
		     "ETag: \t\"v7\"\r\nContent-Length: %zu\r\n\r\n%s", status,
		     http_status(status), strlen(body), body);
	http_reply(c, &b, 0, b.len, true);
	bytes_free(&b);
}

static int gdimd_admit(void *arg, unsigned int worker, struct http_conn *c)
{
	(void)arg;
	(void)worker;
	(void)c;
	return 0;
}

static void gdimd_error(void *arg, unsigned int worker, struct http_conn *c,
			int status)
{
	struct bytes b = { 0 };

	(void)arg;
	(void)worker;
	(void)status;
	http_reply(c, &b, 0, 0, false);
}

static void gdimd_start(void)
{
	struct sockaddr_in at = free_port();
	struct address a = { .len = sizeof(at) };
	const struct http_config config = {
		.address = &a, .workers = 2, .patience = 60000,
		.admit = gdimd_admit, .answer = gdimd_answer,
		.error = gdimd_error,
	};

	memcpy(&a.storage, &at, sizeof(at));
	snprintf(gdimd.where, sizeof(gdimd.where), "127.0.0.1:%u",
		 ntohs(at.sin_port));
	if (http_server_open(&gdimd.server, &config))
		abort();
}

/* What it was asked last */
static const char *gdimd_heard(const char *field)
{
	static char text[1024];

	pthread_mutex_lock(&gdimd.lock);
	snprintf(text, sizeof(text), "%s", field);
	pthread_mutex_unlock(&gdimd.lock);
	return text;
}

#endif
