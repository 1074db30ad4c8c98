// SPDX-License-Identifier: GPL-2.0-only
/*
 * web - HTTP of the daemon: access control and routing
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <unistd.h>
#include "apps/gdimd/web_parts.h"
#include "base/cli.h"
#include "base/error.h"

/*
 * Access control
 */

/* The host of http://HOST or https://HOST; NULL: another scheme */
static const char *origin_host(const char *origin)
{
	const char *host = strstr(origin, "://");

	return host && !strncmp(origin, "http", 4) ? host + 3 : NULL;
}

/* Return: 0, or the status of an error */
static int check_sender(struct web_worker *w)
{
	const struct http_auth *a = &w->web->auth;
	const char *host = http_header(w->asked, "Host");

	if (a->loopback && (!host || !http_auth_host(a, host)))
		return web_refuse(w, 403, "wrong Host header: use localhost");
	if (a->tokens && !http_auth_token(a, http_header(w->asked,
							"Authorization")))
		return web_refuse(w, 401, "missing or wrong token: send "
				  "'Authorization: Bearer TOKEN'");
	return 0;
}

/* Whether the client is local; its address is followed by a port */
static bool is_local(const struct web_worker *w)
{
	char text[ADDRESS_TEXT], *at = text, *colon;

	snprintf(text, sizeof(text), "%s", http_conn_peer(w->conn));
	colon = strrchr(text, ':');
	if (colon)
		*colon = 0;
	if (*at == '[') {
		at++;
		at[strcspn(at, "]")] = 0;
	}
	return http_auth_is_local(at);
}

/* A page of another site can send, too, but not with this content type */
static int check_change(struct web_worker *w)
{
	static const char json[] = "application/json";
	const char *type = http_header(w->asked, "Content-Type");
	const char *origin = http_header(w->asked, "Origin");
	const char *host = origin ? origin_host(origin) : NULL;
	const char *own = http_header(w->asked, "Host");

	if (!w->web->auth.tokens && !is_local(w))
		return web_refuse(w, 403,
				  "without tokens only local clients may send "
				  "commands");
	if (origin && (!host || !own || strcasecmp(host, own)))
		return web_refuse(w, 403, "cross-origin request rejected");
	if (!type || strncasecmp(type, json, sizeof(json) - 1) ||
	    (type[sizeof(json) - 1] && !strchr("; ", type[sizeof(json) - 1])))
		return web_refuse(w, 415, "Content-Type must be "
				  "application/json");
	return 0;
}

/*
 * Routing
 */

static int no_such(struct web_worker *w)
{
	return web_refuse(w, 404, "no such path; see /api/v1/status, layers, "
			  "spot, rooms, edges, topics");
}

/* NAME or NAME.png. Return: number of the layer, or -ENOENT */
static int web_find_layer(struct web_worker *w, const char *text, bool *png)
{
	char name[LAYER_NAME + 4];
	size_t n = strlen(text);

	if (n >= sizeof(name))
		return -ENOENT;
	memcpy(name, text, n + 1);
	*png = n > 4 && !strcmp(name + n - 4, ".png");
	if (*png)
		name[n - 4] = 0;
	return site_find_layer(w->web->config.site, name);
}

static int answer_layer(struct web_worker *w)
{
	const struct web_request *r = &w->request;
	const char *what = r->parts > 4 ? r->part[4] : "";
	struct error error;
	bool png = false;
	const int layer = web_find_layer(w, r->part[3], &png);

	if (layer < 0 || (png && *what)) {
		snprintf(error.text, sizeof(error.text), "no layer '%.64s'", r->part[3]);
		return web_refuse(w, 404, error.text);
	}
	if (png)
		return web_answer_picture(w, layer);
	if (r->parts == 8 && !strcmp(what, "tiles"))
		return web_answer_tile(w, layer);
	if (r->parts == 5 && !strcmp(what, "peaks"))
		return web_answer_peaks(w, layer);
	if (r->parts == 5 && !strcmp(what, "values"))
		return web_answer_values(w, layer, false);
	if (r->parts == 5 && !strcmp(what, "values.png"))
		return web_answer_values(w, layer, true);
	if (r->parts > 4)
		return no_such(w);
	if (web_request_only(r, "", &error))
		return web_fail(w, -EINVAL, error.text);
	return web_answer_layer(w, layer);
}

/* Paths below /api/v1/ without further parts */
static const struct {
	const char	*name;
	bool		post;
	int		(*answer)(struct web_worker *w);
} plain[] = {
	{ "spot", false, web_answer_spot },
	{ "status", false, web_answer_status },
	{ "layers", false, web_answer_layers },
	{ "rooms", false, web_answer_rooms },
	{ "edges", false, web_answer_edges },
	{ "topics", false, web_answer_topics },
	{ "rate", true, web_answer_rate },
	{ "command", true, web_answer_command },
};

/* @post: the path takes POST, otherwise GET and HEAD */
static int check_method(struct web_worker *w, bool post)
{
	const char *method = w->asked->method;

	if (post ? !strcmp(method, "POST") : w->head || !strcmp(method, "GET"))
		return 0;
	return web_refuse_method(w, post ? "POST" : "GET, HEAD");
}

