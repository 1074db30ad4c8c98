// SPDX-License-Identifier: GPL-2.0-only
/*
 * AMQP 0-9-1 in RabbitMQ's dialect. The frame's header is in the property
 * correlation-id, the payload is the body: large ones are sent without a copy.
 */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include "base/error.h"
#include "cluster/broker.h"

enum {
	CHANNEL		= 1,
	FRAME_MAX	= 128 << 10,
	/* of the connection; members check each other more often */
	HEARTBEAT_S	= 10,
	CONNECT_S	= 2,
	ANSWER_S	= 5,
	KEY		= 48,
};

int broker_parse(struct broker_address *a, const char *spec,
		 struct error *error)
{
	*a = (struct broker_address){
		.url = strdup(spec), .len = strlen(spec),
	};
	if (!a->url)
		return error_set(error, -ENOMEM, "no memory");
	if (amqp_parse_url(a->url, &a->info) || !*a->info.host) {
		broker_free_address(a);
		return error_set(error, -EINVAL, "not "
				 "amqp://USER:PASSWORD@HOST:PORT/VHOST");
	}
	if (a->info.ssl) {
		broker_free_address(a);
		return error_set(error, -EINVAL, "amqps is not supported");
	}
	snprintf(a->text, sizeof(a->text), "broker %.120s:%d", a->info.host,
		 a->info.port);
	return 0;
}

void broker_free_address(struct broker_address *a)
{
	if (!a->url)
		return;
	/* without a password the URL uses the library's constant */
	explicit_bzero(a->url, a->len);
	free(a->url);
	a->url = NULL;
}

static amqp_bytes_t broker_bytes_of(const char *s)
{
	return amqp_cstring_bytes(s);
}

/* The broker's error as one line */
static void broker_reason(struct error *out, uint16_t code,
			  amqp_bytes_t text)
{
	char clean[160];

	frame_text(clean, sizeof(clean), text.bytes, text.len);
	snprintf(out->text, sizeof(out->text), "%u %s", code, clean);
}

/* Return: the broker's code, 0 without one */
static int why(const amqp_rpc_reply_t *r, struct error *out)
{
	const amqp_connection_close_t *connection = r->reply.decoded;
	const amqp_channel_close_t *channel = r->reply.decoded;

	if (r->reply_type == AMQP_RESPONSE_LIBRARY_EXCEPTION) {
		snprintf(out->text, sizeof(out->text), "%s",
			 amqp_error_string2(r->library_error));
		return 0;
	}
	if (r->reply.id == AMQP_CONNECTION_CLOSE_METHOD) {
		broker_reason(out, connection->reply_code,
			      connection->reply_text);
		return connection->reply_code;
	}
	if (r->reply.id == AMQP_CHANNEL_CLOSE_METHOD) {
		broker_reason(out, channel->reply_code, channel->reply_text);
		return channel->reply_code;
	}
	snprintf(out->text, sizeof(out->text), "unexpected answer");
	return 0;
}

static int refused(const struct broker_address *a, const struct bus *e,
		   amqp_rpc_reply_t r, bool login, struct error *error)
{
	struct error reason;
	const int code = why(&r, &reason);

	if (login && code == AMQP_ACCESS_REFUSED)
		return error_set(error, -EACCES, "%s: wrong user or password "
				 "(user '%.40s')", a->text, a->info.user);
	if (code == AMQP_RESOURCE_LOCKED)
		return error_set(error, -EBUSY,
				 "%s: job '%s' already has a coordinator",
				 a->text,
				 e->job);
	if (code == AMQP_NOT_FOUND)
		return error_set(error, -ENOENT, "%s: %.160s", a->text, reason.text);
	if (code == AMQP_ACCESS_REFUSED || code == AMQP_NOT_ALLOWED)
		return error_set(error, -EACCES,
				 "%s: user '%.40s' lacks permission: %.80s",
				 a->text,
				 a->info.user, reason.text);
	return error_set(error, -ECONNREFUSED, "%s: %.160s", a->text, reason.text);
}

static int link_up(struct broker *b, const struct broker_address *a,
		   struct error *error)
{
	struct timeval t = { .tv_sec = CONNECT_S };
	amqp_socket_t *s;
	int err;

