// SPDX-License-Identifier: GPL-2.0-only
/*
 * view_server - HTTP and WebSocket for operators
 */
#include <assert.h>
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
	TICK		= 50,		/* ms */
	HANDSHAKE	= 5,		/* s, also until a token comes */
	FAILING		= 20,		/* ticks, to read the reason */
	LISTENERS	= 2,
	HANDSHAKES	= 256,		/* that wait for the server's thread */
};

/* A handshake, read as a whole, for the server's thread */
struct handshake {
	STAILQ_ENTRY(handshake)	next;
	unsigned int		listener;
	int			fd;
	struct bytes		input;
};

/**
 * struct client - a WebSocket connection
 * @out:	being sent, @at bytes so far; NULL: none
 * @ping:	to be sent before anything else
 * @in:		parts of a message
 * @failing:	ticks since its peer failed
 * @stranger:	it has not shown a token yet
 * @logged:	that its peer failed
 */
struct client {
	struct server		*server;
	struct client		*next;
	struct lws		*wsi;
	struct peer		*peer;
	struct outgoing		*out;
	size_t			at;
	bool			ping, stranger, logged;
	unsigned int		failing;
	struct bytes		in;
	struct feed_counts	counted;
};

/**
 * struct server
 * @lock:	of @handshakes, @handshaking of them
 * @strangers:	clients that have not shown a token yet; atomic
 */
