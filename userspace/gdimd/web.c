// SPDX-License-Identifier: GPL-2.0-only
/*
 * web - the daemon's HTTP: who may ask, and what is asked for
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <unistd.h>
#include "common/cli.h"
#include "gdimd/web.h"
#include "gdimd/web_parts.h"

/*
 * Who may ask
 */

/* The host of http://HOST or https://HOST; NULL: it is none of these */
static const char *origin_host(const char *origin)
{
	const char *host = strstr(origin, "://");

	return host && !strncmp(origin, "http", 4) ? host + 3 : NULL;
}

/* Return: 0, or the status of an error */
static int check_sender(struct web_worker *w)
{
	const struct web_auth *a = &w->web->auth;
	const char *host = mg_get_header(w->conn, "Host");

	if (a->loopback && (!host || !web_auth_host(a, host)))
		return web_refuse(w, 403, "no such host is here: ask "
				  "localhost");
	if (a->tokens && !web_auth_token(a, mg_get_header(w->conn,
							  "Authorization")))
		return web_refuse(w, 401, "a token is needed: Authorization: "
				  "Bearer TOKEN");
	return 0;
}

/* A page of another site can send, too, but not with this type */
static int check_change(struct web_worker *w)
{
	static const char json[] = "application/json";
	const char *type = mg_get_header(w->conn, "Content-Type");
	const char *origin = mg_get_header(w->conn, "Origin");
	const char *host = origin ? origin_host(origin) : NULL;
	const char *own = mg_get_header(w->conn, "Host");

	if (!w->web->auth.tokens && !web_auth_is_local(w->info->remote_addr))
		return web_refuse(w, 403, "only this machine may do that");
	if (origin && (!host || !own || strcasecmp(host, own)))
		return web_refuse(w, 403, "pages of other sites may not do "
				  "that");
	if (!type || strncasecmp(type, json, sizeof(json) - 1) ||
	    (type[sizeof(json) - 1] && !strchr("; ", type[sizeof(json) - 1])))
		return web_refuse(w, 415, "Content-Type must be "
				  "application/json");
	return 0;
}

/*
 * What is asked for
 */

static int no_such(struct web_worker *w)
{
	return web_refuse(w, 404, "no such address: see /api/v1/status, "
			  "layers, spot, rooms, topics");
}

/* NAME or NAME.png. Return: number of the layer, or -ENOENT */
static int find_layer(struct web_worker *w, const char *text, bool *png)
{
	char name[LAYER_NAME + 4];
	size_t n = strlen(text);

	if (n >= sizeof(name))
		return -ENOENT;
	memcpy(name, text, n + 1);
	*png = n > 4 && !strcmp(name + n - 4, ".png");
	if (*png)
		name[n - 4] = 0;
	return site_find_layer(w->web->g->site, name);
}

static int answer_layer(struct web_worker *w)
{
	const struct web_request *r = &w->request;
	const char *what = r->parts > 4 ? r->part[4] : "";
	char error[256];
	bool png = false;
	const int layer = find_layer(w, r->part[3], &png);

	if (layer < 0 || (png && *what)) {
		snprintf(error, sizeof(error), "no layer '%.64s'", r->part[3]);
		return web_refuse(w, 404, error);
	}
	if (png)
		return web_answer_picture(w, layer);
	if (r->parts == 8 && !strcmp(what, "tiles"))
		return web_answer_tile(w, layer);
	if (r->parts == 5 && !strcmp(what, "values"))
		return web_answer_values(w, layer, false);
	if (r->parts == 5 && !strcmp(what, "values.png"))
		return web_answer_values(w, layer, true);
	if (r->parts > 4)
		return no_such(w);
	if (web_request_only(r, "", error))
		return web_fail(w, -EINVAL, error);
	return web_answer_layer(w, layer);
}

/* Below /api/v1/, with nothing behind */
static const struct {
	const char	*name;
	bool		post;
	int		(*answer)(struct web_worker *w);
} plain[] = {
	{ "spot", false, web_answer_spot },
	{ "status", false, web_answer_status },
	{ "layers", false, web_answer_layers },
	{ "rooms", false, web_answer_rooms },
	{ "topics", false, web_answer_topics },
	{ "rate", true, web_answer_rate },
	{ "command", true, web_answer_command },
};

