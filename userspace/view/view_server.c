// SPDX-License-Identifier: GPL-2.0-only
/*
 * view_server - HTTP and WebSocket for operators
 */
#include <errno.h>
#include <libwebsockets.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <syslog.h>
#include <unistd.h>
#include "base/loop.h"
#include "base/service.h"
#include "base/thread.h"
#include "base/wire.h"
#include "view/browser.h"
#include "view/foxglove.h"
#include "view/pictures.h"
#include "view/view_server.h"
#include "view/server_http.h"

#define SECOND	1000000000LL

enum {
	CHUNK		= 65536,	/* bytes written at once */
	UNSENT		= 32768,	/* bytes that the kernel buffers */
	INPUT		= 1 << 20,	/* bytes of a client's message */
	TICK		= 100,		/* ms */
	HANDSHAKE	= 5,		/* s, also until a token comes */
	FAILING		= 10,		/* ticks, to read the reason */
	LISTENERS	= 2,
};

/**
 * struct client - a WebSocket connection
 * @out:	being sent, @at bytes so far; NULL: none
 * @ping:	to be sent before anything else
 * @in:		parts of a message
 * @failing:	ticks since its peer failed
 */
struct client {
	struct server		*server;
	struct client		*next;
	struct lws		*wsi;
	struct peer		*peer;
	struct outgoing		*out;
	size_t			at;
	bool			ping;
	unsigned int		failing;
	struct bytes		in;
	struct feed_counts	counted;
};

struct server {
	struct server_config	config;
	struct http_auth	auth[LISTENERS];
	struct server_http	http;
	struct lws_context	*context;
	struct client		*clients;
	struct server_counts	counts;
	pthread_t		thread;
	bool			running, stop, woken;
	uint64_t		ids;
	lws_sorted_usec_list_t	timer;
	uint8_t			scratch[LWS_PRE + CHUNK];
};

/*
 * Who may connect
 */

static const struct http_auth *server_auth(struct server *s, struct lws *wsi)
{
	return lws_get_vhost_user(lws_get_vhost(wsi)) ?
	       lws_get_vhost_user(lws_get_vhost(wsi)) : &s->auth[0];
}

static bool header(struct lws *wsi, enum lws_token_indexes which, char *text,
		   size_t room)
{
	return lws_hdr_copy(wsi, text, room, which) > 0;
}

bool server_has_token(struct lws *wsi, const struct http_auth *auth)
{
	char text[HTTP_TOKEN + 16], query[HTTP_TOKEN + 8];
	const char *token;

	if (!auth->tokens)
		return true;
	token = lws_get_urlarg_by_name(wsi, "token=", query, sizeof(query));
	if (token) {
		snprintf(text, sizeof(text), "Bearer %.*s", HTTP_TOKEN, token);
		if (http_auth_token(auth, text))
			return true;
	}
	return header(wsi, WSI_TOKEN_HTTP_AUTHORIZATION, text, sizeof(text)) &&
	       http_auth_token(auth, text);
}

/* Without tokens only local names are ours: another site has its own */
bool server_is_our_host(struct lws *wsi, const struct http_auth *auth)
{
	char host[HTTP_HOST];

	return !auth->loopback || auth->tokens ||
	       (header(wsi, WSI_TOKEN_HOST, host, sizeof(host)) &&
		http_auth_host(auth, host));
}

/* The page's own server, whatever a proxy made of the scheme */
static bool is_same_origin(struct lws *wsi, const char *origin)
{
	const char *host = strstr(origin, "://");
	char own[HTTP_HOST];

	return host && header(wsi, WSI_TOKEN_HOST, own, sizeof(own)) &&
	       !strcasecmp(host + 3, own);
}

/*
 * Foxglove and Lichtblick are pages of other origins, or programs with a page
 * that no web site can have
 */
static bool is_foxglove_origin(const struct server *s,
			       const struct http_auth *auth, const char *origin)
{
	const char *host = strstr(origin, "://");

	for (const char *const *o = s->config.origins; o && *o; o++)
		if (!strcmp(*o, "*") || !strcasecmp(*o, origin))
			return true;
	if (!host)
		return false;
	if (strncasecmp(origin, "http://", 7) &&
	    strncasecmp(origin, "https://", 8))
		return true;
	return !strcasecmp(origin, "https://app.foxglove.dev") ||
	       (auth->loopback && http_auth_host(auth, host + 3));
}

static int server_refuse(struct server *s, struct lws *wsi, int status,
			 const char *why)
{
	__atomic_add_fetch(&s->counts.refused, 1, __ATOMIC_RELAXED);
	lws_return_http_status(wsi, status, why);
	return -1;
}