struct server {
	struct server_config	config;
	struct http_auth	auth[LISTENERS];
	struct server_http	*http[LISTENERS];
	struct lws_vhost	*vhost[LISTENERS];
	pthread_mutex_t		lock;
	STAILQ_HEAD(, handshake) handshakes;
	unsigned int		handshaking, strangers;
	lws_sorted_usec_list_t	adopt;
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

static bool server_has_token(struct lws *wsi, const struct http_auth *auth)
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
static bool server_is_our_host(struct lws *wsi, const struct http_auth *auth)
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
	/* any page that was saved on this machine has file:// */
	if (!host || !strncasecmp(origin, "file:", 5))
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

/* Have they the same address? @a and @b end in :PORT */
static bool is_same_host(const char *a, const char *b)
{
	const char *end = strrchr(a, ':');

	return end && !strncmp(a, b, end - a + 1);
}

/*
 * Close a client that has not shown a token: the oldest of the address with
 * most of them. Return: whether there was one
 */
static bool server_make_room(struct server *s)
{
	struct client *worst = NULL;
	unsigned int most = 0;

	for (struct client *c = s->clients; c; c = c->next) {
		unsigned int n = 0;

		for (struct client *d = s->clients; d; d = d->next)
			n += !d->peer->authorised &&
			     is_same_host(c->peer->name, d->peer->name);
		/* older ones are further on in the list */
		if (!c->peer->authorised && n >= most) {
			most = n;
			worst = c;
		}
	}
	if (!worst)
		return false;
	peer_fail(worst->peer, "no token, and others wait");
	lws_set_timeout(worst->wsi, 1, LWS_TO_KILL_SYNC);
	return true;
}

static int server_admit(struct server *s, struct lws *wsi,
			const struct peer_ops *ops)
{
	const struct http_auth *auth = server_auth(s, wsi);
	char origin[HTTP_HOST + 16];
	const bool has_origin = lws_hdr_total_length(wsi, WSI_TOKEN_ORIGIN) > 0;

	if (s->counts.clients >= SERVER_CLIENTS && !server_make_room(s))
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
	c->stranger = !c->peer->authorised;
	__atomic_add_fetch(&s->strangers, c->stranger, __ATOMIC_RELAXED);
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

/* Once, before the client can know */
static void client_log_failure(struct client *c)
{
	if (!c->peer->failed || c->logged)
		return;
	c->logged = true;
	__atomic_add_fetch(&c->server->counts.failed, 1, __ATOMIC_RELAXED);
	service_logf(LOG_WARNING, "%s: closed: %s", c->peer->name,
		     c->peer->failure);
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
	__atomic_sub_fetch(&s->strangers, c->stranger, __ATOMIC_RELAXED);
	client_log_failure(c);
	__atomic_sub_fetch(&s->counts.clients, 1, __ATOMIC_RELAXED);
	outgoing_free(c->out);
	peer_destroy(c->peer);
	bytes_free(&c->in);
	free(c);
}

static int client_end(struct client *c)
{
	client_log_failure(c);
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
	if (c->stranger && p->authorised) {
		c->stranger = false;
		__atomic_sub_fetch(&c->server->strangers, 1, __ATOMIC_RELAXED);
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
		if ((s->http[0] && server_http_answer(s->http[0], &answer)) ||
		    (s->http[1] && server_http_answer(s->http[1], &answer)))
			continue;
		p = server_find(s, answer.owner);
		if (p && p->ops->answered)
			p->ops->answered(p, &answer);
		bytes_free(&answer.body);
	}
}

/*
 * Handshakes
 */

static int server_upgrade(void *arg, unsigned int number, int fd,
			  struct bytes *input)
{
	struct server *s = arg;
	const uint64_t known =
		__atomic_load_n(&s->counts.clients, __ATOMIC_RELAXED) -
		__atomic_load_n(&s->strangers, __ATOMIC_RELAXED);
	struct handshake *h;
	bool full;

	pthread_mutex_lock(&s->lock);
	full = known >= SERVER_CLIENTS || s->handshaking >= HANDSHAKES;
	pthread_mutex_unlock(&s->lock);
	if (full || fd < 0)
		return full ? 503 : 0;
	h = malloc(sizeof(*h));
	if (!h)
		return 503;
	h->listener = number;
	h->fd = fd;
	h->input = *input;
	pthread_mutex_lock(&s->lock);
	STAILQ_INSERT_TAIL(&s->handshakes, h, next);
	s->handshaking++;
	pthread_mutex_unlock(&s->lock);
	view_server_wake(s);
	return 0;
}

static struct handshake *server_take_handshake(struct server *s)
{
	struct handshake *h;

	pthread_mutex_lock(&s->lock);
	h = STAILQ_FIRST(&s->handshakes);
	if (h) {
		STAILQ_REMOVE_HEAD(&s->handshakes, next);
		assert(s->handshaking);
		s->handshaking--;
	}
	pthread_mutex_unlock(&s->lock);
	return h;
}

/* libwebsockets closes what it cannot adopt */
static void on_adopt(lws_sorted_usec_list_t *timer)
{
	struct server *s = lws_container_of(timer, struct server, adopt);
	struct handshake *h;

	while ((h = server_take_handshake(s))) {
		lws_adopt_socket_vhost_readbuf(s->vhost[h->listener], h->fd,
					       (char *)h->input.data,
					       h->input.len);
		bytes_free(&h->input);
		free(h);
	}
}

static int on_http(struct lws *wsi, enum lws_callback_reasons reason,
		   void *user, void *in, size_t len)
{
	struct server *s;

	switch (reason) {
	case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
		s = server_of(wsi);
		__atomic_store_n(&s->woken, false, __ATOMIC_RELEASE);
		server_results(s);
		server_each(s);
		lws_sul_schedule(s->context, 0, &s->adopt, on_adopt, 1);
		return 0;
	case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
	case LWS_CALLBACK_HTTP:
		/* server_http.c takes it for a handshake, libwebsockets not */
		return server_refuse(server_of(wsi), wsi, 400,
				     "malformed handshake");
	default:
		return lws_callback_http_dummy(wsi, reason, user, in, len);
	}
}

static const struct lws_protocols protocols[] = {
	{ "http", on_http, 0, 0 },
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

static const char *const names[] = {
	"foxglove.sdk.v1", "foxglove.websocket.v1", "optsample.view.v1", NULL,
};

static void server_metrics(void *arg, FILE *out)
{
	const struct server *s = arg;

	s->config.metrics(s->config.arg, s, out);
}

/* Handshakes for the page's address or Foxglove's; both serve all protocols */
static int server_listen(struct server *s, unsigned int i, const char *where,
			 struct error *error)
{
	struct http_auth *a = &s->auth[i];
	struct lws_context_creation_info info = {
		.port = CONTEXT_PORT_NO_LISTEN_SERVER,
		.protocols = protocols,
		.timeout_secs = HANDSHAKE,
		.vhost_name = i ? "foxglove" : "page",
		.user = a,
	};
	const struct server_http_config http = {
		.auth = a, .view = s->config.view, .protocols = names,
		.upgrade = server_upgrade,
		.metrics = s->config.metrics ? server_metrics : NULL,
		.number = i, .arg = s,
	};
	int err;

	if (!*where)
		return 0;
	err = http_auth_open(a, i ? "foxglove" : "http", where,
			     i ? "8765" : "8470", s->config.tokens, error);
	if (err)
		return err;
	s->vhost[i] = lws_create_vhost(s->context, &info);
	if (!s->vhost[i])
		return error_set(error, -ENOMEM, "no memory");
	return server_http_open(&s->http[i], &http, error);
}

int view_server_open(struct server **out, const struct server_config *config,
		struct error *error)
{
	struct server *s = calloc(1, sizeof(*s));
	struct lws_context_creation_info info = {
		.port = CONTEXT_PORT_NO_LISTEN,
		.options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS |
			   LWS_SERVER_OPTION_DISABLE_OS_CA_CERTS,
		.gid = -1, .uid = -1,
		.fd_limit_per_thread = 4 * SERVER_CLIENTS,
		.max_http_header_data = 4096,
		.pt_serv_buf_size = CHUNK,
	};
	int err;

	*out = NULL;
	if (!s)
		return error_set(error, -ENOMEM, "no memory");
	s->config = *config;
	pthread_mutex_init(&s->lock, NULL);
	STAILQ_INIT(&s->handshakes);
	info.user = s;
	lws_set_log_level(0, NULL);
	s->context = lws_create_context(&info);
	if (!s->context) {
		pthread_mutex_destroy(&s->lock);
		free(s);
		return error_set(error, -ENOMEM, "no memory");
	}
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
	struct handshake *h;

	if (!s)
		return;
	/* the thread gives gdimd's answers to HTTP */
	if (s->running) {
		__atomic_store_n(&s->stop, true, __ATOMIC_RELEASE);
		lws_cancel_service(s->context);
		pthread_join(s->thread, NULL);
	}
	for (unsigned int i = 0; i < LISTENERS; i++)
		server_http_close(s->http[i]);
	lws_context_destroy(s->context);
	while ((h = server_take_handshake(s))) {
		close(h->fd);
		bytes_free(&h->input);
		free(h);
	}
	pthread_mutex_destroy(&s->lock);
	free(s);
}

void view_server_wake(struct server *s)
{
	if (s && !__atomic_exchange_n(&s->woken, true, __ATOMIC_ACQ_REL))
		lws_cancel_service(s->context);
}

struct server_counts view_server_counts(const struct server *s)
{
	struct server_counts counts = {
#define LOAD(x)	.x = __atomic_load_n(&s->counts.x, __ATOMIC_RELAXED)
		LOAD(clients), LOAD(connected), LOAD(refused), LOAD(failed),
		LOAD(sent), LOAD(replaced), LOAD(left_out), LOAD(kept),
#undef LOAD
	};

	for (unsigned int i = 0; i < LISTENERS; i++) {
		counts.refused += server_http_refused(s->http[i]);
		counts.dropped += server_http_dropped(s->http[i]);
	}
	return counts;
}

const char *view_server_address(const struct server *s, unsigned int which)
{
	return s->auth[which].where;
}
