// SPDX-License-Identifier: GPL-2.0-only
/*
 * server_http - HTTP of the server: the page, metrics, and gdimd's API
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "view/server_http.h"

enum { CHUNK = 32768, HEAD = 2048, OURS_BIT = 63, PATIENCE = 30 /* s */ };

/* Requests of pages, beside those of clients */
static const uint64_t ours = 1ULL << OURS_BIT;

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

static int add_header(struct lws *wsi, const char *name, const char *value,
		      uint8_t **at, uint8_t *end)
{
	return lws_add_http_header_by_name(wsi, (const uint8_t *)name,
					   (const uint8_t *)value,
					   strlen(value), at, end);
}

/* Send @s->body. Return: as for a callback */
static int http_begin(struct http_session *s, struct lws *wsi, int status,
		      const char *type, const char *etag)
{
	static const char policy[] =
		"default-src 'none'; style-src 'unsafe-inline'; "
		"script-src 'unsafe-inline'; img-src 'self' blob: data:; "
		"connect-src 'self' ws: wss:; base-uri 'none'; "
		"form-action 'none'; frame-ancestors 'none'";
	uint8_t head[LWS_PRE + HEAD], *start = head + LWS_PRE, *at = start;
	uint8_t *end = head + sizeof(head) - 1;

	if (lws_add_http_common_headers(wsi, status, type, s->len, &at, end) ||
	    add_header(wsi, "content-security-policy:", policy, &at, end) ||
	    add_header(wsi, "x-content-type-options:", "nosniff", &at, end) ||
	    add_header(wsi, "cache-control:", "no-cache", &at, end) ||
	    (etag && *etag && add_header(wsi, "etag:", etag, &at, end)) ||
	    (s->body == (const uint8_t *)view_page_gz &&
	     add_header(wsi, "content-encoding:", "gzip", &at, end)) ||
	    lws_finalize_write_http_header(wsi, start, &at, end))
		return -1;
	s->at = 0;
	if (!s->len)
		return lws_http_transaction_completed(wsi) ? -1 : 0;
	lws_callback_on_writable(wsi);
	return 0;
}

static int http_text(struct http_session *s, struct lws *wsi, int status,
		     const char *text)
{
	s->owned.len = 0;
	if (bytes_printf(&s->owned, "{\"error\":\"%s\"}\n", text))
		return -1;
	s->body = s->owned.data;
	s->len = s->owned.len;
	return http_begin(s, wsi, status, "application/json", NULL);
}

static int http_write(struct http_session *s, struct lws *wsi)
{
	uint8_t part[LWS_PRE + CHUNK];
	size_t n = s->len - s->at;
	const bool last = n <= CHUNK;

	if (!s->body || s->at >= s->len)
		return 0;
	if (!last)
		n = CHUNK;
	memcpy(part + LWS_PRE, s->body + s->at, n);
	s->at += n;
	/* a client that reads goes on, however slowly */
	lws_set_timeout(wsi, PENDING_TIMEOUT_HTTP_CONTENT, PATIENCE);
	if (lws_write(wsi, part + LWS_PRE, n, last ? LWS_WRITE_HTTP_FINAL :
		      LWS_WRITE_HTTP) < 0)
		return -1;
	if (!last) {
		lws_callback_on_writable(wsi);
		return 0;
	}
	bytes_free(&s->owned);
	s->body = NULL;
	return lws_http_transaction_completed(wsi) ? -1 : 0;
}

/*
 * gdimd
 */

/* The query without our own token */
static void copy_query(struct lws *wsi, char *to, size_t room)
{
	char part[256];
	size_t n = 0;

	for (int i = 0; lws_hdr_copy_fragment(wsi, part, sizeof(part),
					      WSI_TOKEN_HTTP_URI_ARGS, i) > 0;
	     i++) {
		if (!strncmp(part, "token=", 6))
			continue;
		n += snprintf(to + n, n < room ? room - n : 0, "%c%s",
			      n ? '&' : '?', part);
		if (n >= room)
			break;
	}
}

static int http_gdim(struct server_http *h, struct http_session *s,
		     struct lws *wsi, const char *path)
{
	char whole[GDIM_PATH] = "", etag[GDIM_TEXT] = "";
	int n = snprintf(whole, sizeof(whole), "%s", path), err;