static int answer_plain(struct web_worker *w, bool post)
{
	const char *name = w->request.part[2];
	char error[256];
	int status;

	for (unsigned int i = 0; i < sizeof(plain) / sizeof(*plain); i++) {
		if (strcmp(plain[i].name, name))
			continue;
		if (plain[i].post != post)
			return web_refuse(w, 405, post ? "this is asked for "
					  "with GET" : "this is told with "
					  "POST");
		if (plain[i].answer != web_answer_spot &&
		    web_request_only(&w->request, "", error))
			return web_fail(w, -EINVAL, error);
		status = post ? check_change(w) : 0;
		return status ? status : plain[i].answer(w);
	}
	return no_such(w);
}

static int answer_path(struct web_worker *w, bool post)
{
	const struct web_request *r = &w->request;
	char error[256];

	if (r->parts == 1 && !strcmp(r->part[0], "metrics") && !post)
		return web_answer_metrics(w);
	if (r->parts < 3 || strcmp(r->part[0], "api") ||
	    strcmp(r->part[1], "v1"))
		return no_such(w);
	if (r->parts == 3)
		return answer_plain(w, post);
	if (strcmp(r->part[2], "layers") &&
	    (strcmp(r->part[2], "rooms") || r->parts > 4))
		return no_such(w);
	if (post)
		return web_refuse(w, 405, "this is asked for with GET");
	if (!strcmp(r->part[2], "layers"))
		return answer_layer(w);
	if (web_request_only(r, "", error))
		return web_fail(w, -EINVAL, error);
	return web_answer_room(w, r->part[3]);
}

static int answer(struct web_worker *w)
{
	const char *method = w->info->request_method;
	const bool post = !strcmp(method, "POST");
	char error[256] = "";
	int status;

	w->head = !strcmp(method, "HEAD");
	status = check_sender(w);
	if (status)
		return status;
	if (!post && !w->head && strcmp(method, "GET"))
		return web_refuse(w, 405, "there is only GET, HEAD and POST");
	if (web_request_parse(&w->request, w->info->request_uri,
			      w->info->query_string, error))
		return web_refuse(w, 400, error);
	return answer_path(w, post);
}

/*
 * What the library calls
 */

/*
 * Connections are few, as each has a thread: when most are taken, they are
 * given back after each answer.
 */
static bool may_stay(const struct web_worker *w)
{
	const char *wish = mg_get_header(w->conn, "Connection");

	return !strcmp(w->info->http_version, "1.1") &&
	       (!wish || strcasecmp(wish, "close")) &&
	       __atomic_load_n(&w->web->connections, __ATOMIC_RELAXED) <
	       WEB_THREADS * 3 / 4;
}

static int on_request(struct mg_connection *conn)
{
	struct web_worker *w = mg_get_thread_pointer(conn);
	int status;

	if (!w) {
		mg_send_http_error(conn, 503, "no memory");
		return 503;
	}
	w->conn = conn;
	w->info = mg_get_request_info(conn);
	w->stays = may_stay(w);
	__atomic_add_fetch(&w->web->requests, 1, __ATOMIC_RELAXED);
	/* what was sent along with something refused is not waited for */
	if (w->info->content_length > WEB_BODY)
		w->stays = false;
	status = answer(w);
	web_tiles_trim(w);
	return status;
}

/* What the library cannot read */
static int on_error(struct mg_connection *conn, int status, const char *text)
{
	struct web_worker *w = mg_get_thread_pointer(conn);

	if (!w)
		return 1;
	w->conn = conn;
	w->stays = w->head = false;
	web_refuse(w, status, text && *text ? text : "no proper request");
	return 0;
}

static void *on_thread(const struct mg_context *context, int type)
{
	struct web_worker *w = type == 1 ? calloc(1, sizeof(*w)) : NULL;

	if (w)
		w->web = mg_get_user_data(context);
	return w;
}

static void off_thread(const struct mg_context *context, int type,
		       void *worker)
{
	(void)context;
	(void)type;
	if (worker)
		web_tiles_close(worker);
	free(worker);
}

static struct web *web_of(const struct mg_connection *conn)
{
	return mg_get_user_data(mg_get_context(conn));
}

