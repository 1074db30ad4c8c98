// SPDX-License-Identifier: GPL-2.0-only
/*
 * server_http - the front door of a server: HTTP requests, of which those for a
 * WebSocket are handed on
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>
#include "base/http_server.h"
#include "view/server_http.h"

enum {
	WORKERS		= 8,		/* that wait for gdimd */
	REQUEST		= 5000,		/* ms, for a request to be complete */
	PATIENCE	= 30,		/* s, for gdimd */
	NUMBER_AT	= 62, OURS_AT = 63,
};

/* Requests of pages, beside those of clients; two servers have their own */
static const uint64_t ours = 1ULL << OURS_AT;

/* userspace/view/page, put together by module.mk */
__asm__(".pushsection .rodata\n"
	"view_page:\n"
	"	.incbin \"view/page.html\"\n"
	"view_page_end:\n"
	"view_page_gz:\n"
	"	.incbin \"view/page.html.gz\"\n"
	"view_page_gz_end:\n"
	"	.byte 0\n"
	".popsection\n");

/**
 * struct http_waiting - of a worker: a request to gdimd
 * @id:		0: none
 */
struct http_waiting {
	uint64_t		id;
	bool			done;
	struct gdim_result	result;
};

/**
 * struct server_http
 * @lock:	of @ids, @waiting and @ending
 */
struct server_http {
	struct server_http_config config;
	struct http_server	*server;
	pthread_mutex_t		lock;
	pthread_cond_t		answered;
	uint64_t		ids, refused;
	struct http_waiting	waiting[WORKERS];
	bool			ending;
};

/**
 * struct http_body - what is answered
 * @etag:	NULL or "": none
 * @gzip:	it is compressed
 * @last:	the connection is closed
 */
struct http_body {
	const void	*data;
	size_t		len;
	const char	*type, *etag;
	bool		gzip, last;
};

/*
 * Answers
 */

static void http_send(struct http_conn *c, int status,
		      const struct http_body *body)
{
	static const char policy[] =
		"default-src 'none'; style-src 'unsafe-inline'; "
		"script-src 'unsafe-inline'; img-src 'self' blob: data:; "
		"connect-src 'self' ws: wss:; base-uri 'none'; "
		"form-action 'none'; frame-ancestors 'none'";
	const struct http_request *r = http_conn_request(c);
	const bool keep = r->keep && !body->last;
	struct bytes b = { 0 };
	int err = bytes_printf(&b, "HTTP/1.1 %d %s\r\nContent-Type: %s\r\n"
			       "Content-Length: %zu\r\n"
			       "Content-Security-Policy: %s\r\n"
			       "X-Content-Type-Options: nosniff\r\n"
			       "Cache-Control: no-cache\r\nConnection: %s\r\n",
			       status, http_status(status), body->type,
			       body->len, policy, keep ? "keep-alive" :
			       "close");

	if (!err && body->etag && *body->etag)
		err = bytes_printf(&b, "ETag: %s\r\n", body->etag);
	if (!err && body->gzip)
		err = bytes_printf(&b, "Content-Encoding: gzip\r\n");
	if (!err)
		err = bytes_append(&b, "\r\n", 2);
	if (!err && r->method && strcmp(r->method, "HEAD"))
		err = bytes_append(&b, body->data, body->len);
	/* without memory it is closed */
	http_reply(c, &b, 0, err ? 0 : b.len, keep && !err);
	bytes_free(&b);
}

static void http_error(struct http_conn *c, int status, const char *text,
		       bool last)
{
	char line[256];
	const struct http_body body = {
		.data = line, .len = snprintf(line, sizeof(line),
					      "{\"error\":\"%s\"}\n", text),
		.type = "application/json", .last = last,
	};

	http_send(c, status, &body);
}

/* Return: @status */
static int http_text(struct http_conn *c, int status, const char *text)
{
	http_error(c, status, text, false);
	return status;
}

static int http_refuse(struct server_http *h, struct http_conn *c, int status,
		       const char *text)
{
	__atomic_add_fetch(&h->refused, 1, __ATOMIC_RELAXED);
	return http_text(c, status, text);
}

static int http_page(struct http_conn *c)
{
	const char *accepts = http_header(http_conn_request(c),
					  "Accept-Encoding");
	const bool gzip = accepts && strstr(accepts, "gzip");
	const struct http_body body = {
		gzip ? view_page_gz : view_page,
		gzip ? view_page_gz_end - view_page_gz :
		       view_page_end - view_page,
		"text/html; charset=utf-8", NULL, gzip, false,
	};

	http_send(c, 200, &body);
	return 200;
}

static void http_metrics(struct server_http *h, struct http_conn *c)
{
	struct http_body body = { .type = "text/plain; version=0.0.4" };
	char *text = NULL;
	FILE *out = open_memstream(&text, &body.len);

	if (!out) {
		http_text(c, 503, "no memory");
		return;
	}
	h->config.metrics(h->config.arg, out);
	fclose(out);
	body.data = text;
	http_send(c, 200, &body);
	free(text);
}

