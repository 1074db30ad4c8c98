/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fake_broker.h - a RabbitMQ broker in this process, behind the functions of
 * rabbitmq-c that userspace/cluster calls
 *
 * Direct exchanges and exclusive queues: what is published goes to all queues
 * that are bound by its key, in order, or comes back if there is none and it is
 * mandatory. A body comes in two pieces if it has more than one byte. Link with
 * -Wl,--wrap of all that begin with __wrap_ here, see module.mk.
 */
#ifndef UNIT_FAKE_BROKER_H
#define UNIT_FAKE_BROKER_H

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include "cluster/rabbitmq.h"

enum { FAKE_CONNS = 16, FAKE_KEYS = 8, FAKE_KEY = 128 };

/* A frame that waits at a connection; memory of all its parts */
struct fake_frame {
	struct fake_frame	*next;
	amqp_frame_t		frame;
	amqp_basic_properties_t	properties;
	uint8_t			id[64];
	amqp_connection_close_t	close;
	uint8_t			data[];
};

struct fake_conn {
	int			fd;
	bool			used, closed;
	char			exchange[FAKE_KEY], queue[FAKE_KEY];
	char			key[FAKE_KEYS][FAKE_KEY];
	unsigned int		keys;
	struct fake_frame	*first, **last, *held;
	amqp_rpc_reply_t	reply;
	amqp_channel_close_t	why;
};

/**
 * struct fake_broker - what it does to connections
 * @no_answer:	no connection can be made
 * @refuse:	code with which the step @at is refused @times; @why
 */
static struct fake_broker {
	pthread_mutex_t		lock;
	struct fake_conn	conn[FAKE_CONNS];
	bool			no_answer;
	uint16_t		refuse;
	const char		*at, *why;
	unsigned int		times, connects, returned;
} fake_broker = { .lock = PTHREAD_MUTEX_INITIALIZER };

static struct fake_conn *fake_of(amqp_connection_state_t c)
{
	return (struct fake_conn *)c;
}

static bool fake_is(amqp_bytes_t b, const char *s)
{
	return b.len == strlen(s) && !memcmp(b.bytes, s, b.len);
}

static void fake_copy(char to[FAKE_KEY], amqp_bytes_t from)
{
	snprintf(to, FAKE_KEY, "%.*s", (int)from.len, (char *)from.bytes);
}

static void fake_queue(struct fake_conn *c, struct fake_frame *f)
{
	f->next = NULL;
	*c->last = f;
	c->last = &f->next;
	eventfd_write(c->fd, 1);
}

static struct fake_frame *fake_new(uint8_t type, size_t len)
{
	struct fake_frame *f = calloc(1, sizeof(*f) + len);

	f->frame.frame_type = type;
	f->frame.channel = 1;
	return f;
}

static void fake_put_method(struct fake_conn *c, amqp_method_number_t id,
			    uint16_t code, const char *why)
{
	struct fake_frame *f = fake_new(AMQP_FRAME_METHOD, 0);

	f->close = (amqp_connection_close_t){ .reply_code = code,
		.reply_text = amqp_cstring_bytes(why) };
	f->frame.payload.method.id = id;
	f->frame.payload.method.decoded = &f->close;
	fake_queue(c, f);
}

static void fake_put_body(struct fake_conn *c, const uint8_t *data, size_t len)
{
	struct fake_frame *f = fake_new(AMQP_FRAME_BODY, len);

	memcpy(f->data, data, len);
	f->frame.payload.body_fragment = (amqp_bytes_t){ len, f->data };
	fake_queue(c, f);
}