static int server_admit(struct server *s, struct lws *wsi,
			const struct peer_ops *ops)
{
	const struct http_auth *auth = server_auth(s, wsi);
	char origin[HTTP_HOST + 16];
	const bool has_origin = lws_hdr_total_length(wsi, WSI_TOKEN_ORIGIN) > 0;

	if (s->counts.clients >= SERVER_CLIENTS)
		return server_refuse(s, wsi, 503, "too many clients");
	if (!server_is_our_host(wsi, auth))
		return server_refuse(s, wsi, 403,
				     "wrong Host header: use localhost");
	/* with tokens another site lacks one, and a proxy changes names */
	if (has_origin && !auth->tokens &&
	    (!header(wsi, WSI_TOKEN_ORIGIN, origin, sizeof(origin)) ||
	     (!is_same_origin(wsi, origin) &&
	      (ops == &browser_ops || !is_foxglove_origin(s, auth, origin)))))
		return server_refuse(s, wsi, 403,
				     "this origin is not in allow-origin");
	/* the page sends its token in its first message */
	if (ops != &browser_ops && !server_has_token(wsi, auth))
		return server_refuse(s, wsi, 401,
				     "missing or wrong token: add "
				     "?token=TOKEN");
	return 0;
}

/*
 * Clients
 */

static void client_name(struct lws *wsi, char name[PEER_NAME])
{
	struct sockaddr_storage a;
	socklen_t len = sizeof(a);
	char text[ADDRESS_TEXT] = "";

	if (!getpeername(lws_get_socket_fd(wsi), (struct sockaddr *)&a, &len))
		address_text(&a, text);
	snprintf(name, PEER_NAME, "%s", text);
}

static int client_open(struct server *s, struct client **at, struct lws *wsi,
		       const struct peer_ops *ops)
{
	const int unsent = UNSENT, fd = lws_get_socket_fd(wsi);
	struct client *c = calloc(1, sizeof(*c));
	char name[PEER_NAME];

	if (!c)
		return -1;
	client_name(wsi, name);
	c->server = s;
	c->wsi = wsi;
	c->peer = peer_create(ops, s->config.view, ++s->ids, name);
	if (!c->peer) {
		free(c);
		return -1;
	}
	/* others had to show theirs before: see server_admit() */
	c->peer->authorised = ops != &browser_ops ||
			      !server_auth(s, wsi)->tokens;
	c->peer->auth = server_auth(s, wsi);
	/* what the kernel holds cannot be replaced by something newer */
	setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent, sizeof(unsent));
	c->next = s->clients;
	s->clients = c;
	*at = c;
	__atomic_add_fetch(&s->counts.clients, 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&s->counts.connected, 1, __ATOMIC_RELAXED);
	c->peer->ops->opened(c->peer);
	lws_callback_on_writable(wsi);
	return 0;
}

static void client_count(struct client *c)
{
	const struct feed_counts *f = &c->peer->feed.counts;
	struct server_counts *n = &c->server->counts;

	__atomic_add_fetch(&n->replaced, f->replaced - c->counted.replaced,
			   __ATOMIC_RELAXED);
	__atomic_add_fetch(&n->left_out, f->left_out - c->counted.left_out,
			   __ATOMIC_RELAXED);
	__atomic_add_fetch(&n->kept, f->kept - c->counted.kept,
			   __ATOMIC_RELAXED);
	c->counted = *f;
}

static void client_close(struct client *c)
{
	struct server *s = c->server;

	for (struct client **at = &s->clients; *at; at = &(*at)->next)
		if (*at == c) {
			*at = c->next;
			break;
		}
	client_count(c);
	if (s->config.view->gdim)
		gdim_cancel(s->config.view->gdim, c->peer->id);
	if (c->peer->failed) {
		__atomic_add_fetch(&s->counts.failed, 1, __ATOMIC_RELAXED);
		service_logf(LOG_WARNING, "%s: closed: %s", c->peer->name,
			     c->peer->failure);
	}
	__atomic_sub_fetch(&s->counts.clients, 1, __ATOMIC_RELAXED);
	outgoing_free(c->out);
	peer_destroy(c->peer);
	bytes_free(&c->in);
	free(c);
}

static int client_end(struct client *c)
{
	lws_close_reason(c->wsi, LWS_CLOSE_STATUS_POLICY_VIOLATION,
			 (unsigned char *)c->peer->failure,
			 strlen(c->peer->failure));
	return -1;
}