	b->c = amqp_new_connection();
	s = b->c ? amqp_tcp_socket_new(b->c) : NULL;
	if (!s)
		return error_set(error, -ENOMEM, "no memory");
	err = amqp_socket_open_noblock(s, a->info.host, a->info.port, &t);
	if (err)
		return error_set(
			error, -ECONNREFUSED,
			"%.80s: no answer from %.60s, port %d (%s): is a RabbitMQ broker running there?",
			a->text, a->info.host, a->info.port,
			err == AMQP_STATUS_SOCKET_ERROR ?
				"the connection was refused or has no route" :
				amqp_error_string2(err));
	b->fd = amqp_get_sockfd(b->c);
	t = (struct timeval){ .tv_sec = ANSWER_S };
	amqp_set_handshake_timeout(b->c, &t);
	amqp_set_rpc_timeout(b->c, &t);
	return 0;
}

static int log_in(struct broker *b, const struct broker_address *a,
		  const struct bus *e, struct error *error)
{
	amqp_rpc_reply_t r = amqp_login(b->c, a->info.vhost, CHANNEL, FRAME_MAX,
					HEARTBEAT_S, AMQP_SASL_METHOD_PLAIN,
					a->info.user, a->info.password);

	if (r.reply_type != AMQP_RESPONSE_NORMAL)
		return refused(a, e, r, true, error);
	amqp_channel_open(b->c, CHANNEL);
	r = amqp_get_rpc_reply(b->c);
	return r.reply_type == AMQP_RESPONSE_NORMAL ? 0 :
	       refused(a, e, r, false, error);
}

static void set_names(struct broker *b, const struct bus *e)
{
	if (getrandom(&b->address, sizeof(b->address), 0) < 0 || !b->address)
		b->address = (uintptr_t)b ^ (uintptr_t)b->c;
	snprintf(b->exchange, sizeof(b->exchange), "optsample:%s", e->job);
	if (e->role == BUS_COORDINATOR)
		snprintf(b->queue, sizeof(b->queue), "optsample:%s:coordinator",
			 e->job);
	else
		snprintf(b->queue, sizeof(b->queue),
			 "optsample:%s:%016" PRIx64, e->job, b->address);
}

static int declare(struct broker *b, const struct broker_address *a,
		   const struct bus *e, struct error *error)
{
	amqp_rpc_reply_t r;
	char key[KEY];

	set_names(b, e);
	if (e->role == BUS_COORDINATOR)
		strcpy(key, "coordinator");
	else
		snprintf(key, sizeof(key), "join.%" PRIx64, b->address);
	/* a call after a failed one returns the same error */
	amqp_exchange_declare(b->c, CHANNEL, broker_bytes_of(b->exchange),
			      broker_bytes_of("direct"), 0, 0, 1, 0,
			      amqp_empty_table);
	r = amqp_get_rpc_reply(b->c);
	if (r.reply_type == AMQP_RESPONSE_NORMAL) {
		amqp_queue_declare(b->c, CHANNEL, broker_bytes_of(b->queue), 0,
				   0, 1, 1, amqp_empty_table);
		r = amqp_get_rpc_reply(b->c);
	}
	if (r.reply_type == AMQP_RESPONSE_NORMAL) {
		amqp_queue_bind(b->c, CHANNEL, broker_bytes_of(b->queue),
				broker_bytes_of(b->exchange),
				broker_bytes_of(key), amqp_empty_table);
		r = amqp_get_rpc_reply(b->c);
	}
	if (r.reply_type == AMQP_RESPONSE_NORMAL) {
		amqp_basic_consume(b->c, CHANNEL, broker_bytes_of(b->queue),
				   amqp_empty_bytes, 0, 1, 1,
				   amqp_empty_table);
		r = amqp_get_rpc_reply(b->c);
	}
	return r.reply_type == AMQP_RESPONSE_NORMAL ? 0 :
	       refused(a, e, r, false, error);
}

static int try_to_connect(struct broker *b, const struct broker_address *a,
			  const struct bus *e, struct error *error)
{
	int err;

	*b = (struct broker){ .fd = -1 };
	err = link_up(b, a, error);
	if (!err)
		err = log_in(b, a, e, error);
	if (!err)
		err = declare(b, a, e, error);
	if (err)
		broker_close(b, false);
	return err;
}