static void fake_put_message(struct fake_conn *c, amqp_method_number_t id,
			     const amqp_basic_properties_t *p,
			     amqp_bytes_t body)
{
	struct fake_frame *f = fake_new(AMQP_FRAME_HEADER, 0);
	const size_t half = body.len / 2;

	fake_put_method(c, id, 0, "");
	f->properties = *p;
	if (p->_flags & AMQP_BASIC_CORRELATION_ID_FLAG) {
		memcpy(f->id, p->correlation_id.bytes, p->correlation_id.len);
		f->properties.correlation_id.bytes = f->id;
	}
	f->frame.payload.properties.body_size = body.len;
	f->frame.payload.properties.decoded = &f->properties;
	fake_queue(c, f);
	if (half)
		fake_put_body(c, body.bytes, half);
	if (body.len)
		fake_put_body(c, (uint8_t *)body.bytes + half, body.len - half);
}

/* Whether a step is refused; its answer */
static void fake_answer(struct fake_conn *c, const char *step)
{
	struct fake_broker *b = &fake_broker;

	if (c->reply.reply_type == AMQP_RESPONSE_SERVER_EXCEPTION)
		return;
	c->reply = (amqp_rpc_reply_t){ .reply_type = AMQP_RESPONSE_NORMAL };
	if (!b->times || strcmp(b->at, step))
		return;
	b->times--;
	c->why = (amqp_channel_close_t){ .reply_code = b->refuse,
		.reply_text = amqp_cstring_bytes(b->why) };
	c->reply.reply_type = AMQP_RESPONSE_SERVER_EXCEPTION;
	c->reply.reply.id = strcmp(step, "login") ?
		AMQP_CHANNEL_CLOSE_METHOD : AMQP_CONNECTION_CLOSE_METHOD;
	c->reply.reply.decoded = &c->why;
}

static void fake_bind(struct fake_conn *c, amqp_bytes_t key)
{
	if (c->keys == FAKE_KEYS)
		abort();
	fake_copy(c->key[c->keys++], key);
}

static void fake_drop_frames(struct fake_conn *c)
{
	struct fake_frame *f;

	while ((f = c->first)) {
		c->first = f->next;
		free(f);
	}
	c->last = &c->first;
	free(c->held);
	c->held = NULL;
}

/*
 * What a test does to it
 */

/* To all connections, as a broker that is stopped; or to one queue's */
static inline void fake_close_all(amqp_method_number_t id, const char *why)
{
	pthread_mutex_lock(&fake_broker.lock);
	for (int i = 0; i < FAKE_CONNS; i++)
		if (fake_broker.conn[i].used)
			fake_put_method(&fake_broker.conn[i], id, 320, why);
	pthread_mutex_unlock(&fake_broker.lock);
}

/* A frame that is no message, to the first connection */
static inline void fake_inject(uint8_t type, size_t len)
{
	pthread_mutex_lock(&fake_broker.lock);
	for (int i = 0; i < FAKE_CONNS; i++)
		if (fake_broker.conn[i].used) {
			fake_queue(&fake_broker.conn[i], fake_new(type, len));
			break;
		}
	pthread_mutex_unlock(&fake_broker.lock);
}

/* A message of somebody else, to all */
static inline void fake_publish(const amqp_basic_properties_t *p,
				const char *body)
{
	pthread_mutex_lock(&fake_broker.lock);
	for (int i = 0; i < FAKE_CONNS; i++)
		if (fake_broker.conn[i].used)
			fake_put_message(&fake_broker.conn[i],
					 AMQP_BASIC_DELIVER_METHOD, p,
					 amqp_cstring_bytes(body));
	pthread_mutex_unlock(&fake_broker.lock);
}

static inline unsigned int fake_connections(void)
{
	unsigned int n = 0;

	pthread_mutex_lock(&fake_broker.lock);
	for (int i = 0; i < FAKE_CONNS; i++)
		n += fake_broker.conn[i].used;
	pthread_mutex_unlock(&fake_broker.lock);
	return n;
}

/*
 * rabbitmq-c
 */

amqp_connection_state_t __wrap_amqp_new_connection(void);
amqp_socket_t *__wrap_amqp_tcp_socket_new(amqp_connection_state_t c);
int __wrap_amqp_socket_open_noblock(amqp_socket_t *s, const char *host,
				    int port, const struct timeval *t);