static int answer_plain(struct web_worker *w)
{
	const char *name = w->request.part[2];
	struct error error;
	int status;

	for (unsigned int i = 0; i < sizeof(plain) / sizeof(*plain); i++) {
		if (strcmp(plain[i].name, name))
			continue;
		status = check_method(w, plain[i].post);
		if (status)
			return status;
		if (plain[i].answer != web_answer_spot &&
		    web_request_only(&w->request, "", &error))
			return web_fail(w, -EINVAL, error.text);
		status = plain[i].post ? check_change(w) : 0;
		return status ? status : plain[i].answer(w);
	}
	return no_such(w);
}

static int answer_path(struct web_worker *w)
{
	const struct web_request *r = &w->request;
	struct error error;
	int status;

	if (r->parts == 1 && !strcmp(r->part[0], "metrics")) {
		status = check_method(w, false);
		return status ? status : web_answer_metrics(w);
	}
	if (r->parts < 3 || strcmp(r->part[0], "api") ||
	    strcmp(r->part[1], "v1"))
		return no_such(w);
	if (r->parts == 3)
		return answer_plain(w);
	if (strcmp(r->part[2], "layers") &&
	    (strcmp(r->part[2], "rooms") || r->parts > 4))
		return no_such(w);
	status = check_method(w, false);
	if (status)
		return status;
	if (!strcmp(r->part[2], "layers"))
		return answer_layer(w);
	if (web_request_only(r, "", &error))
		return web_fail(w, -EINVAL, error.text);
	return web_answer_room(w, r->part[3]);
}

static int web_answer(struct web_worker *w)
{
	struct error error = { "" };

	if (web_request_parse(&w->request, w->asked->path, w->asked->query,
			      &error))
		return web_refuse(w, 400, error.text);
	return answer_path(w);
}

/*
 * Callbacks of the server
 */

static struct web_worker *begin(void *arg, unsigned int worker,
				struct http_conn *c)
{
	struct web *web = arg;
	struct web_worker *w = &web->worker[worker];

	w->conn = c;
	w->asked = http_conn_request(c);
	w->stays = w->head = false;
	return w;
}

/* Called before the body is read */
static int on_admit(void *arg, unsigned int worker, struct http_conn *c)
{
	struct web_worker *w = begin(arg, worker, c);

	__atomic_add_fetch(&w->web->requests, 1, __ATOMIC_RELAXED);
	w->head = !strcmp(w->asked->method, "HEAD");
	return check_sender(w);
}

static void web_on_request(void *arg, unsigned int worker, struct http_conn *c)
{
	struct web_worker *w = begin(arg, worker, c);

	w->head = !strcmp(w->asked->method, "HEAD");
	w->stays = w->asked->keep;
	web_answer(w);
	web_tiles_trim(w);
}

/* Invalid requests */
static void web_on_error(void *arg, unsigned int worker, struct http_conn *c,
			 int status)
{
	struct web_worker *w = begin(arg, worker, c);

	web_refuse(w, status, status == 413 ? "request too long" :
		   status == 408 ? "request timeout" :
		   "malformed request");
}

/*
 * Open and close
 */

static int web_listen_on(struct web *web, struct error *error)
{
	const struct http_config config = {
		.address = &web->auth.address,
		.workers = WEB_THREADS,
		.patience = WEB_PATIENCE,
		.body = WEB_BODY,
		.admit = on_admit,
		.answer = web_on_request,
		.error = web_on_error,
		.arg = web,
	};
	int err;

	web->worker = calloc(WEB_THREADS + 1, sizeof(*web->worker));
	if (!web->worker)
		return -ENOMEM;
	for (unsigned int i = 0; i <= WEB_THREADS; i++)
		web->worker[i].web = web;
	err = http_server_open(&web->server, &config);
	if (err)
		error_set(error, 0, "http %s: %s", web->auth.where,
			 strerror(-err));
	return err;
}

int web_open(struct web **out, const struct web_config *config,
	     struct error *error)
{
	struct web *web;
	int err;

	*out = NULL;
	if (!*config->where)
		return 0;
	error_set(error, 0, "out of memory");
	web = calloc(1, sizeof(*web));
	if (!web)
		return -ENOMEM;
	web->config = *config;
	web->peaks = peaks_create();
	if (!web->peaks) {
		free(web);
		return -ENOMEM;
	}
	pthread_mutex_init(&web->whole, NULL);
	signal(SIGPIPE, SIG_IGN);
	if (getrandom(&web->run, sizeof(web->run), 0) < 0)
		web->run = loop_now();
	err = http_auth_open(&web->auth, "http", config->where, "8460",
			     config->tokens, error);
	if (!err)
		err = web_tiles_open(web);
	if (!err)
		err = loop_call_open(&web->calls, config->loop);
	if (!err)
		err = web_listen_on(web, error);
	if (err)
		web_close(web);
	else
		*out = web;
	return err;
}

void web_close(struct web *web)
{
	if (!web)
		return;
	if (web->calls)
		loop_call_cancel(web->calls);
	http_server_close(web->server);
	loop_call_close(web->calls);
	for (unsigned int i = 0; web->worker && i <= WEB_THREADS; i++)
		web_tiles_close(&web->worker[i]);
	free(web->worker);
	pthread_mutex_destroy(&web->whole);
	peaks_destroy(web->peaks);
	bytes_free(&web->nothing);
	free(web);
}

uint64_t web_refused(const struct web *web)
{
	return web ? __atomic_load_n(&web->errors, __ATOMIC_RELAXED) : 0;
}