/* The exchange can vanish with its last member just before the bind */
int broker_connect(struct broker *b, const struct broker_address *a,
		   const struct bus *e, struct error *error)
{
	enum { TRIES = 10 };
	int i, err = -ENOENT;

	for (i = 0; i < TRIES && err == -ENOENT; i++)
		err = try_to_connect(b, a, e, error);
	return err;
}

void broker_close(struct broker *b, bool politely)
{
	if (b->c && politely && !b->broken)
		amqp_connection_close(b->c, AMQP_REPLY_SUCCESS);
	if (b->c)
		amqp_destroy_connection(b->c);
	free(b->buffer);
	bytes_free(&b->gather);
	*b = (struct broker){ .fd = -1 };
}

__attribute__((format(printf, 2, 3)))
static void be_broken(struct broker *b, const char *format, ...)
{
	va_list ap;

	if (b->broken)
		return;
	b->broken = true;
	va_start(ap, format);
	vsnprintf(b->why, sizeof(b->why), format, ap);
	va_end(ap);
}

static void member_key(char key[KEY], uint64_t epoch, uint32_t id)
{
	if (id == FRAME_ALL)
		snprintf(key, KEY, "%" PRIx64 ".all", epoch);
	else
		snprintf(key, KEY, "%" PRIx64 ".%u", epoch, id);
}

/* Without waiting for the answer: it takes effect before later messages */
static void bind_as(struct broker *b, uint64_t epoch, uint32_t id)
{
	char key[KEY];
	amqp_queue_bind_t bind = {
		.queue = broker_bytes_of(b->queue),
		.exchange = broker_bytes_of(b->exchange),
		.nowait = 1,
	};
	int err;

	member_key(key, epoch, id);
	bind.routing_key = broker_bytes_of(key);
	err = amqp_send_method(b->c, CHANNEL, AMQP_QUEUE_BIND_METHOD, &bind);
	if (err)
		be_broken(b, "%s", amqp_error_string2(err));
}

static void broker_key_of(char key[KEY], const struct frame *f,
			  uint64_t joining)
{
	if (joining)
		snprintf(key, KEY, "join.%" PRIx64, joining);
	else if (!f->to)
		strcpy(key, "coordinator");
	else
		member_key(key, f->epoch, f->to);
}

static int body_of(struct broker *b, const struct iovec *iov, int count,
		   amqp_bytes_t *body)
{
	int i;

	*body = amqp_empty_bytes;
	if (count == 1)
		*body = (amqp_bytes_t){ iov->iov_len, iov->iov_base };
	if (count <= 1)
		return 0;
	b->gather.len = 0;
	for (i = 0; i < count; i++)
		if (bytes_append(&b->gather, iov[i].iov_base, iov[i].iov_len))
			return -ENOMEM;
	*body = (amqp_bytes_t){ b->gather.len, b->gather.data };
	return 0;
}

int broker_send(struct broker *b, const struct frame *f, uint64_t joining,
		const struct iovec *iov, int count, size_t len)
{
	uint8_t header[FRAME_SIZE];
	amqp_basic_properties_t p = {
		._flags = AMQP_BASIC_CORRELATION_ID_FLAG,
		.correlation_id = { FRAME_SIZE, header },
	};
	amqp_bytes_t body;
	char key[KEY];
	int err;

	(void)len;
	if (!b->c || b->broken)
		return -ENOTCONN;
	if (body_of(b, iov, count, &body))
		return -ENOMEM;
	if (f->kind == FRAME_READY) {
		bind_as(b, f->epoch, f->from);
		bind_as(b, f->epoch, FRAME_ALL);
	}
	frame_write(header, f);
	broker_key_of(key, f, joining);
	err = amqp_basic_publish(b->c, CHANNEL, broker_bytes_of(b->exchange),
				 broker_bytes_of(key), f->to != FRAME_ALL, 0,
				 &p, body);
	if (err)
		be_broken(b, "%s", amqp_error_string2(err));
	return err ? -ENOTCONN : 0;
}