int __wrap_amqp_get_sockfd(amqp_connection_state_t c);
int __wrap_amqp_set_handshake_timeout(amqp_connection_state_t c,
				      const struct timeval *t);
int __wrap_amqp_set_rpc_timeout(amqp_connection_state_t c,
				const struct timeval *t);
amqp_rpc_reply_t __wrap_amqp_login(amqp_connection_state_t c,
				   const char *vhost, int channels, int frame,
				   int heartbeat, amqp_sasl_method_enum m, ...);
amqp_channel_open_ok_t *__wrap_amqp_channel_open(amqp_connection_state_t c,
						 amqp_channel_t channel);
amqp_rpc_reply_t __wrap_amqp_get_rpc_reply(amqp_connection_state_t c);
amqp_exchange_declare_ok_t *__wrap_amqp_exchange_declare(
	amqp_connection_state_t c, amqp_channel_t channel, amqp_bytes_t name,
	amqp_bytes_t type, int passive, int durable, int auto_delete,
	int internal, amqp_table_t table);
amqp_queue_declare_ok_t *__wrap_amqp_queue_declare(
	amqp_connection_state_t c, amqp_channel_t channel, amqp_bytes_t name,
	int passive, int durable, int exclusive, int auto_delete,
	amqp_table_t table);
amqp_queue_bind_ok_t *__wrap_amqp_queue_bind(
	amqp_connection_state_t c, amqp_channel_t channel, amqp_bytes_t queue,
	amqp_bytes_t exchange, amqp_bytes_t key, amqp_table_t table);
amqp_basic_consume_ok_t *__wrap_amqp_basic_consume(
	amqp_connection_state_t c, amqp_channel_t channel, amqp_bytes_t queue,
	amqp_bytes_t tag, int no_local, int no_ack, int exclusive,
	amqp_table_t table);
int __wrap_amqp_send_method(amqp_connection_state_t c, amqp_channel_t channel,
			    amqp_method_number_t id, void *decoded);
int __wrap_amqp_basic_publish(amqp_connection_state_t c, amqp_channel_t channel,
			      amqp_bytes_t exchange, amqp_bytes_t key,
			      int mandatory, int immediate,
			      const amqp_basic_properties_t *p,
			      amqp_bytes_t body);
void __wrap_amqp_maybe_release_buffers(amqp_connection_state_t c);
int __wrap_amqp_simple_wait_frame_noblock(amqp_connection_state_t c,
					  amqp_frame_t *frame,
					  const struct timeval *t);
amqp_boolean_t __wrap_amqp_frames_enqueued(amqp_connection_state_t c);
amqp_boolean_t __wrap_amqp_data_in_buffer(amqp_connection_state_t c);
amqp_rpc_reply_t __wrap_amqp_connection_close(amqp_connection_state_t c,
					      int code);
int __wrap_amqp_destroy_connection(amqp_connection_state_t c);

amqp_connection_state_t __wrap_amqp_new_connection(void)
{
	struct fake_conn *c = NULL;

	pthread_mutex_lock(&fake_broker.lock);
	for (int i = 0; i < FAKE_CONNS && !c; i++)
		if (!fake_broker.conn[i].used)
			c = &fake_broker.conn[i];
	if (!c)
		abort();
	*c = (struct fake_conn){ .used = true, .last = &c->first };
	c->fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	pthread_mutex_unlock(&fake_broker.lock);
	return (amqp_connection_state_t)c;
}

amqp_socket_t *__wrap_amqp_tcp_socket_new(amqp_connection_state_t c)
{
	return (amqp_socket_t *)c;
}