static int client_ping(struct client *c)
{
	uint8_t frame[LWS_PRE + 8];

	c->ping = false;
	put_le64(frame + LWS_PRE, c->peer->window.sent);
	return lws_write(c->wsi, frame + LWS_PRE, 8, LWS_WRITE_PING) < 0 ? -1 :
	       0;
}

/* The next message to send. Return: whether there is one */
static bool client_take(struct client *c)
{
	struct peer *p = c->peer;

	if (c->out)
		return true;
	if (STAILQ_EMPTY(&p->queue) && window_room(&p->window))
		p->ops->compose(p);
	c->out = STAILQ_FIRST(&p->queue);
	if (!c->out)
		return false;
	STAILQ_REMOVE_HEAD(&p->queue, next);
	p->queued -= c->out->head_len + c->out->len;
	c->at = 0;
	return true;
}

/* Bytes @at ... of the head and the body that follows it */
static void outgoing_copy(const struct outgoing *o, size_t at, uint8_t *to,
			  size_t n)
{
	if (at < o->head_len) {
		const size_t k = o->head_len - at < n ? o->head_len - at : n;

		memcpy(to, o->head + at, k);
		to += k;
		at += k;
		n -= k;
	}
	if (n)
		memcpy(to, o->body + (at - o->head_len), n);
}

static int client_send_part(struct client *c, size_t room)
{
	uint8_t *data = c->server->scratch + LWS_PRE;
	const size_t whole = c->out->head_len + c->out->len;
	size_t n = whole - c->at;
	int flags = c->at ? LWS_WRITE_CONTINUATION :
		    c->out->binary ? LWS_WRITE_BINARY : LWS_WRITE_TEXT;

	if (n > room)
		n = room;
	if (n > CHUNK)
		n = CHUNK;
	outgoing_copy(c->out, c->at, data, n);
	if (c->at + n < whole)
		flags |= LWS_WRITE_NO_FIN;
	if (lws_write(c->wsi, data, n, flags) < 0)
		return -1;
	c->at += n;
	window_sent(&c->peer->window, n, loop_now());
	__atomic_add_fetch(&c->server->counts.sent, n, __ATOMIC_RELAXED);
	if (c->at == whole) {
		outgoing_free(c->out);
		c->out = NULL;
	}
	return 0;
}

static int client_write(struct client *c)
{
	struct peer *p = c->peer;
	const int64_t now = loop_now();
	size_t room;

	if (p->failed)
		return client_end(c);
	if (p->wants_ping && !c->ping) {
		p->wants_ping = false;
		c->ping = window_probe(&p->window, now);
	}
	if (c->ping) {
		lws_callback_on_writable(c->wsi);
		return client_ping(c);
	}
	room = window_room(&p->window);
	if (!client_take(c) || !room) {
		c->ping = window_ping(&p->window, now, true);
		if (c->ping)
			lws_callback_on_writable(c->wsi);
		return 0;
	}
	if (client_send_part(c, room))
		return -1;
	c->ping = window_ping(&p->window, now, false);
	lws_callback_on_writable(c->wsi);
	return p->failed ? client_end(c) : 0;
}

static int client_read(struct client *c, const void *data, size_t len)
{
	struct peer *p = c->peer;
	int err;

	if (lws_is_first_fragment(c->wsi))
		c->in.len = 0;
	if (c->in.len + len > INPUT)
		peer_fail(p, "it sent a message of more than 1 MB");
	else if (bytes_append(&c->in, data, len))
		peer_fail(p, "no memory");
	if (!p->failed && lws_is_final_fragment(c->wsi) &&
	    !lws_remaining_packet_payload(c->wsi)) {
		err = p->ops->received(p, c->in.data, c->in.len,
				       lws_frame_is_binary(c->wsi));
		if (err)
			peer_fail(p, "%s", strerror(-err));
	}
	lws_callback_on_writable(c->wsi);
	return p->failed ? client_end(c) : 0;
}

static void client_pong(struct client *c, const void *data, size_t len)
{
	int64_t pinged;

	if (len != 8 || !window_pong(&c->peer->window, get_le64(data), loop_now(),
				     &pinged))
		return;
	if (pinged > c->peer->answered)
		c->peer->answered = pinged;
	lws_callback_on_writable(c->wsi);
}

/*
 * libwebsockets
 */

static struct server *server_of(struct lws *wsi)
{
	return lws_context_user(lws_get_context(wsi));
}