/*
 * gdimd
 */

/* The path below /gdim/, and the query without our own token */
static int http_gdim_path(const struct http_request *r, char path[GDIM_PATH])
{
	const char *part = r->query;
	size_t n = snprintf(path, GDIM_PATH, "%s", r->path + strlen("/gdim/"));
	char mark = '?';

	while (part && *part && n < GDIM_PATH) {
		const size_t len = strcspn(part, "&");

		if (strncmp(part, "token=", 6)) {
			n += snprintf(path + n, GDIM_PATH - n, "%c%.*s", mark,
				      (int)len, part);
			mark = '&';
		}
		part += len + (part[len] == '&');
	}
	/* what gdimd decodes must not be another path */
	return n < GDIM_PATH && !strcasestr(path, "%2e") &&
	       !strcasestr(path, "%2f") ? 0 : -EINVAL;
}

/* Return: false: it does not answer, or the program ends */
static bool http_wait(struct server_http *h, struct http_waiting *w)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += PATIENCE;
	while (!w->done && !h->ending &&
	       !pthread_cond_timedwait(&h->answered, &h->lock, &until))
		;
	return w->done;
}

/* Return: 0; -EINVAL; -ETIMEDOUT; others of gdim_request() */
static int http_ask(struct server_http *h, struct http_waiting *w,
		    const char *path, const char *etag)
{
	struct gdim *g = h->config.view->gdim;
	int err;

	pthread_mutex_lock(&h->lock);
	w->id = ours | (uint64_t)h->config.number << NUMBER_AT | ++h->ids;
	w->done = false;
	/* its answer may come before this returns */
	pthread_mutex_unlock(&h->lock);
	err = gdim_request(g, path, etag, w->id, 0);
	pthread_mutex_lock(&h->lock);
	if (!err && !http_wait(h, w))
		err = -ETIMEDOUT;
	pthread_mutex_unlock(&h->lock);
	if (err == -ETIMEDOUT)
		gdim_cancel(g, w->id);
	pthread_mutex_lock(&h->lock);
	w->id = 0;
	/* it came at the last moment */
	if (err == -ETIMEDOUT && w->done)
		bytes_free(&w->result.body);
	pthread_mutex_unlock(&h->lock);
	return err;
}

static void http_gdim(struct server_http *h, unsigned int worker,
		      struct http_conn *c)
{
	const struct http_request *r = http_conn_request(c);
	struct http_waiting *w = &h->waiting[worker];
	const char *etag = http_header(r, "If-None-Match");
	char path[GDIM_PATH];
	struct http_body body;
	int err;

	err = http_gdim_path(r, path);
	if (!err)
		err = http_ask(h, w, path, etag && strlen(etag) < GDIM_TEXT ?
			       etag : "");
	if (err == -EINVAL) {
		http_text(c, 404, "no such path");
	} else if (err == -ETIMEDOUT) {
		http_text(c, 502, "gdimd does not answer");
	} else if (err) {
		http_text(c, 503, "too many requests");
	} else if (!w->result.status) {
		http_text(c, 502, "gdimd does not answer");
		bytes_free(&w->result.body);
	} else {
		body = (struct http_body){ w->result.body.data,
			w->result.body.len, w->result.type, w->result.etag,
			false, false };
		http_send(c, w->result.status, &body);
		bytes_free(&w->result.body);
	}
}

bool server_http_answer(struct server_http *h, struct gdim_result *r)
{
	bool taken = false;

	if (!(r->owner & ours) ||
	    (r->owner >> NUMBER_AT & 1) != h->config.number)
		return false;
	pthread_mutex_lock(&h->lock);
	for (unsigned int i = 0; i < WORKERS && !taken; i++)
		if (h->waiting[i].id == r->owner && !h->waiting[i].done) {
			h->waiting[i].result = *r;
			h->waiting[i].done = taken = true;
		}
	pthread_cond_broadcast(&h->answered);
	pthread_mutex_unlock(&h->lock);
	if (!taken)
		bytes_free(&r->body);
	return true;
}

/*
 * Requests
 */

/* Is one of the names in a list of the request's ours? */
static bool http_has_protocol(const struct server_http *h, const char *list)
{
	static const char space[] = ", \t";

	while (list && *(list += strspn(list, space))) {
		const size_t len = strcspn(list, space);

		for (const char *const *p = h->config.protocols; *p; p++)
			if (strlen(*p) == len && !strncmp(*p, list, len))
				return true;
		list += len;
	}
	return false;
}

static int http_upgrade(struct server_http *h, struct http_conn *c)
{
	const struct http_request *r = http_conn_request(c);
	struct bytes input;
	int fd, status;

	if (!http_has_protocol(h, http_header(r, "Sec-WebSocket-Protocol")))
		return http_refuse(h, c, 400, "a sub-protocol is needed: "
				   "foxglove.sdk.v1, foxglove.websocket.v1");
	status = h->config.upgrade(h->config.arg, h->config.number, -1, NULL);
	if (status)
		return http_refuse(h, c, status, "too many clients");
	fd = http_conn_take(c, &input);
	if (h->config.upgrade(h->config.arg, h->config.number, fd, &input)) {
		close(fd);
		bytes_free(&input);
	}
	return 1;
}