static int on_connection(const struct mg_connection *conn, void **data)
{
	(void)data;
	__atomic_add_fetch(&web_of(conn)->connections, 1, __ATOMIC_RELAXED);
	return 0;
}

static void off_connection(const struct mg_connection *conn)
{
	__atomic_sub_fetch(&web_of(conn)->connections, 1, __ATOMIC_RELAXED);
}

/* Only about the start: clients do as they like, and that is no news */
static int on_log(const struct mg_connection *conn, const char *text)
{
	struct web *web = web_of(conn);

	if (!__atomic_load_n(&web->started, __ATOMIC_ACQUIRE) &&
	    !*web->trouble)
		snprintf(web->trouble, sizeof(web->trouble), "%s", text);
	return 1;
}

/*
 * Begin and end
 */

static int start(struct web *web)
{
	char threads[16], timeout[16];
	const char *options[] = {
		"listening_ports", web->auth.where,
		"num_threads", threads,
		"tcp_nodelay", "1",	/* or answers take 40 ms */
		"enable_keep_alive", "yes",
		"keep_alive_timeout_ms", timeout,
		"request_timeout_ms", timeout,
		"connection_queue", "64",
		"decode_url", "no",
		"enable_auth_domain_check", "no",
		"access_control_allow_origin", "",
		"access_control_allow_methods", "",
		"access_control_allow_headers", "",
		"enable_directory_listing", "no",
		NULL
	};
	static const struct mg_callbacks callbacks = {
		.begin_request = on_request, .http_error = on_error,
		.init_thread = on_thread, .exit_thread = off_thread,
		.init_connection = on_connection,
		.connection_closed = off_connection, .log_message = on_log,
	};

	snprintf(threads, sizeof(threads), "%d", WEB_THREADS);
	snprintf(timeout, sizeof(timeout), "%d", WEB_PATIENCE);
	web->context = mg_start(&callbacks, web, options);
	__atomic_store_n(&web->started, true, __ATOMIC_RELEASE);
	return web->context ? 0 : -EIO;
}

/* The library would not tell what is wrong: whether we can listen at all */
static int try_listen(const struct web_auth *a)
{
	const int fd = socket(a->address.storage.ss_family,
			      SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
	int err = 0;

	if (fd < 0)
		return -errno;
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) ||
	    bind(fd, (const void *)&a->address.storage, a->address.len) ||
	    listen(fd, 1))
		err = -errno;
	close(fd);
	return err;
}

static int listen_on(struct web *web, char error[256])
{
	int err;

	if (web->auth.address.storage.ss_family == AF_INET6 &&
	    !mg_check_feature(MG_FEATURES_IPV6)) {
		snprintf(error, 256, "http %s: the library for HTTP here knows "
			 "no IPv6", web->auth.where);
		return -EAFNOSUPPORT;
	}
	err = try_listen(&web->auth);
	if (err) {
		snprintf(error, 256, "http %s: %s", web->auth.where,
			 strerror(-err));
		return err;
	}
	err = start(web);
	if (err)
		snprintf(error, 256, "http %s: %s", web->auth.where,
			 *web->trouble ? web->trouble : "cannot start");
	return err;
}

int web_open(struct web **out, struct gdimd *g, char error[256])
{
	struct web *web;
	int err;

	*out = NULL;
	if (!*g->config.http)
		return 0;
	snprintf(error, 256, "out of memory");
	web = calloc(1, sizeof(*web));
	if (!web)
		return -ENOMEM;
	web->g = g;
	pthread_mutex_init(&web->whole, NULL);
	signal(SIGPIPE, SIG_IGN);
	mg_init_library(0);
	if (getrandom(&web->run, sizeof(web->run), 0) < 0)
		web->run = loop_now();
	err = web_auth_open(&web->auth, g->config.http, g->config.http_tokens,
			    error);
	if (!err)
		err = web_tiles_open(web);
	if (!err)
		err = loop_call_open(&web->calls, g->loop);
	if (!err)
		err = listen_on(web, error);
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
	if (web->context)
		mg_stop(web->context);
	loop_call_close(web->calls);
	mg_exit_library();
	pthread_mutex_destroy(&web->whole);
	bytes_free(&web->nothing);
	free(web);
}

uint64_t web_refused(const struct web *web)
{
	return web ? __atomic_load_n(&web->errors, __ATOMIC_RELAXED) : 0;
}