int __wrap_amqp_socket_open_noblock(amqp_socket_t *s, const char *host,
				    int port, const struct timeval *t)
{
	(void)s;
	(void)host;
	(void)port;
	(void)t;
	fake_broker.connects++;
	return fake_broker.no_answer ? AMQP_STATUS_SOCKET_ERROR : 0;
}

int __wrap_amqp_get_sockfd(amqp_connection_state_t c)
{
	return fake_of(c)->fd;
}

int __wrap_amqp_set_handshake_timeout(amqp_connection_state_t c,
				      const struct timeval *t)
{
	(void)c;
	(void)t;
	return 0;
}

int __wrap_amqp_set_rpc_timeout(amqp_connection_state_t c,
				const struct timeval *t)
{
	(void)c;
	(void)t;
	return 0;
}

amqp_rpc_reply_t __wrap_amqp_login(amqp_connection_state_t c,
				   const char *vhost, int channels, int frame,
				   int heartbeat, amqp_sasl_method_enum m, ...)
{
	(void)vhost;
	(void)channels;
	(void)frame;
	(void)heartbeat;
	(void)m;
	fake_answer(fake_of(c), "login");
	return fake_of(c)->reply;
}

amqp_channel_open_ok_t *__wrap_amqp_channel_open(amqp_connection_state_t c,
						 amqp_channel_t channel)
{
	(void)channel;
	fake_answer(fake_of(c), "channel");
	return NULL;
}

amqp_rpc_reply_t __wrap_amqp_get_rpc_reply(amqp_connection_state_t c)
{
	return fake_of(c)->reply;
}

amqp_exchange_declare_ok_t *__wrap_amqp_exchange_declare(
	amqp_connection_state_t c, amqp_channel_t channel, amqp_bytes_t name,
	amqp_bytes_t type, int passive, int durable, int auto_delete,
	int internal, amqp_table_t table)
{
	(void)channel;
	(void)passive;
	(void)internal;
	(void)table;
	if (!fake_is(type, "direct") || durable || !auto_delete)
		abort();
	fake_copy(fake_of(c)->exchange, name);
	fake_answer(fake_of(c), "exchange");
	return NULL;
}

amqp_queue_declare_ok_t *__wrap_amqp_queue_declare(
	amqp_connection_state_t c, amqp_channel_t channel, amqp_bytes_t name,
	int passive, int durable, int exclusive, int auto_delete,
	amqp_table_t table)
{
	struct fake_broker *b = &fake_broker;
	struct fake_conn *own = fake_of(c);

	(void)channel;
	(void)passive;
	(void)table;
	if (durable || !exclusive || !auto_delete)
		abort();
	pthread_mutex_lock(&b->lock);
	/* exclusive: of another connection */
	for (int i = 0; i < FAKE_CONNS; i++)
		if (b->conn[i].used && fake_is(name, b->conn[i].queue)) {
			b->refuse = AMQP_RESOURCE_LOCKED;
			b->at = "queue";
			b->why = "locked";
			b->times = 1;
		}
	fake_answer(own, "queue");
	if (own->reply.reply_type == AMQP_RESPONSE_NORMAL)
		fake_copy(own->queue, name);
	pthread_mutex_unlock(&b->lock);
	return NULL;
}

amqp_queue_bind_ok_t *__wrap_amqp_queue_bind(
	amqp_connection_state_t c, amqp_channel_t channel, amqp_bytes_t queue,
	amqp_bytes_t exchange, amqp_bytes_t key, amqp_table_t table)
{
	(void)channel;
	(void)table;
	if (!fake_is(queue, fake_of(c)->queue) ||
	    !fake_is(exchange, fake_of(c)->exchange))
		abort();
	pthread_mutex_lock(&fake_broker.lock);
	fake_bind(fake_of(c), key);
	pthread_mutex_unlock(&fake_broker.lock);
	fake_answer(fake_of(c), "bind");
	return NULL;
}