static void broker_finish(struct broker *b, struct bus *e)
{
	struct bus_buffer *buffer = b->buffer;

	b->part = BROKER_METHOD;
	b->buffer = NULL;
	if (b->returned && !b->skip)
		e->up->returned(e, &b->frame);
	else if (!b->skip)
		e->up->frame(e, &b->frame, buffer);
	if (b->skip || b->returned)
		e->up->release(&e->inbox, buffer);
}

static void on_header(struct broker *b, struct bus *e,
		      const amqp_frame_t *in)
{
	const amqp_basic_properties_t *p = in->payload.properties.decoded;

	b->left = in->payload.properties.body_size;
	b->skip = !(p->_flags & AMQP_BASIC_CORRELATION_ID_FLAG) ||
		  e->up->read(p->correlation_id.bytes, p->correlation_id.len,
			      &b->frame) ||
		  b->left > BUS_MESSAGE;
	if (!b->skip && !b->returned) {
		assert(!b->buffer);
		b->buffer = e->up->buffer(&e->inbox, b->left);
		if (!b->buffer) {
			b->skip = true;
			be_broken(b, "no memory for %" PRIu64 " bytes",
				  b->left);
		} else {
			b->buffer->len = 0;
		}
	}
	b->part = BROKER_BODY;
	if (!b->left)
		broker_finish(b, e);
}

static void on_body(struct broker *b, struct bus *e, const amqp_frame_t *in)
{
	const amqp_bytes_t *piece = &in->payload.body_fragment;

	if (piece->len > b->left) {
		be_broken(b, "message body too long");
		return;
	}
	if (b->buffer) {
		assert(b->buffer->len + piece->len <= b->buffer->room);
		memcpy(b->buffer->data + b->buffer->len, piece->bytes,
		       piece->len);
		b->buffer->len += piece->len;
	}
	assert(piece->len <= b->left);
	b->left -= piece->len;
	if (!b->left)
		broker_finish(b, e);
}

static void on_method(struct broker *b, const amqp_frame_t *in)
{
	const amqp_method_t *m = &in->payload.method;
	const amqp_rpc_reply_t r = {
		.reply_type = AMQP_RESPONSE_SERVER_EXCEPTION, .reply = *m,
	};
	struct error reason;

	switch (m->id) {
	case AMQP_BASIC_DELIVER_METHOD:
	case AMQP_BASIC_RETURN_METHOD:
		b->returned = m->id == AMQP_BASIC_RETURN_METHOD;
		b->part = BROKER_HEADER;
		break;
	case AMQP_CONNECTION_CLOSE_METHOD:
	case AMQP_CHANNEL_CLOSE_METHOD:
		why(&r, &reason);
		be_broken(b, "closed by the broker: %.200s", reason.text);
		break;
	case AMQP_BASIC_CANCEL_METHOD:
		be_broken(b, "the queue was deleted");
		break;
	default:
		/* such as connection.blocked */
		break;
	}
}

static void on_frame(struct broker *b, struct bus *e, const amqp_frame_t *in)
{
	if (in->frame_type == AMQP_FRAME_METHOD)
		on_method(b, in);
	else if (in->frame_type == AMQP_FRAME_HEADER &&
		 b->part == BROKER_HEADER)
		on_header(b, e, in);
	else if (in->frame_type == AMQP_FRAME_BODY && b->part == BROKER_BODY)
		on_body(b, e, in);
	else if (in->frame_type != AMQP_FRAME_HEARTBEAT)
		be_broken(b, "unexpected order of frames");
}

bool broker_receive(struct broker *b, struct bus *e)
{
	enum { AT_ONCE = 64 };
	struct timeval now = { 0 };
	amqp_frame_t in;
	int i, err;

	for (i = 0; i < AT_ONCE && !b->broken; i++) {
		amqp_maybe_release_buffers(b->c);
		err = amqp_simple_wait_frame_noblock(b->c, &in, &now);
		if (err == AMQP_STATUS_TIMEOUT)
			return false;
		if (err) {
			be_broken(b, "%s", amqp_error_string2(err));
			return false;
		}
		on_frame(b, e, &in);
	}
	return !b->broken;
}