	if (!h->view->gdim)
		return http_text(s, wsi, 404,
				 "no gdimd: start optsample-view with gdim=");
	if (n < (int)sizeof(whole))
		copy_query(wsi, whole + n, sizeof(whole) - n);
	lws_hdr_copy(wsi, etag, sizeof(etag), WSI_TOKEN_HTTP_IF_NONE_MATCH);
	s->id = ours | ++h->ids;
	err = gdim_request(h->view->gdim, whole, etag, s->id, 0);
	if (err) {
		s->id = 0;
		return http_text(s, wsi, err == -EINVAL ? 404 : 503,
				 err == -EINVAL ? "no such path" :
				 "too many requests");
	}
	s->wsi = wsi;
	s->next = h->waiting;
	h->waiting = s;
	lws_set_timeout(wsi, PENDING_TIMEOUT_HTTP_CONTENT, PATIENCE);
	return 0;
}

static void http_forget(struct server_http *h, struct http_session *s)
{
	for (struct http_session **at = &h->waiting; *at; at = &(*at)->next)
		if (*at == s) {
			*at = s->next;
			break;
		}
	if (s->id)
		gdim_cancel(h->view->gdim, s->id);
	s->id = 0;
}

bool server_http_answer(struct server_http *h, struct gdim_result *r)
{
	struct http_session *s = h->waiting;
	int ret;

	if (!(r->owner & ours))
		return false;
	while (s && s->id != r->owner)
		s = s->next;
	if (!s) {
		bytes_free(&r->body);
		return true;
	}
	s->id = 0;
	http_forget(h, s);
	if (!r->status) {
		bytes_free(&r->body);
		ret = http_text(s, s->wsi, 502, "gdimd does not answer");
	} else {
		s->owned = r->body;
		s->body = s->owned.data;
		s->len = s->owned.len;
		ret = http_begin(s, s->wsi, r->status, r->type, r->etag);
	}
	if (ret)
		lws_set_timeout(s->wsi, 1, LWS_TO_KILL_ASYNC);
	return true;
}

/*
 * Requests
 */

static int http_metrics(struct server_http *h, struct http_session *s,
			struct lws *wsi)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return http_text(s, wsi, 503, "no memory");
	h->metrics(h->arg, h->server, out);
	fclose(out);
	bytes_free(&s->owned);
	s->owned = (struct bytes){ (uint8_t *)text, len, len };
	s->body = s->owned.data;
	s->len = len;
	return http_begin(s, wsi, 200, "text/plain; version=0.0.4", NULL);
}

static int http_page(struct http_session *s, struct lws *wsi)
{
	char accepts[256] = "";

	lws_hdr_copy(wsi, accepts, sizeof(accepts),
		     WSI_TOKEN_HTTP_ACCEPT_ENCODING);
	if (strstr(accepts, "gzip")) {
		s->body = (const uint8_t *)view_page_gz;
		s->len = view_page_gz_end - view_page_gz;
	} else {
		s->body = (const uint8_t *)view_page;
		s->len = view_page_end - view_page;
	}
	return http_begin(s, wsi, 200, "text/html; charset=utf-8", NULL);
}

static int http_request(struct server_http *h, struct http_session *s,
			struct lws *wsi, const struct http_auth *auth,
			const char *path)
{
	if (!lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI))
		return http_text(s, wsi, 405, "only GET");
	if (!server_is_our_host(wsi, auth))
		return http_text(s, wsi, 403,
				 "wrong Host header: use localhost");
	/* the page is no secret; it asks for the token */
	if (!strcmp(path, "/") || !strcmp(path, "/index.html"))
		return http_page(s, wsi);
	if (!server_has_token(wsi, auth))
		return http_text(s, wsi, 401, "missing or wrong token: send "
				 "Authorization: Bearer TOKEN");
	if (!strncmp(path, "/gdim/", 6))
		return http_gdim(h, s, wsi, path + 6);
	if (!strcmp(path, "/metrics") && h->metrics)
		return http_metrics(h, s, wsi);
	return http_text(s, wsi, 404, "no such path");
}

int server_http(struct server_http *h, struct lws *wsi,
		const struct http_auth *auth, enum lws_callback_reasons reason,
		struct http_session *s, const char *path, size_t len)
{
	char text[GDIM_PATH];

	switch (reason) {
	case LWS_CALLBACK_HTTP:
		if (len >= sizeof(text))
			return http_text(s, wsi, 414, "path too long");
		memcpy(text, path, len);
		text[len] = 0;
		return http_request(h, s, wsi, auth, text);
	case LWS_CALLBACK_HTTP_WRITEABLE:
		return http_write(s, wsi);
	default:
		if (s) {
			http_forget(h, s);
			bytes_free(&s->owned);
		}
		return 0;
	}
}