amqp_basic_consume_ok_t *__wrap_amqp_basic_consume(
	amqp_connection_state_t c, amqp_channel_t channel, amqp_bytes_t queue,
	amqp_bytes_t tag, int no_local, int no_ack, int exclusive,
	amqp_table_t table)
{
	(void)channel;
	(void)tag;
	(void)no_local;
	(void)table;
	if (!fake_is(queue, fake_of(c)->queue) || !no_ack || !exclusive)
		abort();
	fake_answer(fake_of(c), "consume");
	return NULL;
}

int __wrap_amqp_send_method(amqp_connection_state_t c, amqp_channel_t channel,
			    amqp_method_number_t id, void *decoded)
{
	const amqp_queue_bind_t *bind = decoded;

	(void)channel;
	if (id != AMQP_QUEUE_BIND_METHOD || !bind->nowait)
		abort();
	__wrap_amqp_queue_bind(c, 1, bind->queue, bind->exchange,
			       bind->routing_key, amqp_empty_table);
	return 0;
}

int __wrap_amqp_basic_publish(amqp_connection_state_t c, amqp_channel_t channel,
			      amqp_bytes_t exchange, amqp_bytes_t key,
			      int mandatory, int immediate,
			      const amqp_basic_properties_t *p,
			      amqp_bytes_t body)
{
	unsigned int routed = 0;

	(void)channel;
	(void)immediate;
	if (fake_of(c)->closed)
		return AMQP_STATUS_CONNECTION_CLOSED;
	pthread_mutex_lock(&fake_broker.lock);
	for (int i = 0; i < FAKE_CONNS; i++) {
		struct fake_conn *to = &fake_broker.conn[i];

		for (unsigned int k = 0; to->used && k < to->keys; k++)
			if (fake_is(exchange, to->exchange) &&
			    fake_is(key, to->key[k])) {
				fake_put_message(to, AMQP_BASIC_DELIVER_METHOD,
						 p, body);
				routed++;
			}
	}
	if (!routed && mandatory) {
		fake_put_message(fake_of(c), AMQP_BASIC_RETURN_METHOD, p,
				 body);
		fake_broker.returned++;
	}
	pthread_mutex_unlock(&fake_broker.lock);
	return 0;
}

void __wrap_amqp_maybe_release_buffers(amqp_connection_state_t c)
{
	(void)c;
}

int __wrap_amqp_simple_wait_frame_noblock(amqp_connection_state_t state,
					  amqp_frame_t *frame,
					  const struct timeval *t)
{
	struct fake_conn *c = fake_of(state);
	int err = AMQP_STATUS_TIMEOUT;
	eventfd_t n;

	(void)t;
	pthread_mutex_lock(&fake_broker.lock);
	free(c->held);
	c->held = c->first;
	if (c->held) {
		c->first = c->held->next;
		if (!c->first)
			c->last = &c->first;
		*frame = c->held->frame;
		err = AMQP_STATUS_OK;
	} else {
		eventfd_read(c->fd, &n);
		if (c->closed)
			err = AMQP_STATUS_CONNECTION_CLOSED;
	}
	pthread_mutex_unlock(&fake_broker.lock);
	return err;
}

amqp_boolean_t __wrap_amqp_frames_enqueued(amqp_connection_state_t c)
{
	(void)c;
	return 0;
}

amqp_boolean_t __wrap_amqp_data_in_buffer(amqp_connection_state_t c)
{
	(void)c;
	return 0;
}

amqp_rpc_reply_t __wrap_amqp_connection_close(amqp_connection_state_t c,
					      int code)
{
	(void)code;
	return fake_of(c)->reply;
}

/* Its queue goes with it */
int __wrap_amqp_destroy_connection(amqp_connection_state_t state)
{
	struct fake_conn *c = fake_of(state);

	pthread_mutex_lock(&fake_broker.lock);
	fake_drop_frames(c);
	close(c->fd);
	c->used = false;
	pthread_mutex_unlock(&fake_broker.lock);
	return 0;
}

#endif