static int on_websocket(struct lws *wsi, enum lws_callback_reasons reason,
			void *user, void *in, size_t len)
{
	const struct lws_protocols *protocol = lws_get_protocol(wsi);
	struct client **c = user;

	switch (reason) {
	case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
		return server_admit(server_of(wsi), wsi, protocol->user);
	case LWS_CALLBACK_ESTABLISHED:
		return client_open(server_of(wsi), c, wsi, protocol->user);
	case LWS_CALLBACK_SERVER_WRITEABLE:
		return *c ? client_write(*c) : -1;
	case LWS_CALLBACK_RECEIVE:
		return *c ? client_read(*c, in, len) : -1;
	case LWS_CALLBACK_RECEIVE_PONG:
		if (*c)
			client_pong(*c, in, len);
		return 0;
	case LWS_CALLBACK_CLOSED:
		if (*c)
			client_close(*c);
		*c = NULL;
		return 0;
	default:
		return 0;
	}
}

static void server_each(struct server *s)
{
	for (struct client *c = s->clients; c; c = c->next)
		if (window_room(&c->peer->window) || c->peer->failed ||
		    c->peer->wants_ping)
			lws_callback_on_writable(c->wsi);
}

static struct peer *server_find(struct server *s, uint64_t id)
{
	struct client *c = s->clients;

	while (c && c->peer->id != id)
		c = c->next;
	return c ? c->peer : NULL;
}

/* What other threads finished for clients */
static void server_results(struct server *s)
{
	struct view *v = s->config.view;
	struct picture_result picture;
	struct gdim_result answer;
	struct peer *p;

	while (pictures_result(v->pictures, &picture)) {
		p = server_find(s, picture.client);
		if (p && p->ops->converted)
			p->ops->converted(p, picture.frame);
		else
			view_message_put(picture.frame);
	}
	while (v->gdim && gdim_result(v->gdim, &answer)) {
		if (server_http_answer(&s->http, &answer))
			continue;
		p = server_find(s, answer.owner);
		if (p && p->ops->answered)
			p->ops->answered(p, &answer);
		bytes_free(&answer.body);
	}
}

static int on_http(struct lws *wsi, enum lws_callback_reasons reason,
		   void *user, void *in, size_t len)
{
	struct server *s;

	switch (reason) {
	case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
		return server_refuse(server_of(wsi), wsi, 400,
				     "a sub-protocol is needed: "
				     "foxglove.sdk.v1, foxglove.websocket.v1");
	case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
		s = server_of(wsi);
		__atomic_store_n(&s->woken, false, __ATOMIC_RELEASE);
		server_results(s);
		server_each(s);
		return 0;
	case LWS_CALLBACK_HTTP:
	case LWS_CALLBACK_HTTP_WRITEABLE:
	case LWS_CALLBACK_CLOSED_HTTP:
		s = server_of(wsi);
		return server_http(&s->http, wsi, server_auth(s, wsi), reason,
				   user, in, len);
	default:
		return lws_callback_http_dummy(wsi, reason, user, in, len);
	}
}

static const struct lws_protocols protocols[] = {
	{ "http", on_http, sizeof(struct http_session), 0 },
	{ "foxglove.sdk.v1", on_websocket, sizeof(struct client *), CHUNK,
	  .user = (void *)&foxglove_sdk_ops },
	{ "foxglove.websocket.v1", on_websocket, sizeof(struct client *), CHUNK,
	  .user = (void *)&foxglove_websocket_ops },
	{ "optsample.view.v1", on_websocket, sizeof(struct client *), CHUNK,
	  .user = (void *)&browser_ops },
	{ 0 }
};

static void on_tick(lws_sorted_usec_list_t *timer)
{
	struct server *s = lws_container_of(timer, struct server, timer);
	const int64_t now = loop_now();

	for (struct client *c = s->clients; c; c = c->next) {
		struct peer *p = c->peer;

		client_count(c);
		peer_note(p, now);
		if (p->ops->tick)
			p->ops->tick(p, now);
		if (window_silence(&p->window, now) >
		    SERVER_SILENCE * SECOND)
			peer_fail(p, "no answer for %d s", SERVER_SILENCE);
		if (!p->authorised && now - p->opened > HANDSHAKE * SECOND)
			peer_fail(p, "no token within %d s", HANDSHAKE);
		/* one that reads nothing cannot be closed with a reason */
		if (p->failed && ++c->failing > FAILING)
			lws_set_timeout(c->wsi, 1, LWS_TO_KILL_ASYNC);
	}
	server_each(s);
	lws_sul_schedule(s->context, 0, timer, on_tick, TICK * LWS_US_PER_MS);
}

static void *server_run(void *arg)
{
	struct server *s = arg;

	while (!__atomic_load_n(&s->stop, __ATOMIC_ACQUIRE) &&
	       lws_service(s->context, 0) >= 0)
		;
	return NULL;
}