/* "Bearer " and @len bytes with %xx of a query, as far as there is room */
static void http_bearer(const char *from, size_t len,
			char text[HTTP_TOKEN + 16])
{
	const char *const end = text + HTTP_TOKEN + 15;
	char *to = text + sprintf(text, "Bearer ");
	unsigned int byte;

	for (size_t i = 0; i < len && to < end; i++) {
		*to = from[i];
		if (from[i] == '%' && i + 2 < len &&
		    sscanf(from + i + 1, "%2x", &byte) == 1) {
			*to = byte;
			i += 2;
		}
		to++;
	}
	*to = 0;
}

static bool http_has_token(const struct http_auth *auth,
			   const struct http_request *r)
{
	const char *authorization = http_header(r, "Authorization");
	const char *part = r->query;
	char text[HTTP_TOKEN + 16];

	if (!auth->tokens ||
	    (authorization && http_auth_token(auth, authorization)))
		return true;
	while (part && *part) {
		const size_t len = strcspn(part, "&");

		if (!strncmp(part, "token=", 6)) {
			http_bearer(part + 6, len - 6, text);
			if (http_auth_token(auth, text))
				return true;
		}
		part += len + (part[len] == '&');
	}
	return false;
}

static int http_admit(void *arg, unsigned int worker, struct http_conn *c)
{
	struct server_http *h = arg;
	const struct http_auth *auth = h->config.auth;
	const struct http_request *r = http_conn_request(c);
	const char *upgrade = http_header(r, "Upgrade");
	const char *host = http_header(r, "Host");
	const bool get = !strcmp(r->method, "GET");

	(void)worker;
	if (get && upgrade && !strcasecmp(upgrade, "websocket"))
		return http_upgrade(h, c);
	if (!get && strcmp(r->method, "HEAD"))
		return http_text(c, 405, "only GET and HEAD");
	/* without tokens only local names are ours: another site has its own */
	if (auth->loopback && !auth->tokens &&
	    (!host || !http_auth_host(auth, host)))
		return http_text(c, 403, "wrong Host header: use localhost");
	/* the page is no secret; it asks for the token */
	if (!strcmp(r->path, "/") || !strcmp(r->path, "/index.html"))
		return http_page(c);
	if (!http_has_token(auth, r))
		return http_text(c, 401, "missing or wrong token: send "
				 "Authorization: Bearer TOKEN");
	if (!strncmp(r->path, "/gdim/", 6))
		return h->config.view->gdim ? 0 :
		       http_text(c, 404, "no gdimd: start optsample-view with "
				 "gdim=");
	return !strcmp(r->path, "/metrics") && h->config.metrics ? 0 :
	       http_text(c, 404, "no such path");
}

static void server_http_on_request(void *arg, unsigned int worker,
				   struct http_conn *c)
{
	struct server_http *h = arg;

	if (!strcmp(http_conn_request(c)->path, "/metrics"))
		http_metrics(h, c);
	else
		http_gdim(h, worker, c);
}

static void server_http_on_error(void *arg, unsigned int worker,
				 struct http_conn *c, int status)
{
	(void)arg;
	(void)worker;
	http_error(c, status, status == 503 ? "too many connections" :
		   http_status(status), true);
}

int server_http_open(struct server_http **out,
		     const struct server_http_config *config,
		     struct error *error)
{
	struct server_http *h = calloc(1, sizeof(*h));
	const struct http_config http = {
		.address = &config->auth->address, .workers = WORKERS,
		.patience = REQUEST, .admit = http_admit,
		.answer = server_http_on_request, .error = server_http_on_error,
		.arg = h,
	};
	pthread_condattr_t monotonic;
	int err;

	*out = NULL;
	if (!h)
		return error_set(error, -ENOMEM, "no memory");
	h->config = *config;
	pthread_mutex_init(&h->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&h->answered, &monotonic);
	pthread_condattr_destroy(&monotonic);
	err = http_server_open(&h->server, &http);
	if (err) {
		error_set(error, err, "%s: %s", config->auth->where,
			  strerror(-err));
		server_http_close(h);
		return err;
	}
	*out = h;
	return 0;
}

void server_http_close(struct server_http *h)
{
	if (!h)
		return;
	pthread_mutex_lock(&h->lock);
	h->ending = true;
	pthread_cond_broadcast(&h->answered);
	pthread_mutex_unlock(&h->lock);
	http_server_close(h->server);
	pthread_cond_destroy(&h->answered);
	pthread_mutex_destroy(&h->lock);
	free(h);
}

uint64_t server_http_refused(const struct server_http *h)
{
	return h ? __atomic_load_n(&h->refused, __ATOMIC_RELAXED) : 0;
}

uint64_t server_http_dropped(const struct server_http *h)
{
	return h ? http_server_dropped(h->server) : 0;
}