/* libwebsockets does not say why it cannot listen */
static int server_try(const struct http_auth *a, char error[ERROR_TEXT])
{
	const int fd = socket(a->address.storage.ss_family, SOCK_STREAM |
			      SOCK_CLOEXEC, 0), one = 1;
	int err = 0;

	if (fd < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) ||
	    bind(fd, (const struct sockaddr *)&a->address.storage,
		 a->address.len) || listen(fd, 1))
		err = error_set(error, -errno, "%s: %s", a->where,
				strerror(errno));
	if (fd >= 0)
		close(fd);
	return err;
}

static int server_listen(struct server *s, unsigned int i, const char *where,
			 char error[ERROR_TEXT])
{
	struct http_auth *a = &s->auth[i];
	struct lws_context_creation_info info = {
		.protocols = protocols,
		.options = LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND,
		.keepalive_timeout = 5,
		.timeout_secs = HANDSHAKE,
		.user = a,
	};
	char iface[ADDRESS_TEXT], *colon;
	int err;

	if (!*where)
		return 0;
	err = http_auth_open(a, i ? "foxglove" : "http", where,
			     i ? "8765" : "8470", s->config.tokens, error);
	if (!err)
		err = server_try(a, error);
	if (err)
		return err;
	snprintf(iface, sizeof(iface), "%s", a->where);
	colon = strrchr(iface, ':');
	*colon = 0;
	info.port = atoi(colon + 1);
	info.iface = iface;
	if (*iface == '[') {
		iface[strlen(iface) - 1] = 0;
		info.iface++;
	} else {
		info.options |= LWS_SERVER_OPTION_DISABLE_IPV6;
	}
	if (!strcmp(info.iface, "0.0.0.0") || !strcmp(info.iface, "::"))
		info.iface = NULL;
	info.vhost_name = i ? "foxglove" : "page";
	if (!lws_create_vhost(s->context, &info))
		return error_set(error, -EADDRNOTAVAIL, "%s: cannot listen",
				 a->where);
	return 0;
}

int view_server_open(struct server **out, const struct server_config *config,
		char error[ERROR_TEXT])
{
	struct server *s = calloc(1, sizeof(*s));
	struct lws_context_creation_info info = {
		.port = CONTEXT_PORT_NO_LISTEN,
		.options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS |
			   LWS_SERVER_OPTION_DISABLE_OS_CA_CERTS,
		.gid = -1, .uid = -1,
		.fd_limit_per_thread = 4 * SERVER_CLIENTS,
		.max_http_header_data = 4096,
		.max_http_header_pool = 128,
		.pt_serv_buf_size = CHUNK,
	};
	int err;

	*out = NULL;
	if (!s)
		return error_set(error, -ENOMEM, "no memory");
	s->config = *config;
	info.user = s;
	lws_set_log_level(0, NULL);
	s->context = lws_create_context(&info);
	if (!s->context) {
		free(s);
		return error_set(error, -ENOMEM, "no memory");
	}
	s->http = (struct server_http){ .view = config->view,
					.metrics = config->metrics,
					.server = s,
					.arg = config->arg };
	err = server_listen(s, 0, config->http, error);
	if (!err)
		err = server_listen(s, 1, config->foxglove, error);
	if (!err) {
		lws_sul_schedule(s->context, 0, &s->timer, on_tick,
				 TICK * LWS_US_PER_MS);
		err = thread_start(&s->thread, server_run, s);
		if (err)
			error_set(error, err, "%s", strerror(-err));
	}
	s->running = !err;
	if (err)
		view_server_close(s);
	else
		*out = s;
	return err;
}

void view_server_close(struct server *s)
{
	if (!s)
		return;
	if (s->running) {
		__atomic_store_n(&s->stop, true, __ATOMIC_RELEASE);
		lws_cancel_service(s->context);
		pthread_join(s->thread, NULL);
	}
	lws_context_destroy(s->context);
	free(s);
}

void view_server_wake(struct server *s)
{
	if (s && !__atomic_exchange_n(&s->woken, true, __ATOMIC_ACQ_REL))
		lws_cancel_service(s->context);
}

struct server_counts view_server_counts(const struct server *s)
{
	return (struct server_counts){
#define LOAD(x)	.x = __atomic_load_n(&s->counts.x, __ATOMIC_RELAXED)
		LOAD(clients), LOAD(connected), LOAD(refused), LOAD(failed),
		LOAD(sent), LOAD(replaced), LOAD(left_out), LOAD(kept),
#undef LOAD
	};
}

const char *view_server_address(const struct server *s, unsigned int which)
{
	return s->auth[which].where;
}
